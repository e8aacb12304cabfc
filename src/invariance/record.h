/* What an implementation's outputs depend on, as reports have it: a row a member (record/record.h). */
#ifndef DETCHECK_INVARIANCE_RECORD_H
#define DETCHECK_INVARIANCE_RECORD_H

#include "invariance/invariance.h"
#include "record/kinds.h"

/* Calls with a batch of that size, and inputs that change with a variant. Texts here and below are the run's, or
 * the document's. */
struct size_record {
    uint64_t size, calls;
};
struct variant_record {
    const char *name, *why;
    bool tested;
    unsigned tells;
    uint64_t changed;
};

struct property_record {
    const char *name; /* first, as of events */
    bool tested;
    unsigned tells;
    const char *why; /* not tested; else "" */
    uint64_t inputs, unanswered, not_called, unrepeatable, not_asked, at_once, first_at_once;
    bool has_not_called;
    unsigned size_count;
    struct size_record *sizes;
    uint64_t changed;
    bool has_first;
    struct change first;
    unsigned variant_count;
    struct variant_record *variants;
    const cJSON *json; /* where it was read from */
};

/* The first event of a property. */
struct property_event {
    const char *name;
    unsigned kind;
    uint64_t input[MAX_OPERANDS];
    const char *where, *command;
};

struct invariance_record {
    uint64_t tested;
    unsigned property_count, event_count;
    struct property_record *properties;
    struct property_event *events;
    uint64_t event_counts[EVENT_KINDS];
};

extern const struct record change_record; /* of a checkpoint too */
extern const struct record property_record, property_event_record;
extern const struct record invariance_record;
extern const struct record invariance_properties; /* its properties alone */

/* By the codes of the operands; of arrays by shape, draw and element. */
static inline bool record_input_is_earlier(const uint64_t *a, const uint64_t *b) {
    int i = 0;
    while (i < MAX_OPERANDS - 1 && a[i] == b[i])
        i++;
    return a[i] < b[i];
}

/* The object of the first output that changed; NULL where none did. */
static inline const cJSON *property_first(const struct property_record *property) {
    return property->has_first ? json_get(property->json, "first") : NULL;
}

/* Settles which rows there are, as reading does. */
enum { PROPERTY_TESTED = 1, PROPERTY_NOT_TESTED = 2 };
static inline unsigned property_tells(bool tested) {
    return tested ? PROPERTY_TESTED : PROPERTY_NOT_TESTED;
}

#endif

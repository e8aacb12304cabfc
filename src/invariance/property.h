/* What an output must not depend on: a row each (properties.c). Options, help, reports, policies and
 * the manual work through the rows.
 *
 * A row has the functions by which it is tested for each kind of calls that it is of: on numbers, on arrays. */
#ifndef DETCHECK_INVARIANCE_PROPERTY_H
#define DETCHECK_INVARIANCE_PROPERTY_H

#include "invariance/invariance.h"

/* Marks by input: it has no answer in the reference, or is no call of C. Neither is sent; 1 stands for it. */
enum { NEVER_CALLED = 2 };

/* Sets the marks of those that are no call, and clears the others; how many they are. */
size_t mark_never_called(const struct binding_request *computed, void *const *inputs, size_t count,
                         uint8_t *marks);

struct block;

/* What is done with a kind of calls. It has `block` or `run`, unless the property is not of such calls. */
struct property_hooks {
    /* Variants are among its conditions: finds those of the request and others, and whether they can
     * be tried. False, with the reason, where none can. NULL: it takes none. */
    bool (*variants)(const struct invariance_request *request, const struct binding *binding,
                     struct variants *variants, struct error *why);
    /* False, with the reason, where it cannot be tested. The binding is one for the request, which
     * slices with conditions may be asked of. NULL: it always can. */
    bool (*applies)(const struct invariance_request *request, const struct binding *binding,
                    struct error *why);
    /* Elements that an input takes at most in a slice: what a block may hold. */
    size_t (*elements)(const struct binding *binding);
    /* Compares a block of inputs, in a thread with a binding of its own. False when the environment fails. */
    bool (*block)(struct block *block, struct error *error);
    /* Does all of it by itself, for what wants processes or threads of its own. */
    bool (*run)(const struct invariance_request *request, struct property_tally *tally,
                struct error *error);
};

struct property {
    const char *name;    /* in options, reports and policies: "in-place" */
    const char *summary; /* what else is other, in half a line: for --help and the manual */
    /* What an input gives may depend on the others that are computed: all show it again, not one. */
    bool beside_others;
    /* It is of those operations on arrays alone whose rows have rearrangements of its name. */
    bool rearranges;
    struct property_hooks of[CALL_KINDS];
};

extern const struct property *const property_rows[];
extern const size_t property_row_count;

/* The names of the rows for an operation, or of all (NULL), with commas between. */
enum { PROPERTY_NAMES = 512 };
const char *property_names(const struct operation *operation, char text[PROPERTY_NAMES]);

/* By name; NULL with an error that names the nearest, and all. */
const struct property *property_find(const char *name, struct error *error);

/* Whether the row is of such calls, and of those of an operation. */
bool property_is_of(const struct property *property, enum call_kind kind);
bool property_is_for(const struct property *property, const struct operation *operation);

/* Whether variants are among its conditions, of calls of any kind. */
bool property_takes_variants(const struct property *property);

/* Counts an input whose result `result` has changed: once for each. What is first in the domain is
 * kept. */
void property_change(struct property_tally *tally, int result, const struct change *change);

/* Notes an event of an input, which was computed in that condition: `where` says it in words. */
void property_event(struct property_tally *tally, const struct event_witness *event,
                    size_t condition, const char *where);

/* Counts an input that has cost a process. */
void property_lost(struct property_tally *tally, enum event_kind kind, size_t condition);

/* How many inputs more may cost a process in that condition; 0: none are to be asked for. */
size_t property_may_lose(const struct property_tally *tally, size_t condition);

/* Adds what another thread, or another run, has found. */
void property_merge(struct property_tally *into, const struct property_tally *part);

/* Whether two outputs are the same: NaNs are, unless the request is strict. */
bool property_same(const struct invariance_request *request, const struct format *format,
                   uint64_t a, uint64_t b);

#endif

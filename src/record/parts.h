/* What the kinds share: where a member lies, and pieces of schemas. */
#ifndef DETCHECK_RECORD_PARTS_H
#define DETCHECK_RECORD_PARTS_H

#include "record/record.h"

/* The largest record of a list, or of a series: where what nobody keeps is read to. */
enum { MOST_SCRATCH = 256 };

static inline const void *record_at(const struct record_member *member, const void *data) {
    return (const char *)data + member->offset;
}

static inline void *record_room(const struct record_member *member, void *data) {
    return (char *)data + member->offset;
}

/* A bool of the record. */
bool record_flag(const void *data, size_t offset);
void record_set_flag(void *data, size_t offset, bool flag);

/* The object of a member, in its place; it is made where it is missing. */
cJSON *record_object_in(cJSON *object, const char *name);

/* {"$ref": "#/definitions/DEFINITION"}, and an array of such items. */
cJSON *record_refer(const char *definition);
cJSON *record_schema_of_array(cJSON *items);

/* The schema of a member. */
cJSON *record_schema_of(const struct record_member *member);

#endif

/* "inputs" of a result: which they are, and which shards of a whole. The rows of its members (record/record.h). */
#ifndef DETCHECK_REPORT_INPUTS_RECORD_H
#define DETCHECK_REPORT_INPUTS_RECORD_H

#include "op/operation.h"
#include "op/parameters.h"
#include "record/number_set.h"
#include "record/record.h"
#include "sweep/search/search.h"

/* Shapes of calls of an operation on arrays, in their order. */
struct shape_list {
    struct shape *shapes;
    size_t count;
};

/* Members that need not be there. */
enum {
    INPUTS_COVERED = 1,
    INPUTS_RANGES = 2,
    INPUTS_SAMPLED_FROM = 4,
    INPUTS_INTEGER = 8,
    INPUTS_RUN_LENGTH = 16,
    INPUTS_SHARD = 32,
    SHARD_UNIT = 1,
    SHARD_WHOLE = 2,
    SHARD_SHAPES = 4
};

/* One shard, or several that were merged, and the whole that they are of. */
struct shard_facts {
    unsigned tells; /* SHARD_... */
    uint64_t of, unit, whole;
    struct number_set numbers;
    const char *whole_description, *whole_identity; /* "" where there is none */
    struct shape_list shapes;
};

/* Texts are the document's, or whoever's who writes it. */
struct inputs_facts {
    unsigned tells; /* INPUTS_... */
    const char *kind, *description;
    const char *identity, *seed; /* "" where there is none */
    uint64_t count, covered, integer_operand, run_length;
    unsigned operands;                     /* that there are codes of */
    struct number_set codes[MAX_OPERANDS]; /* ranges, or what was sampled from */
    struct search_record *search;          /* how they were found; NULL: they were not */
    struct shard_facts shard;
};
extern const struct record inputs_record;

/* Reads the extents of a shape. */
void shape_read(struct json_reader *reader, const cJSON *extents, struct shape *shape);

/* The place of a shape in a list, whose length where it is not there; and one more at the end, false without
 * memory. */
size_t shape_list_place(const struct shape_list *list, const struct shape *shape);
bool shape_list_add(struct shape_list *list, const struct shape *shape);

#endif

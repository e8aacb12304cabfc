/* The inputs of a merged result and the digests of its shards, which grow in structs and are written once, at the
 * end. */
#ifndef DETCHECK_REPORT_MERGE_INPUTS_H
#define DETCHECK_REPORT_MERGE_INPUTS_H

#include "base/error.h"
#include "report/digests_record.h"
#include "report/document_wire.h"
#include "report/text.h"

struct merge_inputs {
    struct inputs_facts facts; /* texts are the result's, or `description` */
    struct document_wire wire; /* how its inputs stand in documents */
    char description[TEXT_INPUTS];
    struct digest_list *digests; /* of each implementation, where they were taken */
    size_t implementations;
};

/* Those of a result, to be freed; they need it until they are written. NULL with an error. */
struct merge_inputs *merge_inputs_open(const cJSON *result, struct error *error);
void merge_inputs_free(struct merge_inputs *inputs); /* or NULL */

/* Those of another result of the same operation, to be freed in any case (record_free). */
bool merge_inputs_read(struct merge_inputs *inputs, const cJSON *result,
                       struct inputs_facts *theirs, struct error *error);

bool merge_inputs_same(const struct merge_inputs *inputs, const struct inputs_facts *theirs);

static inline bool merge_is_shard(const struct inputs_facts *facts) {
    return facts->tells & INPUTS_SHARD;
}

/* Adds ranges of `format`, or what another search found. False with an error where they overlap, or are neither. */
bool merge_ranges(struct merge_inputs *inputs, const struct inputs_facts *theirs,
                  const char *format, struct error *error);

/* Adds what a search found, and its effort. `beside`: of two shards of one search; else the second followed the
 * first. False where they are for different things. */
bool merge_found(struct inputs_facts *mine, const struct inputs_facts *theirs, bool beside,
                 struct error *error);

/* Takes the digests of the implementations out of the result, which keeps their places, and puts them there. */
bool merge_digests_take(struct merge_inputs *inputs, cJSON *result, struct error *error);
void merge_digests_put(struct merge_inputs *inputs, cJSON *result);

/* Puts inputs and digests into the result. */
void merge_inputs_write(struct merge_inputs *inputs, cJSON *result);

#endif

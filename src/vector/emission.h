/* Vectors from their inputs to their bytes, a part at a time: what is kept in memory is the chosen
 * inputs of a group, and the outputs of some thousand tests. */
#ifndef DETCHECK_VECTOR_EMISSION_H
#define DETCHECK_VECTOR_EMISSION_H

#include "report/read.h"
#include "vector/choose/choose.h"
#include "vector/vector.h"
#include "vector/write/write.h"

struct vector_emission {
    const struct vector_style *style;
    struct choice_rules rules;
    uint64_t draws;                   /* of arrays of each shape */
    const struct read_report *report; /* whose worst inputs are to be there too; or NULL */
    const struct vector_file *inputs; /* whose inputs are taken instead of others; or NULL */
    struct vector_group *groups;      /* without tests */
    size_t group_count;
    struct stage stage; /* told how far all of it is */
};

/* Chooses the inputs of all groups, which the head of a document counts; then makes and writes their
 * tests. Inputs of many groups that are more than a few million are chosen twice. */
bool vector_emit(const struct vector_emission *emission, FILE *stream, struct error *error);

#endif

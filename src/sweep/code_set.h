/* A set of codes of a format: runs of consecutive ones, or of consecutive integers among them. */
#ifndef DETCHECK_SWEEP_CODE_SET_H
#define DETCHECK_SWEEP_CODE_SET_H

#include "base/error.h"
#include "format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_run {
    uint64_t first;
    uint64_t before; /* how many codes of the set lie in earlier runs */
};

/* Ascending, apart from each other. Where `integers_of` is set, a run holds numbers of integers
 * (format/integers.h), with the sign bit of that format, in place of codes: their codes ascend too. */
struct code_set {
    struct code_run *runs;
    size_t run_count;
    size_t capacity;
    uint64_t last_end; /* last code of the last run */
    /* Codes in all; 0 stands for 2^64. An empty set has no runs. */
    uint64_t count;
    const struct format *integers_of;
};

/* Adds the codes first..last, which must follow all that are there; joins a run that they touch. */
bool code_set_append(struct code_set *set, uint64_t first, uint64_t last, struct error *error);
void code_set_free(struct code_set *set);

/* The run that the index lies in. */
size_t code_set_run_of(const struct code_set *set, uint64_t index);

/* The code with that index. */
uint64_t code_set_at(const struct code_set *set, uint64_t index);

/* The index of the first that is not below what a run holds: a code, or a number with its sign. */
uint64_t code_set_from(const struct code_set *set, uint64_t held);

/* The ends of a run, as what it holds; and as codes. */
struct code_ends {
    uint64_t first, last;
};
struct code_ends code_set_held(const struct code_set *set, size_t run);
struct code_ends code_set_ends(const struct code_set *set, size_t run);

/* Every code for one operand. */
bool code_set_all(struct code_set *set, const struct format *format, struct error *error);

#endif

/* What is measured beside errors in ulps: how far off outputs are as numbers and by the size of what is right, which
 * neighbours run the wrong way, where f(-x) is not f(x) or -f(x), and percentiles of the errors. */
#ifndef DETCHECK_SWEEP_MEASURED_H
#define DETCHECK_SWEEP_MEASURED_H

#include "op/operation.h"
#include "record/sum.h"

#include <stdbool.h>
#include <stdint.h>

/* An output, with the number of its input in the domain. */
struct witness {
    uint64_t index;
    uint64_t input[MAX_OPERANDS];
    uint64_t got, want;
    double error;
};

/* What --show asks for, as bits. Percentiles are in every report; the others are measured where they are asked for. */
enum sweep_show {
    SHOW_PERCENTILES = 1,
    SHOW_ERRORS = 2,
    SHOW_MONOTONY = 4,
    SHOW_SYMMETRY = 8,
    SHOW_COUNT = 4
};
extern const char *const sweep_show_names[SHOW_COUNT];

/* |got - y| or |got - y| / |y|, of outputs in ulps and y as its ulps know it (ARCHITECTURE.md, "The error in ulps"). Each
 * is a double, and they are summed in integers, truncated to units of 2^-1152 or 2^-128. */
enum { ABSOLUTE_SCALE = 1088, RELATIVE_SCALE = 64 };
struct size_tally {
    uint64_t outputs;
    uint64_t infinite; /* of these, errors that no double holds: not in the sum */
    struct error_sum sum;
    bool has_max;
    struct witness max; /* with the error, and of equals the first input's */
};

/* Pairs of calls whose outputs have an order, or are to be the same. */
struct pair_witness {
    uint64_t index;
    uint64_t input[MAX_OPERANDS], other[MAX_OPERANDS];
    uint64_t got, other_got;
};
struct pair_tally {
    uint64_t pairs, wrong, undecided;
    bool has_first;
    struct pair_witness first;
};

/* How many bytes of a line strtod says that it has read, or snprintf that it has written. */
struct length_witness {
    uint64_t index;
    uint64_t input[MAX_OPERANDS];
    uint64_t got,
        want; /* UINT64_MAX: none, as of a pointer that points elsewhere, or of a number below 0 */
};
struct length_tally {
    uint64_t lines, wrong;
    bool has_first;
    struct length_witness first;
};

/* The percentiles that reports have, in thousandths: half of the outputs, 90, 99 and 99.9 of a hundred. */
enum { PERCENTILES = 4 };
extern const unsigned percentiles[PERCENTILES];

/* Where an error lies: above the first and at most the second. */
struct percentile {
    double above, up_to;
};

/* "50", "99.9". */
const char *percentile_text(unsigned thousandths, char text[16]);

#endif

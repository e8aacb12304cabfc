/* The inside of a filter, for filter.c, block.c and recheck.c. */
#ifndef DETCHECK_ORACLE_FAST_FILTER_PARTS_H
#define DETCHECK_ORACLE_FAST_FILTER_PARTS_H

#include "oracle/fast/filter.h"
#include "oracle/fast/reduce.h"

enum {
    LEVELS = BLOCK_LOG2 + 1,
    /* Bounds are about 2^-56 of the value, in fp64 2^-82; beyond this MPFR takes 200 us for ln|gamma|
     * near 0. */
    CHECK_PRECISION = 80,
    WIDE_CHECK_PRECISION = 112
};

/* The results of a function of period 2 at the multiples of 1/4 below 2, then below -0. */
enum { QUARTERS = 8 };
struct period_table {
    bool known[2 * QUARTERS];
    struct real values[2 * QUARTERS];
};

struct filter {
    const struct operation *operation;
    const struct format *format;
    int result;
    struct fitter *fitter;
    struct oracle oracle; /* exact values at the ends of blocks */
    struct oracle check;  /* by MPFR alone */
    mpfr_t line, distance;
    struct section section;       /* for functions of two operands */
    int leading;                  /* operands before the last */
    uint64_t fixed[MAX_OPERANDS]; /* their codes */
    bool is_fixed;
    struct real leading_values[MAX_OPERANDS]; /* of a formula */
    bool by_arithmetic;                       /* the results: oracle/fast/arithmetic.h */
    bool fixed_is_nan;
    int largest; /* log2 of the largest blocks */
    bool known;  /* the section is one that something is known of */
    const struct asymptote *asymptotes;
    struct asymptote of_formula; /* of the block, where the operation is a formula */
    struct reducer reducer;
    struct period_table period_table;
    struct block block;
    uint64_t failed[LEVELS]; /* block of each size that was found to need halving, plus 1 */
};

/* The codes of all operands, with that of the last one. */
static inline void filter_codes(const struct filter *filter, uint64_t code, uint64_t *codes) {
    for (int i = 0; i < filter->leading; i++)
        codes[i] = filter->fixed[i];
    codes[filter->leading] = code;
}

/* The result at a code of the last operand. */
bool filter_exact(struct filter *filter, struct oracle *oracle, uint64_t code, struct real *y,
                  struct error *error);

/* slope x + constant, of which one is 0; exact. */
struct real asymptote_line(const struct asymptote *asymptote, const struct format *format,
                           uint64_t code);

static inline int check_precision(const struct format *format) {
    return format->width == 64 ? WIDE_CHECK_PRECISION : CHECK_PRECISION;
}

#endif

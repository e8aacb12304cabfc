/* A line of operands, and what sums of their exponentials are made of (exponentials.c has the notation). */
#ifndef DETCHECK_OP_ARRAY_EXPONENTIAL_LINE_H
#define DETCHECK_OP_ARRAY_EXPONENTIAL_LINE_H

#include "op/array.h"
#include "op/array/slices.h"
#include "op/enclose.h"

struct exponential_line {
    struct slices slices;
    struct real *x, *g;
    uint64_t *codes;
    uint64_t at; /* of the result that is asked for */
    int precision;
    bool exclusive;
    /* What is known of the first `count` operands: how many are finite, which one is the largest and how many equal
     * it; their t, with at least `bits`; whether there is a NaN or +inf among them. */
    uint64_t count, finite, peers, best;
    slong bits;
    bool nan, infinite;
    arf_t largest;
    arb_t t;
    arf_t total; /* G, exactly; NaN or an infinity was met among g */
    bool g_nan, g_infinite[2];
    arf_t value, base, divisor;
    arb_t power, rest;
};

static inline bool real_is_number(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

/* Room for lines of a call, and its end; loads slice number `slice`, whose g is the second operand if that is one of
 * lines. */
bool exponential_line_open(struct exponential_line *line, const struct array_call *call,
                           int precision, struct error *error);
void exponential_line_close(struct exponential_line *line);
void exponential_line_load(struct exponential_line *line, const struct array_call *call,
                           uint64_t slice);

/* The sums of the first operands, to so many bits at least. */
void exponential_sum_up(struct exponential_line *line, uint64_t count, slong bits);
/* power = e^(a - b). */
void exponential_find_power(struct exponential_line *line, const arf_t a, const arf_t b);
/* rest = ln(n + t). */
void exponential_find_logarithm(struct exponential_line *line);
/* Whether x[at] is m; value = x[at]. */
bool exponential_is_largest(struct exponential_line *line);
/* rest = the share p of x[at], or of m t / (n + t); whether it is m, and divisor = n then, else 1. */
bool exponential_find_share(struct exponential_line *line, struct interval *y);
/* Whether no share of the line is a number. */
bool exponential_has_no_shares(struct exponential_line *line);

#endif

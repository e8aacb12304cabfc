/* Enclosures of real numbers, for operations that MPFR does not have as one function.
 *
 * An interval holds an unknown real between two MPFR numbers. Every step rounds its lower end down
 * and its upper end up, so the enclosure is proved by construction and no error analysis is needed;
 * the oracle (oracle/exact.h) raises the precision until both ends truncate to the same bits. Only
 * what the operation table needs is here. A result must not be one of its operands,
 * except in interval_scale and interval_add_integer. */
#ifndef DETCHECK_OP_FUNCTION_INTERVAL_H
#define DETCHECK_OP_FUNCTION_INTERVAL_H

#include <mpfr.h>
#include <stdbool.h>

/* MPFR overflows and underflows at these exponents. Far outside every format, and near enough that
 * MPFR does not labour over results like e^(10^30) that are decided by their size. */
enum { INTERVAL_EXPONENT_RANGE = 1 << 15, INTERVAL_DECIDED_BY_SIZE = INTERVAL_EXPONENT_RANGE / 2 };

struct interval {
    mpfr_t low, high;
};

typedef int mpfr_function(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* A number that is known exactly; its precision may exceed the interval's. */
void interval_set(struct interval *y, mpfr_srcptr x);

/* A monotone MPFR function of an interval: increasing, or decreasing. */
void interval_increasing(struct interval *y, mpfr_function *f, const struct interval *x);
void interval_decreasing(struct interval *y, mpfr_function *f, const struct interval *x);

void interval_negate(struct interval *y, const struct interval *x);
void interval_add(struct interval *y, const struct interval *a, const struct interval *b);
void interval_add_integer(struct interval *y, const struct interval *a, long b);
void interval_scale(struct interval *y, const struct interval *a, int power_of_two);

/* Of non-negative intervals. interval_divide wants b above 0. */
void interval_multiply(struct interval *y, const struct interval *a, const struct interval *b);
void interval_divide(struct interval *y, const struct interval *a, const struct interval *b);

/* y = e^(a - b) for exact numbers, by one exponential where the difference is exact, as it nearly
 * always is. `scratch` is another interval. */
void interval_power(struct interval *y, struct interval *scratch, mpfr_srcptr a, mpfr_srcptr b);

/* `a`, non-negative, times the exact number x of either sign. */
void interval_multiply_exact(struct interval *y, const struct interval *a, mpfr_srcptr x);

/* Whether all reals strictly inside the enclosure truncate to the same bits at the precision of
 * `result`; then `result` is that. The ends themselves are excluded: they are binary fractions,
 * which the exact value must not be. A value decided by its size is left as 0 or infinity, like any
 * inexact underflow or overflow. `scratch` has the precision of `result`. */
bool interval_truncate(const struct interval *enclosure, mpfr_ptr result, mpfr_ptr scratch);
/* The same, decided by its size beyond 2^limit and below 2^-limit. */
bool interval_truncate_within(const struct interval *enclosure, long limit, mpfr_ptr result,
                              mpfr_ptr scratch);

#endif

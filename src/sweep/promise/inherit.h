/* Errors that are inherited from a formula: "tan is as good as sin(x) / cos(x)".
 *
 * The formula is computed with every operation as far off as the policy promises of it, which gives an
 * interval of results around the right one, y. An output may be as far from y as the farther end of
 * that interval. Where the formula may meet NaN, or an operation outside of the range that something
 * is promised for, anything may come out.
 *
 * Intervals are of fp64, with each end rounded outward, so formulas are for formats of at most 24 bits
 * of precision. */
#ifndef DETCHECK_SWEEP_PROMISE_INHERIT_H
#define DETCHECK_SWEEP_PROMISE_INHERIT_H

#include "base/error.h"
#include "sweep/promise/promise.h"

enum { INHERITED_PRECISION = 24 };

/* Checks that each function of a formula whose argument is not exact is monotone, or of known shape:
 * without that nothing encloses it. */
bool inherited_is_sound(const struct expression *formula, struct error *error);

/* Whether a node is minus its right operand. */
bool formula_negates(const struct expression *formula, int node);

/* The operation that a node stands for; NULL where it is exact: numbers, operands, -x, |x|, min, max. */
const struct operation *formula_operation(const struct expression *formula, int node);

/* What is promised of an operation of a formula; NULL where that is nothing. */
const struct promise *formula_promise(const struct promise *promise,
                                      const struct operation *operation);

/* One thread's oracles for the functions of formulas. */
struct inheritor;
struct inheritor *inheritor_open(void); /* NULL when memory is out */
void inheritor_close(struct inheritor *inheritor);

/* How far an output of that format may be off the result y, in ulps, by what the piece inherits;
 * infinite where anything may come out: *undefined says whether NaN may too. False with an error where
 * an oracle fails. */
bool inherited_limit(struct inheritor *inheritor, const struct promise *promise,
                     const struct promise_piece *piece, const struct format *format,
                     const struct span_of_values *operands, const struct real *y, double *limit,
                     bool *undefined, struct error *error);

/* promise_limit with what is inherited: of that no less than the formula's last operations alone give,
 * and no end. */
struct span_of_values inherited_limits(const struct promise *promise,
                                       const struct promise_piece *piece,
                                       const struct format *format,
                                       const struct span_of_values *operands,
                                       struct ulp_exponents ulp);

#endif

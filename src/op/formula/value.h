/* What is known of a real number on the way to a formula's exact value: what it is, or between which
 * numbers it lies.
 *
 * The ends of an enclosure know whether they may be the value. 1 + e^-60000 lies above 1 and below 1 + 2^-p
 * for every precision p that one can compute with; that it is not 1 decides its rounding.
 *
 * Results are none of the operands. Special values are those of Annex F, step by step. */
#ifndef DETCHECK_OP_FORMULA_VALUE_H
#define DETCHECK_OP_FORMULA_VALUE_H

#include "format/real.h"
#include "op/formula/form.h"

#include <gmp.h>
#include <mpfr.h>
#include <stdbool.h>

/* Numerators and denominators of more bits are enclosed instead. */
enum { VALUE_RATIONAL_BITS = 1 << 16 };

/* Numbers from this power of two on, or from its reciprocal down, are held as enclosures, and those between as fractions. */
enum { VALUE_HELD_BY_SIZE = 1 << 15 };

/* Results from this power of two on, or from its reciprocal down, are beyond every format: they are decided by size, where the
 * bits do not decide them. Rows decide by size later (op/function/interval.h), so that products of theirs are beyond it too. */
enum { VALUE_DECIDED_BY_SIZE = 1 << 13 };

/* The size of a ternary value where no more than that is known of an underflow or overflow. */
enum { VALUE_BY_SIZE = 2 };

enum value_kind {
    VALUE_UNKNOWN, /* nothing is known: more bits may tell */
    VALUE_NAN,
    VALUE_ZERO,
    VALUE_INFINITE,
    VALUE_RATIONAL, /* and not 0 */
    VALUE_ENCLOSED  /* a finite number from `low` to `high` */
};

struct value_end {
    mpfr_t at;
    bool open; /* the value lies beyond it, inwards */
};

struct value {
    enum value_kind kind;
    bool negative;  /* of zeros and infinities */
    bool cancelled; /* of zeros: op/operation.h, sums */
    mpq_t rational;
    bool has_ends; /* of a rational number: low and high enclose it */
    struct value_end low, high;
    struct form form; /* of an enclosed number: what it is, where that is known */
};

void value_init(struct value *value, mpfr_prec_t precision);
void value_clear(struct value *value);
void value_set_precision(struct value *value, mpfr_prec_t precision);

/* Whether one of the two is of that kind. */
bool value_any_kind(const struct value *a, const struct value *b, enum value_kind kind);

void value_set(struct value *y, struct value *x);
void value_set_kind(struct value *y, enum value_kind kind, bool negative);
/* From y->rational, which has been set. */
void value_is_rational(struct value *y);
/* From a number that is exact, or of which 128 bits are kept (format/real.h, inexact). */
void value_set_real(struct value *y, const struct real *x);
/* From y->low and y->high, which have been set. */
void value_is_enclosed(struct value *y);
/* Of MPFR's result toward zero, with its ternary value. */
void value_set_truncated(struct value *y, mpfr_srcptr value, int ternary);

/* Sets the ends of a rational number; false where it is no number. */
bool value_enclose(struct value *x);

/* 1 or -1; 0 where the value is 0, NaN, or of a sign that is not known. */
int value_sign(const struct value *x);

void value_negate(struct value *y, struct value *x);
void value_magnitude(struct value *y, struct value *x);
void value_add(struct value *y, struct value *a, struct value *b);
void value_subtract(struct value *y, struct value *a, struct value *b);
void value_multiply(struct value *y, struct value *a, struct value *b);
void value_divide(struct value *y, struct value *a, struct value *b);
/* y = the n-th root of a fraction, where that is a fraction. */
bool value_root(struct value *y, const struct value *x, unsigned long n);
/* Whether x is a whole number other than 0 that fits. */
bool value_is_long(const struct value *x, long *n);
/* a^n for a whole n, other than 0. */
void value_power(struct value *y, struct value *a, long n);

/* Whether a < b (-1), a > b (1), a = b (0); VALUE_OPEN where that is not known, VALUE_UNORDERED for NaN. */
enum { VALUE_OPEN = 2, VALUE_UNORDERED = 3 };
int value_compare(struct value *a, struct value *b);

/* All that is in the enclosure truncates to the same bits: *result, at its own precision, and the ternary
 * value; or *special is all there is (then *ternary is 0 and *is_special). False where more bits are
 * needed. `other` has the precision of `result`. */
bool value_truncate(struct value *x, mpfr_ptr result, mpfr_ptr other, int *ternary,
                    struct real *special, bool *is_special);

#endif

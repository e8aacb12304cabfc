/* The exact value of a formula: its steps on what is known of each (op/formula/value.h), with more and more bits
 * until that decides the result.
 *
 * Steps on fractions are exact, so what cancels or comes out even there is known. So is u - u, and the square of a
 * root. What else is exact by an identity (sin^2 + cos^2) no number of bits tells, and the result is an error. */
#ifndef DETCHECK_OP_FORMULA_EVALUATE_H
#define DETCHECK_OP_FORMULA_EVALUATE_H

#include "op/formula/tree.h"
#include "op/function/asymptote.h"

/* What a thread works in. */
struct formula_work;
struct formula_work *formula_work_open(const struct formula *formula); /* NULL when memory is out */
void formula_work_close(struct formula_work *work);

/* The value at these operands, truncated to the precision of `result`, and its ternary value; or *special is all
 * there is to know. False where the most bits do not tell. */
bool formula_truncate(struct formula_work *work, const struct real *operands, mpfr_ptr result,
                      int *ternary, struct real *special, bool *is_special);

/* The most bits that are tried. */
int formula_most_precision(const struct formula *formula);

/* The line to which the values at all numbers of the last operand from low to high run so closely that no rounding to
 * the format tells them apart; false where there is none such. The operands before are `leading`. */
bool formula_asymptote(struct formula_work *work, const struct real *leading, double low,
                       double high, const struct format *format, struct asymptote *asymptote);

/* What is known of the values at all numbers of the last operand between two, of one sign. */
struct formula_stretch {
    double
        slope; /* 0: all have the first bits of `value`; else they lie next to this multiple of the operand */
    bool outward;      /* on which side, and nearer than the last of the bits */
    struct real value; /* truncated */
};
bool formula_stretch(struct formula_work *work, const struct real *leading, const struct real *one,
                     const struct real *other, int bits, struct formula_stretch *stretch);

#endif

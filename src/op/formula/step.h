/* A row of the table, or a power, at values that are known exactly or enclosed. */
#ifndef DETCHECK_OP_FORMULA_STEP_H
#define DETCHECK_OP_FORMULA_STEP_H

#include "op/formula/functions.h"
#include "op/formula/value.h"
#include "op/function/arb_rule.h"
#include "op/operation.h"

/* Of values as rows and formats take them (format/real.h). */
enum { STEP_REAL_BITS = 120 };

/* What steps work in; one thread's. */
struct stepper {
    mpfr_prec_t precision;
    mpfr_t points[MAX_OPERANDS];                    /* exact operands */
    mpfr_t result, cut;                             /* and the first 128 bits of one */
    struct interval intervals[1 + BRACKET_SCRATCH]; /* the first is the enclosure */
    struct value ends[2], magnitude;
    acb_t ball, image;
    mag_t bound;
};

void stepper_open(struct stepper *stepper, mpfr_prec_t precision);
void stepper_close(struct stepper *stepper);
void stepper_set_precision(struct stepper *stepper, mpfr_prec_t precision);

/* The row at its operands, where all of them are known exactly, or it has one operand. False where it is neither, or where
 * the row encloses what may be a fraction: then a rewriting may help (op/formula/functions.h). */
bool step_function(struct stepper *stepper, const struct operation *operation,
                   struct value *const *operands, struct value *y);

/* a^b, as pow has it. */
void step_power(struct stepper *stepper, struct value *a, struct value *b, struct value *y);

/* The lesser (direction -1) or the greater (1). */
void step_extremum(struct value *a, struct value *b, int direction, struct value *y);

/* Rounded to an integer, with the operand's sign. */
void step_to_integer(struct value *x, enum rounding rounding, struct value *y);

/* Rounded to a format, to nearest. */
void step_round(const struct format *format, struct value *x, struct value *y);

#endif

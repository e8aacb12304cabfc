/* What the families of functions share: the words in which their rows say things, and steps that
 * more than one family takes. op/operation.h says what each member of a row is for. */
#ifndef DETCHECK_OP_FUNCTION_FAMILY_H
#define DETCHECK_OP_FUNCTION_FAMILY_H

#include "op/families.h"
#include "op/function/arb_rule.h"
#include "op/function/pole_rule.h"
#include "op/function/section.h"

#include <math.h>

/* A list of asymptotes: ASYMPTOTES({RIGHT, LINE(1, 0), ASYMPTOTE_BELOW}, ...). The ranges and lines
 * below are written in place of a row's first and second two members. */
#define ASYMPTOTES(...)       ((const struct asymptote[]){__VA_ARGS__, {.side = ASYMPTOTE_END}})
#define WHOLE                 -INFINITY, INFINITY
#define LEFT                  -INFINITY, 0
#define RIGHT                 0, INFINITY
#define LINE(SLOPE, CONSTANT) .slope = SLOPE, .constant = CONSTANT

/* Whole rows of a list. The function increases or decreases beyond the largest number: */
#define OVERFLOWS_RIGHT                                                                            \
    { RIGHT, LINE(0, INFINITY), ASYMPTOTE_BELOW }
/* The domain ends there: */
#define NAN_BETWEEN(LOW, HIGH)                                                                     \
    { LOW, HIGH, LINE(0, NAN), ASYMPTOTE_EXACT }
#define NAN_OUTSIDE_UNIT NAN_BETWEEN(-INFINITY, -1), NAN_BETWEEN(1, INFINITY)

/* Integers by whose parity a power or a root has a sign, at the ends of what int16_t, int32_t, float and
 * double hold: whoever looks at the parity by way of one of these errs there. */
#define LARGE_INTEGERS                                                                             \
    "32767 32768 32769 16777215 2147483647 2147483648 2147483649 9007199254740991"

/* Where results overflow and underflow in fp16, fp32 and fp64, for functions that grow like e^x. */
#define EXP_ENDS                                                                                   \
    "11.090110718527 -9.7040605278392 -17.3286795139986 88.7228390818707 -87.3365447505531 "       \
    "-103.9720770839918 709.782712893384 -708.3964185322641 -745.1332191019412"

/* A constant that Arb keeps: arb_const_pi, arb_const_log2, arb_const_log10. */
typedef void constant_function(arb_t y, slong precision);

/* y = f(c x), and y = f(x) / c. */
void ball_of_multiple(arb_t y, const arb_t x, ball_function *f, constant_function *c,
                      slong precision);
void ball_over_constant(arb_t y, const arb_t x, ball_function *f, constant_function *c,
                        slong precision);

/* The same of complex numbers: f is analytic wherever y comes out finite. */
void analytic_of_multiple(acb_t y, const acb_t z, analytic_function *f, constant_function *c,
                          slong precision);
void analytic_over_constant(acb_t y, const acb_t z, analytic_function *f, constant_function *c,
                            slong precision);

/* f where `off_cuts` says that the ball keeps off its branch cuts; elsewhere not finite. */
void analytic_only_where(bool off_cuts, analytic_function *f, acb_t y, const acb_t z,
                         slong precision);
/* Whether |Re z| < 1 on all of the ball: the cuts of asin, acos and atanh begin at -1 and 1. */
bool within_unit(const acb_t z, slong precision);
/* Whether the ball keeps off the imaginary axis beyond -i and i: the cuts of atan and asinh. */
bool off_imaginary_cuts(const acb_t z, slong precision);

/* Makes y the square of that half-width around an integer: for functions whose magnitude an
 * inequality bounds in a few steps. */
void analytic_around(acb_t y, slong centre, const mag_t radius);

/* Of which several families are made: log.c, inverse.c, error_function.c, erfcx.c, probability.c,
 * gate.c. */
analytic_function analytic_log1p, analytic_atan, analytic_erfc, analytic_ndtr, analytic_sigmoid;
analytic_function analytic_softplus;
ball_function ball_sigmoid, ball_ndtr;
/* y = erfc(-x / 2^(1/2)) / 2 by MPFR; y is none of the first two of `scratch`. */
void bracket_ndtr(struct interval *y, mpfr_srcptr const *x, struct interval *scratch);
/* e^(t^2) erfc(t), of which the exact or enclosed square is given too. */
void ball_of_erfcx(arb_t y, const arb_t t, const arb_t square, slong precision);
/* y = 1 / (1 + e^-u) for an enclosed u. */
void bracket_gate(struct interval *y, const struct interval *u, struct interval *scratch);

/* Of x times a gate that rises from 0 through 1/2 at 0 to 1: silu, gelu, gelu_tanh. mish has the
 * special values too, but its gate is 3/5 at 0. */
extern const struct asymptote gate_asymptotes[];
special_function special_times_gate;

/* Of pair.c, for powr, pown, rootn and compoundn in power.c. The asymptotes of b^z for b > 1, where it rises, or
 * 0 < b < 1. */
enum { POWER_ASYMPTOTES = 4 };
void set_power_asymptotes(struct asymptote *asymptotes, bool rises);
bool open_powr(struct section *section);
void analytic_pow(acb_t y, const acb_t z, const arb_t fixed, slong precision);
ball_function_2 ball_pow;

/* The enclosure that Arb gives at the precision of y, for functions that MPFR lacks; those of two
 * operands may be asked for zeros. */
void bracket_of_ball(struct interval *y, mpfr_srcptr x, ball_function *ball);
void bracket_of_ball2(struct interval *y, mpfr_srcptr const *x, ball_function_2 *ball);

/* x to an integer: integral.c. */
struct real round_to_integer(const struct real *x, enum rounding rounding);
/* The pattern of that from the finite number on. */
struct code_pattern pattern_of_integers(const struct format *format, uint64_t code,
                                        enum rounding rounding);

/* For section_rule.open: sets the asymptotes, and that MPFR is nowhere needed. */
void section_set_asymptotes(struct section *section, const struct asymptote *asymptotes, int count);

/* For `special` hooks: sets *y and returns true. */
static inline bool decided(struct real *y, struct real value) {
    *y = value;
    return true;
}

#endif

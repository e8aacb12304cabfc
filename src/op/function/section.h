/* Functions of two operands with the first one fixed: functions of one operand, which the fast
 * oracle treats as such. A rule says for a fixed operand what a row says of a function of one
 * operand: its continuation (op/function/analytic.h) and its asymptotes (op/function/asymptote.h). */
#ifndef DETCHECK_OP_FUNCTION_SECTION_H
#define DETCHECK_OP_FUNCTION_SECTION_H

#include "op/function/arithmetic_function.h"
#include "op/function/asymptote.h"

#include <acb.h>
#include <stdbool.h>

enum { SECTION_ASYMPTOTES = 7 };

struct section {
    double fixed;  /* the first operand */
    int precision; /* bits of the operands' format */
    double least;  /* what the rule says is of second operands from this magnitude on */
    /* Below it the result is NaN off integers, and the rule says what it is at integers. Everywhere
     * it is that of the continuation where it is no NaN. */
    bool nan_off_integers;
    /* Then what the rule says is of |fixed|: at odd integers the result is the negative of that. They
     * all lie below `least`. */
    bool odd_negates;
    /* From this magnitude on there is no continuation; the least long long is of that size. */
    double most;
    struct asymptote asymptotes[SECTION_ASYMPTOTES]; /* ends with a row without a side */
};

struct section_rule {
    /* Where it is one, double arithmetic says everything of operands of the 16-bit formats, and
     * nothing else is asked of the rule; that may have nothing else. */
    enum arithmetic_function arithmetic;
    /* Fills `least` and `asymptotes` for the finite `fixed`; false where MPFR is to decide everything.
     * Where it is true, a NaN as second operand makes the result NaN. A NaN as first operand makes it
     * NaN for every finite second one other than 0, and is not asked about. */
    bool (*open)(struct section *section);
    /* As an analytic_function of the second operand. */
    void (*analytic)(acb_t y, const acb_t z, const arb_t fixed, slong precision);
};

#endif

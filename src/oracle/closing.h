/* Whether a ball of Arb's says what a result is. */
#ifndef DETCHECK_ORACLE_CLOSING_H
#define DETCHECK_ORACLE_CLOSING_H

#include <arb.h>
#include <mpfr.h>
#include <stdbool.h>

/* To work in. */
struct ball_closing {
    mpfr_t outer; /* of the precision of results */
    arf_t ends[2];
    mag_t magnitude;
};

void ball_closing_open(struct ball_closing *closing, int precision);
void ball_closing_close(struct ball_closing *closing);

/* Whether all reals of the ball truncate to the same bits, and are no number of as many bits themselves; then `result` is
 * that. Those that are large or small enough are decided by their size alone (op/function/interval.h). */
bool ball_closes(struct ball_closing *closing, arb_srcptr ball, mpfr_ptr result);

#endif

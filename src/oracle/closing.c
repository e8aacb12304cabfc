/* By the ends of the ball. */
#include "oracle/closing.h"

#include "op/function/interval.h"

enum { BALL_END_BITS = 1 << 12 };

void ball_closing_open(struct ball_closing *closing, int precision) {
    mpfr_init2(closing->outer, precision);
    for (int i = 0; i < 2; i++)
        arf_init(closing->ends[i]);
    mag_init(closing->magnitude);
}

void ball_closing_close(struct ball_closing *closing) {
    mpfr_clear(closing->outer);
    for (int i = 0; i < 2; i++)
        arf_clear(closing->ends[i]);
    mag_clear(closing->magnitude);
}

bool ball_closes(struct ball_closing *closing, arb_srcptr ball, mpfr_ptr result) {
    bool negative = arb_is_negative(ball);
    if (arf_is_pos_inf(arb_midref(ball)) && arb_is_exact(ball)) {
        mpfr_set_inf(result, 1);
        return true;
    }
    if (!arb_is_finite(ball) || (!negative && !arb_is_positive(ball)))
        return false;
    arb_get_mag(closing->magnitude, ball);
    if (mag_cmp_2exp_si(closing->magnitude, -INTERVAL_DECIDED_BY_SIZE) < 0) {
        mpfr_set_zero(result, negative ? -1 : 1);
        return true;
    }
    arb_get_mag_lower(closing->magnitude, ball);
    if (mag_cmp_2exp_si(closing->magnitude, INTERVAL_DECIDED_BY_SIZE) > 0) {
        mpfr_set_inf(result, negative ? -1 : 1);
        return true;
    }
    /* An end that lies beside a number of few bits must not be rounded to it. Outwards it is, where the
     * radius is far smaller than any that matters. */
    arb_get_lbound_arf(closing->ends[negative], ball, BALL_END_BITS);
    arb_get_ubound_arf(closing->ends[!negative], ball, BALL_END_BITS);
    bool between = arf_get_mpfr(result, closing->ends[0], MPFR_RNDZ) != 0;
    arf_get_mpfr(closing->outer, closing->ends[1], MPFR_RNDZ);
    return between && mpfr_equal_p(result, closing->outer);
}

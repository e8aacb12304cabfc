/* Gamma and its logarithm by Arb. */
#include "op/ball.h"

#include <arb_hypgeom.h>

void ball_tgamma(arb_t y, const arb_t x, slong precision) {
    if (arb_is_nonpositive(x) && arb_is_int(x))
        arb_indeterminate(y);
    else
        arb_hypgeom_gamma(y, x, precision);
}

/* Left of 0 as the logarithm of |gamma|, which loses bits around the zeros and no rigour. */
void ball_lgamma(arb_t y, const arb_t x, slong precision) {
    if (arb_is_positive(x)) {
        arb_hypgeom_lgamma(y, x, precision);
        return;
    }
    ball_tgamma(y, x, precision);
    arb_abs(y, y);
    arb_log(y, y, precision);
}

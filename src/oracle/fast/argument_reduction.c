/* The constants of the reduction, by MPFR. */
#include "oracle/fast/argument_reduction.h"

#include <mpfr.h>

enum { PRECISION = 512 };

struct argument_reduction argument_reduction_open(enum reduction_kind function, bool period_two,
                                                  int k) {
    struct argument_reduction reduction = {.function = function};
    mpfr_t value;
    mpfr_init2(value, PRECISION);
    if (period_two)
        mpfr_set_ui(value, 1, MPFR_RNDN);
    else
        mpfr_const_pi(value, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    mpfr_mul_2si(value, value, k - 1, MPFR_RNDN);
    mpfr_frac(value, value, MPFR_RNDZ);
    for (int i = 0; i < 4; i++) {
        mpfr_mul_2ui(value, value, 32, MPFR_RNDZ);
        reduction.constant[i] = (uint32_t)mpfr_get_uj(value, MPFR_RNDZ);
        mpfr_frac(value, value, MPFR_RNDZ);
    }
    mpfr_clear(value);
    return reduction;
}

/* The tables, by MPFR. */
#include "oracle/reflection.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

enum { PRECISION = 96 };

double *reflection_table(int bits) {
    uint32_t count = (uint32_t)1 << bits;
    double *table = malloc(count * sizeof *table);
    if (!table)
        return NULL;
    mpfr_t sine, pi;
    mpfr_init2(sine, PRECISION);
    mpfr_init2(pi, PRECISION);
    mpfr_const_pi(pi, MPFR_RNDN);
    table[0] = INFINITY;
    for (uint32_t r = 1; r <= count / 2; r++) {
        mpfr_set_ui_2exp(sine, r, -bits, MPFR_RNDN);
        mpfr_sinpi(sine, sine, MPFR_RNDN);
        mpfr_div(sine, pi, sine, MPFR_RNDN);
        mpfr_log(sine, sine, MPFR_RNDN);
        table[r] = table[count - r] = mpfr_get_d(sine, MPFR_RNDN);
    }
    mpfr_clear(sine);
    mpfr_clear(pi);
    return table;
}

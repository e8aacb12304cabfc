/* The table, by Arb, which is several times faster than MPFR here. */
#include "oracle/fast/reflection.h"

#include <arb.h>
#include <math.h>
#include <stdlib.h>

enum { PRECISION = 96 };

double *reflection_table(int bits) {
    uint32_t count = (uint32_t)1 << bits;
    double *table = malloc(count * sizeof *table);
    if (!table)
        return NULL;
    arb_t value, pi;
    arb_init(value);
    arb_init(pi);
    arb_const_pi(pi, PRECISION);
    table[0] = INFINITY;
    for (uint32_t r = 1; r <= count / 2; r++) {
        arb_set_ui(value, r);
        arb_mul_2exp_si(value, value, -bits);
        arb_sin_pi(value, value, PRECISION);
        arb_div(value, pi, value, PRECISION);
        arb_log(value, value, PRECISION);
        table[r] = table[count - r] = arf_get_d(arb_midref(value), ARF_RND_NEAR);
    }
    arb_clear(value);
    arb_clear(pi);
    return table;
}

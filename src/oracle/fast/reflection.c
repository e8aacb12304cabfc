/* The table. */
#include "oracle/fast/reflection.h"

#include "oracle/fast/logarithms.h"

#include <arb.h>
#include <math.h>
#include <stdlib.h>

enum { TERMS = 26, PRECISION = 64 };

/* zeta(2k) / k for k = 1, 2, ..., TERMS, rounded to double. */
static void make_coefficients(double *coefficients) {
    arb_t zeta;
    arb_init(zeta);
    for (ulong k = 1; k <= TERMS; k++) {
        arb_zeta_ui(zeta, 2 * k, PRECISION);
        arb_div_ui(zeta, zeta, k, PRECISION);
        coefficients[k - 1] = arf_get_d(arb_midref(zeta), ARF_RND_NEAR);
    }
    arb_clear(zeta);
}

double *reflection_table(int bits) {
    uint32_t count = (uint32_t)1 << bits, half = count / 2;
    double *table = malloc(count * sizeof *table), coefficients[TERMS];
    uint64_t *logarithms = malloc((half + 1) * sizeof *logarithms);
    if (table && logarithms) {
        make_coefficients(coefficients);
        make_logarithms(logarithms, half + 1);
        table[0] = INFINITY;
        for (uint32_t r = 1; r <= half; r++) {
            double d = (double)r / count, u = d * d, sum = coefficients[TERMS - 1];
            for (int k = TERMS - 2; k >= 0; k--)
                sum = sum * u + coefficients[k];
            uint64_t units = (uint64_t)bits * LN2_UNITS - logarithms[r] +
                             (uint64_t)(sum * u * (1 / LOGARITHM_UNIT));
            table[r] = table[count - r] = (double)units * LOGARITHM_UNIT;
        }
    } else {
        free(table);
        table = NULL;
    }
    free(logarithms);
    return table;
}

/* The tables, by MPFR. */
#include "oracle/poles.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

enum { PRECISION = 96 };

double *pole_table(bool before) {
    unsigned long count = 1UL << POLE_LOG2;
    double *table = malloc(count * sizeof *table);
    if (!table)
        return NULL;
    mpfr_t logarithm;
    mpfr_init2(logarithm, PRECISION);
    for (unsigned long i = 0; i < count; i++) {
        mpfr_log_ui(logarithm, before ? count - i : i, MPFR_RNDN);
        mpfr_neg(logarithm, logarithm, MPFR_RNDN);
        table[i] = mpfr_get_d(logarithm, MPFR_RNDN);
    }
    mpfr_clear(logarithm);
    return table;
}

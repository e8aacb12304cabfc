/* The table. */
#include "oracle/fast/poles.h"

#include "oracle/fast/logarithms.h"

#include <math.h>
#include <stdlib.h>

double *pole_table(int bits) {
    uint32_t last = (uint32_t)1 << bits;
    double *table = malloc((last + 1) * sizeof *table);
    uint64_t *logarithms = malloc((last + 1) * sizeof *logarithms);
    if (table && logarithms) {
        make_logarithms(logarithms, last + 1);
        table[0] = INFINITY;
        for (uint32_t i = 1; i <= last; i++)
            table[i] = -(double)logarithms[i] * LOGARITHM_UNIT;
    } else {
        free(table);
        table = NULL;
    }
    free(logarithms);
    return table;
}

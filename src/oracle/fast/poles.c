/* The tables, by Arb. */
#include "oracle/fast/poles.h"

#include <arb.h>
#include <math.h>
#include <stdlib.h>

enum { PRECISION = 96 };

double *pole_table(bool before) {
    ulong count = (ulong)1 << POLE_LOG2;
    double *table = malloc(count * sizeof *table);
    if (!table)
        return NULL;
    arb_t logarithm;
    arb_init(logarithm);
    table[0] = INFINITY;
    for (ulong i = before ? 0 : 1; i < count; i++) {
        arb_log_ui(logarithm, before ? count - i : i, PRECISION);
        table[i] = -arf_get_d(arb_midref(logarithm), ARF_RND_NEAR);
    }
    arb_clear(logarithm);
    return table;
}

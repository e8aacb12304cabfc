/* Making nodes, and inverting their matrices. */
#include "oracle/fast/nodes.h"

#include "base/bits.h"

#include <math.h>
#include <stdlib.h>

/* Chebyshev nodes, rounded to multiples of 2^-bits. By MPFR's cosine: the platform's is not asked. */
static void make_nodes(struct node_set *set, int bits, int n) {
    mpfr_t angle;
    mpfr_init2(angle, 64);
    for (int k = 0; k < n; k++) {
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, (unsigned long)(2 * k + 1), MPFR_RNDN);
        mpfr_div_ui(angle, angle, (unsigned long)(2 * n), MPFR_RNDN);
        mpfr_cos(angle, angle, MPFR_RNDN);
        mpfr_mul_2ui(angle, angle, (unsigned long)bits, MPFR_RNDN);
        mpfr_rint_round(angle, angle, MPFR_RNDN);
        mpfr_div_2ui(angle, angle, (unsigned long)bits, MPFR_RNDN);
        set->nodes[k] = mpfr_get_d(angle, MPFR_RNDN);
    }
    mpfr_clear(angle);
}

/* Column k of the inverse holds the coefficients of the Lagrange polynomial of node k. */
static void make_inverse(struct node_set *set, int n) {
    mpfr_t product;
    mpfr_init2(product, NODE_MATRIX_PRECISION);
    for (int i = 0; i < n * n; i++) {
        mpfr_init2(set->inverse[i], NODE_MATRIX_PRECISION);
        mpfr_set_zero(set->inverse[i], 1);
    }
    for (int k = 0; k < n; k++) {
        mpfr_t *column = &set->inverse[k]; /* coefficient j at column[j * n] */
        mpfr_set_ui(column[0], 1, MPFR_RNDN);
        int degree = 0;
        for (int other = 0; other < n; other++) {
            if (other == k)
                continue;
            double node = set->nodes[other], gap = set->nodes[k] - node;
            degree++;
            for (int j = degree; j >= 0; j--) {
                mpfr_mul_d(product, column[j * n], -node, MPFR_RNDN);
                if (j > 0)
                    mpfr_add(product, product, column[(j - 1) * n], MPFR_RNDN);
                mpfr_div_d(column[j * n], product, gap, MPFR_RNDN);
            }
        }
    }
    mpfr_clear(product);
}

/* What fit.h wants of nodes in fp64. */
static void measure_nodes(struct node_set *set, int bits, int n) {
    double moved = (double)(n * n * n) * power_of_two(-bits - 1), term = 1, factor = 1, sum = 0;
    for (int m = 1; m <= n; m++) {
        term *= moved / (m * m);
        factor += term;
    }
    set->extra = factor < 1.003 ? 0 : (int)(bits_of(factor) >> 52) - 1022;
    for (int k = 1; k < n; k++)
        set->usable = set->usable && set->nodes[k] < set->nodes[k - 1];
    for (int i = 0; i < n * n && set->usable; i++)
        sum += fabs(mpfr_get_d(set->inverse[i], MPFR_RNDA));
    set->usable = set->usable && sum < 0x1p17;
}

struct node_set *node_set_open(int bits, int n, bool wide) {
    struct node_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->usable = true;
    make_nodes(set, bits, n);
    make_inverse(set, n);
    if (wide)
        measure_nodes(set, bits, n);
    return set;
}

void node_set_close(struct node_set *set, int n) {
    for (int i = 0; set && i < n * n; i++)
        mpfr_clear(set->inverse[i]);
    free(set);
}

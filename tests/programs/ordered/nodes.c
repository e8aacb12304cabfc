/* Additions of several terms at once. */
#include "arithmetic.h"

#include <float.h>
#include <limits.h>

/* Nodes of several terms, the accumulator among them: aligned to the largest exponent, cut to so many bits below it, added
 * exactly, cut to fp32; a zero is +0. Exponents of products are those of their factors. */
struct term {
    double value;
    int exponent;
};

static struct term term_of(float x) {
    const int exponent = x != 0 && isfinite(x) ? ilogbf(x) : FLT_MIN_EXP - 1;
    return (struct term){(double)x, exponent < FLT_MIN_EXP - 1 ? FLT_MIN_EXP - 1 : exponent};
}

static struct term product_of(float x, float y) {
    return (struct term){(double)x * y, term_of(x).exponent + term_of(y).exponent};
}

/* Of a term that is cut a sticky bit below its last one may be set. */
static float node_of(const struct term *terms, size_t count, int bits, int sticky) {
    int most = INT_MIN;
    int64_t sum = 0;
    double plain = 0;
    for (size_t i = 0; i < count; i++) {
        most = terms[i].value != 0 && terms[i].exponent > most ? terms[i].exponent : most;
        plain += terms[i].value;
    }
    if (most == INT_MIN || !isfinite(plain))
        return (float)(isfinite(plain) ? 0 : plain);
    for (size_t i = 0; i < count; i++) {
        const double scaled = ldexp(terms[i].value, bits - most), whole = trunc(scaled);
        sum += (int64_t)whole * (1 + sticky);
        sum += sticky && scaled != whole ? (scaled < 0 ? -1 : 1) : 0;
    }
    double cut = narrow(ldexp((double)sum, most - bits - sticky), 24, -149, 1);
    return (float)(cut == 0                      ? 0
                   : fabs(cut) > (double)FLT_MAX ? copysign((double)FLT_MAX, cut)
                                                 : cut);
}

enum { MOST_TERMS = 16 };
#define NODES(NAME, ARGUMENTS, TERM, TERMS, BITS, STICKY)                                          \
    float NAME ARGUMENTS {                                                                         \
        struct term terms[MOST_TERMS + 1] = {{0}};                                                 \
        for (size_t i = 0, count; i < n; i += TERMS) {                                             \
            for (count = 0; count < TERMS && i + count < n; count++)                               \
                terms[1 + count] = TERM(i + count);                                                \
            terms[0] = term_of(node_of(terms, 1 + count, BITS, STICKY));                           \
        }                                                                                          \
        return (float)terms[0].value;                                                              \
    }
#define ONE(I)     term_of(x[I])
#define FUSED(I)   product_of(x[I], y[I])
#define ROUNDED(I) term_of(x[I] * y[I])
#define SUM_OF     (const float *x, size_t n)
#define DOT_OF     (const float *x, const float *y, size_t n)
NODES(sum_nodes_8_24, SUM_OF, ONE, 8, 24, 0)
NODES(sum_nodes_8_25, SUM_OF, ONE, 8, 25, 0)
NODES(sum_nodes_8_sticky, SUM_OF, ONE, 8, 24, 1)
NODES(sum_nodes_16_24, SUM_OF, ONE, 16, 24, 0)
NODES(sum_nodes_16_25, SUM_OF, ONE, 16, 25, 0)
NODES(dot_nodes_4_fused, DOT_OF, FUSED, 4, 24, 0)
NODES(dot_nodes_4_rounded, DOT_OF, ROUNDED, 4, 24, 0)

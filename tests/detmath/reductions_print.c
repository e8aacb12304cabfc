/* Prints a hash of what sums, scans and softmax of detmath give, for each function and type: what a
 * compiler and its options make of reductions.h and exact_sum.h. C11 and C++17; includes nothing
 * else but the C standard library. */
#include "detmath/exact_sum.h"
#include "detmath/log_softmax_gradient_blocks.h"
#include "detmath/random.h"
#include "detmath/reductions.h"

#include "print.h"

enum { MOST = 2600 };
static const int lengths[] = {1, 2, 31, 33, 64, 65, 127, 1000, 1024, 1025, 2049, 2600};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static float x32[MOST], w32[MOST], y32[MOST];
static double x64[MOST], w64[MOST], y64[MOST];

static void add_all(const float *a, const double *b, int n) {
    for (int i = 0; i < n; i++) {
        add_bits(detmath_bits_f32(a[i]), 4);
        add_bits(detmath_bits_f64(b[i]), 8);
    }
}

/* Numbers of many sizes, and a few that are special. */
static void draw(int kind) {
    for (int i = 0; i < MOST; i++) {
        detmath_u64 bits = detmath_random(1 + (detmath_u64)kind, (detmath_u64)i);
        double unit = (double)(bits >> 11) * 0x1p-53;
        x64[i] = kind == 0   ? 8 * unit - 4
                 : kind == 1 ? (unit - 0.5) * detmath_power_of_two((detmath_i64)(bits & 63) - 32)
                             : (double)i * 0.0625 - 80 + unit;
        if (kind == 2 && i % 100 < 40)
            x64[i] = detmath_from_bits_f64(0xfff0000000000000u);
        w64[i] = 1 - unit;
        x32[i] = (float)x64[i];
        w32[i] = (float)w64[i];
    }
}

#define SUM(NAME)                                                                                  \
    for (int i = 0; i < LENGTHS; i++) {                                                            \
        float a = detmath_##NAME##f(x32, (detmath_u64)lengths[i]);                                 \
        double b = detmath_##NAME(x64, (detmath_u64)lengths[i]);                                   \
        add_all(&a, &b, 1);                                                                        \
    }
#define DOT(NAME)                                                                                  \
    for (int i = 0; i < LENGTHS; i++) {                                                            \
        float a = detmath_##NAME##f(x32, w32, (detmath_u64)lengths[i]);                            \
        double b = detmath_##NAME(x64, w64, (detmath_u64)lengths[i]);                              \
        add_all(&a, &b, 1);                                                                        \
    }
#define SCAN(NAME)                                                                                 \
    for (int i = 0; i < LENGTHS; i++) {                                                            \
        detmath_##NAME##f(y32, x32, (detmath_u64)lengths[i]);                                      \
        detmath_##NAME(y64, x64, (detmath_u64)lengths[i]);                                         \
        add_all(y32, y64, lengths[i]);                                                             \
    }
static struct detmath_log_prefix prefixes[MOST];
#define GRADIENT(NAME)                                                                             \
    for (int i = 0; i < LENGTHS; i++) {                                                            \
        detmath_##NAME##f(y32, x32, w32, (detmath_u64)lengths[i], prefixes);                       \
        detmath_##NAME(y64, x64, w64, (detmath_u64)lengths[i], prefixes);                          \
        add_all(y32, y64, lengths[i]);                                                             \
    }
#define SHARE_GRADIENT(NAME)                                                                       \
    for (int i = 0; i < LENGTHS; i++) {                                                            \
        detmath_##NAME##f(y32, x32, w32, (detmath_u64)lengths[i]);                                 \
        detmath_##NAME(y64, x64, w64, (detmath_u64)lengths[i]);                                    \
        add_all(y32, y64, lengths[i]);                                                             \
    }
/* Of three kinds of numbers. */
#define OF_KINDS(KIND, NAME)                                                                       \
    PRINT(                                                                                         \
        "", #NAME, for (int kind = 0; kind < 3; kind++) {                                          \
            draw(kind);                                                                            \
            KIND(NAME)                                                                             \
        })

static void matrices(void) {
    detmath_matmulf(y32, x32, w32, 3, 17, 19);
    detmath_matmul(y64, x64, w64, 3, 17, 19);
    add_all(y32, y64, 57);
}
#define MATRICES(NAME) matrices();

int main(void) {
    OF_KINDS(SUM, sum)
    OF_KINDS(SUM, mean)
    OF_KINDS(SUM, logsumexp)
    OF_KINDS(DOT, dot)
    OF_KINDS(SCAN, cumsum)
    OF_KINDS(SCAN, logcumsumexp)
    OF_KINDS(SCAN, softmax)
    OF_KINDS(SCAN, log_softmax)
    OF_KINDS(SUM, cr_sum)
    OF_KINDS(SUM, cr_mean)
    OF_KINDS(DOT, cr_dot)
    OF_KINDS(MATRICES, matmul)
    OF_KINDS(GRADIENT, logcumsumexp_gradient)
    OF_KINDS(SHARE_GRADIENT, logsumexp_gradient)
    OF_KINDS(SHARE_GRADIENT, log_softmax_gradient)
    return 0;
}

/* Gradients of gates: the bound that gate_gradients.h states, by doubles, and what is infinite, NaN or 0. */
#include "training_draws.h"

#include <string.h>

DRAWN_ARRAYS;
static float g[ROWS * MOST];

/* The slope of an activation, by doubles. */
static double slope_of(int which, double v) {
    if (which == DETMATH_GELU)
        return erfc(-v / sqrt(2)) / 2 + v * exp(-v * v / 2) / sqrt(2 * acos(-1));
    const double root = 2 * sqrt(2 / acos(-1)),
                 inner = which == DETMATH_SILU ? v : root * (v + 0.044715 * v * v * v),
                 by = which == DETMATH_SILU ? 1 : root * (1 + 3 * 0.044715 * v * v),
                 gate = 1 / (1 + exp(-inner));
    return gate + v * gate * (1 - gate) * by;
}

/* The bound of gate_gradients.h, where dx is a normal number. */
static void assert_in_bound(int which, double v, double got, double want, double factor) {
    static const double beside[] = {0x1p-35, 0x1p-28, 0x1p-34};
    if (fabs(want) >= 0x1p-126 && fabs(want) < 0x1p127)
        assert_true(fabs(got - want) <=
                    ldexp(0.65, ilogb(want) - 23) + (v < -2 ? 0 : beside[which] * fabs(factor)));
}

/* A number of fp16 or bf16 for each of its 65,536 bits, then drawn numbers, half of them beside the zero of the slope. */
static float place_of(int which, size_t i) {
    static const float zeros[] = {-1.2784645f, -0.7517916f, -0.7524614f};
    if (i < 65536) {
        const int exponent = (int)(i >> 10 & 31), fraction = (int)(i & 1023);
        const float size = exponent == 31 ? INFINITY
                                          : ldexpf((float)(exponent ? fraction + 1024 : fraction),
                                                   (exponent ? exponent : 1) - 25);
        return i >> 15 ? -size : size;
    }
    if (i < 2 * 65536) {
        const uint32_t bits = (uint32_t)(i - 65536) << 16;
        float number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    return i % 2 ? zeros[which] + ldexpf(draw(), -(int)(random_bits(&seed) % 24)) : 4 * draw();
}

static void test_bound(void **state) {
    enum { N = 1 << 14, BATCHES = 12 };
    static float v[N], u[N], by[N], dx[N], du[N];
    const size_t n = N;
    const struct detmath_strided in = plain(v, 1, &n), factors = plain(u, 1, &n),
                                 slopes = plain(by, 1, &n), of_x = plain(dx, 1, &n),
                                 of_u = plain(du, 1, &n);
    (void)state;
    for (int which = DETMATH_SILU; which <= DETMATH_GELU_TANH; which++) {
        const double least = which == DETMATH_SILU ? -120 : which == DETMATH_GELU ? -14.45 : -10.85;
        size_t checked = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            for (size_t i = 0; i < N; i++) {
                v[i] = place_of(which, (size_t)batch * N + i);
                u[i] = ldexpf(draw(), (int)(random_bits(&seed) % 80));
                by[i] = ldexpf(draw(), (int)(random_bits(&seed) % 80) - 40);
            }
            assert_int_equal(detmath_gate_gradient((enum detmath_gate)which, &of_x, &of_u, &in,
                                                   &factors, &slopes),
                             0);
            for (size_t i = 0; i < N; i++) {
                const double factor = (double)u[i] * by[i];
                if (!isfinite(v[i]) || fabsf(v[i]) > 200)
                    continue;
                if (v[i] < (float)least)
                    assert_true(dx[i] == 0);
                else
                    assert_in_bound(which, v[i], dx[i], factor * slope_of(which, v[i]), factor);
                checked++;
            }
        }
        assert_true(checked > 130000);
    }
}

/* Of two arrays and of halves; dx by doubles, du by the gate itself. */
static void test_gradients_of_gates(void **state) {
    (void)state;
    for (int which = DETMATH_SILU; which <= DETMATH_GELU_TANH; which++) {
        enum { N = 1999 };
        const enum detmath_gate gate = (enum detmath_gate)which;
        const size_t n = N, both = 2 * N;
        float *u = x + N;
        const struct detmath_strided in = plain(x, 1, &n), by = plain(u, 1, &n),
                                     slopes = plain(g, 1, &n), of_x = plain(y, 1, &n),
                                     of_u = plain(y + N, 1, &n), product = plain(w, 1, &n),
                                     whole = plain(x, 1, &both), out = plain(z, 1, &both);
        fill(x, 2 * N);
        fill(g, N);
        assert_int_equal(detmath_gate_gradient(gate, &of_x, &of_u, &in, &by, &slopes), 0);
        assert_int_equal(detmath_gate(gate, &product, &in, &slopes), 0);
        assert_memory_equal(w, y + N, N * sizeof *w);
        for (size_t i = 0; i < N; i++) {
            const double factor = (double)g[i] * u[i], want = factor * slope_of(which, x[i]);
            assert_in_bound(which, x[i], y[i], want, factor);
        }
        assert_int_equal(detmath_gate_gradient_along(gate, &out, &whole, &slopes, 0, 0), 0);
        assert_memory_equal(z, y, 2 * N * sizeof *z);
        assert_int_equal(detmath_gate_gradient(gate, &in, &by, &in, &by, &slopes), 0);
        assert_memory_equal(x, y, 2 * N * sizeof *x);
        assert_int_equal(detmath_gate_gradient(gate, &of_x, &of_x, &in, &by, &slopes),
                         DETMATH_TROUBLE_OVERLAP);
    }
}

/* What is infinite, NaN or 0. */
static void test_gates_at_the_ends(void **state) {
    static const float ends[][5] = {{INFINITY, 3, 5, 15, INFINITY},
                                    {-INFINITY, 3, 5, -0.0f, -0.0f},
                                    {0, 3, 5, 7.5f, 0},
                                    {NAN, 3, 5, NAN, NAN},
                                    {1, 0, INFINITY, NAN, INFINITY},
                                    {-8, INFINITY, 2, -INFINITY, 0}};
    const size_t one = 1;
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int which = DETMATH_SILU; which <= DETMATH_GELU_TANH; which++) {
            float in[3] = {ends[i][0], ends[i][1], ends[i][2]}, out[2];
            const struct detmath_strided a = plain(in, 1, &one), b = plain(in + 1, 1, &one),
                                         c = plain(in + 2, 1, &one), of_a = plain(out, 1, &one),
                                         of_b = plain(out + 1, 1, &one);
            assert_int_equal(
                detmath_gate_gradient((enum detmath_gate)which, &of_a, &of_b, &a, &b, &c), 0);
            assert_true(isnan(ends[i][3])
                            ? isnan(out[0])
                            : out[0] == ends[i][3] && !signbit(out[0]) == !signbit(ends[i][3]));
            assert_true(isnan(ends[i][4]) ? isnan(out[1]) : in[0] == -8 || out[1] == ends[i][4]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_gradients_of_gates),
        cmocka_unit_test(test_gates_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

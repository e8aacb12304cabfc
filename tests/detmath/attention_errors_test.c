/* How far attention is from the exact result, computed by long double: within the bound of attention.h, and within 1 ulp of
 * elements that are well-conditioned. */
#include "attention_calls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5000, WIDTH = 20 };
static float q[WIDTH], k[MOST * WIDTH], v[MOST * WIDTH], y[WIDTH];

/* What the exact scores and values of a query say of element d. */
struct element {
    long double y, weight; /* what is divided, and the sum of weights */
    long double spread;    /* the sum of p |v - y| */
    long double condition; /* with respect to relative changes of q, k, v and the scale */
    long double largest;   /* of |v| */
};

/* Exact scores, and sums of the magnitudes of their terms. */
static long double scores[MOST], terms[MOST];

static struct element element_of(const float *values, size_t step, size_t n) {
    struct element it = {0, 0, 0, 0, 0};
    long double top = -INFINITY, sizes = 0, slopes = 0;
    for (size_t j = 0; j < n; j++)
        top = fmaxl(top, scores[j]);
    for (size_t j = 0; j < n; j++) {
        const long double e = expl(scores[j] - top), value = (long double)values[j * step];
        it.weight += e;
        it.y += e * value;
        sizes += e * fabsl(value);
        it.largest = fmaxl(it.largest, fabsl(value));
    }
    it.y /= it.weight;
    for (size_t j = 0; j < n; j++) {
        const long double far = expl(scores[j] - top) * fabsl((long double)values[j * step] - it.y);
        it.spread += far / it.weight;
        slopes += far * terms[j];
    }
    it.condition = (sizes + 3 * slopes) / it.weight / fabsl(it.y);
    return it;
}

static long double ulp_of(long double x) {
    int exponent;
    (void)frexpl(x, &exponent);
    return ldexpl(1, exponent - 24);
}

/* Scores of a query with keys of so many elements. */
static void score(const float *query, const float *keys, size_t width, size_t n, float scale) {
    for (size_t j = 0; j < n; j++) {
        scores[j] = terms[j] = 0;
        for (size_t d = 0; d < width; d++) {
            const long double term = (long double)query[d] * keys[j * width + d] * scale;
            scores[j] += term;
            terms[j] += fabsl(term);
        }
    }
}

static long double largest_of(const float *numbers, size_t n) {
    long double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxl(largest, fabsl((long double)numbers[i]));
    return largest;
}

/* The bound of attention.h on what an element is off by beside half an ulp; `score` is what scores may be off by beside it. */
static long double bound_of(const struct element *it, size_t width, size_t n, long double scores_of,
                            long double score_error) {
    long double padded = 1, levels = 0;
    while (padded < (long double)width)
        padded *= 2;
    for (size_t blocks = (n + 63) / 64; blocks > 1; blocks = (blocks + 1) / 2)
        levels++;
    return it->largest * 0x1p-29L +
           it->spread * ((1 + levels) * 0x1p-29L + padded * padded * padded * 0x1p-47L * scores_of +
                         score_error);
}

/* Within what attention.h says; with a mask, with ALiBi, and with a soft cap too. */
static void check_bound(size_t n, float *bias, float soft_cap, int which) {
    const struct detmath_attention_options options = {
        .scale = 0.25f, .soft_cap = soft_cap, .bias = which};
    const struct attention_call call = {y, q, k, v, bias, 1, n, WIDTH};
    long double largest_score = 0;
    fill(q, WIDTH);
    if (bias)
        fill(bias, n);
    if (which == DETMATH_BIAS_ALIBI)
        bias[0] = 3 / (float)n;
    assert_int_equal(attend_with(&call, &options), 0);
    score(q, k, WIDTH, n, 0.25f);
    for (size_t j = 0; j < n; j++) {
        const long double added = !bias ? 0
                                  : which == DETMATH_BIAS_ALIBI
                                      ? -(long double)bias[0] * (n - 1 - j)
                                      : (long double)bias[j];
        largest_score = fmaxl(largest_score, fabsl(scores[j]));
        if (soft_cap != 0)
            scores[j] = soft_cap * tanhl(scores[j] / soft_cap);
        scores[j] += added;
    }
    for (size_t d = 0; d < WIDTH; d++) {
        const struct element it = element_of(v + d, WIDTH, n);
        const long double score_error =
            soft_cap != 0 ? largest_score * 0x1p-27L + soft_cap * 0x1p-43L : 0;
        const long double bound = bound_of(
            &it, WIDTH, n, 0.25L * largest_of(q, WIDTH) * largest_of(k, n * WIDTH), score_error);
        assert_true(fabsl(y[d] - it.y) <= ulp_of(it.y) / 2 + bound);
    }
}

static void test_errors_are_within_the_bound(void **state) {
    static float bias[MOST];
    (void)state;
    fill(k, MOST * WIDTH);
    fill(v, MOST * WIDTH);
    for (size_t n = 1; n <= MOST; n = n < 512 ? n + 1 : n * 5 / 4)
        check_bound(n, NULL, 0, DETMATH_BIAS_NONE);
    for (size_t n = 1; n <= MOST; n = n * 3 / 2 + 1) {
        check_bound(n, bias, 0, DETMATH_BIAS_MASK);
        check_bound(n, bias, 1.5f, DETMATH_BIAS_MASK);
        check_bound(n, bias, 30.0f, DETMATH_BIAS_MASK);
        check_bound(n, bias, 0, DETMATH_BIAS_ALIBI);
    }
}

static float normal(void) {
    const double a = 1 - (double)(random_bits(&seed) >> 11) * 0x1p-53,
                 b = (double)(random_bits(&seed) >> 11) * 0x1p-53;
    return (float)(sqrt(-2 * log(a)) * cos(6.283185307179586 * b));
}

/* Values by which elements have conditions near 1 (ratios of 2 and of 16, alike, of widely different sizes, few that are not 0)
 * and any. */
static float value_of(int which) {
    const float x = normal();
    switch (which) {
    case 0:
        return 1 + (float)(random_bits(&seed) >> 41) * 0x1p-23f;
    case 1:
        return expf(x);
    case 2:
        return 1 + ldexpf(x, -6);
    case 3:
        return random_bits(&seed) % 16 ? 0.001f * x : expf(3 * x);
    case 4:
        return random_bits(&seed) % 4 ? 0 : 1 + x * x;
    default:
        return x;
    }
}

/* What the errors of elements whose condition is at most 2, and at most 4, were. */
struct seen {
    size_t elements;
    double most, total;
};

static void see_row(struct seen seen[2], size_t width, size_t n, int which) {
    static float own_q[128], own_k[4096 * 128], own_v[4096 * 128], own_y[128];
    const struct attention_call call = {own_y, own_q, own_k, own_v, NULL, 1, n, width};
    const struct detmath_attention_options options = {.scale = 1 / sqrtf((float)width)};
    const float size = which % 3 == 0 ? 0.1f : which % 3 == 1 ? 1.0f : 4.0f;
    const int has_signs = which % 4 != 3; /* else products do not cancel */
    for (size_t d = 0; d < width; d++)
        own_q[d] = has_signs ? size * normal() : fabsf(normal());
    for (size_t i = 0; i < n * width; i++) {
        own_k[i] = has_signs ? normal() : 0.2f * fabsf(normal());
        own_v[i] = value_of(which % 6);
    }
    assert_int_equal(attend_with(&call, &options), 0);
    score(own_q, own_k, width, n, options.scale);
    for (size_t d = 0; d < width; d++) {
        const struct element it = element_of(own_v + d, width, n);
        const double error = (double)(fabsl(own_y[d] - it.y) / ulp_of(it.y));
        for (int i = 0; i < 2; i++)
            if (it.condition <= 2 + 2 * i) {
                seen[i].elements++;
                seen[i].total += error;
                seen[i].most = error > seen[i].most ? error : seen[i].most;
            }
    }
}

/* Within 1 ulp where the condition is at most 2. */
static void test_errors_where_it_is_well_conditioned(void **state) {
    static const size_t lengths[] = {1, 2, 3, 7, 16, 64, 65, 256, 1024, 4096},
                        widths[] = {8, 64, 128};
    struct seen seen[2] = {{0, 0, 0}, {0, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int which = 0; which < (lengths[i] < 1000   ? 24
                                         : lengths[i] < 4000 ? 6
                                                             : 2);
                 which++)
                see_row(seen, widths[w], lengths[i], which);
    for (int i = 0; i < 2; i++)
        print_message("condition at most %d: %zu elements, at most %.3f ulp, %.3f in the mean\n",
                      2 + 2 * i, seen[i].elements, seen[i].most,
                      seen[i].total / (double)seen[i].elements);
    assert_true(seen[0].elements > 10000 && seen[0].most <= 1 && seen[1].most <= 1);
}

/* Weights of every `step`-th reduced argument, with low parts and powers of two, are off by at most 2^-29 of themselves. */
static uint32_t argument_step = 1009;

static void test_errors_of_weights(void **state) {
    double most = 0;
    size_t count = 0;
    (void)state;
    for (uint32_t bits = 0x39000000; bits < 0x3eb20000; bits += argument_step, count++)
        for (int sign = -1; sign < 2; sign += 2) {
            const double r = sign * (double)detmath_from_bits_f32(bits),
                         d = r - (double)(1 + count % 56) * 0x1.62e42fefa39efp-1;
            const struct detmath_parts x = {(float)d, (float)(d - (double)(float)d)},
                                       w = detmath_attention_weight(x, 0),
                                       near = detmath_attention_near_weight(x, 0);
            const double exact = exp((double)x.high + (double)x.low),
                         error = fabs((double)w.high + (double)w.low - exact) / exact;
            assert_true(w.high == near.high && w.low == near.low);
            most = error > most ? error : most;
        }
    print_message("%zu weights are off by 2^%.2f of themselves at most\n", 2 * count, log2(most));
    assert_true(most <= 0x1p-29);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors_of_weights),
                                       cmocka_unit_test(test_errors_are_within_the_bound),
                                       cmocka_unit_test(test_errors_where_it_is_well_conditioned)};
    argument_step = argc > 1 && !strcmp(argv[1], "all") ? 1 : argument_step;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

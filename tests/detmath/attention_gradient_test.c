/* Gradients of attention: the same bits by all instruction sets and by the headers alone, and what a query or a key has does not depend
 * on others. attention_gradient_errors_test.c has how far they are off. */
#include "training_draws.h"

#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"

#include <string.h>

enum { HEADS = 4, GROUPS = 2, QUERIES = 7, KEYS = 11, WIDTH = 6, VALUES = 5 };

struct arrays {
    float q[HEADS * QUERIES * WIDTH], k[GROUPS * KEYS * WIDTH], v[GROUPS * KEYS * VALUES],
        g[HEADS * QUERIES * VALUES], slopes[HEADS];
};
struct slopes {
    float q[HEADS * QUERIES * WIDTH], k[GROUPS * KEYS * WIDTH], v[GROUPS * KEYS * VALUES];
};

static const size_t of_q[4] = {1, HEADS, QUERIES, WIDTH}, of_k[4] = {1, GROUPS, KEYS, WIDTH},
                    of_v[4] = {1, GROUPS, KEYS, VALUES}, of_g[4] = {1, HEADS, QUERIES, VALUES};

static int run(struct slopes *out, struct arrays *in,
               const struct detmath_attention_options *options) {
    const size_t heads = HEADS;
    const struct detmath_strided dq = plain(out->q, 4, of_q), dk = plain(out->k, 4, of_k),
                                 dv = plain(out->v, 4, of_v), q = plain(in->q, 4, of_q),
                                 k = plain(in->k, 4, of_k), v = plain(in->v, 4, of_v),
                                 g = plain(in->g, 4, of_g), bias = plain(in->slopes, 1, &heads);
    return detmath_attention_gradient(&dq, &dk, &dv, &q, &k, &v, &g, options->bias ? &bias : NULL,
                                      options);
}

static void draw_all(struct arrays *in) {
    fill(in->q, sizeof in->q / sizeof *in->q);
    fill(in->k, sizeof in->k / sizeof *in->k);
    fill(in->v, sizeof in->v / sizeof *in->v);
    fill(in->g, sizeof in->g / sizeof *in->g);
    for (int i = 0; i < HEADS; i++)
        in->slopes[i] = ldexpf(1, -i);
}

/* dq of a query with all keys of its group, by the functions of the headers alone. */
static void find_dq(float *to, const struct arrays *in,
                    const struct detmath_attention_options *options, size_t row) {
    const struct detmath_attention_scoring scoring = {options->scale, options->soft_cap};
    const float inverse = options->soft_cap != 0 ? detmath_recipf(options->soft_cap) : 0;
    const size_t group = row / QUERIES / (HEADS / GROUPS);
    const float *k = in->k + group * KEYS * WIDTH, *v = in->v + group * KEYS * VALUES;
    float s[KEYS], s_low[KEYS], d[KEYS], d_low[KEYS], slope[KEYS], slope_low[KEYS],
        sum[WIDTH] = {0}, low[WIDTH] = {0};
    const int has_cap = options->soft_cap != 0, has_bias = options->bias != 0;
    const struct detmath_attention_slopes slopes = {
        s, s_low, d, d_low, has_cap ? slope : NULL, has_cap ? slope_low : NULL};
    for (size_t j = 0; j < KEYS; j++) {
        const detmath_i64 behind = (detmath_i64)(j + QUERIES) - (detmath_i64)(row % QUERIES + KEYS);
        struct detmath_parts x = detmath_attention_products(in->q + row * WIDTH, k + j * WIDTH,
                                                            WIDTH, 1),
                             factor;
        x = detmath_attention_settled_number(detmath_attention_score_slope(
            &scoring, x.high, x.low, inverse,
            detmath_attention_alibi(has_bias ? in->slopes[row / QUERIES] : 0, behind), has_bias,
            &factor));
        s[j] = x.high;
        s_low[j] = x.low;
        slope[j] = factor.high;
        slope_low[j] = factor.low;
        x = detmath_attention_settled_number(
            detmath_attention_products(in->g + row * VALUES, v + j * VALUES, VALUES, 1));
        d[j] = x.high;
        d_low[j] = x.low;
    }
    const struct detmath_attention_share share = detmath_attention_share_of(&slopes, KEYS);
    for (size_t j = 0; j < KEYS; j++) {
        detmath_attention_slope_of(&slopes, j, &share);
        const struct detmath_parts a = {d[j], d_low[j]};
        detmath_attention_gather(sum, low, a, k + j * WIDTH, WIDTH, j);
    }
    for (size_t i = 0; i < WIDTH; i++)
        to[i] = detmath_attention_gathered(sum[i], low[i], options->scale);
}

/* All instruction sets have the bits of the headers, of dq, and the same bits of dk and dv. */
static void test_instruction_sets_have_the_same_bits(void **state) {
    static struct arrays in;
    static struct slopes out, other;
    struct detmath_level level;
    const char *names[8];
    int levels = 0;
    (void)state;
    for (int index = 0; levels < 8 && detmath_level(index, &level); index++)
        if (level.reductions)
            names[levels++] = level.name;
    for (int round = 0; round < 40; round++) {
        const struct detmath_attention_options options = {.scale = 0.3f,
                                                          .soft_cap = round % 2 ? 1.5f : 0,
                                                          .bias =
                                                              round % 3 ? 0 : DETMATH_BIAS_ALIBI};
        float dq[WIDTH];
        draw_all(&in);
        assert_int_equal(run(&out, &in, &options), 0);
        for (size_t row = 0; row < HEADS * QUERIES; row++) {
            find_dq(dq, &in, &options, row);
            assert_memory_equal(dq, out.q + row * WIDTH, sizeof dq);
        }
        for (int index = 0; index < levels; index++) {
            assert_true(detmath_limit_level(names[index]));
            assert_int_equal(run(&other, &in, &options), 0);
            assert_memory_equal(&other, &out, sizeof out);
            detmath_limit_level(NULL);
        }
    }
    print_message("%d instruction sets\n", levels);
    assert_true(levels > 0);
}

/* A query's gradient is its own; a masked key has none; and what has no right place is refused. */
static void test_queries_and_odd_values(void **state) {
    static struct arrays in, changed;
    static struct slopes out, other;
    const struct detmath_attention_options options = {.scale = 0.5f, .causal = 1};
    struct detmath_attention_options paged = options;
    (void)state;
    draw_all(&in);
    assert_int_equal(run(&out, &in, &options), 0);
    changed = in;
    changed.q[0] =
        NAN; /* of the first query, which has the first KEYS - QUERIES + 1 keys of its group */
    assert_int_equal(run(&other, &changed, &options), 0);
    assert_memory_equal(other.q + WIDTH, out.q + WIDTH, sizeof out.q - WIDTH * sizeof(float));
    assert_true(isnan(other.q[0]) && isnan(other.q[WIDTH - 1]) && isnan(other.k[0]));
    assert_true(isnan(other.v[(KEYS - QUERIES) * VALUES]));
    assert_memory_equal(other.v + (KEYS - QUERIES + 1) * VALUES,
                        out.v + (KEYS - QUERIES + 1) * VALUES,
                        sizeof out.v - (KEYS - QUERIES + 1) * VALUES * sizeof(float));
    paged.page = 1;
    assert_int_equal(run(&other, &in, &paged), DETMATH_TROUBLE_OPTIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instruction_sets_have_the_same_bits),
        cmocka_unit_test(test_queries_and_odd_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

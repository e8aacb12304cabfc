/* Gradients of attention: within the bound by doubles, and what a query or a key has does not depend on others. */
#include "training_draws.h"

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

struct wanted {
    double q[HEADS * QUERIES * WIDTH], k[GROUPS * KEYS * WIDTH], v[GROUPS * KEYS * VALUES];
};

/* By doubles; `sizes` has the sums of p |g|, and of p |k| and p |q| times the scale; *s and *d the largest sums of |terms|. */
static void find(struct wanted *want, struct wanted *sizes, const struct arrays *in,
                 const struct detmath_attention_options *options, double *s, double *d) {
    memset(want, 0, sizeof *want);
    memset(sizes, 0, sizeof *sizes);
    *s = *d = 0;
    for (int row = 0; row < HEADS * QUERIES; row++) {
        const int head = row / QUERIES, group = head / (HEADS / GROUPS),
                  at = row % QUERIES + KEYS - QUERIES;
        double p[KEYS], products[KEYS], total = 0, mean = 0;
        for (int j = 0; j < KEYS; j++) {
            double score = 0, size = 0, part = 0;
            products[j] = 0;
            for (int i = 0; i < WIDTH; i++) {
                score += (double)in->q[row * WIDTH + i] * in->k[(group * KEYS + j) * WIDTH + i];
                size +=
                    fabs((double)in->q[row * WIDTH + i] * in->k[(group * KEYS + j) * WIDTH + i]);
            }
            for (int i = 0; i < VALUES; i++) {
                products[j] +=
                    (double)in->g[row * VALUES + i] * in->v[(group * KEYS + j) * VALUES + i];
                part +=
                    fabs((double)in->g[row * VALUES + i] * in->v[(group * KEYS + j) * VALUES + i]);
            }
            score =
                score * options->scale + (options->bias ? (double)in->slopes[head] * (j - at) : 0);
            p[j] = options->causal && j > at ? 0 : exp(score);
            *s = fmax(*s, size * options->scale + (options->bias ? in->slopes[head] * KEYS : 0));
            *d = fmax(*d, part);
            total += p[j];
        }
        for (int j = 0; j < KEYS; j++) {
            p[j] /= total;
            mean += p[j] * products[j];
        }
        for (int j = 0; j < KEYS; j++) {
            const double a = p[j] * (products[j] - mean) * options->scale;
            for (int i = 0; i < WIDTH; i++) {
                const int of_query = row * WIDTH + i, of_key = (group * KEYS + j) * WIDTH + i;
                want->q[of_query] += a * in->k[of_key];
                want->k[of_key] += a * in->q[of_query];
                sizes->q[of_query] += p[j] * fabs(in->k[of_key]) * options->scale;
                sizes->k[of_key] += p[j] * fabs(in->q[of_query]) * options->scale;
            }
            for (int i = 0; i < VALUES; i++) {
                want->v[(group * KEYS + j) * VALUES + i] += p[j] * in->g[row * VALUES + i];
                sizes->v[(group * KEYS + j) * VALUES + i] += p[j] * fabs(in->g[row * VALUES + i]);
            }
        }
    }
}

static double farthest(const float *got, const double *want, const double *sizes, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, sizes[i] > 0 ? fabs(got[i] - want[i]) / sizes[i] : fabs(got[i]));
    return most * 0x1p24;
}

static void test_within_the_bound(void **state) {
    static struct arrays in;
    static struct slopes out;
    static struct wanted want, sizes;
    (void)state;
    for (int round = 0; round < 60; round++) {
        const struct detmath_attention_options options = {
            .scale = 0.25f, .causal = round % 2, .bias = round % 3 ? 0 : DETMATH_BIAS_ALIBI};
        double s, d;
        draw_all(&in);
        assert_int_equal(run(&out, &in, &options), 0);
        find(&want, &sizes, &in, &options, &s, &d);
        const double of_v_bound = 2 * (WIDTH + 1) * s + 2 * WIDTH + 24, bound = 2 * of_v_bound * d;
        assert_true(farthest(out.v, want.v, sizes.v, GROUPS * KEYS * VALUES) <= of_v_bound);
        assert_true(farthest(out.q, want.q, sizes.q, HEADS * QUERIES * WIDTH) <= bound);
        assert_true(farthest(out.k, want.k, sizes.k, GROUPS * KEYS * WIDTH) <= bound);
    }
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
        cmocka_unit_test(test_within_the_bound),
        cmocka_unit_test(test_queries_and_odd_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* How far gradients of attention are from the exact ones, computed by long double: within the bound of attention_gradient.h, and within
 * 1 ulp where they are well-conditioned: with masks, ALiBi, soft caps, windows, heads that share keys, and one weight near 1. */
#include "training_draws.h"

#include <string.h>

enum { HEADS = 4, MOST_QUERIES = 12, MOST_KEYS = 140, MOST_WIDTH = 64 };
enum { ALL_QUERIES = HEADS * MOST_QUERIES, RESULTS = 3 };

/* A drawn call: one batch. */
struct drawn {
    size_t groups, queries, keys, width;
    struct detmath_attention_options options;
    float q[ALL_QUERIES * MOST_WIDTH], k[HEADS * MOST_KEYS * MOST_WIDTH],
        v[HEADS * MOST_KEYS * MOST_WIDTH], g[ALL_QUERIES * MOST_WIDTH],
        bias[ALL_QUERIES * MOST_KEYS];
    float out[RESULTS][HEADS * MOST_KEYS * MOST_WIDTH];
};

/* An exact element: the sum of its |terms|, what it moves by when scores, products and their terms do, and the header's bound. */
struct element {
    long double y, terms, moved, bound;
};
static struct element elements[RESULTS][HEADS * MOST_KEYS * MOST_WIDTH];

/* What the header names of a query. */
struct row {
    size_t n;
    long double p[MOST_KEYS], slope[MOST_KEYS], distance[MOST_KEYS], deviation[MOST_KEYS],
        score_terms[MOST_KEYS], terms[MOST_KEYS];
    long double far; /* the sum of p |d - d[r]| */
    long double score_error, product_error, slope_error;
};

static long double largest_of(const float *x, size_t n) {
    long double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxl(most, fabsl((long double)x[i]));
    return most;
}

/* The sum of products, and of their magnitudes. */
static long double products(const float *x, const float *y, size_t n, long double *terms) {
    long double sum = 0;
    *terms = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (long double)x[i] * y[i];
        *terms += fabsl((long double)x[i] * y[i]);
    }
    return sum;
}

static void find_scores(struct row *row, const struct drawn *in, size_t number, size_t first,
                        const float *keys, long double *s) {
    const long double scale = in->options.scale, cap = in->options.soft_cap;
    const size_t place = number % in->queries;
    long double most = 0, padded = 1;
    while (padded < (long double)in->width)
        padded *= 2;
    for (size_t j = 0; j < row->n; j++) {
        const size_t key = first + j;
        const float *k = keys + key * in->width;
        long double x =
            scale * products(in->q + number * in->width, k, in->width, &row->score_terms[j]);
        row->score_terms[j] *= scale;
        row->slope[j] = 1;
        if (cap > 0) {
            row->slope[j] = 1 / (coshl(x / cap) * coshl(x / cap));
            most = fmaxl(most, fabsl(x) * row->slope[j]);
            row->score_terms[j] *= row->slope[j];
            x = cap * tanhl(x / cap);
        }
        if (in->options.bias == DETMATH_BIAS_MASK)
            x += (long double)in->bias[number * in->keys + key];
        if (in->options.bias == DETMATH_BIAS_ALIBI)
            x += (long double)in->bias[number / in->queries] *
                 ((long double)(key + in->queries) - (long double)(place + in->keys));
        s[j] = x;
    }
    row->score_error = padded * padded * padded * 0x1p-47L * scale *
                           largest_of(in->q + number * in->width, in->width) *
                           largest_of(keys + first * in->width, row->n * in->width) +
                       most * 0x1p-27L + cap * 0x1p-43L;
    row->slope_error = cap > 0 ? 0x1p-28L + 2 * row->score_error / cap : 0;
}

static void find_row(struct row *row, const struct drawn *in, size_t number, size_t first,
                     const float *keys, const float *values) {
    const float *g = in->g + number * in->width;
    long double s[MOST_KEYS], total = 0, mean = 0, padded = 1;
    size_t r = 0;
    while (padded < (long double)in->width)
        padded *= 2;
    find_scores(row, in, number, first, keys, s);
    for (size_t j = 0; j < row->n; j++)
        r = s[j] > s[r] ? j : r;
    for (size_t j = 0; j < row->n; j++) {
        row->p[j] = expl(s[j] - s[r]);
        total += row->p[j];
        row->distance[j] = products(g, values + (first + j) * in->width, in->width, &row->terms[j]);
    }
    const long double d = row->distance[r];
    row->far = 0;
    for (size_t j = 0; j < row->n; j++) {
        row->p[j] /= total;
        row->distance[j] -= d;
        mean += row->p[j] * row->distance[j];
        row->far += row->p[j] * fabsl(row->distance[j]);
    }
    for (size_t j = 0; j < row->n; j++)
        row->deviation[j] = row->distance[j] - mean;
    row->product_error = padded * padded * padded * 0x1p-47L * largest_of(g, in->width) *
                         largest_of(values + first * in->width, row->n * in->width);
}

/* Adds what a query has in an element: a term, what moves it by key l, and Z of the header. */
static void add_term(struct element *it, const struct row *row, long double term, long double far) {
    it->y += term;
    it->terms += fabsl(term);
    it->bound += fabsl(term) * row->slope_error + far * 0x1p-34L;
}
static void add_move(struct element *it, const struct row *row, size_t l, long double with_score,
                     long double with_product) {
    it->moved += with_score * (1 + row->score_terms[l]) + with_product * row->terms[l];
    it->bound += with_score * (0x1p-29L + row->score_error) + with_product * row->product_error;
}

static void add_times(struct element *it, const struct element *part, long double by) {
    it->y += part->y * by;
    it->terms += part->terms * fabsl(by);
    it->moved += part->moved * fabsl(by);
    it->bound += part->bound * fabsl(by);
}

static void add_dq(const struct row *row, const struct drawn *in, const float *keys,
                   struct element *dq) {
    const long double scale = in->options.scale;
    for (size_t i = 0; i < in->width; i++) {
        long double h = 0, c = 0;
        for (size_t j = 0; j < row->n; j++) {
            h += row->p[j] * row->slope[j] * keys[j * in->width + i];
            c += row->p[j] * row->slope[j] * row->deviation[j] * keys[j * in->width + i];
        }
        for (size_t j = 0; j < row->n; j++) {
            const long double k = row->slope[j] * keys[j * in->width + i], p = scale * row->p[j];
            add_term(&dq[i], row, p * row->deviation[j] * k,
                     p * (fabsl(row->distance[j]) + row->far) * fabsl(k));
            add_move(&dq[i], row, j, p * fabsl(row->deviation[j] * (k - h) - c), p * fabsl(k - h));
        }
    }
}

/* Of key j of a row. */
static void add_dk_and_dv(const struct row *row, const struct drawn *in, size_t number, size_t j,
                          struct element *dk, struct element *dv) {
    const long double p = row->p[j], scale = in->options.scale * p * row->slope[j];
    struct element of_q = {0, 0, 0, 0}, of_g = {0, 0, 0, 0}; /* of a factor of 1 */
    for (size_t l = 0; l < row->n; l++) {
        const long double other = l == j ? 1 - p : row->p[l],
                          slope = l == j ? fabsl((1 - 2 * p) * row->deviation[j])
                                         : row->p[l] * fabsl(row->deviation[j] + row->deviation[l]);
        add_move(&of_q, row, l, scale * slope, scale * other);
        add_move(&of_g, row, l, p * other, 0);
    }
    add_term(&of_q, row, scale * row->deviation[j], scale * (fabsl(row->distance[j]) + row->far));
    of_g.y = of_g.terms = p;
    of_g.bound += p * 0x1p-34L;
    for (size_t i = 0; i < in->width; i++) {
        add_times(&dk[i], &of_q, in->q[number * in->width + i]);
        add_times(&dv[i], &of_g, in->g[number * in->width + i]);
    }
}

static void find_elements(const struct drawn *in) {
    static struct row row;
    memset(elements, 0, sizeof elements);
    for (size_t number = 0; number < HEADS * in->queries; number++) {
        const size_t group = number / in->queries / (HEADS / in->groups),
                     at = number % in->queries + in->keys - in->queries,
                     window = in->options.window ? in->options.window : in->keys + in->queries,
                     first = at + 1 > window ? at + 1 - window : 0,
                     end = in->options.causal ? at + 1 : at + window,
                     last = end < in->keys ? end : in->keys, width = in->width;
        const float *keys = in->k + group * in->keys * width,
                    *values = in->v + group * in->keys * width;
        row.n = last - first;
        find_row(&row, in, number, first, keys, values);
        add_dq(&row, in, keys + first * width, &elements[0][number * width]);
        for (size_t j = 0; j < row.n; j++) {
            const size_t to = (group * in->keys + first + j) * width;
            add_dk_and_dv(&row, in, number, j, &elements[1][to], &elements[2][to]);
        }
    }
}

static int run(struct drawn *in) {
    const size_t of_q[4] = {1, HEADS, in->queries, in->width},
                 of_k[4] = {1, in->groups, in->keys, in->width},
                 of_bias[4] = {1, HEADS, in->queries, in->keys}, heads = HEADS;
    const int is_slope = in->options.bias == DETMATH_BIAS_ALIBI;
    const struct detmath_strided dq = plain(in->out[0], 4, of_q), dk = plain(in->out[1], 4, of_k),
                                 dv = plain(in->out[2], 4, of_k), q = plain(in->q, 4, of_q),
                                 k = plain(in->k, 4, of_k), v = plain(in->v, 4, of_k),
                                 g = plain(in->g, 4, of_q),
                                 bias =
                                     plain(in->bias, is_slope ? 1 : 4, is_slope ? &heads : of_bias);
    return detmath_attention_gradient(&dq, &dk, &dv, &q, &k, &v, &g,
                                      in->options.bias ? &bias : NULL, &in->options);
}

static float uniform(void) {
    return (float)((double)(random_bits(&seed) >> 11) * 0x1p-53);
}

/* Numbers of one sign, of any, or few that are not small. */
static void draw_numbers(float *to, size_t n, float size, int which) {
    for (size_t i = 0; i < n; i++)
        to[i] = which == 0   ? size * (1 + uniform())
                : which == 1 ? size * (2 * uniform() - 1)
                : which == 2 ? (random_bits(&seed) % 8 ? 0.01f : 1.0f) * size * (0.5f + uniform())
                             : size * ldexpf(1 + uniform(), -(int)(random_bits(&seed) % 6));
}

/* A mask by which one key of each query has nearly all weight. */
static void draw_peaks(struct drawn *in) {
    const float depth = 4 + 30 * uniform();
    for (size_t i = 0; i < HEADS * in->queries; i++) {
        const size_t peak = random_bits(&seed) % in->keys;
        for (size_t j = 0; j < in->keys; j++)
            in->bias[i * in->keys + j] = j == peak ? 0.0f : -depth - 2 * uniform();
    }
}

static void draw_call(struct drawn *in, int round) {
    static const size_t widths[] = {1, 4, 16, 64}, lengths[] = {1, 2, 3, 5, 17, 64, 65, 140};
    static const float caps[] = {0, 0, 0, 0.5f, 5.0f, 50.0f};
    in->width = widths[round % 4];
    in->keys = lengths[random_bits(&seed) % (round % 16 ? 6 : 8)];
    in->queries = 1 + random_bits(&seed) % (in->keys < MOST_QUERIES ? in->keys : MOST_QUERIES);
    in->groups = (size_t)1 << random_bits(&seed) % 3;
    in->options = (struct detmath_attention_options){
        .scale = 1 / sqrtf((float)in->width),
        .soft_cap = caps[random_bits(&seed) % 6],
        .window = random_bits(&seed) % 3 ? 0 : 1 + random_bits(&seed) % in->keys,
        .causal = (int)(random_bits(&seed) % 2),
        .bias = (int)(random_bits(&seed) % 4)};
    const int has_peaks = in->options.bias == 3;
    const float size = ldexpf(0.02f, (int)(random_bits(&seed) % 8));
    draw_numbers(in->q, HEADS * in->queries * in->width, size, (int)(random_bits(&seed) % 3));
    draw_numbers(in->k, in->groups * in->keys * in->width, 1, (int)(random_bits(&seed) % 4));
    draw_numbers(in->v, in->groups * in->keys * in->width, 1, (int)(random_bits(&seed) % 4));
    draw_numbers(in->g, HEADS * in->queries * in->width, 1, (int)(random_bits(&seed) % 4));
    in->options.bias = has_peaks ? DETMATH_BIAS_MASK : in->options.bias;
    draw_numbers(in->bias, HEADS * in->queries * in->keys, 1, 1);
    if (has_peaks)
        draw_peaks(in);
    for (int i = 0; in->options.bias == DETMATH_BIAS_ALIBI && i < HEADS; i++)
        in->bias[i] = 0.9f * ldexpf(1, -2 * i - 1);
}

/* What was seen of elements of a condition of at most 4, and at most 8. */
struct seen {
    size_t elements, certain; /* and how many of these one weight near 1 moves */
    double most;
};

static void see(struct seen seen[2], const struct drawn *in, int result, size_t n, int is_certain,
                double *of_bound) {
    for (size_t i = 0; i < n; i++) {
        const struct element *it = &elements[result][i];
        int exponent;
        (void)frexpl(it->y, &exponent);
        const long double ulp = ldexpl(1, exponent - 24), off = fabsl(in->out[result][i] - it->y),
                          condition = (it->terms + it->moved) / fabsl(it->y);
        if (fabsl(it->y) < 0x1p-100L)
            continue;
        *of_bound = fmax(*of_bound, (double)((off - ulp / 2) / it->bound));
        for (int k = 0; k < 2; k++)
            if (condition <= 4 + 4 * k) {
                seen[k].elements++;
                seen[k].certain += (size_t)is_certain;
                seen[k].most = fmax(seen[k].most, (double)(off / ulp));
            }
    }
}

static void test_errors(void **state) {
    static const char *const names[] = {"dq", "dk", "dv"};
    static struct drawn in;
    struct seen seen[RESULTS][2];
    double of_bound = -1e9;
    memset(seen, 0, sizeof seen);
    (void)state;
    for (int round = 0; round < 500; round++) {
        draw_call(&in, round);
        assert_int_equal(run(&in), 0);
        find_elements(&in);
        const int is_certain = in.options.bias == DETMATH_BIAS_MASK && in.keys > 1 &&
                               fminf(in.bias[0], in.bias[1]) <= -4;
        for (int i = 0; i < RESULTS; i++)
            see(seen[i], &in, i, (i ? in.groups * in.keys : HEADS * in.queries) * in.width,
                is_certain, &of_bound);
    }
    for (int i = 0; i < RESULTS; i++)
        for (int k = 0; k < 2; k++) {
            print_message(
                "%s of a condition of at most %d: %zu elements, %zu of one weight near 1, "
                "at most %.3f ulp\n",
                names[i], 4 + 4 * k, seen[i][k].elements, seen[i][k].certain, seen[i][k].most);
            assert_true(seen[i][k].elements > 1000 && seen[i][k].certain > 100);
            assert_true(seen[i][k].most <= 1);
        }
    print_message("at most %.3f of the bound beside half an ulp\n", of_bound);
    assert_true(of_bound <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

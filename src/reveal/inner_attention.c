/* The scores of attention, its weights and its values. */
#include "reveal/inner_parts.h"

#include <math.h>

enum { Q, K, V };
/* Extents of BATCHxHEADSxQUERIESxKEYSxWIDTH. The last query has all keys, causal or not. */
struct extents {
    size_t heads, queries, keys, width; /* heads of all batches */
};

static struct extents extents_of(const struct inner_call *inner) {
    const uint64_t *q = inner->call.operands[Q].shape.extents,
                   *k = inner->call.operands[K].shape.extents;
    return (struct extents){(size_t)(q[0] * q[1]), (size_t)q[2], (size_t)k[2], (size_t)q[3]};
}

static size_t keys_of(const struct shape *shape, const struct parameters *parameters) {
    (void)parameters;
    return (size_t)shape->extents[3];
}
static size_t width_of(const struct shape *shape, const struct parameters *parameters) {
    (void)parameters;
    return (size_t)shape->extents[4];
}

/* A power of four: scores are divided by its root, which is exact. */
static size_t width_for(size_t keys) {
    size_t width = 1;
    while (width < keys)
        width *= 4;
    return width;
}

enum { HEADS = 4 };

static bool is_attention(const struct shape *shape, struct error *error) {
    return !shape->dimensions || shape->dimensions == 5 ||
           error_set(error, "attention needs --shape BATCHxHEADSxQUERIESxKEYSxWIDTH, such as "
                            "1x4x16x16x64");
}

static bool fit_weights(struct shape *shape, struct parameters *parameters, size_t terms,
                        size_t *lines, struct error *error) {
    (void)parameters;
    if (!is_attention(shape, error))
        return false;
    if (!shape->dimensions)
        *shape = (struct shape){5, {1, HEADS, 1, terms, width_for(terms)}};
    shape->extents[3] = terms;
    *lines = (size_t)(shape->extents[0] * shape->extents[1]);
    return shape->extents[4] >= width_for(terms) ||
           error_set(error,
                     "--shape: to reveal the sum of %zu weights, attention needs a WIDTH (the last "
                     "number) of %zu or more, not %zu",
                     terms, width_for(terms), (size_t)shape->extents[4]);
}

static bool fit_values(struct shape *shape, struct parameters *parameters, size_t terms,
                       size_t *lines, struct error *error) {
    (void)parameters;
    if (!is_attention(shape, error))
        return false;
    if (!shape->dimensions)
        *shape = (struct shape){5, {1, HEADS, 1, terms, 4}};
    shape->extents[3] = terms;
    *lines = (size_t)(shape->extents[0] * shape->extents[1] * shape->extents[4]);
    return true;
}

static bool fit_scores(struct shape *shape, struct parameters *parameters, size_t terms,
                       size_t *lines, struct error *error) {
    (void)parameters;
    if (!is_attention(shape, error))
        return false;
    if (!shape->dimensions)
        *shape = (struct shape){5, {1, HEADS, 1, 2, terms}};
    shape->extents[4] = terms;
    *lines = (size_t)(shape->extents[0] * shape->extents[1]);
    return shape->extents[3] > 1 ||
           error_set(error, "--shape: to reveal the scores, attention needs 2 keys or more");
}

static size_t last_result(const struct extents *extents, size_t head) {
    return (head * extents->queries + extents->queries - 1) * extents->width;
}

/* Results are the weights: each key has a value of 1 in a place of its own. */
static bool constants_of_weights(struct inner_call *inner, struct error *error) {
    (void)error;
    const struct extents extents = extents_of(inner);
    for (size_t i = 0; i < extents.heads * extents.queries; i++)
        inner_put(&inner->call.operands[Q], i * extents.width,
                  sqrt((double)width_for(extents.width)));
    for (size_t head = 0; head < extents.heads; head++)
        for (size_t j = 0; j < extents.keys; j++)
            inner_put(&inner->call.operands[V], (head * extents.keys + j) * extents.width + j, 1);
    return true;
}

static void lay_weights(struct inner_call *inner) {
    const struct extents extents = extents_of(inner);
    for (size_t i = 0; i < inner->lines * inner->terms; i++)
        array_set_code(&inner->call.operands[K], i * extents.width,
                       array_code(inner_terms(inner), i));
}

static void take_weights(struct inner_call *inner) {
    const struct extents extents = extents_of(inner);
    for (size_t head = 0; head < inner->lines; head++)
        for (size_t j = 0; j < inner->terms; j++)
            array_set_code(&inner->simple->results[0], head * inner->terms + j,
                           array_code(&inner->call.results[0], last_result(&extents, head) + j));
}

/* All scores are 0, so that results are means of the values. */
static void lay_values(struct inner_call *inner) {
    const struct extents extents = extents_of(inner);
    for (size_t line = 0; line < inner->lines; line++)
        for (size_t j = 0; j < inner->terms; j++)
            array_set_code(&inner->call.operands[V],
                           (line / extents.width * extents.keys + j) * extents.width +
                               line % extents.width,
                           array_code(inner_terms(inner), line * inner->terms + j));
}

static void take_values(struct inner_call *inner) {
    const struct extents extents = extents_of(inner);
    for (size_t line = 0; line < inner->lines; line++)
        array_set_code(
            &inner->simple->results[0], line,
            array_code(&inner->call.results[0],
                       last_result(&extents, line / extents.width) + line % extents.width));
}

/* The second key has the value 1, and a score of 0 beside that of the first. */
static bool constants_of_scores(struct inner_call *inner, struct error *error) {
    (void)error;
    const struct extents extents = extents_of(inner);
    for (size_t head = 0; head < extents.heads; head++)
        inner_put(&inner->call.operands[V], (head * extents.keys + 1) * extents.width, 1);
    return true;
}

/* Squares, times a power of two by which the score comes to be from 3 to 6, about: its last bit shows in the weight of the
 * other key. */
static void lay_scores(struct inner_call *inner) {
    enum { WANTED = 2 };
    const double uneven = 1.37; /* so that sums that are powers of two have the same power */
    const struct extents extents = extents_of(inner);
    for (size_t head = 0; head < inner->lines; head++) {
        double sum = 0;
        for (size_t i = 0; i < inner->terms; i++) {
            const double x = inner_get(inner_terms(inner), head * inner->terms + i);
            sum += x * x;
        }
        const int power = sum > 0 ? WANTED - ilogb(uneven * sum / sqrt((double)extents.width)) : 0;
        for (size_t i = 0; i < inner->terms; i++) {
            const double x = inner_get(inner_terms(inner), head * inner->terms + i);
            inner_put(&inner->call.operands[K], head * extents.keys * extents.width + i,
                      ldexp(x, power / 2));
            inner_put(&inner->call.operands[Q], last_result(&extents, head) + i,
                      ldexp(x, power - power / 2));
        }
    }
}

static void take_scores(struct inner_call *inner) {
    const struct extents extents = extents_of(inner);
    for (size_t i = 0; i < inner->lines * inner->terms; i++)
        array_set_code(
            &inner->simple->results[0], i,
            array_code(&inner->call.results[0], last_result(&extents, i / inner->terms)));
}

const struct inner_sum inner_attention[] = {
    {"attention", "scores", "rms_norm", NULL, false, width_of, fit_scores, constants_of_scores,
     lay_scores, take_scores},
    {"attention", "weights", "softmax", NULL, false, keys_of, fit_weights, constants_of_weights,
     lay_weights, take_weights},
    {"attention", "values", "mean", NULL, false, keys_of, fit_values, NULL, lay_values,
     take_values},
    {0}};

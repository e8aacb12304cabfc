/* The mean and the variance of a line, kept up to date element by element (Welford), by PyTorch's rule (ATen/native/cpu/
 * moments_utils.h): lane l of L has the elements l, l + L, ...; each 16 of a lane are a chunk; chunks are merged in a binary tree, then lanes from the left, behind
 * what is left over at the end. With one lane it is Welford's text, with exact sums the two-pass one. */
#include "impl/forms/moments.h"

#include "impl/forms/run_parts.h"
#include "impl/steps_arithmetic.h"

#include <stdlib.h>

enum { CHUNK = 16, DEPTH = 48 };

/* Each step is one of the format, by doubles that are rounded to it (impl/steps_arithmetic.h). */
struct arithmetic {
    const struct format *format;
    bool fused;
};

static double rounded(const struct arithmetic *by, double value) {
    return steps_rounded(by->format, value);
}

static double add_product(const struct arithmetic *by, bool fused, double x, double y, double z) {
    return fused ? steps_fused(by->format, x, y, z) : rounded(by, rounded(by, x * y) + z);
}

static void add_element(struct moments *to, const struct arithmetic *by, double x) {
    const double delta = rounded(by, x - to->mean);
    to->count += 1;
    to->mean = add_product(by, by->fused, delta, rounded(by, 1 / to->count), to->mean);
    to->squares = add_product(by, by->fused, delta, rounded(by, x - to->mean), to->squares);
}

/* Of what is left over behind the lanes the product is rounded. */
static void add_left_over(struct moments *to, const struct arithmetic *by, bool fused, double x) {
    const double delta = rounded(by, x - to->mean);
    to->count += 1;
    to->mean = rounded(by, to->mean + rounded(by, delta / to->count));
    to->squares = add_product(by, fused, delta, rounded(by, x - to->mean), to->squares);
}

static double share_of(const struct moments *to, const struct arithmetic *by,
                       const struct moments *from) {
    return rounded(by, from->count / (to->count + from->count));
}

/* Chunks of a lane: the mean's product is rounded, and what the squares have is added before the product of two products. */
static void merge_chunks(struct moments *to, const struct arithmetic *by,
                         const struct moments *from) {
    const double part = share_of(to, by, from), delta = rounded(by, from->mean - to->mean),
                 squares = rounded(by, to->squares + from->squares);
    to->mean = add_product(by, false, part, delta, to->mean);
    to->squares = add_product(by, by->fused, rounded(by, delta * part),
                              rounded(by, delta * to->count), squares);
    to->count += from->count;
}

static void merge_lanes(struct moments *to, const struct arithmetic *by,
                        const struct moments *from) {
    const double part = share_of(to, by, from), delta = rounded(by, from->mean - to->mean),
                 square = rounded(by, rounded(by, delta * delta) * part),
                 more = add_product(by, by->fused, square, to->count, from->squares);
    to->mean = add_product(by, by->fused, part, delta, to->mean);
    to->squares = rounded(by, to->squares + more);
    to->count += from->count;
}

static struct moments of_lane(const struct arithmetic *by, const double *x, size_t count,
                              size_t lanes) {
    struct moments stack[DEPTH] = {{0, 0, 0}};
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    int depth = 0;
    while ((size_t)1 << depth < chunks)
        depth++;
    for (size_t i = 0; i < chunks; i++) {
        const size_t end = (i + 1) * CHUNK < count ? (i + 1) * CHUNK : count;
        struct moments chunk = {0, 0, 0};
        for (size_t at = i * CHUNK; at < end; at++)
            add_element(&chunk, by, x[at * lanes]);
        merge_chunks(&stack[0], by, &chunk);
        size_t mask = i + 1;
        for (int k = 1; k < depth && !(mask & 1); k++, mask >>= 1) {
            merge_chunks(&stack[k], by, &stack[k - 1]);
            stack[k - 1] = (struct moments){0, 0, 0};
        }
    }
    for (int k = 1; k < depth; k++)
        if (stack[k].count > 0)
            merge_chunks(&stack[0], by, &stack[k]);
    return stack[0];
}

static struct moments of_line(const struct arithmetic *by, const double *x, size_t length,
                              size_t lanes) {
    const size_t each = length / lanes;
    struct moments all = {0, 0, 0};
    for (size_t i = lanes > 1 ? each * lanes : 0; i < length; i++)
        add_left_over(&all, by, by->fused && lanes == 1, x[i]);
    for (size_t lane = 0; lanes > 1 && lane < lanes; lane++) {
        const struct moments one = of_lane(by, x + lane, each, lanes);
        if (each)
            merge_lanes(&all, by, &one);
    }
    all.squares = rounded(by, all.squares / (double)length);
    return all;
}

static bool of_exact_sums(const struct format *format, const double *x, size_t length,
                          struct moments *all) {
    double *squares = malloc((length + 1) * sizeof *squares);
    if (!squares)
        return false;
    all->mean = steps_rounded(format, form_exact_sum(format, length, x, NULL, 1) / (double)length);
    for (size_t i = 0; i < length; i++) {
        const double d = steps_rounded(format, x[i] - all->mean);
        squares[i] = steps_rounded(format, d * d);
    }
    all->squares =
        steps_rounded(format, form_exact_sum(format, length, squares, NULL, 1) / (double)length);
    free(squares);
    return true;
}

bool form_moments(const struct format *format, const double *numbers, size_t length,
                  const struct form_sums *sums, struct moments *moments) {
    const struct arithmetic by = {format, sums->fused};
    const struct order_rule *row = &sums->rules.rows[0];
    const size_t lanes = row->kind != ORDER_LANES              ? 1
                         : sums->halved && format->width == 64 ? (size_t)row->size / 2
                                                               : (size_t)row->size;
    if (sums->exact)
        return of_exact_sums(format, numbers, length, moments);
    *moments = of_line(&by, numbers, length, lanes);
    return true;
}

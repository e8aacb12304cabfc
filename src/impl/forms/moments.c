/* The mean and the variance of a line, kept up to date element by element (Welford), by PyTorch's rule (ATen/native/cpu/
 * moments_utils.h): lane l of L has the
 * elements l, l + L, ...; each 16 of a lane are a chunk; chunks are merged in a binary tree, then lanes from the left, behind
 * what is left over at the end. With one lane it is Welford's text, with exact sums the two-pass one. */
#include "impl/forms/moments.h"

#include "detmath/exact_sum.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK = 16, DEPTH = 48 };

static float add_product(bool fused, float x, float y, float z) {
    const float product = x * y;
    return fused ? fmaf(x, y, z) : product + z;
}

static void add_element(struct moments *to, bool fused, bool divides, float x) {
    const float delta = x - to->mean;
    to->count += 1;
    const float part = (float)(1 / to->count);
    if (divides)
        to->mean += delta / (float)to->count;
    else
        to->mean = add_product(fused, delta, part, to->mean);
    const float rest = x - to->mean;
    to->squares = add_product(fused, delta, rest, to->squares);
}

static float share_of(const struct moments *to, const struct moments *from) {
    return (float)from->count / (float)(to->count + from->count);
}

/* Chunks of a lane: the mean's product is rounded, and what the squares have is added before it. */
static void merge_chunks(struct moments *to, bool fused, const struct moments *from) {
    const float part = share_of(to, from), delta = from->mean - to->mean, square = delta * delta,
                share = square * part, squares = to->squares + from->squares;
    to->mean = add_product(false, part, delta, to->mean);
    to->squares = add_product(fused, share, (float)to->count, squares);
    to->count += from->count;
}

static void merge_lanes(struct moments *to, bool fused, const struct moments *from) {
    const float part = share_of(to, from), delta = from->mean - to->mean, square = delta * delta,
                share = square * part,
                more = add_product(fused, share, (float)to->count, from->squares);
    to->mean = add_product(fused, part, delta, to->mean);
    to->squares += more;
    to->count += from->count;
}

static struct moments of_lane(const double *x, size_t count, size_t lanes, bool fused) {
    struct moments stack[DEPTH] = {{0, 0, 0}};
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    int depth = 0;
    while ((size_t)1 << depth < chunks)
        depth++;
    for (size_t i = 0; i < chunks; i++) {
        const size_t end = (i + 1) * CHUNK < count ? (i + 1) * CHUNK : count;
        struct moments chunk = {0, 0, 0};
        for (size_t at = i * CHUNK; at < end; at++)
            add_element(&chunk, fused, false, (float)x[at * lanes]);
        merge_chunks(&stack[0], fused, &chunk);
        size_t mask = i + 1;
        for (int k = 1; k < depth && !(mask & 1); k++, mask >>= 1) {
            merge_chunks(&stack[k], fused, &stack[k - 1]);
            stack[k - 1] = (struct moments){0, 0, 0};
        }
    }
    for (int k = 1; k < depth; k++)
        if (stack[k].count > 0)
            merge_chunks(&stack[0], fused, &stack[k]);
    return stack[0];
}

static struct moments of_line(const double *x, size_t length, size_t lanes, bool fused) {
    const size_t each = length / lanes;
    struct moments all = {0, 0, 0};
    for (size_t i = lanes > 1 ? each * lanes : 0; i < length; i++)
        add_element(&all, fused, true, (float)x[i]);
    for (size_t lane = 0; lanes > 1 && lane < lanes; lane++) {
        const struct moments one = of_lane(x + lane, each, lanes, fused);
        if (each)
            merge_lanes(&all, fused, &one);
    }
    all.squares /= (float)length;
    return all;
}

static bool of_exact_sums(const double *numbers, size_t length, struct moments *all) {
    float *x = malloc((length + 1) * sizeof *x);
    if (!x)
        return false;
    for (size_t i = 0; i < length; i++)
        x[i] = (float)numbers[i];
    all->mean = detmath_cr_sumf(x, length) / (float)length;
    for (size_t i = 0; i < length; i++) {
        const float d = x[i] - all->mean;
        x[i] = d * d;
    }
    all->squares = detmath_cr_sumf(x, length) / (float)length;
    free(x);
    return true;
}

bool form_moments(const double *numbers, size_t length, const struct form_sums *sums,
                  struct moments *moments) {
    const bool has_lanes = sums->rules.rows[0].kind == ORDER_LANES;
    if (sums->exact)
        return of_exact_sums(numbers, length, moments);
    *moments =
        of_line(numbers, length, has_lanes ? (size_t)sums->rules.rows[0].size : 1, sums->fused);
    return true;
}

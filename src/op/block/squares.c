/* Blocks by least squares.
 *
 * While a scale falls from infinity to 0, the nearest code of a number changes where the scale is the number over the middle
 * of two codes. Between two such places all codes are fixed, and the sum of squares is a parabola, whose least point among
 * the scales that can be stored lies next to its vertex. So the best scale is next to the vertex of one of the parabolas.
 * Double finds those that can be best; MPFR compares them exactly. */
#include "op/block/define.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXACT_BITS = 1536
}; /* squares of differences of numbers from 2^-310 to 2^130, and their sum */

/* A place where a number's code changes, as the scale falls: by `step` in products and `square` in squares of codes. */
struct event {
    double at, step, square;
};

/* The numbers that share a scale. */
struct group {
    const struct block_coder *coder;
    const struct block_field *scales;
    const float *x;
    unsigned index, share, count, elements; /* element i is one where i / share % count is index */
    double tensor_scale, zero;              /* the magnitude */
    bool flips;                             /* the tensor's scale is negative */
    double squares;                         /* the sum of those of the numbers */
    struct event *events;
};

struct best {
    bool found, is_negative;
    uint32_t code; /* of the scale's magnitude */
    uint32_t zero;
    mpfr_t sum;
    uint32_t tried[8]; /* the last ones */
    unsigned turn;
};

static bool takes(const struct group *group, unsigned i) {
    return i / group->share % group->count == group->index && isfinite(group->x[i]);
}

static int compare_events(const void *a, const void *b) {
    const double x = ((const struct event *)a)->at, y = ((const struct event *)b)->at;
    return (x < y) - (x > y);
}

static double element_number(const struct group *group, unsigned at) {
    return group->coder->numbers[at] - group->zero;
}

/* The events of one number, from the code nearest to 0 outwards. The sums of codes there go to *step and *square. */
static size_t add_events(const struct group *group, double x, struct event *events, double *step,
                         double *square) {
    const struct block_affine unit = {.scale = 1, .zero = group->zero};
    unsigned at = block_nearest(group->coder, &unit, 0);
    size_t count = 0;
    *step = x * element_number(group, at);
    *square = element_number(group, at) * element_number(group, at);
    while (x > 0 ? at + 1 < group->coder->count : x < 0 && at > 0) {
        const unsigned next = x > 0 ? at + 1 : at - 1;
        const double a = element_number(group, at), b = element_number(group, next);
        if (a + b != 0) /* else the number is nearer to it at every scale */
            events[count++] = (struct event){x / ((a + b) / 2), x * (b - a), (b - a) * (b + a)};
        else {
            *step += x * (b - a);
            *square += (b - a) * (b + a);
        }
        at = next;
    }
    return count;
}

/* The sum of squared differences at a scale, exactly. */
static void exact_sum(mpfr_ptr sum, const struct group *group, double scale, bool is_negative) {
    const struct block_affine affine = {.scale = is_negative ? -scale : scale, .zero = group->zero};
    mpfr_t difference;
    mpfr_init2(difference, EXACT_BITS);
    mpfr_set_zero(sum, 1);
    for (unsigned i = 0; i < group->elements; i++) {
        if (!takes(group, i))
            continue;
        const unsigned at = block_nearest(group->coder, &affine, (double)group->x[i]);
        mpfr_set_d(difference, affine.scale * element_number(group, at), MPFR_RNDN);
        mpfr_sub_d(difference, difference, (double)group->x[i], MPFR_RNDN);
        mpfr_sqr(difference, difference, MPFR_RNDN);
        mpfr_add(sum, sum, difference, MPFR_RNDN);
    }
    mpfr_clear(difference);
}

static void try_scale(const struct group *group, uint32_t code, bool is_negative, uint32_t zero,
                      struct best *best) {
    for (unsigned i = 0; i < sizeof best->tried / sizeof *best->tried; i++)
        if (best->tried[i] == code)
            return;
    best->tried[best->turn++ % (sizeof best->tried / sizeof *best->tried)] = code;
    mpfr_t sum;
    mpfr_init2(sum, EXACT_BITS);
    exact_sum(sum, group, block_number(group->scales, code) * group->tensor_scale, is_negative);
    const int order = best->found ? mpfr_cmp(sum, best->sum) : -1;
    /* Signs and zero points come in their order, so that of equal scales the first stays. */
    if (order < 0 || (order == 0 && code < best->code)) {
        mpfr_swap(best->sum, sum);
        best->found = true;
        best->code = code;
        best->is_negative = is_negative;
        best->zero = zero;
    }
    mpfr_clear(sum);
}

/* The scales that can be stored next to the vertex of a parabola, by codes of magnitudes. */
static unsigned near_vertex(const struct group *group, double products, double squares,
                            uint32_t codes[3]) {
    const struct format *format = group->scales->format;
    const double vertex = squares > 0 ? products / squares / group->tensor_scale : 0;
    const uint32_t nearest = block_nearest_scale(format, vertex > 0 ? vertex : 0);
    unsigned count = 0;
    for (int step = -1; step <= 1; step++)
        if ((int64_t)nearest + step >= 0 && nearest + (uint32_t)step <= format->max_finite)
            codes[count++] = nearest + (uint32_t)step;
    return count;
}

/* Goes through the parabolas: finds the least sum that one of them reaches, or tries all scales that come near `least`. */
static double walk(const struct group *group, size_t events, double products, double squares,
                   bool is_negative, uint32_t zero, double least, struct best *best) {
    double lost = 0, found = (double)INFINITY;
    for (size_t e = 0; e <= events; e++) {
        uint32_t codes[3];
        const double most = best ? least : found + 0x1p-36 * group->squares,
                     drop = products + lost > 0 && squares > 0
                                ? (products + lost) * ((products + lost) / squares)
                                : 0;
        const bool can_be_best = group->squares - drop <= most;
        const unsigned count =
            can_be_best ? near_vertex(group, products + lost, squares, codes) : 0;
        for (unsigned i = 0; i < count; i++) {
            const double scale = block_number(group->scales, codes[i]) * group->tensor_scale,
                         sum = group->squares + scale * (scale * squares - 2 * (products + lost));
            found = fmin(found, sum);
            if (best && sum <= least)
                try_scale(group, codes[i], is_negative, zero, best);
        }
        if (e == events)
            break;
        const double next = products + group->events[e].step, back = next - products;
        lost += (products - (next - back)) + (group->events[e].step - back);
        products = next;
        squares += group->events[e].square;
    }
    return found;
}

/* One zero point and one sign of scales. */
static void search(struct group *group, bool is_negative, uint32_t zero, struct best *best) {
    size_t events = 0;
    double products = 0, squares = 0, lost = 0;
    group->squares = 0;
    for (unsigned i = 0; i < group->elements; i++) {
        if (!takes(group, i))
            continue;
        const double x = (double)group->x[i] * (is_negative ? -1 : 1);
        double step, square;
        events += add_events(group, x, group->events + events, &step, &square);
        const double next = products + step, back = next - products;
        lost += (products - (next - back)) + (step - back);
        products = next;
        squares += square;
        group->squares += x * x;
    }
    qsort(group->events, events, sizeof *group->events, compare_events);
    const double within = 0x1p-36 * group->squares;
    memset(best->tried, 0xff, sizeof best->tried);
    const double least = walk(group, events, products + lost, squares, is_negative, zero, 0, NULL);
    if (best->found && least - within > mpfr_get_d(best->sum, MPFR_RNDU))
        return; /* another zero point or sign is better */
    walk(group, events, products + lost, squares, is_negative, zero, least + within, best);
}

bool block_has_squares(const struct block_layout *layout) {
    return !layout->fields[BLOCK_MINIMUM].count && !layout->fields[BLOCK_SUBSCALE].count;
}

/* Finds and stores one scale, and its zero point. */
static void solve(struct group *group, uint8_t *bytes) {
    const struct block_layout *layout = group->coder->layout;
    const struct block_field *zeros = &layout->fields[BLOCK_ZERO];
    const struct format *format = group->scales->format;
    const double first = group->coder->numbers[0],
                 last = group->coder->numbers[group->coder->count - 1];
    struct best best = {.found = false};
    mpfr_init2(best.sum, EXACT_BITS);
    /* Where the tensor's scale is 0 or not finite, no scale is better than another: it is 0. */
    const bool has_best = group->tensor_scale != 0 && isfinite(group->tensor_scale);
    const uint32_t tries = !has_best ? 0 : zeros->count ? UINT32_C(1) << zeros->width : 1;
    for (uint32_t zero = 0; zero < tries; zero++) {
        group->zero = zeros->count ? block_number(zeros, zero) : 0;
        /* A product of both scales that no sign bit can make positive is negative. */
        const bool only_negative = group->flips && !format->sign_bit;
        if (!only_negative)
            search(group, false, zero, &best);
        if (only_negative || (!zeros->count && first != -last && format->sign_bit))
            search(group, true, zero, &best);
    }
    const bool is_negative = best.is_negative != group->flips;
    block_set(layout, BLOCK_SCALE, bytes, group->index,
              best.code | (is_negative && best.code ? (uint32_t)format->sign_bit : 0));
    if (zeros->count)
        block_set(layout, BLOCK_ZERO, bytes, group->index, best.zero);
    mpfr_clear(best.sum);
}

bool block_define_squares(const struct block_coder *coder, const float *x, double tensor_scale,
                          uint8_t *bytes) {
    const struct block_layout *layout = coder->layout;
    const struct block_field *scales = &layout->fields[BLOCK_SCALE];
    struct group group = {.coder = coder,
                          .scales = scales,
                          .x = x,
                          .share = scales->share,
                          .count = scales->count,
                          .elements = layout->elements,
                          .tensor_scale = layout->has_tensor_scale ? fabs(tensor_scale) : 1,
                          .flips = layout->has_tensor_scale && tensor_scale < 0,
                          .events = malloc((size_t)layout->elements / scales->count * coder->count *
                                           sizeof(struct event))};
    if (!group.events)
        return false;
    memset(bytes, 0, layout->bytes);
    for (group.index = 0; group.index < scales->count; group.index++)
        solve(&group, bytes);
    free(group.events);
    block_code_elements(coder, x, tensor_scale, bytes);
    return true;
}

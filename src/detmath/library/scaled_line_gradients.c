/* Backward rules along an axis: of the largest value and of softmax. A line is read as often as it is
 * needed, so that none is too long to be kept. */
#include "environment.h"
#include "kernels.h"
#include "scaled_kernels.h"
#include "scaled_lines.h"

#include <string.h>

struct gradient {
    struct lines lines; /* a is x */
    struct detmath_scaled_places g;
};

static int open_gradient(struct gradient *gradient, const struct detmath_scaled_tensor *c,
                         const struct detmath_scaled_tensor *x,
                         const struct detmath_scaled_tensor *g, int axis, int reduces) {
    const struct detmath_scaled_tensor *arrays[] = {c, x, g};
    struct lines *lines = &gradient->lines;
    int n = x->data.dimensions, trouble = DETMATH_NO_TROUBLE;
    for (int i = 0; !trouble && i < 3; i++)
        trouble = detmath_scaled_check(arrays[i]);
    trouble = trouble ? trouble : detmath_scaled_kinds(c, g, NULL);
    if (trouble || c->data.dimensions != n || g->data.dimensions != n)
        return trouble ? trouble : DETMATH_TROUBLE_DIMENSIONS;
    if (axis != DETMATH_WHOLE_ARRAY && (axis < -n || axis >= n))
        return DETMATH_TROUBLE_AXIS;
    lines->dimensions = n;
    lines->axis = axis == DETMATH_WHOLE_ARRAY ? -1 : axis < 0 ? axis + n : axis;
    for (int i = 0; i < n; i++) {
        int along = lines->axis < 0 || lines->axis == i;
        size_t extent = x->data.extents[i];
        if (c->data.extents[i] != extent || g->data.extents[i] != (along && reduces ? 1 : extent) ||
            (along && !extent))
            return DETMATH_TROUBLE_EXTENTS;
        if (detmath_scale_extent(c, i) != detmath_scale_extent(g, i) ||
            (along && detmath_scale_extent(g, i) != 1) ||
            (along && !reduces && detmath_scale_extent(x, i) != 1))
            return DETMATH_TROUBLE_SCALES;
    }
    detmath_scaled_place(&lines->a, x, n);
    detmath_scaled_place(&lines->c, c, n);
    detmath_scaled_place(&gradient->g, g, n);
    detmath_lines_count(lines);
    return detmath_scaled_check_overlap(c, x, g,
                                        DETMATH_SCALED_WRITES_DATA | DETMATH_SCALED_WRITES_SCALES |
                                            DETMATH_SCALED_IN_PLACE);
}

static double datum(const struct detmath_scaled_places *places, const size_t *index, int n) {
    const int number = places->array->data.format;
    const struct detmath_format format = detmath_formats[number];
    const char *code = detmath_scaled_codes(places, detmath_scaled_index(places, index, n));
    if (number == DETMATH_F32)
        return detmath_scaled_decode(*(const uint32_t *)(const void *)code, format);
    if (number < DETMATH_E4M3FN)
        return detmath_scaled_decode(*(const uint16_t *)(const void *)code, format);
    return detmath_scaled_decode(*(const uint8_t *)code, format);
}

static void store(const struct gradient *gradient, const size_t *index, double y,
                  const struct detmath_cast *cast) {
    const struct detmath_scaled_line at =
        detmath_line_at(&gradient->lines.c, index, gradient->lines.dimensions, -1);
    detmath_best_level()->scaled_rows->store(&at, y, cast);
}

/* The scale of what comes back to a line, and of what it becomes. */
static struct detmath_scaled_plan plan_back(const struct gradient *gradient, const size_t *line) {
    return detmath_scaled_plan_one(
        detmath_line_scale(&gradient->g, line, gradient->lines.dimensions));
}

/* v * 2^e, v exact: a product of two fp32 numbers, from 2^-298 to below 2^256 if it is not 0. */
struct value {
    double v;
    detmath_i64 e;
};

static struct value value_at(const struct gradient *gradient, const size_t *index) {
    const int n = gradient->lines.dimensions;
    const struct detmath_scale scale = detmath_line_scale(&gradient->lines.a, index, n);
    const double m = detmath_scale_m(scale);
    return (struct value){m == 0.0 ? 0.0 : m * datum(&gradient->lines.a, index, n), scale.e};
}

/* 1, 0 or -1. At the lower of the two exponents, from which 2^600 is as far as any number: what
 * multiplies the one multiplies no element that is not 0 down to below the other. */
static int order(struct value a, struct value b) {
    enum { FAR = 600 };
    detmath_i64 above = a.e - b.e;
    double x = a.v * detmath_scale_power(above > FAR ? FAR : above > 0 ? above : 0);
    double y = b.v * detmath_scale_power(above < -FAR ? FAR : above < 0 ? -above : 0);
    return (x > y) - (x < y);
}

/* A NaN is larger than all. */
static struct value larger(struct value a, struct value b) {
    return a.v != a.v || (b.v == b.v && order(a, b) >= 0) ? a : b;
}

static void spread(const struct gradient *gradient, const size_t *line,
                   const struct detmath_cast *cast) {
    const struct lines *lines = &gradient->lines;
    size_t index[DETMATH_MOST_DIMENSIONS], run;
    const int along = detmath_lines_fastest(lines, &run);
    const struct detmath_scaled_plan back = plan_back(gradient, line);
    memcpy(index, line, sizeof index);
    struct value best = value_at(gradient, index);
    double ties = 0.0;
    while (detmath_line_next(lines, index, along, 1))
        best = larger(best, value_at(gradient, index));
    do
        ties += order(value_at(gradient, index), best) == 0 ? 1.0 : 0.0;
    while (detmath_line_next(lines, index, along, 1));
    double g = back.zero_a ? 0.0 : back.a * datum(&gradient->g, line, lines->dimensions);
    g = best.v == best.v ? g / back.c : best.v;
    do
        store(gradient, index, order(value_at(gradient, index), best) == 0 ? g / ties : g * 0.0,
              cast);
    while (detmath_line_next(lines, index, along, 1));
}

/* The sign of the sum of powers times differences where all powers are lost: by those of elements
 * that weigh most among what differs. */
static double lost_sign(const struct gradient *gradient, size_t *index, double middle,
                        const struct detmath_scaled_plan *plan) {
    const int n = gradient->lines.dimensions, along = gradient->lines.axis;
    const size_t count = gradient->lines.a.array->data.extents[along];
    double most = 0.0, sum = 0.0, sign = plan->a;
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        index[along] = i;
        double x = datum(&gradient->lines.a, index, n);
        int differs = datum(&gradient->g, index, n) != middle && x - x == 0.0;
        most = differs && (!found || sign * x > sign * most) ? x : most;
        found = found || differs;
    }
    for (size_t i = 0; found && i < count; i++) {
        index[along] = i;
        double x = datum(&gradient->lines.a, index, n);
        if (sign * x <= sign * most)
            sum = detmath_fma(detmath_scaled_softmax_element(x, most, *plan, DETMATH_SCALED_F32),
                              datum(&gradient->g, index, n) - middle, sum);
    }
    return sum > 0.0 ? 1.0 : sum < 0.0 ? -1.0 : 0.0;
}

static void weigh(const struct gradient *gradient, const size_t *line,
                  const struct detmath_cast *cast) {
    const struct lines *lines = &gradient->lines;
    const int n = lines->dimensions, along = lines->axis;
    const size_t count = lines->a.array->data.extents[along];
    const struct detmath_scaled_plan plan = detmath_scaled_plan_one(
                                         detmath_line_scale(&lines->a, line, n)),
                                     back = plan_back(gradient, line);
    const struct detmath_scaled_line all = detmath_line_at(&lines->a, line, n, along);
    const double best = detmath_best_level()->scaled_rows->largest(&all, count, &plan) * plan.a;
    size_t index[DETMATH_MOST_DIMENSIONS];
    double sum = 0.0, weighed = 0.0, middle = 0.0, bad = back.c - 1.0;
    memcpy(index, line, sizeof index);
    /* Differences from an element that weighs most lose least. */
    for (size_t i = count; i-- > 0;) {
        index[along] = i;
        double g = back.zero_a ? 0.0 : datum(&gradient->g, index, n);
        bad += g - g;
        middle = plan.zero_a || datum(&lines->a, index, n) == best ? g : middle;
    }
    for (size_t i = 0; i < count; i++) {
        index[along] = i;
        double power = detmath_scaled_softmax_element(datum(&lines->a, index, n), best, plan,
                                                      DETMATH_SCALED_F32);
        double g = back.zero_a ? 0.0 : datum(&gradient->g, index, n);
        sum += power;
        weighed = detmath_fma(power, g - middle, weighed);
    }
    if (weighed == 0.0 && !plan.zero_a && !back.zero_a)
        weighed = sum * 0x1p-1000 * lost_sign(gradient, index, middle, &plan);
    for (size_t i = 0; i < count; i++) {
        index[along] = i;
        double power = detmath_scaled_softmax_element(datum(&lines->a, index, n), best, plan,
                                                      DETMATH_SCALED_F32);
        double g = back.zero_a ? 0.0 : datum(&gradient->g, index, n);
        double far = (g - middle) - weighed / sum;
        double y = far == 0.0 ? 0.0 : detmath_product(power / sum, back.a * far);
        store(gradient, index, bad == 0.0 ? y : bad - bad, cast);
    }
}

static void run(const struct gradient *gradient, const struct detmath_cast *cast,
                void (*line)(const struct gradient *, const size_t *,
                             const struct detmath_cast *)) {
    uint64_t set = detmath_environment_enter();
    for (size_t number = 0; number < gradient->lines.count; number++) {
        size_t index[DETMATH_MOST_DIMENSIONS] = {0};
        detmath_line_index(&gradient->lines, number, index);
        if (!gradient->lines.is_empty)
            line(gradient, index, cast);
        detmath_line_store_scale(&gradient->lines, index, plan_back(gradient, index).scale);
    }
    detmath_environment_leave(set);
}

int detmath_scaled_max_gradient(const struct detmath_scaled_tensor *c,
                                const struct detmath_scaled_tensor *x,
                                const struct detmath_scaled_tensor *g, int axis,
                                const struct detmath_cast *cast) {
    struct gradient gradient;
    int trouble = open_gradient(&gradient, c, x, g, axis, 1);
    if (!trouble)
        run(&gradient, cast, spread);
    return trouble;
}

int detmath_scaled_softmax_gradient(const struct detmath_scaled_tensor *c,
                                    const struct detmath_scaled_tensor *x,
                                    const struct detmath_scaled_tensor *g, int axis,
                                    const struct detmath_cast *cast) {
    struct gradient gradient;
    int trouble = axis == DETMATH_WHOLE_ARRAY ? DETMATH_TROUBLE_AXIS
                                              : open_gradient(&gradient, c, x, g, axis, 0);
    if (!trouble)
        run(&gradient, cast, weigh);
    return trouble;
}

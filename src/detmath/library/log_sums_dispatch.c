/* The library's logarithms of sums of exponentials: of arrays beside each other, and along an axis of
 * arrays of any strides and formats. */
#include "detmath/arrays.h"
#include "detmath/log_sums_lines.h"
#include "detmath/strided.h"
#include "environment.h"
#include "geometry.h"
#include "reduction_list.h"

#include <stdlib.h>

/* Lines, in nearest-even whatever the caller has set. */
static void logcumsumexp(const struct detmath_line_out *y, const struct detmath_line *x, size_t n,
                         int exclusive) {
    uint64_t set = detmath_environment_enter();
    detmath_reductions()->logcumsumexp(y, x, n, exclusive);
    detmath_environment_leave(set);
}

static void logsumexp(const struct detmath_line_out *y, const struct detmath_line *x, size_t n) {
    uint64_t set = detmath_environment_enter();
    detmath_reductions()->logsumexp(y, x, n);
    detmath_environment_leave(set);
}

static void log_softmax(const struct detmath_line_out *y, const struct detmath_line *x, size_t n) {
    uint64_t set = detmath_environment_enter();
    detmath_reductions()->log_softmax(y, x, n);
    detmath_environment_leave(set);
}

#define FORMS(T, S, SUFFIX)                                                                        \
    T detmath_logsumexp_##S(const T *x, size_t n) {                                                \
        T y;                                                                                       \
        struct detmath_line from = detmath_line_of##SUFFIX(x);                                     \
        struct detmath_line_out to = detmath_line_to##SUFFIX(&y);                                  \
        logsumexp(&to, &from, n);                                                                  \
        return y;                                                                                  \
    }                                                                                              \
    void detmath_logcumsumexp_##S(T *y, const T *x, size_t n) {                                    \
        struct detmath_line from = detmath_line_of##SUFFIX(x);                                     \
        struct detmath_line_out to = detmath_line_to##SUFFIX(y);                                   \
        logcumsumexp(&to, &from, n, 0);                                                            \
    }                                                                                              \
    void detmath_log_softmax_##S(T *y, const T *x, size_t n) {                                     \
        struct detmath_line from = detmath_line_of##SUFFIX(x);                                     \
        struct detmath_line_out to = detmath_line_to##SUFFIX(y);                                   \
        log_softmax(&to, &from, n);                                                                \
    }
FORMS(float, f32, f)
FORMS(double, f64, )

static int is_known(int format) {
    return (format >= 0 && format < DETMATH_FORMATS) || format == DETMATH_F64;
}

static ptrdiff_t width(int format) {
    return format == DETMATH_F64   ? 8
           : format == DETMATH_F32 ? 4
                                   : 1 + (detmath_formats[format].sign_bit > 0x80u);
}

/* Whether the elements, in row-major order, lie one stride apart: which one. */
static int is_one_line(const struct detmath_strided *array, const ptrdiff_t *strides,
                       ptrdiff_t *stride) {
    ptrdiff_t next = 0;
    *stride = 1;
    for (int i = array->dimensions - 1; i >= 0; i--) {
        if (array->extents[i] == 1)
            continue;
        if (next && strides[i] != next)
            return 0;
        *stride = next ? *stride : strides[i];
        next = strides[i] * (ptrdiff_t)array->extents[i];
    }
    return 1;
}

/* An array as lines: their length and stride, and the extents and strides of what numbers them. */
struct lines {
    struct detmath_strided array;
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS], stride;
    size_t length;
    int axis; /* -1 where the whole array is one line */
};

static int make_lines(struct lines *lines, const struct detmath_strided *array, int axis) {
    int dimensions = array->dimensions;
    if (dimensions < 0 || dimensions > DETMATH_MOST_DIMENSIONS)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!is_known(array->format))
        return DETMATH_TROUBLE_FORMAT;
    lines->array = *array;
    lines->axis = -1;
    lines->length = 1;
    detmath_settle_strides(array, lines->strides);
    for (int i = 0; i < dimensions; i++)
        lines->length *= array->extents[i];
    if (axis == DETMATH_WHOLE_ARRAY)
        return is_one_line(array, lines->strides, &lines->stride) ? DETMATH_NO_TROUBLE
                                                                  : DETMATH_TROUBLE_LINE;
    if (axis < -dimensions || axis >= dimensions)
        return DETMATH_TROUBLE_AXIS;
    lines->axis = axis < 0 ? axis + dimensions : axis;
    lines->length = lines->length ? array->extents[lines->axis] : 0;
    lines->stride = lines->strides[lines->axis];
    return DETMATH_NO_TROUBLE;
}

/* Where line `number` begins. */
static ptrdiff_t start_of(const struct lines *lines, size_t number) {
    ptrdiff_t at = 0;
    for (int i = lines->array.dimensions - 1; lines->axis >= 0 && i >= 0; i--) {
        if (i == lines->axis)
            continue;
        at += (ptrdiff_t)(number % lines->array.extents[i]) * lines->strides[i];
        number /= lines->array.extents[i];
    }
    return at;
}

static size_t count_of(const struct lines *lines) {
    size_t count = lines->length > 0;
    for (int i = 0; lines->axis >= 0 && i < lines->array.dimensions; i++)
        count *= i == lines->axis ? 1 : lines->array.extents[i];
    return count;
}

/* Line `number`, from its end where `reverse`. */
static const char *codes_of(const struct lines *lines, size_t number, int reverse) {
    ptrdiff_t last = reverse ? (ptrdiff_t)(lines->length - 1) * lines->stride : 0;
    return (const char *)lines->array.codes +
           (start_of(lines, number) + last) * width(lines->array.format);
}

static struct detmath_line line_of(const struct lines *lines, size_t number, int reverse,
                                   int cast) {
    struct detmath_line line = {codes_of(lines, number, reverse),
                                reverse ? -lines->stride : lines->stride, lines->array.format,
                                cast};
    return line;
}

static struct detmath_line_out line_to(const struct lines *lines, size_t number, int reverse) {
    struct detmath_line_out line = {(void *)(uintptr_t)codes_of(lines, number, reverse),
                                    reverse ? -lines->stride : lines->stride, lines->array.format};
    return line;
}

static int same_extents(const struct detmath_strided *y, const struct detmath_strided *x) {
    int same = y->dimensions == x->dimensions;
    for (int i = 0; same && i < x->dimensions; i++)
        same = y->extents[i] == x->extents[i];
    return same;
}

/* y over x: the same codes in the same places, or nothing that is known to be wrong. */
static int is_in_place(const struct lines *y, const struct lines *x) {
    int same = y->array.format == x->array.format;
    for (int i = 0; same && i < x->array.dimensions; i++)
        same = x->array.extents[i] == 1 || y->strides[i] == x->strides[i];
    return same;
}

static int plan(struct lines *to, struct lines *from, const struct detmath_strided *y,
                const struct detmath_strided *x, int axis) {
    int trouble = make_lines(from, x, axis);
    trouble = trouble ? trouble : make_lines(to, y, axis);
    if (!trouble && !same_extents(y, x))
        trouble = DETMATH_TROUBLE_EXTENTS;
    if (!trouble && y->codes == x->codes && !is_in_place(to, from))
        trouble = DETMATH_TROUBLE_OVERLAP;
    return trouble;
}

int detmath_logcumsumexp_along(const struct detmath_strided *y, const struct detmath_strided *x,
                               int axis, unsigned options) {
    struct lines to, from;
    int trouble = plan(&to, &from, y, x, axis), reverse = (options & DETMATH_REVERSE) != 0;
    if (trouble || options > (DETMATH_EXCLUSIVE | DETMATH_REVERSE))
        return trouble ? trouble : DETMATH_TROUBLE_OPTIONS;
    for (size_t i = 0, count = count_of(&from); i < count; i++) {
        struct detmath_line_out line = line_to(&to, i, reverse);
        struct detmath_line source = line_of(&from, i, reverse, y->format);
        logcumsumexp(&line, &source, from.length, options & DETMATH_EXCLUSIVE);
    }
    return DETMATH_NO_TROUBLE;
}

int detmath_logcumsumexp_gradient_along(const struct detmath_strided *gradient,
                                        const struct detmath_strided *x,
                                        const struct detmath_strided *g, int axis,
                                        unsigned options) {
    struct lines to, from, given;
    int trouble = plan(&to, &from, gradient, x, axis), reverse = (options & DETMATH_REVERSE) != 0;
    trouble = trouble ? trouble : plan(&to, &given, gradient, g, axis);
    if (trouble || options > (DETMATH_EXCLUSIVE | DETMATH_REVERSE))
        return trouble ? trouble : DETMATH_TROUBLE_OPTIONS;
    size_t count = count_of(&from);
    struct detmath_log_prefix *prefixes = count && from.length <= SIZE_MAX / sizeof *prefixes
                                              ? malloc(from.length * sizeof *prefixes)
                                              : NULL;
    uint64_t set = detmath_environment_enter();
    for (size_t i = 0; prefixes && i < count; i++) {
        struct detmath_line_out line = line_to(&to, i, reverse);
        struct detmath_line source = line_of(&from, i, reverse, gradient->format);
        struct detmath_line incoming = line_of(&given, i, reverse, gradient->format);
        detmath_reductions()->logcumsumexp_gradient(&line, &source, &incoming, from.length,
                                                    options & DETMATH_EXCLUSIVE, prefixes);
    }
    detmath_environment_leave(set);
    int has_memory = !count || prefixes;
    free(prefixes);
    return has_memory ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

int detmath_log_softmax_along(const struct detmath_strided *y, const struct detmath_strided *x,
                              int axis) {
    struct lines to, from;
    int trouble = plan(&to, &from, y, x, axis);
    for (size_t i = 0, count = trouble ? 0 : count_of(&from); i < count; i++) {
        struct detmath_line_out line = line_to(&to, i, 0);
        struct detmath_line source = line_of(&from, i, 0, y->format);
        log_softmax(&line, &source, from.length);
    }
    return trouble;
}

int detmath_log_softmax_gradient_along(const struct detmath_strided *gradient,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, int axis) {
    struct lines to, from, given;
    int trouble = plan(&to, &from, gradient, x, axis);
    trouble = trouble ? trouble : plan(&to, &given, gradient, g, axis);
    uint64_t set = detmath_environment_enter();
    for (size_t i = 0, count = trouble ? 0 : count_of(&from); i < count; i++) {
        struct detmath_line_out line = line_to(&to, i, 0);
        struct detmath_line source = line_of(&from, i, 0, gradient->format);
        struct detmath_line incoming = line_of(&given, i, 0, gradient->format);
        detmath_reductions()->log_softmax_gradient(&line, &source, &incoming, from.length);
    }
    detmath_environment_leave(set);
    return trouble;
}

/* An array without the axis of another, with the axis: of stride 0. */
struct reduced {
    size_t extents[DETMATH_MOST_DIMENSIONS];
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    struct lines lines;
};

static int plan_reduced(struct reduced *reduced, const struct detmath_strided *y,
                        const struct lines *from, const struct detmath_strided *x, int axis) {
    struct detmath_strided same = *x;
    ptrdiff_t given[DETMATH_MOST_DIMENSIONS];
    int kept = 0;
    if (y->dimensions != (from->axis < 0 ? 0 : x->dimensions - 1))
        return DETMATH_TROUBLE_EXTENTS;
    if (!is_known(y->format))
        return DETMATH_TROUBLE_FORMAT;
    detmath_settle_strides(y, given);
    for (int i = 0; i < x->dimensions; i++) {
        int is_axis = i == from->axis || from->axis < 0;
        reduced->extents[i] = x->extents[i];
        reduced->strides[i] = is_axis ? 0 : given[kept];
        if (!is_axis && y->extents[kept++] != x->extents[i])
            return DETMATH_TROUBLE_EXTENTS;
    }
    same.codes = y->codes;
    same.format = y->format;
    same.extents = reduced->extents;
    same.strides = reduced->strides;
    return make_lines(&reduced->lines, &same, axis);
}

int detmath_logsumexp_along(const struct detmath_strided *y, const struct detmath_strided *x,
                            int axis) {
    struct lines from;
    struct reduced to;
    int trouble = make_lines(&from, x, axis);
    trouble = trouble ? trouble : plan_reduced(&to, y, &from, x, axis);
    size_t count = 1; /* of lines without elements too, which have -inf */
    for (int i = 0; !trouble && from.axis >= 0 && i < x->dimensions; i++)
        count *= i == from.axis ? 1 : x->extents[i];
    for (size_t i = 0; !trouble && i < count; i++) {
        struct detmath_line_out line = line_to(&to.lines, i, 0);
        struct detmath_line source = line_of(&from, i, 0, y->format);
        logsumexp(&line, &source, from.length);
    }
    return trouble;
}

int detmath_logsumexp_gradient_along(const struct detmath_strided *gradient,
                                     const struct detmath_strided *x,
                                     const struct detmath_strided *g, int axis) {
    struct lines to, from;
    struct reduced given;
    int trouble = plan(&to, &from, gradient, x, axis);
    trouble = trouble ? trouble : plan_reduced(&given, g, &from, x, axis);
    if (!trouble && gradient->codes == g->codes && count_of(&from))
        trouble = DETMATH_TROUBLE_OVERLAP;
    uint64_t set = detmath_environment_enter();
    for (size_t i = 0, count = trouble ? 0 : count_of(&from); i < count; i++) {
        struct detmath_line_out line = line_to(&to, i, 0);
        struct detmath_line source = line_of(&from, i, 0, gradient->format);
        struct detmath_line incoming = line_of(&given.lines, i, 0, gradient->format);
        detmath_reductions()->logsumexp_gradient(&line, &source, &incoming, from.length);
    }
    detmath_environment_leave(set);
    return trouble;
}

const char *detmath_trouble_text(int trouble) {
    static const char *const texts[] = {
        "nothing is wrong",
        "an array has 0 to 8 dimensions",
        "a format is none of DETMATH_F32 to DETMATH_E5M2FNUZ and DETMATH_F64",
        "the axis is none of the array's: it has -dimensions to dimensions - 1",
        "the whole array as one line wants elements that lie one stride apart",
        "the result has not the extents that it should have",
        "the result lies over the operand, but in another format or with other strides",
        "options are DETMATH_EXCLUSIVE and DETMATH_REVERSE",
        "the extents of scales are 1, or divide those of the data",
        "the scales of operands and results are of one kind, and results have some",
        "out of memory",
        "formats of floating point and int32 have the zero point 0 alone",
    };
    return trouble >= 0 && trouble < (int)(sizeof texts / sizeof *texts) ? texts[trouble]
                                                                         : "no such trouble";
}

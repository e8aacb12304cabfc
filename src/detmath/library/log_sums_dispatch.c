/* The library's logarithms of sums of exponentials: of arrays beside each other, and along an axis of
 * arrays of any strides and formats. */
#include "axis_lines.h"
#include "detmath/arrays.h"
#include "detmath/log_sums_lines.h"
#include "detmath/strided.h"
#include "environment.h"
#include "geometry.h"
#include "overlap.h"
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

/* Whether a line is fp32 numbers beside each other. */
static int is_plain(const struct detmath_line *x) {
    return x->format == DETMATH_F32 && x->cast == DETMATH_F32 && x->stride == 1;
}

static void log_softmax(const struct detmath_line_out *y, const struct detmath_line *x, size_t n) {
    uint64_t set = detmath_environment_enter();
    const int tries =
        is_plain(x) && y->format == DETMATH_F32 && y->stride == 1 && y->codes != x->codes;
    if (!tries || !detmath_reductions()->lines->log_softmax(y->codes, (const float *)x->codes, n))
        detmath_reductions()->log_softmax(y, x, n);
    detmath_environment_leave(set);
}

#define FORMAT_f32 DETMATH_F32
#define FORMAT_f64 DETMATH_F64
#define FORMS(T, S, SUFFIX)                                                                        \
    T detmath_logsumexp_##S(const T *x, size_t n) {                                                \
        T y;                                                                                       \
        struct detmath_line from = detmath_line_of##SUFFIX(x);                                     \
        struct detmath_line_out to = detmath_line_to##SUFFIX(&y);                                  \
        logsumexp(&to, &from, n);                                                                  \
        return y;                                                                                  \
    }                                                                                              \
    void detmath_logcumsumexp_##S(T *y, const T *x, size_t n) {                                    \
        void *copy;                                                                                \
        const T *apart = detmath_operand_apart(x, n, y, n, 1, FORMAT_##S, &copy);                  \
        struct detmath_line from = detmath_line_of##SUFFIX(apart);                                 \
        struct detmath_line_out to = detmath_line_to##SUFFIX(y);                                   \
        if (apart)                                                                                 \
            logcumsumexp(&to, &from, n, 0);                                                        \
        free(copy);                                                                                \
    }                                                                                              \
    void detmath_log_softmax_##S(T *y, const T *x, size_t n) {                                     \
        void *copy;                                                                                \
        const T *apart = detmath_operand_apart(x, n, y, n, 1, FORMAT_##S, &copy);                  \
        struct detmath_line from = detmath_line_of##SUFFIX(apart);                                 \
        struct detmath_line_out to = detmath_line_to##SUFFIX(y);                                   \
        if (apart)                                                                                 \
            log_softmax(&to, &from, n);                                                            \
        free(copy);                                                                                \
    }
FORMS(float, f32, f)
FORMS(double, f64, )

/* Which array of a call has the extents of x without the axis. */
enum reduced { NONE, RESULT, INCOMING };

/* What a call writes and reads. */
struct call {
    struct detmath_axis_lines to, from, given;
    int has_given, reverse, format; /* that of the result, which elements are cast to */
    size_t count, length;           /* lines, and their elements */
};

static int same_extents(const struct detmath_strided *y, const struct detmath_strided *x) {
    int same = y->dimensions == x->dimensions;
    for (int i = 0; same && i < x->dimensions; i++)
        same = y->extents[i] == x->extents[i];
    return same;
}

/* An array without the axis of another, with the axis: of stride 0. */
static int open_reduced(struct detmath_axis_lines *lines, const struct detmath_strided *array,
                        const struct detmath_axis_lines *from, const struct detmath_strided *x,
                        int axis) {
    struct detmath_strided same = *x;
    ptrdiff_t own[DETMATH_MOST_DIMENSIONS], strides[DETMATH_MOST_DIMENSIONS];
    int kept = 0;
    if (array->dimensions != (from->axis < 0 ? 0 : x->dimensions - 1))
        return DETMATH_TROUBLE_EXTENTS;
    detmath_settle_strides(array, own);
    for (int i = 0; i < x->dimensions; i++) {
        int is_axis = i == from->axis || from->axis < 0;
        strides[i] = is_axis ? 0 : own[kept];
        if (!is_axis && array->extents[kept++] != x->extents[i])
            return DETMATH_TROUBLE_EXTENTS;
    }
    same.codes = array->codes;
    same.format = array->format;
    same.strides = strides;
    return detmath_axis_lines_open(lines, &same, axis);
}

static int open_side(struct detmath_axis_lines *lines, const struct detmath_strided *array,
                     const struct detmath_axis_lines *from, const struct detmath_strided *x,
                     int axis, int is_reduced) {
    if (is_reduced)
        return open_reduced(lines, array, from, x, axis);
    const int trouble = detmath_axis_lines_open(lines, array, axis);
    return trouble || same_extents(array, x) ? trouble : DETMATH_TROUBLE_EXTENTS;
}

static int call_close(struct call *call, int trouble) {
    detmath_axis_lines_close(&call->to, !trouble);
    detmath_axis_lines_close(&call->from, 0);
    if (call->has_given)
        detmath_axis_lines_close(&call->given, 0);
    return trouble;
}

/* With any trouble no lines are left to be done, and memory has been given back. */
static int call_open(struct call *call, const struct detmath_strided *y,
                     const struct detmath_strided *x, const struct detmath_strided *g, int axis,
                     enum reduced reduced) {
    int trouble = detmath_axis_lines_open(&call->from, x, axis);
    call->has_given = g != NULL;
    call->format = y->format;
    call->reverse = 0;
    call->count = 0;
    trouble = trouble ? trouble : open_side(&call->to, y, &call->from, x, axis, reduced == RESULT);
    if (!trouble && g)
        trouble = open_side(&call->given, g, &call->from, x, axis, reduced == INCOMING);
    if (!trouble && !detmath_has_own_places(y))
        trouble = DETMATH_TROUBLE_OVERLAP;
    trouble = trouble ? trouble : detmath_check_overlap(y, x, reduced != RESULT);
    if (!trouble && g)
        trouble = detmath_check_overlap(y, g, reduced != INCOMING);
    if (trouble)
        return trouble;
    if (!detmath_axis_lines_gather(&call->from, 0) || !detmath_axis_lines_gather(&call->to, 1) ||
        (g && !detmath_axis_lines_gather(&call->given, 0)))
        return call_close(call, DETMATH_TROUBLE_MEMORY);
    call->length = call->from.length;
    call->count = detmath_axis_lines_count(&call->from);
    return DETMATH_NO_TROUBLE;
}

static struct detmath_line line_of(const struct call *call, const struct detmath_axis_lines *lines,
                                   size_t number) {
    return (struct detmath_line){detmath_axis_line(lines, number, call->reverse),
                                 call->reverse ? -lines->stride : lines->stride,
                                 lines->array.format, call->format};
}

static struct detmath_line_out line_to(const struct call *call, size_t number) {
    const struct detmath_line line = line_of(call, &call->to, number);
    return (struct detmath_line_out){(void *)(uintptr_t)line.codes, line.stride, call->format};
}

int detmath_logcumsumexp_along(const struct detmath_strided *y, const struct detmath_strided *x,
                               int axis, unsigned options) {
    struct call call;
    int trouble = options > (DETMATH_EXCLUSIVE | DETMATH_REVERSE)
                      ? DETMATH_TROUBLE_OPTIONS
                      : call_open(&call, y, x, NULL, axis, NONE);
    if (trouble)
        return trouble;
    call.reverse = (options & DETMATH_REVERSE) != 0;
    for (size_t i = 0; i < call.count; i++) {
        const struct detmath_line_out line = line_to(&call, i);
        const struct detmath_line source = line_of(&call, &call.from, i);
        logcumsumexp(&line, &source, call.length, options & DETMATH_EXCLUSIVE);
    }
    return call_close(&call, trouble);
}

int detmath_logcumsumexp_gradient_along(const struct detmath_strided *gradient,
                                        const struct detmath_strided *x,
                                        const struct detmath_strided *g, int axis,
                                        unsigned options) {
    struct call call;
    int trouble = options > (DETMATH_EXCLUSIVE | DETMATH_REVERSE)
                      ? DETMATH_TROUBLE_OPTIONS
                      : call_open(&call, gradient, x, g, axis, NONE);
    if (trouble)
        return trouble;
    struct detmath_log_prefix *prefixes = call.count && call.length <= SIZE_MAX / sizeof *prefixes
                                              ? malloc(call.length * sizeof *prefixes)
                                              : NULL;
    if (call.count && !prefixes)
        return call_close(&call, DETMATH_TROUBLE_MEMORY);
    call.reverse = (options & DETMATH_REVERSE) != 0;
    uint64_t set = detmath_environment_enter();
    for (size_t i = 0; i < call.count; i++) {
        const struct detmath_line_out line = line_to(&call, i);
        const struct detmath_line source = line_of(&call, &call.from, i),
                                  incoming = line_of(&call, &call.given, i);
        detmath_reductions()->logcumsumexp_gradient(&line, &source, &incoming, call.length,
                                                    options & DETMATH_EXCLUSIVE, prefixes);
    }
    detmath_environment_leave(set);
    free(prefixes);
    return call_close(&call, trouble);
}

int detmath_log_softmax_along(const struct detmath_strided *y, const struct detmath_strided *x,
                              int axis) {
    struct call call;
    int trouble = call_open(&call, y, x, NULL, axis, NONE);
    if (trouble)
        return trouble;
    for (size_t i = 0; i < call.count; i++) {
        const struct detmath_line_out line = line_to(&call, i);
        const struct detmath_line source = line_of(&call, &call.from, i);
        log_softmax(&line, &source, call.length);
    }
    return call_close(&call, trouble);
}

int detmath_logsumexp_along(const struct detmath_strided *y, const struct detmath_strided *x,
                            int axis) {
    struct call call;
    int trouble = call_open(&call, y, x, NULL, axis, RESULT);
    if (trouble)
        return trouble;
    size_t count = 1; /* of lines without elements too, which have -inf */
    for (int i = 0; call.from.axis >= 0 && i < x->dimensions; i++)
        count *= i == call.from.axis ? 1 : x->extents[i];
    for (size_t i = 0; i < count; i++) {
        const struct detmath_line_out line = line_to(&call, i);
        const struct detmath_line source = line_of(&call, &call.from, i);
        logsumexp(&line, &source, call.length);
    }
    return call_close(&call, trouble);
}

/* The gradients of log_softmax and logsumexp. */
static int share_gradient(const struct detmath_strided *gradient, const struct detmath_strided *x,
                          const struct detmath_strided *g, int axis, enum reduced reduced) {
    struct call call;
    int trouble = call_open(&call, gradient, x, g, axis, reduced);
    if (trouble)
        return trouble;
    uint64_t set = detmath_environment_enter();
    for (size_t i = 0; i < call.count; i++) {
        const struct detmath_line_out line = line_to(&call, i);
        const struct detmath_line source = line_of(&call, &call.from, i),
                                  incoming = line_of(&call, &call.given, i);
        if (reduced)
            detmath_reductions()->logsumexp_gradient(&line, &source, &incoming, call.length);
        else
            detmath_reductions()->log_softmax_gradient(&line, &source, &incoming, call.length);
    }
    detmath_environment_leave(set);
    return call_close(&call, trouble);
}

int detmath_log_softmax_gradient_along(const struct detmath_strided *gradient,
                                       const struct detmath_strided *x,
                                       const struct detmath_strided *g, int axis) {
    return share_gradient(gradient, x, g, axis, NONE);
}

int detmath_logsumexp_gradient_along(const struct detmath_strided *gradient,
                                     const struct detmath_strided *x,
                                     const struct detmath_strided *g, int axis) {
    return share_gradient(gradient, x, g, axis, INCOMING);
}

const char *detmath_trouble_text(int trouble) {
    static const char *const texts[] = {
        "nothing is wrong",
        "an array has 0 to 8 dimensions, and those that the function needs",
        "a format is none of DETMATH_F32 to DETMATH_E5M2FNUZ and DETMATH_F64",
        "the axis is none of the array's: it has -dimensions to dimensions - 1",
        "the whole array as one line needs elements that lie one stride apart",
        "the result has not the extents that it should have; or there is no largest of no elements",
        "a result overlaps an operand, a scale or itself, and is not that array in place",
        "an option is none that the function has, or beyond its ends; those of scans are "
        "DETMATH_EXCLUSIVE and DETMATH_REVERSE",
        "the extents of scales are 1, or divide those of the data",
        "the scales of operands and results are of one kind, and results have some",
        "out of memory",
        "formats of floating point and int32 have the zero point 0 alone",
        "an operator set is 10 or more, and has an axis from 13 on, saturate=0 from 19, blocks "
        "from 21 and a precision "
        "from 23",
        "a static scale is a rule, or a normal number of fp32 above 0; where scales are powers of "
        "two it is one",
        "an array has PTRDIFF_MAX elements at most, and a sum of scaled numbers 2^30 terms",
        "a stride and a dilation are 1 or more, and they and an axis with its padding PTRDIFF_MAX "
        "at "
        "most",
        "groups are 1 or more, and divide the channels of the operands",
        "a block has 1 element or more",
        "offsets of bags begin at 0 and never fall, and end at the number of indices at most",
    };
    return trouble >= 0 && trouble < (int)(sizeof texts / sizeof *texts) ? texts[trouble]
                                                                         : "no such trouble";
}

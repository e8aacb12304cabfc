/* Calls on arrays of any strides, for sharing_test.c: logarithms of sums of exponentials, and scaled arrays, whose
 * scales are arrays beside the data. */
#include "sharing.h"

#include "detmath/cast_arrays.h"
#include "detmath/scaled_tensors.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const size_t bytes_of[] = {4, 2, 2, 1, 1, 1, 1};

static int draw_shape(const struct call *call, size_t *extents, int most) {
    const int n = draw(call, 1, most);
    for (int i = 0; i < n; i++)
        extents[i] = draw_extent(call);
    return n;
}

static int draw_axis(const struct call *call, int n, int whole) {
    return whole && chance(call, 20) ? DETMATH_WHOLE_ARRAY : draw(call, -n, n - 1);
}

enum log_sum { SCAN, SCAN_GRADIENT, SUM, SUM_GRADIENT, SHARES, SHARES_GRADIENT };

static int run_log_sum(const struct call *call, const struct detmath_strided *at) {
    const int axis = call->numbers[1];
    const unsigned options = (unsigned)call->numbers[2];
    switch ((enum log_sum)call->numbers[0]) {
    case SCAN:
        return detmath_logcumsumexp_along(&at[0], &at[1], axis, options);
    case SCAN_GRADIENT:
        return detmath_logcumsumexp_gradient_along(&at[0], &at[1], &at[2], axis, options);
    case SUM:
        return detmath_logsumexp_along(&at[0], &at[1], axis);
    case SUM_GRADIENT:
        return detmath_logsumexp_gradient_along(&at[0], &at[1], &at[2], axis);
    case SHARES:
        return detmath_log_softmax_along(&at[0], &at[1], axis);
    default:
        return detmath_log_softmax_gradient_along(&at[0], &at[1], &at[2], axis);
    }
}

void draw_log_sum(struct call *call) {
    const enum log_sum which = (enum log_sum)(call->numbers[0] = draw(call, 0, 5));
    size_t extents[DIMENSIONS], kept[DIMENSIONS];
    const int n = draw_shape(call, extents, 3), whole = chance(call, 15);
    const int axis = draw_axis(call, n, 0), own = axis < 0 ? axis + n : axis;
    int left = 0;
    for (int i = 0; i < n; i++)
        if (i != own && !whole)
            kept[left++] = extents[i];
    call->numbers[1] = whole ? DETMATH_WHOLE_ARRAY : axis;
    call->numbers[2] = which <= SCAN_GRADIENT ? draw(call, 0, 3) : 0;
    call->run = run_log_sum;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    call->in_place = which != SUM;
    const bool has_gradient =
        which == SCAN_GRADIENT || which == SUM_GRADIENT || which == SHARES_GRADIENT;
    const int formats = chance(call, 70) ? draw(call, 0, 6) : -1;
    for (int i = 0; i < 2 + has_gradient; i++) {
        const bool is_reduced = (which == SUM && i == 0) || (which == SUM_GRADIENT && i == 2);
        const int format = formats >= 0       ? formats
                           : chance(call, 20) ? DETMATH_F64
                                              : draw(call, 0, 6);
        struct array *array =
            add_array(call, i == 0, format, format == DETMATH_F64 ? 8 : bytes_of[format], NUMBERS,
                      is_reduced ? left : n, is_reduced ? kept : extents);
        array->never_shared = which == SUM_GRADIENT && i == 2;
        array->is_flat = whole && chance(call, 50); /* others have no line */
    }
}

/* A scaled array: data, and scales of which there are along each dimension one, one for each, or one for each block. */
static void add_scaled(struct call *call, bool is_written, int kind, int n, const size_t *extents,
                       const size_t *scales) {
    const int format = chance(call, 70) ? call->numbers[7] : draw(call, 0, 6);
    add_array(call, is_written, format, bytes_of[format], NUMBERS, n, extents);
    add_array(call, is_written, kind, 4, SCALES, n, scales);
}

static void draw_scales(const struct call *call, int n, const size_t *extents, size_t *scales) {
    for (int i = 0; i < n; i++) {
        const size_t extent = extents[i];
        scales[i] = chance(call, 50)                      ? 1
                    : chance(call, 50) && extent % 2 == 0 ? extent / 2
                                                          : extent;
    }
}

static struct detmath_scaled_tensor tensor_of(const struct detmath_strided *at) {
    struct detmath_scaled_tensor tensor = {at[0], at[1], NULL};
    for (; tensor.scales.dimensions && tensor.scales.extents[0] == 1; tensor.scales.dimensions--) {
        tensor.scales.extents++; /* what has one scale needs no dimension */
        tensor.scales.strides += tensor.scales.strides != NULL;
    }
    return tensor;
}

static int run_scaled_line(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_scaled_plan plan =
        detmath_scaled_plan_sum(detmath_scale_of(3.0f, 0), detmath_scale_of(-0.5f, 0));
    struct detmath_scaled_line lines[3];
    for (int i = 0; i < call->count; i++)
        lines[i] = (struct detmath_scaled_line){at[i].codes, at[i].format, at[i].strides[0], NULL};
    return detmath_scaled_line((enum detmath_scaled_operation)call->numbers[0], &lines[0],
                               &lines[1], call->count > 2 ? &lines[2] : NULL, at[0].extents[0],
                               &plan, NULL);
}

static const int two[] = {
#define ONE_OPERAND(NAME)  0,
#define TWO_OPERANDS(NAME) 1,
    DETMATH_SCALED_OPERATIONS(ONE_OPERAND, TWO_OPERANDS, ONE_OPERAND)};

void draw_scaled_line(struct call *call) {
    const size_t n = chance(call, 80) ? draw_extent(call) : (size_t)draw(call, 6, 600);
    const int same = chance(call, 70) ? draw(call, 0, 6) : -1;
    call->numbers[0] = draw(call, 0, DETMATH_SCALED_OPERATION_COUNT - 1);
    call->run = run_scaled_line;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    call->in_place = true;
    for (int i = 0; i < 2 + two[call->numbers[0]]; i++) {
        const int format = same >= 0 ? same : draw(call, 0, 6);
        add_array(call, i == 0, format, bytes_of[format], NUMBERS, 1, &n);
    }
}

static int run_scaled_softmax(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_scaled_plan plan = detmath_scaled_plan_one(detmath_scale_of(0.25f, 0));
    *call->result = detmath_scaled_softmax(at[0].format, at[0].codes, at[1].codes, at[0].extents[0],
                                           &plan, (enum detmath_scaled_compute)call->numbers[0]);
    return *call->result == *call->result ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_OVERLAP;
}

void draw_scaled_softmax(struct call *call) {
    const size_t n = (size_t)draw(call, 1, chance(call, 80) ? 9 : 600);
    const int format = draw(call, 0, 6);
    call->numbers[0] = draw(call, DETMATH_SCALED_F32, DETMATH_SCALED_F16);
    call->run = run_scaled_softmax;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    call->in_place = true;
    for (int i = 0; i < 2; i++)
        add_flat(call, i == 0, format, bytes_of[format], NUMBERS, n);
}

static const struct detmath_cast *cast_for(const struct call *call, int format,
                                           struct detmath_conversion *room) {
    const bool made = call->numbers[6] &&
                      detmath_profile_conversion(room, detmath_profile_find("onnx-24"), DETMATH_F32,
                                                 format, DETMATH_NEAREST_EVEN, 0);
    return made ? &room->cast : NULL;
}

/* numbers[6]: by a cast; [7]: the format of most arrays. */
static void draw_common(struct call *call, run_call *run, bool in_place) {
    call->numbers[6] = chance(call, 40);
    call->numbers[7] = draw(call, 0, 6);
    call->run = run;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    call->in_place = in_place;
}

static int run_each(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_scaled_tensor c = tensor_of(at), a = tensor_of(at + 2);
    struct detmath_scaled_tensor b = {.status = NULL};
    struct detmath_conversion room;
    const struct detmath_cast *cast = cast_for(call, at[0].format, &room);
    if (call->count > 4)
        b = tensor_of(at + 4);
    if (call->numbers[0] == DETMATH_SCALED_OPERATION_COUNT)
        return detmath_scaled_rescale(&c, &a, cast);
    return detmath_scaled_each_in((enum detmath_scaled_operation)call->numbers[0],
                                  (enum detmath_scaled_compute)call->numbers[1], &c, &a,
                                  call->count > 4 ? &b : NULL, cast);
}

void draw_scaled_each(struct call *call) {
    size_t extents[3][DIMENSIONS], scales[3][DIMENSIONS], common = 1;
    const int n = draw_shape(call, extents[0], 3),
              kind = chance(call, 30) ? DETMATH_POWERS : DETMATH_F32;
    const int operation = call->numbers[0] = draw(call, 0, DETMATH_SCALED_OPERATION_COUNT);
    const int is_rescale = operation == DETMATH_SCALED_OPERATION_COUNT;
    const int operands = is_rescale ? 1 : 1 + two[operation];
    call->numbers[1] = draw(call, DETMATH_SCALED_F32, DETMATH_SCALED_AUTO);
    draw_common(call, run_each, true);
    for (int k = 1; k <= operands; k++) {
        for (int i = 0; i < n; i++)
            extents[k][i] = operands == 2 && extents[0][i] && chance(call, 15) ? 1 : extents[0][i];
        draw_scales(call, n, extents[k], scales[k]);
    }
    for (int i = 0; i < n; i++) {
        extents[0][i] = extents[1][i];
        if (operands == 2 && extents[2][i] != 1)
            extents[0][i] = extents[2][i];
        common = operands == 2 ? scales[1][i] * scales[2][i] : scales[1][i];
        for (size_t least = common; operands == 2 && least; least--)
            common = least % scales[1][i] || least % scales[2][i] ? common : least;
        scales[0][i] = common;
    }
    if (is_rescale)
        draw_scales(call, n, extents[0], scales[0]);
    for (int k = 0; k <= operands; k++)
        add_scaled(call, k == 0, kind, n, extents[k], scales[k]);
    call->arrays[1].is_written = !is_rescale;
}

enum contraction { MATMUL, CONTRACT, OF_FIRST, OF_SECOND, CONVOLUTION, OF_X, OF_W };

static int run_contraction(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_scaled_tensor c = tensor_of(at), a = tensor_of(at + 2),
                                       b = tensor_of(at + 4);
    const struct detmath_scaled_windows windows[1] = {{(size_t)call->numbers[2], 1, 1}};
    const enum detmath_scaled_strategy by = (enum detmath_scaled_strategy)call->numbers[1];
    struct detmath_conversion room;
    const struct detmath_cast *cast = cast_for(call, at[0].format, &room);
    switch ((enum contraction)call->numbers[0]) {
    case MATMUL:
        return detmath_scaled_matmul(&c, &a, &b, by, cast, 0, SIZE_MAX);
    case CONTRACT:
        return detmath_scaled_contract(&c, &a, &b, by, cast, 0, SIZE_MAX);
    case OF_FIRST:
        return detmath_scaled_matmul_gradient(&c, &a, &b, DETMATH_SCALED_FIRST, by, cast, 0,
                                              SIZE_MAX);
    case OF_SECOND:
        return detmath_scaled_matmul_gradient(&c, &a, &b, DETMATH_SCALED_SECOND, by, cast, 0,
                                              SIZE_MAX);
    case CONVOLUTION:
        return detmath_scaled_convolution(&c, &a, &b, windows, 1, by, cast, 0, SIZE_MAX);
    case OF_X:
        return detmath_scaled_convolution_gradient(&c, &a, &b, windows, 1, DETMATH_SCALED_FIRST, by,
                                                   cast, 0, SIZE_MAX);
    default:
        return detmath_scaled_convolution_gradient(&c, &a, &b, windows, 1, DETMATH_SCALED_SECOND,
                                                   by, cast, 0, SIZE_MAX);
    }
}

/* The three shapes of a product, a convolution or the sum along some dimensions; in the order of its own operation:
 * the first operand, the second, the result. */
static int draw_shapes(struct call *call, size_t shapes[3][DIMENSIONS]) {
    const enum contraction which = (enum contraction)call->numbers[0];
    const size_t m = draw_extent(call), k = draw_extent(call), p = draw_extent(call);
    if (which == CONTRACT) {
        const size_t extents[3] = {m, k, p};
        for (int i = 0; i < 3; i++) {
            const int gone = draw(call, 0, 3);
            for (int array = 0; array < 3; array++)
                shapes[array][i] = array == gone ? 1 : extents[i];
            if (gone == 2 && chance(call, 30))
                shapes[chance(call, 50)][i] = 1;
        }
        return 3;
    }
    if (which <= OF_SECOND) {
        const size_t plain[3][2] = {{m, k}, {k, p}, {m, p}};
        for (int array = 0; array < 3; array++)
            for (int i = 0; i < 2; i++)
                shapes[array][i] = plain[array][i];
        return 2;
    }
    const size_t taps = draw_extent(call), room = draw_extent(call);
    const struct detmath_scaled_windows windows = {(size_t)call->numbers[2], 1, 1};
    const size_t count = detmath_scaled_window_count(room, taps, &windows);
    const size_t plain[3][3] = {{m, k, room}, {p, k, taps}, {m, p, count}};
    for (int array = 0; array < 3; array++)
        for (int i = 0; i < 3; i++)
            shapes[array][i] = plain[array][i];
    return 3;
}

/* A static scale that scales of that kind can take up, now and then a number of one's own. */
static int draw_strategy(struct call *call, int kind) {
    static const enum detmath_scaled_strategy rules[] = {
        DETMATH_SCALED_STATIC_ONE, DETMATH_SCALED_STATIC_POWER, DETMATH_SCALED_STATIC_POWER_DOWN,
        DETMATH_SCALED_MEASURED,   DETMATH_SCALED_STATIC_UNIT,  DETMATH_SCALED_STATIC_MEAN};
    if (chance(call, 20))
        return (int)detmath_scaled_own_static(
            ldexpf(kind == DETMATH_POWERS ? 1 : 1.5f, draw(call, -9, 9)));
    return (int)rules[draw(call, 0, kind == DETMATH_POWERS ? 3 : 5)];
}

/* Scales that go with them: of the result, where it has what an operand has, as many as that. */
void draw_scaled_contraction(struct call *call) {
    /* Which shape is c, a and b. */
    static const int orders[][3] = {{2, 0, 1}, {2, 0, 1}, {0, 1, 2}, {1, 0, 2},
                                    {2, 0, 1}, {0, 1, 2}, {1, 0, 2}};
    size_t shapes[3][DIMENSIONS], ones[DIMENSIONS] = {1, 1, 1, 1, 1};
    call->numbers[0] = draw(call, 0, 6);
    call->numbers[2] = draw(call, 1, 2);
    draw_common(call, run_contraction, false);
    const int n = draw_shapes(call, shapes), kind = chance(call, 30) ? DETMATH_POWERS : DETMATH_F32;
    call->numbers[1] = draw_strategy(call, kind);
    for (int i = 0; i < 3; i++) {
        const int own = orders[call->numbers[0]][i];
        size_t scales[DIMENSIONS];
        memcpy(scales, ones, sizeof scales);
        if (call->numbers[0] == MATMUL && chance(call, 50) && own == 0)
            scales[1] = shapes[own][1]; /* along the terms, which c has not */
        add_scaled(call, i == 0, kind, n, shapes[own], scales);
    }
}

enum along { SUM_ALONG, MEAN_ALONG, MAX_ALONG, SOFTMAX_ALONG, MAX_BACK, SOFTMAX_BACK };

static int run_along(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_scaled_tensor c = tensor_of(at), a = tensor_of(at + 2);
    const int axis = call->numbers[1];
    struct detmath_scaled_tensor g = {.status = NULL};
    struct detmath_conversion room;
    const struct detmath_cast *cast = cast_for(call, at[0].format, &room);
    if (call->count > 4)
        g = tensor_of(at + 4);
    switch ((enum along)call->numbers[0]) {
    case SUM_ALONG:
        return detmath_scaled_sum(&c, &a, axis, (enum detmath_scaled_strategy)call->numbers[2],
                                  cast);
    case MEAN_ALONG:
        return detmath_scaled_mean(&c, &a, axis, cast);
    case MAX_ALONG:
        return detmath_scaled_max_along(&c, &a, axis, cast);
    case SOFTMAX_ALONG:
        return detmath_scaled_softmax_along(&c, &a, axis, DETMATH_SCALED_F32, cast);
    case MAX_BACK:
        return detmath_scaled_max_gradient(&c, &a, &g, axis, cast);
    default:
        return detmath_scaled_softmax_gradient(&c, &a, &g, axis, cast);
    }
}

void draw_scaled_along(struct call *call) {
    size_t extents[DIMENSIONS], scales[3][DIMENSIONS], reduced[DIMENSIONS];
    const enum along which = (enum along)(call->numbers[0] = draw(call, 0, 5));
    const bool is_softmax = which == SOFTMAX_ALONG || which == SOFTMAX_BACK,
               reduces = which <= MAX_ALONG;
    draw_common(call, run_along, !reduces);
    const int n = draw_shape(call, extents, 3);
    const int axis = draw_axis(call, n, !is_softmax), own = axis < 0 ? axis + n : axis;
    const int kind = chance(call, 30) && which != SOFTMAX_ALONG ? DETMATH_POWERS : DETMATH_F32;
    call->numbers[1] = axis;
    call->numbers[2] = draw_strategy(call, kind);
    draw_scales(call, n, extents, scales[1]);
    draw_scales(call, n, extents, scales[2]);
    for (int i = 0; i < n; i++) {
        const bool is_along = axis == DETMATH_WHOLE_ARRAY || i == own;
        reduced[i] = is_along ? 1 : extents[i];
        if (is_along && is_softmax)
            scales[1][i] = 1;
        if (is_along)
            scales[2][i] = 1;
        scales[0][i] = which >= MAX_BACK        ? scales[2][i]
                       : is_along               ? 1
                       : which == SOFTMAX_ALONG ? extents[i]
                                                : scales[1][i];
    }
    add_scaled(call, true, kind, n, reduces ? reduced : extents, scales[0]);
    add_scaled(call, false, kind, n, extents, scales[1]);
    if (which >= MAX_BACK)
        add_scaled(call, false, kind, n, which == MAX_BACK ? reduced : extents, scales[2]);
}

static int run_rebalance(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_scaled_tensor c = tensor_of(at), a = tensor_of(at + 2);
    struct detmath_conversion room;
    return detmath_scaled_rebalance(&c, &a, (enum detmath_scaled_target)call->numbers[0],
                                    cast_for(call, at[0].format, &room));
}

void draw_scaled_rebalance(struct call *call) {
    size_t extents[DIMENSIONS], scales[2][DIMENSIONS];
    draw_common(call, run_rebalance, true);
    call->numbers[0] = chance(call, 30);
    const int n = draw_shape(call, extents, 3),
              kind = chance(call, 30) ? DETMATH_POWERS : DETMATH_F32;
    draw_scales(call, n, extents, scales[0]);
    for (int i = 0; i < n; i++)
        scales[1][i] = chance(call, 50) ? scales[0][i] : extents[i] ? 1 : scales[0][i];
    for (int k = 0; k < 2; k++)
        add_scaled(call, k == 0, kind, n, extents, scales[k]);
}

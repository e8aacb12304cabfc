/* Scaled arrays of any shape, cut into lines of one plan each. */
#include "detmath/scaled_tensors.h"
#include "environment.h"
#include "overlap.h"
#include "scaled_kernels.h"
#include "scaled_tensor.h"

size_t detmath_common_multiple(size_t a, size_t b) {
    size_t x = a, y = b;
    while (y) {
        size_t rest = x % y;
        x = y;
        y = rest;
    }
    return x ? a / x * b : 0;
}

/* The extent of dimension i of `dimensions`, of an array that may lack the first of them. */
static size_t extent_of(const struct detmath_strided *array, int dimensions, int i) {
    int own = i - (dimensions - array->dimensions);
    return own < 0 ? 1 : array->extents[own];
}

size_t detmath_scale_extent(const struct detmath_scaled_tensor *tensor, int i) {
    return extent_of(&tensor->scales, tensor->data.dimensions, i);
}

int detmath_scaled_check(const struct detmath_scaled_tensor *a) {
    const struct detmath_strided *data = &a->data, *scales = &a->scales;
    if (data->dimensions < 0 || data->dimensions > DETMATH_MOST_DIMENSIONS ||
        scales->dimensions < 0 || scales->dimensions > data->dimensions)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (data->format < 0 || data->format >= DETMATH_FORMATS ||
        (scales->codes && scales->format != DETMATH_F32 && scales->format != DETMATH_POWERS))
        return DETMATH_TROUBLE_FORMAT;
    if (!detmath_is_countable(data->extents, data->dimensions))
        return DETMATH_TROUBLE_COUNT;
    for (int i = 0; i < data->dimensions; i++) {
        size_t scale = extent_of(scales, data->dimensions, i);
        if (data->extents[i] ? !scale || data->extents[i] % scale : scale > 1)
            return DETMATH_TROUBLE_SCALES;
    }
    return DETMATH_NO_TROUBLE;
}

int detmath_scaled_check_overlap(const struct detmath_scaled_tensor *c,
                                 const struct detmath_scaled_tensor *a,
                                 const struct detmath_scaled_tensor *b, unsigned writes) {
    const struct detmath_scaled_tensor *operands[] = {a, b};
    const struct detmath_strided *const results[] = {&c->data, &c->scales};
    const int in_place = (writes & DETMATH_SCALED_IN_PLACE) != 0;
    int trouble = detmath_check_overlap(&c->data, &c->scales, 0);
    for (int k = 0; k < 2; k++) {
        if (!(writes & (k ? DETMATH_SCALED_WRITES_SCALES : DETMATH_SCALED_WRITES_DATA)))
            continue;
        if (!trouble && !detmath_has_own_places(results[k]))
            trouble = DETMATH_TROUBLE_OVERLAP;
        for (int i = 0; !trouble && i < 2; i++) {
            if (!operands[i])
                continue;
            trouble = detmath_check_overlap(results[k], &operands[i]->data, !k && in_place);
            trouble = trouble
                          ? trouble
                          : detmath_check_overlap(results[k], &operands[i]->scales, k && in_place);
        }
    }
    return trouble;
}

int detmath_scaled_extents(const struct detmath_scaled_tensor *a,
                           const struct detmath_scaled_tensor *b, int *dimensions,
                           size_t data[DETMATH_MOST_DIMENSIONS],
                           size_t scales[DETMATH_MOST_DIMENSIONS]) {
    int trouble = detmath_scaled_check(a);
    trouble = trouble || !b ? trouble : detmath_scaled_check(b);
    if (trouble)
        return trouble;
    b = b ? b : a;
    int n = a->data.dimensions > b->data.dimensions ? a->data.dimensions : b->data.dimensions;
    for (int i = 0; i < n; i++) {
        size_t left = extent_of(&a->data, n, i), right = extent_of(&b->data, n, i);
        if (left != right && left != 1 && right != 1)
            return DETMATH_TROUBLE_EXTENTS;
        data[i] = left == 1 ? right : left;
        scales[i] =
            detmath_common_multiple(extent_of(&a->scales, n, i), extent_of(&b->scales, n, i));
    }
    *dimensions = n;
    return DETMATH_NO_TROUBLE;
}

void detmath_scaled_place(struct detmath_scaled_places *places,
                          const struct detmath_scaled_tensor *array, int dimensions) {
    ptrdiff_t data[DETMATH_MOST_DIMENSIONS], scales[DETMATH_MOST_DIMENSIONS];
    places->array = array;
    detmath_settle_strides(&array->data, data);
    detmath_settle_strides(&array->scales, scales);
    for (int i = 0; i < dimensions; i++) {
        int own = i - (dimensions - array->data.dimensions),
            scale = i - (dimensions - array->scales.dimensions);
        size_t extent = extent_of(&array->data, dimensions, i),
               count = extent_of(&array->scales, dimensions, i);
        places->stride[i] = extent == 1 ? 0 : data[own];
        places->scale_stride[i] = count == 1 ? 0 : scales[scale];
        places->block[i] = count <= 1 ? 0 : extent / count;
    }
}

int detmath_scaled_ends(const struct detmath_scaled_places *places, const size_t *at,
                        int dimensions, int axis) {
    for (int i = 0; i < dimensions; i++) {
        const size_t extent = extent_of(&places->array->data, dimensions, i),
                     block = places->block[i] ? places->block[i] : extent;
        if (i != axis && extent && (at[i] + 1) % block)
            return 0;
    }
    return 1;
}

ptrdiff_t detmath_scaled_index(const struct detmath_scaled_places *places, const size_t *at,
                               int dimensions) {
    ptrdiff_t index = 0;
    for (int i = 0; i < dimensions; i++)
        index += (ptrdiff_t)at[i] * places->stride[i];
    return index;
}

ptrdiff_t detmath_scaled_scale_index(const struct detmath_scaled_places *places, const size_t *at,
                                     int dimensions) {
    ptrdiff_t index = 0;
    for (int i = 0; i < dimensions; i++)
        if (places->block[i])
            index += (ptrdiff_t)(at[i] / places->block[i]) * places->scale_stride[i];
    return index;
}

struct detmath_scale detmath_scaled_load_scale(const struct detmath_strided *scales, ptrdiff_t at) {
    if (!scales->codes)
        return detmath_scale_of(1.0f, 0);
    if (scales->format == DETMATH_POWERS)
        return detmath_scale_of(1.0f, ((const int32_t *)scales->codes)[at]);
    return detmath_scale_of(((const float *)scales->codes)[at], 0);
}

void detmath_scaled_store_scale(const struct detmath_strided *scales, ptrdiff_t at,
                                struct detmath_scale scale) {
    if (scales->format == DETMATH_POWERS)
        ((int32_t *)scales->codes)[at] = scale.e;
    else
        ((float *)scales->codes)[at] = scale.m;
}

int detmath_scaled_kinds(const struct detmath_scaled_tensor *c,
                         const struct detmath_scaled_tensor *a,
                         const struct detmath_scaled_tensor *b) {
    int good = c->scales.codes != NULL;
    good = good && (!a->scales.codes || a->scales.format == c->scales.format);
    good = good && (!b || !b->scales.codes || b->scales.format == c->scales.format);
    return good ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_SCALE_KINDS;
}

char *detmath_scaled_codes(const struct detmath_scaled_places *places, ptrdiff_t index) {
    const struct detmath_strided *data = &places->array->data;
    return (char *)data->codes + index * (ptrdiff_t)detmath_format_bytes(data->format);
}

static struct detmath_scaled_line line_at(const struct detmath_scaled_places *places,
                                          const size_t *at, int dimensions, int axis) {
    struct detmath_scaled_line line = {
        detmath_scaled_codes(places, detmath_scaled_index(places, at, dimensions)),
        places->array->data.format, dimensions ? places->stride[axis] : 1, places->array->status};
    return line;
}

enum detmath_scaled_mode { EACH, RESCALE };

static struct detmath_scaled_plan plan_for(enum detmath_scaled_operation operation,
                                           struct detmath_scale a, struct detmath_scale b) {
    switch (operation) {
    case DETMATH_SCALED_INDEX_add:
    case DETMATH_SCALED_INDEX_sub:
    case DETMATH_SCALED_INDEX_max:
    case DETMATH_SCALED_INDEX_min:
        return detmath_scaled_plan_sum(a, b);
    case DETMATH_SCALED_INDEX_step:
        return detmath_scaled_plan_step(a, b);
    case DETMATH_SCALED_INDEX_mul:
    case DETMATH_SCALED_INDEX_mul_data:
        return detmath_scaled_plan_product(a, b);
    case DETMATH_SCALED_INDEX_div:
        return detmath_scaled_plan_quotient(a, b);
    case DETMATH_SCALED_INDEX_div_gradient:
        return detmath_scaled_plan_div_gradient(a, b);
    case DETMATH_SCALED_INDEX_exp:
    case DETMATH_SCALED_INDEX_exp_f16:
    case DETMATH_SCALED_INDEX_sigmoid:
    case DETMATH_SCALED_INDEX_sigmoid_f16:
        return detmath_scaled_plan_function(a);
    case DETMATH_SCALED_INDEX_relu_gradient:
    case DETMATH_SCALED_INDEX_sigmoid_gradient:
    case DETMATH_SCALED_INDEX_tanh_gradient:
    case DETMATH_SCALED_INDEX_gelu_gradient:
    case DETMATH_SCALED_INDEX_exp_gradient:
        return detmath_scaled_plan_gradient(a, b);
    case DETMATH_SCALED_INDEX_log:
    case DETMATH_SCALED_INDEX_log_f16:
        return detmath_scaled_plan_log(a);
    case DETMATH_SCALED_INDEX_tanh:
    case DETMATH_SCALED_INDEX_tanh_f16:
        return detmath_scaled_plan_tanh(a);
    case DETMATH_SCALED_INDEX_apply:
        return detmath_scaled_plan_cast(a);
    default:
        return detmath_scaled_plan_one(a);
    }
}

/* The functions that fp16 arithmetic has too, and where their scales recommend it: between `least` and
 * `most`, or the inverse too. */
static const struct {
    enum detmath_scaled_operation wide, half;
    double least, most;
    int inverse;
} computes[] = {
    {DETMATH_SCALED_INDEX_exp, DETMATH_SCALED_INDEX_exp_f16, 0, 0x1p-4, 0},
    {DETMATH_SCALED_INDEX_sigmoid, DETMATH_SCALED_INDEX_sigmoid_f16, 0, 0x1p-4, 0},
    {DETMATH_SCALED_INDEX_tanh, DETMATH_SCALED_INDEX_tanh_f16, 0x1p-10, 0x1p-4, 0},
    {DETMATH_SCALED_INDEX_gelu, DETMATH_SCALED_INDEX_gelu_f16, 0x1p-10, 0x1p-4, 0},
    {DETMATH_SCALED_INDEX_log, DETMATH_SCALED_INDEX_log_f16, 0x1p-10, 0x1p-6, 1},
};

static enum detmath_scaled_operation computed_in(enum detmath_scaled_operation operation,
                                                 enum detmath_scaled_compute compute,
                                                 struct detmath_scale scale) {
    const struct detmath_scaled_plan plan = detmath_scaled_plan_one(scale);
    const double s = plan.zero_a ? 0 : plan.b;
    for (size_t i = 0; i < sizeof computes / sizeof *computes; i++) {
        if (computes[i].wide != operation)
            continue;
        int fits = (s >= computes[i].least && s <= computes[i].most) ||
                   (computes[i].inverse && s >= 1 / computes[i].most && s <= 1 / computes[i].least);
        return compute == DETMATH_SCALED_F16 || (compute == DETMATH_SCALED_AUTO && fits)
                   ? computes[i].half
                   : operation;
    }
    return operation;
}

static size_t elements_of(const struct detmath_strided *data) {
    size_t count = 1;
    for (int i = 0; i < data->dimensions; i++)
        count *= data->extents[i];
    return count;
}

static int is_scalar(const struct detmath_strided *data, const struct detmath_strided *other) {
    return !data->dimensions || (elements_of(data) == 1 && elements_of(other) != 1);
}

/* The datum of the scalar that mul puts into the scale; 0 where there is none. */
static double scalar_of(enum detmath_scaled_operation operation,
                        const struct detmath_scaled_places places[3]) {
    const struct detmath_strided *a = &places[1].array->data, *b = &places[2].array->data;
    if (operation != DETMATH_SCALED_INDEX_mul || (!is_scalar(a, b) && !is_scalar(b, a)))
        return 0.0;
    const struct detmath_strided *data = is_scalar(a, b) ? a : b;
    const size_t bytes = detmath_format_bytes(data->format);
    detmath_u32 code = bytes == 4   ? *(const uint32_t *)data->codes
                       : bytes == 2 ? *(const uint16_t *)data->codes
                                    : *(const uint8_t *)data->codes;
    return detmath_scaled_decode(code, detmath_formats[data->format]);
}

/* Lines along the axis where scales change least often: `run` elements share a plan. */
static void run_lines(enum detmath_scaled_operation operation, enum detmath_scaled_compute compute,
                      enum detmath_scaled_mode mode, const struct detmath_scaled_places places[3],
                      int two, int dimensions, const size_t *extents, const size_t *cells,
                      const struct detmath_cast *cast) {
    const double scalar = scalar_of(operation, places);
    size_t at[DETMATH_MOST_DIMENSIONS] = {0}, run = 1, lines = 1;
    int axis = 0, is_empty = 0;
    for (int i = 0; i < dimensions; i++) {
        const size_t shared = cells[i] ? extents[i] / cells[i] : 0;
        is_empty |= !extents[i];
        if (i == 0 || shared >= run) {
            axis = i;
            run = shared;
        }
    }
    /* What is empty has scales all the same. */
    for (int i = 0; i < dimensions; i++)
        lines *= i == axis || is_empty ? cells[i] : extents[i];
    for (size_t number = 0; number < lines; number++) {
        size_t rest = number;
        for (int i = dimensions - 1; i >= 0; i--) {
            const size_t step = is_empty    ? places[0].block[i] ? places[0].block[i] : 1
                                : i == axis ? run
                                            : 1;
            const size_t extent = i == axis || is_empty ? cells[i] : extents[i];
            at[i] = rest % extent * step;
            rest /= extent;
        }
        struct detmath_scale scale[3];
        for (int k = 0; k < 3; k++)
            scale[k] = detmath_scaled_load_scale(
                &places[k].array->scales, detmath_scaled_scale_index(&places[k], at, dimensions));
        const struct detmath_scaled_plan plan =
            mode == RESCALE ? detmath_scaled_plan_rescale(scale[1], scale[0])
            : scalar != 0.0
                ? detmath_scaled_plan_scalar(scale[1], scale[2], scalar,
                                             places[0].array->scales.format == DETMATH_POWERS)
                : plan_for(operation, scale[1], scale[2]);
        const struct detmath_scaled_line c = line_at(&places[0], at, dimensions, axis),
                                         a = line_at(&places[1], at, dimensions, axis),
                                         b = line_at(&places[2], at, dimensions, axis);
        detmath_scaled_kernels(computed_in(operation, compute, scale[1]))
            ->fill(&c, &a, two ? &b : NULL, is_empty ? 0 : run, &plan, cast);
        if (mode == EACH && (is_empty || detmath_scaled_ends(&places[0], at, dimensions, axis)))
            detmath_scaled_store_scale(&places[0].array->scales,
                                       detmath_scaled_scale_index(&places[0], at, dimensions),
                                       plan.scale);
    }
}

static int same_extents(const struct detmath_strided *array, int dimensions,
                        const size_t *extents) {
    int same = array->dimensions <= dimensions;
    for (int i = 0; same && i < dimensions; i++)
        same = extent_of(array, dimensions, i) == extents[i];
    return same;
}

static int run(enum detmath_scaled_operation operation, enum detmath_scaled_compute compute,
               enum detmath_scaled_mode mode, const struct detmath_scaled_tensor *c,
               const struct detmath_scaled_tensor *a, const struct detmath_scaled_tensor *b,
               const struct detmath_cast *cast) {
    size_t extents[DETMATH_MOST_DIMENSIONS], scales[DETMATH_MOST_DIMENSIONS];
    int dimensions,
        trouble = detmath_scaled_extents(a, mode == RESCALE ? c : b, &dimensions, extents, scales);
    trouble = trouble ? trouble : detmath_scaled_check(c);
    trouble = trouble ? trouble : detmath_scaled_kinds(c, mode == RESCALE ? c : a, b);
    if (trouble)
        return trouble;
    if (c->data.dimensions != dimensions || !same_extents(&c->data, dimensions, extents) ||
        (mode == EACH && !same_extents(&c->scales, dimensions, scales)))
        return DETMATH_TROUBLE_EXTENTS;
    trouble = detmath_scaled_check_overlap(c, a, b,
                                           DETMATH_SCALED_WRITES_DATA | DETMATH_SCALED_IN_PLACE |
                                               (mode == EACH ? DETMATH_SCALED_WRITES_SCALES : 0u));
    if (trouble)
        return trouble;
    struct detmath_scaled_places places[3];
    detmath_scaled_place(&places[0], c, dimensions);
    detmath_scaled_place(&places[1], a, dimensions);
    detmath_scaled_place(&places[2], b ? b : a, dimensions);
    uint64_t set = detmath_environment_enter();
    run_lines(operation, compute, mode, places, b != NULL, dimensions, extents, scales, cast);
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_scaled_each(enum detmath_scaled_operation operation,
                        const struct detmath_scaled_tensor *c,
                        const struct detmath_scaled_tensor *a,
                        const struct detmath_scaled_tensor *b, const struct detmath_cast *cast) {
    return run(operation, DETMATH_SCALED_F32, EACH, c, a, b, cast);
}

int detmath_scaled_each_in(enum detmath_scaled_operation operation,
                           enum detmath_scaled_compute compute,
                           const struct detmath_scaled_tensor *c,
                           const struct detmath_scaled_tensor *a,
                           const struct detmath_scaled_tensor *b, const struct detmath_cast *cast) {
    return run(operation, compute, EACH, c, a, b, cast);
}

int detmath_scaled_rescale(const struct detmath_scaled_tensor *c,
                           const struct detmath_scaled_tensor *a, const struct detmath_cast *cast) {
    return run(DETMATH_SCALED_INDEX_apply, DETMATH_SCALED_F32, RESCALE, c, a, NULL, cast);
}

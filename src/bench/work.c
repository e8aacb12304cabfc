/* Making the arrays that an operation is timed on. */
#include "bench/work.h"

#include "bench/bench.h"
#include "format/profile.h"
#include "op/array/slices.h"
#include "op/detmath_format.h"
#include "sweep/generator.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 4, MOST_EXTENT = 1 << 14, TAPS = 3, LATEST_OPSET = 28 };

/* --shape of operations whose names end so, and what it is without the option. Of others it is the
 * product of the extents. */
static const struct kind {
    const char *name, *wants;
    uint64_t extents[3];
    bool has_images;
} kinds[] = {{"affine", "ROWSxINNERxCOLUMNS", {256, 256, 256}, false},
             {"matmul", "ROWSxINNERxCOLUMNS", {256, 256, 256}, false},
             {"matmul_gradient", "ROWSxINNERxCOLUMNS", {256, 256, 256}, false},
             {"convolution", "CHANNELSxROWSxCOLUMNS", {32, 32, 32}, true},
             {"convolution_gradient", "CHANNELSxROWSxCOLUMNS", {32, 32, 32}, true}};

static const struct kind *kind_of(const struct operation *operation) {
    const char *dot = strrchr(operation->name, '.');
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(dot ? dot + 1 : operation->name, kinds[i].name) == 0)
            return &kinds[i];
    return NULL;
}

static void settle_extents(struct bench_work *work, const struct kind *kind,
                           const uint64_t *extents) {
    size_t e[3] = {(size_t)extents[0], (size_t)extents[1], (size_t)extents[2]};
    work->image[0] = 1;
    memcpy(work->image + 1, e, sizeof e);
    work->rows = e[0];
    work->inner = kind->has_images ? e[0] * TAPS * TAPS : e[1];
    work->columns = kind->has_images ? e[1] * e[2] : e[2];
    work->n = work->rows * work->inner * work->columns;
}

static bool settle_shape(struct bench_work *work, const struct work_request *request,
                         struct error *error) {
    const struct parameter_value *shape = &request->parameters->values[PARAMETER_SHAPE_OF];
    const struct kind *kind = kind_of(request->operation);
    if (!kind) {
        work->n = shape->present ? (size_t)shape_elements(&shape->shape) : request->elements;
        work->rows = work->inner = 1;
        work->columns = work->n;
        return work->n <= BENCH_MOST_ELEMENTS ||
               error_set(error, "--shape: bench takes at most %d elements", BENCH_MOST_ELEMENTS);
    }
    if (shape->present && shape->shape.dimensions != 3)
        return error_set(error, "--shape needs %s for %s, such as %dx%dx%d", kind->wants,
                         request->operation->name, (int)kind->extents[0], (int)kind->extents[1],
                         (int)kind->extents[2]);
    for (int i = 0; shape->present && i < 3; i++)
        if (shape->shape.extents[i] > MOST_EXTENT)
            return error_set(error, "--shape: bench takes extents up to %d", MOST_EXTENT);
    settle_extents(work, kind, shape->present ? shape->shape.extents : kind->extents);
    return true;
}

static void draw(const struct bench_work *work, const struct work_request *request, void *codes,
                 float *numbers, size_t count, unsigned operand) {
    const struct format *format = work->format;
    size_t bytes = format_bytes(format);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = generator_bits(SEED, i, operand);
        double number =
            request->low + (request->high - request->low) * ((double)(bits >> 11) * 0x1p-53);
        struct real real = real_from_double(number);
        uint64_t code = format->is_integer && !format->is_element
                            ? (bits & format_mask(format) & 0xfff) |
                                  operand /* products fit into 32 bits; no divisor is 0 */
                            : format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
        code_store(codes, bytes, i, code & format_mask(format));
        if (numbers && detmath_index_of(format) >= 0) {
            uint32_t wide = (uint32_t)element_cast(format, &formats[FORMAT_FP32], code);
            memcpy(&numbers[i], &wide, sizeof wide);
        }
    }
}

static bool allocate(struct bench_work *work, const struct work_request *request,
                     struct error *error) {
    size_t a = work->rows * work->inner, b = work->inner * work->columns,
           c = work->rows * work->columns;
    a = a > b ? a : b; /* one array of the operands may be all */
    work->a = calloc(a, sizeof(double));
    work->b = calloc(a, sizeof(double));
    work->c = calloc(c, sizeof(double));
    work->x = calloc(a, sizeof(float));
    work->w = calloc(a, sizeof(float));
    work->y = calloc(c, sizeof(float));
    work->block_scales = calloc(a, 1);
    work->integers = calloc(a, sizeof(int32_t));
    work->velocities = calloc(a, sizeof(int32_t));
    if (!work->a || !work->b || !work->c || !work->x || !work->w || !work->y ||
        !work->block_scales || !work->integers || !work->velocities)
        return error_set(error, "out of memory");
    memset(work->block_scales, 127, a);
    draw(work, request, work->a, work->x, a, 0);
    draw(work, request, work->b, work->w, a, 1);
    for (size_t i = 0; i < a; i++)
        work->integers[i] = (int32_t)(generator_bits(SEED, i, 2) & 0xfff);
    return true;
}

static struct detmath_scaled_tensor tensor(void *codes, int format, size_t extents[2], size_t rows,
                                           size_t columns, float *scale) {
    extents[0] = rows;
    extents[1] = columns;
    return (struct detmath_scaled_tensor){
        {codes, format, 2, extents, NULL}, {scale, DETMATH_F32, 0, NULL, NULL}, NULL};
}

static struct detmath_scaled_tensor image(void *codes, int format, struct bench_work *work,
                                          float *scale) {
    return (struct detmath_scaled_tensor){
        {codes, format, 4, work->image, NULL}, {scale, DETMATH_F32, 0, NULL, NULL}, NULL};
}

/* What the calls are given besides arrays. */
static void prepare_scaled(struct bench_work *work, const struct operation *operation) {
    const struct kind *kind = kind_of(operation);
    const size_t taps[4] = {work->image[1], work->image[1], TAPS, TAPS};
    memcpy(work->taps, taps, sizeof taps);
    work->scale_a = 1.5f;
    work->scale_b = -0.3f;
    work->scale_c = 0.75f; /* calls set it; of rescale it is given */
    work->scaled_a = tensor(work->a, work->index, work->extents[0], work->rows,
                            kind ? work->inner : work->columns, &work->scale_a);
    work->scaled_b =
        tensor(work->b, work->index, work->extents[1], work->inner, work->columns, &work->scale_b);
    work->scaled_c = tensor(work->c, work->to_index, work->extents[2], work->rows, work->columns,
                            &work->scale_c);
    work->scaled_first = tensor(work->c, work->to_index, work->extents[3], 1, 1, &work->scale_c);
    work->scaled_back = tensor(work->b, work->index, work->extents[3], 1, 1, &work->scale_b);
    work->scaled_transposed =
        tensor(work->b, work->index, work->extents[4], work->columns, work->inner, &work->scale_b);
    work->image_a = image(work->a, work->index, work, &work->scale_a);
    work->image_c = image(work->c, work->to_index, work, &work->scale_c);
    work->scaled_taps = (struct detmath_scaled_tensor){{work->b, work->index, 4, work->taps, NULL},
                                                       {&work->scale_b, DETMATH_F32, 0, NULL, NULL},
                                                       NULL};
    work->windows[0] = work->windows[1] = (struct detmath_scaled_windows){1, TAPS / 2, 1};
}

static void prepare_integers(struct bench_work *work) {
    const struct detmath_dyadic_rules rules = {.bits = 32, .alignment = DETMATH_DYADIC_FINER};
#define PLAN(NAME, PLAN, VALUE) .NAME = detmath_dyadic_plan_##PLAN,
    work->plans =
        (struct work_plans){PLAIN_INTEGERS_OF_ONE(PLAN) PLAIN_INTEGERS_OF_TWO(PLAN).affine =
                                detmath_dyadic_plan_affine(3, 2, 3, 2, rules),
                            .from_real = detmath_dyadic_plan_from_real(3, 8, 1, rules),
                            .to_real = detmath_dyadic_plan_to_real(3, rules),
                            .step = detmath_dyadic_step_of(0, 0, 4, 1, INT64_MAX, rules)};
#undef PLAN
    work->matrices = (struct detmath_dyadic_matrices){
        work->rows, work->inner, work->columns, work->inner, 1, work->columns, 1, 1, 0};
    work->line = (struct detmath_dyadic_matrices){1, work->n, 1, work->n, 1, 1, 1, 0, 0};
}

static bool prepare(struct bench_work *work, const struct work_request *request,
                    struct error *error) {
    const struct parameter_value *profile = &request->parameters->values[PARAMETER_PROFILE];
    prepare_scaled(work, request->operation);
    work->length = work->n;
    work->line_x = (struct detmath_strided){work->x, DETMATH_F32, 1, &work->length, NULL};
    work->line_w = (struct detmath_strided){work->w, DETMATH_F32, 1, &work->length, NULL};
    work->line_y = (struct detmath_strided){work->y, DETMATH_F32, 1, &work->length, NULL};
    work->first_w = (struct detmath_strided){work->w, DETMATH_F32, 0, NULL, NULL};
    work->linear = (struct detmath_linear){
        .opset = LATEST_OPSET, .dimensions = 1, .extents = &work->length, .precision = -1};
    prepare_integers(work);
    if (work->to->is_element) {
        const struct detmath_mx_rules ocp = {DETMATH_MX_FLOOR, 0, 0, 0, 0, 0, 0, 0};
        work->mx = detmath_mx_make(detmath_mx_formats[work->to - element_formats], ocp,
                                   DETMATH_NEAREST_EVEN, 0);
    } else if (work->format->is_element)
        work->element = &detmath_mx_formats[work->format - element_formats];
    if (strcmp(request->operation->name, "dyadic.to_real") == 0 && work->to_index != DETMATH_F32)
        return error_set(error, "bench times dyadic.to_real to fp32 alone, not to %s",
                         work->to->name);
    const int to_index =
        request->operation->converts ? detmath_any_index_of(work->to) : work->to_index;
    if (to_index < 0)
        return true;
    const struct detmath_profile *rules_of_cast =
        detmath_profile_find(profiles[profile->present ? profile->integer : PROFILE_IEEE].name);
    int from = work->index < 0 ? DETMATH_F32 : work->index;
    if (!rules_of_cast ||
        !detmath_profile_conversion(&work->conversion, rules_of_cast, from, to_index,
                                    detmath_profile_rounding(rules_of_cast, to_index), 0))
        return error_set(error, "det has no conversion to %s by that profile", work->to->name);
    work->from_blocks = work->conversion.cast;
    return true;
}

bool bench_work_open(struct bench_work *work, const struct work_request *request,
                     struct error *error) {
    const struct format *to = parameters_result_format(request->parameters, request->format);
    *work = (struct bench_work){.format = request->format,
                                .to = to,
                                .index = detmath_index_of(request->format),
                                .to_index = detmath_index_of(to)};
    return settle_shape(work, request, error) && allocate(work, request, error) &&
           prepare(work, request, error);
}

void bench_work_close(struct bench_work *work) {
    void *const arrays[] = {work->a, work->b,        work->c,          work->x,           work->w,
                            work->y, work->integers, work->velocities, work->block_scales};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

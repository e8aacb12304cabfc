/* scaled.matmul by a matrix unit. The sum in fp32, or in fp16 (--accumulate), is multiplied by the first operand's scale and rounded to fp32, then by the
 * second one's, and rounded to fp32 and to the format of the result, each time to nearest even: so does torch's kernel of
 * _scaled_mm for scales of rows and columns (RowwiseScaledMM.cu). Its result has no scale, so here it is 1. A result of 8
 * bits has det's scale t, as cuBLASLt's D has one: before it is rounded to 8 bits the product is multiplied by 1 / t,
 * where both are rounded to fp32.
 *
 * c, where it comes in, is the unit's own where all scales are 1, as with --scale none; else it is added to the sum times both
 * scales, in fp32 to nearest even, as epilogues add beta C.
 *
 * Scales that differ along the terms cut these into parts. Each is summed from zero, and its sum is added by a fused
 * multiply-add in fp32, times the product of both scales, which is rounded to fp32: so does DeepGEMM's kernel for Hopper
 * (sm90_fp8_gemm_1d2d.cuh), of 128 terms each. */
#include "impl/unit_scaled.h"

#include "op/array/slices.h"
#include "op/scaled/rows.h"

#include "detmath/core.h"

#include <math.h>
#include <stdlib.h>

/* Whether scales differ along the terms. */
static bool scales_vary(const struct array_call *call) {
    return scaled_extent_from_end(&call->operands[1].shape, 1) != 1 ||
           scaled_extent_from_end(&call->operands[3].shape, 2) != 1;
}

bool unit_scaled_provides(const struct array_call *call, enum unit_cut cut, struct error *why) {
    const struct parameters *given = call->parameters;
    if (parameter_integer(given, PARAMETER_SCALE, 0) == SCALED_KIND_POWER)
        return error_set(
            why, "a matrix unit takes scales that are fp32 numbers; give --scale fp32 or none");
    if (given->values[PARAMETER_PROFILE].present)
        return error_set(why, "only det has the roundings of --profile");
    if (cut != UNIT_CUT_NONE && scales_vary(call))
        return error_set(why, "scales that differ along the terms already divide them; leave out "
                              "split-k= and promote=");
    return true;
}

/* Whether they are those of a product without scales. */
static bool scales_are_one(const struct array_call *call) {
    bool one = true;
    for (int operand = 1; operand < 4; operand += 2)
        for (uint64_t i = 0; i < shape_elements(&call->operands[operand].shape); i++)
            one = one && array_code(&call->operands[operand], i) == detmath_bits_f32(1);
    return one;
}

struct work {
    struct scaled_call scaled;
    struct unit_product product;
    enum unit_cut cut;
    size_t number;
    bool own;              /* the result has a scale of its own */
    const struct array *c; /* behind the scales; NULL: none */
};

/* The data of a line of factors: of the result's element `element` those of operand 0 or 1, in the unit's format. */
static void load_line(const struct work *work, int operand, uint64_t element, uint64_t *codes) {
    const struct unit *unit = work->product.unit;
    const struct array *data = &work->scaled.call->operands[2 * operand];
    const struct format *format = operand && unit->second ? unit->second : unit->format;
    for (uint64_t k = 0; k < work->product.inner; k++)
        codes[k] =
            element_load(data, format, scaled_term_at(&work->scaled, element, k).index[operand]);
}

static float scale_of(const struct work *work, int operand, uint64_t element, uint64_t term) {
    const struct scaled_term at = scaled_term_at(&work->scaled, element, term);
    return scaled_scale_at(&work->scaled, operand, at.index[operand]).m;
}

static float number_of(uint64_t code) {
    return detmath_from_bits_f32((uint32_t)code);
}

/* A sum of the unit. */
static float sum_at(const struct unit_product *product, size_t i) {
    return number_of(
        element_cast(product->unit->node->result, &formats[FORMAT_FP32], product->d[i]));
}

static void store(const struct work *work, uint64_t element, float y) {
    const struct array *results = work->scaled.call->results;
    const uint64_t place = scaled_result_place(&work->scaled, element);
    if (work->c)
        y = y + number_of(element_load(work->c, &formats[FORMAT_FP32], element));
    if (work->own)
        y = y * (1.0f / number_of(array_code(&results[SCALED_SCALE], place)));
    else
        scaled_scale_store(&work->scaled, place, (struct scaled_scale){1, 0, false});
    array_set_code(
        &results[SCALED_DATA], element,
        element_cast(&formats[FORMAT_FP32], results[SCALED_DATA].format, detmath_bits_f32(y)));
}

/* Sums that are finished before they meet their scales; `first` is the number of the first element. */
static bool multiply_whole(const struct work *work, uint64_t first) {
    const size_t elements = work->product.rows * work->product.columns;
    if (!unit_multiply_cut(&work->product, work->cut, work->number))
        return false;
    for (size_t i = 0; i < elements; i++) {
        float y = sum_at(&work->product, i);
        for (int operand = 0; operand < 2; operand++)
            y = y * scale_of(work, operand, first + i, 0);
        store(work, first + i, y);
    }
    return true;
}

/* One behind the last term that has the scales of term `from`. */
static size_t part_end(const struct work *work, size_t from) {
    const struct scaled_term first = scaled_term_at(&work->scaled, 0, from);
    size_t end = from + 1;
    for (bool same = true; same && end < work->product.inner; end += same) {
        const struct scaled_term term = scaled_term_at(&work->scaled, 0, end);
        for (int operand = 0; operand < 2; operand++)
            same = same && scaled_place(&work->scaled, operand, term.index[operand]) ==
                               scaled_place(&work->scaled, operand, first.index[operand]);
    }
    return end;
}

static bool multiply_parts(const struct work *work, uint64_t first) {
    const size_t elements = work->product.rows * work->product.columns;
    struct unit_product part = work->product;
    float *sums = calloc(elements, sizeof *sums);
    bool good = sums != NULL;
    for (size_t at = 0, end; good && at < part.inner; at = end) {
        end = part_end(work, at);
        part.first = at;
        part.count = end - at;
        part.has_c = work->product.has_c && !at;
        good = unit_multiply(&part);
        for (size_t i = 0; good && i < elements; i++) {
            const float scale = scale_of(work, 0, first + i, at) * scale_of(work, 1, first + i, at);
            sums[i] = fmaf(scale, sum_at(&part, i), sums[i]);
        }
    }
    for (size_t i = 0; good && i < elements; i++)
        store(work, first + i, sums[i]);
    free(sums);
    return good;
}

bool unit_scaled_multiply(const struct unit_product *like, enum unit_cut cut, size_t number,
                          const struct array_call *call, struct error *error) {
    struct work work = {.scaled = scaled_call_of(call),
                        .product = *like,
                        .cut = cut,
                        .number = number,
                        .own = call->results[SCALED_DATA].format->width == 8};
    struct unit_product *product = &work.product;
    product->rows = (size_t)scaled_extent_from_end(&work.scaled.result, 2);
    product->columns = (size_t)scaled_extent_from_end(&work.scaled.result, 1);
    product->inner = (size_t)scaled_term_count(&work.scaled);
    const size_t elements = product->rows * product->columns;
    const uint64_t count = shape_elements(&work.scaled.result);
    const bool parts = scales_vary(call);
    const struct array *c = array_addend(call);
    const bool is_own_c = c && scales_are_one(call);
    uint64_t *codes =
        calloc((product->rows + product->columns) * product->inner + elements + 1, sizeof *codes);
    uint64_t *b = codes + product->rows * product->inner;
    bool good = codes || error_set(error, "out of memory for a product by a matrix unit");
    good = good && (!work.own || scaled_run_det(call, NULL, error));
    product->a = codes;
    product->b = b;
    product->d = b + product->columns * product->inner;
    product->has_c = is_own_c;
    work.c = is_own_c ? NULL : c;
    for (uint64_t first = 0; good && first < count; first += elements) {
        for (size_t i = 0; i < product->rows; i++)
            load_line(&work, 0, first + i * product->columns, codes + i * product->inner);
        for (size_t j = 0; j < product->columns; j++)
            load_line(&work, 1, first + j, b + j * product->inner);
        for (size_t i = 0; is_own_c && i < elements; i++)
            product->d[i] = element_load(c, like->unit->node->result, first + i);
        good = (parts ? multiply_parts : multiply_whole)(&work, first) ||
               error_set(error, "out of memory for a product by a matrix unit");
    }
    free(codes);
    return good;
}

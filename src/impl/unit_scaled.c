/* scaled.matmul by a matrix unit. The sum in fp32 is multiplied by the first operand's scale and rounded to fp32, then by the
 * second one's, and rounded to fp32 and to the format of the result, each time to nearest even: so does torch's kernel of
 * _scaled_mm for scales of rows and columns (RowwiseScaledMM.cu). Its result has no scale, so here it is 1. A result of 8
 * bits has det's scale t, as cuBLASLt's D has one: before it is rounded to 8 bits the product is multiplied by 1 / t,
 * where both are rounded to fp32. */
#include "impl/unit_scaled.h"

#include "op/array/slices.h"
#include "op/scaled/rows.h"

#include "detmath/core.h"

#include <stdlib.h>

bool unit_scaled_provides(const struct array_call *call, struct error *why) {
    const struct parameters *given = call->parameters;
    if (call->operands[0].format != call->operands[2].format)
        return error_set(why, "a matrix unit has factors of one format here, not %s and %s",
                         call->operands[0].format->name, call->operands[2].format->name);
    if (parameter_integer(given, PARAMETER_SCALE, 0) == SCALED_KIND_POWER)
        return error_set(why, "scales behind a matrix unit are fp32 numbers; --scale fp32 or none");
    if (given->values[PARAMETER_PROFILE].present)
        return error_set(why, "only det rounds by the rules of a profile");
    if (scaled_extent_from_end(&call->operands[1].shape, 1) != 1 ||
        scaled_extent_from_end(&call->operands[3].shape, 2) != 1)
        return error_set(why, "scales that differ along the terms are none of a finished sum");
    return true;
}

/* The data of a line of factors: of the result's element `element` those of operand 0 or 1. */
static void load_line(const struct scaled_call *scaled, int operand, uint64_t element,
                      uint64_t *codes) {
    const uint64_t count = scaled_term_count(scaled);
    for (uint64_t k = 0; k < count; k++)
        codes[k] = array_code(&scaled->call->operands[2 * operand],
                              scaled_term_at(scaled, element, k).index[operand]);
}

static float scale_of(const struct scaled_call *scaled, int operand, uint64_t element) {
    const struct scaled_term term = scaled_term_at(scaled, element, 0);
    return scaled_scale_at(scaled, operand, term.index[operand]).m;
}

static float number_of(uint64_t code) {
    return detmath_from_bits_f32((uint32_t)code);
}

/* What becomes of a sum; `own` where the result has a scale of its own. */
static void store(const struct scaled_call *scaled, uint64_t element, uint64_t sum, bool own) {
    const struct array *results = scaled->call->results;
    const uint64_t place = scaled_result_place(scaled, element);
    float y = number_of(sum);
    for (int operand = 0; operand < 2; operand++)
        y = y * scale_of(scaled, operand, element);
    if (own)
        y = y * (1.0f / number_of(array_code(&results[SCALED_SCALE], place)));
    else
        scaled_scale_store(scaled, place, (struct scaled_scale){1, 0, false});
    array_set_code(
        &results[SCALED_DATA], element,
        element_cast(&formats[FORMAT_FP32], results[SCALED_DATA].format, detmath_bits_f32(y)));
}

bool unit_scaled_multiply(const struct unit_product *like, enum unit_cut cut, size_t number,
                          const struct array_call *call, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(call);
    const bool own = call->results[SCALED_DATA].format->width == 8;
    struct unit_product product = *like;
    product.rows = (size_t)scaled_extent_from_end(&scaled.result, 2);
    product.columns = (size_t)scaled_extent_from_end(&scaled.result, 1);
    product.inner = (size_t)scaled_term_count(&scaled);
    const size_t elements = product.rows * product.columns;
    const uint64_t count = shape_elements(&scaled.result);
    uint64_t *codes =
        calloc((product.rows + product.columns) * product.inner + elements + 1, sizeof *codes);
    uint64_t *b = codes + product.rows * product.inner;
    bool good = codes != NULL;
    if (!good)
        error_set(error, "out of memory for a product by a matrix unit");
    good = good && (!own || scaled_run_det(call, NULL, error));
    product.a = codes;
    product.b = b;
    product.d = b + product.columns * product.inner;
    for (uint64_t first = 0; good && first < count; first += elements) {
        for (size_t i = 0; i < product.rows; i++)
            load_line(&scaled, 0, first + i * product.columns, codes + i * product.inner);
        for (size_t j = 0; j < product.columns; j++)
            load_line(&scaled, 1, first + j, b + j * product.inner);
        good = unit_multiply_cut(&product, cut, number) ||
               error_set(error, "out of memory for a product by a matrix unit");
        for (size_t i = 0; good && i < elements; i++)
            store(&scaled, first + i, product.d[i], own);
    }
    free(codes);
    return good;
}

/* ConvertToBlockMaxAbsFinite (5.2.3), and the projection of results. */
#include "op/array/slices.h"
#include "op/conversion.h"
#include "op/function/p3109.h"
#include "op/p3109/blocks.h"

/* Random bits of scales come behind those of the elements. */
static uint64_t project_scale(const struct array_call *call, const struct real *y, uint64_t block) {
    const struct parameters *given = call->parameters;
    struct parameters own = *given;
    own.values[PARAMETER_SATURATION] = given->values[PARAMETER_SCALE_SATURATION];
    return projected_code(call->results[BLOCK_SCALE_MADE].format, y, scale_rounding_of(given),
                          OVERFLOW_IEEE, &own, shape_elements(&call->operands[0].shape) + block);
}

uint64_t p3109_want(const struct array_call *call, int result, uint64_t element,
                    const struct real *y, bool *by_rule) {
    *by_rule = false;
    if (result == BLOCK_SCALE_MADE)
        return project_scale(call, y, element);
    return projected_code(call->results[result].format, y, call->rounding, call->overflow,
                          call->parameters, element);
}

/* The greatest magnitude of a number; where there is none infinity, and where all are NaN that. */
static struct real greatest_finite(const struct array_call *call, const struct slices *slices,
                                   uint64_t block) {
    struct real greatest = real_nan();
    for (uint64_t i = 0; i < slices->length; i++) {
        struct real x = array_number(&call->operands[0], slice_place(slices, block, i));
        x.negative = false;
        const bool is_number = x.kind <= REAL_FINITE, had_number = greatest.kind <= REAL_FINITE;
        if (x.kind == REAL_NAN)
            continue;
        if (is_number ? !had_number || real_is_smaller(&greatest, &x) : !had_number)
            greatest = x;
    }
    return greatest;
}

static struct real quotient_of(struct real x, const struct real *scale, mpfr_t room[3]) {
    real_to_mpfr(room[1], &x);
    real_to_mpfr(room[2], scale);
    const int ternary = p3109_element_of_block(room[0], room[1], room[2], MPFR_RNDZ);
    const struct real y = real_from_mpfr(room[0], ternary);
    return y.kind == REAL_ZERO ? real_zero(false) : y;
}

bool p3109_exact_conversion(const struct array_call *call, int result, int precision,
                            struct real *y, struct error *error) {
    const struct slices slices = slices_of(call);
    const struct array *x = &call->operands[0];
    const struct format *scales = call->results[BLOCK_SCALE_MADE].format;
    mpfr_t room[3];
    (void)error;
    mpfr_init2(room[0], precision);
    mpfr_init2(room[1], x->format->precision);
    mpfr_init2(room[2], scales->precision);
    for (uint64_t block = 0; block < slices.count; block++) {
        const struct real greatest = greatest_finite(call, &slices, block);
        if (result == BLOCK_SCALE_MADE) {
            y[block] = greatest;
            continue;
        }
        const struct real scale = format_decode(scales, project_scale(call, &greatest, block));
        for (uint64_t i = 0; i < slices.length; i++) {
            const uint64_t at = slice_place(&slices, block, i);
            y[at] = quotient_of(array_number(x, at), &scale, room);
        }
    }
    for (int i = 0; i < 3; i++)
        mpfr_clear(room[i]);
    return true;
}

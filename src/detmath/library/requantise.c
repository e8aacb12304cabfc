/* Requantisation of arrays: sums of int32 to the codes of narrower integers, by each form's scalar function. */
#include "detmath/requantise.h"
#include "detmath/quantise.h"
#include "overlap.h"
#include "quantise_elements.h"

#include <string.h>

enum { MOST_SHIFT = 62 };

static int check(const struct detmath_requantise_call *call) {
    const struct detmath_integer integer = detmath_integer_of(call->y_format);
    if (!integer.bits)
        return DETMATH_TROUBLE_FORMAT;
    if (integer.bits < 32 && (call->zero_point < integer.least || call->zero_point > integer.most))
        return DETMATH_TROUBLE_ZERO_POINT;
    if (call->shift < 0 || call->shift > MOST_SHIFT ||
        (unsigned)call->form > DETMATH_REQUANTISE_FP32 ||
        (unsigned)call->rounding > DETMATH_DYADIC_NEAREST_UP ||
        call->rounding == DETMATH_DYADIC_STOCHASTIC)
        return DETMATH_TROUBLE_OPTIONS;
    return DETMATH_NO_TROUBLE;
}

static int32_t requantised(const struct detmath_requantise_call *call, int32_t x,
                           struct detmath_requantisation rule) {
    switch (call->form) {
    case DETMATH_REQUANTISE_GEMMLOWP:
        return detmath_requantise_gemmlowp(x, rule);
    case DETMATH_REQUANTISE_TOSA:
    case DETMATH_REQUANTISE_TOSA_DOUBLE:
        return detmath_requantise_tosa(x, rule, call->form == DETMATH_REQUANTISE_TOSA_DOUBLE);
    case DETMATH_REQUANTISE_FP32:
        return detmath_requantise_fp32(x, rule);
    case DETMATH_REQUANTISE_ONCE:
        break;
    }
    return detmath_requantise_once(x, rule, call->rounding);
}

int detmath_requantise(const struct detmath_requantise_call *call, void *y, const int32_t *x,
                       size_t n) {
    const int trouble = check(call);
    const size_t bytes = trouble ? 0 : detmath_code_bytes(call->y_format);
    if (trouble)
        return trouble;
    if (y != (const void *)x && !detmath_lie_apart(y, n * bytes, x, n * sizeof *x))
        return DETMATH_TROUBLE_OVERLAP;
    const struct detmath_integer integer = detmath_integer_of(call->y_format);
    const struct detmath_requantisation rule = {call->multiplier, call->shift, call->zero_point,
                                                integer.least, integer.most};
    for (size_t i = 0; i < n;
         i++) { /* in place each element is read before what lies there is written */
        const int32_t v = requantised(call, x[i], rule);
        const uint32_t code = (uint32_t)v & (0xffffffffu >> (32 - integer.bits));
        if (bytes == 4)
            memcpy((char *)y + 4 * i, &code, 4);
        else if (bytes == 2)
            ((uint16_t *)y)[i] = (uint16_t)code;
        else
            ((uint8_t *)y)[i] = (uint8_t)code;
    }
    return DETMATH_NO_TROUBLE;
}

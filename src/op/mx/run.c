/* Running operations on MX blocks: ours, by the library's array forms; and the formula as
 * frameworks write it, with a logarithm in fp32. */
#include "op/mx/rows.h"

#include "detmath/mx_arrays.h"
#include "op/detmath_format.h"

#include <math.h>
#include <stdlib.h>

static enum detmath_mx_format_index index_of(const struct format *element) {
    static const enum detmath_mx_format_index indices[] = {
        [FORMAT_MXFP8_E5M2] = DETMATH_MXFP8_E5M2, [FORMAT_MXFP8_E4M3] = DETMATH_MXFP8_E4M3,
        [FORMAT_MXFP6_E3M2] = DETMATH_MXFP6_E3M2, [FORMAT_MXFP6_E2M3] = DETMATH_MXFP6_E2M3,
        [FORMAT_MXFP4_E2M1] = DETMATH_MXFP4_E2M1, [FORMAT_MXINT8] = DETMATH_MXINT8};
    return indices[element - element_formats];
}

/* enum detmath_rounding, in the type that kernels take. */
static detmath_i32 rounding_of(const struct mx_call *mx) {
    static const detmath_i32 roundings[] = {[ROUND_NEAREST_EVEN] = DETMATH_NEAREST_EVEN,
                                            [ROUND_TOWARD_ZERO] = DETMATH_TOWARD_ZERO,
                                            [ROUND_UP] = DETMATH_UP,
                                            [ROUND_DOWN] = DETMATH_DOWN,
                                            [ROUND_NEAREST_AWAY] = DETMATH_NEAREST_AWAY,
                                            [ROUND_STOCHASTIC] = DETMATH_STOCHASTIC};
    return roundings[mx->conversion.rounding];
}

/* The call is one that the profile covers. */
static struct detmath_mx conversion_of(const struct mx_call *mx) {
    static const struct detmath_mx none;
    struct detmath_mx conversion = none;
    detmath_mx_profile(&conversion, mx->conversion.profile->name,
                       (int)index_of(mx->conversion.element), (int)rounding_of(mx), MX_RANDOM_BITS);
    return conversion;
}

/* A slice of each array, one number after the other. */
struct buffers {
    void *numbers;
    unsigned char *elements, *scales;
    uint32_t *random;
};

static bool open_buffers(struct buffers *buffers, const struct mx_call *mx, struct error *error) {
    size_t n = (size_t)mx->slices.length;
    *buffers = (struct buffers){.numbers = calloc(n, sizeof(uint32_t)),
                                .elements = calloc(n, 1),
                                .scales = calloc((size_t)mx->scales.length, 1),
                                .random = calloc(n, sizeof *buffers->random)};
    return (buffers->numbers && buffers->elements && buffers->scales && buffers->random) ||
           error_set(error, "out of memory for an array");
}

static void close_buffers(struct buffers *buffers) {
    free(buffers->numbers);
    free(buffers->elements);
    free(buffers->scales);
    free(buffers->random);
}

static void gather(void *to, const struct array *array, const struct slices *slices,
                   uint64_t slice) {
    size_t bytes = format_bytes(array->format);
    for (uint64_t i = 0; i < slices->length; i++)
        code_store(to, bytes, (size_t)i, array_code(array, slice_place(slices, slice, i)));
}

static void scatter(const struct array *array, const struct slices *slices, uint64_t slice,
                    const void *from) {
    size_t bytes = format_bytes(array->format);
    for (uint64_t i = 0; i < slices->length; i++)
        array_set_code(array, slice_place(slices, slice, i), code_load(from, bytes, (size_t)i));
}

static const uint32_t *draw_random(const struct mx_call *mx, uint64_t slice, uint32_t *random) {
    for (uint64_t i = 0; mx->stochastic && i < mx->slices.length; i++)
        random[i] = (uint32_t)mx_random(mx, slice_place(&mx->slices, slice, i));
    return mx->stochastic ? random : NULL;
}

bool mx_run_quantise(const struct array_call *call, const struct array_algorithm *algorithm,
                     struct error *error) {
    const struct mx_call mx = mx_call_of(call, call->results[MX_ELEMENTS].format);
    const struct detmath_mx conversion = conversion_of(&mx);
    struct buffers buffers;
    bool opened = open_buffers(&buffers, &mx, error);
    (void)algorithm;
    for (uint64_t slice = 0; opened && slice < mx.slices.count; slice++) {
        gather(buffers.numbers, &call->operands[0], &mx.slices, slice);
        detmath_mx_quantise(&conversion, buffers.elements, buffers.scales,
                            detmath_index_of(call->operands[0].format), buffers.numbers,
                            (size_t)mx.slices.length, draw_random(&mx, slice, buffers.random));
        scatter(&call->results[MX_ELEMENTS], &mx.slices, slice, buffers.elements);
        scatter(&call->results[MX_SCALES], &mx.scales, slice, buffers.scales);
    }
    close_buffers(&buffers);
    return opened;
}

bool mx_run_dequantise(const struct array_call *call, const struct array_algorithm *algorithm,
                       struct error *error) {
    const struct mx_call mx = mx_call_of(call, call->operands[MX_ELEMENTS].format);
    const struct detmath_mx_format element = detmath_mx_formats[index_of(mx.conversion.element)];
    int to = detmath_index_of(call->results[0].format);
    const struct detmath_format target = detmath_formats[to];
    const detmath_u32 sign = target.sign_bit, infinity = target.overflow;
    const struct detmath_cast_rules ieee = {.overflow = {infinity, infinity | sign},
                                            .infinity = {infinity, infinity | sign},
                                            .nan = {target.nan, target.nan},
                                            .zero = {0, sign}};
    const struct detmath_cast cast =
        detmath_cast_make(target, ieee, rounding_of(&mx), MX_RANDOM_BITS);
    struct buffers buffers;
    bool opened = open_buffers(&buffers, &mx, error);
    (void)algorithm;
    for (uint64_t slice = 0; opened && slice < mx.slices.count; slice++) {
        gather(buffers.elements, &call->operands[MX_ELEMENTS], &mx.slices, slice);
        gather(buffers.scales, &call->operands[MX_SCALES], &mx.scales, slice);
        detmath_mx_dequantise(&element, to, &cast, buffers.numbers, buffers.elements,
                              buffers.scales, (size_t)mx.slices.length,
                              draw_random(&mx, slice, buffers.random));
        scatter(&call->results[0], &mx.slices, slice, buffers.numbers);
    }
    close_buffers(&buffers);
    return opened;
}

static float number_at(const struct array *array, uint64_t index) {
    struct real x = array_number(array, index);
    return (float)real_to_double(&x);
}

/* n of the scale 2^n, by the platform's logarithm, which may be off by one near powers of two. */
static float naive_exponent(const struct block_conversion *conversion, float largest) {
    const struct format *element = conversion->element;
    struct real most = format_decode(element, element->max_finite);
    float end = (float)real_to_double(&most), top = floorf(log2f(end));
    switch (conversion->profile->blocks.scale) {
    case BLOCK_SCALE_FLOOR:
        return floorf(log2f(largest)) - top;
    case BLOCK_SCALE_CEIL:
        return ceilf(log2f(largest)) - top;
    case BLOCK_SCALE_EVEN: {
        float power = exp2f(floorf(log2f(largest))), bits = exp2f((float)element->precision - 1);
        return floorf(log2f(floorf(largest / power * bits + 0.5f) / bits * power)) - top;
    }
    default:
        return ceilf(log2f(largest / end));
    }
}

/* A block: n, or NaN. */
static float naive_scale(const struct mx_call *mx, uint64_t slice, uint64_t first, size_t count) {
    float largest = 0;
    for (size_t i = 0; i < count; i++) {
        float x =
            fabsf(number_at(&mx->call->operands[0], slice_place(&mx->slices, slice, first + i)));
        largest = x > largest || x != x ? x : largest;
    }
    if (!isfinite(largest))
        return NAN;
    float n = largest > 0 ? naive_exponent(&mx->conversion, largest) : -127;
    return n < -127 ? -127 : n > 127 ? NAN : n;
}

bool mx_run_naive(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error) {
    const struct array *elements = &call->results[MX_ELEMENTS], *scales = &call->results[MX_SCALES];
    const struct mx_call mx = mx_call_of(call, elements->format);
    (void)algorithm;
    (void)error;
    for (uint64_t slice = 0; slice < mx.slices.count; slice++)
        for (uint64_t block = 0; block < mx.scales.length; block++) {
            uint64_t first = block * BLOCK_ELEMENTS, left = mx.slices.length - first;
            size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
            float n = naive_scale(&mx, slice, first, count);
            struct real scale = real_from_double((double)exp2f(n));
            array_set_code(
                scales, slice_place(&mx.scales, slice, block),
                format_encode(scales->format, &scale, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
            for (size_t i = 0; i < count; i++) {
                uint64_t at = slice_place(&mx.slices, slice, first + i);
                struct real quotient =
                    real_from_double((double)(number_at(&call->operands[0], at) / exp2f(n)));
                bool ignored;
                array_set_code(elements, at, block_element(&mx.conversion, &quotient, &ignored));
            }
        }
    return true;
}

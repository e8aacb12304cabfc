/* A function for each pair of types. */
#include "impl/remote/c_conversion.h"

#include "impl/remote/c_function.h"

#include <stdio.h>
#include <string.h>

enum c_type { TYPE_UINT8, TYPE_UINT16, TYPE_UINT32, TYPE_UINT64, TYPE_FLOAT, TYPE_DOUBLE, TYPES };
static const char *const type_names[TYPES] = {"uint8_t",  "uint16_t", "uint32_t",
                                              "uint64_t", "float",    "double"};

static enum c_type type_of(const struct format *format) {
    if (format == &formats[FORMAT_FP32])
        return TYPE_FLOAT;
    if (format == &formats[FORMAT_FP64])
        return TYPE_DOUBLE;
    const size_t bytes = format_bytes(format);
    return bytes == 1   ? TYPE_UINT8
           : bytes == 2 ? TYPE_UINT16
           : bytes == 4 ? TYPE_UINT32
                        : TYPE_UINT64;
}

#define CONVERSION(FROM, TO)                                                                       \
    static void FROM##_to_##TO(void *address, const void *from, void *to, const uint32_t *random,  \
                               struct call_window *window) {                                       \
        const union {                                                                              \
            void *address;                                                                         \
            TO (*plain)(FROM);                                                                     \
            TO (*stochastic)(FROM, uint32_t);                                                      \
        } call = {address};                                                                        \
        const uint32_t bits = random ? *random : 0;                                                \
        FROM x;                                                                                    \
        TO y;                                                                                      \
        memcpy(&x, from, sizeof x);                                                                \
        call_window_open(window);                                                                  \
        y = random ? call.stochastic(x, bits) : call.plain(x);                                     \
        call_window_close(window);                                                                 \
        memcpy(to, &y, sizeof y);                                                                  \
    }
#define CONVERSIONS(FROM)                                                                          \
    CONVERSION(FROM, uint8_t)                                                                      \
    CONVERSION(FROM, uint16_t)                                                                     \
    CONVERSION(FROM, uint32_t)                                                                     \
    CONVERSION(FROM, uint64_t)                                                                     \
    CONVERSION(FROM, float)                                                                        \
    CONVERSION(FROM, double)
CONVERSIONS(uint8_t)
CONVERSIONS(uint16_t)
CONVERSIONS(uint32_t)
CONVERSIONS(uint64_t)
CONVERSIONS(float)
CONVERSIONS(double)

#define ROW(FROM)                                                                                  \
    {                                                                                              \
        FROM##_to_uint8_t, FROM##_to_uint16_t, FROM##_to_uint32_t, FROM##_to_uint64_t,             \
            FROM##_to_float, FROM##_to_double                                                      \
    }
static c_conversion_call *const calls[TYPES][TYPES] = {ROW(uint8_t),  ROW(uint16_t), ROW(uint32_t),
                                                       ROW(uint64_t), ROW(float),    ROW(double)};

c_conversion_call *c_conversion_find(const struct format *from, const struct format *to) {
    return calls[type_of(from)][type_of(to)];
}

bool c_conversion_is_random(const struct c_function *function) {
    return function->convert && function->cast.rounding == ROUND_STOCHASTIC;
}

void c_conversion_take_low_bits(const struct c_function *function, void *results, size_t count) {
    const struct format *to = function->returned;
    const size_t bytes = format_bytes(to);
    if (!function->convert || !to->is_integer || to->width == 8 * bytes)
        return;
    for (size_t i = 0; i < count; i++)
        code_store(results, bytes, i, code_load(results, bytes, i) & format_mask(to));
}

uint32_t c_conversion_random(const struct c_function *function, uint64_t index) {
    return (uint32_t)conversion_random(&function->cast, &function->request.parameters, index);
}

void c_conversion_call_one(const struct c_function *function, const void *from, void *to,
                           uint32_t random, struct call_window *window) {
    function->convert(function->call.address, from, to,
                      c_conversion_is_random(function) ? &random : NULL, window);
}

const char *c_conversion_signature(const struct c_function *function, char text[C_SIGNATURE_TEXT]) {
    const char *from = type_names[type_of(function->computed)];
    const char *to = type_names[type_of(function->returned)];
    const bool random = c_conversion_is_random(function);
    if (function->array)
        snprintf(text, C_SIGNATURE_TEXT, "void f(%s *, const %s *%s, size_t)", to, from,
                 random ? ", const uint32_t *" : "");
    else
        snprintf(text, C_SIGNATURE_TEXT, "%s f(%s%s)", to, from, random ? ", uint32_t" : "");
    return text;
}

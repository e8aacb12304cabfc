/* Each loop once for each size of codes, for compilers to turn into vector code. */
#include "explain/mark.h"

#include "base/vector.h"

#define LOOPS(TYPE)                                                                                \
    FOR_EACH_CPU static void different_##TYPE(const TYPE *a, const TYPE *b, uint8_t *marks,        \
                                              size_t count) {                                      \
        for (size_t i = 0; i < count; i++)                                                         \
            marks[i] |= a[i] != b[i];                                                              \
    }                                                                                              \
                                                                                                   \
    FOR_EACH_CPU static void within_##TYPE(const TYPE *codes, TYPE mask, TYPE most,                \
                                           uint8_t *marks, size_t count) {                         \
        for (size_t i = 0; i < count; i++)                                                         \
            marks[i] |= (TYPE)((codes[i] & mask) - 1) < most;                                      \
    }

LOOPS(uint8_t)
LOOPS(uint16_t)
LOOPS(uint32_t)
LOOPS(uint64_t)

void mark_different(const void *a, const void *b, size_t bytes, uint8_t *marks, size_t count) {
    switch (bytes) {
    case 1:
        different_uint8_t(a, b, marks, count);
        return;
    case 2:
        different_uint16_t(a, b, marks, count);
        return;
    case 4:
        different_uint32_t(a, b, marks, count);
        return;
    default:
        different_uint64_t(a, b, marks, count);
    }
}

void mark_subnormal(const void *codes, const struct format *format, uint8_t *marks, size_t count) {
    const uint64_t mask = format->sign_bit - 1;
    const uint64_t most = ((uint64_t)1 << (format->precision - 1)) - 1; /* 1..most */
    if (!format->has_zero)
        return;
    if (format->is_integer) { /* whose magnitudes are not their bits */
        for (size_t i = 0; i < count; i++)
            marks[i] |= format_classify(format, code_load(codes, format_bytes(format), i)) ==
                        CLASS_SUBNORMAL;
        return;
    }
    switch (format_bytes(format)) {
    case 1:
        within_uint8_t(codes, (uint8_t)mask, (uint8_t)most, marks, count);
        return;
    case 2:
        within_uint16_t(codes, (uint16_t)mask, (uint16_t)most, marks, count);
        return;
    case 4:
        within_uint32_t(codes, (uint32_t)mask, (uint32_t)most, marks, count);
        return;
    default:
        within_uint64_t(codes, mask, most, marks, count);
    }
}

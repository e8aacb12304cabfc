/* Patterns, and the call that is made again. */
#include "impl/unwritten.h"

#include "base/vector.h"
#include "format/format.h"

#include <stdlib.h>
#include <string.h>

uint64_t unwritten_code(size_t bytes, bool again) {
    static const uint64_t codes[] = {
        [1] = 0xa5, [2] = 0x7fa5, [4] = 0x7fa5a5a5, [8] = UINT64_C(0x7ff5a5a5a5a5a5a5)};
    return again ? codes[bytes] ^ UINT64_MAX >> (64 - 8 * bytes) : codes[bytes];
}

/* Arrays may lie at any address. */
#define LOOPS(TYPE)                                                                                \
    FOR_EACH_CPU static void fill_##TYPE(char *codes, TYPE code, size_t count) {                   \
        for (size_t i = 0; i < count; i++)                                                         \
            memcpy(codes + i * sizeof code, &code, sizeof code);                                   \
    }                                                                                              \
    FOR_EACH_CPU static bool holds_##TYPE(const char *codes, TYPE code, size_t count) {            \
        TYPE found = 0;                                                                            \
        for (size_t i = 0; i < count; i++) {                                                       \
            TYPE here;                                                                             \
            memcpy(&here, codes + i * sizeof here, sizeof here);                                   \
            found |= here == code;                                                                 \
        }                                                                                          \
        return found;                                                                              \
    }
LOOPS(uint8_t)
LOOPS(uint16_t)
LOOPS(uint32_t)
LOOPS(uint64_t)

static void fill(void *codes, size_t bytes, uint64_t code, size_t count) {
    if (bytes == 1)
        fill_uint8_t(codes, (uint8_t)code, count);
    else if (bytes == 2)
        fill_uint16_t(codes, (uint16_t)code, count);
    else if (bytes == 4)
        fill_uint32_t(codes, (uint32_t)code, count);
    else
        fill_uint64_t(codes, code, count);
}

static bool holds(const void *codes, size_t bytes, uint64_t code, size_t count) {
    return bytes == 1   ? holds_uint8_t(codes, (uint8_t)code, count)
           : bytes == 2 ? holds_uint16_t(codes, (uint16_t)code, count)
           : bytes == 4 ? holds_uint32_t(codes, (uint32_t)code, count)
                        : holds_uint64_t(codes, code, count);
}

void unwritten_fill(const struct outputs *outputs, bool again) {
    const uint64_t code = unwritten_code(outputs->bytes, again);
    for (int k = 0; k < outputs->array_count; k++)
        if (outputs->arrays[k])
            fill(outputs->arrays[k], outputs->bytes, code, outputs->count);
}

/* Marks what holds the pattern in `first` and does not in `second`, or all that holds it; says whether
 * there is any. */
static bool mark(const struct outputs *outputs, const void *first, const void *second,
                 uint8_t *marks) {
    const uint64_t code = unwritten_code(outputs->bytes, false);
    bool any = false;
    for (size_t i = 0; i < outputs->count; i++)
        if (code_load(first, outputs->bytes, i) == code &&
            (!second || code_load(second, outputs->bytes, i) != code)) {
            any = true;
            if (marks)
                marks[i] = 1;
        }
    return any;
}

static bool holds_any(const struct outputs *outputs) {
    const uint64_t code = unwritten_code(outputs->bytes, false);
    for (int k = 0; k < outputs->array_count; k++)
        if (outputs->arrays[k] && holds(outputs->arrays[k], outputs->bytes, code, outputs->count))
            return true;
    return false;
}

bool unwritten_find(const struct outputs *outputs, unwritten_call *call, void *context,
                    uint8_t *marks) {
    const size_t length = outputs->count * outputs->bytes;
    bool any = false;
    if (!holds_any(outputs))
        return false;
    char *first = malloc((size_t)outputs->array_count * length);
    for (int k = 0; first && k < outputs->array_count; k++)
        if (outputs->arrays[k])
            memcpy(first + (size_t)k * length, outputs->arrays[k], length);
    if (first) {
        unwritten_fill(outputs, true);
        call(context);
    }
    for (int k = 0; k < outputs->array_count; k++) {
        void *second = outputs->arrays[k];
        const char *kept = first ? first + (size_t)k * length : second;
        if (!second)
            continue;
        any = mark(outputs, kept, first ? second : NULL, marks) || any;
        if (first)
            memcpy(second, kept, length);
    }
    free(first);
    return any;
}

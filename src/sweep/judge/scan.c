/* Each loop once for each size of codes, for compilers to turn into vector code. What grows from code to code is
 * added up in its own type: computed from the index, it would be widened to 64 bits, and take twice the time. */
#include "sweep/judge/scan.h"

#include "base/vector.h"

#define LOOPS(TYPE, MAGNITUDE)                                                                     \
    FOR_EACH_CPU static void fill_##TYPE(TYPE *codes, TYPE first, size_t count) {                  \
        TYPE code = first;                                                                         \
        for (size_t i = 0; i < count; i++, code++)                                                 \
            codes[i] = code;                                                                       \
    }                                                                                              \
                                                                                                   \
    FOR_EACH_CPU static TYPE differs_##TYPE(const TYPE *codes, TYPE want, uint32_t start,          \
                                            uint32_t step, size_t count) {                         \
        TYPE differs = 0;                                                                          \
        uint32_t halves = start;                                                                   \
        for (size_t i = 0; i < count; i++, halves += step)                                         \
            differs |= (TYPE)(codes[i] ^ (TYPE)(want + (halves >> 1)));                            \
        return differs;                                                                            \
    }                                                                                              \
                                                                                                   \
    FOR_EACH_CPU static TYPE strays_##TYPE(const TYPE *codes, const struct code_pattern *pattern,  \
                                           TYPE first, size_t count) {                             \
        TYPE add = (TYPE)pattern->add, odd = (TYPE)pattern->odd, keep = (TYPE)pattern->keep;       \
        TYPE offset = (TYPE)pattern->offset, differs = 0;                                          \
        unsigned odd_shift = pattern->odd_shift, shift = pattern->shift;                           \
        TYPE code = first;                                                                         \
        for (size_t i = 0; i < count; i++, code++) {                                               \
            TYPE sum = (TYPE)(code + add);                                                         \
            sum = (TYPE)(sum + (TYPE)((TYPE)(code >> odd_shift) & odd));                           \
            TYPE want = (TYPE)((TYPE)((TYPE)(sum & keep) << shift) + offset);                      \
            differs |= (TYPE)(codes[i] ^ want);                                                    \
        }                                                                                          \
        return differs;                                                                            \
    }                                                                                              \
                                                                                                   \
    FOR_EACH_CPU static TYPE stray_fractions_##TYPE(                                               \
        const TYPE *codes, const struct code_pattern *pattern, unsigned precision, TYPE first,     \
        size_t count) {                                                                            \
        const struct code_pattern own = *pattern;                                                  \
        TYPE differs = 0, code = first;                                                            \
        for (size_t i = 0; i < count; i++, code++)                                                 \
            differs |= (TYPE)(codes[i] ^ (TYPE)pattern_fraction(&own, precision, code));           \
        return differs;                                                                            \
    }                                                                                              \
                                                                                                   \
    FOR_EACH_CPU static void count_##TYPE(const TYPE *codes, TYPE largest, TYPE nan, size_t count, \
                                          size_t *above, size_t *same) {                           \
        uint32_t all = 0, equal = 0;                                                               \
        for (size_t i = 0; i < count; i++) {                                                       \
            all += (TYPE)(codes[i] & MAGNITUDE) > largest;                                         \
            equal += codes[i] == nan;                                                              \
        }                                                                                          \
        *above = all;                                                                              \
        *same = equal;                                                                             \
    }                                                                                              \
                                                                                                   \
    FOR_EACH_CPU static void replace_##TYPE(TYPE *codes, TYPE largest, TYPE nan, size_t count) {   \
        for (size_t i = 0; i < count; i++)                                                         \
            codes[i] = (TYPE)(codes[i] & MAGNITUDE) > largest ? nan : codes[i];                    \
    }

LOOPS(uint64_t, 0x7fffffffffffffffu)
LOOPS(uint32_t, 0x7fffffffu)
LOOPS(uint16_t, 0x7fffu)

#define FINDS(TYPE)                                                                                \
    FOR_EACH_CPU static TYPE finds_##TYPE(const TYPE *codes, TYPE mask, TYPE largest, TYPE except, \
                                          size_t count) {                                          \
        TYPE found = 0;                                                                            \
        for (size_t i = 0; i < count; i++)                                                         \
            found |= (TYPE)(((codes[i] & mask) > largest) & (codes[i] != except));                 \
        return found;                                                                              \
    }

FINDS(uint8_t)
FINDS(uint16_t)
FINDS(uint32_t)
FINDS(uint64_t)

void scan_fill(void *codes, size_t bytes, uint64_t first, size_t count) {
    if (bytes == 8)
        fill_uint64_t(codes, first, count);
    else if (bytes == 4)
        fill_uint32_t(codes, (uint32_t)first, count);
    else
        fill_uint16_t(codes, (uint16_t)first, count);
}

bool scan_follows(const void *codes, size_t bytes, uint64_t want, uint32_t start, uint32_t step,
                  size_t count) {
    return bytes == 8   ? !differs_uint64_t(codes, want, start, step, count)
           : bytes == 4 ? !differs_uint32_t(codes, (uint32_t)want, start, step, count)
                        : !differs_uint16_t(codes, (uint16_t)want, start, step, count);
}

/* Where each code is `step` more than the one before. */
static bool is_line(const struct code_pattern *pattern, uint64_t first, uint64_t *want,
                    uint32_t *step) {
    *step = pattern->keep ? 1 : 0;
    *want = pattern->offset + *step * first;
    return !pattern->is_fraction &&
           (!pattern->keep ||
            (pattern->keep == UINT64_MAX && !pattern->add && !pattern->odd && !pattern->shift));
}

bool scan_matches(const void *codes, const struct format *format,
                  const struct code_pattern *pattern, uint64_t first, size_t count) {
    size_t bytes = format_bytes(format);
    unsigned precision = (unsigned)format->precision;
    uint64_t want;
    uint32_t step;
    if (is_line(pattern, first, &want, &step))
        return scan_follows(codes, bytes, want, 0, 2 * step, count);
    if (pattern->is_fraction)
        return bytes == 8 ? !stray_fractions_uint64_t(codes, pattern, precision, first, count)
               : bytes == 4
                   ? !stray_fractions_uint32_t(codes, pattern, precision, (uint32_t)first, count)
                   : !stray_fractions_uint16_t(codes, pattern, precision, (uint16_t)first, count);
    return bytes == 8   ? !strays_uint64_t(codes, pattern, first, count)
           : bytes == 4 ? !strays_uint32_t(codes, pattern, (uint32_t)first, count)
                        : !strays_uint16_t(codes, pattern, (uint16_t)first, count);
}

size_t scan_count_above(const void *codes, size_t bytes, uint64_t largest, uint64_t nan,
                        size_t count, size_t *same) {
    size_t above;
    if (bytes == 8)
        count_uint64_t(codes, largest, nan, count, &above, same);
    else if (bytes == 4)
        count_uint32_t(codes, (uint32_t)largest, (uint32_t)nan, count, &above, same);
    else
        count_uint16_t(codes, (uint16_t)largest, (uint16_t)nan, count, &above, same);
    return above;
}

void scan_replace_above(void *codes, size_t bytes, uint64_t largest, uint64_t nan, size_t count) {
    if (bytes == 8)
        replace_uint64_t(codes, largest, nan, count);
    else if (bytes == 4)
        replace_uint32_t(codes, (uint32_t)largest, (uint32_t)nan, count);
    else
        replace_uint16_t(codes, (uint16_t)largest, (uint16_t)nan, count);
}

bool scan_finds_above(const void *codes, size_t bytes, uint64_t mask, uint64_t largest,
                      uint64_t except, size_t count) {
    switch (bytes) {
    case 1:
        return finds_uint8_t(codes, (uint8_t)mask, (uint8_t)largest, (uint8_t)except, count);
    case 2:
        return finds_uint16_t(codes, (uint16_t)mask, (uint16_t)largest, (uint16_t)except, count);
    case 4:
        return finds_uint32_t(codes, (uint32_t)mask, (uint32_t)largest, (uint32_t)except, count);
    default:
        return finds_uint64_t(codes, mask, largest, except, count);
    }
}

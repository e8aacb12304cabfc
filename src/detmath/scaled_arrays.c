/* Array forms of the scaled operations for one instruction set: compiled several times, with
 * DETMATH_LEVEL naming the table. */
#include "scaled_kernels.h"

/* Codes of formats of 1, 2 or 4 bytes; a cast has any of them on either side. */
#define LOOP(TO, FROM, EXPRESSION)                                                                 \
    {                                                                                              \
        TO *c = to_codes;                                                                          \
        const FROM *a = a_codes, *b = b_codes;                                                     \
        (void)b;                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            c[i] = (TO)detmath_scaled_encode(EXPRESSION, to);                                      \
    }
#define LOOPS(FROM, EXPRESSION)                                                                    \
    if (to_size == 1)                                                                              \
        LOOP(uint8_t, FROM, EXPRESSION)                                                            \
    else if (to_size == 2)                                                                         \
        LOOP(uint16_t, FROM, EXPRESSION)                                                           \
    else                                                                                           \
        LOOP(uint32_t, FROM, EXPRESSION)
#define EVERY(FROM, EXPRESSION)                                                                    \
    {                                                                                              \
        LOOPS(FROM, EXPRESSION)                                                                    \
        return;                                                                                    \
    }

static int size_of(int format) {
    return format == DETMATH_F32 ? 4 : format < DETMATH_E4M3FN ? 2 : 1;
}

#define FILL(NAME, SECOND)                                                                         \
    static void fill_##NAME(int to_index, void *to_codes, int from_index, const void *a_codes,     \
                            const void *b_codes, size_t n,                                         \
                            const struct detmath_scaled_plan *given) {                             \
        const struct detmath_format to = detmath_formats[to_index];                                \
        const struct detmath_format from = detmath_formats[from_index];                            \
        const struct detmath_scaled_plan plan = *given;                                            \
        int to_size = size_of(to_index), from_size = size_of(from_index);                          \
        if (from_size == 1)                                                                        \
            EVERY(uint8_t, detmath_scaled_##NAME##_element(detmath_scaled_decode(a[i], from),      \
                                                           SECOND, plan))                          \
        if (from_size == 2)                                                                        \
            EVERY(uint16_t, detmath_scaled_##NAME##_element(detmath_scaled_decode(a[i], from),     \
                                                            SECOND, plan))                         \
        EVERY(uint32_t,                                                                            \
              detmath_scaled_##NAME##_element(detmath_scaled_decode(a[i], from), SECOND, plan))    \
    }
#define ONE(NAME) FILL(NAME, 0.0)
#define TWO(NAME) FILL(NAME, detmath_scaled_decode(b[i], from))
DETMATH_SCALED_OPERATIONS(ONE, TWO)

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_scaled_kernels JOIN(detmath_scaled_level_, DETMATH_LEVEL)[];
const struct detmath_scaled_kernels JOIN(detmath_scaled_level_, DETMATH_LEVEL)[] = {
#define ROW_ONE(NAME) {#NAME, fill_##NAME, 1},
#define ROW_TWO(NAME) {#NAME, fill_##NAME, 2},
    DETMATH_SCALED_OPERATIONS(ROW_ONE, ROW_TWO)};

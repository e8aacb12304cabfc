/* Array forms and scalars of the functions of one part of functions.inc, for one instruction set: compiled several times,
 * with ARRAYS_PART saying which part and DETMATH_LEVEL naming the instruction set. */
#include "arc_tangent_lanes.h"
#include "atan2_lanes.h"
#include "both.h"
#include "chunks.h"
#include "detmath/all.h"
#include "error_function_lanes.h"
#include "exp_lanes.h"
#include "gamma_lanes.h"
#include "hyperbolic_lanes.h"
#include "inverse_hyperbolic_lanes.h"
#include "inverse_trigonometric_lanes.h"
#include "kernels.h"
#include "log_lanes.h"
#include "look_up.h"
#include "narrow.h"
#include "power_lanes.h"
#include "root_lanes.h"
#include "trigonometric_lanes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(ARRAYS_PART) /* else all functions at once */
#define DETMATH_PART ARRAYS_PART
#endif

/* The first where functions.inc defines DETMATH_QUICK_##NAME, otherwise the second. */
#define QUICK(NAME, FORM, OTHER) DETMATH_SECOND(DETMATH_QUICK_##NAME FORM, OTHER, ~)

/* Of any format, by that of fp32 and by the function of codes. */
#define CR_FILL(NAME, OPERANDS)                                                                    \
    static void fill_cr_##NAME(int format, void *const *results, const void *const *operands,      \
                               size_t n) {                                                         \
        if (format == DETMATH_F32)                                                                 \
            fill_cr_##NAME##_f32(results, operands, n);                                            \
        else                                                                                       \
            fill_narrow(format, results[0], operands, OPERANDS, n, fill_cr_##NAME##_f32,           \
                        code_cr_##NAME);                                                           \
    }

/* Loops that return whether there was doubt. */
#define QUICK_LOOP(FUNCTION, NAME, BITS)                                                           \
    detmath_u32 doubt = 0;                                                                         \
    CHUNK_LOOP(FUNCTION##_quick(x[i], &doubt));                                                    \
    return doubt
#define QUICK_LOOP_BY(FUNCTION, NAME, BITS) LOOK_UP(FUNCTION, BITS, DETMATH_COLUMNS_##NAME)
#define QUICK_LANES(FUNCTION, NAME, BITS)                                                          \
    LANES_LOOP(NAME, lanes_store(y + i, detmath_##NAME##_steps_lanes(v)))

/* By the rows, for most operands, in vain where that is no more than half of them; and by all steps. */
#define FIRST_LANES(NAME)                                                                          \
    DETMATH_FLATTENED static detmath_u32 first_##NAME(float *restrict y, const float *restrict x,  \
                                                      size_t lanes, uint16_t *restrict near) {     \
        size_t others = 0;                                                                         \
        for (size_t i = 0; i < lanes; i += DETMATH_LANES) {                                        \
            lanes_u away;                                                                          \
            lanes_store(y + i, detmath_##NAME##_rows_lanes(lanes_load(x + i), &away));             \
            detmath_u32 other = lanes_reach(away, DETMATH_REACH_##NAME##_rows);                    \
            lanes_note(near, i, other);                                                            \
            others += (size_t)__builtin_popcount(other);                                           \
        }                                                                                          \
        return 2 * others > lanes;                                                                 \
    }                                                                                              \
    DETMATH_FLATTENED static detmath_u32 quick_##NAME(float *restrict y, const float *restrict x,  \
                                                      size_t lanes) {                              \
        lanes_u most = {0};                                                                        \
        for (size_t i = 0; i < lanes; i += DETMATH_LANES) {                                        \
            lanes_u away;                                                                          \
            lanes_store(y + i, detmath_##NAME##_steps_lanes(lanes_load(x + i), &away));            \
            most = lanes_larger(most, away);                                                       \
        }                                                                                          \
        return lanes_reach(most, DETMATH_REACH_##NAME);                                            \
    }
#define CR_LANES(NAME)                                                                             \
    DETMATH_FLATTENED static detmath_u32 first_cr_##NAME(                                          \
        float *restrict y, const float *restrict x, size_t lanes, uint16_t *restrict near) {       \
        LANES_LOOP(NAME, lanes_f other; lanes_f z = detmath_cr_##NAME##_steps(v, &other);          \
                   lanes_store(y + i, z); lanes_note(near, i, lanes_differ(z, other)));            \
    }
/* The array forms of cr: the slow way only for those elements that need it. */
#define CR_FILLS(NAME)                                                                             \
    DETMATH_FLATTENED static detmath_u32 quick_cr_##NAME(float *restrict y,                        \
                                                         const float *restrict x, size_t lanes) {  \
        LANES_OR(BOTH_##NAME, QUICK_LANES, QUICK(CR_BY_##NAME, QUICK_LOOP_BY, QUICK_LOOP))         \
        (detmath_cr_##NAME, cr_##NAME, 64);                                                        \
    }                                                                                              \
    DETMATH_FLATTENED static void full_cr_##NAME(float *restrict y, const float *restrict x,       \
                                                 size_t lanes) {                                   \
        CHUNK_LOOP(detmath_cr_##NAME##f(x[i]));                                                    \
    }                                                                                              \
    LANES_OR(CR_##NAME, CR_LANES(NAME), )                                                          \
    static void fill_cr_##NAME##_f32(void *const *results, const void *const *operands,            \
                                     size_t n) {                                                   \
        fill_quickly(results[0], operands[0], n,                                                   \
                     (struct chunk_forms){LANES_OR(CR_##NAME, first_cr_##NAME, NULL),              \
                                          quick_cr_##NAME, full_cr_##NAME});                       \
    }                                                                                              \
    static detmath_u32 code_cr_##NAME(const detmath_u32 *codes, struct detmath_format format) {    \
        return detmath_cr_##NAME##_code(codes[0], format);                                         \
    }                                                                                              \
    CR_FILL(NAME, 1)
#define DETMATH_UNARY(NAME)                                                                        \
    DETMATH_FLATTENED static void full_##NAME(float *restrict y, const float *restrict x,          \
                                              size_t lanes) {                                      \
        CHUNK_LOOP(LANES_OR(FIRST_##NAME, detmath_##NAME##_full, detmath_##NAME##f)(x[i]));        \
    }                                                                                              \
    LANES_OR(FIRST_##NAME, FIRST_LANES(NAME), )                                                    \
    static void fill_##NAME(void *const *results, const void *const *operands, size_t n) {         \
        fill_quickly(results[0], operands[0], n,                                                   \
                     (struct chunk_forms){LANES_OR(FIRST_##NAME, first_##NAME, NULL),              \
                                          LANES_OR(FIRST_##NAME, quick_##NAME, NULL),              \
                                          full_##NAME});                                           \
    }                                                                                              \
    CR_FILLS(NAME)
#define DETMATH_UNARY_QUICK(NAME)                                                                  \
    DETMATH_FLATTENED static detmath_u32 quick_##NAME(float *restrict y, const float *restrict x,  \
                                                      size_t lanes) {                              \
        LANES_OR(NAME, QUICK_LANES, QUICK(BY_##NAME, QUICK_LOOP_BY, QUICK_LOOP))                   \
        (detmath_##NAME, NAME, 32);                                                                \
    }                                                                                              \
    DETMATH_FLATTENED static void full_##NAME(float *restrict y, const float *restrict x,          \
                                              size_t lanes) {                                      \
        CHUNK_LOOP(detmath_##NAME##_full(x[i]));                                                   \
    }                                                                                              \
    static void fill_##NAME(void *const *results, const void *const *operands, size_t n) {         \
        fill_quickly(results[0], operands[0], n,                                                   \
                     (struct chunk_forms){NULL, quick_##NAME, full_##NAME});                       \
    }                                                                                              \
    CR_FILLS(NAME)
/* z[i] = f(x[i], y[i]). QUICK fills lanes and says of each, and of all together, whether there is doubt;
 * FULL does those again, of which there are few. */
typedef detmath_u32 pairs_quick(float *restrict z, const float *restrict x, const float *restrict y,
                                detmath_u32 *restrict doubts, size_t lanes);

static inline void fill_pairs(void *to, const void *const *operands, size_t n, pairs_quick *quick,
                              float (*full)(float, float)) {
    _Alignas(64) float copies[3][CHUNK];
    detmath_u32 doubts[CHUNK];
    bool direct = chunks_apart(to, operands[0], n) && chunks_apart(to, operands[1], n);
    for (size_t at = 0; at < n; at += CHUNK) {
        struct chunk chunk = chunk_at(at, n);
        bool copied = !direct || chunk.count < chunk.lanes;
        const float *x = copied ? copies[0] : (const float *)operands[0] + at;
        const float *y = copied ? copies[1] : (const float *)operands[1] + at;
        float *z = copied ? copies[2] : (float *)to + at;
        if (copied) {
            chunk_load(copies[0], operands[0], chunk);
            chunk_load(copies[1], operands[1], chunk);
        }
        detmath_u32 any = quick(z, x, y, doubts, chunk.lanes);
        for (size_t i = 0; any && i < chunk.count; i++)
            if (doubts[i])
                z[i] = full(x[i], y[i]);
        if (copied)
            chunk_store(to, z, chunk);
    }
}

#define PAIRS_LOOP(EXPRESSION)                                                                     \
    detmath_u32 any = 0;                                                                           \
    for (size_t i = 0; i < lanes; i++) {                                                           \
        detmath_u32 doubt = 0;                                                                     \
        z[i] = EXPRESSION;                                                                         \
        any |= doubts[i] = doubt;                                                                  \
    }                                                                                              \
    return any

#define PAIRS_QUICK(NAME)                                                                          \
    PAIRS_LOOP(                                                                                    \
        QUICK(NAME, detmath_##NAME##_quick(x[i], y[i], &doubt), detmath_##NAME##f(x[i], y[i])))
/* By kernels of lanes. Where a lane is away, a second loop says which, so that the first need store no doubts. */
#define PAIRS_OF(LOOP, NAME)                                                                       \
    lanes_u most = {0};                                                                            \
    LOOP(NAME, most = lanes_larger(most, away));                                                   \
    if (!lanes_reach(most, DETMATH_REACH_##NAME))                                                  \
        return 0;                                                                                  \
    LOOP(NAME, lanes_doubt(doubts + i, away, DETMATH_REACH_##NAME));                               \
    return 1
#define PAIRS_LANES(NAME) PAIRS_OF(PAIRS_LANES_LOOP, NAME)
#define PAIRS_POWER(NAME) PAIRS_OF(POWER_LANES_LOOP, NAME)
#define PAIRS_LANES_LOOP(NAME, SEE)                                                                \
    for (size_t i = 0; i < lanes; i += DETMATH_LANES) {                                            \
        lanes_u away;                                                                              \
        lanes_store(z + i,                                                                         \
                    detmath_##NAME##_steps_lanes(lanes_load(x + i), lanes_load(y + i), &away));    \
        SEE;                                                                                       \
    }

#define DETMATH_BINARY(NAME)                                                                       \
    DETMATH_FLATTENED static detmath_u32 quick_pairs_##NAME(                                       \
        float *restrict z, const float *restrict x, const float *restrict y,                       \
        detmath_u32 *restrict doubts, size_t lanes) {                                              \
        LANES_OR(NAME, PAIRS_LANES, LANES_OR(POWER_##NAME, PAIRS_POWER, PAIRS_QUICK))(NAME);       \
    }                                                                                              \
    static void fill_##NAME(void *const *results, const void *const *operands, size_t n) {         \
        fill_pairs(results[0], operands, n, quick_pairs_##NAME,                                    \
                   QUICK(NAME, detmath_##NAME##_full, detmath_##NAME##f));                         \
    }                                                                                              \
    DETMATH_FLATTENED static detmath_u32 quick_cr_pairs_##NAME(                                    \
        float *restrict z, const float *restrict x, const float *restrict y,                       \
        detmath_u32 *restrict doubts, size_t lanes) {                                              \
        PAIRS_LOOP(QUICK(CR_##NAME, detmath_cr_##NAME##_quick(x[i], y[i], &doubt),                 \
                         detmath_cr_##NAME##f(x[i], y[i])));                                       \
    }                                                                                              \
    static void fill_cr_##NAME##_f32(void *const *results, const void *const *operands,            \
                                     size_t n) {                                                   \
        fill_pairs(results[0], operands, n, quick_cr_pairs_##NAME, detmath_cr_##NAME##f);          \
    }                                                                                              \
    static detmath_u32 code_cr_##NAME(const detmath_u32 *codes, struct detmath_format format) {    \
        return detmath_cr_##NAME##_code(codes[0], codes[1], format);                               \
    }                                                                                              \
    CR_FILL(NAME, 2)
#define BOTH_LOOP(NAME)                                                                            \
    detmath_u32 doubt = 0;                                                                         \
    for (size_t i = 0; i < lanes; i++)                                                             \
        QUICK(NAME, detmath_##NAME##_quick(x[i], &a[i], &b[i], &doubt),                            \
              detmath_##NAME##f(x[i], &a[i], &b[i]));                                              \
    return doubt
#define BOTH_LANES(NAME)                                                                           \
    LANES_LOOP(NAME, lanes_f second; lanes_f first = detmath_##NAME##_steps_lanes(v, &second);     \
               lanes_store(a + i, first); lanes_store(b + i, second))

#define CR_BOTH_LANES(NAME)                                                                        \
    DETMATH_FLATTENED static detmath_u32 first_cr_both_##NAME(                                     \
        float *restrict a, float *restrict b, const float *restrict x, size_t lanes,               \
        uint16_t *restrict near) {                                                                 \
        LANES_LOOP(NAME, lanes_f others[2]; lanes_f second;                                        \
                   lanes_f first = detmath_cr_##NAME##_steps(v, &others[0], &second, &others[1]);  \
                   lanes_store(a + i, first); lanes_store(b + i, second);                          \
                   lanes_note(near, i,                                                             \
                              lanes_differ(first, others[0]) | lanes_differ(second, others[1])));  \
    }

#define DETMATH_PAIR(NAME, A, B)                                                                   \
    DETMATH_FLATTENED static detmath_u32 both_##NAME(float *restrict a, float *restrict b,         \
                                                     const float *restrict x, size_t lanes) {      \
        LANES_OR(NAME, BOTH_LANES, BOTH_LOOP)(NAME);                                               \
    }                                                                                              \
    static void fill_##NAME(void *const *results, const void *const *operands, size_t n) {         \
        fill_both(results, operands[0], n, both_##NAME, detmath_##NAME##f);                        \
    }                                                                                              \
    LANES_OR(CR_##NAME, CR_BOTH_LANES(NAME), )                                                     \
    /* Codes by one after the other, a chunk at a time, since a result may be where they are. */   \
    static void fill_cr_##NAME(int format, void *const *results, const void *const *operands,      \
                               size_t n) {                                                         \
        if (format == DETMATH_F32) {                                                               \
            fill_both_quickly(results, operands[0], n,                                             \
                              (struct both_forms){LANES_OR(CR_##NAME, first_cr_both_##NAME, NULL), \
                                                  {NULL, quick_cr_##A, full_cr_##A},               \
                                                  {NULL, quick_cr_##B, full_cr_##B}});             \
            return;                                                                                \
        }                                                                                          \
        size_t bytes = format < DETMATH_E4M3FN ? 2 : 1;                                            \
        uint16_t x[CHUNK];                                                                         \
        for (size_t at = 0; at < n; at += CHUNK) {                                                 \
            size_t count = chunk_at(at, n).count, from = at * bytes;                               \
            void *const first[] = {(char *)results[0] + from};                                     \
            void *const second[] = {(char *)results[1] + from};                                    \
            const void *const in[] = {x};                                                          \
            memcpy(x, (const char *)operands[0] + from, count * bytes);                            \
            fill_cr_##A(format, first, in, count);                                                 \
            fill_cr_##B(format, second, in, count);                                                \
        }                                                                                          \
    }
#include "detmath/functions.inc"

#define ROW(KIND, NAME)                                                                            \
    extern const struct detmath_kernels DETMATH_KERNELS(DETMATH_LEVEL, NAME);                      \
    const struct detmath_kernels DETMATH_KERNELS(DETMATH_LEVEL, NAME) = {                          \
        .name = #NAME,                                                                             \
        .det = fill_##NAME,                                                                        \
        .cr = fill_cr_##NAME,                                                                      \
        .det_scalar = {.KIND = detmath_##NAME##f},                                                 \
        .cr_scalar = {.KIND = detmath_cr_##NAME##f}};
#define DETMATH_UNARY(NAME)      ROW(unary, NAME)
#define DETMATH_BINARY(NAME)     ROW(binary, NAME)
#define DETMATH_PAIR(NAME, A, B) ROW(pair, NAME)
#include "detmath/functions.inc"

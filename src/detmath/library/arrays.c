/* Array forms and scalars of the functions of one part of functions.inc, for one instruction set: compiled several times,
 * with ARRAYS_PART saying which part and DETMATH_LEVEL naming the instruction set. */
#include "arc_tangent_lanes.h"
#include "atan2_lanes.h"
#include "both.h"
#include "detmath/families.h"
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
#include "pairs.h"
#include "power_lanes.h"
#include "root_lanes.h"
#include "strips.h"
#include "trigonometric_lanes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(ARRAYS_PART) /* else all functions at once */
#define DETMATH_PART ARRAYS_PART
#endif

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
#define QUICK_LOOP(QUICK)                                                                          \
    detmath_u32 doubt = 0;                                                                         \
    STRIP_LOOP(QUICK(x[i], &doubt));                                                               \
    return doubt
#define LANES_STEPS(NAME) LANES_LOOP(NAME, lanes_store(y + i, detmath_##NAME##_steps_lanes(v)))

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
/* A loop over a strip, which returns whether there was doubt, and one that does everything. */
#define QUICK_LOOP_OF(QUICK_NAME, ...)                                                             \
    DETMATH_FLATTENED static detmath_u32 QUICK_NAME(float *restrict y, const float *restrict x,    \
                                                    size_t lanes) {                                \
        __VA_ARGS__;                                                                               \
    }
#define FULL_LOOP_OF(FULL_NAME, FUNCTION)                                                          \
    DETMATH_FLATTENED static void FULL_NAME(float *restrict y, const float *restrict x,            \
                                            size_t lanes) {                                        \
        STRIP_LOOP(FUNCTION(x[i]));                                                                \
    }

/* The forms of det (functions.inc), by those of a strip. */
#define DET_FILL(NAME, FIRST, QUICK, FULL)                                                         \
    FULL_LOOP_OF(full_##NAME, FULL)                                                                \
    static void fill_##NAME(void *const *results, const void *const *operands, size_t n) {         \
        fill_quickly(results[0], operands[0], n, (struct strip_forms){FIRST, QUICK, full_##NAME}); \
    }
#define DET_PLAIN(NAME) DET_FILL(NAME, NULL, NULL, detmath_##NAME##f)
#define DET_QUICK_BY(NAME, ...)                                                                    \
    QUICK_LOOP_OF(quick_##NAME, __VA_ARGS__)                                                       \
    DET_FILL(NAME, NULL, quick_##NAME, detmath_##NAME##_full)
#define DET_QUICK(NAME)   DET_QUICK_BY(NAME, QUICK_LOOP(detmath_##NAME##_quick))
#define DET_COLUMNS(NAME) DET_QUICK_BY(NAME, LOOK_UP(detmath_##NAME, 32, DETMATH_COLUMNS_##NAME))

/* The forms of cr: the slow way only for those elements that need it. */
#define CR_FILL_BY(NAME, FIRST, ...)                                                               \
    QUICK_LOOP_OF(quick_cr_##NAME, __VA_ARGS__)                                                    \
    FULL_LOOP_OF(full_cr_##NAME, detmath_cr_##NAME##f)                                             \
    static void fill_cr_##NAME##_f32(void *const *results, const void *const *operands,            \
                                     size_t n) {                                                   \
        fill_quickly(results[0], operands[0], n,                                                   \
                     (struct strip_forms){FIRST, quick_cr_##NAME, full_cr_##NAME});                \
    }                                                                                              \
    static detmath_u32 code_cr_##NAME(const detmath_u32 *codes, struct detmath_format format) {    \
        return detmath_cr_##NAME##_code(codes[0], format);                                         \
    }                                                                                              \
    CR_FILL(NAME, 1)
#define CR_LOOP(NAME)         QUICK_LOOP(detmath_cr_##NAME##_quick)
#define CR_COLUMNS_LOOP(NAME) LOOK_UP(detmath_cr_##NAME, 64, DETMATH_COLUMNS_cr_##NAME)
#define CR_QUICK(NAME)        CR_FILL_BY(NAME, NULL, CR_LOOP(NAME))
#define CR_COLUMNS(NAME)      CR_FILL_BY(NAME, NULL, CR_COLUMNS_LOOP(NAME))

#if defined(DETMATH_LANES)
#define DET_LANES(NAME) DET_QUICK_BY(NAME, LANES_STEPS(NAME))
#define DET_ROWS(NAME)                                                                             \
    FIRST_LANES(NAME)                                                                              \
    DET_FILL(NAME, first_##NAME, quick_##NAME, detmath_##NAME##_full)
#define CR_CANDIDATES(NAME)                                                                        \
    CR_LANES(NAME)                                                                                 \
    CR_FILL_BY(NAME, first_cr_##NAME, CR_LOOP(NAME))
#define CR_CANDIDATES_COLUMNS(NAME)                                                                \
    CR_LANES(NAME)                                                                                 \
    CR_FILL_BY(NAME, first_cr_##NAME, CR_COLUMNS_LOOP(NAME))
#define CR_STEPS_OF_DET(NAME) CR_FILL_BY(NAME, NULL, LANES_STEPS(NAME))
#else
#define DET_LANES             DET_QUICK
#define DET_ROWS              DET_PLAIN
#define CR_CANDIDATES         CR_QUICK
#define CR_CANDIDATES_COLUMNS CR_COLUMNS
#define CR_STEPS_OF_DET       CR_QUICK
#endif

#define DETMATH_UNARY(NAME, DET, CR, ...) DET_##DET(NAME) CR_##CR(NAME)
#define PAIRS_LOOP(EXPRESSION)                                                                     \
    detmath_u32 any = 0;                                                                           \
    for (size_t i = 0; i < lanes; i++) {                                                           \
        detmath_u32 doubt = 0;                                                                     \
        z[i] = EXPRESSION;                                                                         \
        any |= doubts[i] = doubt;                                                                  \
    }                                                                                              \
    return any

/* By kernels of lanes. Where a lane is away, a second loop says which, so that the first need store no doubts. */
#define PAIRS_OF(LOOP, NAME)                                                                       \
    lanes_u most = {0};                                                                            \
    LOOP(NAME, most = lanes_larger(most, away));                                                   \
    if (!lanes_reach(most, DETMATH_REACH_##NAME))                                                  \
        return 0;                                                                                  \
    LOOP(NAME, lanes_doubt(doubts + i, away, DETMATH_REACH_##NAME));                               \
    return 1
#define PAIRS_LANES_LOOP(NAME, SEE)                                                                \
    for (size_t i = 0; i < lanes; i += DETMATH_LANES) {                                            \
        lanes_u away;                                                                              \
        lanes_store(z + i,                                                                         \
                    detmath_##NAME##_steps_lanes(lanes_load(x + i), lanes_load(y + i), &away));    \
        SEE;                                                                                       \
    }

/* The loops of the forms. */
#define PAIRS_QUICK(NAME)    PAIRS_LOOP(detmath_##NAME##_quick(x[i], y[i], &doubt))
#define PAIRS_CR_PLAIN(NAME) PAIRS_LOOP(detmath_cr_##NAME##f(x[i], y[i]))
#define PAIRS_CR_QUICK(NAME) PAIRS_LOOP(detmath_cr_##NAME##_quick(x[i], y[i], &doubt))
#if defined(DETMATH_LANES)
#define PAIRS_LANES(NAME) PAIRS_OF(PAIRS_LANES_LOOP, NAME)
#define PAIRS_POWER(NAME) PAIRS_OF(POWER_LANES_LOOP, NAME)
#else
#define PAIRS_LANES PAIRS_QUICK
#define PAIRS_POWER PAIRS_QUICK
#endif

#define PAIRS_FILL(FILL, QUICK_NAME, LOOP, FULL)                                                   \
    DETMATH_FLATTENED static detmath_u32 QUICK_NAME(float *restrict z, const float *restrict x,    \
                                                    const float *restrict y,                       \
                                                    detmath_u32 *restrict doubts, size_t lanes) {  \
        LOOP;                                                                                      \
    }                                                                                              \
    static void FILL(void *const *results, const void *const *operands, size_t n) {                \
        fill_pairs(results[0], operands, n, QUICK_NAME, FULL);                                     \
    }
#define DETMATH_BINARY(NAME, DET, CR, ...)                                                         \
    PAIRS_FILL(fill_##NAME, quick_pairs_##NAME, PAIRS_##DET(NAME), detmath_##NAME##_full)          \
    PAIRS_FILL(fill_cr_##NAME##_f32, quick_cr_pairs_##NAME, PAIRS_CR_##CR(NAME),                   \
               detmath_cr_##NAME##f)                                                               \
    static detmath_u32 code_cr_##NAME(const detmath_u32 *codes, struct detmath_format format) {    \
        return detmath_cr_##NAME##_code(codes[0], codes[1], format);                               \
    }                                                                                              \
    CR_FILL(NAME, 2)

/* The loops of the forms of a pair. */
#if defined(DETMATH_LANES)
#define BOTH_LANES(NAME)                                                                           \
    LANES_LOOP(NAME, lanes_f second; lanes_f first = detmath_##NAME##_steps_lanes(v, &second);     \
               lanes_store(a + i, first); lanes_store(b + i, second))
#define BOTH_CANDIDATES(NAME)                                                                      \
    DETMATH_FLATTENED static detmath_u32 first_cr_both_##NAME(                                     \
        float *restrict a, float *restrict b, const float *restrict x, size_t lanes,               \
        uint16_t *restrict near) {                                                                 \
        LANES_LOOP(NAME, lanes_f others[2]; lanes_f second;                                        \
                   lanes_f first = detmath_cr_##NAME##_steps(v, &others[0], &second, &others[1]);  \
                   lanes_store(a + i, first); lanes_store(b + i, second);                          \
                   lanes_note(near, i,                                                             \
                              lanes_differ(first, others[0]) | lanes_differ(second, others[1])));  \
    }
#else
#define BOTH_LANES(NAME)                                                                           \
    detmath_u32 doubt = 0;                                                                         \
    for (size_t i = 0; i < lanes; i++)                                                             \
        detmath_##NAME##_quick(x[i], &a[i], &b[i], &doubt);                                        \
    return doubt
#define BOTH_CANDIDATES(NAME) static both_first *const first_cr_both_##NAME = NULL;
#endif

#define DETMATH_PAIR(NAME, A, B, DET, CR)                                                                  \
    DETMATH_FLATTENED static detmath_u32 both_##NAME(float *restrict a, float *restrict b,                 \
                                                     const float *restrict x, size_t lanes) {              \
        BOTH_##DET(NAME);                                                                                  \
    }                                                                                                      \
    static void fill_##NAME(void *const *results, const void *const *operands, size_t n) {                 \
        fill_both(results, operands[0], n, both_##NAME, detmath_##NAME##f);                                \
    }                                                                                                      \
    BOTH_##CR(                                                                                             \
        NAME) /* Codes by one after the other, a strip at a time, since a result may be where they are. */ \
        static void fill_cr_##NAME(int format, void *const *results, const void *const *operands,          \
                                   size_t n) {                                                             \
        if (format == DETMATH_F32) {                                                                       \
            fill_both_quickly(results, operands[0], n,                                                     \
                              (struct both_forms){first_cr_both_##NAME,                                    \
                                                  {NULL, quick_cr_##A, full_cr_##A},                       \
                                                  {NULL, quick_cr_##B, full_cr_##B}});                     \
            return;                                                                                        \
        }                                                                                                  \
        size_t bytes = format < DETMATH_E4M3FN ? 2 : 1;                                                    \
        uint16_t x[STRIP];                                                                                 \
        for (size_t at = 0; at < n; at += STRIP) {                                                         \
            size_t count = strip_at(at, n).count, from = at * bytes;                                       \
            void *const first[] = {(char *)results[0] + from};                                             \
            void *const second[] = {(char *)results[1] + from};                                            \
            const void *const in[] = {x};                                                                  \
            memcpy(x, (const char *)operands[0] + from, count * bytes);                                    \
            fill_cr_##A(format, first, in, count);                                                         \
            fill_cr_##B(format, second, in, count);                                                        \
        }                                                                                                  \
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
#define DETMATH_UNARY(NAME, ...)      ROW(unary, NAME)
#define DETMATH_BINARY(NAME, ...)     ROW(binary, NAME)
#define DETMATH_PAIR(NAME, A, B, ...) ROW(pair, NAME)
#include "detmath/functions.inc"

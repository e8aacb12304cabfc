/* Array forms and scalars of the functions of fp64 for one instruction set: compiled several times, with ARRAYS_PART saying
 * which part of functions_f64.inc and DETMATH_LEVEL naming the instruction set. */
#include "detmath/families_f64.h"
#include "kernels_f64.h"
#include "lanes_f64.h"

#include <string.h>

#if defined(ARRAYS_PART) && !defined(DETMATH_PART) /* else all functions at once */
#define DETMATH_PART ARRAYS_PART
#endif

#if defined(DETMATH_LANES_F64)
#include "open_f64.h"

#include "detmath/exp_f64_lanes.inc"
#include "detmath/inverse_trigonometric_f64_lanes.inc"
#include "detmath/log_f64_lanes.inc"
#include "detmath/root_f64_lanes.inc"
#include "detmath/trigonometric_f64_lanes.inc"

#include "detmath/arc_sine_f64_lanes.inc"
#include "detmath/atan2_f64_lanes.inc"
#include "detmath/error_function_f64_lanes.inc"
#include "detmath/hyperbolic_f64_lanes.inc"
#include "detmath/inverse_hyperbolic_f64_lanes.inc"
#include "detmath/power_f64_lanes.inc"
#include "detmath/sigmoid_f64_lanes.inc"

#include "detmath/logaddexp_f64_lanes.inc"

#include "detmath/gamma_f64_lanes.inc"
#include "detmath/gelu_f64_lanes.inc"
#include "detmath/power_integer_f64_lanes.inc"

#include "detmath/log_gamma_f64_lanes.inc"

/* The lanes whose bits are set, few of them, by the function of one number, or of two. z need not be aligned. */
__attribute__((noinline, cold)) static void
fill_lanes_f64(double *z, lanes_d x, lanes_d y, detmath_u32 bits, struct detmath_scalar_f64 full) {
    double operands[2][DETMATH_LANES_F64];
    memcpy(operands[0], &x, sizeof x);
    memcpy(operands[1], &y, sizeof y);
    for (; bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        double result = full.binary ? full.binary(operands[0][lane], operands[1][lane])
                                    : full.unary(operands[0][lane]);
        memcpy((char *)z + (size_t)lane * sizeof result, &result, sizeof result);
    }
}

/* A vector of an array from element i on, of which `count` are left, or all of a vector: the last one repeats its first. */
DETMATH_INLINED lanes_d load_rest_f64(const void *array, size_t i, size_t count) {
    double part[DETMATH_LANES_F64];
    const double *from = array;
    if (count == DETMATH_LANES_F64)
        return lanes_load_f64(from + i);
    for (size_t k = 0; k < DETMATH_LANES_F64; k++)
        memcpy(&part[k], (const char *)(from + i) + (k < count ? k : 0) * sizeof *from,
               sizeof *from);
    return lanes_load_f64(part);
}

/* z from element i of an array on, but FULL's results of x and y in the lanes whose bits are set. */
DETMATH_INLINED void store_rest_f64(void *array, size_t i, size_t count, lanes_d z, lanes_d x,
                                    lanes_d y, detmath_u32 bits, struct detmath_scalar_f64 full) {
    double part[DETMATH_LANES_F64], *to = (double *)array + i;
    double *at = count == DETMATH_LANES_F64 ? to : part;
    lanes_store_f64(at, z);
    if (__builtin_expect(bits != 0, 0))
        fill_lanes_f64(at, x, y, bits, full);
    if (count != DETMATH_LANES_F64)
        memcpy(to, part, count * sizeof *to);
}

/* z[i] is the first of STEPS's results, or FULL's in lanes where BITS has some. */
#define FILL_F64(FUNCTION, OPERANDS, STEPS, BITS, ...)                                             \
    DETMATH_FLATTENED __attribute__((noinline)) static void FUNCTION(                              \
        void *const *results, const void *const *operands, size_t n) {                             \
        for (size_t i = 0; i < n; i += DETMATH_LANES_F64) {                                        \
            size_t count = n - i < DETMATH_LANES_F64 ? n - i : DETMATH_LANES_F64;                  \
            lanes_d x = load_rest_f64(operands[0], i, count), y = x, other;                        \
            lanes_w away = {0};                                                                    \
            if (OPERANDS == 2)                                                                     \
                y = load_rest_f64(operands[1], i, count);                                          \
            lanes_d first = STEPS;                                                                 \
            detmath_u32 bits = BITS;                                                               \
            store_rest_f64(results[0], i, count, first, x, y, bits,                                \
                           (struct detmath_scalar_f64){__VA_ARGS__});                              \
        }                                                                                          \
    }
#define DIFFER_F64 ((lanes_w)first ^ (lanes_w)other)

/* z[i] is the first of FIRST's results, or where OPEN has bits that of STEPS, or FULL's where BITS then has some. Operands
 * stay here until there are many, since a vector of STEPS for each lane would take as long as eight lanes. Where OPEN has bits
 * OFTEN, there is no branch for it, since a processor would guess it wrong for operands that it has not seen. Two vectors a turn, as
 * below. */
#define FILL_OPEN_F64(NAME, OPERANDS, OFTEN, FIRST, OPEN, STEPS, BITS, ...)                        \
    __attribute__((noinline)) static void settle_f64_##NAME(                                       \
        double *array, const struct open_f64 *open, size_t n) {                                    \
        double part[DETMATH_LANES_F64];                                                            \
        for (size_t i = 0; i < n; i += DETMATH_LANES_F64) {                                        \
            size_t count = n - i < DETMATH_LANES_F64 ? n - i : DETMATH_LANES_F64;                  \
            lanes_d x = load_rest_f64(open->x, i, count), y = x, other;                            \
            lanes_w away = {0};                                                                    \
            if (OPERANDS == 2)                                                                     \
                y = load_rest_f64(open->y, i, count);                                              \
            lanes_d first = ((void)away, STEPS);                                                   \
            store_rest_f64(part, 0, count, first, x, y, BITS,                                      \
                           (struct detmath_scalar_f64){__VA_ARGS__});                              \
            for (size_t k = 0; k < count; k++)                                                     \
                memcpy((char *)(array + open->at[i + k]), &part[k], sizeof part[k]);               \
        }                                                                                          \
    }                                                                                              \
    static inline lanes_d begin_f64_##NAME(lanes_d x, lanes_d y, detmath_u32 *bits) {              \
        lanes_d other, first;                                                                      \
        lanes_w away = {0};                                                                        \
        first = ((void)away, (void)y, FIRST);                                                      \
        *bits = (OPEN);                                                                            \
        return first;                                                                              \
    }                                                                                              \
    static inline void take_f64_##NAME(double *array, struct open_f64 *open) {                     \
        if (__builtin_expect(open->count >= OPEN_F64, 0)) {                                        \
            settle_f64_##NAME(array, open, OPEN_F64);                                              \
            open_drop_f64(open);                                                                   \
        }                                                                                          \
    }                                                                                              \
    DETMATH_FLATTENED static void fill_f64_##NAME(void *const *results,                            \
                                                  const void *const *operands, size_t n) {         \
        const size_t one = DETMATH_LANES_F64;                                                      \
        const double *from = operands[0], *by = operands[OPERANDS - 1];                            \
        double *z = results[0];                                                                    \
        struct open_f64 open;                                                                      \
        detmath_u32 bits, more;                                                                    \
        size_t i = 0;                                                                              \
        open.count = 0;                                                                            \
        for (; n - i >= 2 * one; i += 2 * one) {                                                   \
            lanes_d x = lanes_load_f64(from + i), y = lanes_load_f64(by + i);                      \
            lanes_d u = lanes_load_f64(from + i + one), v = lanes_load_f64(by + i + one);          \
            lanes_d first = begin_f64_##NAME(x, y, &bits), second = begin_f64_##NAME(u, v, &more); \
            lanes_store_f64(z + i, first);                                                         \
            lanes_store_f64(z + i + one, second);                                                  \
            if (OFTEN || __builtin_expect((bits | more) != 0, 0)) {                                \
                open_add_f64(&open, OPERANDS, x, y, i, bits);                                      \
                open_add_f64(&open, OPERANDS, u, v, i + one, more);                                \
                take_f64_##NAME(z, &open);                                                         \
            }                                                                                      \
        }                                                                                          \
        for (size_t count; i < n; i += one) {                                                      \
            count = n - i < one ? n - i : one;                                                     \
            lanes_d x = load_rest_f64(from, i, count), y = load_rest_f64(by, i, count);            \
            lanes_d first = begin_f64_##NAME(x, y, &bits);                                         \
            store_rest_f64(z, i, count, first, x, y, 0, (struct detmath_scalar_f64){0});           \
            open_add_f64(&open, OPERANDS, x, y, i, bits &((1u << count) - 1u));                    \
            take_f64_##NAME(z, &open);                                                             \
        }                                                                                          \
        if (open.count)                                                                            \
            settle_f64_##NAME(z, &open, open.count);                                               \
    }

/* STEPS takes two vectors a turn. No branch is between the two, so the compiler and the processor can work at both at once. If
 * BITS finds a lane of either, EACH computes both and some that follow, which are likely to be like them; and the rest of the
 * array. */
#define FILL_F64_BY_TWO(FUNCTION, STEPS, BITS, EACH)                                               \
    DETMATH_FLATTENED __attribute__((noinline)) static void FUNCTION(                              \
        void *const *results, const void *const *operands, size_t n) {                             \
        const size_t two = 2 * DETMATH_LANES_F64, span = 16 * two;                                 \
        const double *x = operands[0];                                                             \
        double *z = results[0];                                                                    \
        for (size_t count; n >= two; x += count, z += count, n -= count) {                         \
            lanes_d a = lanes_load_f64(x), b = lanes_load_f64(x + DETMATH_LANES_F64);              \
            lanes_d first = STEPS(a), second = STEPS(b);                                           \
            count = two;                                                                           \
            if (__builtin_expect((BITS(a) | BITS(b)) != 0, 0)) {                                   \
                count = n < span ? n : span;                                                       \
                EACH((void *[]){z}, (const void *[]){x}, count);                                   \
            } else {                                                                               \
                lanes_store_f64(z, first);                                                         \
                lanes_store_f64(z + DETMATH_LANES_F64, second);                                    \
            }                                                                                      \
        }                                                                                          \
        if (n)                                                                                     \
            EACH((void *[]){z}, (const void *[]){x}, n);                                           \
    }

/* Functions of one operand have an `away` of their own. */
#define UNARY_AWAY_F64(NAME, X) lanes_any_f64(detmath_##NAME##_f64_away_lanes(X))
#define UNARY_DIFFER_F64(NAME)  UNARY_AWAY_F64(cr_##NAME, x) | lanes_differ_f64(first, other)
#define UNARY_F64_EACH(FUNCTION, NAME)                                                             \
    FILL_F64(FUNCTION, 1, ((void)other, (void)away, detmath_##NAME##_f64_steps_lanes(x)),          \
             UNARY_AWAY_F64(NAME, x), .unary = detmath_##NAME##_f64_full)
#define UNARY_F64_BY_TWO(FUNCTION, NAME, STEPS)                                                    \
    static inline detmath_u32 away_f64_##NAME(lanes_d x) {                                         \
        return UNARY_AWAY_F64(NAME, x);                                                            \
    }                                                                                              \
    UNARY_F64_EACH(each_f64_##NAME, NAME)                                                          \
    FILL_F64_BY_TWO(FUNCTION, STEPS, away_f64_##NAME, each_f64_##NAME)
#define UNARY_F64_DET(NAME)                                                                        \
    UNARY_F64_BY_TWO(fill_f64_##NAME, NAME, detmath_##NAME##_f64_steps_lanes)
#define UNARY_F64_ROUNDED(NAME)                                                                    \
    UNARY_F64_DET(NAME)                                                                            \
    UNARY_F64_EACH(fill_f64_cr_##NAME, NAME)
#define UNARY_F64_PAIRS(NAME)                                                                      \
    UNARY_F64_DET(NAME)                                                                            \
    FILL_F64(fill_f64_cr_##NAME, 1, ((void)away, detmath_cr_##NAME##_f64_steps_lanes(x, &other)),  \
             UNARY_DIFFER_F64(NAME), .unary = detmath_cr_##NAME##_f64_full)
#define UNARY_F64_CANDIDATES(NAME, OFTEN, FIRST, OPEN)                                             \
    FILL_OPEN_F64(cr_##NAME, 1, OFTEN, FIRST, OPEN,                                                \
                  detmath_cr_##NAME##_f64_steps_lanes(x, &other), UNARY_DIFFER_F64(NAME),          \
                  .unary = detmath_cr_##NAME##_f64_full)
#define UNARY_F64_OPEN(NAME, OFTEN)                                                                \
    UNARY_F64_DET(NAME)                                                                            \
    UNARY_F64_CANDIDATES(NAME, OFTEN, detmath_cr_##NAME##_f64_first_lanes(x, &other),              \
                         UNARY_DIFFER_F64(NAME))
#define UNARY_F64_FIRST(NAME) UNARY_F64_OPEN(NAME, 0)
#define UNARY_F64_OFTEN(NAME) UNARY_F64_OPEN(NAME, 1)

/* The same for functions with a range outside of which alone something is away in arrays. Nothing is flushed there, so that the steps
 * and candidates of log1p, asinh and atanh give x where it is next to 0. */
#define OUTSIDE_F64_log(X)   lanes_unusual_f64(X)
#define OUTSIDE_F64_log2(X)  lanes_unusual_f64(X)
#define OUTSIDE_F64_log10(X) lanes_unusual_f64(X)
#define OUTSIDE_F64_log1p(X) lanes_unusual_f64((X) + 1.0)
#define OUTSIDE_F64_SIZE(X, MOST)                                                                  \
    lanes_outside_f64((lanes_w)detmath_magnitude_f64_lanes(X), 0, MOST)
#define OUTSIDE_F64_asinh(X) OUTSIDE_F64_SIZE(X, 0x7fdfffffffffffffu)
#define OUTSIDE_F64_acosh(X)                                                                       \
    lanes_outside_f64((lanes_w)(X), 0x3ff0000000000000u, 0x7fdfffffffffffffu)
#define OUTSIDE_F64_atanh(X) OUTSIDE_F64_SIZE(X, 0x3fefffffffffffffu)
#define UNARY_F64_RANGE(NAME)                                                                      \
    static inline detmath_u32 outside_f64_##NAME(lanes_d x) {                                      \
        return OUTSIDE_F64_##NAME(x);                                                              \
    }                                                                                              \
    UNARY_F64_EACH(each_f64_##NAME, NAME)                                                          \
    FILL_F64_BY_TWO(fill_f64_##NAME, detmath_##NAME##_f64_steps_lanes, outside_f64_##NAME,         \
                    each_f64_##NAME)                                                               \
    UNARY_F64_CANDIDATES(NAME, 0, detmath_cr_##NAME##_f64_first_lanes(x, &other),                  \
                         outside_f64_##NAME(x) | lanes_differ_f64(first, other))

/* Functions with zeros wait for steps that do next to these, in vectors of their own: det where it is away, and cr where its
 * candidates differ, too. */
#define UNARY_F64_ZEROS(NAME)                                                                      \
    FILL_OPEN_F64(NAME, 1, 1, ((void)other, detmath_##NAME##_f64_steps_lanes(x)),                  \
                  UNARY_AWAY_F64(NAME, x), ((void)other, detmath_##NAME##_f64_all_lanes(x)),       \
                  lanes_any_f64(detmath_##NAME##_f64_outside_lanes(x)),                            \
                  .unary = detmath_##NAME##_f64_full)                                              \
    FILL_OPEN_F64(cr_##NAME, 1, 1, detmath_cr_##NAME##_f64_first_lanes(x, &other),                 \
                  UNARY_DIFFER_F64(NAME), detmath_cr_##NAME##_f64_all_lanes(x, &other),            \
                  lanes_any_f64(detmath_##NAME##_f64_outside_lanes(x)) |                           \
                      lanes_differ_f64(first, other),                                              \
                  .unary = detmath_cr_##NAME##_f64_full)

/* Functions of an angle first take the steps of operands from LEAST, the bits of a number, up to 2^40. REST takes vectors with any
 * other operand, such as 0 where LEAST is above. Candidates of cr differ, too, where neither of these steps does. */
#define UNARY_F64_OF_ANGLE(NAME, REDUCE, CR_REDUCE, LEAST, REST)                                   \
    static inline lanes_d near_f64_##NAME(lanes_d x) {                                             \
        return detmath_##NAME##_f64_of_lanes(                                                      \
            x, detmath_##REDUCE##_lanes(detmath_magnitude_f64_lanes(x)));                          \
    }                                                                                              \
    static inline detmath_u32 beyond_f64_##NAME(lanes_d x) {                                       \
        return lanes_outside_f64((lanes_w)detmath_magnitude_f64_lanes(x), LEAST,                   \
                                 0x4270000000000000u);                                             \
    }                                                                                              \
    __attribute__((noinline)) static lanes_d rest_f64_cr_##NAME(lanes_d x, lanes_d *other) {       \
        lanes_d first = detmath_cr_##NAME##_f64_first_lanes(x, other);                             \
        *other = lanes_chosen_f64(detmath_cr_##NAME##_f64_away_lanes(x),                           \
                                  (lanes_d) ~(lanes_w)first, *other);                              \
        return first;                                                                              \
    }                                                                                              \
    static inline lanes_d first_f64_cr_##NAME(lanes_d x, lanes_d *other) {                         \
        lanes_d first = detmath_cr_##NAME##_f64_first_of_lanes(                                    \
            x, detmath_##CR_REDUCE##_lanes(detmath_magnitude_f64_lanes(x)), other);                \
        if (__builtin_expect(beyond_f64_##NAME(x) != 0, 0))                                        \
            first = rest_f64_cr_##NAME(x, other);                                                  \
        return first;                                                                              \
    }                                                                                              \
    FILL_F64_BY_TWO(fill_f64_##NAME, near_f64_##NAME, beyond_f64_##NAME, REST)                     \
    UNARY_F64_CANDIDATES(NAME, 1, first_f64_cr_##NAME(x, &other), lanes_differ_f64(first, other))
/* The rest by steps without a branch, too: those beyond 2^40, and of any vectors with some of them. */
#define UNARY_F64_ANGLE(NAME)                                                                      \
    static inline lanes_d far_f64_##NAME(lanes_d x) {                                              \
        return detmath_##NAME##_f64_of_lanes(                                                      \
            x, detmath_trig_f64_far_lanes(detmath_magnitude_f64_lanes(x)));                        \
    }                                                                                              \
    static inline detmath_u32 within_f64_##NAME(lanes_d x) {                                       \
        return lanes_outside_f64((lanes_w)detmath_magnitude_f64_lanes(x), 0x4270000000000001u,     \
                                 DETMATH_INFINITY_BITS_F64 - 1u);                                  \
    }                                                                                              \
    static inline lanes_d either_f64_##NAME(lanes_d x) {                                           \
        lanes_d size = detmath_magnitude_f64_lanes(x);                                             \
        return detmath_##NAME##_f64_of_lanes(                                                      \
            x, detmath_trig_f64_either_lanes(size, detmath_trig_f64_near_lanes(size)));            \
    }                                                                                              \
    UNARY_F64_BY_TWO(any_f64_##NAME, NAME, either_f64_##NAME)                                      \
    FILL_F64_BY_TWO(rest_f64_##NAME, far_f64_##NAME, within_f64_##NAME, any_f64_##NAME)            \
    UNARY_F64_OF_ANGLE(NAME, trig_f64_near, trig_f64_near, 0, rest_f64_##NAME)
#define UNARY_F64_PI_ANGLE(NAME)                                                                   \
    UNARY_F64_EACH(rest_f64_##NAME, NAME)                                                          \
    UNARY_F64_OF_ANGLE(NAME, trig_f64_pi_near, cr_trig_f64_pi_near, 0x26f0000000000000u,           \
                       rest_f64_##NAME)
#define DETMATH_UNARY_F64(NAME, CR, ...) UNARY_F64_##CR(NAME)

/* Of two. */
#define BINARY_F64_PAIRS(NAME)                                                                     \
    FILL_F64(fill_f64_cr_##NAME, 2, detmath_cr_##NAME##_f64_steps_lanes(x, y, &other, &away),      \
             lanes_set_f64(away | DIFFER_F64), .binary = detmath_cr_##NAME##_f64_full)
#define BINARY_F64_FIRST(NAME)                                                                     \
    FILL_OPEN_F64(cr_##NAME, 2, 0, detmath_cr_##NAME##_f64_first_lanes(x, y, &other, &away),       \
                  lanes_set_f64(away | DIFFER_F64),                                                \
                  detmath_cr_##NAME##_f64_steps_lanes(x, y, &other, &away),                        \
                  lanes_set_f64(away | DIFFER_F64), .binary = detmath_cr_##NAME##_f64_full)
#define DETMATH_BINARY_F64(NAME, CR, ...)                                                          \
    FILL_F64(fill_f64_##NAME, 2, ((void)other, detmath_##NAME##_f64_steps_lanes(x, y, &away)),     \
             lanes_set_f64(away), .binary = detmath_##NAME##_f64_full)                             \
    BINARY_F64_##CR(NAME)

/* Two results of one operand. */
#define FILL_PAIR_F64(FUNCTION, STEPS, AWAY_A, AWAY_B, MORE, FULL_A, FULL_B)                       \
    DETMATH_FLATTENED static void FUNCTION(void *const *results, const void *const *operands,      \
                                           size_t n) {                                             \
        for (size_t i = 0; i < n; i += DETMATH_LANES_F64) {                                        \
            size_t count = n - i < DETMATH_LANES_F64 ? n - i : DETMATH_LANES_F64;                  \
            lanes_d x = load_rest_f64(operands[0], i, count), b, other, other_b, a = STEPS;        \
            detmath_u32 bits[2] = {lanes_set_f64(AWAY_A), lanes_set_f64(AWAY_B)};                  \
            if (__builtin_expect((bits[0] | bits[1]) != 0, 0)) {                                   \
                MORE;                                                                              \
            }                                                                                      \
            store_rest_f64(results[0], i, count, a, x, x, bits[0],                                 \
                           (struct detmath_scalar_f64){.unary = FULL_A});                          \
            store_rest_f64(results[1], i, count, b, x, x, bits[1],                                 \
                           (struct detmath_scalar_f64){.unary = FULL_B});                          \
        }                                                                                          \
    }
#define PAIR_DIFFER_F64(NAME, Y, OTHER)                                                            \
    detmath_cr_##NAME##_f64_away_lanes(x) | ((lanes_w)(Y) ^ (lanes_w)(OTHER))
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    __attribute__((noinline)) static lanes_d pairs_f64_##NAME(lanes_d x, lanes_d *cosine,          \
                                                              detmath_u32 bits[2]) {               \
        lanes_d b, other, other_b,                                                                 \
            a = detmath_cr_##NAME##_f64_steps_lanes(x, &other, &b, &other_b);                      \
        bits[0] = lanes_set_f64(PAIR_DIFFER_F64(A, a, other));                                     \
        bits[1] = lanes_set_f64(PAIR_DIFFER_F64(B, b, other_b));                                   \
        *cosine = b;                                                                               \
        return a;                                                                                  \
    }                                                                                              \
    FILL_PAIR_F64(fill_f64_##NAME,                                                                 \
                  ((void)other, (void)other_b, detmath_##NAME##_f64_steps_lanes(x, &b)),           \
                  detmath_##A##_f64_away_lanes(x), detmath_##B##_f64_away_lanes(x), (void)0,       \
                  detmath_##A##_f64_full, detmath_##B##_f64_full)                                  \
    FILL_PAIR_F64(fill_f64_cr_##NAME,                                                              \
                  detmath_cr_##NAME##_f64_first_lanes(x, &other, &b, &other_b),                    \
                  PAIR_DIFFER_F64(A, a, other), PAIR_DIFFER_F64(B, b, other_b), lanes_d second;    \
                  a = pairs_f64_##NAME(x, &second, bits);                                          \
                  b = second, detmath_cr_##A##_f64_full, detmath_cr_##B##_f64_full)
#else
#define FILL_F64(FUNCTION, OPERANDS, CALL)                                                         \
    static void FUNCTION(void *const *results, const void *const *operands, size_t n) {            \
        for (size_t i = 0; i < n; i++) {                                                           \
            double x, y;                                                                           \
            memcpy(&x, (const char *)operands[0] + i * sizeof x, sizeof x);                        \
            memcpy(&y, (const char *)operands[OPERANDS - 1] + i * sizeof y, sizeof y);             \
            x = CALL;                                                                              \
            memcpy((char *)results[0] + i * sizeof x, &x, sizeof x);                               \
        }                                                                                          \
    }
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    FILL_F64(fill_f64_##NAME, 1, ((void)y, detmath_##NAME(x)))                                     \
    FILL_F64(fill_f64_cr_##NAME, 1, ((void)y, detmath_cr_##NAME(x)))
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    FILL_F64(fill_f64_##NAME, 2, detmath_##NAME(x, y))                                             \
    FILL_F64(fill_f64_cr_##NAME, 2, detmath_cr_##NAME(x, y))
#define FILL_PAIR_F64(FUNCTION, SCALAR)                                                            \
    static void FUNCTION(void *const *results, const void *const *operands, size_t n) {            \
        for (size_t i = 0; i < n; i++) {                                                           \
            double x, a, b;                                                                        \
            memcpy(&x, (const char *)operands[0] + i * sizeof x, sizeof x);                        \
            SCALAR(x, &a, &b);                                                                     \
            memcpy((char *)results[0] + i * sizeof a, &a, sizeof a);                               \
            memcpy((char *)results[1] + i * sizeof b, &b, sizeof b);                               \
        }                                                                                          \
    }
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    FILL_PAIR_F64(fill_f64_##NAME, detmath_##NAME)                                                 \
    FILL_PAIR_F64(fill_f64_cr_##NAME, detmath_cr_##NAME)
#endif
#include "detmath/functions_f64.inc"

#define ROW_F64(KIND, NAME)                                                                        \
    extern const struct detmath_kernels_f64 DETMATH_KERNELS_F64(DETMATH_LEVEL, NAME);              \
    const struct detmath_kernels_f64 DETMATH_KERNELS_F64(DETMATH_LEVEL, NAME) = {                  \
        .name = #NAME,                                                                             \
        .det = fill_f64_##NAME,                                                                    \
        .cr = fill_f64_cr_##NAME,                                                                  \
        .det_scalar = {.KIND = detmath_##NAME},                                                    \
        .cr_scalar = {.KIND = detmath_cr_##NAME}};
#define DETMATH_UNARY_F64(NAME, ...)  ROW_F64(unary, NAME)
#define DETMATH_BINARY_F64(NAME, ...) ROW_F64(binary, NAME)
#define DETMATH_PAIR_F64(NAME, A, B)  ROW_F64(pair, NAME)
#include "detmath/functions_f64.inc"

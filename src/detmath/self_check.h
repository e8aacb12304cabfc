/* Whether this build has the bits that it promises: hashes of 64 results of each function, det and
 * cr, beside those that self_check.inc has. What options or a compiler made of the headers, a
 * rounding mode, a processor that is no more than nearly IEEE 754's: whatever changes bits widely
 * shows here, within some hundred microseconds. tests/reach has a million inputs for each function.
 *
 * A program calls detmath_self_check() at its start, in each part that is compiled with other
 * options, or detmath_self_check_NAME() of the functions that it uses, so that no others are
 * compiled. */
#ifndef DETMATH_SELF_CHECK_H
#define DETMATH_SELF_CHECK_H

#include "core.h"
#include "round.h"

#define DETMATH_FAMILIES
#include "functions.inc"

#include "families_f64.h"

#include "shield.inc"

/* A place for each function. */
enum detmath_check_place {
#define DETMATH_UNARY(NAME, ...)      DETMATH_CHECK_PLACE_##NAME,
#define DETMATH_BINARY(NAME, ...)     DETMATH_CHECK_PLACE_##NAME,
#define DETMATH_PAIR(NAME, A, B, ...) DETMATH_CHECK_PLACE_##NAME,
#include "functions.inc"
#define DETMATH_UNARY_F64(NAME, ...)  DETMATH_CHECK_PLACE_##NAME##_f64,
#define DETMATH_BINARY_F64(NAME, ...) DETMATH_CHECK_PLACE_##NAME##_f64,
#define DETMATH_PAIR_F64(NAME, A, B)  DETMATH_CHECK_PLACE_##NAME##_f64,
#include "functions_f64.inc"
    DETMATH_CHECK_PLACES
};

/* Of the inputs the first are special, or have any bits; the last DETMATH_CHECK_TAME lie between 1/4
 * and 8, where no quick way of a loop is in doubt. */
enum { DETMATH_CHECK_INPUTS = 64, DETMATH_CHECK_SPECIALS = 32, DETMATH_CHECK_TAME = 20 };

/* The hashes of one function. */
struct detmath_check {
    detmath_u32 det, cr;
};

DETMATH_FUNCTION detmath_u32 detmath_check_random(detmath_u32 seed) {
    detmath_u32 x = (seed + 1u) * 0x9e3779b1u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* Ends of what is subnormal, normal and finite, and where functions change; each in both signs. */
DETMATH_CONSTANT detmath_u32 detmath_check_magnitudes[DETMATH_CHECK_SPECIALS / 2] = {
    0u,          1u,          0x007fffffu, 0x00800000u, 0x33800000u, 0x3ebfffffu,
    0x3effffffu, 0x3f000000u, 0x3f7fffffu, 0x3f800000u, 0x40490fdbu, 0x42b17218u,
    0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u};

DETMATH_FUNCTION detmath_u32 detmath_check_special(detmath_u32 i) {
    return (i & 1u) << 31 | detmath_check_magnitudes[i >> 1];
}

/* The bits of input i: of x, or of y, which only functions of two operands have. */
DETMATH_FUNCTION detmath_u32 detmath_check_input(detmath_u32 i, int is_y) {
    detmath_u32 random = detmath_check_random(2u * i + (is_y ? 1u : 0u));
    if (i < (detmath_u32)DETMATH_CHECK_SPECIALS)
        return detmath_check_special(is_y ? (i * 11u + 16u) % (detmath_u32)DETMATH_CHECK_SPECIALS
                                          : i);
    if (i < (detmath_u32)(DETMATH_CHECK_INPUTS - DETMATH_CHECK_TAME))
        return (i & 1u) ? random : (random & 0x807fffffu) | (107u + (random >> 24) % 28u) << 23;
    if (is_y && (i & 1u)) /* an integer from 2 to 9 */
        return detmath_bits_f32((float)(2u + (random >> 29)));
    return (random & 0x007fffffu) | (125u + (random >> 24) % 5u) << 23;
}

/* Each step is a bijection: of sequences that differ in one word no two are the same. */
DETMATH_FUNCTION detmath_u32 detmath_check_fold_word(detmath_u32 hash, detmath_u32 word) {
    hash = (hash ^ word) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}
DETMATH_FUNCTION detmath_u32 detmath_check_fold(detmath_u32 hash, float result) {
    return detmath_check_fold_word(hash, detmath_bits_f32(result));
}

#if !defined(DETMATH_NO_DOUBLE)
/* The same of fp64: the ends there, and where its functions change. */
DETMATH_CONSTANT detmath_u64 detmath_check_magnitudes_f64[DETMATH_CHECK_SPECIALS / 2] = {
    0u,
    1u,
    0x000fffffffffffffu,
    0x0010000000000000u,
    0x3c8fffffffffffffu,
    0x3c90000000000000u,
    0x3fb0000000000000u,
    0x3fe0000000000000u,
    0x3fefffffffffffffu,
    0x3ff0000000000000u,
    0x4037000000000000u,
    0x4085e00000000000u,
    0x7fefffffffffffffu,
    0x7ff0000000000000u,
    0x7ff0000000000001u,
    0x7ff8000000000000u};

DETMATH_FUNCTION double detmath_check_input_f64(detmath_u32 i) {
    detmath_u64 bits =
        (detmath_u64)detmath_check_random(2u * i) << 32 | detmath_check_random(2u * i + 1u);
    if (i < (detmath_u32)DETMATH_CHECK_SPECIALS)
        bits = (detmath_u64)(i & 1u) << 63 | detmath_check_magnitudes_f64[i >> 1];
    else if (i >= (detmath_u32)(DETMATH_CHECK_INPUTS - DETMATH_CHECK_TAME))
        bits = (bits & 0x000fffffffffffffu) | (1021u + (bits >> 52) % 5u) << 52;
    else if ((i & 1u) == 0)
        bits = (bits & 0x800fffffffffffffu) | (969u + (bits >> 52) % 66u) << 52;
    return detmath_from_bits_f64(bits);
}

/* The other operand of functions of two: of those between 1/4 and 8 every other one is an integer from 2 to 9. */
DETMATH_FUNCTION double detmath_check_other_f64(detmath_u32 i) {
    if (i < (detmath_u32)DETMATH_CHECK_SPECIALS)
        return detmath_check_input_f64((i * 11u + 16u) % (detmath_u32)DETMATH_CHECK_SPECIALS);
    if (i >= (detmath_u32)(DETMATH_CHECK_INPUTS - DETMATH_CHECK_TAME) && (i & 1u))
        return (double)(2u + (detmath_check_random(i) >> 29));
    return detmath_check_input_f64((detmath_u32)(DETMATH_CHECK_INPUTS + DETMATH_CHECK_SPECIALS) -
                                   (detmath_u32)DETMATH_CHECK_TAME - 1u - i);
}

DETMATH_FUNCTION detmath_u32 detmath_check_fold_f64(detmath_u32 hash, double result) {
    detmath_u64 bits = detmath_bits_f64(result);
    hash = detmath_check_fold_word(hash, (detmath_u32)bits);
    return detmath_check_fold_word(hash, (detmath_u32)(bits >> 32));
}
#endif

/* Whether products are rounded before they are added. With DETMATH_UNCONTRACTED that is the compiler's promise, and the hashes
 * do not show each product that it adds unrounded. The squares are 2^-24 and 2^-54 larger than what is taken away. */
DETMATH_FUNCTION int detmath_check_products(void) {
    int right = 1;
#if defined(DETMATH_UNCONTRACTED)
    /* Compilers do nothing about volatile numbers in advance. */
    volatile float x = 0x1.001p0f, more = detmath_productf(x, x) - 0x1.002p0f;
    right = more == 0.0f;
#if !defined(DETMATH_NO_DOUBLE)
    volatile double y = 0x1.0000002p0, more_f64 = detmath_product(y, y) - 0x1.0000004p0;
    right = right && more_f64 == 0.0;
#endif
#endif
    return right;
}

/* Whether these are the hashes of that place; true of a function that has no row yet. */
DETMATH_FUNCTION int detmath_check_is(struct detmath_check got, int place) {
    struct detmath_check want = got;
    switch (place) {
#define DETMATH_CHECK(NAME, DET, CR)                                                               \
    case DETMATH_CHECK_PLACE_##NAME:                                                               \
        want.det = DET;                                                                            \
        want.cr = CR;                                                                              \
        break;
#include "self_check.inc"
#undef DETMATH_CHECK
    default:
        break;
    }
#if defined(DETMATH_NO_DOUBLE)
    want.cr = got.cr;
#endif
    return got.det == want.det && got.cr == want.cr && detmath_check_products();
}

/* detmath_check_NAME(): the hashes that this build has. */
#if defined(DETMATH_NO_DOUBLE)
#define DETMATH_CHECK_CR(RESULT)
#else
#define DETMATH_CHECK_CR(RESULT) check.cr = detmath_check_fold(check.cr, RESULT);
#endif
#define DETMATH_CHECK_OPERAND(I, IS_Y) detmath_from_bits_f32(detmath_check_input(I, IS_Y))

#define DETMATH_UNARY(NAME, ...)                                                                   \
    DETMATH_FUNCTION struct detmath_check detmath_check_##NAME(void) {                             \
        struct detmath_check check = {0u, 0u};                                                     \
        for (detmath_u32 i = 0u; i < (detmath_u32)DETMATH_CHECK_INPUTS; i++) {                     \
            float x = DETMATH_CHECK_OPERAND(i, 0);                                                 \
            check.det = detmath_check_fold(check.det, detmath_##NAME##f(x));                       \
            DETMATH_CHECK_CR(detmath_cr_##NAME##f(x))                                              \
        }                                                                                          \
        return check;                                                                              \
    }
#define DETMATH_BINARY(NAME, ...)                                                                  \
    DETMATH_FUNCTION struct detmath_check detmath_check_##NAME(void) {                             \
        struct detmath_check check = {0u, 0u};                                                     \
        for (detmath_u32 i = 0u; i < (detmath_u32)DETMATH_CHECK_INPUTS; i++) {                     \
            float x = DETMATH_CHECK_OPERAND(i, 0), y = DETMATH_CHECK_OPERAND(i, 1);                \
            check.det = detmath_check_fold(check.det, detmath_##NAME##f(x, y));                    \
            DETMATH_CHECK_CR(detmath_cr_##NAME##f(x, y))                                           \
        }                                                                                          \
        return check;                                                                              \
    }
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    DETMATH_FUNCTION struct detmath_check detmath_check_##NAME(void) {                             \
        struct detmath_check check = {0u, 0u};                                                     \
        for (detmath_u32 i = 0u; i < (detmath_u32)DETMATH_CHECK_INPUTS; i++) {                     \
            float x = DETMATH_CHECK_OPERAND(i, 0), a, b;                                           \
            detmath_##NAME##f(x, &a, &b);                                                          \
            check.det = detmath_check_fold(detmath_check_fold(check.det, a), b);                   \
            DETMATH_CHECK_CR(detmath_cr_##A##f(x))                                                 \
            DETMATH_CHECK_CR(detmath_cr_##B##f(x))                                                 \
        }                                                                                          \
        return check;                                                                              \
    }
#include "functions.inc"

#if !defined(DETMATH_NO_DOUBLE)
/* detmath_check_NAME_f64(). */
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    DETMATH_FUNCTION struct detmath_check detmath_check_##NAME##_f64(void) {                       \
        struct detmath_check check = {0u, 0u};                                                     \
        for (detmath_u32 i = 0u; i < (detmath_u32)DETMATH_CHECK_INPUTS; i++) {                     \
            double x = detmath_check_input_f64(i);                                                 \
            check.det = detmath_check_fold_f64(check.det, detmath_##NAME(x));                      \
            check.cr = detmath_check_fold_f64(check.cr, detmath_cr_##NAME(x));                     \
        }                                                                                          \
        return check;                                                                              \
    }
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    DETMATH_FUNCTION struct detmath_check detmath_check_##NAME##_f64(void) {                       \
        struct detmath_check check = {0u, 0u};                                                     \
        for (detmath_u32 i = 0u; i < (detmath_u32)DETMATH_CHECK_INPUTS; i++) {                     \
            double a, b;                                                                           \
            detmath_##NAME(detmath_check_input_f64(i), &a, &b);                                    \
            check.det = detmath_check_fold_f64(detmath_check_fold_f64(check.det, a), b);           \
            detmath_cr_##NAME(detmath_check_input_f64(i), &a, &b);                                 \
            check.cr = detmath_check_fold_f64(detmath_check_fold_f64(check.cr, a), b);             \
        }                                                                                          \
        return check;                                                                              \
    }
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    DETMATH_FUNCTION struct detmath_check detmath_check_##NAME##_f64(void) {                       \
        struct detmath_check check = {0u, 0u};                                                     \
        for (detmath_u32 i = 0u; i < (detmath_u32)DETMATH_CHECK_INPUTS; i++) {                     \
            double x = detmath_check_input_f64(i), y = detmath_check_other_f64(i);                 \
            check.det = detmath_check_fold_f64(check.det, detmath_##NAME(x, y));                   \
            check.cr = detmath_check_fold_f64(check.cr, detmath_cr_##NAME(x, y));                  \
        }                                                                                          \
        return check;                                                                              \
    }
#include "functions_f64.inc"
#endif

/* detmath_self_check_NAME(): 0 if the bits of this function, det and cr, are right here, else 1. */
#define DETMATH_CHECK_ONE(SUFFIX)                                                                  \
    DETMATH_FUNCTION int detmath_self_check##SUFFIX(void) {                                        \
        return !detmath_check_is(detmath_check##SUFFIX(), DETMATH_CHECK_PLACE##SUFFIX);            \
    }
#define DETMATH_UNARY(NAME, ...)      DETMATH_CHECK_ONE(_##NAME) /* as NAME itself may be a macro */
#define DETMATH_BINARY(NAME, ...)     DETMATH_CHECK_ONE(_##NAME)
#define DETMATH_PAIR(NAME, A, B, ...) DETMATH_CHECK_ONE(_##NAME)
#include "functions.inc"
#if !defined(DETMATH_NO_DOUBLE)
#define DETMATH_UNARY_F64(NAME, ...)  DETMATH_CHECK_ONE(_##NAME##_f64)
#define DETMATH_BINARY_F64(NAME, ...) DETMATH_CHECK_ONE(_##NAME##_f64)
#define DETMATH_PAIR_F64(NAME, A, B)  DETMATH_CHECK_ONE(_##NAME##_f64)
#include "functions_f64.inc"
#endif

/* 0 if this build gives the right bits, else the number of functions that do not. */
DETMATH_FUNCTION int detmath_self_check(void) {
    int wrong = 0;
#define DETMATH_UNARY(NAME, ...)      wrong += detmath_self_check_##NAME();
#define DETMATH_BINARY(NAME, ...)     wrong += detmath_self_check_##NAME();
#define DETMATH_PAIR(NAME, A, B, ...) wrong += detmath_self_check_##NAME();
#include "functions.inc"
#if !defined(DETMATH_NO_DOUBLE)
#define DETMATH_UNARY_F64(NAME, ...)  wrong += detmath_self_check_##NAME##_f64();
#define DETMATH_BINARY_F64(NAME, ...) wrong += detmath_self_check_##NAME##_f64();
#define DETMATH_PAIR_F64(NAME, A, B)  wrong += detmath_self_check_##NAME##_f64();
#include "functions_f64.inc"
#endif
    return wrong;
}

#include "shield_end.inc"

#endif

/* What conversions and blocks make of two words, folded into one: every target and rounding of
 * cast.h, every format, rule and rounding of mx.h. C11, C++17, OpenCL C and CUDA C. */
#ifndef REACH_CODES_H
#define REACH_CODES_H

#include "detmath/all.h"

enum { REACH_CODE_ROUNDINGS = 6, REACH_CODE_RANDOM_BITS = 16 };

/* Each step is a bijection, so that folds of sequences that differ in one code differ. */
DETMATH_FUNCTION detmath_u32 reach_fold(detmath_u32 fold, detmath_u32 code) {
    fold = (fold ^ code) * 0x9e3779b1u;
    return fold ^ fold >> 15;
}

/* As IEEE 754 has it where the format can. */
DETMATH_FUNCTION struct detmath_cast reach_cast_to(struct detmath_format to, int rounding) {
    struct detmath_cast_rules rules;
    rules.overflow[0] = rules.infinity[0] = to.overflow;
    rules.overflow[1] = rules.infinity[1] = to.overflow | to.sign_bit;
    rules.nan[0] = rules.nan[1] = to.nan;
    rules.zero[0] = 0u;
    rules.zero[1] = to.sign_bit;
    rules.underflow = 0u;
    rules.negative = to.nan;
    return detmath_cast_make(to, rules, rounding, REACH_CODE_RANDOM_BITS);
}

/* x as fp32, y as fp16 and bf16, both as fp64, and y as a code of every format. */
DETMATH_FUNCTION detmath_u32 reach_cast(detmath_u32 x, detmath_u32 y) {
    detmath_u32 fold = 0u, low16 = y & 0xffffu, random = (x ^ y >> 16) & 0xffffu;
    for (int i = 0; i < DETMATH_ALL_FORMATS; i++) {
        struct detmath_format format = detmath_formats[i];
        detmath_u32 mask = format.sign_bit ? 2u * format.sign_bit - 1u : 0xffu;
        fold = reach_fold(fold, detmath_widen(y & mask, format));
        for (int rounding = 0; rounding < REACH_CODE_ROUNDINGS; rounding++) {
            struct detmath_cast cast = reach_cast_to(format, rounding);
            fold = reach_fold(fold, detmath_cast_f32(x, cast, random));
            fold = reach_fold(fold,
                              detmath_cast_code(low16, detmath_formats[DETMATH_F16], cast, random));
            fold = reach_fold(
                fold, detmath_cast_code(low16, detmath_formats[DETMATH_BF16], cast, random));
            fold = reach_fold(fold, detmath_cast_f64((detmath_u64)x << 32 | y, cast, random));
        }
    }
    return fold;
}

/* A block of x and y; and an element under a scale, both of y, back as fp32 and bf16. */
DETMATH_FUNCTION detmath_u32 reach_mx(detmath_u32 x, detmath_u32 y) {
    detmath_u32 fold = 0u, random = (x ^ y >> 16) & 0xffffu;
    for (int i = 0; i < DETMATH_MX_FORMATS; i++) {
        struct detmath_mx_format element = detmath_mx_formats[i];
        for (int rule = 0; rule <= DETMATH_MX_LOGARITHM; rule++)
            for (int rounding = 0; rounding < REACH_CODE_ROUNDINGS; rounding++) {
                detmath_u32 flag = (detmath_u32)rounding & 1u;
                struct detmath_mx_rules rules = {rule, flag, flag, flag, flag, flag, 0u, 0u};
                struct detmath_mx mx =
                    detmath_mx_make(element, rules, rounding, REACH_CODE_RANDOM_BITS);
                detmath_u32 scale =
                    detmath_mx_scale(detmath_mx_larger(detmath_mx_larger(0u, x, mx), y, mx), mx);
                fold = reach_fold(fold, scale);
                fold = reach_fold(fold, detmath_mx_element(x, scale, mx, random));
                fold = reach_fold(fold, detmath_mx_element(y, scale, mx, random));
            }
        for (int rounding = 0; rounding < REACH_CODE_ROUNDINGS; rounding++) {
            detmath_u32 code = y & (2u * element.number.sign_bit - 1u), scale = y >> 8 & 0xffu;
            struct detmath_cast fp32 = reach_cast_to(detmath_formats[DETMATH_F32], rounding);
            struct detmath_cast bf16 = reach_cast_to(detmath_formats[DETMATH_BF16], rounding);
            fold = reach_fold(fold, detmath_mx_value(code, element, scale, fp32, random));
            fold = reach_fold(fold, detmath_mx_value(code, element, scale, bf16, random));
        }
    }
    return fold;
}

#endif

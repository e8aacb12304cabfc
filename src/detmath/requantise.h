/* From the integers that a quantised product accumulates to a narrow format of integers:
 * x multiplier / 2^shift, rounded, plus the zero point, within bounds. The functions differ in where they
 * round; each follows a definition that is in use, in integers only. shift is 0 to 62.
 *
 *   once        the exact product, rounded once
 *   gemmlowp    gemmlowp's SaturatingRoundingDoublingHighMul and RoundingDivideByPOT, as TFLite calls
 *               them: by 2^31, halves upwards, then by what is left, halves away from zero. Below a shift of 31
 *               x is raised first, and saturates at 32 bits, which TFLite leaves open.
 *   tosa        TOSA 1.0, "Precision scaling", apply_scale_32 without and with double_round; apply_scale_16
 *               is the first for multipliers of 16 bits. TOSA wants a multiplier from 0 on, a shift from 2
 *               on, and x from -2^(shift-1) to 2^(shift-1) - 1; elsewhere its formula is followed.
 *   fp32        as onnxruntime and PyTorch do: x and multiplier / 2^shift as numbers of fp32, their
 *               product in fp32, rint. */
#ifndef DETMATH_REQUANTISE_H
#define DETMATH_REQUANTISE_H

#include "dyadic_steps.h"

#include "shield.inc"

struct detmath_requantisation {
    detmath_i32 multiplier, shift, zero_point;
    detmath_i32 least, most; /* the ends of the narrow format */
};

/* An integer before its zero point is added. No sum overflows: forms give at most 2^62. */
DETMATH_INLINED detmath_i32 detmath_requantised(detmath_i64 v, struct detmath_requantisation rule) {
    v += rule.zero_point;
    v = v < rule.least ? rule.least : v;
    return (detmath_i32)(v > rule.most ? rule.most : v);
}

/* The rounding is none of stochastic ones. */
DETMATH_FUNCTION detmath_i32 detmath_requantise_once(detmath_i32 x,
                                                     struct detmath_requantisation rule,
                                                     enum detmath_dyadic_rounding rounding) {
    detmath_i64 product = (detmath_i64)x * rule.multiplier;
    return detmath_requantised(
        detmath_dyadic_lowered(product, detmath_dyadic_shift_of(rule.shift, rounding), 0), rule);
}

DETMATH_FUNCTION detmath_i32 detmath_requantise_gemmlowp(detmath_i32 x,
                                                         struct detmath_requantisation rule) {
    const detmath_i64 most = 0x7fffffff;
    detmath_i32 left = rule.shift < 31 ? 31 - rule.shift : 0;
    detmath_i64 raised = (detmath_i64)x * ((detmath_i64)1 << left);
    raised = raised > most ? most : raised < -most - 1 ? -most - 1 : raised;
    detmath_i64 high = detmath_dyadic_lowered(
        raised * rule.multiplier, detmath_dyadic_shift_of(31, DETMATH_DYADIC_NEAREST_UP), 0);
    high = high > most ? most : high;
    return detmath_requantised(
        detmath_dyadic_lowered(
            high, detmath_dyadic_shift_of(rule.shift - 31 + left, DETMATH_DYADIC_NEAREST_AWAY), 0),
        rule);
}

DETMATH_FUNCTION detmath_i32 detmath_requantise_tosa(detmath_i32 x,
                                                     struct detmath_requantisation rule,
                                                     detmath_i32 double_round) {
    detmath_i64 round = ((detmath_i64)1 << rule.shift) >> 1;
    if (double_round && rule.shift > 31)
        round += x >= 0 ? 1 << 30 : -(1 << 30);
    return detmath_requantised(((detmath_i64)x * rule.multiplier + round) >> rule.shift, rule);
}

/* An integer of at most 49 bits as fp32 has it: *v times the power of two that is returned. */
DETMATH_INLINED detmath_i32 detmath_requantise_to_24_bits(DETMATH_PRIVATE detmath_i64 *v) {
    const detmath_u64 magnitude = detmath_dyadic_magnitude(*v);
    detmath_i32 excess = 0;
    while (magnitude >> excess >= (detmath_u64)1 << 24)
        excess++;
    *v =
        detmath_dyadic_lowered(*v, detmath_dyadic_shift_of(excess, DETMATH_DYADIC_NEAREST_EVEN), 0);
    return excess;
}

DETMATH_FUNCTION detmath_i32 detmath_requantise_fp32(detmath_i32 x,
                                                     struct detmath_requantisation rule) {
    detmath_i64 significand = x, product = rule.multiplier;
    detmath_i32 exponent = detmath_requantise_to_24_bits(&significand);
    exponent += detmath_requantise_to_24_bits(&product);
    product *= significand;
    exponent += detmath_requantise_to_24_bits(&product) - rule.shift;
    return detmath_requantised(
        exponent >= 0
            ? product * ((detmath_i64)1 << exponent)
            : detmath_dyadic_lowered(
                  product, detmath_dyadic_shift_of(-exponent, DETMATH_DYADIC_NEAREST_EVEN), 0),
        rule);
}

#include "shield_end.inc"

#endif

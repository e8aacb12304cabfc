/* Rows of four for an angle of pi k/16: its sine and what that lacks, and its cosine likewise; made by trigonometric_f64.sollya. */
#ifndef DETMATH_TRIGONOMETRIC_F64_TABLE_H
#define DETMATH_TRIGONOMETRIC_F64_TABLE_H

#include "core.h"

#if !defined(DETMATH_NO_DOUBLE)

/* clang-format off */
#define DETMATH_TRIG_F64_ROWS(ROW) \
    ROW(0.0, 0.0, 0x1p0, 0.0) \
    ROW(0x1.8f8b83c69a60bp-3, -0x1.26d19b9ff8d82p-57, 0x1.f6297cff75cbp-1, 0x1.562172a361fd3p-56) \
    ROW(0x1.87de2a6aea963p-2, -0x1.72cedd3d5a61p-57, 0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56) \
    ROW(0x1.1c73b39ae68c8p-1, 0x1.b25dd267f66p-55, 0x1.a9b66290ea1a3p-1, 0x1.9f630e8b6dac8p-60) \
    ROW(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55, 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55) \
    ROW(0x1.a9b66290ea1a3p-1, 0x1.9f630e8b6dac8p-60, 0x1.1c73b39ae68c8p-1, 0x1.b25dd267f66p-55) \
    ROW(0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56, 0x1.87de2a6aea963p-2, -0x1.72cedd3d5a61p-57) \
    ROW(0x1.f6297cff75cbp-1, 0x1.562172a361fd3p-56, 0x1.8f8b83c69a60bp-3, -0x1.26d19b9ff8d82p-57) \
    ROW(0x1p0, 0.0, 0.0, 0.0) \
    ROW(0x1.f6297cff75cbp-1, 0x1.562172a361fd3p-56, -0x1.8f8b83c69a60bp-3, 0x1.26d19b9ff8d82p-57) \
    ROW(0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56, -0x1.87de2a6aea963p-2, 0x1.72cedd3d5a61p-57) \
    ROW(0x1.a9b66290ea1a3p-1, 0x1.9f630e8b6dac8p-60, -0x1.1c73b39ae68c8p-1, -0x1.b25dd267f66p-55) \
    ROW(0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55, -0x1.6a09e667f3bcdp-1, 0x1.bdd3413b26456p-55) \
    ROW(0x1.1c73b39ae68c8p-1, 0x1.b25dd267f66p-55, -0x1.a9b66290ea1a3p-1, -0x1.9f630e8b6dac8p-60) \
    ROW(0x1.87de2a6aea963p-2, -0x1.72cedd3d5a61p-57, -0x1.d906bcf328d46p-1, -0x1.457e610231ac2p-56) \
    ROW(0x1.8f8b83c69a60bp-3, -0x1.26d19b9ff8d82p-57, -0x1.f6297cff75cbp-1, -0x1.562172a361fd3p-56)
/* clang-format on */

#define DETMATH_TRIG_F64_ROW(SINE, SINE_LOW, COSINE, COSINE_LOW) SINE, SINE_LOW, COSINE, COSINE_LOW,
DETMATH_CONSTANT double detmath_trig_f64_rows[64] = {DETMATH_TRIG_F64_ROWS(DETMATH_TRIG_F64_ROW)};
#undef DETMATH_TRIG_F64_ROW

/* Numbers of 53 bits, a quotient of which is the tangent of pi k/16 (trigonometric_f64_lanes.inc). */
DETMATH_CONSTANT double detmath_trig_f64_overs[16] = {
    0.0,   0x1.331174334fff8p-4, 0x1.8d30a2bdfc0e4p-3, 0x1.352abd52c9d18p-3,
    0x1p0, 0x1.ceb3776c71d14p-3, 0x1.df736287ab0d4p-2, 0x1.81ef1a5f9dd16p-2,
    0x1p0, 0x1.81ef1a5f9dd16p-2, 0x1.df736287ab0d4p-2, 0x1.ceb3776c71d14p-3,
    0x1p0, 0x1.352abd52c9d18p-3, 0x1.8d30a2bdfc0e4p-3, 0x1.331174334fff8p-4};
DETMATH_CONSTANT double detmath_trig_f64_unders[16] = {
    0x1p0,  0x1.81ef1a5f9dd16p-2,  0x1.df736287ab0d4p-2,  0x1.ceb3776c71d14p-3,
    0x1p0,  0x1.352abd52c9d18p-3,  0x1.8d30a2bdfc0e4p-3,  0x1.331174334fff8p-4,
    0.0,    -0x1.331174334fff8p-4, -0x1.8d30a2bdfc0e4p-3, -0x1.352abd52c9d18p-3,
    -0x1p0, -0x1.ceb3776c71d14p-3, -0x1.df736287ab0d4p-2, -0x1.81ef1a5f9dd16p-2};

#endif

#endif

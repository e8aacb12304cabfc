/* Powers of 2, for functions that look them up; made by exp.sollya.
 *
 * Column j of 2^(j/8) has bits that are j 2^20 fewer than those of the number:
 * whoever adds 8 n + j, shifted by 20, gets 2^(n + j/8). */
#ifndef DETMATH_EXP_COLUMNS_H
#define DETMATH_EXP_COLUMNS_H

#include "core.h"

/* 2^(j/8) to fp32, and what is left of it over that; each row twice, as
 * DETMATH_QUICK_BY_COLUMN has it. */
#define DETMATH_EXP_HEADS                                                                          \
    0x1p0f, 0x1.f72b84p-1f, 0x1.f06fep-1f, 0x1.ebfdaep-1f, 0x1.ea09e6p-1f, 0x1.eace54p-1f,         \
        0x1.ee89fap-1f, 0x1.f5818ep-1f
#define DETMATH_EXP_LOWS                                                                           \
    0.0f, -0x1.9c0c22p-27f, 0x1.125002p-25f, -0x1.0a355p-25f, 0x1.26055cp-26f, 0x1.67a1cap-28f,    \
        -0x1.f9c304p-27f, -0x1.a5217cp-28f
DETMATH_CONSTANT float detmath_exp_columns[32] = {DETMATH_EXP_HEADS, DETMATH_EXP_HEADS,
                                                  DETMATH_EXP_LOWS, DETMATH_EXP_LOWS};
#define DETMATH_COLUMNS_exp   detmath_exp_columns, 2, 8
#define DETMATH_COLUMNS_exp2  detmath_exp_columns, 2, 8
#define DETMATH_COLUMNS_exp10 detmath_exp_columns, 2, 8

/* The same of sixteenths, where what is added has to be shifted by 19: numbers
 * t near 2^(j/16) that are floats, as 1 / t is to 2^-31: t / 2; 1 / (2 t),
 * where that is to be subtracted from the bits; and ln t - j/16 ln 2. */
DETMATH_CONSTANT float detmath_hyperbolic_columns[48] = {
    0x1p-1f,         0x1.fb557cp-2f,   0x1.f72b8cp-2f,
    0x1.f3877cp-2f,  0x1.f06fe6p-2f,   0x1.edeab2p-2f,
    0x1.ebfcc2p-2f,  0x1.eab0b6p-2f,   0x1.e9f542p-2f,
    0x1.ea110ap-2f,  0x1.eacf6cp-2f,   0x1.ec48b4p-2f,
    0x1.ee89f2p-2f,  0x1.f19ap-2f,     0x1.f5818p-2f,
    0x1.fa4b0ep-2f,  0x1p-1f,          0x1.fa4b0ep-2f,
    0x1.f5818p-2f,   0x1.f19ap-2f,     0x1.ee89f2p-2f,
    0x1.ec48b4p-2f,  0x1.eacf6cp-2f,   0x1.ea110ap-2f,
    0x1.ea1e8cp-2f,  0x1.eab0b6p-2f,   0x1.ebfcc2p-2f,
    0x1.edeab2p-2f,  0x1.f06fe6p-2f,   0x1.f3877cp-2f,
    0x1.f72b8cp-2f,  0x1.fb557cp-2f,   0.0f,
    -0x1.4b485p-21f, 0x1.e261e8p-22f,  -0x1.2d661ep-19f,
    0x1.209d78p-22f, 0x1.f19caap-19f,  -0x1.6aec8p-17f,
    0x1.4bcfdcp-19f, -0x1.d321c6p-13f, -0x1.4bc3e8p-19f,
    0x1.6afp-17f,    -0x1.f19054p-19f, -0x1.20a1ccp-22f,
    0x1.2d587ep-19f, -0x1.e1f7a8p-22f, 0x1.4b685cp-21f};
#define DETMATH_COLUMNS_sinh detmath_hyperbolic_columns, 3, 16
#define DETMATH_COLUMNS_cosh detmath_hyperbolic_columns, 3, 16

#if !defined(DETMATH_NO_DOUBLE)
/* 2^(j/16) in double, where what is added has to be shifted by 48; halves of
 * it, and of its reciprocal, where it has to be subtracted. */
DETMATH_CONSTANT double detmath_exp_powers[16] = {0x1p0,
                                                  0x1.fb5586cf9890fp-1,
                                                  0x1.f72b83c7d517bp-1,
                                                  0x1.f387a6e756238p-1,
                                                  0x1.f06fe0a31b715p-1,
                                                  0x1.edea64c123422p-1,
                                                  0x1.ebfdad5362a27p-1,
                                                  0x1.eab07dd485429p-1,
                                                  0x1.ea09e667f3bcdp-1,
                                                  0x1.ea11473eb0187p-1,
                                                  0x1.eace5422aa0dbp-1,
                                                  0x1.ec49182a3f09p-1,
                                                  0x1.ee89f995ad3adp-1,
                                                  0x1.f199bdd85529cp-1,
                                                  0x1.f5818dcfba487p-1,
                                                  0x1.fa4afa2a490dap-1};
DETMATH_CONSTANT double detmath_hyperbolic_powers[32] = {0x1p-1,
                                                         0x1.fb5586cf9890fp-2,
                                                         0x1.f72b83c7d517bp-2,
                                                         0x1.f387a6e756238p-2,
                                                         0x1.f06fe0a31b715p-2,
                                                         0x1.edea64c123422p-2,
                                                         0x1.ebfdad5362a27p-2,
                                                         0x1.eab07dd485429p-2,
                                                         0x1.ea09e667f3bcdp-2,
                                                         0x1.ea11473eb0187p-2,
                                                         0x1.eace5422aa0dbp-2,
                                                         0x1.ec49182a3f09p-2,
                                                         0x1.ee89f995ad3adp-2,
                                                         0x1.f199bdd85529cp-2,
                                                         0x1.f5818dcfba487p-2,
                                                         0x1.fa4afa2a490dap-2,
                                                         0x1p-1,
                                                         0x1.fa4afa2a490dap-2,
                                                         0x1.f5818dcfba487p-2,
                                                         0x1.f199bdd85529cp-2,
                                                         0x1.ee89f995ad3adp-2,
                                                         0x1.ec49182a3f09p-2,
                                                         0x1.eace5422aa0dbp-2,
                                                         0x1.ea11473eb0187p-2,
                                                         0x1.ea09e667f3bcdp-2,
                                                         0x1.eab07dd485429p-2,
                                                         0x1.ebfdad5362a27p-2,
                                                         0x1.edea64c123422p-2,
                                                         0x1.f06fe0a31b715p-2,
                                                         0x1.f387a6e756238p-2,
                                                         0x1.f72b83c7d517bp-2,
                                                         0x1.fb5586cf9890fp-2};
#define DETMATH_COLUMNS_cr_exp   detmath_exp_powers, 1, 16
#define DETMATH_COLUMNS_cr_exp2  detmath_exp_powers, 1, 16
#define DETMATH_COLUMNS_cr_exp10 detmath_exp_powers, 1, 16
#define DETMATH_COLUMNS_cr_expm1 detmath_exp_powers, 1, 16
#define DETMATH_COLUMNS_cr_tanh  detmath_exp_powers, 1, 16
#define DETMATH_COLUMNS_cr_sinh  detmath_hyperbolic_powers, 2, 16
#define DETMATH_COLUMNS_cr_cosh  detmath_hyperbolic_powers, 2, 16
#endif

#endif

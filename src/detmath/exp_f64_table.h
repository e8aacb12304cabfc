/* Rows of 2^(j/16): its half, and what is left of it beside its double, over that; and its inverse likewise. The halves have the bits
 * of exp_columns.h's hyperbolic powers; made by exp_f64.sollya. */
#ifndef DETMATH_EXP_F64_TABLE_H
#define DETMATH_EXP_F64_TABLE_H

#include "core.h"

#if !defined(DETMATH_NO_DOUBLE)

/* clang-format off */
#define DETMATH_EXP_F64_ROWS(ROW) \
    ROW(0x1p-1, 0.0, 0x1p-1, 0.0) \
    ROW(0x1.fb5586cf9890fp-2, 0x1.79aa65d837b6dp-54, 0x1.fa4afa2a490dap-2, -0x1.ff7128fd391fp-55) \
    ROW(0x1.f72b83c7d517bp-2, -0x1.01b15eaa59348p-55, 0x1.f5818dcfba487p-2, 0x1.4a385a63d07a7p-56) \
    ROW(0x1.f387a6e756238p-2, 0x1.68efde3a8a894p-54, 0x1.f199bdd85529cp-2, 0x1.36eae30af0cb3p-56) \
    ROW(0x1.f06fe0a31b715p-2, 0x1.34d754db0abb6p-55, 0x1.ee89f995ad3adp-2, 0x1.c1a7792cb3387p-55) \
    ROW(0x1.edea64c123422p-2, 0x1.59f48a72a4c6dp-55, 0x1.ec49182a3f09p-2, 0x1.1affc2b91ce27p-56) \
    ROW(0x1.ebfdad5362a27p-2, 0x1.690cebb7aafbp-56, 0x1.eace5422aa0dbp-2, 0x1.db72fc1f0eab4p-55) \
    ROW(0x1.eab07dd485429p-2, 0x1.063e1e21c5409p-54, 0x1.ea11473eb0187p-2, -0x1.b32dcb94da51dp-56) \
    ROW(0x1.ea09e667f3bcdp-2, -0x1.3b3efbf5e2228p-54, 0x1.ea09e667f3bcdp-2, -0x1.3b3efbf5e2228p-54) \
    ROW(0x1.ea11473eb0187p-2, -0x1.b32dcb94da51dp-56, 0x1.eab07dd485429p-2, 0x1.063e1e21c5409p-54) \
    ROW(0x1.eace5422aa0dbp-2, 0x1.db72fc1f0eab4p-55, 0x1.ebfdad5362a27p-2, 0x1.690cebb7aafbp-56) \
    ROW(0x1.ec49182a3f09p-2, 0x1.1affc2b91ce27p-56, 0x1.edea64c123422p-2, 0x1.59f48a72a4c6dp-55) \
    ROW(0x1.ee89f995ad3adp-2, 0x1.c1a7792cb3387p-55, 0x1.f06fe0a31b715p-2, 0x1.34d754db0abb6p-55) \
    ROW(0x1.f199bdd85529cp-2, 0x1.36eae30af0cb3p-56, 0x1.f387a6e756238p-2, 0x1.68efde3a8a894p-54) \
    ROW(0x1.f5818dcfba487p-2, 0x1.4a385a63d07a7p-56, 0x1.f72b83c7d517bp-2, -0x1.01b15eaa59348p-55) \
    ROW(0x1.fa4afa2a490dap-2, -0x1.ff7128fd391fp-55, 0x1.fb5586cf9890fp-2, 0x1.79aa65d837b6dp-54)
/* clang-format on */

#define DETMATH_EXP_F64_ROW(POWER, LOW, INVERSE, INVERSE_LOW) POWER, LOW, INVERSE, INVERSE_LOW,
#define DETMATH_EXP_F64_LOW(POWER, LOW, INVERSE, INVERSE_LOW) LOW,
DETMATH_CONSTANT double detmath_exp_f64_rows[64] = {DETMATH_EXP_F64_ROWS(DETMATH_EXP_F64_ROW)};
DETMATH_CONSTANT double detmath_exp_f64_lows[16] = {DETMATH_EXP_F64_ROWS(DETMATH_EXP_F64_LOW)};
#undef DETMATH_EXP_F64_ROW
#undef DETMATH_EXP_F64_LOW

#endif

#endif

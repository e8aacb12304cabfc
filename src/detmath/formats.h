/* Number formats as constants, for the functions that read and write their codes. */
#ifndef DETMATH_FORMATS_H
#define DETMATH_FORMATS_H

#include "core.h"

/* A format whose codes have sign, exponent, fraction. */
struct detmath_format {
    detmath_u32 sign_bit;   /* 0 for the format of scales, whose codes are exponents alone */
    detmath_i32 precision;  /* bits of a normal significand, the hidden one included */
    detmath_i32 emin;       /* exponent of the smallest normal number */
    detmath_u32 max_finite; /* code of the largest finite number */
    detmath_u32 overflow;   /* what is beyond: the code of infinity; of NaN where there is none; of
                               the   largest number where there is no NaN either */
    detmath_u32 nan;        /* the canonical NaN; where there is none, the code of -0 */
};

/* Rows in the order of enum detmath_format_index, which is also that of the array forms. Functions
 * round correctly in the first DETMATH_FORMATS; conversions know all DETMATH_ALL_FORMATS, and fp64,
 * whose codes no row here can hold. */
enum detmath_format_index {
    DETMATH_F32,
    DETMATH_F16,
    DETMATH_BF16,
    DETMATH_E4M3FN,
    DETMATH_E4M3FNUZ,
    DETMATH_E5M2,
    DETMATH_E5M2FNUZ,
    DETMATH_FORMATS,
    DETMATH_E4M3 = DETMATH_FORMATS,
    DETMATH_E3M4,
    DETMATH_E4M3B11FNUZ,
    DETMATH_E2M3FN,
    DETMATH_E3M2FN,
    DETMATH_E2M1FN,
    DETMATH_E8M0FNU,
    DETMATH_TF32,
    DETMATH_ALL_FORMATS,
    DETMATH_F64 = DETMATH_ALL_FORMATS
};

/* Integers, beside the formats of enum detmath_format_index. */
enum detmath_integer_index {
    DETMATH_INT2 = 64,
    DETMATH_UINT2,
    DETMATH_INT4,
    DETMATH_UINT4,
    DETMATH_INT8,
    DETMATH_UINT8,
    DETMATH_INT16,
    DETMATH_UINT16,
    DETMATH_INT32,
    DETMATH_UINT32,
    DETMATH_INT64,
    DETMATH_UINT64,
    DETMATH_INTEGERS = DETMATH_UINT64 - DETMATH_INT2 + 1
};

DETMATH_CONSTANT struct detmath_format detmath_formats[DETMATH_ALL_FORMATS] = {
    {0x80000000u, 24, -126, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u},
    {0x8000u, 11, -14, 0x7bffu, 0x7c00u, 0x7e00u},
    {0x8000u, 8, -126, 0x7f7fu, 0x7f80u, 0x7fc0u},
    {0x80u, 4, -6, 0x7eu, 0x7fu, 0x7fu},
    {0x80u, 4, -7, 0x7fu, 0x80u, 0x80u},
    {0x80u, 3, -14, 0x7bu, 0x7cu, 0x7eu},
    {0x80u, 3, -15, 0x7fu, 0x80u, 0x80u},
    {0x80u, 4, -6, 0x77u, 0x78u, 0x7cu},
    {0x80u, 5, -2, 0x6fu, 0x70u, 0x78u},
    {0x80u, 4, -10, 0x7fu, 0x80u, 0x80u},
    {0x20u, 4, 0, 0x1fu, 0x1fu, 0x20u},
    {0x20u, 3, -2, 0x1fu, 0x1fu, 0x20u},
    {0x8u, 2, 0, 0x7u, 0x7u, 0x8u},
    {0u, 1, -127, 0xfeu, 0xffu, 0xffu},
    {0x40000u, 11, -126, 0x3fbffu, 0x3fc00u, 0x3fe00u},
};

#endif

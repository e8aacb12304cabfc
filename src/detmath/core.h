/* What the functions are written in: the language (language.h), fma, and exact products. Nothing
 * outside this folder is included.
 *
 * The same bits everywhere rest on a few habits of the functions that include this:
 *   - a product that feeds a sum is an explicit detmath_fma(f); where the rounded product itself is
 *     needed, detmath_product(f), which no compiler can contract;
 *   - only + - and fma on floating-point numbers, in the declared type, round to nearest-even;
 *   - what a subnormal number would meet is done in integers, so that flushing changes nothing. */
#ifndef DETMATH_CORE_H
#define DETMATH_CORE_H

#include "fma.h"
#include "language.h"

#include "shield.inc"

/* The bits of -0 as a float. clang turns a multiplication and addition of -0 into a multiplication,
 * which -ffp-contract=fast then contracts with the sum that it feeds: it must not see the number.
 * The assembler's part is empty, and loops leave it outside. */
DETMATH_FUNCTION detmath_u32 detmath_minus_zero_bits(void) {
    detmath_u32 bits = 0x80000000u;
#if defined(DETMATH_HIP_DEVICE)
    __asm__("" : "+v"(bits)); /* any register of a lane */
#elif defined(__CUDA_ARCH__) ||                                                                    \
    (defined(__clang__) && !defined(DETMATH_OPENCL) && !defined(DETMATH_METAL))
    __asm__("" : "+r"(bits));
#endif
    return bits;
}

/* What masks the sign away. clang turns "the magnitude is 0" into a comparison of floats, to which a
 * subnormal number is 0 where those are flushed: it must not see this number either. */
DETMATH_FUNCTION detmath_u32 detmath_magnitude_mask(void) {
    return ~detmath_minus_zero_bits();
}
DETMATH_FUNCTION detmath_u64 detmath_magnitude_mask_f64(void) {
    return ~((detmath_u64)detmath_minus_zero_bits() << 32);
}

/* a * b rounded, which stays so whatever a compiler contracts: -0 is the neutral element of a sum,
 * so that the sign of a zero product stays too. Who compiles with DETMATH_UNCONTRACTED vouches that
 * the compiler contracts nothing (-ffp-contract=off), as the library does: a multiplication alone is
 * the same, and takes a cycle less than a sum with it. */
DETMATH_FUNCTION float detmath_productf(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b); /* is never contracted */
#elif defined(DETMATH_UNCONTRACTED)
    return a * b;
#else
    return detmath_fmaf(a, b, detmath_from_bits_f32(detmath_minus_zero_bits()));
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_FUNCTION double detmath_product(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#elif defined(DETMATH_UNCONTRACTED)
    return a * b;
#else
    return detmath_fma(a, b, detmath_from_bits_f64((detmath_u64)detmath_minus_zero_bits() << 32));
#endif
}
#endif

/* a * b where that is exact, so that no contraction changes it: b is a power of two. On a GPU it is
 * written as one that nothing contracts all the same, since that can be read in its assembly. */
#if defined(__CUDA_ARCH__) || defined(DETMATH_HIP_DEVICE)
#define DETMATH_EXACT_PRODUCT(A, B, PRODUCT) PRODUCT(A, B)
#else
#define DETMATH_EXACT_PRODUCT(A, B, PRODUCT) ((A) * (B))
#endif
DETMATH_FUNCTION float detmath_exact_productf(float a, float b) {
    return DETMATH_EXACT_PRODUCT(a, b, detmath_productf);
}
#if !defined(DETMATH_NO_DOUBLE)
DETMATH_FUNCTION double detmath_exact_product(double a, double b) {
    return DETMATH_EXACT_PRODUCT(a, b, detmath_product);
}
#endif

/* The one NaN that functions return, the bits of |x|, and whether x is NaN or subnormal, all in
 * integers, so that neither flushing nor an optimiser's assumptions change them. */
#define DETMATH_NAN_BITS      0x7fc00000u
#define DETMATH_INFINITY_BITS 0x7f800000u

DETMATH_FUNCTION detmath_u32 detmath_magnitude_f32(float x) {
    return detmath_bits_f32(x) & detmath_magnitude_mask();
}

/* For quick ways, which do where low <= bits < high, the bits being those of x or of |x|: the top
 * bit tells of an x outside. Zeros are inside, for |x|. */
DETMATH_FUNCTION detmath_u32 detmath_outside_bits(float x, detmath_u32 low, detmath_u32 high) {
    detmath_u32 above = detmath_bits_f32(x) - low;
    return (above | (high - low - 1u - above)) & 0x80000000u;
}

DETMATH_FUNCTION detmath_u32 detmath_outside_magnitude(float x, detmath_u32 low, detmath_u32 high) {
    detmath_u32 magnitude = detmath_magnitude_f32(x), above = magnitude - low;
    detmath_u32 under = low ? above & ~(magnitude - 1u) : 0u;
    return (under | (high - low - 1u - above)) & 0x80000000u;
}

/* The same for scalars, in as few steps as can be; zeros are outside, if low is not 0. */
DETMATH_FUNCTION int detmath_is_outside_bits(float x, detmath_u32 low, detmath_u32 high) {
    return detmath_bits_f32(x) - low >= high - low;
}

DETMATH_FUNCTION int detmath_is_outside_magnitude(float x, detmath_u32 low, detmath_u32 high) {
    return 2u * detmath_bits_f32(x) - 2u * low >= 2u * (high - low);
}

/* y, or the canonical NaN where x is NaN. */
DETMATH_FUNCTION float detmath_unless_nan(float x, float y) {
    detmath_u32 bits =
        detmath_magnitude_f32(x) > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : detmath_bits_f32(y);
    return detmath_from_bits_f32(bits);
}

/* y * 2^n rounded to nearest-even, in integers: y normal, of either sign, and |n| < 2^20. Where the
 * result is subnormal that is a second rounding, of a y that has all of its 24 bits. */
DETMATH_FUNCTION float detmath_scale_f32(float y, detmath_i32 n) {
    detmath_u32 bits = detmath_bits_f32(y), sign = bits & 0x80000000u;
    detmath_u32 magnitude = bits & detmath_magnitude_mask();
    detmath_i32 biased = (detmath_i32)(magnitude >> 23) + n;
    detmath_u32 normal = magnitude + ((detmath_u32)n << 23);
    detmath_i32 wanted = 1 - biased;
    detmath_u32 shift = (detmath_u32)(wanted < 1 ? 1 : wanted > 25 ? 25 : wanted);
    detmath_u32 significand = (magnitude & 0x007fffffu) | 0x00800000u;
    detmath_u32 middle = (1u << (shift - 1)) - 1u, odd = (significand >> shift) & 1u;
    detmath_u32 subnormal = (significand + middle + odd) >> shift;
    detmath_u32 scaled = biased < 1 ? subnormal : normal;
    scaled = biased > 254 ? DETMATH_INFINITY_BITS : scaled;
    return detmath_from_bits_f32(sign | scaled);
}

/* The bits of a normal number that is |x| 2^*up: x itself unless that is subnormal. For 0 the
 * number is 2^-127 or so, or 0. */
DETMATH_FUNCTION detmath_u32 detmath_normalized_f32(detmath_u32 magnitude,
                                                    DETMATH_PRIVATE detmath_i32 *up) {
    float tiny = detmath_from_bits_f32(magnitude | 0x3f800000u) - 1.0f; /* |x| 2^126 */
    *up = magnitude < 0x00800000u ? 126 : 0;
    return magnitude < 0x00800000u ? detmath_bits_f32(tiny) : magnitude;
}

/* x (factor + low) for finite x and a factor from 1/4 to 4: rounded as y is, and where the result is
 * subnormal once more, from 24 bits. A subnormal x loses nothing. */
DETMATH_FUNCTION float detmath_multiple(float x, float factor, float low) {
    detmath_i32 up;
    detmath_u32 bits = detmath_bits_f32(x);
    detmath_u32 normal = detmath_normalized_f32(bits & detmath_magnitude_mask(), &up);
    float m = detmath_from_bits_f32((normal & 0x007fffffu) | 0x3f800000u);
    float y = detmath_fmaf(m, factor, detmath_productf(m, low));
    y = detmath_scale_f32(y, (detmath_i32)(normal >> 23) - 127 - up);
    return detmath_from_bits_f32(detmath_bits_f32(y) | (bits & 0x80000000u));
}

/* For quick ways in place of detmath_multiple: in doubt unless |x| is from 2^-30 to below the number
 * of these bits, or 0. */
DETMATH_FUNCTION detmath_u32 detmath_outside_multiple(float x, detmath_u32 high) {
    return detmath_outside_magnitude(x, 0x30800000u, high);
}

/* y, or x where that is 0 (or so small that there is doubt). */
DETMATH_FUNCTION float detmath_unless_zero(float x, float y) {
    return detmath_from_bits_f32(detmath_magnitude_f32(x) < 0x30800000u ? detmath_bits_f32(x)
                                                                        : detmath_bits_f32(y));
}

/* y of a function that is x where |x| is small: options may have cost a zero its sign. */
DETMATH_FUNCTION float detmath_zero_kept(float x, float y) {
    return detmath_unless_zero(x, y);
}

/* Tables of columns. A function that looks one up has detmath_NAME_place(x), whose low bits say which column, and
 * detmath_NAME_by(x, column, &doubt), where column has a value of each row. DETMATH_COLUMNS_NAME is the table, how many
 * rows, and how many columns: 16, or 8 that stand twice. Value r of column c is table[16 * r + c], so that array forms
 * permute a row in registers (library/look_up.h). From these follows detmath_NAME_quick. */
#define DETMATH_COLUMN_1(TABLE, AT)                                                                \
    { TABLE[AT] }
#define DETMATH_COLUMN_2(TABLE, AT)                                                                \
    { TABLE[AT], TABLE[16u + (AT)] }
#define DETMATH_COLUMN_3(TABLE, AT)                                                                \
    { TABLE[AT], TABLE[16u + (AT)], TABLE[32u + (AT)] }
#define DETMATH_QUICK_BY_COLUMN(SUFFIX, TABLE_ROWS_COLUMNS)                                        \
    DETMATH_QUICK_BY_COLUMN_OF(SUFFIX, TABLE_ROWS_COLUMNS)
#define DETMATH_QUICK_BY_COLUMN_OF(SUFFIX, TABLE, ROWS, COLUMNS)                                   \
    DETMATH_FUNCTION float detmath##SUFFIX##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {  \
        detmath_u32 at = detmath##SUFFIX##_place(x) & (COLUMNS##u - 1u);                           \
        float column[ROWS] = DETMATH_COLUMN_##ROWS(TABLE, at);                                     \
        return detmath##SUFFIX##_by(x, column, doubt);                                             \
    }

/* detmath_NAMEf of a function whose array form has a quick path: both give the same bits where
 * there is no doubt. SUFFIX is _NAME, since NAME itself may be a macro of OpenCL's. */
#define DETMATH_QUICK_OR_FULL(SUFFIX)                                                              \
    DETMATH_FUNCTION float detmath##SUFFIX##f(float x) {                                           \
        detmath_u32 doubt = 0;                                                                     \
        float y = detmath##SUFFIX##_quick(x, &doubt);                                              \
        return DETMATH_SELDOM(doubt) ? detmath##SUFFIX##_full(x) : y;                              \
    }
/* The same of two operands. */
#define DETMATH_QUICK_OR_FULL_BINARY(SUFFIX)                                                       \
    DETMATH_FUNCTION float detmath##SUFFIX##f(float x, float y) {                                  \
        detmath_u32 doubt = 0;                                                                     \
        float z = detmath##SUFFIX##_quick(x, y, &doubt);                                           \
        return DETMATH_SELDOM(doubt) ? detmath##SUFFIX##_full(x, y) : z;                           \
    }

/* For kernels of lanes (one_lane.inc): a table of 16 numbers, read at the last four bits of row; a number of an
 * integer; a number in each lane; |x| as a word and as a number; and all ones for what holds, else 0. */
DETMATH_FUNCTION float detmath_look_up(DETMATH_CONSTANT_POINTER float *table, detmath_u32 row) {
    return table[row & 15u];
}
/* The same of one that begins at `first` of a longer table. */
DETMATH_FUNCTION float detmath_look_up_from(DETMATH_CONSTANT_POINTER float *table,
                                            detmath_u32 first, detmath_u32 row) {
    return table[first + (row & 15u)];
}
/* The same of tables of 8 numbers, at the last three bits. */
DETMATH_FUNCTION float detmath_look_up_8(DETMATH_CONSTANT_POINTER float *table, detmath_u32 first,
                                         detmath_u32 row) {
    return table[first + (row & 7u)];
}
/* Where row 8 + k is row k negated, row k or that, and y with what row that leaves to do: lanes may have tables of all
 * 16 rows. */
DETMATH_FUNCTION float detmath_look_up_turned(DETMATH_CONSTANT_POINTER float *table,
                                              detmath_u32 first, detmath_u32 row) {
    return detmath_look_up_8(table, first, row);
}
DETMATH_FUNCTION float detmath_turned(float y, detmath_u32 row) {
    return detmath_from_bits_f32(detmath_bits_f32(y) ^ (row << 28 & 0x80000000u));
}
/* The same, but a zero is +0. */
DETMATH_FUNCTION float detmath_turned_but_zero(float y, detmath_u32 row) {
    return detmath_turned(y, row) + 0.0f;
}
DETMATH_FUNCTION float detmath_from_integer(detmath_i32 n) {
    return (float)n;
}
DETMATH_FUNCTION float detmath_each(float x) {
    return x;
}
DETMATH_FUNCTION detmath_u32 detmath_magnitude_word(float x) {
    return detmath_bits_f32(x) & 0x7fffffffu;
}
DETMATH_FUNCTION float detmath_magnitude(float x) {
    return detmath_from_bits_f32(detmath_magnitude_word(x));
}
DETMATH_FUNCTION detmath_u32 detmath_ones(int holds) {
    return holds ? ~0u : 0u;
}
/* Whether a mask of such has ones in any lane. */
DETMATH_FUNCTION int detmath_any(detmath_u32 mask) {
    return mask != 0u;
}
/* yes where a < limit, else no, for a and limit of 0 or more. These are compared as words: where a is a sum,
 * options let a compiler take its constant to the limit, whose rounding is another. */
DETMATH_FUNCTION float detmath_below(float a, float limit, float yes, float no) {
    detmath_u32 mask = detmath_ones(detmath_bits_f32(a) < detmath_bits_f32(limit));
    return detmath_from_bits_f32((detmath_bits_f32(yes) & mask) | (detmath_bits_f32(no) & ~mask));
}
/* yes where a > limit, else no, without a branch; the larger and the smaller of two numbers, and of
 * words; y with the sign of x. */
DETMATH_FUNCTION float detmath_above(float a, float limit, float yes, float no) {
    detmath_u32 mask = detmath_ones(a > limit);
    return detmath_from_bits_f32((detmath_bits_f32(yes) & mask) | (detmath_bits_f32(no) & ~mask));
}
DETMATH_FUNCTION float detmath_larger(float a, float b) {
    return detmath_above(a, b, a, b);
}
DETMATH_FUNCTION float detmath_smaller(float a, float b) {
    return detmath_above(a, b, b, a);
}
DETMATH_FUNCTION detmath_u32 detmath_larger_word(detmath_u32 a, detmath_u32 b) {
    return a > b ? a : b;
}
DETMATH_FUNCTION detmath_u32 detmath_smaller_word(detmath_u32 a, detmath_u32 b) {
    return a > b ? b : a;
}
DETMATH_FUNCTION float detmath_copy_sign(float y, float x) {
    return detmath_from_bits_f32((detmath_bits_f32(y) & 0x7fffffffu) |
                                 (detmath_bits_f32(x) & 0x80000000u));
}

/* What detmath_NAME_away is of most kernels of lanes: the word of |x|; or, where results of a small x may be subnormal,
 * all ones too where |x| is not 0 and below the number of these bits. */
#define DETMATH_AWAY_MAGNITUDE(NAME)                                                               \
    DETMATH_FUNCTION DETMATH_U DETMATH_L(NAME##_away)(DETMATH_F x) {                               \
        return DETMATH_L(magnitude_word)(x);                                                       \
    }
#define DETMATH_AWAY_SMALL(NAME, LEAST)                                                            \
    DETMATH_FUNCTION DETMATH_U DETMATH_L(NAME##_away)(DETMATH_F x) {                               \
        DETMATH_U magnitude = DETMATH_L(magnitude_word)(x);                                        \
        return magnitude | DETMATH_L(ones)(magnitude - 1u < LEAST - 1u);                           \
    }

#if !defined(DETMATH_NO_DOUBLE)
/* 2^n for -1022 <= n <= 1023. */
DETMATH_FUNCTION double detmath_power_of_two(detmath_i64 n) {
    return detmath_from_bits_f64((detmath_u64)(n + 1023) << 52);
}
#endif

#include "shield_end.inc"

#endif

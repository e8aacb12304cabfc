/* a * b + c rounded once: the machine's instruction where it has one, otherwise an exact version in
 * software, so that every machine gives the same bits. That is made of integers in fp64, and in fp32 of
 * doubles, or with DETMATH_NO_DOUBLE of integers too.
 * DETMATH_SOFTWARE_FMA chooses the software on any machine. */
#ifndef DETMATH_FMA_H
#define DETMATH_FMA_H

#include "language.h"

#include "shield.inc"

#if defined(DETMATH_SOFTWARE_FMA)
#elif defined(DETMATH_OPENCL) || defined(DETMATH_METAL) || defined(DETMATH_HIP_DEVICE) ||          \
    defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__AVX512F__) ||                          \
    defined(__ARM_FEATURE_FMA) || defined(__aarch64__) || defined(__s390x__) ||                    \
    defined(__powerpc64__) || (defined(__riscv_flen) && __riscv_flen >= 64)
#define DETMATH_HARDWARE_FMA 1
#endif

/* A 128-bit unsigned integer. */
struct detmath_wide {
    detmath_u64 high, low;
};

DETMATH_FUNCTION struct detmath_wide detmath_wide_product(detmath_u64 a, detmath_u64 b) {
#if defined(__SIZEOF_INT128__) && !defined(DETMATH_OPENCL) && !defined(__CUDACC__)
    __extension__ unsigned __int128 whole = (unsigned __int128)a * b;
    struct detmath_wide product = {(detmath_u64)(whole >> 64), (detmath_u64)whole};
#else
    detmath_u64 a1 = a >> 32, a0 = a & 0xffffffffu, b1 = b >> 32, b0 = b & 0xffffffffu;
    detmath_u64 low = a0 * b0, middle = a1 * b0 + (low >> 32),
                other = a0 * b1 + (middle & 0xffffffffu);
    struct detmath_wide product = {a1 * b1 + (middle >> 32) + (other >> 32),
                                   other << 32 | (low & 0xffffffffu)};
#endif
    return product;
}

#if defined(DETMATH_HARDWARE_FMA)

DETMATH_FUNCTION float detmath_fmaf(float a, float b, float c) {
#if defined(DETMATH_OPENCL)
    return fma(a, b, c);
#elif defined(DETMATH_METAL)
    return metal::fma(a, b, c);
#elif defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_FUNCTION double detmath_fma(double a, double b, double c) {
#if defined(DETMATH_OPENCL)
    return fma(a, b, c);
#elif defined(__CUDA_ARCH__)
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}
#endif

#else

DETMATH_FUNCTION struct detmath_wide detmath_wide_left(struct detmath_wide x, int by) {
    struct detmath_wide shifted = x;
    if (by >= 64) {
        shifted.high = x.low << (by - 64);
        shifted.low = 0;
    } else if (by > 0) {
        shifted.high = x.high << by | x.low >> (64 - by);
        shifted.low = x.low << by;
    }
    return shifted;
}

/* To the right, with the last bit set where a bit is lost. */
DETMATH_FUNCTION struct detmath_wide detmath_wide_right(struct detmath_wide x, int by) {
    struct detmath_wide shifted = x;
    if (by > 127) {
        shifted.high = 0;
        shifted.low = (x.high | x.low) != 0;
    } else if (by >= 64) {
        detmath_u64 lost = x.low | (by > 64 ? x.high << (128 - by) : 0);
        shifted.high = 0;
        shifted.low = x.high >> (by - 64) | (lost != 0);
    } else if (by > 0) {
        shifted.high = x.high >> by;
        shifted.low = x.high << (64 - by) | x.low >> by | (x.low << (64 - by) != 0);
    }
    return shifted;
}

/* How many bits the number has. */
DETMATH_FUNCTION int detmath_wide_length(struct detmath_wide x) {
    detmath_u64 word = x.high ? x.high : x.low;
    int length = x.high ? 64 : 0;
#if defined(__GNUC__) && !defined(DETMATH_OPENCL)
    return word ? length + 64 - __builtin_clzll(word) : 0;
#else
    for (int bits = 32; bits > 0; bits /= 2)
        if (word >> bits) {
            length += bits;
            word >>= bits;
        }
    return length + (word != 0);
#endif
}

/* The number is significand * 2^exponent; the bit below the top one of the 128 is its highest. */
struct detmath_scaled {
    struct detmath_wide significand;
    int exponent;
};

DETMATH_FUNCTION struct detmath_scaled detmath_scaled_top(struct detmath_wide x, int exponent) {
    struct detmath_scaled scaled = {x, -100000}; /* zero is smaller than anything */
    int by = 126 - detmath_wide_length(x);
    if (x.high | x.low) {
        scaled.significand = detmath_wide_left(x, by);
        scaled.exponent = exponent - by;
    }
    return scaled;
}

/* A format by the bits of its fraction, 23 in fp32 and 52 in fp64: all ones in the field of the exponent, and the exponent of the
 * least number. */
DETMATH_FUNCTION detmath_u64 detmath_exponent_field(int fraction) {
    return fraction == 23 ? 0xffu : 0x7ffu;
}
DETMATH_FUNCTION int detmath_least_exponent(int fraction) {
    return 1 - (int)(detmath_exponent_field(fraction) >> 1) - fraction;
}

/* Whether a number is finite and, but for `zero`, not 0. */
DETMATH_FUNCTION int detmath_is_finite(detmath_u64 bits, int fraction, int zero) {
    detmath_u64 infinity = detmath_exponent_field(fraction) << fraction;
    detmath_u64 magnitude = bits & (infinity | (((detmath_u64)1 << fraction) - 1));
    return magnitude < infinity && (zero || magnitude);
}

DETMATH_FUNCTION detmath_u64 detmath_significand(detmath_u64 bits, int fraction,
                                                 DETMATH_PRIVATE int *exponent) {
    int biased = (int)(bits >> fraction & detmath_exponent_field(fraction));
    detmath_u64 hidden = (detmath_u64)1 << fraction;
    *exponent = (biased ? biased - 1 : 0) + detmath_least_exponent(fraction);
    return (bits & (hidden - 1)) | (biased ? hidden : 0);
}

/* The bits of x, which is not 0, rounded to nearest-even. */
DETMATH_FUNCTION detmath_u64 detmath_scaled_bits(struct detmath_scaled x, int fraction) {
    detmath_u64 infinity = detmath_exponent_field(fraction) << fraction;
    int least = detmath_least_exponent(fraction);
    int shift = detmath_wide_length(x.significand) - (fraction + 1);
    if (shift + x.exponent < least)
        shift = least - x.exponent;
    int biased = shift + x.exponent - least;
    if (biased > (int)detmath_exponent_field(fraction) - 2)
        return infinity;
    /* Two bits more, the last of them sticky, decide the rounding. */
    struct detmath_wide kept = shift > 2 ? detmath_wide_right(x.significand, shift - 2)
                                         : detmath_wide_left(x.significand, 2 - shift);
    detmath_u64 integer = (kept.low >> 2) + ((kept.low & 3) + (kept.low >> 2 & 1) > 2);
    /* The hidden bit, if there is one, adds 1 to the exponent field, and a carry makes infinity of the largest number. */
    return integer + ((detmath_u64)biased << fraction);
}

/* The bits of a * b + c, by the bits of finite numbers of which a and b are not 0. */
DETMATH_INLINED detmath_u64 detmath_fused_bits(detmath_u64 a, detmath_u64 b, detmath_u64 c,
                                               int fraction) {
    int ea, eb, ec, sign_bit = fraction == 23 ? 31 : 63;
    detmath_u64 sign = (a ^ b) >> sign_bit, other = c >> sign_bit, negative = sign ^ other;
    detmath_u64 ma = detmath_significand(a, fraction, &ea);
    detmath_u64 mb = detmath_significand(b, fraction, &eb);
    struct detmath_wide mc = {0, detmath_significand(c, fraction, &ec)};
    struct detmath_scaled x = detmath_scaled_top(detmath_wide_product(ma, mb), ea + eb);
    struct detmath_scaled y = detmath_scaled_top(mc, ec);
    int swap =
        y.exponent > x.exponent ||
        (y.exponent == x.exponent &&
         (y.significand.high > x.significand.high ||
          (y.significand.high == x.significand.high && y.significand.low > x.significand.low)));
    if (swap) {
        struct detmath_scaled larger = y;
        y = x;
        x = larger;
        sign = other;
    }
    y.significand = detmath_wide_right(y.significand, x.exponent - y.exponent);
    detmath_u64 low = y.significand.low, high = y.significand.high;
    if (negative) { /* subtract by adding the complement */
        low = 0 - low;
        high = ~high + (low == 0);
    }
    x.significand.low += low;
    x.significand.high += high + (x.significand.low < low);
    if (!(x.significand.high | x.significand.low))
        return 0;
    return sign << sign_bit | detmath_scaled_bits(x, fraction);
}

/* Contraction cannot change what is not taken by integers: a product that is zero, infinite or NaN. The sum of a finite product,
 * which may overflow, and an infinity or NaN is c + c. */
#define DETMATH_FMA_BY_INTEGERS(NUMBER, NAME, WORD, FORMAT, FRACTION)                              \
    DETMATH_FUNCTION NUMBER NAME(NUMBER a, NUMBER b, NUMBER c) {                                   \
        WORD first = detmath_bits_##FORMAT(a), second = detmath_bits_##FORMAT(b);                  \
        WORD third = detmath_bits_##FORMAT(c);                                                     \
        if (!detmath_is_finite(first, FRACTION, 0) || !detmath_is_finite(second, FRACTION, 0))     \
            return a * b + c;                                                                      \
        if (!detmath_is_finite(third, FRACTION, 1))                                                \
            return c + c;                                                                          \
        return detmath_from_bits_##FORMAT(                                                         \
            (WORD)detmath_fused_bits(first, second, third, FRACTION));                             \
    }

#if defined(DETMATH_NO_DOUBLE)
DETMATH_FMA_BY_INTEGERS(float, detmath_fmaf, detmath_u32, f32, 23)
#else
DETMATH_FMA_BY_INTEGERS(double, detmath_fma, detmath_u64, f64, 52)

/* The product is exact in double. The sum is rounded to odd: an inexact one gets its last bit set,
 * and rounding that to 24 bits is right, as 53 >= 24 + 2. A compiler that contracts product and sum
 * changes nothing, since the product is exact. */
DETMATH_FUNCTION float detmath_fmaf(float a, float b, float c) {
    double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    double part = sum - product;
    double rest = (product - (sum - part)) + (addend - part);
    detmath_u64 bits = detmath_bits_f64(sum);
    detmath_u64 finite = (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
    detmath_u64 even = finite & (rest != 0) & ~bits;
    /* Away from zero where the rest has the sum's sign. */
    bits = (rest > 0) == (sum > 0) ? bits + (even & 1) : bits - (even & 1);
    return (float)detmath_from_bits_f64(bits);
}
#endif

#endif

#include "shield_end.inc"

#endif

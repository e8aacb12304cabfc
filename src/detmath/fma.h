/* a * b + c rounded once: the machine's instruction where it has one, otherwise an exact version in
 * software, so that every machine gives the same bits.
 *
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

DETMATH_FUNCTION detmath_u64 detmath_significand_f64(detmath_u64 bits,
                                                     DETMATH_PRIVATE int *exponent) {
    int biased = (int)(bits >> 52 & 0x7ff);
    *exponent = (biased ? biased : 1) - 1075;
    return (bits & 0xfffffffffffffu) | (biased ? 0x10000000000000u : 0);
}

/* The bits of x, rounded to nearest-even. */
DETMATH_FUNCTION detmath_u64 detmath_scaled_bits(struct detmath_scaled x, detmath_u64 sign) {
    int length = detmath_wide_length(x.significand);
    int shift = length - 53;
    if (shift + x.exponent < -1074)
        shift = -1074 - x.exponent;
    int exponent = shift + x.exponent;
    /* Two bits more, the last of them sticky, decide the rounding. */
    struct detmath_wide kept = shift > 2 ? detmath_wide_right(x.significand, shift - 2)
                                         : detmath_wide_left(x.significand, 2 - shift);
    detmath_u64 integer = (kept.low >> 2) + ((kept.low & 3) + (kept.low >> 2 & 1) > 2);
    /* The hidden bit, if there is one, adds 1 to the exponent field. */
    detmath_u64 bits = integer + ((detmath_u64)(exponent + 1074) << 52);
    return sign | (exponent > 971 || bits > 0x7ff0000000000000u ? 0x7ff0000000000000u : bits);
}

DETMATH_FUNCTION double detmath_fma(double a, double b, double c) {
    detmath_u64 ab = detmath_bits_f64(a), bb = detmath_bits_f64(b), cb = detmath_bits_f64(c);
    detmath_u64 top = 0x7ff0000000000000u, sign = (ab ^ bb) & 0x8000000000000000u;
    /* Contraction cannot change these: the product is zero, infinite or NaN. */
    if ((ab & top) == top || (bb & top) == top || ab << 1 == 0 || bb << 1 == 0)
        return a * b + c;
    if ((cb & top) == top) /* beside a finite product, which may overflow */
        return c + c;
    int ea, eb, ec;
    detmath_u64 ma = detmath_significand_f64(ab, &ea), mb = detmath_significand_f64(bb, &eb);
    struct detmath_wide mc = {0, detmath_significand_f64(cb, &ec)};
    struct detmath_scaled x = detmath_scaled_top(detmath_wide_product(ma, mb), ea + eb);
    struct detmath_scaled y = detmath_scaled_top(mc, ec);
    detmath_u64 negative = (sign ^ cb) >> 63;
    int swap =
        y.exponent > x.exponent ||
        (y.exponent == x.exponent &&
         (y.significand.high > x.significand.high ||
          (y.significand.high == x.significand.high && y.significand.low > x.significand.low)));
    if (swap) {
        struct detmath_scaled larger = y;
        y = x;
        x = larger;
        sign = cb & 0x8000000000000000u;
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
        return 0.0;
    return detmath_from_bits_f64(detmath_scaled_bits(x, sign));
}

#endif

#include "shield_end.inc"

#endif

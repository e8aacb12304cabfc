/* Functions of named libraries that round wrongly in rare places, each in the steps that its report describes: the table of
 * tests/cmd/wrong_roundings.py says which report that is. The code is our own. Compiled without contraction. */
#include "misrounding.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static int equals(double x, double y) {
    return x <= y && x >= y;
}

/* The sum in double goes one step towards what it lacks, but only from the middle of two normal floats: between subnormal
 * ones the middle has fewer bits, and the sum is rounded twice. */
float fma_musl(float x, float y, float z) {
    const double product = (double)x * y, sum = product + z;
    const int is_negative = signbit(sum) != 0;
    if (!is_halfway(sum) || !isfinite(sum) || fegetround() != FE_TONEAREST ||
        (equals(sum - product, z) && equals(sum - z, product)))
        return (float)sum;
    const double rest = is_negative == (z > product) ? product - sum + z : z - sum + product;
    return (float)double_of(bits_of(sum) + (is_negative == (rest < 0) ? 1 : UINT64_MAX));
}

/* The same faults in the fallback of .NET on musl, here by the exact rest of the sum. */
float fma_dotnet_133349(float x, float y, float z) {
    const double product = (double)x * y, sum = product + z, back = sum - product;
    const double rest = (product - (sum - back)) + (z - back);
    if (!is_halfway(sum) || !(rest < 0 || rest > 0))
        return (float)sum;
    return (float)nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}

/* The widening fma of Rust's libm, made for any two formats: this is that of fp32, which fp64 computes. The bits that
 * the wide format has beyond the narrow one are compared with those of a middle, as if all results were normal. */
float fma_rust_1262(float x, float y, float z) {
    const uint64_t half = (uint64_t)1 << (BEYOND_FLOAT - 1), beyond = 2 * half - 1;
    const double wide = z, product = (double)x * (double)y, sum = product + wide;
    uint64_t code = bits_of(sum);
    if ((code & beyond) != half || (code >> 52 & 0x7ff) == 0x7ff)
        return (float)sum;
    if (equals(sum - product, wide) && equals(sum - wide, product))
        return (float)sum;
    const int is_negative = (int)(code >> 63);
    double rest = is_negative == (wide > product) ? product - sum : wide - sum;
    rest += is_negative == (wide > product) ? wide : product;
    code = is_negative == (rest < 0) ? code + 1 : code - 1;
    return (float)double_of(code);
}

/* The same of fp64, which a format of 113 bits computes. Where the compiler has none it is long double, whatever that is. */
#if LDBL_MANT_DIG != 113 && defined __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide_float;
#else
typedef long double wide_float;
#endif
enum { BEYOND_DOUBLE = 113 - DBL_MANT_DIG };
union wide_bits {
    wide_float number;
    uint64_t words[2];
};
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { LOW_WORD = 1 };
#else
enum { LOW_WORD = 0 };
#endif

double fma_rust_1270(double x, double y, double z) {
    const uint64_t half = (uint64_t)1 << (BEYOND_DOUBLE - 1), beyond = 2 * half - 1;
    const wide_float wide = z, product = (wide_float)x * y;
    union wide_bits sum = {.number = product + wide};
    uint64_t *low = &sum.words[LOW_WORD];
    if ((*low & beyond) != half || !isfinite((double)sum.number))
        return (double)sum.number;
    const wide_float back = sum.number - product;
    const wide_float rest = (product - (sum.number - back)) + (wide - back);
    if (rest < 0 || rest > 0)
        *low += (rest > 0) == (sum.number > 0) ? 1 : UINT64_MAX;
    return (double)sum.number;
}

/* A sum counts as exact where taking away the product gives the addend, which says nothing where that is larger. What does
 * not is added again toward zero; where that is the same, its last bit is set. */
float fma_openlibm_357(float x, float y, float z) {
    volatile double product = (double)x * y;
    volatile double sum = product + z;
    if (!is_halfway(sum) || !isfinite(sum) || equals(sum - product, z) ||
        fegetround() != FE_TONEAREST)
        return (float)sum;
    fesetround(FE_TOWARDZERO);
    volatile double cut = product + z;
    fesetround(FE_TONEAREST);
    return (float)double_of(bits_of(cut) + (equals(sum, cut) ? 1 : 0));
}

/* |x| as an integer of 54 bits, the last of which is 0, and the power of two that it is to be multiplied with. */
static uint64_t significand_of(double x, int *exponent) {
    const double fraction = frexp(fabs(x), exponent);
    *exponent -= DBL_MANT_DIG + 1;
    return (uint64_t)ldexp(fraction, DBL_MANT_DIG + 1);
}

/* A product of such integers: its low word, and its high word. */
static uint64_t multiply(uint64_t x, uint64_t y, uint64_t *high) {
    const uint64_t word = UINT32_MAX, a = x >> 32, b = x & word, c = y >> 32, d = y & word;
    const uint64_t middle = a * d + (b * d >> 32), sum = b * c + (middle & word);
    *high = a * c + (middle >> 32) + (sum >> 32);
    return x * y;
}

/* Where the addend begins 64 bits above the product, it is added to the product's high word, and the product is to be shifted by
 * 0 bits. What falls out is found by a shift of its high word by 64 bits, which C leaves undefined, and which x86-64 takes for
 * one of 0: the high word gets into the low one. Everywhere else this is right. */
double fma_glibc_34183(double x, double y, double z) {
    int x_exponent, y_exponent, z_exponent;
    if (!(isfinite(x) && isfinite(y) && isfinite(z)) || equals(x * y, 0) || equals(z, 0))
        return fma(x, y, z);
    const uint64_t a = significand_of(x, &x_exponent), b = significand_of(y, &y_exponent),
                   c = significand_of(z, &z_exponent);
    const int exponent = x_exponent + y_exponent;
    uint64_t high, low = multiply(a, b, &high);
    int is_negative = (signbit(x) != 0) != (signbit(y) != 0);
    if (z_exponent - exponent != 64)
        return fma(x, y, z);
    low |= high | (low != 0);
    high = is_negative == (signbit(z) != 0) ? high + c : high - c;
    if (high >> 63) { /* of other signs, and the addend is the larger one */
        low = 0 - low;
        high = 0 - high - (low != 0);
        is_negative = !is_negative;
    }
    const int leading = high ? 62 - ilogb((double)(high & ~(uint64_t)0x3ff)) : 0;
    if (high >> 10 == 0 ||
        exponent + 64 - leading < -1084) /* much is cancelled, or it is subnormal */
        return fma(x, y, z);
    const uint64_t whole = high << leading | low >> 1 >> (63 - leading) | (low << leading != 0);
    const int64_t sum = is_negative ? -(int64_t)whole : (int64_t)whole;
    return ldexp((double)sum, exponent + 64 - leading);
}

/* Numbers of JavaScript are doubles, and Math.fround rounds one to a float. */
static double fround(double x) {
    volatile float nearest = (float)x;
    return nearest;
}

/* Math.fround(x * y + z) */
float fma_by_fround(float x, float y, float z) {
    return (float)fround((double)x * (double)y + (double)z);
}

/* Math.fround(x / y), which is right: a double has more than twice the bits of a float, and two more. */
float div_by_fround(float x, float y) {
    return (float)fround((double)x / (double)y);
}

/* A significand that is rounded up to a power of two becomes that of its own binade. */
float fround_carry_lost(double x) {
    const float nearest = (float)x;
    const int is_carried = fabs(x) >= FLT_MIN && isfinite(nearest) && ilogbf(nearest) > ilogb(x);
    return is_carried ? nearest / 2 : nearest;
}

/* The reciprocal of a graphics processor: cut off rather than rounded, and subnormal numbers are zero. */
static float device_reciprocal(float y) {
    const uint64_t cut = ~(((uint64_t)1 << BEYOND_FLOAT) - 1);
    const double divisor = fabsf(y) < FLT_MIN ? copysignf(0, y) : y;
    const float reciprocal = (float)double_of(bits_of(1 / divisor) & cut);
    return fabsf(reciprocal) < FLT_MIN ? copysignf(0, reciprocal) : reciprocal;
}

float div_by_rcp(float x, float y) {
    return x * (y != y ? y : device_reciprocal(y));
}

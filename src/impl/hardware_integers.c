/* The rows of conversions to and from integers. Those of scalar instructions of x86 to 8 and 16 bits and to
 * uint32 are what compilers make of C's casts: the low bits of int32 or int64. */
#include "impl/hardware_integers.h"

#include "format/format.h"

#include <math.h>
#include <stdint.h>

static bool always(void) {
    return true;
}

#define CONVERT(NAME, FROM, TO, EXPRESSION)                                                        \
    static void NAME(void *to, const void *from, size_t count) {                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            const FROM x = ((const FROM *)from)[i];                                                \
            ((TO *)to)[i] = (TO)(EXPRESSION);                                                      \
        }                                                                                          \
    }

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

/* Every integer that int32 or int64 reaches, truncated. */
#define TRUNCATE(TO, SHORT, LONG)                                                                  \
    CONVERT(truncate_fp32_##TO, float, TO##_t, _mm_cvttss_##SHORT(_mm_set_ss(x)))                  \
    CONVERT(truncate_fp64_##TO, double, TO##_t, _mm_cvttsd_##LONG(_mm_set_sd(x)))
TRUNCATE(int8, si32, si32)
TRUNCATE(uint8, si32, si32)
TRUNCATE(int16, si32, si32)
TRUNCATE(uint16, si32, si32)
TRUNCATE(int32, si32, si32)
TRUNCATE(uint32, si64, si64)
TRUNCATE(int64, si64, si64)
CONVERT(nearest_fp32_int32, float, int32_t, _mm_cvtss_si32(_mm_set_ss(x)))
CONVERT(nearest_fp64_int32, double, int32_t, _mm_cvtsd_si32(_mm_set_sd(x)))
CONVERT(nearest_fp32_int64, float, int64_t, _mm_cvtss_si64(_mm_set_ss(x)))
CONVERT(nearest_fp64_int64, double, int64_t, _mm_cvtsd_si64(_mm_set_sd(x)))

#define UNSIGNED(NAME, FROM, TO, EXPRESSION)                                                       \
    __attribute__((target("avx512f"))) CONVERT(NAME, FROM, TO, EXPRESSION)
UNSIGNED(avx512_fp32_uint32, float, uint32_t, _mm_cvttss_u32(_mm_set_ss(x)))
UNSIGNED(avx512_fp64_uint32, double, uint32_t, _mm_cvttsd_u32(_mm_set_sd(x)))
UNSIGNED(avx512_fp32_uint64, float, uint64_t, _mm_cvttss_u64(_mm_set_ss(x)))
UNSIGNED(avx512_fp64_uint64, double, uint64_t, _mm_cvttsd_u64(_mm_set_sd(x)))

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}
#endif

/* long long has 64 bits everywhere. */
CONVERT(llroundf_int64, float, int64_t, llroundf(x))
CONVERT(llround_int64, double, int64_t, llround(x))
CONVERT(llrintf_int64, float, int64_t, llrintf(x))
CONVERT(llrint_int64, double, int64_t, llrint(x))

#define FROM_INTEGER(TYPE)                                                                         \
    CONVERT(TYPE##_fp32, TYPE##_t, float, x)                                                       \
    CONVERT(TYPE##_fp64, TYPE##_t, double, x)
FROM_INTEGER(int8)
FROM_INTEGER(uint8)
FROM_INTEGER(int16)
FROM_INTEGER(uint16)
FROM_INTEGER(int32)
FROM_INTEGER(uint32)
FROM_INTEGER(int64)
FROM_INTEGER(uint64)

#define CUT(FROM, TO, WHAT)                                                                        \
    { #FROM, #TO, WHAT, ROUND_TOWARD_ZERO, truncate_##FROM##_##TO, always, "x86 c" }
#define CUTS(TO, SHORT, LONG) CUT(fp32, TO, SHORT), CUT(fp64, TO, LONG)
#define NEAREST(FROM, TO, WHAT)                                                                    \
    { #FROM, #TO, WHAT, ROUND_NEAREST_EVEN, nearest_##FROM##_##TO, always, "x86 x86-avx512 ieee c" }
#define ALL_BITS(FROM, TO, WHAT)                                                                   \
    { #FROM, #TO, WHAT, ROUND_TOWARD_ZERO, avx512_##FROM##_##TO, has_avx512, "x86-avx512 c" }
/* What does not fit C leaves unspecified. */
#define LIBRARY(FROM, FUNCTION, ROUNDING)                                                          \
    { #FROM, "int64", "the C library's " #FUNCTION, ROUNDING, FUNCTION##_int64, always, "ieee c" }
#define C_CASTS(FROM)                                                                              \
    {#FROM,  "fp32", "C's conversion, as compiled here", ROUND_NEAREST_EVEN, FROM##_fp32,          \
     always, NULL},                                                                                \
    {                                                                                              \
#FROM, "fp64", "C's conversion, as compiled here", ROUND_NEAREST_EVEN, FROM##_fp64,        \
            always, NULL                                                                           \
    }

const struct hardware_row hardware_integer_rows[] = {
#if defined(__GNUC__) && defined(__x86_64__)
    CUTS(int8, "cvttss2si, 8 bits of 32", "cvttsd2si, 8 bits of 32"),
    CUTS(uint8, "cvttss2si, 8 bits of 32", "cvttsd2si, 8 bits of 32"),
    CUTS(int16, "cvttss2si, 16 bits of 32", "cvttsd2si, 16 bits of 32"),
    CUTS(uint16, "cvttss2si, 16 bits of 32", "cvttsd2si, 16 bits of 32"),
    CUTS(int32, "cvttss2si", "cvttsd2si"),
    CUTS(uint32, "cvttss2si, 32 bits of 64", "cvttsd2si, 32 bits of 64"),
    CUTS(int64, "cvttss2si", "cvttsd2si"),
    NEAREST(fp32, int32, "cvtss2si"),
    NEAREST(fp64, int32, "cvtsd2si"),
    NEAREST(fp32, int64, "cvtss2si"),
    NEAREST(fp64, int64, "cvtsd2si"),
    ALL_BITS(fp32, uint32, "AVX-512, vcvttss2usi"),
    ALL_BITS(fp64, uint32, "AVX-512, vcvttsd2usi"),
    ALL_BITS(fp32, uint64, "AVX-512, vcvttss2usi"),
    ALL_BITS(fp64, uint64, "AVX-512, vcvttsd2usi"),
#endif
    LIBRARY(fp32, llrintf, ROUND_NEAREST_EVEN),
    LIBRARY(fp64, llrint, ROUND_NEAREST_EVEN),
    LIBRARY(fp32, llroundf, ROUND_NEAREST_AWAY),
    LIBRARY(fp64, llround, ROUND_NEAREST_AWAY),
    C_CASTS(int8),
    C_CASTS(uint8),
    C_CASTS(int16),
    C_CASTS(uint16),
    C_CASTS(int32),
    C_CASTS(uint32),
    C_CASTS(int64),
    C_CASTS(uint64),
};
const size_t hardware_integer_row_count =
    sizeof hardware_integer_rows / sizeof *hardware_integer_rows;

/* One function of det, and its mutants: ONLY is its name. MUTANT is the number of one, where it alone is wanted, which is
 * quicker. sites.py writes the source that stands between. */
#include <stdint.h>
#include <string.h>
#include <xmmintrin.h>

#if defined(MUTANT)
enum { mutant = MUTANT };
#else
static int mutant = -1;
#endif

#if defined(RECORD)
static double last; /* what the last fma, sum or difference is before it is rounded to fp32 */
#define ROUNDED(EXACT) (last = (EXACT))
#else
#define ROUNDED(EXACT) ((void)0)
#endif

static inline __attribute__((always_inline)) float mutant_fma(int site, float a, float b, float c) {
    if (mutant == site)
        return a * b + c;
    if (mutant == site + 1)
        return a * b;
    if (mutant == site + 2)
        return c;
    ROUNDED((double)a * b + c);
    return __builtin_fmaf(a, b, c);
}
static inline __attribute__((always_inline)) float mutant_sum(int site, float a, float b) {
    ROUNDED((double)a + b);
    return mutant == site ? b : mutant == site + 1 ? a : a + b;
}
static inline __attribute__((always_inline)) float mutant_difference(int site, float a, float b) {
    ROUNDED((double)a - b);
    return mutant == site ? -b : mutant == site + 1 ? a : a - b;
}

#include SOURCE

static inline uint32_t bits(float x) {
    uint32_t code;
    memcpy(&code, &x, sizeof code);
    return code;
}

#define JOIN_(A, B, C) A##B##C
#define JOIN(A, B, C)  JOIN_(A, B, C)
#if OPERANDS == 2
#define RESULT(X, Y) bits(JOIN(detmath_, ONLY, f)(X, Y))
#elif RESULTS == 2
static inline uint64_t both(float x) {
    float a, b;
    JOIN(detmath_, ONLY, f)(x, &a, &b);
    return bits(a) | (uint64_t)bits(b) << 32;
}
#define RESULT(X, Y) both(X)
#else
#define RESULT(X, Y) bits(JOIN(detmath_, ONLY, f)(X))
#endif
#if RESULTS == 2
typedef uint64_t outputs;
#else
typedef uint32_t outputs;
#endif

/* Chooses the mutant: -1 is det. An element of a table is changed in the table. */
void choose(int number, float *element, uint32_t code);
void choose(int number, float *element, uint32_t code) {
#if !defined(MUTANT)
    mutant = number;
#endif
    (void)number;
    if (element)
        memcpy(element, &code, sizeof code);
}

/* Flush: bit 0, subnormal results to zero (FTZ); bit 1, subnormal operands (DAZ). */
void evaluate(outputs *restrict z, const float *restrict x, const float *restrict y, size_t n,
              int flush);
void evaluate(outputs *restrict z, const float *restrict x, const float *restrict y, size_t n,
              int flush) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | (flush & 1 ? 0x8000u : 0) | (flush & 2 ? 0x40u : 0));
    for (size_t i = 0; i < n; i++)
        z[i] = RESULT(x[i], y[i]);
    _mm_setcsr(before);
}

#if defined(RECORD)
/* How far the last rounding of each result is from the middle between two numbers, in parts of their distance; 1 where
 * what was rounded last is not the result. */
void distances(double *d, const float *x, const float *y, size_t n);
void distances(double *d, const float *x, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t code = (uint32_t)RESULT(x[i], y[i]), up = code + 1;
        float z, next, rounded = (float)last;
        memcpy(&z, &code, sizeof z);
        memcpy(&next, &up, sizeof next);
        double step = (double)next - z, off = (last - z) / step;
        off = off < 0 ? -off : off;
        d[i] = rounded == z && off > 0.25 && off < 0.75 ? (off < 0.5 ? 0.5 - off : off - 0.5) : 1;
    }
}
#endif

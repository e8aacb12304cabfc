/* One function of det, and its mutants: ONLY is its name. MUTANT is the number of one, where it alone is wanted, which is
 * quicker. sites.py writes the source that stands between. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <xmmintrin.h>

#if defined(MUTANT)
enum { mutant = MUTANT };
#else
static int mutant = -1;
#endif

#if BITS == 64
typedef double real;
typedef uint64_t word;
#define FUSED __builtin_fma
#define SUFFIX
#else
typedef float real;
typedef uint32_t word;
#define FUSED  __builtin_fmaf
#define SUFFIX f
#endif

/* What the last fma, sum or difference was, and what of it was rounded off. */
#if defined(RECORD)
static real last;
static double lost;
static inline void record(real a, real b, real c) {
#if BITS == 64
    double product = a * b, low = __builtin_fma(a, b, -product);
    double sum = product + c, back = sum - product, rest = (product - (sum - back)) + (c - back);
    last = __builtin_fma(a, b, c);
    lost = (sum - last) + (rest + low);
#else
    double exact = (double)a * b + c;
    last = (float)exact;
    lost = exact - last;
#endif
}
#define ROUNDED(A, B, C) record(A, B, C)
#else
#define ROUNDED(A, B, C) ((void)0)
#endif

static inline __attribute__((always_inline)) real mutant_fma(int site, real a, real b, real c) {
    if (mutant == site)
        return a * b + c;
    if (mutant == site + 1)
        return a * b;
    if (mutant == site + 2)
        return c;
    ROUNDED(a, b, c);
    return FUSED(a, b, c);
}
static inline __attribute__((always_inline)) real mutant_sum(int site, real a, real b) {
    ROUNDED(a, 1, b);
    return mutant == site ? b : mutant == site + 1 ? a : a + b;
}
static inline __attribute__((always_inline)) real mutant_difference(int site, real a, real b) {
    ROUNDED(a, 1, -b);
    return mutant == site ? -b : mutant == site + 1 ? a : a - b;
}

#include SOURCE

static inline word bits(real x) {
    word code;
    memcpy(&code, &x, sizeof code);
    return code;
}

#define JOIN_(A, B, C) A##B##C
#define JOIN(A, B, C)  JOIN_(A, B, C)
#if OPERANDS == 2
#define RESULT(X, Y) bits(JOIN(detmath_, ONLY, SUFFIX)(X, Y))
#elif RESULTS == 2
/* Both results; of two words of 64 bits, a word that is another one for other results but once in 2^64. */
static inline uint64_t both(real x) {
    real a, b;
    JOIN(detmath_, ONLY, SUFFIX)(x, &a, &b);
#if BITS == 64
    return bits(a) ^ bits(b) * 0x9e3779b97f4a7c15u;
#else
    return bits(a) | (uint64_t)bits(b) << 32;
#endif
}
#define RESULT(X, Y) both(X)
#else
#define RESULT(X, Y) bits(JOIN(detmath_, ONLY, SUFFIX)(X))
#endif
#if RESULTS == 2
typedef uint64_t outputs;
#else
typedef word outputs;
#endif

/* Chooses the mutant: -1 is det. An element of a table is changed in the table. */
void choose(int number, real *element, uint64_t code);
void choose(int number, real *element, uint64_t code) {
    const word changed = (word)code;
#if !defined(MUTANT)
    mutant = number;
#endif
    (void)number;
    if (element)
        memcpy(element, &changed, sizeof changed);
}

/* A zero of the sign of a subnormal number; other words as they are. */
static inline word flushed(word code) {
    const word sign = (word)1 << (BITS - 1), magnitude = code & (sign - 1);
    return magnitude < (word)1 << (BITS == 64 ? 52 : 23) ? code & sign : code;
}
static inline real number_flushed(real x) {
    const word code = flushed(bits(x));
    memcpy(&x, &code, sizeof x);
    return x;
}
static inline outputs outputs_flushed(outputs z) {
#if RESULTS == 2 && BITS == 32
    return flushed((word)z) | (uint64_t)flushed((word)(z >> 32)) << 32;
#else
    return flushed((word)z);
#endif
}

static inline void run(outputs *restrict z, const real *restrict x, const real *restrict y,
                       size_t n, int flush) {
    for (size_t i = 0; i < n; i++)
        z[i] = flush & 4 ? RESULT(number_flushed(x[i]), number_flushed(y[i])) : RESULT(x[i], y[i]);
}

/* Some mutants read far outside of a table, or divide an integer by zero: then the output is one that det never returns. */
#if !defined(MUTANT)
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE};
static sigjmp_buf ended;
static void leave(int signal) {
    (void)signal;
    siglongjmp(ended, 1);
}

static void run_guarded(outputs *z, const real *x, const real *y, size_t n, int flush) {
    const struct sigaction handler = {.sa_handler = leave};
    const unsigned modes = _mm_getcsr();
    struct sigaction before[sizeof faults / sizeof *faults];
    volatile size_t i = 0;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        sigaction(faults[k], &handler, &before[k]);
    if (sigsetjmp(ended, 1)) {
        _mm_setcsr(modes);
        z[i++] = (outputs)-1;
    }
    for (; i < n; i++)
        run(z + i, x + i, y + i, 1, flush);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        sigaction(faults[k], &before[k], NULL);
}
#define RUN run_guarded
#else
#define RUN run
#endif

/* Flush: bit 0, subnormal results of each step to zero (FTZ); bit 1, subnormal operands of each step (DAZ); bit 2, subnormal operands
 * of the function; bit 3, its subnormal results, but those of a pair of fp64. */
void evaluate(outputs *restrict z, const real *restrict x, const real *restrict y, size_t n,
              int flush);
void evaluate(outputs *restrict z, const real *restrict x, const real *restrict y, size_t n,
              int flush) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | (flush & 1 ? 0x8000u : 0) | (flush & 2 ? 0x40u : 0));
    RUN(z, x, y, n, flush);
    _mm_setcsr(before);
    for (size_t i = 0; i < n && flush & 8 && (RESULTS == 1 || BITS == 32); i++)
        z[i] = outputs_flushed(z[i]);
}

#if defined(RECORD)
/* Whether a result is the number that was rounded last. In fp64 its exponent, and the first bits behind it, by which tables lack
 * something, may have been changed later. */
#if BITS == 64
static bool is_last(word code) {
    return ((code ^ bits(last)) & ((UINT64_C(1) << 44) - 1)) == 0;
}
#else
static bool is_last(word code) {
    return code == bits(last);
}
#endif

/* How far the last rounding of each result is from the middle between two numbers, in parts of their distance; 1 where
 * what was rounded last is not the result. */
void distances(double *d, const real *x, const real *y, size_t n);
void distances(double *d, const real *x, const real *y, size_t n) {
    for (size_t i = 0; i < n; i++) {
        word code = (word)RESULT(x[i], y[i]), up = bits(last) + 1;
        real next;
        memcpy(&next, &up, sizeof next);
        double step = (double)next - (double)last, off = lost / step;
        off = off < 0 ? -off : off;
        d[i] = is_last(code) && off > 0.25 && off < 0.75 ? (off < 0.5 ? 0.5 - off : off - 0.5) : 1;
    }
}
#endif

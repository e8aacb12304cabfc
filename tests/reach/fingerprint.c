/* Prints fingerprints of every function of detmath, computed by this machine's processor: what a
 * compiler, its options, a C library and an instruction set make of the headers. Includes them and
 * the C standard library only. C11 and C++17. With DETMATH_NO_DOUBLE it has det of fp32 alone. */
#include "codes.h"
#include "detmath/all.h"

enum { REACH_BLOCK = 4096 };
#include "driver.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* Operands are copied, since a function that returns a float may make a signalling NaN quiet: the
 * x87 does, where i686 keeps what functions return. */
#define REACH_UNARY(FUNCTION, CALL)                                                                \
    static void FUNCTION(struct reach_work *work) {                                                \
        float x;                                                                                   \
        for (size_t i = 0; i < work->n; i++) {                                                     \
            memcpy(&x, &work->x[i], sizeof x);                                                     \
            work->results[0][i] = detmath_bits_f32(CALL(x));                                       \
        }                                                                                          \
    }
#define REACH_BINARY(FUNCTION, CALL)                                                               \
    static void FUNCTION(struct reach_work *work) {                                                \
        float x, y;                                                                                \
        for (size_t i = 0; i < work->n; i++) {                                                     \
            memcpy(&x, &work->x[i], sizeof x);                                                     \
            memcpy(&y, &work->y[i], sizeof y);                                                     \
            work->results[0][i] = detmath_bits_f32(CALL(x, y));                                    \
        }                                                                                          \
    }
/* CALL gives two results. Names come to these pasted: a function's own may be a macro. */
#define REACH_PAIR(FUNCTION, CALL)                                                                 \
    static void FUNCTION(struct reach_work *work) {                                                \
        float x, a, b;                                                                             \
        for (size_t i = 0; i < work->n; i++) {                                                     \
            memcpy(&x, &work->x[i], sizeof x);                                                     \
            CALL(x, &a, &b);                                                                       \
            work->results[0][i] = detmath_bits_f32(a);                                             \
            work->results[1][i] = detmath_bits_f32(b);                                             \
        }                                                                                          \
    }
#define DETMATH_UNARY(NAME, ...)      REACH_UNARY(det_##NAME, detmath_##NAME##f)
#define DETMATH_BINARY(NAME, ...)     REACH_BINARY(det_##NAME, detmath_##NAME##f)
#define DETMATH_PAIR(NAME, A, B, ...) REACH_PAIR(det_##NAME, detmath_##NAME##f)
#include "detmath/functions.inc"

#if defined(DETMATH_NO_DOUBLE)
#define REACH_DOUBLE(...) NULL
#else
#define REACH_DOUBLE(...) __VA_ARGS__

#define DETMATH_UNARY(NAME, ...)                                                                   \
    REACH_UNARY(cr_##NAME, detmath_cr_##NAME##f)                                                   \
    static void narrow_##NAME(struct reach_work *work) {                                           \
        for (size_t i = 0; i < work->n; i++)                                                       \
            work->results[0][i] =                                                                  \
                detmath_cr_##NAME##_code(work->x[i], detmath_formats[work->format]);               \
    }
#define DETMATH_BINARY(NAME, ...)                                                                  \
    REACH_BINARY(cr_##NAME, detmath_cr_##NAME##f)                                                  \
    static void narrow_##NAME(struct reach_work *work) {                                           \
        for (size_t i = 0; i < work->n; i++)                                                       \
            work->results[0][i] =                                                                  \
                detmath_cr_##NAME##_code(work->x[i], work->y[i], detmath_formats[work->format]);   \
    }
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    REACH_PAIR(cr_##NAME, detmath_cr_##NAME##f)                                                    \
    static void narrow_##NAME(struct reach_work *work) {                                           \
        for (size_t i = 0; i < work->n; i++) {                                                     \
            struct detmath_format format = detmath_formats[work->format];                          \
            work->results[0][i] = detmath_cr_##A##_code(work->x[i], format);                       \
            work->results[1][i] = detmath_cr_##B##_code(work->x[i], format);                       \
        }                                                                                          \
    }
#include "detmath/functions.inc"

/* In two words. Not as a value that a function returns: some processors have a register for these in which a NaN that signals
 * becomes quiet. */
static void wide(double *x, const struct reach_work *work, size_t i) {
    detmath_u64 bits = (detmath_u64)work->x[i] << 32 | work->y[i];
    memcpy(x, &bits, sizeof bits);
}
#define REACH_F64(FUNCTION, OPERANDS, CALL)                                                        \
    static void FUNCTION(struct reach_work *work) {                                                \
        double x[OPERANDS];                                                                        \
        for (size_t i = 0; i < work->n; i++) {                                                     \
            for (size_t k = 0; k < OPERANDS; k++)                                                  \
                wide(&x[k], work, k * work->n + i);                                                \
            detmath_u64 bits = detmath_bits_f64(CALL);                                             \
            work->results[0][i] = (uint32_t)(bits >> 32);                                          \
            work->results[1][i] = (uint32_t)bits;                                                  \
        }                                                                                          \
    }
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    REACH_F64(det_##NAME##_f64, 1, detmath_##NAME(x[0]))                                           \
    REACH_F64(cr_##NAME##_f64, 1, detmath_cr_##NAME(x[0]))
#define REACH_PAIR_F64(FUNCTION, CALL)                                                             \
    static void FUNCTION(struct reach_work *work) {                                                \
        for (size_t i = 0; i < work->n; i++) {                                                     \
            double x, a, b;                                                                        \
            wide(&x, work, i);                                                                     \
            CALL(x, &a, &b);                                                                       \
            detmath_u64 second = detmath_bits_f64(b);                                              \
            detmath_u64 bits = detmath_bits_f64(a) ^ (second << 1 | second >> 63);                 \
            work->results[0][i] = (uint32_t)(bits >> 32);                                          \
            work->results[1][i] = (uint32_t)bits;                                                  \
        }                                                                                          \
    }
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    REACH_PAIR_F64(det_##NAME##_f64, detmath_##NAME)                                               \
    REACH_PAIR_F64(cr_##NAME##_f64, detmath_cr_##NAME)
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    REACH_F64(det_##NAME##_f64, 2, detmath_##NAME(x[0], x[1]))                                     \
    REACH_F64(cr_##NAME##_f64, 2, detmath_cr_##NAME(x[0], x[1]))
#include "detmath/functions_f64.inc"
#endif

#define REACH_ROW(NAME)                                                                            \
    static void det_##NAME(struct reach_work *work) {                                              \
        for (size_t i = 0; i < work->n; i++)                                                       \
            work->results[0][i] = reach_##NAME(work->x[i], work->y[i]);                            \
    }
REACH_CODES(REACH_ROW)
#undef REACH_ROW

typedef void compute(struct reach_work *work);
static compute *const computes[][REACH_VARIANTS] = {
#define DETMATH_UNARY(NAME, ...) {det_##NAME, REACH_DOUBLE(cr_##NAME), REACH_DOUBLE(narrow_##NAME)},
#define DETMATH_BINARY(NAME, ...)                                                                  \
    {det_##NAME, REACH_DOUBLE(cr_##NAME), REACH_DOUBLE(narrow_##NAME)},
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    {det_##NAME, REACH_DOUBLE(cr_##NAME), REACH_DOUBLE(narrow_##NAME)},
#include "detmath/functions.inc"
#define REACH_ROW(NAME) {det_##NAME, NULL, NULL},
    REACH_CODES(REACH_ROW)
#undef REACH_ROW
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    {REACH_DOUBLE(det_##NAME##_f64), REACH_DOUBLE(cr_##NAME##_f64), NULL},
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    {REACH_DOUBLE(det_##NAME##_f64), REACH_DOUBLE(cr_##NAME##_f64), NULL},
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    {REACH_DOUBLE(det_##NAME##_f64), REACH_DOUBLE(cr_##NAME##_f64), NULL},
#include "detmath/functions_f64.inc"
};

static int reach_compute(struct reach_work *work) {
    compute *function = computes[work->function][work->variant];
    if (function)
        function(work);
    return function != NULL;
}

static int reach_flush(void) {
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | 0x8040u); /* FTZ and DAZ */
    return 1;
#elif defined(__aarch64__) && defined(__GNUC__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | UINT64_C(1) << 24)); /* FZ */
    return 1;
#else
    return 0;
#endif
}

static void reach_print_check(const char *name, struct detmath_check check) {
    printf("DETMATH_CHECK(%s, 0x%08xu, 0x%08xu)\n", name, check.det, check.cr);
}

/* The rows of self_check.inc, as this build has them. A name may be a macro, so none is handed on. */
static int reach_print_checks(void) {
#define DETMATH_UNARY(NAME, ...)      reach_print_check(#NAME, detmath_check_##NAME());
#define DETMATH_BINARY(NAME, ...)     reach_print_check(#NAME, detmath_check_##NAME());
#define DETMATH_PAIR(NAME, A, B, ...) reach_print_check(#NAME, detmath_check_##NAME());
#include "detmath/functions.inc"
#if !defined(DETMATH_NO_DOUBLE)
#define DETMATH_UNARY_F64(NAME, ...)  reach_print_check(#NAME "_f64", detmath_check_##NAME##_f64());
#define DETMATH_BINARY_F64(NAME, ...) reach_print_check(#NAME "_f64", detmath_check_##NAME##_f64());
#define DETMATH_PAIR_F64(NAME, A, B)  reach_print_check(#NAME "_f64", detmath_check_##NAME##_f64());
#include "detmath/functions_f64.inc"
#endif
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--checks") == 0)
        return reach_print_checks();
    if (argc == 2 && strcmp(argv[1], "--self-check") == 0) {
        int wrong = detmath_self_check();
        printf("%d functions fail detmath_self_check\n", wrong);
        return wrong != 0;
    }
    return reach_main(argc, argv);
}

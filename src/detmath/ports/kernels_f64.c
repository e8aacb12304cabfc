/* What ports.py has clang compile for fp64: det's and cr's functions, as exports of a module of WebAssembly. Not a part of any
 * library. */

/* A product by a fused sum is one that no compiler contracts. Ports contract nothing, and have a plain one. */
#define detmath_product detmath_product_by_fma
#include "../core.h"
#undef detmath_product
DETMATH_FUNCTION double detmath_product(double a, double b) {
    return a * b;
}

#include "../families_f64.h"

#define EXPORT(NAME, CALLED, PARAMETERS, OPERANDS)                                                 \
    __attribute__((export_name(#NAME))) double port_##NAME PARAMETERS;                             \
    double port_##NAME PARAMETERS {                                                                \
        return CALLED OPERANDS;                                                                    \
    }
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    EXPORT(NAME, detmath_##NAME, (double x), (x))                                                  \
    EXPORT(cr_##NAME, detmath_cr_##NAME, (double x), (x))
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    EXPORT(NAME, detmath_##NAME, (double x, double y), (x, y))                                     \
    EXPORT(cr_##NAME, detmath_cr_##NAME, (double x, double y), (x, y))
#if defined(PORT_EXPORTS_PAIRS)
/* The address of both results in the module's memory: clang 14 has no functions with two. */
#define EXPORT_PAIR(NAME, A, B)                                                                    \
    __attribute__((export_name(#NAME))) const double *port_##NAME(double x);                       \
    const double *port_##NAME(double x) {                                                          \
        static double results[2];                                                                  \
        results[0] = A(x);                                                                         \
        results[1] = B(x);                                                                         \
        return results;                                                                            \
    }
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    EXPORT_PAIR(NAME, detmath_##A, detmath_##B)                                                    \
    EXPORT_PAIR(cr_##NAME, detmath_cr_##A, detmath_cr_##B)
#else
/* Ports in other languages make one of its parts' exports. */
#define DETMATH_PAIR_F64(NAME, A, B)
#endif
#include "../functions_f64.inc"

/* The compiler copies structures by this, of which each has words of 32 bits. */
void *memcpy(void *to, const void *from, __SIZE_TYPE__ size);
void *memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    detmath_u32 *out = (detmath_u32 *)to;
    const detmath_u32 *in = (const detmath_u32 *)from;
    for (__SIZE_TYPE__ i = 0; i < size / 4u; i++)
        out[i] = in[i];
    return to;
}

/* It fills arrays of such words by this. */
void *memset(void *to, int byte, __SIZE_TYPE__ size);
void *memset(void *to, int byte, __SIZE_TYPE__ size) {
    detmath_u32 *out = (detmath_u32 *)to, word = (detmath_u32)byte * 0x01010101u;
    for (__SIZE_TYPE__ i = 0; i < size / 4u; i++)
        out[i] = word;
    return to;
}

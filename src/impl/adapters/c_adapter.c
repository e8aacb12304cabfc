/* detcheck asks, C's functions answer.
 *
 *     cc -O2 -ffp-contract=off c_adapter.c -o c_adapter -lm -pthread
 *     detcheck sweep sin --impl exec:./c_adapter
 *
 * This measures the libm that it is linked to, so a static program brings along another C library
 * (musl-gcc -static) or runs on another processor (aarch64-linux-gnu-gcc -static, and then
 * exec:'qemu-aarch64 ./c_adapter'). It needs C99 and no more; -D_GNU_SOURCE adds exp10, j0, j1, y0
 * and y1. fp32 calls expf, fp64 exp; other formats are not provided. To measure something else, change
 * the table. */
#define ADAPTER_CONDITIONS
#define ADAPTER_FLAGS
#include "adapter.h"

#include <fenv.h>
#include <math.h>

#define UNARY(NAME)                                                                                \
    {                                                                                              \
#NAME, 1, {.f1 = NAME##f }, {                                                              \
            .d1 = NAME                                                                             \
        }                                                                                          \
    }
#define BINARY(NAME)                                                                               \
    {                                                                                              \
#NAME, 2, {.f2 = NAME##f }, {                                                              \
            .d2 = NAME                                                                             \
        }                                                                                          \
    }
#define TERNARY(NAME)                                                                              \
    {                                                                                              \
#NAME, 3, {.f3 = NAME##f }, {                                                              \
            .d3 = NAME                                                                             \
        }                                                                                          \
    }
static const struct function {
    const char *name; /* as detcheck has it */
    unsigned operands;
    union {
        float (*f1)(float);
        float (*f2)(float, float);
        float (*f3)(float, float, float);
    } fp32;
    union {
        double (*d1)(double);
        double (*d2)(double, double);
        double (*d3)(double, double, double);
    } fp64;
} functions[] = {
#if defined(_GNU_SOURCE)
    UNARY(exp10), UNARY(j0),    UNARY(j1),    UNARY(y0),         UNARY(y1),
#endif
    UNARY(exp),   UNARY(exp2),  UNARY(expm1), UNARY(log),        UNARY(log2),      UNARY(log10),
    UNARY(log1p), UNARY(sin),   UNARY(cos),   UNARY(tan),        UNARY(asin),      UNARY(acos),
    UNARY(atan),  UNARY(sinh),  UNARY(cosh),  UNARY(tanh),       UNARY(asinh),     UNARY(acosh),
    UNARY(atanh), UNARY(erf),   UNARY(erfc),  UNARY(tgamma),     UNARY(lgamma),    UNARY(cbrt),
    UNARY(sqrt),  UNARY(rint),  UNARY(round), UNARY(trunc),      UNARY(nearbyint), UNARY(ceil),
    UNARY(floor), UNARY(logb),  BINARY(pow),  BINARY(atan2),     BINARY(hypot),    BINARY(fmod),
    BINARY(fdim), BINARY(fmin), BINARY(fmax), BINARY(remainder), TERNARY(fma)};

static const struct {
    const char *name;
    int mode;
} modes[] = {{"nearest-even", FE_TONEAREST},
             {"toward-zero", FE_TOWARDZERO},
             {"up", FE_UPWARD},
             {"down", FE_DOWNWARD}};

static const struct function *function;
static int wide; /* fp64 */

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    int rounds = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, request->operation) == 0)
            function = &functions[i];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, request->rounding) == 0)
            rounds = fesetround(modes[i].mode) == 0;
    wide = strcmp(request->format, "fp64") == 0;
    int known = function && rounds && (wide || strcmp(request->format, "fp32") == 0);
    snprintf(text, ADAPTER_TEXT, "%s",
             known ? "c_adapter, the libm that it is linked to"
                   : "c_adapter knows C99's functions of one result, in fp32 and fp64");
    return known;
}

static float compute_fp32(float x, float y, float z) {
    if (function->operands == 1)
        return function->fp32.f1(x);
    return function->operands == 2 ? function->fp32.f2(x, y) : function->fp32.f3(x, y, z);
}

static double compute_fp64(double x, double y, double z) {
    if (function->operands == 1)
        return function->fp64.d1(x);
    return function->operands == 2 ? function->fp64.d2(x, y) : function->fp64.d3(x, y, z);
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    const float *a = x[0], *b = x[1], *c = x[2];
    const double *d = x[0], *e = x[1], *f = x[2];
    float *narrow = z[0];
    double *result = z[0];
    for (size_t i = 0; i < count; i++)
        if (wide)
            result[i] = compute_fp64(d[i], e[i], f[i]);
        else
            narrow[i] = compute_fp32(a[i], b[i], c[i]);
}

/* The C library's functions that look at the processor. */
static const char *adapter_variants(void) {
#if defined(__GLIBC__) && defined(__x86_64__)
    return "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4\n"
           "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4\n"
           "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-SSE4_1\n";
#else
    return "";
#endif
}

int main(void) {
    return adapter_serve();
}

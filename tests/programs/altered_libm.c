/* A library to load in front of the C library's, that alters what the environment variable ALTER
 * names: exp, fmaf or sqrtf, or the floating-point state that the program starts with (up, ftz,
 * daz), as libraries compiled with -ffast-math do. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* The functions that are stood in front of. */
static union {
    void *address;
    double (*function)(double);
} next_exp;
static union {
    void *address;
    float (*function)(float, float, float);
} next_fmaf;
static union {
    void *address;
    float (*function)(float);
} next_sqrtf;
static bool alter_exp, alter_fmaf, alter_sqrtf;

static bool altered(const char *name) {
    const char *list = getenv("ALTER");
    return list && strstr(list, name);
}

__attribute__((constructor)) static void prepare(void) {
    next_exp.address = dlsym(RTLD_NEXT, "exp");
    next_fmaf.address = dlsym(RTLD_NEXT, "fmaf");
    next_sqrtf.address = dlsym(RTLD_NEXT, "sqrtf");
    alter_exp = altered("exp");
    alter_fmaf = altered("fmaf");
    alter_sqrtf = altered("sqrtf");
    if (altered("up"))
        fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | (altered("ftz") ? 1u << 15 : 0) | (altered("daz") ? 1u << 6 : 0));
#endif
}

double exp(double x) {
    double y = next_exp.function(x);
    return alter_exp && x > 600 ? nextafter(y, 0) : y;
}

/* Rounded twice, as a library that computes in double does. */
float fmaf(float x, float y, float z) {
    volatile double product = (double)x * y, sum = product + z;
    return alter_fmaf ? (float)sum : next_fmaf.function(x, y, z);
}

float sqrtf(float x) {
    float y = next_sqrtf.function(x);
    return alter_sqrtf ? y + 0.0f : y;
}

/* What this machine, compiler and C library are, as far as results depend on it. */
#ifndef DETCHECK_PLATFORM_PLATFORM_H
#define DETCHECK_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* How the C library computes where it has the choice. */
enum libm_variant {
    LIBM_VARIANT_UNKNOWN, /* outputs that match neither: another algorithm */
    LIBM_VARIANT_FMA,     /* glibc's functions compiled for FMA were picked */
    LIBM_VARIANT_NO_FMA   /* the baseline ones; musl's return the same bits */
};
/* "unknown", "fma", "no-fma". */
extern const char *const libm_variant_names[];

struct platform {
    char os[64];       /* "Linux 6.1.0" */
    char arch[32];     /* "x86_64": what detcheck was compiled for */
    char cpu[96];      /* the processor's own name, or the architecture's */
    char libc[64];     /* "glibc 2.36" */
    char compiler[64]; /* what compiled detcheck: "gcc 12.2.0" */
    bool fma;          /* the processor has fused multiply-add that programs may use */
    bool ftz;          /* subnormal results are flushed to zero, measured in this thread */
    bool daz;          /* subnormal operands are taken as zero, measured in this thread */
    int rounding;      /* the rounding in force, an enum rounding; -1: none of the four of C */
    int flt_eval_method;
    enum libm_variant libm_variant; /* found by what fp64 exp returns on inputs where they differ */
    char features[256]; /* processor features that libraries dispatch on: "sse4.2 avx2" */
    /* Of platform_check_libm: */
    bool fmaf_exact, sqrtf_exact;               /* the built-in checks found no wrong result */
    char fmaf_failure[128], sqrtf_failure[128]; /* the first wrong one; empty when there is none */
};

/* Fills in all but the checks of libm, at once: each report begins with it. The floating-point state
 * is left as it was: what is measured is what the calling thread computes with. */
void platform_describe(struct platform *platform);

/* Calls libm on inputs that tell, and fills that in, in a few milliseconds at most. */
void platform_check_libm(struct platform *platform);

#endif

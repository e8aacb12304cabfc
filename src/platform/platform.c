/* Names from the system and the compiler, arithmetic measured by doing some. */
#include "platform/platform.h"

#include "format/format.h"
#include "platform/libm_probe.h"
#include "platform/processor.h"
#include "platform/rounding_guard.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

const char *const libm_variant_names[] = {"unknown", "fma", "no-fma"};

static void describe_system(struct platform *platform) {
    struct utsname name;
    if (uname(&name) >= 0)
        snprintf(platform->os, sizeof platform->os, "%.30s %.30s", name.sysname, name.release);
    else
        snprintf(platform->os, sizeof platform->os, "unknown");
    snprintf(platform->arch, sizeof platform->arch, "%s", processor_architecture());
    processor_name(platform->cpu, sizeof platform->cpu);
    processor_features(platform->features, sizeof platform->features);
    platform->fma = processor_has_fma();
}

static void describe_compiler(struct platform *platform) {
#if defined(__clang__)
    snprintf(platform->compiler, sizeof platform->compiler, "clang %d.%d.%d", __clang_major__,
             __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    snprintf(platform->compiler, sizeof platform->compiler, "gcc %d.%d.%d", __GNUC__,
             __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
    snprintf(platform->compiler, sizeof platform->compiler, "unknown");
#endif
}

static void describe_libc(struct platform *platform) {
#if defined(__GLIBC__)
    /* The one that is running, which may be newer than the one compiled against. */
    snprintf(platform->libc, sizeof platform->libc, "glibc %s", gnu_get_libc_version());
#elif defined(__APPLE__)
    snprintf(platform->libc, sizeof platform->libc, "libSystem");
#else
    /* musl, for one, has no name of its own to ask for. */
    snprintf(platform->libc, sizeof platform->libc, "unknown (not glibc)");
#endif
}

/* Zero or not by the bits: where subnormal operands count as zero, so they do in a comparison. */
static bool is_zero_fp32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits << 1 == 0;
}

static bool is_zero_fp64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits << 1 == 0;
}

/* By arithmetic and not by reading a control register, so that it is right for every processor and
 * for whatever units the compiler uses. Volatile, so that it happens here and now. */
static void measure_subnormals(struct platform *platform) {
    volatile float least = FLT_MIN, half = 0.5f, subnormal = 0x1p-130f, large = 0x1p100f;
    volatile double least_wide = DBL_MIN, half_wide = 0.5;
    volatile double subnormal_wide = 0x1p-1030, large_wide = 0x1p1000;
    /* Normal operands and a subnormal result; a subnormal operand and a normal result. */
    volatile float result = least * half, from_operand = subnormal * large;
    volatile double result_wide = least_wide * half_wide;
    volatile double from_operand_wide = subnormal_wide * large_wide;
    platform->ftz = is_zero_fp32(result) || is_zero_fp64(result_wide);
    platform->daz = is_zero_fp32(from_operand) || is_zero_fp64(from_operand_wide);
}

static void measure_rounding(struct platform *platform) {
    int mode = rounding_in_force();
    platform->rounding = -1;
    for (int rounding = 0; mode >= 0 && rounding < ROUNDING_COUNT; rounding++)
        if (rounding_fenv_mode((enum rounding)rounding) == mode)
            platform->rounding = rounding;
}

void platform_describe(struct platform *platform) {
    *platform = (struct platform){.flt_eval_method = FLT_EVAL_METHOD};
    describe_system(platform);
    describe_compiler(platform);
    describe_libc(platform);
    measure_subnormals(platform);
    measure_rounding(platform);
    libm_probe(platform);
}

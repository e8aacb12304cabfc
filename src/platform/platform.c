/* Names from the system and the compiler, arithmetic measured by doing some. */
#include "platform/platform.h"

#include "format/format.h"
#include "platform/libm_probe.h"
#include "platform/processor.h"
#include "platform/rounding_guard.h"

#include <float.h>
#include <stdio.h>
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
    struct flushing flushing = flushing_in_force();
    platform->ftz = flushing.results;
    platform->daz = flushing.operands;
    measure_rounding(platform);
    libm_probe(platform);
}

void platform_check_libm(struct platform *platform) {
    libm_check(platform);
}

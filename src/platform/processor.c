/* CPUID on x86, the auxiliary vector on Linux for ARM, /proc/cpuinfo for names elsewhere. */
#include "platform/processor.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define HAS_CPUID 1
#include <cpuid.h>
#elif defined(__linux__) && defined(__aarch64__)
#define HAS_AUXILIARY_VECTOR 1
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

const char *processor_architecture(void) {
#if defined(__x86_64__) || defined(_M_X64)
    return "x86_64";
#elif defined(__i386__)
    return "i386";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__arm__)
    return "arm";
#elif defined(__riscv) && __riscv_xlen == 64
    return "riscv64";
#elif defined(__powerpc64__)
    return "ppc64";
#elif defined(__s390x__)
    return "s390x";
#elif defined(__loongarch64)
    return "loongarch64";
#else
    return "unknown";
#endif
}

/* Leaves room for nothing but the words: no blanks at the ends, one between words. */
static void tidy(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        bool blank = *from == ' ' || *from == '\t' || *from == '\n';
        if (!blank)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

#if defined(HAS_CPUID)
static void name_from_hardware(char *name, size_t room) {
    unsigned words[12] = {0};
    if ((unsigned)__get_cpuid_max(0x80000000u, NULL) < 0x80000004u)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i += 4)
        __get_cpuid(0x80000002u + (unsigned)i / 4, &words[i], &words[i + 1], &words[i + 2],
                    &words[i + 3]);
    char brand[sizeof words + 1] = "";
    memcpy(brand, words, sizeof words);
    snprintf(name, room, "%s", brand);
}
#else
/* The kernel words it differently on every architecture. */
static void name_from_hardware(char *name, size_t room) {
    FILE *stream = fopen("/proc/cpuinfo", "r");
    if (!stream)
        return;
    char line[256];
    while (!*name && fgets(line, sizeof line, stream)) {
        static const char *const keys[] = {"model name", "cpu model", "Model", "uarch", "cpu"};
        size_t key = strcspn(line, ":"), length = key;
        while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
            length--;
        for (size_t i = 0; line[key] && i < sizeof keys / sizeof *keys; i++)
            if (length == strlen(keys[i]) && strncmp(line, keys[i], length) == 0)
                snprintf(name, room, "%s", line + key + 1);
    }
    fclose(stream);
}
#endif

void processor_name(char *name, size_t room) {
    *name = '\0';
    name_from_hardware(name, room);
    tidy(name);
    if (!*name)
        snprintf(name, room, "%s", processor_architecture());
}

#if defined(HAS_CPUID) || defined(HAS_AUXILIARY_VECTOR)
static void add(char *features, size_t room, const char *name, bool present) {
    size_t used = strlen(features);
    if (present && used < room)
        snprintf(features + used, room - used, "%s%s", used ? " " : "", name);
}
#endif

#if defined(HAS_CPUID)
/* Half-precision conversions, which not every compiler knows by name; they need what AVX needs. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}

void processor_features(char *features, size_t room) {
    *features = '\0';
    __builtin_cpu_init();
    add(features, room, "sse2", __builtin_cpu_supports("sse2"));
    add(features, room, "sse3", __builtin_cpu_supports("sse3"));
    add(features, room, "ssse3", __builtin_cpu_supports("ssse3"));
    add(features, room, "sse4.1", __builtin_cpu_supports("sse4.1"));
    add(features, room, "sse4.2", __builtin_cpu_supports("sse4.2"));
    add(features, room, "avx", __builtin_cpu_supports("avx"));
    add(features, room, "f16c", has_f16c());
    add(features, room, "fma", __builtin_cpu_supports("fma"));
    add(features, room, "fma4", __builtin_cpu_supports("fma4"));
    add(features, room, "bmi2", __builtin_cpu_supports("bmi2"));
    add(features, room, "avx2", __builtin_cpu_supports("avx2"));
    add(features, room, "avx512f", __builtin_cpu_supports("avx512f"));
    add(features, room, "avx512dq", __builtin_cpu_supports("avx512dq"));
    add(features, room, "avx512bw", __builtin_cpu_supports("avx512bw"));
    add(features, room, "avx512vl", __builtin_cpu_supports("avx512vl"));
    add(features, room, "avx512vnni", __builtin_cpu_supports("avx512vnni"));
    add(features, room, "avx512bf16", __builtin_cpu_supports("avx512bf16"));
}

bool processor_has_fma(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") || __builtin_cpu_supports("fma4");
}
#elif defined(HAS_AUXILIARY_VECTOR)
void processor_features(char *features, size_t room) {
    static const struct {
        const char *name;
        unsigned long type, bit;
    } rows[] = {
#if defined(HWCAP_FP)
        {"fp", AT_HWCAP, HWCAP_FP},
#endif
#if defined(HWCAP_ASIMD)
        {"asimd", AT_HWCAP, HWCAP_ASIMD},
#endif
#if defined(HWCAP_FPHP)
        {"fphp", AT_HWCAP, HWCAP_FPHP},
#endif
#if defined(HWCAP_ASIMDHP)
        {"asimdhp", AT_HWCAP, HWCAP_ASIMDHP},
#endif
#if defined(HWCAP_ASIMDDP)
        {"asimddp", AT_HWCAP, HWCAP_ASIMDDP},
#endif
#if defined(HWCAP_ASIMDFHM)
        {"asimdfhm", AT_HWCAP, HWCAP_ASIMDFHM},
#endif
#if defined(HWCAP_SVE)
        {"sve", AT_HWCAP, HWCAP_SVE},
#endif
#if defined(HWCAP2_SVE2)
        {"sve2", AT_HWCAP2, HWCAP2_SVE2},
#endif
#if defined(HWCAP2_BF16)
        {"bf16", AT_HWCAP2, HWCAP2_BF16},
#endif
#if defined(HWCAP2_I8MM)
        {"i8mm", AT_HWCAP2, HWCAP2_I8MM},
#endif
    };
    *features = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add(features, room, rows[i].name, getauxval(rows[i].type) & rows[i].bit);
}

bool processor_has_fma(void) {
    return true; /* part of the architecture's floating point */
}
#else
void processor_features(char *features, size_t room) {
    (void)room;
    *features = '\0';
}

bool processor_has_fma(void) {
#if defined(FP_FAST_FMA) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}
#endif

bool processor_has(const char *feature) {
    char features[256];
    size_t length = strlen(feature);
    processor_features(features, sizeof features);
    for (const char *at = features; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, feature, length) == 0)
            return true;
    return false;
}

#if defined(__SSE__)
#include <xmmintrin.h>

bool processor_estimates_roots(void) {
    return true;
}

float processor_root_estimate(float x) {
    return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x)));
}

#else

bool processor_estimates_roots(void) {
    return false;
}

float processor_root_estimate(float x) {
    (void)x;
    return NAN;
}

#endif

/* A row for each pair of formats and rounding that an instruction converts. */
#include "impl/hardware.h"

#include "base/names.h"
#include "format/profile.h"
#include "impl/call_window.h"
#include "impl/hardware_integers.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* Eight at a time, the rest in a padded vector. */
#define F16C_NARROW(NAME, MODE)                                                                    \
    __attribute__((target("avx,f16c"))) static void narrow_fp16_##NAME(void *to, const void *from, \
                                                                       size_t count) {             \
        for (size_t at = 0; at < count; at += 8) {                                                 \
            size_t many = count - at < 8 ? count - at : 8;                                         \
            float x[8] = {0};                                                                      \
            uint16_t y[8];                                                                         \
            memcpy(x, (const float *)from + at, many * sizeof *x);                                 \
            _mm_storeu_si128((__m128i *)(void *)y, _mm256_cvtps_ph(_mm256_loadu_ps(x), MODE));     \
            memcpy((uint16_t *)to + at, y, many * sizeof *y);                                      \
        }                                                                                          \
    }
F16C_NARROW(nearest, _MM_FROUND_TO_NEAREST_INT)
F16C_NARROW(zero, _MM_FROUND_TO_ZERO)
F16C_NARROW(up, _MM_FROUND_TO_POS_INF)
F16C_NARROW(down, _MM_FROUND_TO_NEG_INF)

__attribute__((target("avx,f16c"))) static void widen_fp16(void *to, const void *from,
                                                           size_t count) {
    for (size_t at = 0; at < count; at += 8) {
        size_t many = count - at < 8 ? count - at : 8;
        uint16_t x[8] = {0};
        float y[8];
        memcpy(x, (const uint16_t *)from + at, many * sizeof *x);
        _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x)));
        memcpy((float *)to + at, y, many * sizeof *y);
    }
}

#if (defined(__clang__) && __clang_major__ >= 9) || (!defined(__clang__) && __GNUC__ >= 10)
#define HAS_BF16 1
__attribute__((target("avx512f,avx512bf16"))) static void narrow_bf16(void *to, const void *from,
                                                                      size_t count) {
    for (size_t at = 0; at < count; at += 16) {
        size_t many = count - at < 16 ? count - at : 16;
        float x[16] = {0};
        uint16_t y[16];
        memcpy(x, (const float *)from + at, many * sizeof *x);
        __m256bh converted = _mm512_cvtneps_pbh(_mm512_loadu_ps(x));
        memcpy(y, &converted, sizeof y);
        memcpy((uint16_t *)to + at, y, many * sizeof *y);
    }
}

static bool has_bf16(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16");
}
#endif

static bool has_f16c(void) {
    /* clang before 15 does not know "f16c" by name. */
    unsigned eax, ebx, ecx, edx;
    return __builtin_cpu_supports("avx") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) &&
           (ecx & bit_F16C);
}
#endif

static void narrow_fp64(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        ((float *)to)[i] = (float)((const double *)from)[i];
}

static void widen_fp32(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        ((double *)to)[i] = (double)((const float *)from)[i];
}

static bool always(void) {
    return true;
}

/* ANY: exact, whatever the rounding. */
enum { ANY = -1 };
static const struct hardware_row rows[] = {
#if defined(__GNUC__) && defined(__x86_64__)
    {"fp32", "fp16", "F16C, vcvtps2ph", ROUND_NEAREST_EVEN, narrow_fp16_nearest, has_f16c, NULL},
    {"fp32", "fp16", "F16C, vcvtps2ph", ROUND_TOWARD_ZERO, narrow_fp16_zero, has_f16c, NULL},
    {"fp32", "fp16", "F16C, vcvtps2ph", ROUND_UP, narrow_fp16_up, has_f16c, NULL},
    {"fp32", "fp16", "F16C, vcvtps2ph", ROUND_DOWN, narrow_fp16_down, has_f16c, NULL},
    {"fp16", "fp32", "F16C, vcvtph2ps", ANY, widen_fp16, has_f16c, NULL},
#if defined(HAS_BF16)
    {"fp32", "bf16", "AVX512-BF16, vcvtneps2bf16", ROUND_NEAREST_EVEN, narrow_bf16, has_bf16, NULL},
#endif
#endif
    {"fp64", "fp32", "C's conversion, as compiled here", ROUND_NEAREST_EVEN, narrow_fp64, always,
     NULL},
    {"fp32", "fp64", "C's conversion, as compiled here", ANY, widen_fp32, always, NULL},
};

static bool hardware_open(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail, "this processor");
    return true;
}

static const struct hardware_row *row_at(size_t index) {
    const size_t first = sizeof rows / sizeof *rows;
    if (index < first)
        return &rows[index];
    return index - first < hardware_integer_row_count ? &hardware_integer_rows[index - first]
                                                      : NULL;
}

static bool converts_so(const struct hardware_row *row, const struct binding_request *request) {
    const char *profile =
        profiles[parameter_integer(&request->parameters, PARAMETER_PROFILE, PROFILE_IEEE)].name;
    return strcmp(row->from, request->format->name) == 0 &&
           strcmp(row->to, request_result_format(request)->name) == 0 &&
           (row->rounding == ANY || row->rounding == (int)request->rounding) &&
           name_matches(profile, "", row->profiles ? row->profiles : "ieee") && row->has();
}

static bool hardware_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    const struct format *to = request_result_format(request);
    const struct hardware_row *row;
    if (!request->operation->converts)
        return error_set(why, "hardware has conversions only, not %s", request->operation->name);
    if (!to->is_integer && parameter_integer(&request->parameters, PARAMETER_PROFILE, 0) != 0)
        return error_set(why, "this processor's conversions are those of the profile ieee");
    for (size_t i = 0; (row = row_at(i)); i++)
        if (converts_so(row, request)) {
            snprintf(binding->detail, sizeof binding->detail, "%s", row->what);
            binding->state = (void *)(uintptr_t)(i + 1);
            binding->tells_flags = request->flags;
            return true;
        }
    return error_set(
        why, "this processor has no instruction from %s to %s, %s%s%s", request->format->name,
        to->name, rounding_names[request->rounding], to->is_integer ? ", by " : "",
        to->is_integer
            ? profiles[parameter_integer(&request->parameters, PARAMETER_PROFILE, 0)].name
            : "");
}

struct observed {
    convert_function *convert;
    const struct slice *slice;
    const struct binding_request *request;
};

/* One number, beside zeros where an instruction converts several. */
static void observe_one(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observed *observed = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    const struct slice one =
        array_of_slice(observed->slice, observed->request, first, window, unused);
    call_window_open(window);
    observed->convert(one.results[0], one.operands[0], count);
    call_window_close(window);
}

static bool hardware_fill(struct binding *binding, const struct slice *slice, event_function *event,
                          void *context, struct error *error) {
    (void)event;
    (void)context;
    (void)error;
    const struct hardware_row *row = row_at((size_t)(uintptr_t)binding->state - 1);
    struct observed observed = {row->convert, slice, &binding->request};
    row->convert(slice->results[0], slice->operands[0], slice->count);
    if (slice->raised)
        observe_flags(
            &(struct observed_calls){
                .slice = slice, .array = 1, .compute = observe_one, .context = &observed},
            NULL);
    return true;
}

const struct implementation_kind implementation_hardware = {
    .name = "hardware",
    .summary = "this processor's conversion instructions (F16C, AVX512-BF16)",
    .takes_parameters = true,
    .open = hardware_open,
    .bind = hardware_bind,
    .fill = hardware_fill,
};

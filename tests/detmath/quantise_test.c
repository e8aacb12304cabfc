/* ONNX's quantisation on every instruction set beside a second way of computing it, in double and one element after the
 * other: where both lie, by the indices of the element. */
#include "detmath/library/kernels.h"
#include "detmath/library/quantise_elements.h"
#include "detmath/random.h"
#include "detmath/scaled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 3000 };
static unsigned char x[4 * MOST], scales[4 * MOST], zeros[4 * MOST], y[4 * MOST + 8];

static uint32_t code_at(const void *codes, int format, size_t at) {
    const size_t bytes = detmath_code_bytes(format);
    uint32_t code = 0;
    for (size_t i = bytes; i-- > 0;)
        code = code << 8 | ((const unsigned char *)codes)[at * bytes + i];
    return code;
}

static double number_at(const void *codes, int format, size_t at) {
    const struct detmath_integer integer = detmath_integer_of(format);
    const uint32_t code = code_at(codes, format, at);
    if (!integer.bits)
        return detmath_from_bits_f64(
            detmath_widen_f64(detmath_widen(code, detmath_formats[format])));
    const int64_t all = (int64_t)1 << integer.bits, value = (int64_t)code & (all - 1);
    return (double)(integer.is_signed && value >= all / 2 ? value - all : value);
}

static double rounded(double number, int format) {
    const struct detmath_format row = detmath_formats[format];
    return detmath_scaled_decode(detmath_scaled_encode(number, row), row);
}

static uint32_t want_quantised(const struct detmath_linear_plan *plan, size_t at, size_t scale) {
    const struct detmath_integer to = detmath_integer_of(plan->y_format);
    const double a = rounded(number_at(x, plan->x_format, at), plan->precision);
    const double b = rounded(number_at(scales, plan->scale_format, scale), plan->precision);
    double quotient = rounded(a / b, plan->precision), nearest;
    if (!to.bits)
        return detmath_scaled_encode_by(quotient, plan->conversion.cast);
    quotient = quotient > -1e9 ? quotient : -1e9; /* NaN too */
    quotient = quotient > 1e9 ? 1e9 : quotient;
    nearest = (quotient + 0x1.8p52) - 0x1.8p52;
    nearest += plan->zero_point ? number_at(zeros, plan->zero_format, scale) : 0;
    nearest = nearest < to.least ? to.least : nearest > to.most ? to.most : nearest;
    return (uint32_t)(int32_t)nearest;
}

static uint32_t want_dequantised(const struct detmath_linear_plan *plan, size_t at, size_t scale) {
    const double zero = plan->zero_point ? number_at(zeros, plan->zero_format, scale) : 0;
    const double number = rounded(number_at(x, plan->x_format, at) - zero, DETMATH_F32);
    return detmath_scaled_encode(number * number_at(scales, plan->scale_format, scale),
                                 detmath_formats[plan->y_format]);
}

/* Any codes, or numbers of fp32 near those that matter. */
static void draw(unsigned char *codes, int format, uint64_t seed) {
    for (size_t i = 0; i < MOST; i++) {
        const uint64_t bits = detmath_random(seed, i);
        uint32_t code = (uint32_t)bits;
        if (format == DETMATH_F32 && seed % 3)
            code = (code & 0x807fffffu) | (uint32_t)(120 + (bits >> 40) % 14) << 23;
        if (format == DETMATH_F32 && seed % 3 == 2)
            code &= 0xfffc0000u; /* ties */
        if (format == DETMATH_INT32 && seed % 3)
            code = (uint32_t)((int32_t)code >> 20);
        memcpy(codes + i * detmath_code_bytes(format), &code, detmath_code_bytes(format));
    }
}

static const int wide[] = {DETMATH_F32, DETMATH_F16, DETMATH_BF16, DETMATH_INT32};
static const int narrow[] = {DETMATH_INT2,     DETMATH_UINT4,  DETMATH_INT8,     DETMATH_UINT8,
                             DETMATH_INT16,    DETMATH_UINT16, DETMATH_E4M3FN,   DETMATH_E5M2,
                             DETMATH_E5M2FNUZ, DETMATH_E2M1FN, DETMATH_E4M3FNUZ, DETMATH_E3M2FN};
static const int scale_formats[] = {DETMATH_F32, DETMATH_F32, DETMATH_F16, DETMATH_BF16,
                                    DETMATH_E8M0FNU};

static struct detmath_linear_plan draw_plan(uint64_t seed, int quantises) {
#define ANY(SEED, LIST) LIST[detmath_random(SEED, seed) % (sizeof LIST / sizeof *LIST)]
    const int a = ANY(1, wide), b = ANY(2, narrow), floats = ANY(12, wide);
    struct detmath_linear_plan plan = {
        .x_format = quantises ? a : b,
        .y_format = quantises                 ? b
                    : floats == DETMATH_INT32 ? DETMATH_F32
                                              : floats,
        .scale_format = ANY(3, scale_formats),
        .zero_format = b,
        .precision = (int)(detmath_random(4, seed) % 3),
        .outer = 1 + detmath_random(5, seed) % 5,
        .axis = 1 + detmath_random(6, seed) % 20,
        .inner = detmath_random(7, seed) & 1 ? 1 : 1 + detmath_random(8, seed) % 30,
        .per_axis = detmath_random(9, seed) & 1};
    plan.block = plan.per_axis ? 1 : 1 + detmath_random(10, seed) % 9;
    plan.blocks = (plan.axis + plan.block - 1) / plan.block;
    plan.x = x, plan.y = y + 3, plan.scale = scales;
    plan.zero_point = detmath_integer_of(b).bits && detmath_random(11, seed) & 1 ? zeros : NULL;
    if (quantises && !detmath_integer_of(b).bits)
        assert_true(detmath_profile_conversion(&plan.conversion,
                                               detmath_profile_find("onnx-reference"), DETMATH_F32,
                                               b, DETMATH_NEAREST_EVEN, 0));
    return plan;
}

static void check(const struct detmath_level *level, uint64_t seed, int quantises) {
    struct detmath_linear_plan plan = draw_plan(seed, quantises);
    const size_t n = plan.outer * plan.axis * plan.inner, bytes = detmath_code_bytes(plan.y_format);
    draw(x, plan.x_format, seed + 100);
    draw(scales, plan.scale_format, seed + 201);
    draw(zeros, plan.zero_format, seed + 302);
    memset(y, 0xee, sizeof y);
    plan.cast = level->cast;
    (quantises ? level->linear->quantise : level->linear->dequantise)(&plan);
    for (size_t at = 0; at < n; at++) {
        const size_t outer = at / plan.inner / plan.axis, axis = at / plan.inner % plan.axis;
        const size_t block = axis / plan.block;
        const size_t scale =
            plan.per_axis ? block : (outer * plan.blocks + block) * plan.inner + at % plan.inner;
        uint32_t want = (quantises ? want_quantised : want_dequantised)(&plan, at, scale);
        want &= bytes == 4 ? ~0u : (1u << 8 * bytes) - 1u;
        const uint32_t got = code_at(y + 3, plan.y_format, at);
        if (got != want)
            fail_msg("case %llu, %d to %d, scale %d, precision %d: element %zu is %x, not %x",
                     (unsigned long long)seed, plan.x_format, plan.y_format, plan.scale_format,
                     plan.precision, at, got, want);
    }
    assert_int_equal(y[2], 0xee);
    assert_int_equal(y[3 + n * bytes], 0xee);
}

static void test_elements(void **state) {
    const char *given = getenv("CASES");
    const uint64_t cases = given ? strtoull(given, NULL, 10) : 400;
    struct detmath_level level;
    (void)state;
    for (int l = 0; detmath_level(l, &level); l++)
        for (uint64_t seed = 0; level.linear && seed < cases; seed++)
            check(&level, seed, seed & 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* detmath's conversions against the exact rule of format/cast.h: from every code of every format up
 * to 16 bits to every format, in every rounding and profile; from tf32, fp32 and fp64 at every
 * number and every middle of the narrower formats, one step to either side, and at random.
 * Stochastic rounding with every random number of a few bits. */
#include "../base/random.h"
#include "impl/implementation.h"
#include "op/conversion.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 1 << 18, RANDOM_CODES = 20000, RANDOM_BITS = 3 };

static struct {
    struct implementation det;
    const struct operation *operation;
    size_t count;
    uint64_t codes[ROOM];
    uint8_t in[ROOM * 8], out[ROOM * 8];
} bench;

static void ignore(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

static void open_bench(void) {
    struct error error;
    if (!implementation_open(&bench.det, "det", NULL, &error) ||
        !(bench.operation = operation_find("cast", &error)))
        fail_msg("%s", error.text);
}

static void set_integer(struct parameters *parameters, enum parameter_number number,
                        int64_t value) {
    parameters->values[number] = (struct parameter_value){.present = true, .integer = value};
}

/* All of bench.codes, which are of `from`. */
static void check_conversion(const struct cast *cast, uint64_t random) {
    struct binding_request request = {
        .operation = bench.operation, .format = cast->from, .rounding = cast->rounding};
    struct parameter_value to = {.present = true, .format = cast->to};
    request.parameters.values[PARAMETER_TO] = to;
    set_integer(&request.parameters, PARAMETER_PROFILE, cast->profile - profiles);
    set_integer(&request.parameters, PARAMETER_RANDOM_BITS, cast->random_bits);
    set_integer(&request.parameters, PARAMETER_RANDOM, (int64_t)random);
    struct binding binding;
    struct error error;
    struct slice slice = {.count = bench.count, .operands = {bench.in}, .results = {bench.out}};
    for (size_t i = 0; i < bench.count; i++)
        code_store(bench.in, format_bytes(cast->from), i, bench.codes[i]);
    if (!implementation_bind(&binding, &bench.det, &request, &error) ||
        !binding_fill(&binding, &slice, ignore, NULL, &error))
        fail_msg("%s", error.text);
    binding_close(&binding);
    for (size_t i = 0; i < bench.count; i++) {
        uint64_t got = code_load(bench.out, format_bytes(cast->to), i);
        uint64_t want = cast_code(cast, bench.codes[i], random);
        if (got != want)
            fail_msg("%s to %s, %s, %s, 0x%" PRIx64 ": 0x%" PRIx64 ", not 0x%" PRIx64
                     " (random %" PRIu64 ")",
                     cast->from->name, cast->to->name, cast->profile->name,
                     rounding_names[cast->rounding], bench.codes[i], got, want, random);
    }
}

static void check_profile(const struct format *from, const struct format *to,
                          const struct profile *profile) {
    struct error error;
    if (!profile_covers(profile, to, &error))
        return;
    struct cast cast = {.from = from, .to = to, .profile = profile, .random_bits = RANDOM_BITS};
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
        cast.rounding = (enum rounding)rounding;
        check_conversion(&cast, 0);
    }
    /* The rules do not touch the random bits: one profile stands for all. */
    cast.rounding = ROUND_STOCHASTIC;
    for (uint64_t random = 0; profile == profiles && random < 1 << RANDOM_BITS; random++)
        check_conversion(&cast, random);
}

static void check_targets(const struct format *from) {
    for (size_t i = 0; i < format_count; i++)
        for (size_t j = 0; j < profile_count; j++)
            check_profile(from, &formats[i], &profiles[j]);
}

static void test_every_code_up_to_16_bits(void **state) {
    (void)state;
    open_bench();
    for (size_t i = 0; i < format_count; i++) {
        if (formats[i].width > 16)
            continue;
        bench.count = (size_t)1 << formats[i].width;
        for (size_t code = 0; code < bench.count; code++)
            bench.codes[code] = code;
        check_targets(&formats[i]);
    }
}

static void add_around(const struct format *from, uint64_t code) {
    for (int step = -1; step <= 1 && bench.count + 2 < ROOM; step++)
        for (int negative = 0; negative < 2; negative++)
            bench.codes[bench.count++] =
                ((code + (uint64_t)step) ^ (negative ? from->sign_bit : 0)) & format_mask(from);
}

/* The numbers of `to` and what lies between two of them, as codes of `from`. */
static void list_boundaries(const struct format *from, const struct format *to) {
    bench.count = 0;
    uint64_t last = format_greatest(to) + (to->width < 19);
    for (uint64_t code = 0; code <= last && to->width <= 8; code++) {
        struct real value = format_decode(to, code);
        if (value.kind == REAL_NAN) /* beyond the last: where that would be */
            value = format_decode(to, to->max_finite);
        uint64_t number = format_encode(from, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        add_around(from, number);
        if (value.kind != REAL_FINITE || code == 0)
            continue;
        /* Half an ulp above and below. */
        struct real half = value;
        half.significand.high += UINT64_C(1) << (63 - to->precision);
        add_around(from, format_encode(from, &half, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        half = value;
        int shift =
            value.exponent < to->emin ? to->precision - (to->emin - value.exponent) : to->precision;
        half.significand.high = value.significand.high | UINT64_C(1)
                                                             << (63 - (shift > 0 ? shift : 0));
        add_around(from, format_encode(from, &half, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
    uint64_t seed = 7;
    for (int i = 0; i < RANDOM_CODES; i++) {
        /* All exponents, and those that the target has. */
        uint64_t code = random_bits(&seed) & format_mask(from);
        struct real value = format_decode(from, code);
        if (i & 1 && value.kind == REAL_FINITE) {
            int range = to->emax - to->emin + to->precision + 4;
            value.exponent = to->emax + 1 - (int)(random_bits(&seed) % (unsigned)range);
            code = format_encode(from, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        }
        bench.codes[bench.count++] = code;
    }
    static const uint64_t shared[] = {0, 1, 2, 0x7fffff, 0x800000};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        add_around(from, shared[i] & format_mask(from));
    add_around(from, from->max_finite);
    add_around(from, from->nan);
    add_around(from, (uint64_t)1 << (from->precision - 1));
}

static void test_boundaries_from_wide_formats(void **state) {
    (void)state;
    open_bench();
    for (size_t i = 0; i < format_count; i++)
        for (size_t j = 0; j < format_count && formats[i].width > 16; j++) {
            list_boundaries(&formats[i], &formats[j]);
            for (size_t k = 0; k < profile_count; k++)
                check_profile(&formats[i], &formats[j], &profiles[k]);
        }
}

/* The rule itself: up where the part cut off, cut to N bits, exceeds the random number. So a number
 * that is f / 2^N between two others goes up for f of 2^N random numbers. */
static void test_stochastic_rounding_is_fair(void **state) {
    (void)state;
    struct error error;
    const struct format *from = format_find("fp16", &error), *to = format_find("fp8_e5m2", &error);
    struct cast cast = {.from = from,
                        .to = to,
                        .rounding = ROUND_STOCHASTIC,
                        .profile = profiles,
                        .random_bits = 8};
    for (uint64_t code = 0; code < 0x7b00; code++) {
        unsigned ups = 0;
        for (uint64_t random = 0; random < 256; random++) {
            uint64_t got = cast_code(&cast, code, random);
            assert_in_range(got, code >> 8, (code >> 8) + 1);
            ups += got > code >> 8;
        }
        assert_int_equal(ups, code & 0xff); /* fp8_e5m2 is the top byte of fp16 */
    }
}

static void test_names(void **state) {
    (void)state;
    size_t count = 0;
    for (; profile_names[count]; count++)
        assert_string_equal(profile_names[count], profiles[count].name);
    assert_int_equal(count, profile_count);
    struct error error;
    assert_false(profile_covers(&profiles[2], format_find("fp6_e2m3fn", &error), &error));
    assert_non_null(strstr(error.text, "onnx-19 has no rule for fp6_e2m3fn"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_stochastic_rounding_is_fair),
                                       cmocka_unit_test(test_boundaries_from_wide_formats),
                                       cmocka_unit_test(test_every_code_up_to_16_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

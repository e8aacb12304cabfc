/* MX blocks: the kernels of detmath beside the exact rule (format/block.h), for every profile,
 * format and rounding; array forms on every instruction set of this machine beside the scalars. */
#include "detmath/library/kernels.h"
#include "detmath/library/mx_kernels.h"
#include "detmath/mx_arrays.h"
#include "format/block.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 11;

static const detmath_i32 roundings[] = {DETMATH_NEAREST_EVEN, DETMATH_TOWARD_ZERO,
                                        DETMATH_UP,           DETMATH_DOWN,
                                        DETMATH_NEAREST_AWAY, DETMATH_STOCHASTIC};

static struct detmath_mx kernel_of(const struct block_conversion *conversion) {
    struct detmath_mx mx;
    const char *element = conversion->element->name;
    assert_true(detmath_mx_profile(&mx, conversion->profile->name, detmath_mx_find(element),
                                   roundings[conversion->rounding], conversion->random.count));
    return mx;
}

typedef void check_function(const struct block_conversion *conversion);

/* Every profile and each of its formats. */
static void for_each_conversion(enum rounding rounding, check_function *check) {
    struct error ignored;
    int count = 0;
    for (size_t p = 0; p < profile_count; p++)
        for (size_t e = 0; e < element_format_count; e++)
            if (profile_covers(&profiles[p], &element_formats[e], &ignored)) {
                const struct block_conversion conversion = {
                    &element_formats[e], &profiles[p], rounding, {16, 0}};
                check(&conversion);
                count++;
            }
    assert_int_equal(count, 3 * 6 + 4 * 5 + 2);
}

static const struct format *fp32, *e8m0;

static struct real real_of(uint32_t bits) {
    return format_decode(fp32, bits);
}

static void check_scale(const struct block_conversion *conversion, const struct detmath_mx *mx,
                        uint32_t bits) {
    const struct real x = real_of(bits);
    struct real scale = block_scale(conversion, &x, 1);
    uint64_t want = format_encode(e8m0, &scale, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    uint32_t got = detmath_mx_scale(detmath_mx_larger(0, bits, *mx), *mx);
    if (got != want)
        fail_msg("%s %s %08x: %02x instead of %02x", conversion->element->name,
                 conversion->profile->name, (unsigned)bits, (unsigned)got, (unsigned)want);
}

/* Every exponent with fractions at, and next to, every place where a rule turns; all subnormal
 * powers of two. */
static void check_scales(const struct block_conversion *conversion) {
    const struct detmath_mx mx = kernel_of(conversion);
    for (uint32_t exponent = 0; exponent < 256; exponent++) {
        for (uint32_t part = 0; part < 64; part++)
            for (int step = -3; step <= 3; step++)
                check_scale(conversion, &mx,
                            ((exponent << 23) + (part << 17) + (uint32_t)step) & 0x7fffffff);
        for (uint32_t step = 0; step < 64;
             step++) /* the quotient's logarithm in fp32 is an integer */
            check_scale(conversion, &mx, (exponent << 23) + mx.element.fraction + step);
        for (int i = 0; i < 64; i++)
            check_scale(conversion, &mx, exponent << 23 | (random_bits(&seed) & 0x807fffff));
    }
    for (int i = 0; i < 23; i++)
        for (int step = -1; step <= 1; step++)
            check_scale(conversion, &mx, (UINT32_C(1) << i) + (uint32_t)step);
}

static void test_scales(void **state) {
    (void)state;
    for_each_conversion(ROUND_NEAREST_EVEN, check_scales);
}

/* The code of a scale by the steps of torchao's _to_mx_rceil: a quotient of fp32, and its logarithm in fp32. */
static uint32_t code_by_logarithm(uint32_t bits, float largest) {
    float m;
    memcpy(&m, &bits, sizeof m);
    const volatile float quotient = m / largest, logarithm = (float)log2((double)quotient);
    if (quotient > 0x1.fffffep127F)
        return 254;
    const float power = ceilf(logarithm);
    return power < -127 ? 0 : (uint32_t)(int)(power + 127);
}

/* The same by the steps of to_mx on the bits of the largest magnitude, which is no NaN. */
static uint32_t code_of_torchao(uint32_t bits, int precision, int top, const char *mode) {
    if (strcmp(mode, "torchao-even") == 0)
        bits = (bits + (UINT32_C(1) << (24 - precision - 1))) & 0xff800000u;
    int power = (int)(bits >> 23 & 255) - 127;
    if (strcmp(mode, "torchao-ceil") == 0)
        power += (bits & 0x7fffff) > 0;
    const int code = power - top + 127;
    return (uint32_t)(code < 0 ? 0 : code > 255 ? 255 : code);
}

static void check_torchao(const char *mode, int index, uint64_t first, uint64_t last,
                          uint64_t step) {
    const struct detmath_mx_format element = detmath_mx_formats[index];
    struct detmath_mx mx;
    assert_true(detmath_mx_profile(&mx, mode, index, DETMATH_NEAREST_EVEN, 1));
    const float largest = ldexpf((float)(0x800000 + element.fraction), element.top - 23);
    const bool by_logarithm = strcmp(mode, "torchao-rceil") == 0;
    for (uint64_t bits = first; bits <= last && bits <= DETMATH_INFINITY_BITS; bits += step)
        if (detmath_mx_scale((uint32_t)bits, mx) !=
            (by_logarithm
                 ? code_by_logarithm((uint32_t)bits, largest)
                 : code_of_torchao((uint32_t)bits, element.number.precision, element.top, mode)))
            fail_msg("%s of %d at %08x", mode, index, (unsigned)bits);
}

/* Tests one magnitude in 4,001, and in each binade those next to multiples of 2^19, and behind the largest element. With EXHAUSTIVE in the environment it tests
 * all magnitudes and infinity. */
static void test_scales_of_torchao(void **state) {
    const char *const modes[] = {"torchao-floor", "torchao-ceil", "torchao-even", "torchao-rceil"};
    const bool all = getenv("EXHAUSTIVE");
    (void)state;
    for (int mode = 0; mode < 4; mode++)
        for (int index = DETMATH_MXFP8_E5M2; index <= DETMATH_MXFP4_E2M1; index++) {
            check_torchao(modes[mode], index, 0, DETMATH_INFINITY_BITS, all ? 1 : 4001);
            for (uint64_t near = 0x80000; !all && near <= DETMATH_INFINITY_BITS; near += 0x80000)
                check_torchao(modes[mode], index, near - 2, near + (mode == 3 ? 40 : 2), 1);
        }
}

/* Numbers whose upper 16 bits are all there are, under a few scales. */
static void check_elements(const struct block_conversion *given) {
    static const uint32_t scales[] = {127, 0, 1, 119, 254, 255};
    struct block_conversion conversion = *given;
    const struct detmath_mx mx = kernel_of(given);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        struct real scale = format_decode(e8m0, scales[s]);
        for (uint32_t upper = (uint32_t)s; upper < 65536; upper += 53) {
            uint64_t random = random_bits(&seed);
            uint32_t bits = upper << 16 | (random & 1 ? (uint32_t)(random >> 8) & 0xffff : 0);
            bool by_rule;
            conversion.random.number = random >> 32 & 0xffff;
            const struct real x = real_of(bits);
            struct real quotient = block_quotient(&conversion, &x, &scale);
            uint64_t want = block_element(&conversion, &quotient, &by_rule);
            uint32_t got =
                detmath_mx_element(bits, scales[s], mx, (uint32_t)conversion.random.number);
            if (got != want)
                fail_msg("%s %s %08x at scale %02x: %02x instead of %02x", conversion.element->name,
                         conversion.profile->name, (unsigned)bits, (unsigned)scales[s],
                         (unsigned)got, (unsigned)want);
        }
    }
}

static void test_elements(void **state) {
    (void)state;
    for (int rounding = 0; rounding <= ROUND_STOCHASTIC; rounding++)
        for_each_conversion((enum rounding)rounding, check_elements);
}

enum { MOST = 700 };
static unsigned char x[4 * MOST + 8], back[4 * MOST + 8], elements[MOST + 8], scales[MOST / 32 + 8];
static uint32_t randoms[MOST];

/* A third of the numbers are any bits; the others are close together. */
/* Any bits, or numbers of a few exponents in each block, and among these a few of any bits. */
static void draw(int from, size_t offset, size_t n) {
    const uint64_t few = random_bits(&seed) % 3;
    uint32_t first = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)random_bits(&seed);
        first = i % DETMATH_MX_BLOCK ? first : (uint32_t)random_bits(&seed) % 246;
        if (few && (few == 1 || random_bits(&seed) % 40))
            bits = (bits & 0x807fffffu) | (first + (bits >> 23) % 10) << 23;
        uint16_t half = (uint16_t)(bits >> 16);
        memcpy(x + offset + i * (from ? 2 : 4), from ? (void *)&half : (void *)&bits, from ? 2 : 4);
        randoms[i] = (uint32_t)random_bits(&seed) & 0xffff;
    }
}

static uint32_t number_at(int from, size_t offset, size_t i) {
    uint32_t bits = 0;
    memcpy(&bits, x + offset + i * (from ? 2 : 4), from ? 2 : 4);
    return from ? detmath_widen(bits, detmath_formats[from]) : bits;
}

static void check_blocks(const struct detmath_mx *mx, int from, size_t offset, size_t n) {
    for (size_t first = 0; first < n; first += DETMATH_MX_BLOCK) {
        size_t count = n - first < DETMATH_MX_BLOCK ? n - first : DETMATH_MX_BLOCK;
        uint32_t largest = 0;
        for (size_t i = 0; i < count; i++)
            largest = detmath_mx_larger(largest, number_at(from, offset, first + i), *mx);
        uint32_t scale = detmath_mx_scale(largest, *mx);
        assert_int_equal(scales[offset + first / DETMATH_MX_BLOCK], scale);
        for (size_t i = first; i < first + count; i++) {
            const uint32_t number = number_at(from, offset, i),
                           want = detmath_mx_element(number, scale, *mx, randoms[i]);
            if (elements[offset + i] != want)
                fail_msg("%08x over the scale %u: %02x, not %02x", number, scale,
                         elements[offset + i], want);
        }
    }
    for (size_t i = offset + n; i < sizeof elements; i++)
        assert_int_equal(elements[i], 0xee);
    for (size_t i = offset + (n + 31) / 32; i < sizeof scales; i++)
        assert_int_equal(scales[i], 0xee);
}

static void check_numbers(const struct detmath_mx_format *element, int to,
                          const struct detmath_cast *cast, size_t offset, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t got = 0, want = detmath_mx_value(elements[offset + i], *element,
                                                  scales[offset + i / 32], *cast, randoms[i]);
        memcpy(&got, back + offset + i * (to ? 2 : 4), to ? 2 : 4);
        if (got != want)
            fail_msg("element %02x of sign %02x over the scale %u: %08x, not %08x",
                     elements[offset + i], element->number.sign_bit, scales[offset + i / 32], got,
                     want);
    }
    for (size_t i = offset + n * (to ? 2 : 4); i < sizeof back; i++)
        assert_int_equal(back[i], 0xee);
}

static void test_arrays_are_scalars(void **state) {
    const char *given = getenv("CASES");
    const int rounds = given ? atoi(given) : 180;
    struct detmath_level level;
    (void)state;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int round = 0; level.mx && round < rounds; round++) {
            const uint32_t any = (uint32_t)random_bits(&seed);
            const struct detmath_mx_rules rules = {(int)(any % 6), any >> 8 & 1,  any >> 9 & 1,
                                                   any >> 10 & 1,  any >> 11 & 1, any >> 12 & 1,
                                                   any >> 13 & 1,  any >> 14 & 1};
            size_t n = round < 6 ? (size_t)round * 16 : random_bits(&seed) % MOST;
            size_t offset = (size_t)round % 5;
            int from = (int)(any >> 16) % 3;
            struct detmath_mx mx =
                detmath_mx_make(detmath_mx_formats[round % DETMATH_MX_FORMATS], rules,
                                any % 2 ? DETMATH_NEAREST_EVEN : roundings[round / 6 % 6], 16);
            memset(elements, 0xee, sizeof elements);
            memset(scales, 0xee, sizeof scales);
            memset(back, 0xee, sizeof back);
            draw(from, offset, n);
            level.mx->quantise(&mx, elements + offset, scales + offset, from, x + offset, n,
                               randoms);
            check_blocks(&mx, from, offset, n);
            const struct detmath_format to = detmath_formats[from];
            const struct detmath_cast_rules none = {
                .overflow = {to.max_finite, to.overflow | to.sign_bit},
                .infinity = {to.overflow, to.max_finite},
                .nan = {to.nan, to.nan | to.sign_bit},
                .zero = {0, to.sign_bit}};
            struct detmath_cast cast = detmath_cast_make(to, none, roundings[round % 6], 16);
            level.mx->dequantise(&mx.element, from, &cast, back + offset, elements + offset,
                                 scales + offset, n, randoms);
            check_numbers(&mx.element, from, &cast, offset, n);
        }
}

/* By the library's own calls: what detmath(3) shows. */
static void test_example(void **state) {
    const struct detmath_mx_rules ocp = {DETMATH_MX_FLOOR, 0, 0, 0, 0, 0, 0, 0};
    const struct detmath_mx mx =
        detmath_mx_make(detmath_mx_formats[DETMATH_MXFP4_E2M1], ocp, DETMATH_NEAREST_EVEN, 0);
    const float numbers[] = {7.0f, -3.0f, 0.25f, 0.0f};
    unsigned char codes[4], scale;
    (void)state;
    detmath_mx_quantise(&mx, codes, &scale, DETMATH_F32, numbers, 4, NULL);
    assert_int_equal(scale, 127);
    assert_int_equal(codes[0], 0x7); /* 6: saturated */
    assert_int_equal(codes[1], 0xd);
    assert_int_equal(codes[2], 0x0);
    assert_int_equal(codes[3], 0x0);
}

int main(void) {
    struct error ignored;
    fp32 = format_find("fp32", &ignored);
    e8m0 = format_find("fp8_e8m0fnu", &ignored);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales), cmocka_unit_test(test_scales_of_torchao),
        cmocka_unit_test(test_elements), cmocka_unit_test(test_arrays_are_scalars),
        cmocka_unit_test(test_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

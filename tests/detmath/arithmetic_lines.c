/* Prints what dyadic and scaled operations return for seeded operands, one line each, for
 * arithmetic_check.py, which computes the same with integers and fractions. */
#include "detmath/dyadic.h"

#include "detmath/scaled_arrays.h"

#include "scaled.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROW = 9 };

static uint64_t seed = 29;

/* operation v1 s1 v2 s2 t shift bits signed | accumulator overflow rounding alignment random | v s
 * status */
static void dyadic_line(void) {
    static const char *const operations[] = {"align", "add",        "sub",     "mul",
                                             "div",   "requantise", "gradient"};
    uint64_t random = random_bits(&seed);
    int which = (int)(random % 7), shift = (int)(random >> 8 & 255) - 127,
        t = (int)(random >> 16 & 15);
    shift = random >> 56 & 1 ? shift : shift & 15;
    int bits = (int)(random >> 24 & 15) + 1, is_signed = (int)(random >> 32 & 1);
    unsigned width = (unsigned)(random >> 40 & 63);
    struct detmath_dyadic x = {(int64_t)random_bits(&seed) >> width, (int)(random >> 48 & 15)};
    struct detmath_dyadic y = {(int64_t)random_bits(&seed) >> (63 - width),
                               (int)(random >> 52 & 15)};
    random = random_bits(&seed);
    struct detmath_dyadic_rules rules = {random & 1 ? 64 : 32,
                                         (enum detmath_dyadic_overflow)((random >> 8 & 255) % 3),
                                         (enum detmath_dyadic_rounding)((random >> 16 & 255) % 6),
                                         (enum detmath_dyadic_alignment)(random >> 24 & 1)};
    random = random_bits(&seed);
    uint32_t status = 0;
    struct detmath_dyadic z =
        which == 0   ? detmath_dyadic_align(x, t, rules, random, &status)
        : which == 1 ? detmath_dyadic_add(x, y, rules, random, &status)
        : which == 2 ? detmath_dyadic_sub(x, y, rules, random, &status)
        : which == 3 ? detmath_dyadic_mul(x, y, shift, rules, random, &status)
        : which == 4 ? detmath_dyadic_div(x, y, shift, rules, &status)
        : which == 5 ? detmath_dyadic_requantise(x, t, bits, is_signed, rules, random, &status)
                     : detmath_dyadic_gradient(x, y, t, bits, is_signed, rules, random, &status);
    printf("dyadic %s %" PRId64 " %d %" PRId64 " %d %d %d %d %d %d %d %d %d %" PRIu64 " %" PRId64
           " %d %u\n",
           operations[which], (int64_t)x.v, x.s, (int64_t)y.v, y.s, t, shift, bits, is_signed,
           rules.bits, (int)rules.overflow, (int)rules.rounding, (int)rules.alignment, random,
           (int64_t)z.v, z.s, status);
}

/* operation format x y n | scales m e of a, b | result's code, m and e */
static void scaled_line(void) {
    static const struct {
        const char *word;
        enum scaled_operation operation;
    } rows[] = {{"add", SCALED_ADD},   {"sub", SCALED_SUB},   {"mul", SCALED_MUL},
                {"div", SCALED_DIV},   {"max", SCALED_MAX},   {"min", SCALED_MIN},
                {"relu", SCALED_RELU}, {"gelu", SCALED_GELU}, {"rebalance", SCALED_REBALANCE}};
    uint64_t random = random_bits(&seed);
    int which = (int)(random % 9);
    enum scaled_operation operation = rows[which].operation;
    int format = (int)(random >> 8 & 255) % DETMATH_FORMATS, n = (int)(random >> 16 & 31) - 16;
    const struct detmath_format row = detmath_formats[format];
    uint32_t x = (uint32_t)random_bits(&seed) & (2 * row.sign_bit - 1);
    uint32_t y = (uint32_t)random_bits(&seed) & (2 * row.sign_bit - 1);
    bool is_power = random >> 32 & 1;
    struct scaled_scale a = draw_scale(&seed, is_power), b = draw_scale(&seed, is_power);
    struct detmath_scaled_plan plan = plan_of(operation, a, b, n);
    uint32_t code = detmath_scaled_encode(
        element(operation, detmath_scaled_decode(x, row), detmath_scaled_decode(y, row), plan),
        row);
    printf("scaled %s %s %x %x %d %x %d %x %d %d %x %x %d\n", rows[which].word,
           format_of(format)->name, x, y, n, detmath_bits_f32(a.m), a.e, detmath_bits_f32(b.m), b.e,
           is_power, code, detmath_bits_f32(plan.scale.m), plan.scale.e);
}

/* Codes at random, half of them of one binade or the next, so that rows are not one large element
 * and nothing. */
static void draw_codes(int format, uint8_t *bytes, uint32_t codes[ROW], size_t count) {
    const struct detmath_format row = detmath_formats[format];
    size_t size = format_bytes(format_of(format));
    bool close = random_bits(&seed) & 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t random = random_bits(&seed);
        codes[i] = (uint32_t)random & (2 * row.sign_bit - 1);
        if (close)
            codes[i] = detmath_encode((double)(int32_t)random * 0x1p-30, row);
        code_store(bytes, size, i, codes[i]);
    }
}

static void print_codes(const uint32_t *codes, size_t count) {
    for (size_t i = 0; i < count; i++)
        printf("%s%x", i ? "," : " ", codes[i]);
}

/* format x[] | scale | result[] scale's code */
static void softmax_line(void) {
    uint64_t random = random_bits(&seed);
    int format = (int)(random % DETMATH_FORMATS);
    size_t count = 1 + (random >> 8) % ROW, size = format_bytes(format_of(format));
    uint32_t codes[ROW], packed[ROW], out[ROW];
    struct scaled_scale a = draw_scale(&seed, random >> 16 & 1);
    struct detmath_scaled_plan plan = plan_of(SCALED_SOFTMAX, a, a, 0);
    draw_codes(format, (uint8_t *)packed, codes, count);
    float scale = detmath_scaled_softmax(format, out, packed, count, &plan, DETMATH_SCALED_F32);
    printf("softmax %s", format_of(format)->name);
    print_codes(codes, count);
    for (size_t i = 0; i < count; i++)
        codes[i] = (uint32_t)code_load(out, size, i);
    printf(" %x %d", detmath_bits_f32(a.m), a.e);
    print_codes(codes, count);
    printf(" %x\n", detmath_bits_f32(scale));
}

/* format x[] y[] | scales, whether powers of two, strategy | result's code, m and e */
static void matmul_line(void) {
    static const char *const strategies[] = {"one", "unit", "power", "mean"};
    uint64_t random = random_bits(&seed);
    int format = (int)(random % DETMATH_FORMATS);
    size_t count = 1 + (random >> 8) % ROW;
    bool is_power = random >> 16 & 1;
    unsigned strategy = (unsigned)(random >> 24) % 4 & (is_power ? 2 : 3);
    uint32_t x[ROW], y[ROW], packed[2][ROW];
    struct scaled_scale a = draw_scale(&seed, is_power), b = draw_scale(&seed, is_power);
    draw_codes(format, (uint8_t *)packed[0], x, count);
    draw_codes(format, (uint8_t *)packed[1], y, count);
    struct detmath_scaled_plan plan = detmath_scaled_plan_matmul(
        kernel_scale(a), kernel_scale(b), (enum detmath_scaled_strategy)strategy, (uint32_t)count,
        is_power);
    uint32_t code = detmath_scaled_dot(format, packed[0], packed[1], count, 1, &plan);
    printf("matmul %s", format_of(format)->name);
    print_codes(x, count);
    print_codes(y, count);
    printf(" %x %d %x %d %d %s %x %x %d\n", detmath_bits_f32(a.m), a.e, detmath_bits_f32(b.m), b.e,
           is_power, strategies[strategy], code, detmath_bits_f32(plan.scale.m), plan.scale.e);
}

int main(void) {
    for (int i = 0; i < 30000; i++) {
        dyadic_line();
        scaled_line();
    }
    for (int i = 0; i < 2000; i++) {
        softmax_line();
        matmul_line();
    }
    return 0;
}

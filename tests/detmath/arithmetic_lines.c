/* Prints what dyadic and scaled operations return for seeded operands, one line each, for
 * arithmetic_check.py, which computes the same with integers and fractions. */
#include "detmath/dyadic.h"

#include "scaled.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t seed = 29;

/* operation v1 s1 v2 s2 t shift bits signed | accumulator overflow rounding alignment random | v s
 * status */
static void dyadic_line(void) {
    static const char *const operations[] = {"align", "add",        "sub",     "mul",
                                             "div",   "requantise", "gradient"};
    uint64_t random = random_bits(&seed);
    int which = (int)(random % 7), shift = (int)(random >> 8 & 15), t = (int)(random >> 16 & 15);
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
    static const char *const words[] = {"add", "sub", "mul",  "div",
                                        "max", "min", "relu", "rebalance"};
    uint64_t random = random_bits(&seed);
    enum scaled_operation operation = (enum scaled_operation)(random % 8);
    if (operation == 7)
        operation = SCALED_REBALANCE;
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
    printf("scaled %s %s %x %x %d %x %d %x %d %d %x %x %d\n", words[random % 8], names[format], x,
           y, n, detmath_bits_f32(a.m), a.e, detmath_bits_f32(b.m), b.e, is_power, code,
           detmath_bits_f32(plan.scale.m), plan.scale.e);
}

int main(void) {
    for (int i = 0; i < 30000; i++) {
        dyadic_line();
        scaled_line();
    }
    return 0;
}

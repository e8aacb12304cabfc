/* The powers of fp32 that lie nearest to a midpoint, found by multiplying out all significands, are those that built inputs have: of
 * integers those of pown, and of halves and quarters those of pow and powr. Five minutes of a processor. */
#include "sweep/built/built.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A power in 64 bits keeps 24 as fp32 does, and 40 that fall away, of which the middle is 2^39. Rounded to fp64 it becomes the middle where
 * it is at most 2^10 away; what the products lose is some 2^7. */
enum {
    LOST = 40,
    NEAR = 1400,
    SKIPPED = 77,
    INPUTS = 1 << 17,
    MOST = 64,
    LARGEST = 127,
    LARGEST_RESULT = 126
};
#define FIRST ((uint32_t)1 << 23)

/* (significand * 2^(exponent - 23))^(quarters / 4) */
struct power {
    uint32_t significand;
    int exponent, quarters;
};
static struct power found[MOST];
static size_t found_count;

static void look(long double power, const struct power *of) {
    uint64_t bits;
    memcpy(&bits, &power, sizeof bits);
    const int64_t away = (int64_t)(bits & (((uint64_t)1 << LOST) - 1)) - ((int64_t)1 << (LOST - 1));
    if (away <= -NEAR || away >= NEAR || !away) /* the middle itself is rounded once */
        return;
    if (found_count == MOST) {
        printf("more than %d powers\n", MOST);
        exit(1);
    }
    printf("%#x * 2^(%d - 23), quarters %d: %lld\n", of->significand, of->exponent, of->quarters,
           (long long)away);
    found[found_count++] = *of;
}

/* Powers n + quarters / 4 and the reciprocals of these, as far as results are normal numbers. A square is a number of fp64. */
static void multiply_out(uint32_t significand, int exponent, int quarters) {
    const long double base = (long double)significand / FIRST, x = ldexpl(base, exponent);
    const long double root = sqrtl(x), size = fabsl(log2l(x));
    long double power = quarters == 0   ? 1
                        : quarters == 2 ? root
                        : quarters == 1 ? sqrtl(root)
                                        : root * sqrtl(root);
    power = 2 * frexpl(power, &(int){0});
    for (int n = 0;
         n <= LARGEST && (quarters == 0 || (4 * n + quarters) * size <= 4 * LARGEST_RESULT); n++) {
        struct power of = {significand, exponent, 4 * n + quarters};
        if (of.quarters && of.quarters != 8)
            look(power, &of);
        of.quarters = -of.quarters;
        if (of.quarters)
            look(1 / power, &of);
        power *= base;
        power = power >= 2 ? power / 2 : power;
    }
}

/* Roots differ by the exponent of x modulo their order. */
static void multiply_all_out(void) {
    for (uint32_t significand = FIRST; significand < 2 * FIRST; significand++) {
        multiply_out(significand, 0, 0);
        for (int exponent = -1; exponent <= 0; exponent++)
            multiply_out(significand, exponent, 2);
        for (int exponent = -2; exponent <= 1; exponent++) {
            multiply_out(significand, exponent, 1);
            multiply_out(significand, exponent, 3);
        }
    }
}

/* How many of those found are not built for an operation: of pown those of integers count. */
static int count_missing(const char *operation, bool integers_only) {
    const struct format *format = &formats[FORMAT_FP32];
    const struct built_request request = {operation_row(operation), format, format,
                                          ROUND_NEAREST_EVEN, 1};
    struct builder *builder = builder_open(&request);
    bool is_built[MOST] = {false};
    int missing = 0;
    if (!builder)
        exit(EXIT_FAILURE);
    for (uint64_t number = 0; number < INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        const struct real x = format_decode(format, codes[0]), y = format_decode(format, codes[1]);
        if (x.kind != REAL_FINITE || y.kind != REAL_FINITE || y.exponent > 8)
            continue;
        const uint32_t significand = (uint32_t)(x.significand.high >> 40);
        const double quarters = 4 * real_to_double(&y);
        for (size_t i = 0; i < found_count; i++) {
            const int wanted = found[i].quarters;
            const int order = wanted % 4 == 0 ? 1 : wanted % 2 == 0 ? 2 : 4;
            is_built[i] = is_built[i] || (significand == found[i].significand &&
                                          !(quarters < wanted || quarters > wanted) &&
                                          (x.exponent - found[i].exponent) % order == 0);
        }
    }
    builder_close(builder);
    for (size_t i = 0; i < found_count; i++)
        missing += !is_built[i] && (!integers_only || found[i].quarters % 4 == 0);
    printf("%s: %d not built\n", operation, missing);
    return missing;
}

int main(void) {
    if (LDBL_MANT_DIG != 64)
        return SKIPPED;
    multiply_all_out();
    printf("%zu powers\n", found_count);
    const int missing =
        count_missing("pown", true) + count_missing("pow", false) + count_missing("powr", false);
    return !found_count || missing;
}

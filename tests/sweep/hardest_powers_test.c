/* The powers of fp32 that lie nearest to a midpoint, found by multiplying out all significands, are those that built inputs of pown have.
 * Half a minute of a processor. */
#include "sweep/built/built.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A power in 64 bits keeps 24 as fp32 does, and 40 that fall away, of which the middle is 2^39. Rounded to fp64 it becomes the middle where
 * it is at most 2^10 away; what the products lose is some 2^7. */
enum { LOST = 40, NEAR = 1400, SKIPPED = 77, INPUTS = 1 << 16, MOST = 16, LARGEST_ORDER = 127 };
#define FIRST ((uint32_t)1 << 23)

struct power {
    uint32_t significand;
    int order;
    bool is_built;
};
static struct power found[MOST];
static size_t found_count;

static void look(long double power, uint32_t significand, int order) {
    uint64_t bits;
    memcpy(&bits, &power, sizeof bits);
    const int64_t away = (int64_t)(bits & (((uint64_t)1 << LOST) - 1)) - ((int64_t)1 << (LOST - 1));
    if (away <= -NEAR || away >= NEAR || !away) /* the middle itself is rounded once */
        return;
    if (found_count == MOST) {
        printf("more than %d powers\n", MOST);
        exit(1);
    }
    printf("%u %d: %lld\n", significand, order, (long long)away);
    found[found_count++] = (struct power){significand, order, false};
}

/* Those of n from 3 to 127 and from -1 to -127. A square is a number of fp64. */
static void multiply_out(void) {
    for (uint32_t x = FIRST; x < 2 * FIRST; x++) {
        const long double base = (long double)x / FIRST;
        long double power = base;
        for (int n = 1; n <= LARGEST_ORDER; n++) {
            if (n > 1)
                power *= base;
            power = power >= 2 ? power / 2 : power;
            if (n > 2)
                look(power, x, n);
            look(1 / power, x, -n);
        }
    }
}

int main(void) {
    const struct format *format = &formats[FORMAT_FP32];
    const struct built_request request = {operation_row("pown"), format, format, ROUND_NEAREST_EVEN,
                                          1};
    struct builder *builder = builder_open(&request);
    if (LDBL_MANT_DIG != 64)
        return SKIPPED;
    if (!builder)
        return EXIT_FAILURE;
    multiply_out();
    for (uint64_t number = 0; number < INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        const struct real x = format_decode(format, codes[0]), n = format_decode(format, codes[1]);
        const uint32_t significand = (uint32_t)(x.significand.high >> 40);
        for (size_t i = 0; i < found_count; i++)
            found[i].is_built =
                found[i].is_built ||
                (x.kind == REAL_FINITE && n.kind == REAL_FINITE &&
                 significand == found[i].significand && (int)real_to_double(&n) == found[i].order);
    }
    builder_close(builder);
    int missing = 0;
    for (size_t i = 0; i < found_count; i++)
        missing += !found[i].is_built;
    printf("%zu powers, %d of them not built\n", found_count, missing);
    return !found_count || missing;
}

/* Matrix products by lanes are those of the definition, bit by bit: 840,000 elements of all units that have lanes, with
 * ALL_CASES in the environment 2,800,000, of random codes, of numbers about 1, with zeros, of numbers that cancel, and where
 * results are subnormal or overflow. */
#include "order/unit_lanes.h"

#include "../../base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 9, INNER = 83, COLUMNS = 13, LARGEST = 6, KINDS = 8 };

static uint64_t state = 53;

/* An exponent field about the one of 2^exponent, and a random fraction; zeros of both signs where a draw says so. */
static uint64_t about(const struct format *format, int exponent, int spread, int zeros) {
    unsigned fraction = (unsigned)format->precision - 1;
    uint64_t bits = random_bits(&state);
    uint64_t sign = bits >> 63 ? format->sign_bit : 0;
    if (zeros && bits % 8 < (uint64_t)zeros)
        return sign;
    int field = exponent + format->exponent_bias + random_between(&state, -spread, spread);
    int most = (int)(format->max_finite >> fraction);
    field = field < 0 ? 0 : field > most ? most : field;
    uint64_t magnitude =
        (uint64_t)field << fraction | (bits >> 8 & ((UINT64_C(1) << fraction) - 1));
    return sign | (magnitude > format->max_finite ? format->max_finite : magnitude);
}

static uint64_t one(const struct format *format) {
    return (uint64_t)format->exponent_bias << (format->precision - 1);
}

static uint64_t draw(const struct format *format, const struct format *result, int kind) {
    switch (kind) {
    case 0:
        return random_bits(&state) & format_mask(format);
    case 1:
        return about(format, 0, 3, 0);
    case 2:
        return about(format, 0, 12, 3);
    case 3: /* results about the least normal number */
        return about(format, result->emin / 2, 6, 1);
    case 4: /* about the largest one */
        return about(format, result->emax / 2, 2, 1);
    case 5:
        return about(format, format->emin, 3, 1);
    case LARGEST: /* as large a sum as there is: every other call adds 1 times this, so that c is as large as a term */
        return one(format) | ((UINT64_C(1) << (format->precision - 1)) - 1);
    default:
        return about(format, 0, 1, 5);
    }
}

/* How many elements were compared. */
static int products(void) {
    return getenv("ALL_CASES") ? 800 : 240;
}

static unsigned long hold(const struct unit *unit) {
    static uint64_t a[ROWS * INNER], b[COLUMNS * INNER], d[ROWS * COLUMNS];
    unsigned long elements = 0;
    const uint64_t zero = 0;
    for (int number = 0; number < products(); number++) {
        int kind = number % KINDS;
        for (size_t i = 0; i < ROWS * INNER; i++)
            a[i] = draw(unit->format, unit->node->result, kind);
        for (size_t i = 0; i < COLUMNS * INNER; i++)
            b[i] = draw(unit->format, unit->node->result, kind);
        for (size_t i = 0; number % 3 == 0 && kind != LARGEST && i < COLUMNS * INNER;
             i += 2) { /* sums cancel */
            a[i % (ROWS * INNER)] = a[(i + 1) % (ROWS * INNER)];
            b[i] = b[(i + 1) % (COLUMNS * INNER)] ^ unit->format->sign_bit;
        }
        struct unit_product product = {.unit = unit,
                                       .rows = ROWS,
                                       .inner = INNER,
                                       .columns = COLUMNS,
                                       .first = (size_t)random_between(&state, 0, 20),
                                       .a = a,
                                       .b = b,
                                       .d = d};
        if (kind == LARGEST) {
            product.first = 0;
            for (size_t i = 0; i < ROWS * INNER; i++)
                if (i % INNER / unit->call % 2 == 0)
                    a[i] = i % INNER % unit->call ? 0 : one(unit->format);
        }
        product.count = (size_t)random_between(&state, 1, (int)(INNER - product.first));
        assert_true(unit_multiply(&product));
        for (size_t i = 0; i < ROWS * COLUMNS; i++, elements++) {
            uint64_t want = unit_dot(unit, a + i / COLUMNS * INNER + product.first,
                                     b + i % COLUMNS * INNER + product.first, product.count, &zero);
            if (want != d[i])
                fail_msg("%s %s to %s, kind %d, %zu products: %llx, not %llx", unit->name,
                         unit->format->name, unit->node->result->name, kind, product.count,
                         (unsigned long long)d[i], (unsigned long long)want);
        }
    }
    return elements;
}

static void test_lanes(void **context) {
    (void)context;
    unsigned long rows = 0, elements = 0;
    for (size_t i = 0; i < unit_count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= units[j].node == units[i].node && units[j].format == units[i].format &&
                    units[j].call == units[i].call && units[j].shape == units[i].shape;
        if (seen || (!unit_has_lanes(&units[i]) && units[i].shape != UNIT_REGISTER_HALVES))
            continue;
        rows++;
        elements += hold(&units[i]);
    }
    assert_true(rows >= 24);
    assert_true(elements > rows * 100 * (unsigned long)products());
    print_message("0 of %lu elements wrong, of %lu units by %s\n", elements, rows,
                  unit_multiply_avx2 ? "lanes" : "no lanes, which this machine lacks");
}

/* Sums below the least exponent of alignment that are zero only where all bits are kept: one number, and its two halves
 * with an odd last bit. What the definition says was worked out by hand. */
static void test_cancelled_below_the_floor(void **context) {
    static const struct {
        const char *unit;
        int format, result;
        uint64_t a[3], b[3], sum;
    } rows[] = {
        /* -1.5 * 2^-79 and twice 1.5 * 2^-80, by 2^-79 */
        {"h100",
         FORMAT_BF16,
         FORMAT_FP32,
         {0x9840, 0x17c0, 0x17c0},
         {0x1800, 0x1800, 0x1800},
         0x80000000},
        {"v100", FORMAT_FP16, FORMAT_FP16, {0x8003, 3, 3}, {0x20, 0x10, 0x10}, 0x8000},
    };
    (void)context;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error;
        uint64_t sum = 1;
        const uint64_t zero = 0;
        const struct unit *unit =
            unit_find(rows[i].unit, &formats[rows[i].format], &formats[rows[i].result], &error);
        assert_non_null(unit);
        const struct unit_product product = {.unit = unit,
                                             .rows = 1,
                                             .inner = 3,
                                             .columns = 1,
                                             .count = 3,
                                             .a = rows[i].a,
                                             .b = rows[i].b,
                                             .d = &sum};
        assert_true(unit_multiply(&product));
        assert_int_equal(sum, rows[i].sum);
        assert_int_equal(unit_dot(unit, rows[i].a, rows[i].b, 3, &zero), rows[i].sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lanes),
                                       cmocka_unit_test(test_cancelled_below_the_floor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The fast oracle against the exact one for functions of two operands, and for fma. */
#include "both_oracles.h"

#include "op/function/section.h"
#include "sweep/generator.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* First operands from `first` on, two of them, so that a row ends inside of a slice; with each
 * every second operand, or a few of either sign where the exact oracle takes milliseconds. Of three
 * operands the second is drawn, too. */
static void compare_rows(const struct operation *operation, const struct format *format,
                         enum rounding rounding, uint64_t first) {
    struct code_set sets[MAX_OPERANDS] = {0};
    struct domain domain;
    struct error error;
    const size_t last = (size_t)operation->operands - 1;
    const uint64_t second = generator_below(13, first, 0, 0x10000);
    assert_true(code_set_append(&sets[0], first, first + 1, &error));
    if (last > 1)
        assert_true(code_set_append(&sets[1], second, second, &error));
    if (operation->result[0].partly) {
        uint64_t middle = format->max_finite / 2;
        assert_true(code_set_append(&sets[last], middle, middle + 0x0f, &error));
        middle |= format->sign_bit;
        assert_true(code_set_append(&sets[last], middle, middle + 0x0f, &error));
    } else {
        assert_true(code_set_all(&sets[last], format, &error));
    }
    assert_true(
        domain_product(&domain, DOMAIN_RANGE, format, operation->operands, sets, last + 1, &error));
    snprintf(domain.text, sizeof domain.text, "row 0x%04llx", (unsigned long long)first);
    compare_oracles(operation, rounding, &domain);
}

static bool has_section(const struct operation *operation, bool by_arithmetic) {
    const struct section_rule *rule = operation->result[0].section;
    return rule && (rule->arithmetic != ARITHMETIC_NONE) == by_arithmetic && is_wanted(operation);
}

void test_pairs(void **state) {
    (void)state;
    static const uint16_t firsts[] = {
        0x0000, 0x0001, 0x03ff, 0x2e66, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x4248, 0x63d0, 0x7bff,
        0x7c00, 0x8001, 0xbc00, 0xc700, 0xfbff, 0xfe00, 0x1401, 0x9401, 0xb7ff, 0xbbff, 0xbc01,
        0x8000, 0x0400, 0x3f7f, 0x3f81, 0x3f80, 0xbf80, 0xbf7f, 0x3b80, 0xbb80};
    enum { FIRSTS = sizeof firsts / sizeof *firsts };
    static const char *const names[] = {"fp16", "bf16"};
    for (size_t i = 0; operation_at(i); i++)
        for (size_t j = 0; has_section(operation_at(i), false) && j < 2 * FIRSTS; j++) {
            if (!want_all && (i + j) % 96)
                continue;
            const struct format *format = format_find(names[j / FIRSTS], &(struct error){{0}});
            uint64_t chosen =
                j % 4 == 3 ? generator_below(5, i * 64 + j, 0, 0xffff) : firsts[j % FIRSTS];
            compare_rows(operation_at(i), format, (enum rounding)((i + j) % ROUNDING_COUNT),
                         chosen);
        }
}

/* Each operation in each format and rounding: one row by chance, one of zeros, subnormals, the
 * largest numbers, infinity or NaN. */
void test_arithmetic(void **state) {
    (void)state;
    static const char *const names[] = {"fp16", "bf16"};
    unsigned turn = 0;
    for (size_t i = 0; operation_at(i); i++)
        for (unsigned j = 0; has_section(operation_at(i), true) && j < 2; j++)
            for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++, turn++) {
                if (!want_all && (turn + i) % 5) /* the others with "all" */
                    continue;
                const struct format *format = format_find(names[j], &(struct error){{0}});
                uint64_t largest = format->max_finite,
                         normal = (uint64_t)1 << (format->precision - 1);
                const uint64_t special[] = {0,       1,           normal - 1,  largest - 1,
                                            largest, largest + 1, format->nan, 2 * normal + 1};
                size_t specials = sizeof special / sizeof *special;
                for (size_t k = 0; k < (want_all ? specials : 1); k++)
                    compare_rows(operation_at(i), format, (enum rounding)rounding,
                                 special[(turn * 3 + k) % specials] | (turn & 1) << 15);
                for (unsigned k = 0; k < (want_all ? 20 : 1); k++)
                    compare_rows(operation_at(i), format, (enum rounding)rounding,
                                 generator_below(11, turn, k, 0xffff));
            }
}

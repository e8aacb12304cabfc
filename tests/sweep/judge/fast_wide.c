/* The fast oracle against the exact one in fp64: runs of consecutive inputs at places that are hard
 * for it, and at places drawn at random. */
#include "both_oracles.h"

#include "sweep/generator.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Codes in a run; runs of a function and rounding. */
static uint64_t run_length = 96;
static unsigned runs = 8;

/* Ends of binades and of what numbers are integers; where e^x - 1 and its like leave their lines;
 * multiples of pi and pi/2, and numbers so large that neighbours lie many periods apart. */
static const double hard[] = {
    0,          0x1p-1074,  0x1p-1050,  0x1p-1022,  0x1p-1000, 0x1p-538, 0x1p-79, 0x1p-74,
    0x1p-53,    0x1p-39,    0x1p-27,    0x1p-26,    0x1p-7,    0.25,     0.5,     1,
    3.14159265, 1.57079632, 7.99999999, 12.5663706, 36.7,      170.6,    196.5,   709.4,
    745.1,      0x1p10,     0x1p20,     0x1p36,     0x1p45,    0x1p50,   0x1p51,  0x1p52,
    0x1p53,     0x1p100,    0x1p900,    0x1.ffp1023};

/* The code of one of those, a landmark or power of two, or any. */
static uint64_t choose_code(const struct operation *operation, const struct format *fp64,
                            unsigned turn, uint64_t seed) {
    uint64_t draw = generator_bits(seed, turn, 1), code = draw >> 1;
    if (turn % 4 < 2) {
        memcpy(&code, &hard[(draw >> 8) % (sizeof hard / sizeof *hard)], sizeof code);
    } else if (turn % 4 == 2) {
        struct code_set set = {0};
        struct error error;
        assert_true(code_set_special(&set, fp64, operation, &error));
        code = code_set_at(&set, (draw >> 8) % set.count);
        code_set_free(&set);
        return code;
    } else if (draw & 2) {
        code = UINT64_C(0x3fc0000000000000) + generator_below(seed, turn, 2, UINT64_C(7) << 53);
    }
    return code | draw << 63;
}

/* Runs that begin shortly before such codes, of the last operand; `count` of them, in one sweep. */
static uint64_t compare_runs(const struct operation *operation, enum rounding rounding,
                             uint64_t seed) {
    const struct format *fp64 = format_find("fp64", &(struct error){{0}});
    uint64_t decided = 0;
    for (unsigned turn = 0; turn < runs; turn++) {
        struct code_set sets[2] = {{0}};
        struct domain domain;
        struct error error;
        int operands = operation->operands;
        uint64_t code = choose_code(operation, fp64, turn, seed);
        uint64_t back = generator_below(seed, turn, 3, run_length);
        uint64_t first = code > back ? code - back : 0;
        uint64_t last = first + run_length - 1 > first ? first + run_length - 1 : UINT64_MAX;
        if (operands == 2) {
            uint64_t fixed = choose_code(operation, fp64, turn / 2 + 1, seed + 1000);
            assert_true(code_set_append(&sets[0], fixed, fixed, &error));
        }
        assert_true(code_set_append(&sets[operands - 1], first, last, &error));
        assert_true(
            domain_product(&domain, DOMAIN_RANGE, fp64, operands, sets, (size_t)operands, &error));
        snprintf(domain.text, sizeof domain.text, "from 0x%016llx", (unsigned long long)first);
        decided += compare_oracles(operation, rounding, &domain);
    }
    return decided;
}

static bool is_slow(const struct operation *operation) {
    return strstr(operation->name, "gamma") != NULL;
}

static void compare_every(const char *group, bool (*is_wanted)(const struct operation *)) {
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        uint64_t decided = 0;
        const struct result_rule *rule = &operation->result[0];
        if (!operation_in_group(operation, group) || rule->exact ||
            (is_wanted && !is_wanted(operation)))
            continue;
        for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
            if (!is_slow(operation) || rounding % 3 == 0)
                decided += compare_runs(operation, (enum rounding)rounding, i + 1);
        if (!decided && !rule->partly)
            fail_msg("%s: the fast oracle decides nothing", operation->name);
    }
}

void test_wide(void **state) {
    (void)state;
    compare_every("unary", NULL);
}

static bool has_wide_section(const struct operation *operation) {
    const struct section_rule *rule = operation->result[0].section;
    return rule && (rule->open || rule->arithmetic == ARITHMETIC_DIM ||
                    rule->arithmetic == ARITHMETIC_ADD || rule->arithmetic == ARITHMETIC_SUB);
}

void test_wide_pairs(void **state) {
    (void)state;
    runs = 24;
    compare_every("binary", has_wide_section);
}

/* The fast oracle against the exact one: every function of one operand in every rounding, on ranges
 * of fp32 where it is hard and on fp16 and bf16, and functions of two operands on rows of fp16 and
 * bf16, judging outputs that are right, off by some codes, NaN, infinite or of the wrong sign. The
 * two reports must agree in everything but the last digits of the mean.
 *
 *   fast_test [ranges | halves | neighbours | slow | overflow | far | supporting_lines | narrow | pairs | arithmetic |
 *             wide | wide_pairs | all | dense | dense_wide [operation...]]
 *
 * With "all", every code of fp16 and bf16 in every rounding, and more ranges and rows: of functions that are
 * named always. With "dense", 2^24 inputs and more of every function of one operand, as the platform's
 * libm computes it where it does. With "dense_wide", 2^24 of fp64, and 2^20 in every rounding. */
#include "both_oracles.h"

#include "op/function/asymptote.h"
#include "sweep/generator.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Inputs of a range, and ranges of a function and rounding. */
enum { RANGE = 700, RANGES = 2, ALL_RANGES = 9 };

bool want_all;

static uint64_t compare_range_of(const struct operation *operation, enum rounding rounding,
                                 uint64_t first, uint64_t last) {
    const struct format *fp32 = format_find("fp32", &(struct error){{0}});
    struct code_set set = {0};
    struct domain domain;
    struct error error;
    assert_true(code_set_append(&set, first, last, &error));
    assert_true(domain_product(&domain, DOMAIN_RANGE, fp32, 1, &set, 1, &error));
    snprintf(domain.text, sizeof domain.text, "from 0x%08llx", (unsigned long long)first);
    return compare_oracles(operation, rounding, &domain);
}

static uint64_t compare_range(const struct operation *operation, enum rounding rounding,
                              uint64_t first) {
    uint64_t last = first + RANGE - 1 < UINT32_MAX ? first + RANGE - 1 : UINT32_MAX;
    return compare_range_of(operation, rounding, first, last);
}

/* Where a range begins: around binade edges of every size, landmarks and random codes. */
static uint64_t choose_start(const struct operation *operation, unsigned turn, uint64_t seed) {
    static const uint32_t hard[] = {0x00000000, 0x00400000, 0x00800000, 0x33000000, 0x33800000,
                                    0x39800000, 0x3f000000, 0x3f7ffe00, 0x3f800000, 0x40490e00,
                                    0x41118000, 0x41a00000, 0x42aeac50, 0x42b17218, 0x42cff1b5,
                                    0x43000000, 0x4b000000, 0x7f7fff00};
    uint64_t draw = generator_bits(seed, turn, 1);
    uint64_t sign = (draw & 1) << 31, code;
    if (turn % 3 == 0) {
        code = hard[(draw >> 8) % (sizeof hard / sizeof *hard)];
    } else if (turn % 3 == 1 && operation->landmarks) {
        const struct format *fp32 = format_find("fp32", &(struct error){{0}});
        struct code_set set = {0};
        struct error error;
        assert_true(code_set_special(&set, fp32, operation, &error));
        code = code_set_at(&set, (draw >> 8) % set.count);
        code_set_free(&set);
        sign = 0;
    } else {
        code = draw >> 40;
        code = (code << 7 | (draw >> 33 & 0x7f)) & 0x7fffffff;
    }
    code |= sign;
    return code > RANGE / 2 ? code - generator_below(seed, turn, 2, RANGE / 2) : code;
}

static void test_every_function(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        if (!operation_in_group(operation, "unary") || !is_wanted(operation))
            continue;
        uint64_t decided = 0;
        for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
            for (unsigned turn = 0; turn < (want_all ? ALL_RANGES : RANGES); turn++) {
                bool gamma = strstr(operation->name, "gamma") != NULL;
                if (gamma && (turn % 4 || (!want_all && rounding % 3)))
                    continue; /* MPFR takes long for these */
                decided += compare_range(
                    operation, (enum rounding)rounding,
                    choose_start(operation, want_all ? turn : turn + (unsigned)rounding, i + 1));
            }
        if (!decided)
            fail_msg("%s: the fast oracle decides nothing", operation->name);
    }
}

static bool halves_near_zero(const struct operation *operation) {
    const struct asymptote *asymptote =
        operation->operands == 1 ? operation->result[0].asymptotes : NULL;
    while (asymptote && asymptote->side != ASYMPTOTE_END &&
           !(asymptote->slope > 0 && asymptote->slope < 1))
        asymptote++;
    return asymptote && asymptote->side != ASYMPTOTE_END;
}

/* Functions that run along x/2, where that is subnormal and where it begins not to be: right
 * outputs, and some wrong ones among them. */
static void test_halves_of_subnormals(void **state) {
    (void)state;
    static const uint32_t firsts[] = {1, 0x123456, 0x7ffc00, 0xfffc00};
    int functions = 0;
    for (size_t i = 0; operation_at(i); i++) {
        if (!halves_near_zero(operation_at(i)))
            continue;
        functions++;
        for (unsigned turn = 0; turn < 4 * ROUNDING_COUNT; turn++) {
            if (!want_all && (turn + i) % 3)
                continue;
            enum rounding rounding = (enum rounding)(turn / 4);
            uint64_t sign = (uint64_t)(turn & 1) << 31, count = sizeof firsts / sizeof *firsts;
            spoiling = turn & 2 ? SPOIL_SOME : SPOIL_NONE;
            for (size_t j = 0; j < count; j++)
                assert_true(compare_range(operation_at(i), rounding, firsts[j] | sign) > RANGE / 2);
        }
    }
    spoiling = SPOIL_SOME;
    assert_true(functions > 0);
}

/* Along x, where all outputs of a stretch lie at the same distance from the right ones. */
static void test_neighbours_along_lines(void **state) {
    (void)state;
    static const uint32_t firsts[] = {0x38000000, 0x20000800, 0x00800400, 0x00123400};
    static const char *const names[] = {"sin", "asinh", "expm1", "log1p"};
    spoiling = SPOIL_NEIGHBOURS;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned turn = 0; turn < 8 * ROUNDING_COUNT; turn++) {
            const struct operation *operation = operation_find(names[i], &(struct error){{0}});
            uint64_t first = firsts[turn / 2 % 4] | (uint64_t)(turn & 1) << 31;
            compare_range_of(operation, (enum rounding)(turn / 8), first, first + 4095);
        }
    spoiling = SPOIL_SOME;
}

/* Where errors of right outputs grow or shrink from input to input by less than can be told of each,
 * around numbers at which they come to rank higher. */
static void test_slow_errors(void **state) {
    (void)state;
    static const uint32_t firsts[] = {0x2a800000, 0x2ac00000, 0x2e008000, 0x33008000, 0x37008000};
    static const char *const names[] = {"exp",  "sigmoid", "softplus", "logsigmoid", "silu",
                                        "acos", "cos",     "tanh",     "log1p",      "erfc"};
    const enum rounding roundings[] = {ROUND_NEAREST_EVEN, ROUND_TOWARD_ZERO};
    spoiling = SPOIL_NONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned turn = 0; turn < 20; turn++) {
            const struct operation *operation = operation_find(names[i], &(struct error){{0}});
            uint64_t first = (firsts[turn / 4] - 1024) | (uint64_t)(turn & 1) << 31;
            compare_range_of(operation, roundings[turn / 2 % 2], first, first + 2047);
        }
    spoiling = SPOIL_SOME;
}

/* Where a library overflows and the function does not; at 2 and at 1/2 too, where its binade changes. */
static void test_early_overflow(void **state) {
    (void)state;
    static const uint32_t firsts[] = {0x3efff000, 0x3f317000, 0x3f800800, 0x40001000, 0x5f7ff000};
    static const char *const names[] = {"asinh", "acosh", "exp2", "log2",
                                        "cbrt",  "mish",  "atan", "erf"};
    spoiling = SPOIL_OVERFLOW;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned turn = 0; turn < 10; turn++) {
            const struct operation *operation = operation_find(names[i], &(struct error){{0}});
            uint64_t first = firsts[turn / 2] | (uint64_t)(turn & 1) << 31;
            compare_range_of(operation, (enum rounding)(turn % ROUNDING_COUNT), first,
                             first + 6143);
        }
    spoiling = SPOIL_SOME;
}

/* Where outputs are so far off that their errors are no units of decide.h, and there are enough of them to
 * be counted together. */
static void test_far_outputs(void **state) {
    (void)state;
    static const uint32_t firsts[] = {0x3e000000, 0x3f312000, 0x3f7f0000, 0x40491000, 0x41800000,
                                      0x42800000, 0x4b000000, 0x007ff000, 0x2d123000, 0x31800000};
    static const char *const names[] = {"exp",   "log",   "sin",  "tan",  "cos",   "asinh",
                                        "sinpi", "cbrt",  "erf",  "gelu", "j0",    "tanh",
                                        "silu",  "log1p", "sinh", "mish", "lgamma"};
    spoiling = SPOIL_FAR;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned turn = 0; turn < 10; turn++) {
            const struct operation *operation = operation_find(names[i], &(struct error){{0}});
            uint64_t first = firsts[turn] | (uint64_t)((i + turn) & 1) << 31;
            compare_range_of(operation, (enum rounding)((i + turn) % ROUNDING_COUNT), first - 300,
                             first + 2047);
        }
    spoiling = SPOIL_SOME;
}

/* Beside a line whose slope is no power of two, where a fifth of the inputs have a number on it. */
static void test_supporting_lines(void **state) {
    (void)state;
    static const uint32_t firsts[] = {0x123456, 0x00fffc00, 0x20000000, 0x32fffc00};
    const struct operation *operation = operation_find("mish", &(struct error){{0}});
    assert_true(operation && operation->result[0].supporting_line);
    for (unsigned turn = 0; turn < 4 * ROUNDING_COUNT; turn++) {
        uint64_t sign = (uint64_t)(turn & 1) << 31;
        spoiling = turn & 2 ? SPOIL_SOME : SPOIL_NONE;
        for (size_t j = 0; j < sizeof firsts / sizeof *firsts; j++) {
            uint64_t decided =
                compare_range(operation, (enum rounding)(turn / 4), firsts[j] | sign);
            assert_true(spoiling != SPOIL_NONE || decided >= RANGE - 2);
        }
    }
    spoiling = SPOIL_SOME;
}

/* Every code of the 16-bit formats; of a tenth of the functions, in one rounding of one of them, unless all
 * are wanted. */
static void test_narrow_formats(void **state) {
    (void)state;
    static const char *const names[] = {"fp16", "bf16"};
    for (size_t i = 0; operation_at(i); i++)
        for (unsigned j = 0;
             operation_in_group(operation_at(i), "unary") && is_wanted(operation_at(i)) && j < 2;
             j++)
            for (unsigned rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
                struct code_set set = {0};
                struct domain domain;
                struct error error;
                const struct format *format = format_find(names[j], &error);
                bool gamma = strstr(operation_at(i)->name, "gamma") != NULL;
                if (!want_all && (gamma || (i + j) % 18 || (i / 2 + rounding) % 5 > 0))
                    continue;
                assert_true(code_set_all(&set, format, &error));
                assert_true(domain_product(&domain, DOMAIN_ALL, format, 1, &set, 1, &error));
                compare_oracles(operation_at(i), (enum rounding)rounding, &domain);
            }
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        struct CMUnitTest test;
    } parts[] = {{"ranges", cmocka_unit_test(test_every_function)},
                 {"halves", cmocka_unit_test(test_halves_of_subnormals)},
                 {"neighbours", cmocka_unit_test(test_neighbours_along_lines)},
                 {"slow", cmocka_unit_test(test_slow_errors)},
                 {"overflow", cmocka_unit_test(test_early_overflow)},
                 {"far", cmocka_unit_test(test_far_outputs)},
                 {"supporting_lines", cmocka_unit_test(test_supporting_lines)},
                 {"narrow", cmocka_unit_test(test_narrow_formats)},
                 {"pairs", cmocka_unit_test(test_pairs)},
                 {"arithmetic", cmocka_unit_test(test_arithmetic)},
                 {"wide", cmocka_unit_test(test_wide)},
                 {"wide_pairs", cmocka_unit_test(test_wide_pairs)},
                 {"wide_places", cmocka_unit_test(test_wide_places)},
                 {"wide_far", cmocka_unit_test(test_wide_far)}};
    int failures = 0;
    bool wide = count > 1 && strcmp(words[1], "dense_wide") == 0;
    wanted_count = count > 2 ? count - 2 : 0;
    wanted = words + 2;
    if (wide || (count > 1 && strcmp(words[1], "dense") == 0))
        return run_dense(wide);
    want_all = wanted_count > 0 || (count > 1 && strcmp(words[1], "all") == 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct CMUnitTest tests[] = {parts[i].test};
        if (count < 2 || strcmp(words[1], "all") == 0 || strcmp(words[1], parts[i].name) == 0)
            failures += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failures;
}

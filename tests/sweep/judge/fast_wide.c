/* The fast oracle against the exact one in fp64: runs of consecutive inputs at places that are hard
 * for it, and at places drawn at random. */
#include "both_oracles.h"

#include "op/function/section.h"
#include "oracle/fast/filter.h"
#include "sweep/generator.h"

#include <math.h>
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

#define PI 0x1.921fb54442d18p+1 /* the double next to it */

/* Ends of binades and of what numbers are integers; where e^x - 1 and its like leave their lines;
 * multiples of pi and pi/2, and numbers so large that neighbours lie many periods apart. */
static const double hard[] = {
    0,       0x1p-1074, 0x1p-1050, 0x1p-1022, 0x1p-1000,  0x1p-538, 0x1p-79, 0x1p-74,
    0x1p-53, 0x1p-39,   0x1p-27,   0x1p-26,   0x1p-7,     0.25,     0.5,     1,
    PI,      PI / 2,    8,         2 * PI,    4 * PI,     36.7,     170.6,   196.5,
    709.4,   745.1,     0x1p10,    0x1p20,    0x1p36,     0x1p45,   0x1p50,  0x1p51,
    0x1p52,  0x1p53,    0x1p100,   0x1p900,   0x1.ffp1023};

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

/* Of functions of a long long: a large integer, and beside it a number for which the result is neither
 * 0 nor infinity; for roots any positive one. */
static uint64_t choose_integer(const struct operation *operation, unsigned turn, uint64_t seed,
                               uint64_t *fixed) {
    int exponent = 52 + (int)generator_below(seed, turn, 4, 11);
    uint64_t draw = generator_bits(seed, turn, 5);
    bool is_distance = strcmp(operation->name, "compoundn") == 0; /* from 1 */
    double near = ldexp(draw & 1 ? 1 : -1, -exponent + (int)(draw >> 1) % 12) *
                  (1 + (double)(draw >> 40) * 0x1p-24);
    double first = is_distance ? near : (draw & 2 ? -1 : 1) * (1 + near);
    double order = ldexp(draw & 4 ? 1 : -1, exponent);
    uint64_t code;
    memcpy(fixed, &first, sizeof *fixed);
    if (strcmp(operation->name, "rootn") == 0)
        *fixed = generator_below(seed, turn, 7, UINT64_C(0x7ff) << 52);
    memcpy(&code, &order, sizeof code);
    return code + generator_below(seed, turn, 6, UINT64_C(1) << 52);
}

/* Inputs that the fast oracle decided; those in runs that begin in a FIT block, by its form. */
enum { FORMS = FIT_ARITHMETIC + 1 };
struct decided {
    uint64_t asked, all, fitted, by_form[FORMS];
};

static void count_run(struct decided *decided, const struct block *block, uint64_t count) {
    decided->asked += run_length;
    decided->all += count;
    if (block->kind == BLOCK_FIT) {
        decided->fitted += count;
        decided->by_form[block->fit.form] += count;
    }
}

/* The inputs first .. last of the last operand; how many the fast oracle decided. */
static uint64_t compare_run(const struct operation *operation, enum rounding rounding,
                            uint64_t fixed, uint64_t first, uint64_t last) {
    const struct format *fp64 = format_find("fp64", &(struct error){{0}});
    int operands = operation->operands;
    struct code_set sets[2] = {{0}};
    struct domain domain;
    struct error error;
    if (operands == 2)
        assert_true(code_set_append(&sets[0], fixed, fixed, &error));
    assert_true(code_set_append(&sets[operands - 1], first, last, &error));
    assert_true(
        domain_product(&domain, DOMAIN_RANGE, fp64, operands, sets, (size_t)operands, &error));
    snprintf(domain.text, sizeof domain.text, "from 0x%016llx", (unsigned long long)first);
    return compare_oracles(operation, rounding, &domain);
}

/* Runs that begin shortly before such codes, of the last operand. */
static void compare_runs(const struct operation *operation, enum rounding rounding, uint64_t seed,
                         struct filter *filter, struct decided *decided) {
    const struct format *fp64 = format_find("fp64", &(struct error){{0}});
    for (unsigned turn = 0; turn < runs; turn++) {
        uint64_t code = choose_code(operation, fp64, turn, seed);
        uint64_t back = generator_below(seed, turn, 3, run_length);
        uint64_t first = code > back ? code - back : 0;
        uint64_t last = first + run_length - 1 > first ? first + run_length - 1 : UINT64_MAX;
        uint64_t fixed =
            operation->operands == 2 ? choose_code(operation, fp64, turn / 2 + 1, seed + 1000) : 0;
        if (operation->platform.signature == C_LONG_LONG_SECOND && turn % 2) {
            first = choose_integer(operation, turn, seed, &fixed);
            last = first + run_length - 1;
        }
        uint64_t count = compare_run(operation, rounding, fixed, first, last);
        count_run(decided, filter_block(filter, &fixed, first), count);
    }
}

static bool is_slow(const struct operation *operation) {
    return strstr(operation->name, "gamma") != NULL;
}

/* Of the inputs here, of which others are exact, or NaN, or next to zeros. */
#define LEAST_SHARE 0.4

/* The same whatever other operations there are. */
static uint64_t seed_of(const char *name) {
    uint64_t seed = 1;
    for (; *name; name++)
        seed = 31 * seed + (unsigned char)*name;
    return seed;
}

/* Which of the forms, as bits, decided inputs of a function: of two operands in three or four
 * roundings, unless all are wanted. */
static unsigned compare_one(const struct operation *operation, uint64_t seed) {
    struct filter *filter =
        filter_open(operation, format_find("fp64", &(struct error){{0}}), 0, ROUND_NEAREST_EVEN);
    struct decided decided = {0};
    assert_non_null(filter);
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
        if (is_slow(operation)
                ? rounding % 3 == 0
                : want_all || operation->operands == 1 || (seed + (uint64_t)rounding) % 3)
            compare_runs(operation, (enum rounding)rounding, seed + 10000 * (uint64_t)rounding,
                         filter, &decided);
    filter_close(filter);
    if (!operation->result[0].partly && (double)decided.all < LEAST_SHARE * (double)decided.asked)
        fail_msg("%s: the fast oracle decides %llu of %llu", operation->name,
                 (unsigned long long)decided.all, (unsigned long long)decided.asked);
    if (!decided.fitted && !operation->result[0].pattern)
        fail_msg("%s: the fast oracle decides nothing by a value", operation->name);
    unsigned forms = 0;
    for (int form = 0; form < FORMS; form++)
        forms |= (unsigned)(decided.by_form[form] > 0) << form;
    return forms;
}

static unsigned compare_every(const char *group, bool (*is_chosen)(const struct operation *)) {
    unsigned forms = 0;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        const struct result_rule *rule = &operation->result[0];
        if (!operation_in_group(operation, group) || (rule->exact && !rule->pattern) ||
            !is_wanted(operation) || (is_chosen && !is_chosen(operation)))
            continue;
        forms |= compare_one(operation, seed_of(operation->name));
    }
    return forms;
}

void test_wide(void **state) {
    (void)state;
    unsigned forms = compare_every("unary", NULL);
    if (wanted_count == 0)
        assert_int_equal(forms, 1u << FIT_POLYNOMIAL | 1u << FIT_ROTATION | 1u << FIT_COTANGENT |
                                    1u << FIT_HANKEL);
}

static bool has_wide_section(const struct operation *operation) {
    const struct section_rule *rule = operation->result[0].section;
    return rule && (rule->open || rule->arithmetic == ARITHMETIC_DIM ||
                    rule->arithmetic == ARITHMETIC_ADD || rule->arithmetic == ARITHMETIC_SUB);
}

void test_wide_pairs(void **state) {
    (void)state;
    runs = 24;
    unsigned forms = compare_every("binary", has_wide_section);
    if (wanted_count == 0)
        assert_int_equal(forms, 1u << FIT_POLYNOMIAL | 1u << FIT_ARITHMETIC);
}

/* Where the fast oracle leaves no right output to MPFR: a NaN as first operand, powers of negative numbers
 * where some inputs are integers, results next to the largest numbers, and results that are nearly
 * constant. */
static const struct place {
    const char *operation;
    double fixed, at;
} decided_places[] = {{"pow", NAN, 3},
                      {"atan2", NAN, -0x1p-300},
                      {"hypot", NAN, 0x1p900},
                      {"div", NAN, 5},
                      {"logaddexp", NAN, 5},
                      {"pow", -0x1.8p300, 0x1.234567p49},
                      {"pow", -0x1.8p300, -0x1.234567p50},
                      {"pow", -0x1.8p-300, 0x1.234567p52},
                      {"powr", -0x1.8p-300, 0x1.234567p-3},
                      {"div", 0x1.9p301, 0x1.5p-721},
                      {"div", -0x1.9p301, 0x1.1p-722},
                      {"lgamma", 0, 0x1.59p1013},
                      {"lgamma", 0, -0x1.00000004p34}, /* poles */
                      {"lgamma", 0, -0x1.8000000dp32},
                      {"lgamma", 0, -0x1.234567p26},
                      {"tgamma", 0, 0x0.5ep-1022},
                      {"digamma", 0, -0x1.8123p7},
                      {"digamma", 0, -0x1.99d7163f2cp26},
                      {"digamma", 0, -0x1.507533fc08p45},
                      {"digamma", 0, -0x1.234567p51},
                      {"selu", 0, 0x1.ap1023},
                      {"log_ndtr", 0, -0x1.99p511},
                      {"log_ndtr", 0, 0x1.1p-50},
                      {"logit", 0, 0x1.3p-800},
                      {"j0", 0, 0x1.002cb2940cdf0p20}, /* a zero and 2^-12 */
                      {"j1", 0, -0x1.5555p24},
                      {"y0", 0, 0x1.5555p31},
                      {"y1", 0, 0x1.23456p36},
                      {"y1", 0, 0x1.7p-301}};

void test_wide_places(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof decided_places / sizeof *decided_places; i++) {
        const struct place *place = &decided_places[i];
        const struct operation *operation = operation_find(place->operation, &(struct error){{0}});
        for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
            uint64_t fixed, first;
            memcpy(&fixed, &place->fixed, sizeof fixed);
            memcpy(&first, &place->at, sizeof first);
            uint64_t count = compare_run(operation, (enum rounding)rounding, fixed, first,
                                         first + run_length - 1);
            if (10 * count < 9 * run_length) /* some outputs are spoiled by more than it judges */
                fail_msg("%s at %a: the fast oracle decides %llu of %llu", place->operation,
                         place->at, (unsigned long long)count, (unsigned long long)run_length);
        }
    }
}

/* Outputs as of a coarse approximation: nearly all are many units in the last place off, and counted without MPFR. */
void test_wide_far(void **state) {
    (void)state;
    static const double firsts[] = {0.3, -1.7, 3.1415926535897, 21.25, 1e-9, 0.99999999};
    static const char *const names[] = {"exp", "sin", "tan", "cos", "erf", "tanh", "j0", "cbrt"};
    uint64_t decided = 0, all = 0;
    spoiling = SPOIL_FAR;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned turn = 0; turn < sizeof firsts / sizeof *firsts; turn++) {
            const struct operation *operation = operation_find(names[i], &(struct error){{0}});
            uint64_t first;
            memcpy(&first, &firsts[turn], sizeof first);
            decided += compare_run(operation, (enum rounding)((i + turn) % ROUNDING_COUNT), 0,
                                   first - 300, first + 1747);
            all += 2048;
        }
    spoiling = SPOIL_SOME;
    if (10 * decided < 9 * all)
        fail_msg("the fast oracle decides %llu of %llu", (unsigned long long)decided,
                 (unsigned long long)all);
}

/* Special inputs break every rule of Annex F: each row of special_mutants.inc is a rule of a function
 * and what a faulty one returns instead, and some special tuple must give it away, in each format that
 * has such operands. */
#include "sweep/domain.h"

#include "oracle/exact.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A rule holds for operands that are all that the words between spaces say; `returns` is the mutant's
 * result. */
struct mutant {
    const char *operation, *x, *y, *z, *returns;
};
static const struct mutant mutants[] = {
#include "special_mutants.inc"
};

/* What the tests below ask of each operand; "" is true of all. */
static bool is_integer(double x) {
    return x - x == 0 && !(floor(x) < x);
}

static bool is_odd(double x) {
    return is_integer(x) && is_integer(x / 2) == false;
}

struct word {
    const char *name;
    bool (*holds)(double x);
};

#undef WORD
#define WORD(NAME, TEST)                                                                           \
    static bool holds_##NAME(double x) {                                                           \
        return TEST;                                                                               \
    }
WORD(nan, x != x)
WORD(number, x == x)
WORD(zero, x == 0)
WORD(nonzero, x != 0 && x == x)
WORD(plus, !signbit(x) && x == x)
WORD(minus, signbit(x) && x == x)
WORD(infinite, x - x != 0 && x == x)
WORD(finite, x - x == 0)
WORD(one, x == 1)
WORD(two, x == 2)
WORD(minus_one, x == -1)
WORD(unit, fabs(x) == 1)
WORD(small, fabs(x) < 1)
WORD(big, fabs(x) > 1)
WORD(integer, is_integer(x))
WORD(fraction, x - x == 0 && !is_integer(x))
WORD(half, is_integer(2 * x) && !is_integer(x))
WORD(odd, is_odd(x))
WORD(even, is_integer(x) && !is_odd(x))
WORD(above_15, fabs(x) >= 0x1p15 && x - x == 0)
WORD(above_16, fabs(x) >= 0x1p16 && x - x == 0)
WORD(above_24, fabs(x) >= 0x1p24 && x - x == 0)
WORD(above_31, fabs(x) >= 0x1p31 && x - x == 0)
WORD(above_52, fabs(x) >= 0x1p52 && x - x == 0)
#define NAMED(NAME)                                                                                \
    { #NAME, holds_##NAME }
static const struct word words[] = {
    NAMED(nan),       NAMED(number),   NAMED(zero),     NAMED(nonzero),  NAMED(plus),
    NAMED(minus),     NAMED(infinite), NAMED(finite),   NAMED(one),      NAMED(two),
    NAMED(minus_one), NAMED(unit),     NAMED(small),    NAMED(big),      NAMED(integer),
    NAMED(fraction),  NAMED(half),     NAMED(odd),      NAMED(even),     NAMED(above_15),
    NAMED(above_16),  NAMED(above_24), NAMED(above_31), NAMED(above_52),
};

static bool holds(const char *text, double x) {
    while (text && *text) {
        char name[32];
        size_t length = strcspn(text, " "), i = 0;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        text += length + strspn(text + length, " ");
        while (i < sizeof words / sizeof *words && strcmp(words[i].name, name) != 0)
            i++;
        if (i == sizeof words / sizeof *words)
            fail_msg("special_mutants.inc: there is no word %s", name);
        if (!words[i].holds(x))
            return false;
    }
    return true;
}

/* Whether the format has numbers as large as the words ask for, odd ones where they say odd. */
static bool has_such(const struct format *format, const char *text) {
    const char *above = text ? strstr(text, "above_") : NULL;
    int exponent = above ? atoi(above + strlen("above_")) : 0;
    return format->emax >= exponent &&
           (!above || !strstr(text, "odd") || format->precision > exponent);
}

/* "-": the right result with the other sign; a name of an operand; or a number. */
static double returned(const char *text, const double *x, double right) {
    if (strcmp(text, "-") == 0)
        return -right;
    if (text[1] == '\0' && *text >= 'x' && *text <= 'z')
        return x[*text - 'x'];
    return strtod(text, NULL);
}

static double number_of(const struct format *format, uint64_t code) {
    double number;
    struct real value = format_decode(format, code);
    if (format->width < 64)
        return real_to_double(&value);
    memcpy(&number, &code, sizeof number);
    return number;
}

static bool differ(double a, double b) {
    return a != a ? b == b : b != b || a < b || a > b || signbit(a) != signbit(b);
}

/* Of all special tuples how many fall under the rule, and for how many of these the mutant is wrong. */
struct finds {
    uint64_t tuples, wrong;
};

/* The values of an operand's set that the words are true of. */
struct values {
    uint64_t *codes;
    size_t count;
};

static struct values list_values(const struct code_set *set, const struct format *format,
                                 const char *text) {
    struct values values = {malloc(set->count * sizeof *values.codes), 0};
    if (!values.codes)
        fail_msg("no memory for %" PRIu64 " values", set->count);
    for (uint64_t at = 0; at < set->count; at++) {
        uint64_t code = code_set_at(set, at);
        if (holds(text, number_of(format, code)))
            values.codes[values.count++] = code;
    }
    return values;
}

static struct finds try_mutant(const struct mutant *mutant, const struct operation *operation,
                               const struct format *format, const struct domain *special) {
    const char *rules[] = {mutant->x, mutant->y, mutant->z};
    struct values values[MAX_OPERANDS] = {{0}};
    struct finds finds = {1, 0};
    struct oracle oracle;
    struct error error;
    for (int i = 0; i < operation->operands; i++) {
        values[i] = list_values(&special->sets[i], format, rules[i]);
        finds.tuples *= values[i].count;
    }
    oracle_open(&oracle, operation, format, NULL, oracle_precision(format));
    for (uint64_t at = 0; at < finds.tuples && !finds.wrong; at++) {
        uint64_t codes[MAX_OPERANDS], rest = at;
        double x[MAX_OPERANDS] = {0};
        struct real y;
        for (int i = 0; i < operation->operands; i++, rest /= values[i - 1].count) {
            codes[i] = values[i].codes[rest % values[i].count];
            x[i] = number_of(format, codes[i]);
        }
        if (!oracle_exact(&oracle, codes, 0, &y, &error))
            fail_msg("%s: %s", operation->name, error.text);
        double right =
            number_of(format, format_encode(format, &y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        finds.wrong += differ(returned(mutant->returns, x, right), right);
    }
    oracle_close(&oracle);
    for (int i = 0; i < operation->operands; i++)
        free(values[i].codes);
    return finds;
}

static void make_special(struct domain *special, const struct operation *operation,
                         const struct format *format) {
    struct code_set sets[MAX_OPERANDS] = {{0}};
    struct error error;
    size_t count = 1;
    assert_true(code_set_special(&sets[0], format, operation, &error));
    assert_true(code_sets_keep_calls(sets, &count, operation, format, &error));
    assert_true(
        domain_product(special, DOMAIN_SPECIAL, format, operation->operands, sets, count, &error));
}

static void test_every_rule_is_broken(void **state) {
    static const char *const names[] = {"fp64", "fp32", "bf16", "fp16"};
    struct error error;
    size_t missed = 0;
    (void)state;
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const struct format *format = format_find(names[f], &error);
        const struct operation *before = NULL;
        struct domain special = {0};
        for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
            const struct mutant *mutant = &mutants[i];
            const struct operation *operation = operation_find(mutant->operation, &error);
            if (!operation)
                fail_msg("%s", error.text);
            if (operation != before) {
                domain_free(&special);
                make_special(&special, operation, format);
                before = operation;
            }
            if (!has_such(format, mutant->x) || !has_such(format, mutant->y))
                continue;
            struct finds finds = try_mutant(mutant, operation, format, &special);
            if (!finds.wrong) {
                print_error("%s in %s: nothing among %" PRIu64 " special tuples (%" PRIu64
                            " of the rule) tells that x: %s, y: %s, z: %s gives %s\n",
                            operation->name, format->name, special.count, finds.tuples, mutant->x,
                            mutant->y ? mutant->y : "", mutant->z ? mutant->z : "",
                            mutant->returns);
                missed++;
            }
        }
        domain_free(&special);
    }
    oracle_thread_end();
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_rule_is_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

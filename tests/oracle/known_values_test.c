/* The oracle and its rounding against the values that each row knows (result_rule.known_values):
 * special and exact ones, in every format that holds their numbers and in all five directions. Then
 * NaN, which every function of one operand gives back. */
#include "../format/layout.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORD = 128 };

/* "x,y=want" or "x,y=want|down", in parts. */
struct known_value {
    char text[WORD];
    const struct operation *operation;
    int result, operands;
    const char *x[MAX_OPERANDS];
    const char *want, *want_down;
};

/* The code of a double in a layout, found among all of the narrow ones; false when it has none. */
static bool code_of(const struct layout *layout, double value, uint64_t *code) {
    if (isnan(value)) {
        *code = layout_nan(layout);
        return true;
    }
    if (layout->fraction_bits == 52) {
        *code = code_of_double(value);
        return true;
    }
    if (layout->fraction_bits == 23) {
        bool fits = isinf(value) || fabs(value) <= 0x1.fffffep127;
        *code = fits ? code_of_float((float)value) : 0;
        return fits && (double)(float)value == value;
    }
    static double values[1 << 16];
    static const struct layout *of;
    const uint64_t count = UINT64_C(1) << layout_width(layout);
    for (uint64_t i = 0; of != layout && i < count; i++)
        values[i] = layout_value(layout, i);
    of = layout;
    for (*code = 0; *code < count; ++*code)
        if (same_double(values[*code], value))
            return true;
    return false;
}

/* Quarters of pi in "3pi/4" and the like; 0 for a text without pi. */
static int quarters_of_pi(const char *text) {
    const char *pi = strstr(text, "pi");
    if (!pi)
        return 0;
    int quarters = strstr(pi, "/4") ? 1 : strstr(pi, "/2") ? 2 : 4;
    if (strchr(text, '3'))
        quarters *= 3;
    return *text == '-' ? -quarters : quarters;
}

static bool wanted_code(const struct layout *layout, const char *text, enum rounding rounding,
                        uint64_t *code) {
    int quarters = quarters_of_pi(text);
    if (!quarters)
        return code_of(layout, strtod(text, NULL), code);
    mpfr_t value;
    mpfr_init2(value, 300);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_mul_si(value, value, quarters, MPFR_RNDN);
    mpfr_div_2ui(value, value, 2, MPFR_RNDN);
    *code = format_encode_mpfr(layout_format(layout), value, rounding, OVERFLOW_IEEE);
    mpfr_clear(value);
    return true;
}

static void check_rounded(const struct known_value *known, const struct layout *layout,
                          const struct real *y, enum rounding rounding) {
    const char *text = rounding == ROUND_DOWN ? known->want_down : known->want;
    uint64_t want, got = format_encode(layout_format(layout), y, rounding, OVERFLOW_IEEE);
    if (wanted_code(layout, text, rounding, &want) && got != want)
        fail_msg("%s result %d (%s ...) in %s %s: 0x%" PRIx64 ", not %s", known->operation->name,
                 known->result, known->x[0], layout->name, rounding_names[rounding], got, text);
}

/* False when the format does not hold the numbers. */
static bool check_layout(const struct known_value *known, const struct layout *layout) {
    const struct format *format = layout_format(layout);
    uint64_t codes[MAX_OPERANDS] = {0}, want;
    for (int i = 0; i < known->operands; i++)
        if (!code_of(layout, strtod(known->x[i], NULL), &codes[i]))
            return false;
    if (!wanted_code(layout, known->want, ROUND_NEAREST_EVEN, &want))
        return false;
    struct oracle oracle;
    struct real y;
    struct error error;
    oracle_open(&oracle, known->operation, format, NULL, oracle_precision(format));
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
        oracle.rounding = r;
        if (!oracle_exact(&oracle, codes, known->result, &y, &error))
            fail_msg("%s", error.text);
        check_rounded(known, layout, &y, r);
    }
    oracle_close(&oracle);
    return true;
}

/* A number as strtod reads it, all of the text, or one with pi. */
static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return end != text && (*end == '\0' || strncmp(end, "pi", 2) == 0);
}

static bool parse(struct known_value *known) {
    char *want = strchr(known->text, '='), *at = known->text;
    if (!want)
        return false;
    *want++ = '\0';
    known->want = known->want_down = want;
    char *down = strchr(want, '|');
    if (down) {
        *down = '\0';
        known->want_down = down + 1;
    }
    for (known->operands = 0; at && known->operands < MAX_OPERANDS;) {
        known->x[known->operands++] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
        if (!is_number(known->x[known->operands - 1]))
            return false;
    }
    bool pi = strncmp(want + (*want == '-'), "pi", 2) == 0;
    return !at && known->operands == known->operation->operands && (pi || is_number(want));
}

/* How many values a result has. */
static int check_result(const struct operation *operation, int result) {
    int count = 0;
    const char *rest = operation->result[result].known_values;
    for (; rest && *rest; count++) {
        struct known_value known = {.operation = operation, .result = result};
        size_t length = strcspn(rest, " ");
        assert_in_range(length, 1, WORD - 1);
        memcpy(known.text, rest, length);
        rest += length + strspn(rest + length, " ");
        if (!parse(&known))
            fail_msg("%s: '%.*s' is no known value", operation->name, WORD, known.text);
        int formats_run = 0;
        for (int i = 0; i < LAYOUTS; i++)
            if (layouts[i].kind != LAYOUT_ALL) /* which has no NaN to give */
                formats_run += check_layout(&known, &layouts[i]);
        if (formats_run == 0)
            fail_msg("%s(%s ...): no format holds it", operation->name, known.x[0]);
    }
    return count;
}

/* Infinities and zeros at least are known of every function. A cast's are tested by profile. */
static void test_known_values(void **state) {
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        for (int j = 0; j < operation->results && !operation->array; j++) {
            int least = operation->converts ? 0 : 2;
            if (check_result(operation, j) < least)
                fail_msg("%s: known_values are needed, at infinities and zeros at least",
                         operation->name);
        }
    }
    oracle_thread_end();
}

/* NaN in, the canonical NaN out; NaN with payload and sign too. */
static void test_nan_gives_nan(void **state) {
    (void)state;
    struct error error;
    const struct format *fp32 = format_find("fp32", &error);
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *row = operation_at(i);
        static const uint64_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff};
        struct oracle oracle;
        /* What asks of which kind a number is has an answer for NaN too. */
        if (row->operands != 1 || row->array || strncmp(row->name, "p3109.is_", 9) == 0 ||
            strcmp(row->name, "p3109.class") == 0)
            continue;
        oracle_open(&oracle, row, fp32, NULL, oracle_precision(fp32));
        for (int j = 0; j < row->results * 4; j++) {
            struct real y;
            assert_true(oracle_exact(&oracle, &nans[j % 4], j / 4, &y, &error));
            assert_int_equal(format_encode(fp32, &y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE),
                             0x7fc00000);
        }
        oracle_close(&oracle);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_nan_gives_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

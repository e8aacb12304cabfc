/* Runs a table of special values through the oracle and the rounding, in every format that holds
 * the row's numbers and in all five directions. */
#ifndef DETCHECK_TESTS_ORACLE_SPECIAL_H
#define DETCHECK_TESTS_ORACLE_SPECIAL_H

#include "../format/layout.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Numbers are as strtod reads them. A wanted "pi/4", "3pi/4", "pi/2", "pi" (with '-' perhaps) is
 * that real number rounded. */
struct special_row {
    const char *operation; /* "sincos" is followed by .sin or .cos */
    const char *x[MAX_OPERANDS];
    const char *want[2]; /* the second where rounding down differs; NULL: it does not */
};

/* The code of a double in a layout, found among all of the narrow ones; false when it has none. */
static inline bool code_of(const struct layout *layout, double value, uint64_t *code) {
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
    for (*code = 0; *code < UINT64_C(1) << layout_width(layout); ++*code)
        if (same_double(layout_value(layout, *code), value))
            return true;
    return false;
}

/* Eighths of pi in "3pi/4" and the like; 0 for a text without pi. */
static inline int eighths_of_pi(const char *text) {
    const char *pi = strstr(text, "pi");
    if (!pi)
        return 0;
    int eighths = strstr(pi, "/4") ? 2 : strstr(pi, "/2") ? 4 : 8;
    if (strchr(text, '3'))
        eighths *= 3;
    return *text == '-' ? -eighths : eighths;
}

static inline bool wanted_code(const struct layout *layout, const char *text,
                               enum rounding rounding, uint64_t *code) {
    int eighths = eighths_of_pi(text);
    if (!eighths)
        return code_of(layout, strtod(text, NULL), code);
    mpfr_t value;
    mpfr_init2(value, 300);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_mul_si(value, value, eighths, MPFR_RNDN);
    mpfr_div_2ui(value, value, 3, MPFR_RNDN);
    *code = format_encode_mpfr(layout_format(layout), value, rounding, OVERFLOW_IEEE);
    mpfr_clear(value);
    return true;
}

static inline const struct operation *special_operation(const char *text, int *result) {
    struct error error;
    char name[64];
    size_t length = strcspn(text, ".");
    memcpy(name, text, length);
    name[length] = '\0';
    *result = strcmp(text + length, ".cos") == 0;
    const struct operation *operation = operation_find(name, &error);
    if (!operation)
        fail_msg("%s", error.text);
    return operation;
}

static inline void check_special_code(const struct special_row *row, const struct layout *layout,
                                      const struct real *y, enum rounding rounding) {
    const struct format *format = layout_format(layout);
    const char *text = row->want[rounding == ROUND_DOWN && row->want[1]];
    uint64_t want, got = format_encode(format, y, rounding, OVERFLOW_IEEE);
    if (!wanted_code(layout, text, rounding, &want))
        return;
    if (got != want)
        fail_msg("%s(%s, %s, %s) in %s %s: 0x%" PRIx64 ", not %s", row->operation, row->x[0],
                 row->x[1] ? row->x[1] : "", row->x[2] ? row->x[2] : "", layout->name,
                 rounding_names[rounding], got, text);
}

/* False when the format does not hold the row's operands. */
static inline bool check_special(const struct special_row *row, const struct layout *layout) {
    int result;
    const struct operation *operation = special_operation(row->operation, &result);
    const struct format *format = layout_format(layout);
    uint64_t codes[MAX_OPERANDS] = {0}, want;
    for (int i = 0; i < operation->operands; i++) {
        if (!row->x[i])
            fail_msg("%s needs more operands", row->operation);
        if (!code_of(layout, strtod(row->x[i], NULL), &codes[i]))
            return false;
    }
    if (!wanted_code(layout, row->want[0], ROUND_NEAREST_EVEN, &want))
        return false;
    struct oracle oracle;
    struct real y;
    struct error error;
    oracle_open(&oracle, operation, format, oracle_precision(format));
    if (!oracle_exact(&oracle, codes, result, &y, &error))
        fail_msg("%s", error.text);
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++)
        check_special_code(row, layout, &y, r);
    oracle_close(&oracle);
    return true;
}

static inline void check_special_rows(const struct special_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int formats_run = 0;
        for (int j = 0; j < LAYOUTS; j++)
            if (layouts[j].kind != LAYOUT_ALL) /* which has no NaN to give */
                formats_run += check_special(&rows[i], &layouts[j]);
        if (formats_run == 0)
            fail_msg("%s(%s): no format holds it", rows[i].operation, rows[i].x[0]);
    }
    oracle_thread_end();
}

#endif

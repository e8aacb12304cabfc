/* Decimals by MPFR, and indices. */
#include "element_text.h"

#include "op/decimal/rows.h"

#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 30 };

void element_value_text(const struct real *y, char text[ELEMENT_TEXT]) {
    if (y->kind == REAL_FINITE && y->inexact &&
        (y->exponent == REAL_TINY_EXPONENT || y->exponent == REAL_HUGE_EXPONENT)) {
        bool huge = y->exponent == REAL_HUGE_EXPONENT;
        snprintf(text, ELEMENT_TEXT, "%s2^%d, or %s", y->negative ? "-" : "",
                 huge ? REAL_HUGE_EXPONENT : REAL_TINY_EXPONENT, huge ? "beyond" : "nearer to 0");
        return;
    }
    mpfr_t value;
    if (y->kind != REAL_FINITE) {
        snprintf(text, ELEMENT_TEXT, "%s%s", y->negative && y->kind != REAL_NAN ? "-" : "",
                 y->kind == REAL_NAN        ? "nan"
                 : y->kind == REAL_INFINITE ? "inf"
                                            : "0");
        return;
    }
    mpfr_init2(value, 128);
    real_to_mpfr(value, y);
    mpfr_snprintf(text, ELEMENT_TEXT, "%.*RZg", DIGITS, value);
    mpfr_t read;
    mpfr_init2(read, 128);
    bool whole = mpfr_strtofr(read, text, NULL, 10, MPFR_RNDZ) == 0 && mpfr_equal_p(read, value);
    if (y->inexact || !whole)
        snprintf(text + strlen(text), ELEMENT_TEXT - strlen(text), "...");
    mpfr_clear(value);
    mpfr_clear(read);
}

bool element_decimal_text(const struct array_call *call, uint64_t index, char text[ELEMENT_TEXT]) {
    const struct array *texts = &call->operands[0];
    if (!call->rule->takes_texts)
        return false;
    const size_t length = (size_t)texts->shape.extents[texts->shape.dimensions - 1];
    mpq_t value;
    mpq_init(value);
    bool told = decimal_ratio(value, decimal_grammar_of(call),
                              (const char *)texts->codes + index * length, length) &&
                decimal_ratio_text(value, DIGITS, text, ELEMENT_TEXT);
    mpq_clear(value);
    return told;
}

const char *element_place_text(const struct shape *shape, uint64_t element,
                               char text[ELEMENT_TEXT]) {
    uint64_t below = shape_elements(shape);
    int at = snprintf(text, ELEMENT_TEXT, "[");
    for (int i = 0; i < shape->dimensions; i++) {
        below /= shape->extents[i];
        at += snprintf(text + at, ELEMENT_TEXT - (size_t)at, "%s%" PRIu64, i ? "," : "",
                       element / below);
        element %= below;
    }
    snprintf(text + at, ELEMENT_TEXT - (size_t)at, "]");
    return text;
}

bool element_is_rounded_once(const struct real *a, const struct real *b) {
    bool same = a->kind == b->kind && a->negative == b->negative && a->inexact == b->inexact;
    return same && (a->kind != REAL_FINITE ||
                    (a->exponent == b->exponent && a->significand.high == b->significand.high &&
                     a->significand.low == b->significand.low));
}

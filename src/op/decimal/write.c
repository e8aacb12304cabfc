/* A number as C's printf writes it. */
#include "op/decimal/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GIVEN_BY_C = 6 };

size_t decimal_room(const struct format *format, enum decimal_style style, long digits) {
    const size_t given = (size_t)(digits < 0 ? GIVEN_BY_C : digits);
    enum { AROUND = 16 /* a sign, a point, an exponent; 0.000 of %g */, HEXADECIMAL = 16 };
    switch (style) {
    case STYLE_SHORTEST:
        return (size_t)format->precision * 1233 / 4096 + 2 + AROUND;
    case STYLE_FIXED:
        return (size_t)(format->emax > 0 ? format->emax : 1) * 1233 / 4096 + 2 + given + AROUND;
    case STYLE_HEXADECIMAL:
        return (given > HEXADECIMAL ? given : HEXADECIMAL) + AROUND;
    default:
        return given + AROUND;
    }
}

/* `count` digits of which the string has the first, in `text`; returns the end. */
static char *put_digits(char *text, const char **digits, long count) {
    for (; count > 0; count--) {
        *text++ = **digits ? **digits : '0';
        *digits += **digits != '\0';
    }
    return text;
}

static void put_exponent(char *text, const struct decimal *decimal, long behind) {
    const char *digits = decimal->digits;
    text = put_digits(text, &digits, 1);
    if (behind > 0)
        *text++ = '.';
    text = put_digits(text, &digits, behind);
    sprintf(text, "e%c%02ld", decimal->exponent < 0 ? '-' : '+', labs(decimal->exponent));
}

/* With so many digits behind the point, and all that are before it. */
static void put_fixed(char *text, const struct decimal *decimal, long behind) {
    const char *digits = decimal->digits;
    if (decimal->exponent < 0)
        *text++ = '0';
    else
        text = put_digits(text, &digits, decimal->exponent + 1);
    if (behind > 0)
        *text++ = '.';
    for (long zeros = -decimal->exponent - 1; zeros > 0 && behind > 0; zeros--, behind--)
        *text++ = '0';
    text = put_digits(text, &digits, behind);
    *text = '\0';
}

static void write_general(char *text, const struct real *x, long digits, enum rounding rounding) {
    digits = digits < 0 ? GIVEN_BY_C : digits ? digits : 1;
    struct decimal decimal = decimal_of(x, digits, rounding);
    const long behind = decimal.digits ? (long)strlen(decimal.digits) - 1 : 0;
    if (!decimal.digits)
        return;
    if (decimal.exponent < -4 || decimal.exponent >= digits)
        put_exponent(text, &decimal, behind);
    else
        put_fixed(text, &decimal, behind > decimal.exponent ? behind - decimal.exponent : 0);
    decimal_free(&decimal);
}

static void write_fixed(char *text, const struct real *x, long digits, enum rounding rounding) {
    digits = digits < 0 ? GIVEN_BY_C : digits;
    mpz_t integer;
    mpz_init(integer);
    decimal_scaled(integer, x, -digits, rounding);
    char *all = malloc(mpz_sizeinbase(integer, 10) + 2);
    if (all) {
        mpz_get_str(all, 10, integer);
        const struct decimal decimal = {x->negative, all, (long)strlen(all) - 1 - digits};
        put_fixed(text, &decimal, digits);
    }
    free(all);
    mpz_clear(integer);
}

/* As a number of fp64, which printf takes. Normal ones begin with 1, subnormal ones with 0 and the least exponent, as glibc has
 * it: C leaves it open. */
static void write_hexadecimal(char *text, const struct real *x, long digits,
                              enum rounding rounding) {
    const struct format *wide = &formats[FORMAT_FP64];
    const bool subnormal = x->kind == REAL_FINITE && x->exponent < wide->emin;
    const long exponent = x->kind == REAL_ZERO ? 0 : subnormal ? wide->emin : x->exponent;
    const long all = (wide->precision + 2) / 4, kept = digits < 0 || digits > all ? all : digits;
    mpz_t integer;
    mpz_init(integer);
    if (x->kind == REAL_FINITE) { /* in units of 2^(exponent - 4 kept) */
        struct real scaled = *x;
        scaled.exponent += (int32_t)(4 * kept - exponent);
        decimal_scaled(integer, &scaled, 0, rounding);
    }
    char figures[64];
    gmp_snprintf(figures, sizeof figures, "%0*Zx", (int)kept + 1, integer);
    mpz_clear(integer);
    size_t length = strlen(figures);
    while (digits < 0 && length > 1 && figures[length - 1] == '0')
        figures[--length] = '\0';
    text += sprintf(text, "0x%c%s%s", figures[0], length > 1 || digits > 0 ? "." : "", figures + 1);
    for (long more = digits - kept; more > 0; more--)
        *text++ = '0';
    sprintf(text, "p%+ld", exponent);
}

static void write_zero(char *text, enum decimal_style style, long digits) {
    const struct decimal zero = {false, (char[]){"0"}, 0};
    const long behind = digits < 0 ? GIVEN_BY_C : digits;
    if (style == STYLE_EXPONENT)
        put_exponent(text, &zero, behind);
    else if (style == STYLE_SHORTEST)
        put_exponent(text, &zero, 0);
    else
        put_fixed(text, &zero, style == STYLE_FIXED ? behind : 0);
}

static void write_shortest(char *text, const struct format *format, const struct real *x) {
    struct decimal decimal = decimal_shortest(x, format);
    if (decimal.digits)
        put_exponent(text, &decimal, (long)strlen(decimal.digits) - 1);
    decimal_free(&decimal);
}

bool decimal_write(char *text, const struct format *format, const struct real *x,
                   enum decimal_style style, long digits, enum rounding rounding) {
    memset(text, 0, decimal_room(format, style, digits));
    if (x->negative && x->kind != REAL_NAN)
        *text++ = '-';
    if (x->kind == REAL_NAN || x->kind == REAL_INFINITE) {
        memcpy(text, x->kind == REAL_NAN ? "nan" : "inf", 3);
    } else if (style == STYLE_HEXADECIMAL)
        write_hexadecimal(text, x, digits, rounding);
    else if (x->kind == REAL_ZERO)
        write_zero(text, style, digits);
    else if (style == STYLE_SHORTEST)
        write_shortest(text, format, x);
    else if (style == STYLE_FIXED)
        write_fixed(text, x, digits, rounding);
    else if (style == STYLE_GENERAL)
        write_general(text, x, digits, rounding);
    else {
        const long behind = digits < 0 ? GIVEN_BY_C : digits;
        struct decimal decimal = decimal_of(x, behind + 1, rounding);
        if (decimal.digits)
            put_exponent(text, &decimal, behind);
        decimal_free(&decimal);
    }
    return *text != '\0';
}

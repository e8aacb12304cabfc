/* The exact value of a text. */
#include "op/decimal/decimal.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* Decimal exponents beyond are those of numbers that no format has, whatever digits stand before: texts have fewer than 2^28. */
enum { FAR_EXPONENT = 1 << 30, FAR_BEYOND = 100000 };

struct scan {
    const char *at, *end;
};

static int peek(const struct scan *scan) {
    return scan->at < scan->end ? (unsigned char)*scan->at : 0;
}

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Passes over the word, in any case, if it stands there. */
static bool take_word(struct scan *scan, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower((unsigned char)scan->at[i]) != word[i])
            return false;
    scan->at += length;
    return true;
}

static int digit_of(int c, int base) {
    int digit = c >= '0' && c <= '9'                 ? c - '0'
                : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10
                                                     : base;
    return digit < base ? digit : -1;
}

/* The digits as a string that the caller frees, and how many of them stand behind the point; NULL where there are none, or no
 * memory. */
static char *take_digits(struct scan *scan, int base, long *behind) {
    struct scan ahead = *scan;
    bool point = false;
    size_t count = 0;
    char *digits = malloc((size_t)(scan->end - scan->at) + 1);
    for (*behind = 0; digits; ahead.at++) {
        int c = peek(&ahead);
        if (c == '.' && !point)
            point = true;
        else if (digit_of(c, base) >= 0) {
            digits[count++] = (char)c;
            *behind += point;
        } else
            break;
    }
    if (!count) {
        free(digits);
        return NULL;
    }
    digits[count] = '\0';
    *scan = ahead;
    return digits;
}

/* An exponent behind that letter, held at what is far; 0, and nothing is taken, where none stands there. */
static long take_exponent(struct scan *scan, int letter) {
    struct scan ahead = *scan;
    if (lower(peek(&ahead)) != letter)
        return 0;
    ahead.at++;
    const bool negative = peek(&ahead) == '-';
    if (negative || peek(&ahead) == '+')
        ahead.at++;
    if (digit_of(peek(&ahead), 10) < 0)
        return 0;
    long exponent = 0;
    for (; digit_of(peek(&ahead), 10) >= 0; ahead.at++)
        if (exponent < FAR_EXPONENT)
            exponent = 10 * exponent + digit_of(peek(&ahead), 10);
    *scan = ahead;
    exponent = exponent < FAR_EXPONENT ? exponent : FAR_EXPONENT;
    return negative ? -exponent : exponent;
}

/* numerator 2^exponent / denominator, truncated. */
static struct real quotient(mpz_t numerator, mpz_t denominator, long exponent, int precision) {
    mpz_t rest;
    mpz_init(rest);
    long shift =
        precision + 1 - (long)(mpz_sizeinbase(numerator, 2) - mpz_sizeinbase(denominator, 2));
    if (shift > 0)
        mpz_mul_2exp(numerator, numerator, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(denominator, denominator, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(numerator, rest, numerator, denominator);
    bool inexact = mpz_sgn(rest) != 0;
    const long more = (long)mpz_sizeinbase(numerator, 2) - precision; /* one or two */
    inexact |= mpz_scan1(numerator, 0) < (mp_bitcnt_t)more;
    mpz_tdiv_q_2exp(numerator, numerator, (mp_bitcnt_t)more);
    mpfr_t value;
    mpfr_init2(value, precision);
    mpfr_set_z_2exp(value, numerator, exponent - shift + more, MPFR_RNDZ); /* exact */
    struct real y = real_from_mpfr(value, inexact ? -1 : 0);
    mpfr_clear(value);
    mpz_clear(rest);
    return y;
}

/* 10^exponent as a fraction. */
static void power_of_ten(mpz_t numerator, mpz_t denominator, long exponent) {
    mpz_ui_pow_ui(exponent >= 0 ? numerator : denominator, 10, (unsigned long)labs(exponent));
    mpz_set_ui(exponent >= 0 ? denominator : numerator, 1);
}

/* digits base^exponent, where the base is 10 or 2. */
struct scaled_digits {
    mpz_t digits;
    int base;
    long exponent;
};

static struct real scaled(const struct scaled_digits *number, int precision) {
    const long size = (long)mpz_sizeinbase(number->digits, number->base) + number->exponent;
    if (mpz_sgn(number->digits) == 0)
        return real_zero(false);
    if (size > FAR_BEYOND)
        return real_huge(false);
    if (size < -FAR_BEYOND)
        return real_tiny(false);
    mpz_t numerator, denominator;
    mpz_inits(numerator, denominator, NULL);
    power_of_ten(numerator, denominator, number->base == 10 ? number->exponent : 0);
    mpz_mul(numerator, numerator, number->digits);
    struct real y =
        quotient(numerator, denominator, number->base == 2 ? number->exponent : 0, precision);
    mpz_clears(numerator, denominator, NULL);
    return y;
}

/* The digits and the exponent of a finite number as they stand. */
struct literal {
    char *digits; /* to be freed */
    int base;     /* 10 or 16 */
    long behind, exponent;
};

/* Takes them; false, with nothing taken, where none stand there. */
static bool take_literal(struct scan *scan, struct literal *literal) {
    struct scan hexadecimal = *scan;
    *literal = (struct literal){.base = 16};
    if (take_word(&hexadecimal, "0x"))
        literal->digits = take_digits(&hexadecimal, literal->base, &literal->behind);
    if (literal->digits)
        *scan = hexadecimal;
    else {
        literal->base = 10;
        literal->digits = take_digits(scan, literal->base, &literal->behind);
    }
    if (!literal->digits)
        return false;
    literal->exponent = take_exponent(scan, literal->base == 16 ? 'p' : 'e');
    return true;
}

/* The same as a number. */
static bool take_number(struct scan *scan, struct scaled_digits *number) {
    struct literal literal;
    if (!take_literal(scan, &literal))
        return false;
    const bool hexadecimal = literal.base == 16;
    number->base = hexadecimal ? 2 : 10;
    number->exponent = literal.exponent - (hexadecimal ? 4 : 1) * literal.behind;
    mpz_set_str(number->digits, literal.digits, literal.base);
    free(literal.digits);
    return true;
}

/* Passes over white space and a sign: whether that is a minus. */
static bool take_sign(struct scan *scan) {
    while (peek(scan) == ' ' || (peek(scan) >= '\t' && peek(scan) <= '\r'))
        scan->at++;
    const bool negative = peek(scan) == '-';
    if (negative || peek(scan) == '+')
        scan->at++;
    return negative;
}

static struct scan scan_of(const char *text, size_t length) {
    const char *zero = memchr(text, 0, length);
    return (struct scan){text, zero ? zero : text + length};
}

/* Passes over the characters of a NaN in parentheses, if they stand there with both. */
static void take_nan_characters(struct scan *scan) {
    struct scan ahead = *scan;
    if (peek(&ahead) != '(')
        return;
    do
        ahead.at++;
    while (peek(&ahead) == '_' || (lower(peek(&ahead)) >= 'a' && lower(peek(&ahead)) <= 'z') ||
           digit_of(peek(&ahead), 10) >= 0);
    if (peek(&ahead) != ')')
        return;
    scan->at = ahead.at + 1;
}

size_t decimal_end(const char *text, size_t length) {
    struct scan scan = scan_of(text, length);
    struct literal literal;
    take_sign(&scan);
    if (take_word(&scan, "inf"))
        take_word(&scan, "inity");
    else if (take_word(&scan, "nan"))
        take_nan_characters(&scan);
    else if (take_literal(&scan, &literal))
        free(literal.digits);
    else
        return 0;
    return (size_t)(scan.at - text);
}

struct real decimal_value(const char *text, size_t length, int precision) {
    struct scan scan = scan_of(text, length);
    const bool negative = take_sign(&scan);
    struct real y;
    if (take_word(&scan, "inf"))
        y = real_infinity(false);
    else if (take_word(&scan, "nan"))
        y = real_nan();
    else {
        struct scaled_digits number;
        mpz_init(number.digits);
        const bool taken = take_number(&scan, &number);
        y = taken ? scaled(&number, precision) : real_zero(false);
        mpz_clear(number.digits);
        if (!taken) /* then not even the sign is a part of a number */
            return y;
    }
    y.negative = negative && y.kind != REAL_NAN;
    return y;
}

bool decimal_ratio(mpq_t value, const char *text, size_t length) {
    struct scan scan = scan_of(text, length);
    struct scaled_digits number;
    const bool negative = take_sign(&scan);
    mpz_init(number.digits);
    const bool is_finite = take_number(&scan, &number) && mpz_sgn(number.digits) != 0 &&
                           labs(number.exponent) <= FAR_BEYOND;
    if (is_finite) {
        const long exponent = number.exponent;
        power_of_ten(mpq_numref(value), mpq_denref(value), number.base == 10 ? exponent : 0);
        mpz_mul(mpq_numref(value), mpq_numref(value), number.digits);
        mpq_canonicalize(value);
        if (number.base == 2 && exponent >= 0)
            mpq_mul_2exp(value, value, (mp_bitcnt_t)exponent);
        else if (number.base == 2)
            mpq_div_2exp(value, value, (mp_bitcnt_t)-exponent);
        if (negative)
            mpq_neg(value, value);
    }
    mpz_clear(number.digits);
    return is_finite;
}

bool decimal_ratio_text(const mpq_t value, int digits, char *text, size_t room) {
    mpfr_t near;
    mpq_t read;
    mpfr_init2(near, 4 * digits + 64);
    mpq_init(read);
    mpfr_set_q(near, value, MPFR_RNDN);
    mpfr_snprintf(text, room, "%.*RNg", digits, near);
    const bool whole = decimal_ratio(read, text, strlen(text)) && mpq_equal(read, value);
    mpfr_clear(near);
    mpq_clear(read);
    return whole;
}

bool decimal_is_exact(const char *text, size_t length, const struct real *x) {
    mpfr_t number;
    mpq_t value, read;
    if (x->kind != REAL_FINITE)
        return true;
    mpfr_init2(number, 128);
    mpq_inits(value, read, NULL);
    real_to_mpfr(number, x);
    mpfr_get_q(value, number);
    const bool exact = decimal_ratio(read, text, length) && mpq_equal(read, value);
    mpq_clears(value, read, NULL);
    mpfr_clear(number);
    return exact;
}

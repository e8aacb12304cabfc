/* The exact value of a text. */
#include "op/decimal/decimal.h"

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

/* digits base^exponent, where the base is 10 or 2. */
static struct real scaled(const mpz_t digits, int base, long exponent, int precision) {
    const long size = (long)mpz_sizeinbase(digits, base);
    if (mpz_sgn(digits) == 0)
        return real_zero(false);
    if (size + exponent > FAR_BEYOND)
        return real_huge(false);
    if (size + exponent < -FAR_BEYOND)
        return real_tiny(false);
    mpz_t numerator, denominator;
    mpz_init_set(numerator, digits);
    mpz_init_set_ui(denominator, 1);
    if (base == 10) {
        mpz_t power;
        mpz_init(power);
        mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
        if (exponent >= 0)
            mpz_mul(numerator, numerator, power);
        else
            mpz_set(denominator, power);
        mpz_clear(power);
    }
    struct real y = quotient(numerator, denominator, base == 2 ? exponent : 0, precision);
    mpz_clears(numerator, denominator, NULL);
    return y;
}

static struct real number(struct scan *scan, int precision) {
    struct scan hexadecimal = *scan;
    long behind;
    char *digits = NULL;
    int base = 16;
    if (take_word(&hexadecimal, "0x"))
        digits = take_digits(&hexadecimal, base, &behind);
    if (digits)
        *scan = hexadecimal;
    else {
        base = 10;
        digits = take_digits(scan, base, &behind);
    }
    if (!digits)
        return real_zero(false);
    long exponent = take_exponent(scan, base == 16 ? 'p' : 'e');
    exponent -= base == 16 ? 4 * behind : behind;
    mpz_t integer;
    mpz_init_set_str(integer, digits, base);
    free(digits);
    struct real y = scaled(integer, base == 16 ? 2 : 10, exponent, precision);
    mpz_clear(integer);
    return y;
}

struct real decimal_value(const char *text, size_t length, int precision) {
    const char *zero = memchr(text, 0, length);
    struct scan scan = {text, zero ? zero : text + length};
    while (peek(&scan) == ' ' || (peek(&scan) >= '\t' && peek(&scan) <= '\r'))
        scan.at++;
    const bool negative = peek(&scan) == '-';
    if (negative || peek(&scan) == '+')
        scan.at++;
    struct real y;
    if (take_word(&scan, "inf"))
        y = real_infinity(false);
    else if (take_word(&scan, "nan"))
        y = real_nan();
    else {
        const char *before = scan.at;
        y = number(&scan, precision);
        if (scan.at == before) /* then not even the sign is a part of a number */
            return real_zero(false);
    }
    y.negative = negative && y.kind != REAL_NAN;
    return y;
}

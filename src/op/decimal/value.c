/* The exact value of a text. */
#include "op/decimal/decimal.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* Decimal exponents beyond are those of numbers that no format has, whatever digits stand before: texts have fewer than 2^28. */
enum { FAR_EXPONENT = 1 << 30, FAR_BEYOND = 100000 };

struct scan {
    const char *at, *end;
    const char
        *reach; /* how far a text that begins a number went on, where `at` went back before it */
    const struct grammar *grammar;
};

/* Goes back from where a look ahead found no number. */
static void go_back(struct scan *scan, const struct scan *ahead) {
    if (ahead->at > scan->reach)
        scan->reach = ahead->at;
}

static int peek(const struct scan *scan) {
    return scan->at < scan->end ? (unsigned char)*scan->at : 0;
}

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Passes over the word, in any case, if it stands there. */
static bool take_word(struct scan *scan, const char *word) {
    struct scan ahead = *scan;
    for (; *word && lower(peek(&ahead)) == *word; word++)
        ahead.at++;
    if (*word)
        go_back(scan, &ahead);
    else
        scan->at = ahead.at;
    return !*word;
}

static int digit_of(int c, int base) {
    int digit = c >= '0' && c <= '9'                 ? c - '0'
                : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10
                                                     : base;
    return digit < base ? digit : -1;
}

/* Passes over an underscore between two digits, where the grammar has them. */
static void take_underscore(struct scan *scan, int base, bool is_behind_digit) {
    const bool is_underscore = scan->grammar->underscores && is_behind_digit && peek(scan) == '_';
    if (is_underscore && scan->end - scan->at > 1 &&
        digit_of((unsigned char)scan->at[1], base) >= 0)
        scan->at++;
}

/* Passes over the word in these letters. */
static bool take_exactly(struct scan *scan, const char *word) {
    const size_t length = strlen(word);
    const bool is_there =
        (size_t)(scan->end - scan->at) >= length && !memcmp(scan->at, word, length);
    scan->at += is_there ? length : 0;
    return is_there;
}

/* The digits as a string that the caller frees, and how many of them stand behind the point; NULL where there are none, or no
 * memory. An integer has no point. */
static char *take_digits(struct scan *scan, int base, bool is_integer, long *behind) {
    struct scan ahead = *scan;
    bool point = is_integer, is_digit = false;
    size_t count = 0;
    char *digits = malloc((size_t)(scan->end - scan->at) + 1);
    for (*behind = 0; digits; ahead.at++) {
        take_underscore(&ahead, base, is_digit);
        int c = peek(&ahead);
        is_digit = digit_of(c, base) >= 0;
        if (is_digit) {
            digits[count++] = (char)c;
            *behind += point && !is_integer;
        } else if (c == '.' && !point)
            point = true;
        else
            break;
    }
    if (!count) {
        go_back(scan, &ahead);
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
    if (digit_of(peek(&ahead), 10) < 0) {
        go_back(scan, &ahead);
        return 0;
    }
    long exponent = 0;
    for (; digit_of(peek(&ahead), 10) >= 0; take_underscore(&ahead, 10, true)) {
        if (exponent < FAR_EXPONENT)
            exponent = 10 * exponent + digit_of(peek(&ahead), 10);
        ahead.at++;
    }
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

/* Takes the digits and the exponent of a finite number; where none stand there, nothing. */
static void take_digits_and_exponent(struct scan *scan, struct decimal_literal *literal) {
    struct scan hexadecimal = *scan;
    literal->base = 16;
    if (scan->grammar->hexadecimal && take_word(&hexadecimal, "0x"))
        literal->digits = take_digits(&hexadecimal, literal->base, false, &literal->behind);
    if (literal->digits)
        *scan = hexadecimal;
    else {
        scan->reach = hexadecimal.reach;
        literal->base = 10;
        literal->digits = take_digits(scan, literal->base, false, &literal->behind);
    }
    if (!literal->digits)
        return;
    literal->kind = LITERAL_NUMBER;
    literal->exponent = take_exponent(scan, literal->base == 16 ? 'p' : 'e');
}

/* Takes an integer with a prefix that says its base. */
static bool take_integer(struct scan *scan, struct decimal_literal *literal) {
    static const struct {
        const char *prefix;
        int base;
    } bases[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
    for (size_t i = 0; scan->grammar->integers && i < sizeof bases / sizeof *bases; i++) {
        struct scan ahead = *scan;
        if (!take_word(&ahead, bases[i].prefix))
            continue;
        literal->base = bases[i].base;
        literal->digits = take_digits(&ahead, literal->base, true, &literal->behind);
        if (!literal->digits)
            return false;
        literal->kind = LITERAL_NUMBER;
        *scan = ahead;
        return true;
    }
    return false;
}

static void take_spaces(struct scan *scan) {
    while (peek(scan) && strchr(scan->grammar->spaces, peek(scan)))
        scan->at++;
}

/* Passes over a sign: whether that is a minus. */
static bool take_sign(struct scan *scan) {
    const bool negative = peek(scan) == '-';
    if (negative || (peek(scan) == '+' && scan->grammar->plus))
        scan->at++;
    return negative;
}

/* Passes over the characters of a NaN in parentheses, if they stand there with both. */
static void take_nan_characters(struct scan *scan) {
    struct scan ahead = *scan;
    if (peek(&ahead) != '(' || !scan->grammar->nan_characters)
        return;
    do
        ahead.at++;
    while (peek(&ahead) == '_' || (lower(peek(&ahead)) >= 'a' && lower(peek(&ahead)) <= 'z') ||
           digit_of(peek(&ahead), 10) >= 0);
    if (peek(&ahead) == ')')
        scan->at = ahead.at + 1;
    else
        go_back(scan, &ahead);
}

/* Whether the grammar allows the number to end here. */
static bool may_end(struct scan *scan) {
    if (scan->grammar->whole)
        take_spaces(scan);
    return (scan->grammar->goes_back || scan->reach <= scan->at) &&
           (!scan->grammar->whole || scan->at == scan->end);
}

/* Takes a sign and what stands behind it. */
static void take_signed(struct scan *scan, struct decimal_literal *literal) {
    literal->negative = take_sign(scan);
    if (scan->grammar->infinity_alone) {
        if (take_exactly(scan, "Infinity"))
            literal->kind = LITERAL_INFINITY;
        else
            take_digits_and_exponent(scan, literal);
    } else if (take_word(scan, "inf")) {
        literal->kind = LITERAL_INFINITY;
        take_word(scan, "inity");
    } else if (take_word(scan, "nan")) {
        literal->kind = LITERAL_NAN;
        take_nan_characters(scan);
    } else
        take_digits_and_exponent(scan, literal);
}

struct decimal_literal decimal_literal_of(const struct grammar *grammar, const char *text,
                                          size_t length, size_t *end) {
    const char *zero = memchr(text, 0, length);
    struct scan scan = {text, zero ? zero : text + length, text, grammar};
    struct decimal_literal literal = {0};
    take_spaces(&scan);
    if (scan.at == scan.end && grammar->blank)
        literal = (struct decimal_literal){LITERAL_NUMBER, .digits = calloc(2, 1), .base = 10};
    else if (!take_integer(&scan, &literal))
        take_signed(&scan, &literal);
    if (literal.kind != LITERAL_NONE && !may_end(&scan)) {
        free(literal.digits);
        literal = (struct decimal_literal){0};
    }
    *end = literal.kind == LITERAL_NONE ? 0 : (size_t)(scan.at - text);
    return literal;
}

/* A finite literal as a number. */
static void number_of(struct scaled_digits *number, const struct decimal_literal *literal) {
    number->base = literal->base == 10 ? 10 : 2;
    number->exponent = literal->exponent - (literal->base == 16 ? 4 : 1) * literal->behind;
    mpz_init(number->digits); /* 0, where there are none */
    if (literal->digits)
        mpz_set_str(number->digits, literal->digits, literal->base);
}

size_t decimal_end(const struct grammar *grammar, const char *text, size_t length) {
    size_t end;
    free(decimal_literal_of(grammar, text, length, &end).digits);
    return end;
}

struct real decimal_literal_value(const struct decimal_literal *literal,
                                  const struct grammar *grammar, int precision) {
    struct scaled_digits number;
    struct real y;
    switch (literal->kind) {
    case LITERAL_NONE: /* then not even the sign is a part of a number */
        return grammar->none_is_nan ? real_nan() : real_zero(false);
    case LITERAL_NAN:
        return real_nan();
    case LITERAL_INFINITY:
        y = real_infinity(false);
        break;
    default:
        number_of(&number, literal);
        y = scaled(&number, precision);
        mpz_clear(number.digits);
    }
    y.negative = literal->negative;
    return y;
}

struct real decimal_value(const struct grammar *grammar, const char *text, size_t length,
                          int precision) {
    size_t end;
    const struct decimal_literal literal = decimal_literal_of(grammar, text, length, &end);
    const struct real y = decimal_literal_value(&literal, grammar, precision);
    free(literal.digits);
    return y;
}

/* A number that is not 0, and not too far from 1, as a fraction. */
static void fraction_of(mpq_t value, const struct scaled_digits *number, bool negative) {
    const long exponent = number->exponent;
    power_of_ten(mpq_numref(value), mpq_denref(value), number->base == 10 ? exponent : 0);
    mpz_mul(mpq_numref(value), mpq_numref(value), number->digits);
    mpq_canonicalize(value);
    if (number->base == 2 && exponent >= 0)
        mpq_mul_2exp(value, value, (mp_bitcnt_t)exponent);
    else if (number->base == 2)
        mpq_div_2exp(value, value, (mp_bitcnt_t)-exponent);
    if (negative)
        mpq_neg(value, value);
}

bool decimal_ratio(mpq_t value, const struct grammar *grammar, const char *text, size_t length) {
    size_t end;
    const struct decimal_literal literal = decimal_literal_of(grammar, text, length, &end);
    struct scaled_digits number;
    if (literal.kind != LITERAL_NUMBER)
        return false;
    number_of(&number, &literal);
    free(literal.digits);
    const bool is_told = mpz_sgn(number.digits) != 0 && labs(number.exponent) <= FAR_BEYOND;
    if (is_told)
        fraction_of(value, &number, literal.negative);
    mpz_clear(number.digits);
    return is_told;
}

bool decimal_ratio_text(const mpq_t value, int digits, char *text, size_t room) {
    mpfr_t near;
    mpq_t read;
    mpfr_init2(near, 4 * digits + 64);
    mpq_init(read);
    mpfr_set_q(near, value, MPFR_RNDN);
    mpfr_snprintf(text, room, "%.*RNg", digits, near);
    const bool whole = decimal_ratio(read, &decimal_grammars[GRAMMAR_STRTOD], text, strlen(text)) &&
                       mpq_equal(read, value);
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
    const bool exact = decimal_ratio(read, &decimal_grammars[GRAMMAR_STRTOD], text, length) &&
                       mpq_equal(read, value);
    mpq_clears(value, read, NULL);
    mpfr_clear(number);
    return exact;
}

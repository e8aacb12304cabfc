/* Inputs of from_decimal: texts next to what separates two numbers. */
#include "op/decimal/draws.h"
#include "op/decimal/near.h"
#include "op/decimal/rows.h"

#include "op/array/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum reading { RANDOM, HALFWAY, ENDS, FRACTIONS, POWERS, ZEROS, HEXADECIMAL, WORDS, READINGS };

/* A text in its line: what does not fit is cut. */
struct line {
    char *text;
    size_t room, length;
};

static void put(struct line *line, char c) {
    if (line->length < line->room)
        line->text[line->length++] = c;
}

static void put_all(struct line *line, const char *text) {
    while (*text)
        put(line, *text++);
}

static void put_zeros(struct line *line, long count) {
    while (count-- > 0)
        put(line, '0');
}

/* The middle between a number and the next larger in magnitude; behind the largest that between it and what would be next. */
static struct real middle_after(const struct format *format, uint64_t code) {
    struct real x = format_decode(format, code);
    if (x.kind != REAL_FINITE)
        return real_power_of_two(format->emin - format->precision);
    const int unit = (x.exponent < format->emin ? format->emin : x.exponent) - format->precision;
    x.significand.high |= UINT64_C(1) << (63 - (x.exponent - unit));
    return x;
}

/* digits 10^exponent of the first digit, with the point somewhere among them, zeros around and a sign. */
static void put_decimal(struct line *line, const char *digits, long exponent, uint64_t key) {
    const long count = (long)strlen(digits);
    const uint64_t how = detmath_random(key, 11);
    long point = how % 4 ? 1 : (long)draw_below(key, 12, (uint64_t)count + 1);
    bool plain = how % 8 == 5 && exponent >= 0 && exponent < (long)line->room - 4;
    if (how >> 8 & 1)
        put(line, '-');
    else if ((how >> 9 & 7) == 0)
        put(line, '+');
    if ((how >> 12 & 7) == 0)
        put_zeros(line, (long)(how >> 16 & 7));
    if (plain)
        point = exponent + 1;
    if (point == 0)
        put(line, '0');
    for (long i = 0; i < count; i++) {
        if (i == point)
            put(line, '.');
        put(line, digits[i]);
    }
    put_zeros(line, plain ? point - count : 0);
    if (plain)
        return;
    char text[32];
    snprintf(text, sizeof text,
             how >> 20 & 1   ? "e%ld"
             : how >> 21 & 1 ? "E%+ld"
                             : "e%+03ld",
             exponent - point + 1);
    put_all(line, text);
}

/* A string of digits, with one more or less in its last place. */
static void step_digits(char *digits, bool up) {
    size_t i = strlen(digits);
    while (i > 0) {
        i--;
        const char end = up ? '9' : '0', other = up ? '0' : '9';
        if (digits[i] != end) {
            digits[i] = (char)(digits[i] + (up ? 1 : -1));
            return;
        }
        digits[i] = other;
    }
    if (up) /* all nines: 0...0 with one before */
        digits[0] = '1';
}

/* So many digits of x, cut, or one more in the last place, or all that x has with a 1 far behind or one less in the last place. */
static void put_beside(struct line *line, const struct real *x, uint64_t key) {
    const size_t most = line->room > 12 ? line->room - 12 : 1;
    const uint64_t how = draw_below(key, 21, 5);
    const long wanted =
        how < 2 ? 17 + (long)draw_below(key, 22, most > 17 ? most - 16 : 1) : (long)most;
    char *digits = calloc(most + 32, 1);
    struct decimal decimal =
        decimal_of(x, wanted < (long)most ? wanted : (long)most, ROUND_TOWARD_ZERO);
    long exponent = decimal.exponent;
    if (digits && decimal.digits) {
        const size_t length = strlen(decimal.digits);
        memcpy(digits, decimal.digits, length);
        if (how == 1)
            while (strlen(digits) < (size_t)wanted && strlen(digits) < most)
                digits[strlen(digits)] = '0';
        if (how == 3 && length < most) { /* all digits, zeros, and a 1 at the end */
            const size_t end = length + (size_t)draw_below(key, 23, most - length);
            memset(digits + length, '0', end - length);
            digits[end] = '1';
        }
        const bool nines = strspn(digits, "9") == strlen(digits);
        if (how == 1 || how == 4)
            step_digits(digits, how == 1);
        exponent += how == 1 && nines;
        put_decimal(line, digits, exponent, key);
    }
    free(digits);
    decimal_free(&decimal);
}

/* An integer of at most 17 or 19 digits times a power of ten, next to the middle of two numbers: the factor f of 10^exponent / 2^e
 * that is nearly an odd integer of precision + 1 bits. */
static void put_fraction(struct line *line, const struct format *format, uint64_t key) {
    const long exponent = draw_exponent(format, key) - 17,
               digits = 17 + (long)draw_below(key, 32, 3);
    mpz_t factor, numerator, denominator, most_factor, most;
    mpz_inits(factor, numerator, denominator, most_factor, most, NULL);
    mpz_ui_pow_ui(most_factor, 10, (unsigned long)digits);
    mpz_ui_pow_ui(numerator, 10, (unsigned long)(exponent > 0 ? exponent : 0));
    mpz_ui_pow_ui(denominator, 10, (unsigned long)(exponent < 0 ? -exponent : 0));
    mpz_set_ui(most, 1);
    mpz_mul_2exp(most, most, (mp_bitcnt_t)format->precision + 1);
    /* So that the largest factor gives about as many bits */
    long bits = (long)mpz_sizeinbase(numerator, 2) - (long)mpz_sizeinbase(denominator, 2) +
                (long)mpz_sizeinbase(most_factor, 2) - (format->precision + 1);
    if (bits < format->emin - format->precision)
        bits = format->emin - format->precision; /* in half units of subnormal numbers */
    mpz_mul_2exp(bits > 0 ? denominator : numerator, bits > 0 ? denominator : numerator,
                 (mp_bitcnt_t)labs(bits));
    near_odd(factor, numerator, denominator, most_factor, most, detmath_random(key, 33));
    char text[64];
    gmp_snprintf(text, sizeof text, "%Zd", factor);
    put_decimal(line, text, exponent + (long)strlen(text) - 1, key);
    mpz_clears(factor, numerator, denominator, most_factor, most, NULL);
}

/* Zeros before and behind, and exponents that take them back or do not, beyond any integer type. */
static void put_long_zeros(struct line *line, const struct format *format, uint64_t key) {
    static const char *const far[] = {
        "2147483647",           "2147483648",           "-2147483648",
        "-2147483649",          "4294967296",           "9223372036854775807",
        "9223372036854775808",  "-9223372036854775809", "18446744073709551616",
        "99999999999999999999", "-99999999999999999999"};
    const long zeros = (long)draw_below(key, 41, line->room > 30 ? line->room - 30 : 1);
    char digits[24];
    snprintf(digits, sizeof digits, "%llu",
             (unsigned long long)(detmath_random(key, 42) >> 11 | 1));
    const long exponent = draw_exponent(format, key);
    char text[40];
    switch (draw_below(key, 43, 4)) {
    case 0: /* 0.000ddd e+ */
        put_all(line, "0.");
        put_zeros(line, zeros);
        digits[line->room > 60 ? 17 : 8] = '\0';
        put_all(line, digits);
        snprintf(text, sizeof text, "e%ld", exponent + zeros + 1);
        break;
    case 1: /* ddd000 e- */
        digits[line->room > 60 ? 17 : 8] = '\0';
        put_all(line, digits);
        put_zeros(line, zeros);
        snprintf(text, sizeof text, "e%ld", exponent - zeros - (long)strlen(digits) + 1);
        break;
    case 2: /* d.ddd e+000...exponent */
        put(line, digits[0]);
        put_all(line, exponent < 0 ? "e-" : "e+");
        put_zeros(line, zeros);
        snprintf(text, sizeof text, "%ld", labs(exponent));
        break;
    default:
        put_all(line, detmath_random(key, 44) & 1 ? "0.0" : "1");
        snprintf(text, sizeof text, "e%s", far[draw_below(key, 45, sizeof far / sizeof *far)]);
    }
    put_all(line, text);
}

/* A code next to 0, to the least normal number, or to the largest. */
static uint64_t draw_end(const struct format *format, uint64_t key) {
    const uint64_t normal = UINT64_C(1) << (format->precision - 1), reach = normal < 8 ? normal : 8;
    const uint64_t zero = format_encode(format, &(struct real){.kind = REAL_ZERO}, 0, 0);
    switch (draw_below(key, 3, 3)) {
    case 0:
        return zero + draw_below(key, 4, 64);
    case 1:
        return normal - reach + draw_below(key, 4, 2 * reach);
    default:
        return format->max_finite - draw_below(key, 4, 8);
    }
}

/* A middle of two numbers, or a number, with or without a bit far behind. A third of them lie at the ends of the format. */
static void put_hexadecimal(struct line *line, const struct format *format, uint64_t key) {
    const uint64_t how = detmath_random(key, 51);
    const uint64_t code =
        draw_below(key, 53, 3) == 0 ? draw_end(format, key) : draw_code(format, key);
    const struct real x = how & 1 ? middle_after(format, code) : format_decode(format, code);
    if (how >> 1 & 1)
        put(line, '-');
    put_all(line, how >> 2 & 1 ? "0x" : "0X");
    char text[48];
    snprintf(text, sizeof text, how >> 3 & 1 ? "%016llx" : "%016llX",
             (unsigned long long)x.significand.high);
    const unsigned point = (unsigned)(how >> 4 & 15);
    for (unsigned i = 0; i < 16; i++) {
        if (i == point)
            put(line, '.');
        put(line, text[i]);
    }
    if (how >> 8 & 1) {
        put_zeros(line, line->room > 48 ? (long)draw_below(key, 52, line->room - 48) : 0);
        put(line, '1');
    }
    snprintf(text, sizeof text, "p%+ld", (long)x.exponent - 4 * (long)point + 1);
    put_all(line, text);
}

/* What is no decimal number, and what ends before the text does. */
static const char *const words[] = {"inf",
                                    "-inf",
                                    "INF",
                                    "Infinity",
                                    "-INFINITY",
                                    "infinit",
                                    "nan",
                                    "NaN",
                                    "nan(12)",
                                    "0",
                                    "-0",
                                    "0.0",
                                    "-0e999",
                                    "0x0p9999",
                                    ".",
                                    "-",
                                    "+",
                                    "e5",
                                    ".e5",
                                    "1e",
                                    "1e+",
                                    "1.5e-",
                                    "0x",
                                    "0x.p1",
                                    "0xg",
                                    "0x1p",
                                    "0x1p+",
                                    "1,5",
                                    "1.5,",
                                    "1_000",
                                    "1 5",
                                    " 2",
                                    "\t-3",
                                    "--1",
                                    "+-1",
                                    "1.2.3",
                                    "0x1.",
                                    ".5",
                                    "5.",
                                    "00012",
                                    "1e0005",
                                    "1e-0005",
                                    "0b101",
                                    "0x1.8p1",
                                    "1f",
                                    "1.0L",
                                    "1d5",
                                    "0x1e5",
                                    "0x1e+5",
                                    "infx",
                                    "in",
                                    "na",
                                    "",
                                    "x",
                                    "1e5e5",
                                    "0e0",
                                    "-.0",
                                    "+.5e1",
                                    "1e00000000000000000000000001",
                                    "0x.8p-1074"};
static void put_word(struct line *line, uint64_t key) {
    put_all(line, words[draw_below(key, 61, sizeof words / sizeof *words)]);
}

static void put_power(struct line *line, const struct format *format, uint64_t key) {
    char digits[8];
    snprintf(digits, sizeof digits, "%u",
             (unsigned)(detmath_random(key, 71) & 1 ? 1 : 1 + draw_below(key, 72, 999)));
    put_decimal(line, digits, draw_exponent(format, key), key);
}

static void put_random(struct line *line, const struct format *format, uint64_t key) {
    const struct real x = format_decode(format, draw_code(format, key));
    if (x.kind != REAL_FINITE) {
        put(line, '0');
        return;
    }
    const long most = line->room > 29 ? 17 : (long)line->room - 12;
    struct decimal decimal = decimal_of(
        &x, 1 + (long)draw_below(key, 73, most < 1 ? 1 : (uint64_t)most), ROUND_NEAREST_EVEN);
    if (decimal.digits)
        put_decimal(line, decimal.digits, decimal.exponent, key);
    decimal_free(&decimal);
}

static void draw_texts(const struct array_call *call, const struct array_family *family,
                       uint64_t seed, uint64_t number) {
    const enum reading all = *(const enum reading *)family->data;
    const struct slices slices = slices_of(call);
    const struct format *format = call->results[0].format;
    memset(call->operands[0].codes, 0, (size_t)(slices.count * slices.length));
    for (uint64_t i = 0; i < slices.count; i++) {
        const uint64_t key = detmath_random(detmath_random(seed, number), i);
        const enum reading reading = all < READINGS ? all : (enum reading)(i % READINGS);
        struct line line = {(char *)call->operands[0].codes + i * slices.length,
                            (size_t)slices.length, 0};
        const struct real middle =
            middle_after(format, reading == ENDS ? draw_end(format, key) : draw_code(format, key));
        switch (reading) {
        case RANDOM:
            put_random(&line, format, key);
            break;
        case HALFWAY:
        case ENDS:
            put_beside(&line, &middle, key);
            break;
        case FRACTIONS:
            put_fraction(&line, format, key);
            break;
        case POWERS:
            put_power(&line, format, key);
            break;
        case ZEROS:
            put_long_zeros(&line, format, key);
            break;
        case HEXADECIMAL:
            put_hexadecimal(&line, format, key);
            break;
        default:
            put_word(&line, key);
        }
    }
}

#define READING(KIND) draw_texts, &(const enum reading){KIND}, 0

const struct array_family from_decimal_families[] = {
    {"normal", "numbers of all exponents in 1 to 17 digits", READING(RANDOM)},
    {"halfway", "texts at the middle of two numbers, and next to it by a digit near or far behind",
     READING(HALFWAY)},
    {"ends", "the same next to 0, to the least normal number, and to the largest", READING(ENDS)},
    {"fractions",
     "integers of 17 to 19 digits times powers of ten, next to the middle of two numbers",
     READING(FRACTIONS)},
    {"powers", "powers of ten, and integers below 1000 times them", READING(POWERS)},
    {"zeros", "long rows of zeros, and exponents beyond integers", READING(ZEROS)},
    {"hexadecimal",
     "numbers and middles in hexadecimal, a third of them at the ends, with a digit far behind or "
     "none",
     READING(HEXADECIMAL)},
    {"words", "inf, nan, zeros, and what is not a number, or not to its end", READING(WORDS)},
    {"mixed", "a text of each of the others in turn", READING(READINGS)},
    {0}};

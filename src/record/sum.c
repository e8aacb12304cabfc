/* Exact sums of errors, as one long fixed-point number. */
#include "record/sum.h"

#include "base/bits.h"

#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bits of a finite non-negative double: value = significand * 2^exponent. */
static uint64_t split(double value, int *exponent) {
    uint64_t bits = bits_of(value);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    *exponent = (biased ? biased : 1) - 1075;
    return biased ? fraction | UINT64_C(1) << 52 : fraction;
}

static void add_at(struct error_sum *sum, unsigned word, uint64_t value) {
    while (value && word < ERROR_SUM_WORDS) {
        sum->words[word] += value;
        value = sum->words[word] < value;
        word++;
    }
}

/* Adds significand * 2^shift units. */
static void add_shifted(struct error_sum *sum, uint64_t significand, int shift) {
    if (shift < 0) {
        add_at(sum, 0, shift > -64 ? significand >> -shift : 0);
        return;
    }
    unsigned word = (unsigned)shift / 64, bit = (unsigned)shift % 64;
    add_at(sum, word, significand << bit);
    if (bit)
        add_at(sum, word + 1, significand >> (64 - bit));
}

void error_sum_add(struct error_sum *sum, double error, uint64_t count) {
    int exponent;
    uint64_t significand = split(error, &exponent);
    for (int k = 0; count >> k; k++)
        if (count >> k & 1)
            add_shifted(sum, significand, exponent + 64 + k);
}

void error_sum_add_scaled(struct error_sum *sum, double error, int scale) {
    int exponent;
    uint64_t significand = split(error, &exponent);
    add_shifted(sum, significand, exponent + 64 + scale);
}

void error_sum_add_units(struct error_sum *sum, uint64_t units, unsigned shift) {
    add_at(sum, 0, units << shift);
    if (shift)
        add_at(sum, 1, units >> (64 - shift));
}

void error_sum_add_parts(struct error_sum *sum, uint64_t whole, uint64_t fractions, unsigned bits) {
    error_sum_add_units(sum, fractions, 64 - bits);
    add_at(sum, 1, whole);
}

void error_sum_merge(struct error_sum *sum, const struct error_sum *other) {
    for (unsigned i = 0; i < ERROR_SUM_WORDS; i++)
        add_at(sum, i, other->words[i]);
}

double error_sum_mean(const struct error_sum *sum, uint64_t count) {
    return error_sum_mean_scaled(sum, count, 0);
}

double error_sum_mean_scaled(const struct error_sum *sum, uint64_t count, int scale) {
    if (count == 0)
        return 0;
    mpfr_t total, word;
    mpfr_init2(total, 64 * ERROR_SUM_WORDS);
    mpfr_init2(word, 64);
    mpfr_set_zero(total, 1);
    for (unsigned i = ERROR_SUM_WORDS; i-- > 0;) {
        mpfr_set_uj(word, sum->words[i], MPFR_RNDZ);
        mpfr_mul_2ui(total, total, 64, MPFR_RNDZ);
        mpfr_add(total, total, word, MPFR_RNDZ);
    }
    mpfr_set_uj(word, count, MPFR_RNDZ);
    mpfr_div(total, total, word, MPFR_RNDZ);
    mpfr_div_2si(total, total, 64 + scale, MPFR_RNDZ);
    double mean = mpfr_get_d(total, MPFR_RNDZ);
    mpfr_clear(total);
    mpfr_clear(word);
    return mean;
}

const char *error_sum_text(const struct error_sum *sum, char text[ERROR_SUM_TEXT]) {
    int word = ERROR_SUM_WORDS - 1;
    while (word > 0 && !sum->words[word])
        word--;
    int length = snprintf(text, ERROR_SUM_TEXT, "0x%" PRIx64, sum->words[word]);
    for (word--; word >= 0; word--)
        length += snprintf(text + length, ERROR_SUM_TEXT - (size_t)length, "%016" PRIx64,
                           sum->words[word]);
    return text;
}

bool error_sum_parse(struct error_sum *sum, const char *text) {
    *sum = (struct error_sum){0};
    if (strncmp(text, "0x", 2) != 0)
        return false;
    const char *digits = text + 2;
    size_t count = strspn(digits, "0123456789abcdef");
    if (!count || digits[count] || count > 16 * ERROR_SUM_WORDS)
        return false;
    for (size_t i = 0; i < count; i++) {
        char digit[2] = {digits[count - 1 - i], '\0'};
        sum->words[i / 16] |= (uint64_t)strtoul(digit, NULL, 16) << (i % 16 * 4);
    }
    return true;
}

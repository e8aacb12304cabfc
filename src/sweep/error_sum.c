/* Exact sums of errors, as one long fixed-point number. */
#include "sweep/tally.h"

#include <mpfr.h>
#include <string.h>

/* The bits of a finite non-negative double: value = significand * 2^exponent. */
static uint64_t split(double value, int *exponent) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
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

void error_sum_add(struct error_sum *sum, double error) {
    int exponent;
    uint64_t significand = split(error, &exponent);
    int shift = exponent + 64;
    if (shift < 0) {
        add_at(sum, 0, shift > -64 ? significand >> -shift : 0);
        return;
    }
    unsigned word = (unsigned)shift / 64, bit = (unsigned)shift % 64;
    add_at(sum, word, significand << bit);
    if (bit)
        add_at(sum, word + 1, significand >> (64 - bit));
}

void error_sum_add_units(struct error_sum *sum, uint64_t units, unsigned shift) {
    add_at(sum, 0, units << shift);
    if (shift)
        add_at(sum, 1, units >> (64 - shift));
}

void error_sum_merge(struct error_sum *sum, const struct error_sum *other) {
    for (unsigned i = 0; i < ERROR_SUM_WORDS; i++)
        add_at(sum, i, other->words[i]);
}

double error_sum_mean(const struct error_sum *sum, uint64_t count) {
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
    mpfr_div_2ui(total, total, 64, MPFR_RNDZ);
    double mean = mpfr_get_d(total, MPFR_RNDZ);
    mpfr_clear(total);
    mpfr_clear(word);
    return mean;
}

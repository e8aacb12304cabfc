/* Exact sums of errors. */
#ifndef DETCHECK_RECORD_SUM_H
#define DETCHECK_RECORD_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* A sum of errors in units of 2^-64 ulp, exact up to 2^64 terms of 2^2240 each. An error is truncated
 * to that unit. What else is summed has units of its own, and comes scaled. */
enum { ERROR_SUM_WORDS = 37 };
struct error_sum {
    uint64_t words[ERROR_SUM_WORDS]; /* least significant first */
};
/* Adds an error count times, count < 2^63. */
void error_sum_add(struct error_sum *sum, double error, uint64_t count);
/* Adds an error times 2^scale, below 2^2240, once. */
void error_sum_add_scaled(struct error_sum *sum, double error, int scale);
/* Adds units * 2^(shift - 64) ulp; shift < 64. */
void error_sum_add_units(struct error_sum *sum, uint64_t units, unsigned shift);
/* Adds whole ulps, and fractions of 2^-bits ulp; 0 < bits <= 64. */
void error_sum_add_parts(struct error_sum *sum, uint64_t whole, uint64_t fractions, unsigned bits);
void error_sum_merge(struct error_sum *sum, const struct error_sum *other);
/* sum / count, truncated to 53 bits; 0 for count 0. */
double error_sum_mean(const struct error_sum *sum, uint64_t count);
/* The same, times 2^-scale; at most DBL_MAX. */
double error_sum_mean_scaled(const struct error_sum *sum, uint64_t count, int scale);
/* "0x1f", in units of 2^-64 ulp, and back; false for other text or a larger number. */
enum { ERROR_SUM_TEXT = 3 + 16 * ERROR_SUM_WORDS };
const char *error_sum_text(const struct error_sum *sum, char text[ERROR_SUM_TEXT]);
bool error_sum_parse(struct error_sum *sum, const char *text);

#endif

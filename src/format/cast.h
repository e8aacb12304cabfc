/* Conversion of codes from one format to another, exactly: the value, rounded once, and the rules
 * of a profile. What kernels are held against. */
#ifndef DETCHECK_FORMAT_CAST_H
#define DETCHECK_FORMAT_CAST_H

#include "format/profile.h"

enum { MOST_RANDOM_BITS = 31 };

struct cast {
    const struct format *from, *to;
    enum rounding rounding; /* or ROUND_STOCHASTIC */
    const struct profile *profile;
    unsigned random_bits; /* of stochastic rounding: 1 to MOST_RANDOM_BITS */
    bool projects;        /* by the saturation mode of P3109 in place of the profile */
    enum overflow saturation;
};

/* The code of the target; `random` is below 2^random_bits, and means nothing where rounding is not
 * stochastic. A rounding toward zero makes the largest number of an overflow, in every profile
 * (IEEE 754-2019, 7.4), but to integers. */
uint64_t cast_code(const struct cast *cast, uint64_t code, uint64_t random);

/* Whether no code is right, because the profile's source leaves the result undefined or has none: of
 * some inputs to integers. cast_code is 0 then. And whether that may be. */
bool cast_is_open(const struct cast *cast, uint64_t code, uint64_t random);
bool cast_may_be_open(const struct cast *cast);

/* The same of a number of any precision that is no NaN; the format it is cast from is of no matter.
 */
uint64_t cast_number(const struct cast *cast, const struct real *value, uint64_t random);

/* The rounding of the results of all operations but casts, as a conversion to their format. */
struct cast cast_of_results(const struct format *format, enum rounding rounding);

/* The last code, in bit-pattern order from `code` on and not beyond `limit`, up to which all become
 * the same code as `code` does, by the exact rule and for the same random number. All codes between
 * do so, because rounding never decreases; zero, the other sign, infinity and NaN begin runs of
 * their own. */
uint64_t cast_run_end(const struct cast *cast, uint64_t code, uint64_t limit, uint64_t random);

/* The last code likewise, up to which all are finite numbers that the target has too, the code of
 * each *step behind that of the one before; `code` itself where that is not known. So it is for
 * numbers that are normal in both formats, or subnormal in both alike, where the target has no
 * fewer bits: codes count the numbers of a format in order, and 2^(p' - p) numbers of precision p'
 * stand for each of precision p. To and from integers they are such of one binade; to integers a code may
 * be the low bits of what is *step behind, and *step is then taken modulo 2^width. */
uint64_t cast_exact_run_end(const struct cast *cast, uint64_t code, uint64_t limit, uint64_t *step);

#endif

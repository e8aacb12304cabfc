/* Blocks of numbers that share a scale, as the "OCP Microscaling Formats (MX) Specification" 1.0
 * has them, exactly: a number is an element times the scale of its block, a power of two from
 * 2^-127 to 2^127 or NaN (fp8_e8m0fnu). What kernels are held against. */
#ifndef DETCHECK_FORMAT_BLOCK_H
#define DETCHECK_FORMAT_BLOCK_H

#include "format/profile.h"

enum { BLOCK_ELEMENTS = 32, BLOCK_LEAST_EXPONENT = -127, BLOCK_MOST_EXPONENT = 127 };
/* NVFP4 has smaller blocks. Formats of scales, by number: those of MX, and of NVFP4. This is the one place that says these
 * things: operations on arrays of elements (op/mx) and layouts of bytes (op/block/layouts.c) both take them from here. */
enum { BLOCK_ELEMENTS_NVFP4 = 16 };
enum { BLOCK_SCALES = FORMAT_FP8_E8M0FNU, BLOCK_SCALES_NVFP4 = FORMAT_FP8_E4M3FN };

/* A conversion to blocks. */
struct block_conversion {
    const struct format *element; /* of element_formats */
    const struct profile *profile;
    enum rounding rounding;    /* of elements, or ROUND_STOCHASTIC */
    struct random_bits random; /* of the element at hand, where rounding is stochastic */
};

/* The scale of a block of `count` numbers in fp32 or a narrower format, 0 < count: 2^n or NaN. */
struct real block_scale(const struct block_conversion *conversion, const struct real *x,
                        size_t count);

/* x over the scale of its block: what is to be rounded to an element. NaN where the scale is. */
struct real block_quotient(const struct block_conversion *conversion, const struct real *x,
                           const struct real *scale);

/* The code of the element for a quotient; beyond the largest element it is that. *by_rule says
 * whether the profile ends the range where the format goes on. */
uint64_t block_element(const struct block_conversion *conversion, const struct real *quotient,
                       bool *by_rule);

/* The number that an element stands for: exact. NaN where the scale is. */
struct real block_product(const struct format *element, uint64_t code, const struct real *scale);

#endif

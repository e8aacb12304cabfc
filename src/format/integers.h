/* The numbers of a format that are integers, numbered by magnitude: those of p bits are every integer
 * up to 2^p, and every number from there on. */
#ifndef DETCHECK_FORMAT_INTEGERS_H
#define DETCHECK_FORMAT_INTEGERS_H

#include "format/format.h"

/* The magnitude code of integer number `rank`, from 0 (which is number 0 in a format without zero too,
 * and then no code). `rank` is at most format_integers_below of one more than the largest finite code. */
uint64_t format_integer_code(const struct format *format, uint64_t rank);

/* How many integers from 0 up have a smaller magnitude code than `magnitude`, which is at most one more
 * than the largest finite code: the number of the first integer from there on. */
uint64_t format_integers_below(const struct format *format, uint64_t magnitude);

#endif

/* The loops of a sweep that look at every output, or write every input, and do next to nothing. */
#ifndef DETCHECK_SWEEP_JUDGE_SCAN_H
#define DETCHECK_SWEEP_JUDGE_SCAN_H

#include "op/function/code_pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes of 2, 4 or 8 bytes: first, first + 1, ... */
void scan_fill(void *codes, size_t bytes, uint64_t first, size_t count);

/* Whether the codes of 2, 4 or 8 bytes are want + (start + i * step) / 2, rounded down, i = 0, 1, ...
 */
bool scan_follows(const void *codes, size_t bytes, uint64_t want, uint32_t start, uint32_t step,
                  size_t count);

/* Whether the codes of 2, 4 or 8 bytes are what the pattern makes of first, first + 1, ... */
bool scan_matches(const void *codes, const struct format *format,
                  const struct code_pattern *pattern, uint64_t first, size_t count);

/* How many codes of 2, 4 or 8 bytes, without their sign bit, are above `largest`; `same` is set to how
 * many of those are `nan`, which must be one. */
size_t scan_count_above(const void *codes, size_t bytes, uint64_t largest, uint64_t nan,
                        size_t count, size_t *same);

/* Puts `nan` in place of the codes of 2, 4 or 8 bytes that are above `largest` without their sign
 * bit. */
void scan_replace_above(void *codes, size_t bytes, uint64_t largest, uint64_t nan, size_t count);

/* Whether, of codes of 1, 2, 4 or 8 bytes, the bits in `mask` are above `largest` of any that is
 * not `except`. */
bool scan_finds_above(const void *codes, size_t bytes, uint64_t mask, uint64_t largest,
                      uint64_t except, size_t count);

#endif

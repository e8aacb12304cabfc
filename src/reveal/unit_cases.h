/* Cases of a matrix unit: what one returned for operands that are known, read from a file. */
#ifndef DETCHECK_REVEAL_UNIT_CASES_H
#define DETCHECK_REVEAL_UNIT_CASES_H

#include "format/format.h"

enum { UNIT_CASES_MOST_BYTES = 64 << 20, UNIT_CASES_MOST = 10000, UNIT_CASES_MOST_PRODUCTS = 64 };

/* Each case is d = c + a[0] b[0] + ..., of the same number of products; c and d are codes of `result`. With `scales`, each
 * `block` of a and of b has a scale. No file has scales, nor whole numbers, which stop at the ends where `saturates`. */
struct unit_cases {
    const struct format *format, *result;
    size_t count, room, products;
    bool has_c, saturates;
    bool called;                 /* an implementation computed them: there is no file */
    const struct format *scales; /* NULL: none */
    size_t block;
    uint64_t *a, *b;               /* `products` for each case */
    uint64_t *a_scales, *b_scales; /* unit_cases_blocks() for each case */
    uint64_t *c, *d;
    uint64_t *lines; /* of the file, from 1 */
};

/* Reads lines "a0 a1 ... | b0 b1 ... | c | d", c blank where there was none. A fifth column is d as fp16, and is what counts
 * where `result` is fp16. False with one line; close in any case. */
bool unit_cases_read(const char *path, const struct format *format, const struct format *result,
                     struct unit_cases *cases, struct error *error);
size_t unit_cases_blocks(const struct unit_cases *cases);
/* Room for one more case, whose arrays are the caller's to fill. False: no memory. */
bool unit_cases_add(struct unit_cases *cases);
void unit_cases_close(struct unit_cases *cases);

/* Digits of a code in the file: tf32 stands in its container of 32 bits. */
unsigned unit_cases_digits(const struct format *format);
/* A code as it stands in the file. */
uint64_t unit_cases_stored(const struct format *format, uint64_t code);

#endif

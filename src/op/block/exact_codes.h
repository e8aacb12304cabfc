/* What rules of programs share in exact arithmetic: operations that are rounded once to fp32, and codes of elements. */
#ifndef DETCHECK_OP_BLOCK_EXACT_CODES_H
#define DETCHECK_OP_BLOCK_EXACT_CODES_H

#include "op/block/rules.h"

#include <mpfr.h>

/* One word of MPFR's, in which products of two fp32 numbers are exact. Sums and quotients may be rounded to it before they
 * are rounded to fp32: with at least 2 * 24 + 2 bits that gives what rounding once gives. */
enum { BLOCK_ROOM_BITS = 60 };

/* What the codes of a block are computed with. */
struct block_room {
    mpfr_t a, b; /* for intermediate results, of that precision */
    /* Between each two neighbours of the elements' format, from 0 on, or of their table. */
    double middles[128];
    uint8_t codes[16]; /* of the table, from its least number on */
};

typedef int mpfr_operation(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

void block_exact_open(struct block_room *room, const struct block_field *elements);
void block_exact_close(struct block_room *room);

/* a by b, rounded once to fp32. A NaN that comes in stays, and x86-64 gives a NaN that is made a sign. */
float block_exact_by(struct block_room *room, mpfr_operation *operation, float a, float b);

/* The code of a number of fp32 in a format. */
uint32_t block_exact_encoded(const struct format *format, float x, enum rounding rounding,
                             enum overflow overflow);

/* The code of an element for a quotient. `zero` is the zero point, as codes are moved by it. */
uint32_t block_exact_code(const struct quantiser_rule *rule, const struct block_field *elements,
                          struct block_room *room, float quotient, float zero);

#endif

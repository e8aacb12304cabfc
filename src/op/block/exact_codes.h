/* What rules of programs share in exact arithmetic: operations that are rounded once to fp32, and codes of elements. */
#ifndef DETCHECK_OP_BLOCK_EXACT_CODES_H
#define DETCHECK_OP_BLOCK_EXACT_CODES_H

#include "op/block/rules.h"

#include <mpfr.h>

enum { BLOCK_ROOM_BITS = 320 }; /* for a sum of two fp32 numbers */

/* For intermediate results, of that precision. */
struct block_room {
    mpfr_t a, b;
};

typedef int mpfr_operation(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/* a by b, rounded once to fp32. A NaN that comes in stays, and x86-64 gives a NaN that is made a sign. */
float block_exact_by(struct block_room *room, mpfr_operation *operation, float a, float b);

/* The code of a number of fp32 in a format. */
uint32_t block_exact_encoded(const struct format *format, float x, enum rounding rounding,
                             enum overflow overflow);

/* The code of an element for a quotient. `zero` is the zero point, as codes are moved by it. */
uint32_t block_exact_code(const struct quantiser_rule *rule, const struct block_field *elements,
                          struct block_room *room, float quotient, float zero);

#endif

/* The truth about packed blocks: what the oracle holds implementations against. Nothing here calls the code that `det` and
 * `cr` run. Fields are read bit by bit, and numbers are of MPFR, with room for all their bits: sums and products are exact,
 * and a quotient is cut after 128 bits with a word on what follows, then rounded once. */
#ifndef DETCHECK_OP_BLOCK_EXACT_H
#define DETCHECK_OP_BLOCK_EXACT_H

#include "op/block/layout.h"

#include <mpfr.h>

enum { BLOCK_EXACT_BITS = 1500 };

struct block_exact_element {
    double number;
    uint32_t code;
};

/* A layout made ready. */
struct block_exact {
    const struct block_layout *layout;
    double tensor; /* its scale; 1 where the layout has none */
    unsigned count;
    struct block_exact_element elements[256]; /* ascending; of equal ones, the first code */
    int negative_zero, nan;                   /* their codes; -1: there is none */
    mpfr_t scale, zero, minimum;              /* of the element that was asked for last */
    bool is_known;                            /* they are still */
    mpfr_t middle, number, other;             /* for intermediate results */
};

void block_exact_prepare(struct block_exact *exact, const struct block_layout *layout,
                         double tensor);
void block_exact_clear(struct block_exact *exact);

/* An integer of a field, without sign. */
uint32_t block_exact_get(const struct block_layout *layout, enum block_role role,
                         const uint8_t *bytes, unsigned index);
void block_exact_set(const struct block_layout *layout, enum block_role role, uint8_t *bytes,
                     unsigned index, uint32_t integer);
/* The number that it is. */
void block_exact_number(mpfr_ptr number, const struct block_field *field, uint32_t integer);

/* What an element stands for. */
struct real block_exact_value(struct block_exact *exact, const uint8_t *bytes, unsigned element);

/* Writes the nearest codes of all elements, and their sums where the layout has them. */
void block_exact_nearest(struct block_exact *exact, const float *x, uint8_t *bytes);
/* The place among `elements` of the one that stands for the number nearest to x, by the scale, zero point and minimum above. */
unsigned block_exact_place(struct block_exact *exact, double x);

/* The code of a format that is nearest to a quotient, as op/block/define.h says. */
uint32_t block_exact_quotient(const struct format *format, enum rounding rounding,
                              mpfr_srcptr numerator, mpfr_srcptr denominator);

/* A block by the definitions `maximum` and `squares` (op/block/define.h). False without memory. */
void block_exact_maximum(struct block_exact *exact, const float *x, uint8_t *bytes);
bool block_exact_squares(struct block_exact *exact, const float *x, uint8_t *bytes);

#endif

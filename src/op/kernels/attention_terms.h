/* Sums of powers e^x, with binary fractions as x and as coefficients: what exact gradients of attention are quotients of. */
#ifndef DETCHECK_OP_KERNELS_ATTENTION_TERMS_H
#define DETCHECK_OP_KERNELS_ATTENTION_TERMS_H

#include <arf.h>

#include <stdbool.h>
#include <stddef.h>

struct term {
    arf_t exponent, coefficient;
    slong factor; /* of the slope of a soft cap; -1: it is 1 */
};

struct terms {
    struct term *each;
    size_t count, room;
    bool is_lost; /* for lack of memory, or a product of divisors had too many */
};

/* Adds coefficient e^(a + b) times a factor. */
void attention_push(struct terms *terms, const arf_t a, const arf_t b, slong factor,
                    const arf_t coefficient);
void attention_close_terms(struct terms *terms);

/* Whether nothing is left where equal powers are added. */
bool attention_is_nothing(struct terms *terms);

/* The product, in which equal powers are added; of the two only a may have factors. */
struct terms attention_multiply(const struct terms *a, const struct terms *b);

/* Whether above / below is first / n. */
bool attention_is_quotient(const struct terms *above, const struct terms *below, const arf_t first,
                           const arf_t n);

/* above / below += a / b, where a sum of no terms over one of no terms is 0. False where there are too many terms. */
bool attention_add_quotient(struct terms *above, struct terms *below, const struct terms *a,
                            const struct terms *b);

#endif

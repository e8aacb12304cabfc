/* Exact sums of quotients of numbers by counts. */
#ifndef DETCHECK_OP_KERNELS_SHARES_H
#define DETCHECK_OP_KERNELS_SHARES_H

#include "op/array/sums.h"

#include <arb.h>

/* What has been added for a count; unused while there is one count alone. */
struct exact_share {
    unsigned long by;
    arf_t sum;
};

struct exact_shares {
    struct exact_total
        total; /* of the numbers themselves, whose infinities and zeros are those of the sum */
    struct exact_share *each;
    size_t count, room;
};

void exact_shares_open(struct exact_shares *shares, const struct format *format);
void exact_shares_close(struct exact_shares *shares);
void exact_shares_reset(struct exact_shares *shares);
/* One more quotient; false without memory. */
bool exact_shares_add(struct exact_shares *shares, const struct real *x, unsigned long by);
/* The sum, truncated to `precision` bits. Of no terms it is +0. */
struct real exact_shares_sum(const struct exact_shares *shares, int precision);

#endif

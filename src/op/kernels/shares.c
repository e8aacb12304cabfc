/* Sums of quotients: numbers over one count are added first. */
#include "op/kernels/shares.h"

#include "op/enclose.h"

#include <stdlib.h>

void exact_shares_open(struct exact_shares *shares, const struct format *format) {
    *shares = (struct exact_shares){.each = NULL};
    exact_total_open(&shares->total, format);
}

void exact_shares_close(struct exact_shares *shares) {
    exact_total_close(&shares->total);
    for (size_t i = 0; i < shares->room; i++)
        arf_clear(shares->each[i].sum);
    free(shares->each);
}

void exact_shares_reset(struct exact_shares *shares) {
    exact_total_reset(&shares->total);
    shares->count = 0;
}

static bool grow(struct exact_shares *shares) {
    const size_t room = shares->room ? 2 * shares->room : 8;
    struct exact_share *each = realloc(shares->each, room * sizeof *each);
    if (!each)
        return false;
    for (size_t i = shares->room; i < room; i++)
        arf_init(each[i].sum);
    shares->each = each;
    shares->room = room;
    return true;
}

bool exact_shares_add(struct exact_shares *shares, const struct real *x, unsigned long by) {
    size_t i = 0;
    while (i < shares->count && shares->each[i].by != by)
        i++;
    if (i == shares->room && !grow(shares))
        return false;
    if (i == 1 && shares->count == 1) /* until now the total was enough */
        arf_set_mpfr(shares->each[0].sum, shares->total.sum);
    if (i == shares->count) {
        shares->each[i].by = by;
        arf_zero(shares->each[i].sum);
        shares->count++;
    }
    exact_total_add(&shares->total, x);
    if (x->kind == REAL_FINITE && shares->count > 1) {
        arf_t number;
        arf_init(number);
        arf_set_real(number, x);
        arf_add(shares->each[i].sum, shares->each[i].sum, number, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_clear(number);
    }
    return true;
}

struct real exact_shares_sum(const struct exact_shares *shares, int precision) {
    const struct exact_total *total = &shares->total;
    if (shares->count < 2 || total->nan || total->plus_infinity || total->minus_infinity ||
        !total->nonzero)
        return exact_total_quotient(total, shares->count ? shares->each[0].by : 1, precision);
    struct real y = {.kind = REAL_ZERO, .cancelled = true};
    arf_t above, below, part;
    arf_init(above);
    arf_init(below);
    arf_init(part);
    arf_one(below);
    for (size_t i = 0; i < shares->count; i++) {
        arf_mul_ui(above, above, shares->each[i].by, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(part, shares->each[i].sum, below, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(above, above, part, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(below, below, shares->each[i].by, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    if (!arf_is_zero(above))
        y = quotient_of(above, below, precision);
    arf_clear(above);
    arf_clear(below);
    arf_clear(part);
    return y;
}

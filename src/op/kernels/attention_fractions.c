/* A query of a group at work, exactly; and fractions that are added up. */
#include "op/kernels/attention_slopes.h"

void attention_set_row(struct attention_slopes *slopes, uint64_t number) {
    attention_set_query(&slopes->query, slopes->row[number].number);
    attention_find_dots(&slopes->query);
}

void attention_find_product(struct attention_slopes *slopes, uint64_t index, arf_t value) {
    const struct attention_query *query = &slopes->query;
    const uint64_t width = query->extents.width;
    arf_zero(value);
    for (uint64_t d = 0; d < width; d++)
        arf_addmul(value, arb_midref(query->exact[ATTENTION_G] + query->q + d),
                   arb_midref(query->exact[ATTENTION_V] + (query->keys + index) * width + d),
                   ARF_PREC_EXACT, ARF_RND_DOWN);
}

void attention_add_fraction(struct attention_slopes *slopes, const arf_t a, const arf_t b) {
    arf_t part;
    if (arf_equal(slopes->below, b)) {
        arf_add(slopes->above, slopes->above, a, ARF_PREC_EXACT, ARF_RND_DOWN);
        return;
    }
    arf_init(part);
    arf_mul(part, a, slopes->below, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(slopes->above, slopes->above, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(slopes->above, slopes->above, part, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(slopes->below, slopes->below, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(part);
}

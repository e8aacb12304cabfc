/* The values of elements, counted. */
#include "sweep/tally.h"

static void offer(struct value_tally *tally, const struct witness *witness) {
    double rank = error_rank(witness->error, VALUE_FINE_FROM);
    double most = tally->has_max ? error_rank(tally->max.error, VALUE_FINE_FROM) : 0;
    if (tally->has_max && (rank < most || (!(rank > most) && witness->index > tally->max.index)))
        return;
    tally->max = *witness;
    tally->has_max = true;
}

void value_tally_add(struct value_tally *tally, const struct array_value *value,
                     const struct witness *witness) {
    struct witness worth = *witness;
    worth.error = value->error;
    tally->exact += !(value->error > 0);
    tally->clipped += value->clipped;
    tally->overflowed += value->overflowed;
    tally->lost_bits += value->lost_bits;
    error_sum_add(value->below ? &tally->below : &tally->above, value->error, 1);
    offer(tally, &worth);
}

double error_sums_mean(const struct error_sum *above, const struct error_sum *below,
                       uint64_t count) {
    struct error_sum sum = *above;
    error_sum_merge(&sum, below);
    return error_sum_mean(&sum, count);
}

double error_sums_bias(const struct error_sum *above, const struct error_sum *below,
                       uint64_t count) {
    return error_sum_mean(above, count) - error_sum_mean(below, count);
}

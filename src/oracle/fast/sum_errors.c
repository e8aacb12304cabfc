/* The errors are integers, so that no order of adding them changes a sum. One pass finds all but
 * the histogram, and leaves of each error its upper half: edges are multiples of 2^-10 ulp, 2^19
 * units, so that nothing more is needed to compare with them, and twice as many fit a vector. */
#include "oracle/fast/sum_errors.h"

#include <string.h>

/* Edges in a pass over the upper halves. */
enum { EDGES_AT_ONCE = 6, UPPER_HALF = 16 };

FOR_EACH_CPU
bool doubt_edges(const struct decision_rules *rules, int32_t *errors, size_t count,
                 uint32_t margin) {
    uint32_t touching = 0;
    for (int k = rules->never_exact; k < rules->edge_count; k++) {
        uint32_t low = (uint32_t)rules->edges[k] - margin;
        for (size_t i = 0; i < count; i++) {
            bool touches = (uint32_t)size_of(errors[i]) - low <= 2 * margin;
            errors[i] = touches ? DECISION_UNSURE : errors[i];
            touching |= touches;
        }
    }
    return touching;
}

/* Counts errors above edges from number `from` on, as far as errors reach. An upper half is that of
 * the error less one unit, which is at or above the edge where the error is above it. */
INLINED void count_above(const struct decision_rules *rules, const int16_t *upper_halves,
                         size_t count, int from, struct decision_sums *sums) {
    int16_t edges[EDGES_AT_ONCE];
    uint16_t above[EDGES_AT_ONCE] = {0};
    for (int j = 0; j < EDGES_AT_ONCE; j++)
        edges[j] = from + j < rules->edge_count ? (int16_t)(rules->edges[from + j] >> UPPER_HALF)
                                                : INT16_MAX;
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < EDGES_AT_ONCE; j++)
            above[j] = (uint16_t)(above[j] + (upper_halves[i] >= edges[j]));
    uint32_t unsure = (uint32_t)count - sums->sure;
    for (int j = 0; j < EDGES_AT_ONCE && from + j < rules->edge_count; j++)
        sums->above[from + j] = above[j] - unsure;
}

INLINED uint32_t count_wrong(const struct decision_rules *rules, const int32_t *errors,
                             size_t count) {
    uint32_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += ((errors[i] < rules->least) | (errors[i] > rules->most)) &
                 (errors[i] != DECISION_UNSURE);
    return wrong;
}

FOR_EACH_CPU
bool sum_errors(const struct decision_rules *rules, const int32_t *errors, size_t count,
                uint32_t margin, struct decision_sums *sums) {
    const uint32_t mask = ((uint32_t)1 << (DECISION_UNITS_LOG2 - 10)) - 1;
    const uint32_t above_0 = rules->never_exact ? margin + 1 : 0; /* smaller ones touch no edge */
    uint32_t nearest = UINT32_MAX, lower = 0, upper = 0, unsure = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    int16_t upper_halves[DECISION_STRIP];
    for (size_t i = 0; i < count; i++) {
        int32_t error = errors[i];
        uint32_t size = (uint32_t)size_of(error), open = -(uint32_t)(size == DECISION_UNSURE);
        uint32_t past = ((size + margin) & mask) | open | -(uint32_t)(size < above_0);
        int32_t sure = error ^ (int32_t)open; /* of what is unsure INT32_MIN */
        nearest = past < nearest ? past : nearest;
        least = error < least ? error : least;
        most = sure > most ? sure : most;
        unsure -= open;
        lower += size & 0xffff;
        upper += size >> UPPER_HALF;
        upper_halves[i] = (int16_t)((int32_t)(size - 1) >> UPPER_HALF);
    }
    sums->sure = (uint32_t)count - unsure;
    int32_t largest = !sums->sure ? -1 : -least > most ? -least : most;
    sums->least = least;
    sums->most = most;
    sums->largest = largest;
    sums->error = lower + ((uint64_t)upper << UPPER_HALF) - (uint64_t)unsure * DECISION_UNSURE;
    memset(sums->above, 0, sizeof sums->above);
    for (int k = 0; k < rules->edge_count && rules->edges[k] < largest; k += EDGES_AT_ONCE)
        count_above(rules, upper_halves, count, k, sums);
    if (rules->never_exact)
        sums->above[0] = sums->sure;
    sums->wrong = rules->least + rules->most ? count_wrong(rules, errors, count)
                                             : sums->above[rules->near_edges - 1];
    return nearest <= 2 * margin;
}

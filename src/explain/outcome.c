/* What was counted, as an outcome. */
#include "explain/explain.h"

void explain_take_counts(struct explain_outcome *outcome, const struct counts *all,
                         const struct format *format) {
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    *outcome = (struct explain_outcome){.tested = all->tested,
                                        .unanswered = all->unanswered,
                                        .not_called = all->not_called,
                                        .differ = all->differ,
                                        .judged = all->judged,
                                        .right = {all->right[0], all->right[1]},
                                        .events = {all->events[0], all->events[1]}};
    for (size_t i = 0; i < all->set_count; i++) {
        const struct difference *one = &all->sets[i].examples[0];
        const struct spread *spread = &all->sets[i].spread;
        if (!outcome->has_first || one->index < outcome->first.index)
            outcome->first = *one;
        outcome->has_first = true;
        least = spread->lowest < least ? spread->lowest : least;
        greatest = spread->highest > greatest ? spread->highest : greatest;
    }
    outcome->has_reach = all->set_count && least <= greatest;
    outcome->least = outcome->has_reach ? format_from_ordinal(format, least) : 0;
    outcome->greatest = outcome->has_reach ? format_from_ordinal(format, greatest) : 0;
}

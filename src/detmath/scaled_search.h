/* The search for a scale over time: by how many powers of two to rebalance a tensor at each step of
 * a training, given by how many each step would have needed (detmath_scaled_find). Integers only.
 *
 *     int needed = detmath_scaled_find(to, format, data, n, DETMATH_SCALED_BY_MAXIMUM);
 *     int exponent = detmath_scale_search_step(&search, needed);
 *     plan = detmath_scaled_plan_rebalance(scale, exponent, is_power);
 *
 * Just in time, the data are looked at before they are converted. Delayed, they need not be: the
 * exponent is what the steps before have needed, and `needed` may be found while or after they are
 * converted. A step whose data are nothing but 0 needs nothing (detmath_scaled_has_number): leave it out. Backing off, only whether something overflowed counts, as in automatic loss scaling.
 */
#ifndef DETMATH_SCALED_SEARCH_H
#define DETMATH_SCALED_SEARCH_H

#include "core.h"

#include "shield.inc"

enum detmath_scale_rule {
    DETMATH_SCALE_JUST_IN_TIME, /* what this step needs, and the margin */
    DETMATH_SCALE_DELAYED, /* the most that the last `length` steps needed, and the margin; at the
                                   first step what it needs */
    DETMATH_SCALE_BACK_OFF /* one more after a step that overflowed; one less after `length` steps
                                   in a row that did not */
};

struct detmath_scale_search {
    enum detmath_scale_rule rule;
    detmath_i32 margin;
    detmath_i32 *history; /* of the delayed rule: room for `length`, the caller's; else NULL */
    detmath_u32 length;   /* at least 1 */
    detmath_u32 kept, next, quiet;
    detmath_i32 exponent; /* of back-off: the first one, then the one to come */
    detmath_u32 steps,
        overflows; /* how many there were, and in how many the exponent was too small */
};

DETMATH_FUNCTION struct detmath_scale_search
detmath_scale_search_of(enum detmath_scale_rule rule, detmath_i32 margin, detmath_i32 *history,
                        detmath_u32 length, detmath_i32 first) {
    struct detmath_scale_search search = {rule, margin, history, length, 0, 0, 0, first, 0, 0};
    return search;
}

/* The exponent of this step, which needed `needed`. */
DETMATH_FUNCTION detmath_i32 detmath_scale_search_step(struct detmath_scale_search *search,
                                                       detmath_i32 needed) {
    detmath_i32 exponent = needed + search->margin;
    if (search->rule == DETMATH_SCALE_DELAYED) {
        for (detmath_u32 i = 0; i < search->kept; i++)
            if (i == 0 || search->history[i] + search->margin > exponent)
                exponent = search->history[i] + search->margin;
        search->history[search->next] = needed;
        search->next = (search->next + 1u) % search->length;
        search->kept += search->kept < search->length;
    }
    if (search->rule == DETMATH_SCALE_BACK_OFF) {
        exponent = search->exponent;
        search->quiet = needed > exponent ? 0u : search->quiet + 1u;
        search->exponent += needed > exponent;
        if (search->quiet == search->length) {
            search->exponent--;
            search->quiet = 0u;
        }
    }
    search->steps++;
    search->overflows += needed > exponent;
    return exponent;
}

#include "shield_end.inc"

#endif

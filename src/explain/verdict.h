/* What rows about conversions say of an input, and how many inputs in a row they say the same of.
 *
 * A row's prediction never decreases along the numbers of one sign, until it overflows, and then it is one code. So where
 * both ends of inputs that have one exponent are converted alike by what is asked for and by every row, all between them
 * are: nothing has to be computed there. Integers, which wrap around, and NaN, whose bits count, are looked at one by one. */
#ifndef DETCHECK_EXPLAIN_VERDICT_H
#define DETCHECK_EXPLAIN_VERDICT_H

#include "explain/work.h"

enum said { SAYS_NOTHING, SAYS_RIGHT, SAYS_WRONG, SAYS_WHY };

/* What a row says about a side, at the input that work->converted has. */
enum said verdict_of_row(const struct work *work, size_t row, int side,
                         const struct difference *found, uint64_t *predicted);

/* Whether a row is asked about a side there. */
static inline bool verdict_is_asked(const struct work *work, size_t row, int side,
                                    const struct difference *found) {
    const hypothesis_set bit = hypothesis_bit(row, side);
    const struct stretch *limits = work->request->limits;
    return (work->pass->alive & bit) &&
           !(found->sides[0] == found->sides[1] && (work->pass->where_different & bit)) &&
           !(limits && !stretch_has(&limits[row * 2 + (size_t)side], work->in, found->in[0]));
}

/* Whether inputs are taken in runs in this pass. */
bool verdict_has_runs(const struct work *work);

/* How many inputs from place `at` of the block on, of at most `limit`, are as the first one: 1 or more. `place` is the
 * first one's number. All of them are answered. */
size_t verdict_run(struct work *work, size_t at, size_t limit, uint64_t place);

#endif

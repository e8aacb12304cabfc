/* Sets of whole numbers, as runs of consecutive ones: codes, and numbers of shards. One more is found by bisection;
 * of ten thousand ranges each would else be looked at ten thousand times. */
#ifndef DETCHECK_RECORD_NUMBER_SET_H
#define DETCHECK_RECORD_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_run {
    uint64_t first, last;
};

/* In order, none next to another one. All zero: empty. */
struct number_set {
    struct number_run *runs;
    size_t count, room;
};

/* Adds a run behind all that there are. False where it is none, or not behind them, and without memory. */
bool number_set_append(struct number_set *set, uint64_t first, uint64_t last);

/* Adds the numbers of another set, of which this one has none. False without memory. */
bool number_set_add(struct number_set *set, const struct number_set *more);

/* Whether both have a number, and the first one that both have. */
bool number_set_shares(const struct number_set *set, const struct number_set *more,
                       uint64_t *number);

/* How many numbers there are, of fewer than 2^64. */
uint64_t number_set_size(const struct number_set *set);

bool number_set_equal(const struct number_set *a, const struct number_set *b);

void number_set_free(struct number_set *set);

#endif

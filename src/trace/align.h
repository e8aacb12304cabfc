/* The longest common subsequence of two lists of keys (Myers, "An O(ND) difference algorithm and its variations",
 * 1986), in windows, so that its time grows with the length of the lists however much they differ. */
#ifndef DETCHECK_TRACE_ALIGN_H
#define DETCHECK_TRACE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct align_pair {
    size_t a, b; /* places of one key in both lists */
};

/* Memory that one call after the other uses. All zero at first. */
struct align_room {
    int *reached;
};
void align_free(struct align_room *room);

/* Fills `pairs`, which has room for as many as the shorter list is long, in ascending order, and returns how many there
 * are; -1 when there is no memory. */
ptrdiff_t align_keys(struct align_room *room, const uint64_t *a, size_t a_count, const uint64_t *b,
                     size_t b_count, struct align_pair *pairs);

#endif

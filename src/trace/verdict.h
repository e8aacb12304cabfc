/* What becomes of operations that stand beside one another, by the digests of what went in and came out. */
#ifndef DETCHECK_TRACE_VERDICT_H
#define DETCHECK_TRACE_VERDICT_H

#include "trace/compare.h"
#include "trace/constants.h"
#include "trace/pairing.h"

struct verdict_judge {
    const struct trace *sides[2];
    struct digest_map
        differ[2]; /* outputs of each side that the other side has not in their place */
    struct digest_map own
        [2]; /* outputs of operations without a partner, and within groups, that nothing that differs went into */
    struct trace_values values[2]; /* all inputs and outputs */
};

/* Looks at all outputs. False without memory. verdict_close is right in any case. */
bool verdict_open(struct verdict_judge *judge, const struct trace *here, const struct trace *there,
                  const struct trace_pairing *pairing);
void verdict_close(struct verdict_judge *judge);

/* `other` is the first input that differs and that no recorded operation gave, here and there; or NULL twice. */
enum trace_verdict verdict_of(const struct verdict_judge *judge, const struct trace_match *match,
                              const struct trace_tensor *other[2]);

/* Whether there is nothing to compare: no outputs, or whatever lay in memory. */
bool verdict_has_no_values(const struct verdict_judge *judge, const struct trace_match *match);

/* Whether both sides of one operation take the same bits in other places; and for each input here its place there. */
enum { MOST_SWAPPED = 16 };
bool verdict_find_swapped(const struct verdict_judge *judge, const struct trace_match *match,
                          size_t places[MOST_SWAPPED]);

/* How many outputs here may stand beside one of there, and the outputs that stand beside one another, by the place of the one
 * here: of a run, its last operation's. Operations of one name pair them by their places. Of others, where a side has
 * several, those of the same bits stand beside one another, and else those that alone have their shape and type on both sides.
 * False where output `index` has none. */
size_t verdict_outputs(const struct verdict_judge *judge, const struct trace_match *match);
bool verdict_output_pair(const struct verdict_judge *judge, const struct trace_match *match,
                         size_t index, const struct trace_tensor *pair[2]);

/* The outputs that are judged: of known pairs the first that differ, and else the first outputs of both sides, where these
 * stand beside one another; false where there are none. */
bool verdict_first_pair(const struct verdict_judge *judge, const struct trace_match *match,
                        const struct trace_tensor *pair[2]);

#endif

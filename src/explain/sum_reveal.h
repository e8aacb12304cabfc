/* Both orders revealed, of each shape in which results differ. */
#ifndef DETCHECK_EXPLAIN_SUM_REVEAL_H
#define DETCHECK_EXPLAIN_SUM_REVEAL_H

#include "explain/sum_mix.h"
#include "explain/sum_results.h"
#include "reveal/reveal.h"

struct sum_shape {
    size_t terms;
    uint64_t differ; /* results */
    bool known;      /* both orders */
    struct revealed revealed[2];
    struct sum_pair pair;
};

struct sum_shapes {
    const struct sum_results *results;
    struct sum_shape shapes[MOST_SHAPES];
    size_t known;
    sum_part_set parts; /* of all shapes */
};

/* The longest shapes that are not too long are revealed, and others tried by the rule that these have. Where no shape is
 * known then, `why` says so. Close in any case. */
enum { SUM_NOTE_TEXT = 320 };
bool sum_shapes_reveal(struct sum_shapes *shapes, const struct sum_results *results,
                       char why[SUM_NOTE_TEXT], struct error *error);
void sum_shapes_close(struct sum_shapes *shapes);

static inline size_t sum_shape_number(const struct sum_shapes *shapes, uint64_t call) {
    return (size_t)(call / shapes->results->request->domain->cases.draws);
}

#endif

/* Setting who stands beside whom. */
#include "trace/pairing_parts.h"

#include <string.h>

bool pairing_is_list(const struct trace_operation *operation) {
    return strncmp(operation->name, "aten._foreach_", 14) == 0;
}

void pairing_join(struct pairer *pairer, const size_t first[2], const size_t count[2]) {
    for (int i = 0; i < 2; i++) {
        struct side *side = &pairer->sides[i];
        for (size_t k = 0; k < count[i]; k++) {
            side->partner[first[i] + k] = first[!i];
            side->length[first[i] + k] = k ? 0 : count[i];
        }
    }
}

bool pairing_may_be(const struct pairer *pairer, size_t here, size_t there) {
    const struct side *const sides = pairer->sides;
    const struct trace_operation *a = &sides[0].trace->operations[here],
                                 *b = &sides[1].trace->operations[there];
    return a->output_count != 1 || b->output_count != 1 || !a->outputs->has_digest ||
           !b->outputs->has_digest || a->outputs->count <= 1 ||
           a->outputs->count != b->outputs->count ||
           trace_values_may_match(&sides[0].values, a->outputs, &sides[1].values, b->outputs);
}

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

/* What pairs of the first and of the last term have said, so that none is asked twice. */
#include "reveal/pairs.h"

#include <stdlib.h>

/* Where that is noted of a pair, or NULL. */
static size_t *known_of(struct pairs *pairs, size_t first, size_t second) {
    const size_t ends[2] = {pairs->terms[0], pairs->terms[pairs->count - 1]};
    for (int k = 0; k < 2 && !pairs->swallow; k++)
        if (first == ends[k] || second == ends[k])
            return &pairs->known[k][first == ends[k] ? second : first];
    return NULL;
}

bool pairs_recall(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                  size_t *within, struct error *error) {
    size_t *asked = calloc(2 * count + 1, sizeof *asked), *said = asked + count, k = 0;
    if (!asked)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const size_t *known = known_of(pairs, first, others[i]);
        within[i] = known ? *known : 0;
        if (!within[i])
            asked[k++] = others[i];
    }
    const bool good = pairs_within(pairs, first, asked, k, said, error);
    for (size_t i = 0, at = 0; good && i < count; i++)
        if (!within[i]) {
            size_t *known = known_of(pairs, first, others[i]);
            within[i] = said[at++];
            if (known)
                *known = within[i];
        }
    free(asked);
    return good;
}

/* Pairs whose subtree is counted by all units at once, and unit by unit beside zeros. */
#include "reveal/dependence.h"

#include <stdio.h>

bool find_dependence(struct pairs *pairs, char *text, size_t room, struct error *error) {
    enum { PAIRS = 4 };
    text[0] = 0;
    if (pairs->count <= PAIRS)
        return true;
    const size_t last = pairs->count - 1, seconds[PAIRS] = {last, last / 2, last / 4, 1};
    for (int i = 0; i < PAIRS; i++) {
        const size_t first = pairs->terms[0], second = pairs->terms[seconds[i]];
        size_t within, singly;
        if (!pairs_within(pairs, first, &second, 1, &within, error) ||
            !pairs_within_singly(pairs, first, second, &singly, error))
            return false;
        if (!within || within == singly)
            continue;
        snprintf(text, room,
                 "the order depends on which terms are 0: terms %zu and %zu, so large that others "
                 "are lost beside them, meet with %zu others where none is 0, and with %zu where "
                 "all but one are",
                 first, second, within - 2, singly - 2);
        return true;
    }
    return true;
}

/* Whether what differs can be repeated at all. */
#include "invariance/walk.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that are computed again as a whole, and calls of the one input. */
enum { BLOCKS = 4, CALLS = 16 };

struct repeat {
    struct walk *walk;
    const struct walk_outputs *excused;
    struct walk_outputs again; /* of the block */
    uint8_t *differs;          /* by input */
};

static bool is_same(const struct walk *walk, const struct walk_outputs *a,
                    const struct walk_outputs *b, size_t at) {
    const struct binding_request *computed = &walk->request->computed;
    const struct format *format = request_result_format(computed);
    bool same = true;
    for (int k = 0; k < computed->operation->results; k++)
        same = same && property_same(walk->request, format, walk_result(walk, a, k, at),
                                     walk_result(walk, b, k, at));
    return same;
}

static bool is_there(const struct walk *walk, const struct walk_outputs *outputs, size_t at) {
    return !walk->reference.unanswered[at] && !outputs->unanswered[at];
}

/* Notes which inputs differ; returns the first, or the block's count. */
static size_t find_differing(const struct repeat *repeat) {
    struct walk *walk = repeat->walk;
    size_t first = walk->count;
    for (size_t i = walk->count; i-- > 0;) {
        const struct walk_outputs *got = &walk->outputs;
        repeat->differs[i] = !walk->is_unrepeatable[i] && is_there(walk, got, i) &&
                             !is_same(walk, &walk->reference, got, i) &&
                             !(repeat->excused && is_same(walk, repeat->excused, got, i));
        if (repeat->differs[i])
            first = i;
    }
    return first;
}

/* The block again: inputs that differ and have other bits than before are unrepeatable. It is one call
 * later, so that those that take turns do not go on as before: behind that of the last input, which came
 * before the block then, too. */
static bool repeat_block(struct repeat *repeat, struct walk_process *process,
                         const struct conditions *conditions, const struct walk_outputs *before,
                         struct error *error) {
    struct walk *walk = repeat->walk;
    if (!walk_compute_some(walk, process, conditions, walk->count - 1, 1, &repeat->again, error) ||
        !walk_compute_some(walk, process, conditions, 0, walk->count, &repeat->again, error))
        return false;
    for (size_t i = 0; i < walk->count; i++)
        walk->is_unrepeatable[i] |= repeat->differs[i] && is_there(walk, &repeat->again, i) &&
                                    !is_same(walk, before, &repeat->again, i);
    return true;
}

/* One input alone, again and again. */
static bool repeat_input(struct repeat *repeat, struct walk_process *process,
                         const struct conditions *conditions, size_t at, bool *same,
                         struct error *error) {
    const struct binding_request *computed = &repeat->walk->request->computed;
    uint64_t first[MAX_RESULTS];
    int answered = 0;
    for (int call = 0; call < CALLS && *same; call++) {
        if (!walk_compute_some(repeat->walk, process, conditions, at, 1, &repeat->again, error))
            return false;
        for (int k = 0; k < computed->operation->results && !repeat->again.unanswered[at]; k++) {
            uint64_t got = walk_result(repeat->walk, &repeat->again, k, at);
            first[k] = answered > 1 ? first[k] : got; /* what came before the first is other */
            *same = *same && property_same(repeat->walk->request, request_result_format(computed),
                                           first[k], got);
        }
        answered += !repeat->again.unanswered[at];
    }
    return true;
}

static bool repeat_all(struct repeat *repeat, struct walk_process *process,
                       struct walk_process *other, const struct conditions *conditions,
                       struct error *error) {
    struct walk *walk = repeat->walk;
    size_t first = find_differing(repeat);
    bool same = true, good = true;
    if (first == walk->count)
        return true;
    if (walk->repeated++ < BLOCKS)
        good = repeat_block(repeat, process, NULL, &walk->reference, error) &&
               (!other || repeat_block(repeat, other, conditions, &walk->outputs, error));
    first = good ? find_differing(repeat) : walk->count;
    if (first == walk->count)
        return good;
    good = repeat_input(repeat, process, NULL, first, &same, error) &&
           (!other || repeat_input(repeat, other, conditions, first, &same, error));
    for (size_t i = 0; good && !same && i < walk->count; i++)
        walk->is_unrepeatable[i] |= repeat->differs[i];
    return good;
}

bool walk_repeat(struct walk *walk, struct walk_process *process, struct walk_process *other,
                 const struct conditions *conditions, const struct walk_outputs *excused,
                 struct error *error) {
    struct repeat repeat = {.walk = walk, .excused = excused};
    const size_t elements = walk->count + 1;
    bool room = (repeat.differs = malloc(elements)) != NULL;
    room = (repeat.again.unanswered = calloc(elements, 1)) && room;
    room = (repeat.again.trapped = calloc(elements, 1)) && room;
    for (int k = 0; k < MAX_RESULTS; k++)
        room = (repeat.again.results[k] = malloc(elements * sizeof(uint64_t))) && room;
    bool good = room ? repeat_all(&repeat, process, other, conditions, error)
                     : error_set(error, "out of memory");
    free(repeat.differs);
    free(repeat.again.unanswered);
    free(repeat.again.trapped);
    for (int k = 0; k < MAX_RESULTS; k++)
        free(repeat.again.results[k]);
    return good;
}

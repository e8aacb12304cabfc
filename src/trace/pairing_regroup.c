/* Groups of operations of both sides that give one thing: operands that are added in another order, and what an operation
 * takes that stands beside one of the other side. */
#include "trace/pairing_parts.h"

#include "trace/names.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_REORDERED = 8, /* operations of each side whose order is another one */
    MOST_INPUTS = 64,   /* of these together */
    LONGEST_GROUP = 256
};

static bool has(const struct trace_tensor *tensors, size_t count, const struct trace_tensor *one) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = tensors[i].has_digest && one->has_digest && tensors[i].count &&
                trace_same_digest(&tensors[i].canonical, &one->canonical);
    return found;
}

/* Whether one of some operations takes what another one gives. */
static bool is_used_by(const struct trace *trace, const struct trace_operation *giver, size_t first,
                       size_t end) {
    bool used = false;
    for (size_t i = first; i < end && !used; i++)
        for (size_t k = 0; k < trace->operations[i].input_count && !used; k++)
            used = has(giver->outputs, giver->output_count, &trace->operations[i].inputs[k]);
    return used;
}

/* ---- Another order ---- */

/* Whether an operation here stands alone beside one of there. */
static bool is_pair(const struct pairer *pairer, size_t here) {
    const size_t there = pairer->sides[0].partner[here];
    return there != ALONE && pairer->sides[0].length[here] == 1 &&
           pairer->sides[1].length[there] == 1;
}

static bool same_inputs(const struct trace_operation *a, const struct trace_operation *b) {
    bool same = a->input_count == b->input_count;
    for (size_t i = 0; i < a->input_count && same; i++)
        same = has(&a->inputs[i], 1, &b->inputs[i]);
    return same;
}

static int by_digest(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct trace_digest));
}

/* What some operations take from outside, sorted; SIZE_MAX where that is not known, or where what one of them but the last
 * gives is taken by none of them. */
static size_t outside_of(const struct trace *trace, size_t first, size_t count,
                         struct trace_digest *digests) {
    size_t found = 0;
    for (size_t i = first; i < first + count; i++) {
        const struct trace_operation *operation = &trace->operations[i];
        if (i + 1 < first + count && !is_used_by(trace, operation, i + 1, first + count))
            return SIZE_MAX;
        for (size_t k = 0; k < operation->input_count; k++) {
            const struct trace_tensor *input = &operation->inputs[k];
            bool is_inner = false;
            for (size_t before = first; before < i && !is_inner; before++)
                is_inner = has(trace->operations[before].outputs,
                               trace->operations[before].output_count, input);
            if (!input->has_digest || (!is_inner && found == MOST_INPUTS))
                return SIZE_MAX;
            if (!is_inner)
                digests[found++] = input->canonical;
        }
    }
    qsort(digests, found, sizeof *digests, by_digest);
    return found;
}

/* Whether so many operations of both sides take the same, in another order. */
static bool take_the_same(const struct pairer *pairer, size_t here, size_t there, size_t count) {
    struct trace_digest digests[2][MOST_INPUTS];
    const size_t a = outside_of(pairer->sides[0].trace, here, count, digests[0]);
    return a != SIZE_MAX && a == outside_of(pairer->sides[1].trace, there, count, digests[1]) &&
           memcmp(digests[0], digests[1], a * sizeof digests[0][0]) == 0;
}

/* How many operations from one here on stand beside as many there, in any order, and take the same together; 0: none do. */
static size_t count_reordered(const struct pairer *pairer, size_t here, size_t *there) {
    size_t low = ALONE, high = 0;
    for (size_t n = 1; n <= MOST_REORDERED; n++) {
        const size_t last = here + n - 1;
        if (last >= pairer->sides[0].trace->count || !is_pair(pairer, last))
            return 0;
        const size_t partner = pairer->sides[0].partner[last];
        if (!trace_same_name(&pairer->sides[0].trace->operations[last],
                             &pairer->sides[1].trace->operations[partner]))
            return 0;
        low = partner < low ? partner : low;
        high = partner > high ? partner : high;
        *there = low;
        if (high - low + 1 == n && take_the_same(pairer, here, low, n) &&
            pairing_may_be(pairer, last, high))
            return n;
    }
    return 0;
}

/* Operands in another order: of one operation they only changed places. */
static void join_reordered(struct pairer *pairer) {
    const struct trace *here = pairer->sides[0].trace, *there = pairer->sides[1].trace;
    for (size_t i = 0; i < here->count; i++) {
        if (!is_pair(pairer, i) ||
            same_inputs(&here->operations[i], &there->operations[pairer->sides[0].partner[i]]))
            continue;
        size_t other = ALONE;
        const size_t n = count_reordered(pairer, i, &other);
        if (n < 2)
            continue;
        pairing_join(pairer, (size_t[]){i, other}, (size_t[]){n, n});
        for (size_t k = 0; k < n; k++)
            pairer->sides[0].is_moved[i + k] = pairer->sides[1].is_moved[other + k] = false;
    }
}

/* ---- What has no partner ---- */

/* The operation before `before` that gives a tensor and has no partner; or ALONE. */
static size_t giver_of(const struct side *side, const struct trace_tensor *tensor, size_t before) {
    const size_t giver =
        tensor->has_digest ? digest_map_first(&side->values.given, &tensor->canonical) : ALONE;
    return giver != ALONE && giver < before && side->partner[giver] == ALONE ? giver : ALONE;
}

/* ---- What takes more than the one that it stands beside ---- */

/* Whether an operation without a partner makes an input of one operation of a tensor, as transposing does. */
static bool is_made_of(const struct side *side, size_t one, const struct trace_tensor *tensor) {
    const struct trace_operation *operation = &side->trace->operations[one];
    bool made = false;
    for (size_t i = 0; i < operation->input_count && !made; i++) {
        const size_t giver = giver_of(side, &operation->inputs[i], one);
        made = giver != ALONE && has(side->trace->operations[giver].inputs,
                                     side->trace->operations[giver].input_count, tensor);
    }
    return made;
}

/* Whether several operations take what the one does not take, and both sides compute before it, or the other side has an
 * operation more for. */
static bool takes_more(const struct pairer *pairer, int many, size_t first, size_t count) {
    const struct trace *trace = pairer->sides[many].trace;
    const size_t partner = pairer->sides[many].partner[first];
    const struct trace_operation *one = &pairer->sides[!many].trace->operations[partner];
    bool more = false;
    for (size_t i = first; i < first + count; i++)
        for (size_t k = 0; k < trace->operations[i].input_count && !more; k++) {
            const struct trace_tensor *input = &trace->operations[i].inputs[k];
            more =
                input->has_digest && input->count > 1 &&
                !has(one->inputs, one->input_count, input) &&
                ((digest_map_has(&pairer->sides[many].values.given, &input->canonical, first) &&
                  digest_map_has(&pairer->sides[!many].values.given, &input->canonical, partner)) ||
                 is_made_of(&pairer->sides[!many], partner, input));
        }
    return more;
}

/* Whether what a run gives last is what the one gives, which shows that they belong together. */
static bool gives_the_same(const struct pairer *pairer, int many, size_t last, size_t one) {
    const struct trace_operation *a = &pairer->sides[many].trace->operations[last],
                                 *b = &pairer->sides[!many].trace->operations[one];
    bool same = false;
    for (size_t i = 0; i < a->output_count && !same; i++)
        same = has(b->outputs, b->output_count, &a->outputs[i]);
    return same;
}

/* Parts one operation from several that take more: these may stand beside several others. */
static void part_unequal(struct pairer *pairer, int many) {
    struct side *side = &pairer->sides[many], *other = &pairer->sides[!many];
    for (size_t i = 0; i < side->trace->count; i++) {
        const size_t partner = side->partner[i], count = side->length[i];
        if (partner == ALONE || count < 2 || other->length[partner] != 1 ||
            gives_the_same(pairer, many, i + count - 1, partner) ||
            !takes_more(pairer, many, i, count))
            continue;
        other->partner[partner] = ALONE;
        for (size_t k = i; k < i + count; k++) {
            side->partner[k] = ALONE;
            side->length[k] = 1;
        }
    }
}

void pairing_regroup(struct pairer *pairer) {
    join_reordered(pairer);
}

static bool any_group(const struct side *side) {
    bool any = false;
    for (size_t i = 0; i < side->trace->count && !any; i++)
        any = side->length[i] > 1;
    return any;
}

void pairing_part(struct pairer *pairer) {
    for (int side = 0; side < 2; side++)
        if (any_group(&pairer->sides[side]))
            part_unequal(pairer, side);
}

/* One operation beside the several that do the same. */
#include "trace/pairing_parts.h"

#include "trace/digests.h"

#include <string.h>
#include <xxhash.h>

enum {
    LONGEST_RUN = 256, /* operations that one of the other side may stand for */
    MANY = 64          /* tensors of a list, beyond which they are looked up */
};

/* What tensors share: their bits, or their shape. */
static struct trace_digest shared_of(const struct trace_tensor *tensor, bool by_shape) {
    const size_t size = (size_t)tensor->dimensions * sizeof *tensor->extents;
    return by_shape ? (struct trace_digest){(uint64_t)tensor->dimensions,
                                            XXH3_64bits(tensor->extents, size)}
                    : tensor->canonical;
}

/* Numbers are in too many lists, and every one has the shape of every other. */
static bool counts(const struct trace_tensor *tensor, bool by_shape) {
    return by_shape ? tensor->count > 1 : tensor->has_digest && tensor->dimensions;
}

/* The same of two lists that are long. */
static bool share_of_many(const struct trace_tensor *a, size_t a_count,
                          const struct trace_tensor *b, size_t b_count, bool by_shape) {
    struct digest_map known = {.count = 0};
    bool good = true, found = false;
    for (size_t i = 0; i < a_count && good; i++) {
        const struct trace_digest one = shared_of(&a[i], by_shape);
        good = !counts(&a[i], by_shape) || digest_map_add(&known, &one, 0);
    }
    for (size_t k = 0; k < b_count && good && !found; k++) {
        const struct trace_digest one = shared_of(&b[k], by_shape);
        found = counts(&b[k], by_shape) && digest_map_has(&known, &one, 1);
    }
    digest_map_free(&known);
    return found;
}

/* Whether two lists have a tensor of the same bits, or, where `by_shape`, of the same shape. */
static bool share(const struct trace_tensor *a, size_t a_count, const struct trace_tensor *b,
                  size_t b_count, bool by_shape) {
    if (a_count > MANY && b_count > MANY)
        return share_of_many(a, a_count, b, b_count, by_shape);
    bool found = false;
    for (size_t i = 0; i < a_count && !found; i++)
        for (size_t k = 0; counts(&a[i], by_shape) && k < b_count && !found; k++)
            found = by_shape ? trace_same_shape(&a[i], &b[k])
                             : counts(&b[k], false) &&
                                   trace_same_digest(&a[i].canonical, &b[k].canonical);
    return found;
}

static bool share_inputs(const struct trace_operation *a, const struct trace_operation *b,
                         bool by_shape) {
    return share(a->inputs, a->input_count, b->inputs, b->input_count, by_shape);
}

static bool share_outputs(const struct trace_operation *a, const struct trace_operation *b,
                          bool by_shape) {
    return share(a->outputs, a->output_count, b->outputs, b->output_count, by_shape);
}

/* Which inputs of an operation have the bits of a tensor, or its shape; as bits. */
static uint64_t inputs_among(const struct trace_operation *one, const struct trace_tensor *tensor,
                             bool by_shape) {
    uint64_t among = 0;
    for (size_t i = 0; i < one->input_count && i < 64; i++)
        if (share(&one->inputs[i], 1, tensor, 1, by_shape))
            among |= (uint64_t)1 << i;
    return among;
}

/* Which inputs of an operation what comes out of others[at] is made of, by way of those from `first` on. */
static uint64_t made_of(const struct trace_operation *one, const struct trace *others, size_t first,
                        size_t at, const uint64_t *before, bool by_shape) {
    const struct trace_operation *operation = &others->operations[at];
    uint64_t made = 0;
    for (size_t i = 0; i < operation->input_count; i++) {
        const struct trace_tensor *input = &operation->inputs[i];
        const uint64_t own = inputs_among(one, input, by_shape);
        size_t k = at;
        while (!own && k > first &&
               !share(input, 1, others->operations[k - 1].outputs,
                      others->operations[k - 1].output_count, false))
            k--;
        made |= own ? own : k > first ? before[k - 1 - first] : 0;
    }
    return made;
}

/* The first that has an input of the operation, by its bits or by its shape. */
static size_t first_taking(const struct trace_operation *one, const struct trace *others,
                           size_t first, size_t end, bool by_shape) {
    while (first < end && !share_inputs(one, &others->operations[first], by_shape))
        first++;
    return first;
}

/* Where the run of the other side begins and ends that does what one operation does: it begins with an input of the
 * operation and ends with what the operation gives, of the same bits or of the same shape. What is of the same shape
 * alone is made of all inputs that the other side has, too: a query has the shape of what attention gives. */
static bool find_run(const struct trace_operation *one, const struct trace *others, size_t first,
                     size_t end, bool by_shape, bool is_last, size_t *begins, size_t *ends) {
    const size_t most = end - first < LONGEST_RUN ? end : first + LONGEST_RUN;
    size_t from = first_taking(one, others, first, most, false);
    const bool is_other = from == most && by_shape; /* no input has the same bits */
    uint64_t made[LONGEST_RUN], wanted = 0;
    if (is_other)
        from = first_taking(one, others, first, most, true);
    for (size_t i = from; by_shape && i < most; i++)
        for (size_t k = 0; k < others->operations[i].input_count; k++)
            wanted |= inputs_among(one, &others->operations[i].inputs[k], is_other);
    bool found = false;
    for (size_t i = from; i < most && (!found || is_last); i++) {
        made[i - from] = wanted ? made_of(one, others, from, i, made, is_other) : 0;
        if (made[i - from] == wanted && share_outputs(one, &others->operations[i], by_shape)) {
            found = true;
            *ends = i + 1;
        }
    }
    *begins = from;
    return found;
}

/* One operation beside one of another name is the same where it gives the same bits: a name alone has changed. */
static bool may_join(const struct trace_operation *one, const struct trace *others, size_t begins,
                     size_t ends) {
    const struct trace_operation *other = &others->operations[begins];
    if (pairing_is_list(one) || pairing_is_list(other))
        return false; /* its elements are in other runs, too */
    return ends - begins > 1 || strcmp(one->name, other->name) == 0 ||
           share_outputs(one, other, false);
}

void pairing_fuse(struct pairer *pairer, struct gap gap, bool by_bits) {
    const int one = gap.end[0] - gap.first[0] <= gap.end[1] - gap.first[1] ? 0 : 1;
    const struct trace *ones = pairer->sides[one].trace, *others = pairer->sides[!one].trace;
    size_t place = gap.first[!one];
    for (size_t i = gap.first[one]; i < gap.end[one]; i++) {
        const struct trace_operation *operation = &ones->operations[i];
        const bool is_last = i + 1 == gap.end[one];
        size_t begins, ends, first[2], count[2];
        if (!find_run(operation, others, place, gap.end[!one], false, false, &begins, &ends) &&
            (by_bits ||
             !find_run(operation, others, place, gap.end[!one], true, is_last, &begins, &ends)))
            continue;
        if (!may_join(operation, others, begins, ends) ||
            !pairing_may_be(pairer, one ? ends - 1 : i, one ? i : ends - 1))
            continue;
        first[one] = i;
        count[one] = 1;
        first[!one] = begins;
        count[!one] = ends - begins;
        pairing_join(pairer, first, count);
        place = ends;
    }
}

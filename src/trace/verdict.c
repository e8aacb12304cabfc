/* Outputs beside outputs, and what becomes of a match; inputs are in the file beside this. */
#include "trace/verdict.h"

#include "trace/names.h"
#include "trace/verdict_parts.h"

#include <string.h>

const char *const trace_verdict_names[TRACE_VERDICTS] = {
    "equal",   "parted",       "followed",   "other inputs",
    "unclear", "not compared", "here alone", "there alone"};

/* Outputs of operations of one name, whose shapes count: views alone differ in nothing else. */
static enum sameness compare_shaped(const struct trace_tensor *a, const struct trace_tensor *b) {
    return trace_same_shape(a, b) ? verdict_compare(a, b) : OTHER;
}

size_t verdict_outputs(const struct verdict_judge *judge, const struct trace_match *match) {
    return !match->count[0] || !match->count[1] ? 0
           : match->pair_count                  ? match->pair_count
                                                : verdict_last(judge, match, 0)->output_count;
}

/* The only output of an operation that has the shape and type of a tensor, or NULL. */
static const struct trace_tensor *only_one_like(const struct trace_operation *operation,
                                                const struct trace_tensor *tensor) {
    const struct trace_tensor *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < operation->output_count; i++)
        if (trace_same_shape(&operation->outputs[i], tensor) &&
            strcmp(operation->outputs[i].type_name, tensor->type_name) == 0) {
            found = &operation->outputs[i];
            count++;
        }
    return count == 1 ? found : NULL;
}

/* The output of the other side that an output stands beside; or NULL. */
static const struct trace_tensor *beside(const struct verdict_judge *judge,
                                         const struct trace_match *match, int side, size_t index) {
    const struct trace_operation *own = verdict_last(judge, match, side),
                                 *other = verdict_last(judge, match, !side);
    const struct trace_tensor *tensor = &own->outputs[index];
    if (verdict_is_plain(judge, match) || (own->output_count == 1 && other->output_count == 1))
        return index < other->output_count ? &other->outputs[index] : NULL;
    for (size_t i = 0; i < other->output_count; i++)
        if (verdict_compare(tensor, &other->outputs[i]) == SAME)
            return &other->outputs[i];
    return only_one_like(own, tensor) ? only_one_like(other, tensor) : NULL;
}

bool verdict_output_pair(const struct verdict_judge *judge, const struct trace_match *match,
                         size_t index, const struct trace_tensor *pair[2]) {
    if (match->pair_count) {
        memcpy(pair, match->pairs[index].one, sizeof match->pairs[index].one);
        return true;
    }
    pair[0] = &verdict_last(judge, match, 0)->outputs[index];
    pair[1] = beside(judge, match, 0, index);
    return pair[1];
}

bool verdict_first_pair(const struct verdict_judge *judge, const struct trace_match *match,
                        const struct trace_tensor *pair[2]) {
    const size_t count = verdict_outputs(judge, match);
    for (size_t i = 0; i < count && match->pair_count; i++)
        if (verdict_output_pair(judge, match, i, pair) &&
            verdict_compare(pair[0], pair[1]) == OTHER)
            return true;
    return count && !match->pair_count && verdict_output_pair(judge, match, 0, pair) &&
           pair[1] == verdict_last(judge, match, 1)->outputs;
}

/* Whether an output is whatever lay in memory. */
static bool is_uninitialised(const struct trace *trace, const struct trace_operation *operation,
                             const struct trace_tensor *output) {
    const struct trace_name *name;
    return (output->left_out && strcmp(output->left_out, "uninitialised") == 0) ||
           ((name = trace_name_find(trace, operation)) && name->how == TRACE_UNINITIALISED);
}

/* The outputs that stand beside one another in one place. */
static enum sameness compare_output(const struct verdict_judge *judge,
                                    const struct trace_match *match, size_t index) {
    const struct trace_tensor *pair[2];
    if (!verdict_output_pair(judge, match, index, pair))
        return UNKNOWN;
    const enum sameness found = verdict_is_plain(judge, match) ? compare_shaped(pair[0], pair[1])
                                                               : verdict_compare(pair[0], pair[1]);
    return found == OTHER &&
                   (is_uninitialised(judge->sides[0], verdict_last(judge, match, 0), pair[0]) ||
                    is_uninitialised(judge->sides[1], verdict_last(judge, match, 1), pair[1]))
               ? UNKNOWN
               : found;
}

/* OTHER where any differs; SAME where at least one was compared; else UNKNOWN. */
static enum sameness compare_outputs(const struct verdict_judge *judge,
                                     const struct trace_match *match) {
    const struct trace_operation *a = verdict_last(judge, match, 0),
                                 *b = verdict_last(judge, match, 1);
    const size_t count = verdict_outputs(judge, match);
    enum sameness all = UNKNOWN;
    if (!a->error != !b->error ||
        (verdict_is_plain(judge, match) && a->output_count != b->output_count && !a->error))
        return OTHER;
    for (size_t i = 0; i < count; i++) {
        const enum sameness one = compare_output(judge, match, i);
        if (one == OTHER)
            return OTHER;
        all = one == SAME ? SAME : all;
    }
    return all;
}

/* Whether an operation takes what differs. */
static bool takes_other(const struct verdict_judge *judge, int side, size_t number) {
    const struct trace_operation *operation = &judge->sides[side]->operations[number];
    bool other = false;
    for (size_t i = 0; i < operation->input_count && !other; i++)
        other = operation->inputs[i].has_digest &&
                digest_map_has(&judge->differ[side], &operation->inputs[i].canonical, number);
    return other;
}

/* Marks an output of operation `number`, which the other side has not. */
static bool mark(struct verdict_judge *judge, int side, size_t number,
                 const struct trace_tensor *output) {
    const bool other = takes_other(judge, side, number);
    struct digest_map *map = other ? &judge->differ[side] : &judge->own[side];
    return !output->has_digest ||
           (!other &&
            digest_map_first(&judge->values[!side].given, &output->canonical) != SIZE_MAX) ||
           digest_map_add(map, &output->canonical, number);
}

/* Whether the other side of a match gives a value, too. */
static bool is_given_there(const struct verdict_judge *judge, const struct trace_match *match,
                           int side, const struct trace_tensor *output) {
    bool found = false;
    for (size_t i = 0; i < match->count[side] && !found; i++) {
        const struct trace_operation *operation = verdict_operation(judge, match, side, i);
        for (size_t k = 0; k < operation->output_count && !found; k++)
            found = verdict_compare(&operation->outputs[k], output) == SAME;
    }
    return found;
}

/* What stands beside an output of a match, in its place or as one of the known pairs; NULL: nothing. */
static const struct trace_tensor *counterpart(const struct verdict_judge *judge,
                                              const struct trace_match *match, int side,
                                              size_t member, size_t index) {
    const struct trace_tensor *own = &verdict_operation(judge, match, side, member)->outputs[index];
    for (size_t i = 0; i < match->pair_count; i++)
        if (match->pairs[i].one[side] == own)
            return match->pairs[i].one[!side];
    return !match->pair_count && match->count[!side] && member + 1 == match->count[side]
               ? beside(judge, match, side, index)
               : NULL;
}

/* What only one side has, within a group or of an operation without a partner, and outputs that differ. */
static bool mark_output(struct verdict_judge *judge, const struct trace_match *match, int side,
                        size_t member, size_t index) {
    const struct trace_tensor *own = &verdict_operation(judge, match, side, member)->outputs[index],
                              *other = counterpart(judge, match, side, member, index);
    const size_t number = match->members[side][member];
    if (other)
        return verdict_compare(own, other) != OTHER ||
               digest_map_add(&judge->differ[side], &own->canonical, number);
    return (match->count[side] > 1 && is_given_there(judge, match, !side, own)) ||
           mark(judge, side, number, own);
}

static bool mark_match(struct verdict_judge *judge, const struct trace_match *match) {
    bool good = true;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; good && i < match->count[side]; i++)
            for (size_t k = 0; good && k < verdict_operation(judge, match, side, i)->output_count;
                 k++)
                good = mark_output(judge, match, side, i, k);
    return good;
}

bool verdict_open(struct verdict_judge *judge, const struct trace *here, const struct trace *there,
                  const struct trace_pairing *pairing) {
    *judge = (struct verdict_judge){.sides = {here, there}};
    bool good = true;
    for (int side = 0; side < 2; side++)
        good = trace_values_open(&judge->values[side], judge->sides[side]) && good;
    for (size_t i = 0; good && i < pairing->count; i++)
        good = mark_match(judge, &pairing->matches[i]);
    return good;
}

void verdict_close(struct verdict_judge *judge) {
    for (int side = 0; side < 2; side++) {
        digest_map_free(&judge->differ[side]);
        digest_map_free(&judge->own[side]);
        trace_values_close(&judge->values[side]);
    }
}

/* Whether an operation gives nothing but what it takes, as a view does, or nothing. */
static bool gives_its_input(const struct trace_operation *operation) {
    bool same = !operation->error;
    for (size_t i = 0; i < operation->output_count && same; i++) {
        same = false;
        for (size_t k = 0; k < operation->input_count && !same; k++)
            same = verdict_compare(&operation->outputs[i], &operation->inputs[k]) == SAME;
    }
    return same;
}

/* Whether an operation without a partner does nothing but name memory, or elements under another shape. */
static bool gives_whatever(const struct verdict_judge *judge, const struct trace_match *match) {
    const int side = match->count[0] ? 0 : 1;
    const struct trace_operation *operation = verdict_last(judge, match, side);
    const struct trace_name *name = trace_name_find(judge->sides[side], operation);
    return match->count[side] == 1 &&
           ((name && name->how == TRACE_UNINITIALISED) || gives_its_input(operation));
}

bool verdict_has_no_values(const struct verdict_judge *judge, const struct trace_match *match) {
    bool none = true;
    if (!match->count[0] || !match->count[1])
        return gives_whatever(judge, match);
    for (int side = 0; side < 2; side++) {
        const struct trace_operation *operation =
            match->count[side] ? verdict_last(judge, match, side) : NULL;
        for (size_t i = 0; operation && i < operation->output_count && none; i++)
            none = is_uninitialised(judge->sides[side], operation, &operation->outputs[i]);
    }
    return none;
}

enum trace_verdict verdict_of(const struct verdict_judge *judge, const struct trace_match *match,
                              const struct trace_tensor *other[2]) {
    other[0] = other[1] = NULL;
    if (!match->count[0] || !match->count[1])
        return gives_whatever(judge, match) ? TRACE_NOT_COMPARED
               : match->count[0]            ? TRACE_HERE_ALONE
                                            : TRACE_THERE_ALONE;
    const enum sameness outputs = compare_outputs(judge, match);
    if (outputs != OTHER)
        return outputs == SAME ? TRACE_EQUAL : TRACE_NOT_COMPARED;
    const struct verdict_inputs inputs = verdict_compare_inputs(judge, match);
    memcpy(other, inputs.other, sizeof inputs.other);
    if (inputs.differ)
        return inputs.is_other ? TRACE_OTHER_INPUTS : TRACE_FOLLOWED;
    return inputs.unknown ? TRACE_UNCLEAR : TRACE_PARTED;
}

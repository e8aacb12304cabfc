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
    return match->count[0] && match->count[1] ? verdict_last(judge, match, 0)->output_count : 0;
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
    pair[0] = &verdict_last(judge, match, 0)->outputs[index];
    pair[1] = beside(judge, match, 0, index);
    return pair[1];
}

bool verdict_is_first(const struct verdict_judge *judge, const struct trace_match *match) {
    const struct trace_tensor *pair[2];
    return verdict_outputs(judge, match) && verdict_output_pair(judge, match, 0, pair) &&
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

bool verdict_has_no_values(const struct verdict_judge *judge, const struct trace_match *match) {
    bool none = true;
    for (int side = 0; side < 2; side++) {
        const struct trace_operation *operation =
            match->count[side] ? verdict_last(judge, match, side) : NULL;
        for (size_t i = 0; operation && i < operation->output_count && none; i++)
            none = is_uninitialised(judge->sides[side], operation, &operation->outputs[i]);
    }
    return none;
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
    struct digest_map *map =
        takes_other(judge, side, number) ? &judge->differ[side] : &judge->own[side];
    return !output->has_digest || digest_map_add(map, &output->canonical, number);
}

/* Marks what the last operations of a pair give: what differs, and what stands beside nothing. */
static bool mark_last(struct verdict_judge *judge, const struct trace_match *match, int side) {
    const struct trace_operation *operation = verdict_last(judge, match, side);
    const size_t number = match->first[side] + match->count[side] - 1;
    bool good = true;
    for (size_t i = 0; good && i < operation->output_count; i++) {
        const struct trace_tensor *own = &operation->outputs[i],
                                  *other = beside(judge, match, side, i);
        if (!other)
            good = mark(judge, side, number, own);
        else if (verdict_compare(own, other) == OTHER)
            good = digest_map_add(&judge->differ[side], &own->canonical, number);
    }
    return good;
}

/* What only one side has, within a run or of an operation without a partner, and outputs that differ. */
static bool mark_match(struct verdict_judge *judge, const struct trace_match *match) {
    const bool is_pair = match->count[0] && match->count[1];
    bool good = true;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; good && i + is_pair < match->count[side]; i++) {
            const struct trace_operation *operation = verdict_operation(judge, match, side, i);
            for (size_t k = 0; good && k < operation->output_count; k++)
                good = mark(judge, side, match->first[side] + i, &operation->outputs[k]);
        }
        good = good && (!is_pair || mark_last(judge, match, side));
    }
    return good;
}

static bool mark_given(struct verdict_judge *judge, int side, size_t number) {
    const struct trace_operation *operation = &judge->sides[side]->operations[number];
    bool good = true;
    for (size_t i = 0; good && i < operation->output_count; i++)
        good = !operation->outputs[i].has_digest ||
               digest_map_add(&judge->given[side], &operation->outputs[i].canonical, number);
    return good;
}

bool verdict_open(struct verdict_judge *judge, const struct trace *here, const struct trace *there,
                  const struct trace_pairing *pairing) {
    *judge = (struct verdict_judge){.sides = {here, there}};
    bool good = true;
    for (size_t i = 0; good && i < pairing->count; i++)
        good = mark_match(judge, &pairing->matches[i]);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; good && i < judge->sides[side]->count; i++)
            good = mark_given(judge, side, i);
    return good;
}

void verdict_close(struct verdict_judge *judge) {
    for (int side = 0; side < 2; side++) {
        digest_map_free(&judge->differ[side]);
        digest_map_free(&judge->own[side]);
        digest_map_free(&judge->given[side]);
    }
}

/* Whether an operation without a partner does nothing but name memory. */
static bool gives_whatever(const struct verdict_judge *judge, const struct trace_match *match) {
    const int side = match->count[0] ? 0 : 1;
    const struct trace_operation *operation = verdict_last(judge, match, side);
    const struct trace_name *name = trace_name_find(judge->sides[side], operation);
    return match->count[side] == 1 && name && name->how == TRACE_UNINITIALISED;
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

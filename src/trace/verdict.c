/* Inputs beside inputs, outputs beside outputs. */
#include "trace/verdict.h"

#include "trace/cut.h"
#include "trace/names.h"

#include <string.h>
#include <xxhash.h>

const char *const trace_verdict_names[TRACE_VERDICTS] = {
    "equal",   "parted",       "followed",   "other inputs",
    "unclear", "not compared", "here alone", "there alone"};

enum sameness { SAME, OTHER, UNKNOWN };

/* Of tensors without elements no bits differ, whatever their types are. */
static enum sameness compare_tensors(const struct trace_tensor *a, const struct trace_tensor *b) {
    if (!a->count && !b->count)
        return SAME;
    if (!a->has_digest || !b->has_digest)
        return UNKNOWN;
    const bool same_type =
        a->type && b->type ? a->type == b->type : strcmp(a->type_name, b->type_name) == 0;
    return same_type && a->count == b->count && trace_same_digest(&a->canonical, &b->canonical)
               ? SAME
               : OTHER;
}

/* Outputs of operations of one name, whose shapes count: views alone differ in nothing else. */
static enum sameness compare_shaped(const struct trace_tensor *a, const struct trace_tensor *b) {
    return trace_same_shape(a, b) ? compare_tensors(a, b) : OTHER;
}

static const struct trace_operation *operation_of(const struct verdict_judge *judge,
                                                  const struct trace_match *match, int side,
                                                  size_t index) {
    return &judge->sides[side]->operations[match->first[side] + index];
}

static const struct trace_operation *last_of(const struct verdict_judge *judge,
                                             const struct trace_match *match, int side) {
    return operation_of(judge, match, side, match->count[side] - 1);
}

/* One operation of each side, of one name: what they take and give pairs by its place. */
static bool is_plain(const struct verdict_judge *judge, const struct trace_match *match) {
    return match->count[0] == 1 && match->count[1] == 1 &&
           trace_same_name(last_of(judge, match, 0), last_of(judge, match, 1));
}

size_t verdict_outputs(const struct verdict_judge *judge, const struct trace_match *match) {
    return match->count[0] && match->count[1] ? last_of(judge, match, 0)->output_count : 0;
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
    const struct trace_operation *own = last_of(judge, match, side),
                                 *other = last_of(judge, match, !side);
    const struct trace_tensor *tensor = &own->outputs[index];
    if (is_plain(judge, match) || (own->output_count == 1 && other->output_count == 1))
        return index < other->output_count ? &other->outputs[index] : NULL;
    for (size_t i = 0; i < other->output_count; i++)
        if (compare_tensors(tensor, &other->outputs[i]) == SAME)
            return &other->outputs[i];
    return only_one_like(own, tensor) ? only_one_like(other, tensor) : NULL;
}

bool verdict_output_pair(const struct verdict_judge *judge, const struct trace_match *match,
                         size_t index, const struct trace_tensor *pair[2]) {
    pair[0] = &last_of(judge, match, 0)->outputs[index];
    pair[1] = beside(judge, match, 0, index);
    return pair[1];
}

bool verdict_is_first(const struct verdict_judge *judge, const struct trace_match *match) {
    const struct trace_tensor *pair[2];
    return verdict_outputs(judge, match) && verdict_output_pair(judge, match, 0, pair) &&
           pair[1] == last_of(judge, match, 1)->outputs;
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
    const enum sameness found = is_plain(judge, match) ? compare_shaped(pair[0], pair[1])
                                                       : compare_tensors(pair[0], pair[1]);
    return found == OTHER &&
                   (is_uninitialised(judge->sides[0], last_of(judge, match, 0), pair[0]) ||
                    is_uninitialised(judge->sides[1], last_of(judge, match, 1), pair[1]))
               ? UNKNOWN
               : found;
}

bool verdict_has_no_values(const struct verdict_judge *judge, const struct trace_match *match) {
    bool none = true;
    for (int side = 0; side < 2; side++) {
        const struct trace_operation *operation =
            match->count[side] ? last_of(judge, match, side) : NULL;
        for (size_t i = 0; operation && i < operation->output_count && none; i++)
            none = is_uninitialised(judge->sides[side], operation, &operation->outputs[i]);
    }
    return none;
}

/* OTHER where any differs; SAME where at least one was compared; else UNKNOWN. */
static enum sameness compare_outputs(const struct verdict_judge *judge,
                                     const struct trace_match *match) {
    const struct trace_operation *a = last_of(judge, match, 0), *b = last_of(judge, match, 1);
    const size_t count = verdict_outputs(judge, match);
    enum sameness all = UNKNOWN;
    if (!a->error != !b->error ||
        (is_plain(judge, match) && a->output_count != b->output_count && !a->error))
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
    const struct trace_operation *operation = last_of(judge, match, side);
    const size_t number = match->first[side] + match->count[side] - 1;
    bool good = true;
    for (size_t i = 0; good && i < operation->output_count; i++) {
        const struct trace_tensor *own = &operation->outputs[i],
                                  *other = beside(judge, match, side, i);
        if (!other)
            good = mark(judge, side, number, own);
        else if (compare_tensors(own, other) == OTHER)
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
            const struct trace_operation *operation = operation_of(judge, match, side, i);
            for (size_t k = 0; good && k < operation->output_count; k++)
                good = mark(judge, side, match->first[side] + i, &operation->outputs[k]);
        }
        good = good && (!is_pair || mark_last(judge, match, side));
    }
    return good;
}

bool verdict_open(struct verdict_judge *judge, const struct trace *here, const struct trace *there,
                  const struct trace_pairing *pairing) {
    *judge = (struct verdict_judge){.sides = {here, there}};
    bool good = true;
    for (size_t i = 0; good && i < pairing->count; i++)
        good = mark_match(judge, &pairing->matches[i]);
    return good;
}

void verdict_close(struct verdict_judge *judge) {
    digest_map_free(&judge->differ[0]);
    digest_map_free(&judge->differ[1]);
    digest_map_free(&judge->own[0]);
    digest_map_free(&judge->own[1]);
}

/* What the inputs of a match are like. */
struct inputs {
    bool differ, unknown;
    bool is_other; /* one that differs comes from nowhere that was recorded to differ */
    const struct trace_tensor *other; /* the first such one, where that is known */
};

/* Whether an operation before gave it, of something that differs. */
static bool is_other(const struct verdict_judge *judge, const struct trace_match *match, int side,
                     const struct trace_tensor *tensor) {
    return digest_map_has(&judge->differ[side], &tensor->canonical, match->first[side]);
}

/* The same, or one that only this side has. */
static bool follows(const struct verdict_judge *judge, const struct trace_match *match, int side,
                    const struct trace_tensor *tensor) {
    return is_other(judge, match, side, tensor) ||
           digest_map_has(&judge->own[side], &tensor->canonical, match->first[side]);
}

static void take_place(const struct verdict_judge *judge, const struct trace_match *match,
                       const struct trace_tensor *a, const struct trace_tensor *b,
                       struct inputs *inputs) {
    const enum sameness one = compare_tensors(a, b);
    inputs->unknown = inputs->unknown || one == UNKNOWN;
    if (one != OTHER)
        return;
    inputs->differ = true;
    if (follows(judge, match, 0, a) || follows(judge, match, 1, b))
        return;
    inputs->other = inputs->is_other ? inputs->other : a;
    inputs->is_other = true;
}

/* What tensors have in common that are the same: bits, type and count. */
static struct trace_digest same_of(const struct trace_tensor *tensor) {
    if (!tensor->count)
        return (struct trace_digest){0, 0};
    const char *type = tensor->type ? tensor_type_name(tensor->type) : tensor->type_name;
    const uint64_t mark = XXH3_64bits_withSeed(type, strlen(type), tensor->count);
    return (struct trace_digest){tensor->canonical.high ^ mark, tensor->canonical.low};
}

static bool note(struct digest_map *map, const struct trace_tensor *tensors, size_t count) {
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        if (tensors[i].has_digest) {
            const struct trace_digest one = same_of(&tensors[i]);
            good = digest_map_add(map, &one, 0);
        }
    return good;
}

/* Inputs of one side that the other side has not. */
enum { MOST_MISSING = 32 };
struct missing {
    size_t count;
    const struct trace_tensor *tensors[MOST_MISSING]; /* the first of them */
    bool is_other, is_own; /* one of them differs; only this side has it */
};

/* Looks for inputs of a side that no operation of its own run gave before, and that are none there. */
static bool find_missing(const struct verdict_judge *judge, const struct trace_match *match,
                         int side, struct missing *missing) {
    struct digest_map known = {.count = 0};
    bool good = true;
    *missing = (struct missing){0};
    for (size_t i = 0; good && i < match->count[!side]; i++) {
        const struct trace_operation *operation = operation_of(judge, match, !side, i);
        good = note(&known, operation->inputs, operation->input_count);
    }
    for (size_t i = 0; good && i < match->count[side]; i++) {
        const struct trace_operation *operation = operation_of(judge, match, side, i);
        for (size_t k = 0; k < operation->input_count; k++) {
            const struct trace_tensor *tensor = &operation->inputs[k];
            const struct trace_digest one = same_of(tensor);
            if (!tensor->has_digest || digest_map_has(&known, &one, 1))
                continue;
            if (missing->count < MOST_MISSING)
                missing->tensors[missing->count] = tensor;
            missing->count++;
            missing->is_other = missing->is_other || is_other(judge, match, side, tensor);
            missing->is_own = missing->is_own || follows(judge, match, side, tensor);
        }
        good = note(&known, operation->outputs, operation->output_count);
    }
    digest_map_free(&known);
    return good;
}

/* Whether what a group takes is cut out of what the one operation takes, and is all of it: two halves of a product, which a
 * library cuts unseen. */
static bool are_cut(const struct verdict_judge *judge, const struct trace_match *match,
                    const struct missing missing[2]) {
    const int one = match->count[0] == 1 ? 0 : 1;
    uint64_t covered[MOST_MISSING] = {0};
    if (match->count[one] != 1 || match->count[!one] < 2 || missing[0].count > MOST_MISSING ||
        missing[1].count > MOST_MISSING)
        return false;
    for (size_t i = 0; i < missing[!one].count; i++) {
        const struct trace_tensor *part = missing[!one].tensors[i];
        size_t k = 0;
        while (k < missing[one].count &&
               !trace_is_cut(judge->sides[!one], part, judge->sides[one], missing[one].tensors[k]))
            k++;
        if (k == missing[one].count)
            return false;
        covered[k] += part->count;
    }
    bool all = true;
    for (size_t k = 0; k < missing[one].count; k++)
        all = all && covered[k] >= missing[one].tensors[k]->count;
    return all;
}

/* Operations of other names, or several: one side may have constants that the other has in its code. What an operation
 * before gave otherwise is none. */
static struct inputs compare_runs(const struct verdict_judge *judge,
                                  const struct trace_match *match) {
    struct missing missing[2];
    if (!find_missing(judge, match, 0, &missing[0]) || !find_missing(judge, match, 1, &missing[1]))
        return (struct inputs){.unknown = true};
    const bool other = missing[0].is_other || missing[1].is_other,
               own = missing[0].is_own || missing[1].is_own,
               differ = other || (missing[0].count && missing[1].count &&
                                  (own || !are_cut(judge, match, missing)));
    return (struct inputs){.differ = differ, .is_other = differ && !other && !own};
}

/* The place of the first input from `place` on whose elements count, or how many inputs there are. */
static size_t next_input(const struct trace_operation *operation, size_t place) {
    while (place < operation->input_count && trace_is_overwritten(&operation->inputs[place]))
        place++;
    return place;
}

static struct inputs compare_inputs(const struct verdict_judge *judge,
                                    const struct trace_match *match) {
    const struct trace_operation *here = last_of(judge, match, 0),
                                 *there = last_of(judge, match, 1);
    struct inputs inputs = {.differ = false};
    if (!is_plain(judge, match))
        return compare_runs(judge, match);
    size_t a = next_input(here, 0), b = next_input(there, 0);
    while (a < here->input_count && b < there->input_count) {
        take_place(judge, match, &here->inputs[a], &there->inputs[b], &inputs);
        a = next_input(here, a + 1);
        b = next_input(there, b + 1);
    }
    return a == here->input_count && b == there->input_count
               ? inputs
               : (struct inputs){.differ = true, .is_other = true};
}

/* Whether an operation without a partner does nothing but name memory. */
static bool gives_whatever(const struct verdict_judge *judge, const struct trace_match *match) {
    const int side = match->count[0] ? 0 : 1;
    const struct trace_operation *operation = last_of(judge, match, side);
    const struct trace_name *name = trace_name_find(judge->sides[side], operation);
    return match->count[side] == 1 && name && name->how == TRACE_UNINITIALISED;
}

enum trace_verdict verdict_of(const struct verdict_judge *judge, const struct trace_match *match,
                              const struct trace_tensor **other) {
    *other = NULL;
    if (!match->count[0] || !match->count[1])
        return gives_whatever(judge, match) ? TRACE_NOT_COMPARED
               : match->count[0]            ? TRACE_HERE_ALONE
                                            : TRACE_THERE_ALONE;
    const enum sameness outputs = compare_outputs(judge, match);
    if (outputs != OTHER)
        return outputs == SAME ? TRACE_EQUAL : TRACE_NOT_COMPARED;
    const struct inputs inputs = compare_inputs(judge, match);
    *other = inputs.other;
    if (inputs.differ)
        return inputs.is_other ? TRACE_OTHER_INPUTS : TRACE_FOLLOWED;
    return inputs.unknown ? TRACE_UNCLEAR : TRACE_PARTED;
}

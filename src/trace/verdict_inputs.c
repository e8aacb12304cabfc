/* Inputs beside inputs: whether both sides took the same, and where what differs comes from. */
#include "trace/verdict_parts.h"

#include "trace/cut.h"

#include <string.h>
#include <xxhash.h>

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

/* Whether an operation before gave it, be it the same on both sides. */
static bool is_given(const struct verdict_judge *judge, const struct trace_match *match, int side,
                     const struct trace_tensor *tensor) {
    return digest_map_has(&judge->given[side], &tensor->canonical, match->first[side]);
}

static void take_place(const struct verdict_judge *judge, const struct trace_match *match,
                       const struct trace_tensor *a, const struct trace_tensor *b,
                       struct verdict_inputs *inputs) {
    const enum sameness one = verdict_compare(a, b);
    inputs->unknown = inputs->unknown || one == UNKNOWN;
    if (one != OTHER)
        return;
    inputs->differ = true;
    if (follows(judge, match, 0, a) || follows(judge, match, 1, b)) {
        inputs->follow = true;
        return;
    }
    if (is_given(judge, match, 0, a) || is_given(judge, match, 1, b))
        return; /* two operands that changed their places */
    if (!inputs->is_other) {
        inputs->other[0] = a;
        inputs->other[1] = b;
    }
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
enum { MOST_MISSING = 32, MOST_DIMENSIONS = 8 };
struct missing {
    size_t count;
    const struct trace_tensor *tensors[MOST_MISSING]; /* the first of them */
    bool is_other, is_own; /* one of them differs; only this side has it */
    bool is_more;          /* one has elements that the other side cannot have in its code */
};

/* Whether it may be a constant: one number, or a few integers, such as a shape or axes. */
static bool may_be_code(const struct trace_tensor *tensor) {
    return tensor->count <= 1 || (tensor->dimensions == 1 && tensor->count <= MOST_DIMENSIONS &&
                                  strcmp(tensor->type_name, "int64") == 0);
}

/* Looks for inputs of a side that no operation of its own run gave before, and that are none there. */
static bool find_missing(const struct verdict_judge *judge, const struct trace_match *match,
                         int side, struct missing *missing) {
    struct digest_map known = {.count = 0};
    bool good = true;
    *missing = (struct missing){0};
    for (size_t i = 0; good && i < match->count[!side]; i++) {
        const struct trace_operation *operation = verdict_operation(judge, match, !side, i);
        good = note(&known, operation->inputs, operation->input_count);
    }
    for (size_t i = 0; good && i < match->count[side]; i++) {
        const struct trace_operation *operation = verdict_operation(judge, match, side, i);
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
            missing->is_more =
                missing->is_more || (!may_be_code(tensor) && !follows(judge, match, side, tensor));
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

/* Whether a side is a compiled function of JAX, in which arrays that the function closes over are constants. */
static bool has_closed_over(const struct verdict_judge *judge, const struct trace_match *match,
                            int side) {
    return match->count[side] == 1 &&
           strcmp(verdict_last(judge, match, side)->name, "jax.jit") == 0;
}

/* Operations of other names, or several: one side may have constants that the other has in its code. What an operation
 * before gave otherwise is none. */
static struct verdict_inputs compare_runs(const struct verdict_judge *judge,
                                          const struct trace_match *match) {
    struct missing missing[2];
    if (!find_missing(judge, match, 0, &missing[0]) || !find_missing(judge, match, 1, &missing[1]))
        return (struct verdict_inputs){.unknown = true};
    const bool other = missing[0].is_other || missing[1].is_other,
               own = missing[0].is_own || missing[1].is_own,
               both = missing[0].count && missing[1].count,
               more = (missing[0].is_more && !has_closed_over(judge, match, 1)) ||
                      (missing[1].is_more && !has_closed_over(judge, match, 0)),
               differ =
                   other || (both && own) || ((both || more) && !are_cut(judge, match, missing));
    return (struct verdict_inputs){.differ = differ,
                                   .is_other = differ && !other && !(both && own)};
}

/* The place of the first input from `place` on whose elements count, or how many inputs there are. */
static size_t next_input(const struct trace_operation *operation, size_t place) {
    while (place < operation->input_count && trace_is_overwritten(&operation->inputs[place]))
        place++;
    return place;
}

struct verdict_inputs verdict_compare_inputs(const struct verdict_judge *judge,
                                             const struct trace_match *match) {
    const struct trace_operation *here = verdict_last(judge, match, 0),
                                 *there = verdict_last(judge, match, 1);
    struct verdict_inputs inputs = {.differ = false};
    if (!verdict_is_plain(judge, match))
        return compare_runs(judge, match);
    size_t a = next_input(here, 0), b = next_input(there, 0);
    while (a < here->input_count && b < there->input_count) {
        take_place(judge, match, &here->inputs[a], &there->inputs[b], &inputs);
        a = next_input(here, a + 1);
        b = next_input(there, b + 1);
    }
    inputs.is_other = inputs.is_other || (inputs.differ && !inputs.follow);
    return a == here->input_count && b == there->input_count
               ? inputs
               : (struct verdict_inputs){.differ = true, .is_other = true};
}

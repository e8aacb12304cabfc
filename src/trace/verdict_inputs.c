/* Inputs beside inputs: whether both sides took the same, and where what differs comes from. */
#include "trace/verdict_parts.h"

#include "trace/cut.h"

#include <string.h>
#include <xxhash.h>

/* Whether an operation before gave it, of something that differs. */
static bool is_other(const struct verdict_judge *judge, const struct trace_match *match, int side,
                     const struct trace_tensor *tensor) {
    return digest_map_has(&judge->differ[side], &tensor->canonical, verdict_end(match, side));
}

/* The same, or one that only this side has. */
static bool follows(const struct verdict_judge *judge, const struct trace_match *match, int side,
                    const struct trace_tensor *tensor) {
    return is_other(judge, match, side, tensor) ||
           digest_map_has(&judge->own[side], &tensor->canonical, verdict_end(match, side));
}

/* Whether an operation before gave it, be it the same on both sides. */
static bool is_given(const struct verdict_judge *judge, const struct trace_match *match, int side,
                     const struct trace_tensor *tensor) {
    return digest_map_has(&judge->values[side].given, &tensor->canonical, verdict_end(match, side));
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
enum { MOST_MISSING = 32 };
struct missing {
    size_t count;
    const struct trace_tensor *tensors[MOST_MISSING]; /* the first of them */
    bool is_other, is_own; /* one of them differs; only this side has it */
    bool is_made;          /* one that only this side has is made of what both have */
    bool is_more;          /* one has elements that the other side cannot have in its code */
    bool is_scratch;       /* all are memory that a kernel may only write to */
};

/* Whether a constant gives it; or, with `other`, something that the other side knows nothing of. */
static bool is_constant(const struct verdict_judge *judge, const struct trace_match *match,
                        int side, const struct trace_tensor *tensor, bool other) {
    const size_t giver = digest_map_first(&judge->values[side].given, &tensor->canonical);
    return giver != SIZE_MAX && giver < verdict_end(match, side) &&
           trace_makes_constant(&judge->values[side], other ? &judge->values[!side] : NULL, giver);
}

/* Looks for inputs of a side that no operation of its own run gave before, and that are none there. */
static bool find_missing(const struct verdict_judge *judge, const struct trace_match *match,
                         int side, struct missing *missing) {
    struct digest_map known = {.count = 0};
    bool good = true;
    *missing = (struct missing){.is_scratch = true};
    for (size_t i = 0; good && i < match->count[!side]; i++) {
        const struct trace_operation *operation = verdict_operation(judge, match, !side, i);
        good = note(&known, operation->inputs, operation->input_count);
    }
    for (size_t i = 0; good && i < match->count[side]; i++) {
        const struct trace_operation *operation = verdict_operation(judge, match, side, i);
        for (size_t k = 0; k < operation->input_count; k++) {
            const struct trace_tensor *tensor = &operation->inputs[k];
            const struct trace_digest one = same_of(tensor);
            if (!tensor->has_digest || digest_map_has(&known, &one, 1) ||
                (!follows(judge, match, side, tensor) &&
                 is_constant(judge, match, side, tensor, false)))
                continue;
            if (missing->count < MOST_MISSING)
                missing->tensors[missing->count] = tensor;
            missing->count++;
            missing->is_scratch = missing->is_scratch && trace_may_be_scratch(tensor);
            missing->is_other = missing->is_other || is_other(judge, match, side, tensor);
            missing->is_own = missing->is_own || follows(judge, match, side, tensor);
            missing->is_made = missing->is_made || (follows(judge, match, side, tensor) &&
                                                    !is_constant(judge, match, side, tensor, true));
            missing->is_more = missing->is_more ||
                               (!trace_may_be_code(tensor) && !follows(judge, match, side, tensor));
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

/* Whether what each side has alone are the same elements in other places, tensor by tensor, as weights that a runtime lays out
 * anew for its kernel. */
static bool are_laid_out(const struct verdict_judge *judge, const struct missing missing[2]) {
    bool is_taken[MOST_MISSING] = {false}, all = missing[0].count == missing[1].count;
    for (size_t i = 0; i < missing[0].count && all; i++) {
        size_t k = 0;
        while (k < missing[1].count &&
               (is_taken[k] || !trace_is_permuted(judge->sides[0], missing[0].tensors[i],
                                                  judge->sides[1], missing[1].tensors[k])))
            k++;
        all = k < missing[1].count;
        if (all)
            is_taken[k] = true;
    }
    return all;
}

static bool are_few(const struct missing missing[2]) {
    return missing[0].count <= MOST_MISSING && missing[1].count <= MOST_MISSING;
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
    for (int side = 0; side < 2; side++)
        if (!missing[!side].count && missing[side].count && missing[side].is_scratch)
            return (struct verdict_inputs){.differ = false};
    const bool other = missing[0].is_other || missing[1].is_other,
               own = missing[0].is_own || missing[1].is_own,
               made = missing[0].is_made || missing[1].is_made,
               both = missing[0].count && missing[1].count,
               more = (missing[0].is_more && !has_closed_over(judge, match, 1)) ||
                      (missing[1].is_more && !has_closed_over(judge, match, 0)),
               differ = other || made || (both && own) ||
                        ((both || more) && !are_cut(judge, match, missing) &&
                         !(both && are_few(missing) && are_laid_out(judge, missing)));
    return (struct verdict_inputs){.differ = differ,
                                   .is_other = differ && !other && !made && !(both && own)};
}

/* The place of the first input from `place` on whose elements count, or how many inputs there are. */
static size_t next_input(const struct trace_operation *operation, size_t place) {
    while (place < operation->input_count && trace_is_overwritten(&operation->inputs[place]))
        place++;
    return place;
}

/* The input there that has the bits of one here and is not taken by another; SIZE_MAX: none. */
static size_t place_there(const struct trace_operation *there, const struct trace_tensor *input,
                          uint64_t taken) {
    for (size_t i = 0; i < there->input_count && i < MOST_SWAPPED; i++)
        if (!(taken >> i & 1) && verdict_compare(input, &there->inputs[i]) == SAME)
            return i;
    return SIZE_MAX;
}

bool verdict_find_swapped(const struct verdict_judge *judge, const struct trace_match *match,
                          size_t places[MOST_SWAPPED]) {
    const struct trace_operation *here = verdict_last(judge, match, 0),
                                 *there = verdict_last(judge, match, 1);
    uint64_t taken = 0;
    bool all = verdict_is_plain(judge, match) && here->input_count == there->input_count &&
               here->input_count <= MOST_SWAPPED,
         any = false;
    for (size_t i = 0; i < here->output_count && i < there->output_count && all; i++)
        all = trace_values_may_match(&judge->values[0], &here->outputs[i], &judge->values[1],
                                     &there->outputs[i]);
    for (size_t i = 0; i < here->input_count && all; i++)
        if (verdict_compare(&here->inputs[i], &there->inputs[i]) == SAME)
            taken |= UINT64_C(1) << (places[i] = i);
        else
            places[i] = SIZE_MAX;
    for (size_t i = 0; i < here->input_count && all; i++) {
        if (places[i] != SIZE_MAX)
            continue;
        places[i] = place_there(there, &here->inputs[i], taken);
        all = any = places[i] != SIZE_MAX;
        taken |= all ? UINT64_C(1) << places[i] : 0;
    }
    return all && any;
}

struct verdict_inputs verdict_compare_inputs(const struct verdict_judge *judge,
                                             const struct trace_match *match) {
    const struct trace_operation *here = verdict_last(judge, match, 0),
                                 *there = verdict_last(judge, match, 1);
    struct verdict_inputs inputs = {.differ = false};
    size_t places[MOST_SWAPPED];
    if (!verdict_is_plain(judge, match))
        return compare_runs(judge, match);
    if (verdict_find_swapped(judge, match, places))
        return inputs;
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

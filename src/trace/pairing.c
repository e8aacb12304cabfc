/* Keys, and levels of them; what one side has fused and what was moved is in the files beside this. */
#include "trace/pairing.h"

#include "trace/names.h"
#include "trace/pairing_flow.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t add_text(uint64_t key, const char *text) {
    return XXH3_64bits_withSeed(text, strlen(text) + 1, key);
}

static uint64_t add_shapes(uint64_t key, const struct trace_tensor *tensors, size_t count) {
    for (size_t i = 0; i < count; i++)
        key = XXH3_64bits_withSeed(tensors[i].extents,
                                   (size_t)tensors[i].dimensions * sizeof *tensors[i].extents,
                                   key + (uint64_t)tensors[i].dimensions + 1);
    return key;
}

/* By the inputs that the other side has, too, and the shapes of the others. */
static uint64_t known_key(const struct trace_operation *operation, uint64_t key,
                          const struct trace_values *known) {
    bool any = false;
    for (size_t i = 0; i < operation->input_count; i++) {
        const struct trace_tensor *input = &operation->inputs[i];
        const bool is_known =
            input->has_digest && input->count > PAIRING_FEW && trace_values_know(known, input);
        if (is_known)
            key = XXH3_64bits_withSeed(&input->canonical, sizeof input->canonical, key + i);
        if (!trace_is_overwritten(input))
            key = add_shapes(key, input, 1);
        any = any || is_known;
    }
    key = add_shapes(key + 1, operation->outputs, operation->output_count);
    return any ? key | 1 : key & ~UINT64_C(1);
}

static void make_keys(struct side *side, size_t index, const struct trace_values *known) {
    const struct trace_operation *operation = &side->trace->operations[index];
    const uint64_t name = XXH3_64bits_withSeed(operation->name, trace_name_length(operation->name),
                                               operation->is_backward);
    uint64_t shapes = name, inputs = name, place = 0;
    for (size_t i = 0; i < operation->input_count; i++) {
        const struct trace_tensor *input = &operation->inputs[i];
        if (trace_is_overwritten(input))
            continue;
        shapes = add_shapes(shapes, input, 1);
        inputs = add_shapes(
            XXH3_64bits_withSeed(&input->canonical, sizeof input->canonical, inputs + place++),
            input, 1);
    }
    shapes = add_shapes(shapes + 1, operation->outputs, operation->output_count);
    side->keys[BY_SHAPES][index] = shapes;
    side->keys[BY_PLACE][index] = add_text(add_text(shapes, operation->name), operation->path);
    side->keys[BY_INPUTS][index] = inputs;
    side->keys[BY_KNOWN][index] = known_key(operation, name, known);
    char *text = operation->attributes ? cJSON_PrintUnformatted(operation->attributes) : NULL;
    side->keys[SAME_ATTRIBUTES][index] = add_text(side->keys[BY_PLACE][index], text ? text : "");
    side->keys[ALL_SAME][index] =
        XXH3_64bits_withSeed(&inputs, sizeof inputs, side->keys[SAME_ATTRIBUTES][index]);
    cJSON_free(text);
}

static bool open_side(struct side *side, const struct trace *trace) {
    const size_t room = trace->count + 1;
    bool good = true;
    *side = (struct side){.trace = trace,
                          .partner = malloc(room * sizeof *side->partner),
                          .length = calloc(room, sizeof *side->length),
                          .is_moved = calloc(room, sizeof *side->is_moved)};
    for (int level = 0; level < KEYS; level++)
        good = (side->keys[level] = malloc(room * sizeof **side->keys)) && good;
    good = trace_values_open(&side->values, trace) && good;
    return good && side->partner && side->length && side->is_moved;
}

/* Once both are open. */
static void fill_side(struct side *side, const struct trace_values *other) {
    for (size_t i = 0; i < side->trace->count; i++) {
        side->partner[i] = ALONE;
        side->length[i] = 1;
        make_keys(side, i, other);
    }
}

static void close_side(struct side *side) {
    for (int level = 0; level < KEYS; level++)
        free(side->keys[level]);
    trace_values_close(&side->values);
    free(side->partner);
    free(side->length);
    free(side->is_moved);
}

static void settle(struct pairer *pairer, int level, struct gap gap) {
    const size_t a = gap.end[0] - gap.first[0], b = gap.end[1] - gap.first[1];
    if (!a || !b || pairer->has_failed)
        return;
    if (level == LEVELS) {
        pairing_fuse(pairer, gap, true);
        return;
    }
    struct align_pair *pairs = malloc((a < b ? a : b) * sizeof *pairs);
    const ptrdiff_t count =
        pairs ? align_keys(&pairer->room, pairer->sides[0].keys[level] + gap.first[0], a,
                           pairer->sides[1].keys[level] + gap.first[1], b, pairs)
              : -1;
    pairer->has_failed = count < 0;
    struct gap between = gap;
    for (ptrdiff_t i = 0; i < count; i++) {
        const size_t first[2] = {gap.first[0] + pairs[i].a, gap.first[1] + pairs[i].b};
        pairing_join(pairer, first, (size_t[]){1, 1});
        for (int side = 0; side < 2; side++)
            between.end[side] = first[side];
        settle(pairer, level + 1, between);
        for (int side = 0; side < 2; side++)
            between.first[side] = first[side] + 1;
    }
    memcpy(between.end, gap.end, sizeof between.end);
    settle(pairer, level + 1, between);
    free(pairs);
}

/* What is left without a partner, by runs between two others; and whether there was any. */
static void fuse_rest(struct pairer *pairer) {
    struct gap gap = {{0, 0}, {0, 0}};
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    while (gap.first[0] < here->trace->count && !pairer->has_failed) {
        size_t i = gap.first[0], k;
        for (; i < here->trace->count && here->partner[i] != ALONE; i++)
            if (here->length[i] && !here->is_moved[i])
                gap.first[1] = here->partner[i] + there->length[here->partner[i]];
        gap.first[0] = i;
        while (i < here->trace->count && here->partner[i] == ALONE)
            i++;
        for (k = gap.first[1]; k < there->trace->count && there->partner[k] == ALONE;)
            k++;
        gap.end[0] = i;
        gap.end[1] = k;
        if (gap.first[0] < i && gap.first[1] < k)
            pairing_fuse(pairer, gap, false);
        gap.first[0] = i;
    }
}

/* Groups that need not follow one another, then runs that do, and what can be followed back from these. */
static bool group_all(struct pairer *pairer, struct trace_pairing *pairing) {
    struct flow flow;
    bool good = flow_open(&flow, pairer);
    if (good) {
        flow_take(&flow, pairer);
        flow_lists(&flow);
        flow_follow(&flow);
        flow_mark(&flow, pairer);
        fuse_rest(pairer);
        pairing_part(pairer);
        flow_take(&flow, pairer);
        flow_follow(&flow);
        flow_give_casts(&flow);
        good = !flow.has_failed && !pairer->has_failed && flow_list(&flow, pairing);
    }
    flow_close(&flow);
    return good;
}

bool trace_pair(const struct trace *here, const struct trace *there, struct trace_pairing *pairing,
                struct error *error) {
    struct pairer pairer = {.has_failed = false};
    *pairing = (struct trace_pairing){0};
    bool good = open_side(&pairer.sides[0], here);
    good = open_side(&pairer.sides[1], there) && good;
    if (good) {
        for (int side = 0; side < 2; side++)
            fill_side(&pairer.sides[side], &pairer.sides[!side].values);
        settle(&pairer, BY_PLACE, (struct gap){{0, 0}, {here->count, there->count}});
        pairing_moved(&pairer, BY_INPUTS);
        pairing_moved(&pairer, BY_KNOWN);
        pairing_moved(&pairer, BY_PLACE);
        pairing_exchange(&pairer);
        pairing_correct(&pairer);
        pairing_regroup(&pairer);
    }
    good = good && !pairer.has_failed && group_all(&pairer, pairing);
    close_side(&pairer.sides[0]);
    close_side(&pairer.sides[1]);
    align_free(&pairer.room);
    return good || error_set(error, "out of memory");
}

void trace_pairing_free(struct trace_pairing *pairing) {
    free(pairing->matches);
    free(pairing->numbers);
    free(pairing->pairs);
    *pairing = (struct trace_pairing){0};
}

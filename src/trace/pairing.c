/* Keys, levels, what one side has fused, what was moved. */
#include "trace/pairing.h"

#include "trace/align.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* By what operations pair, the strictest first. */
enum { BY_PLACE, BY_INPUTS, BY_SHAPES, LEVELS };

/* By what operations that took each other's place are known again, the strictest first. */
enum { ALL_SAME = LEVELS, SAME_ATTRIBUTES, KEYS };

enum {
    LONGEST_RUN = 256 /* operations that one of the other side may stand for */
};

struct side {
    const struct trace *trace;
    uint64_t *keys[KEYS];
    size_t *partner; /* of each operation: the first one of the other side; or ALONE */
    size_t *length;  /* how many stand together from here on; 0: the one before has this one, too */
    bool *is_moved;
};
#define ALONE SIZE_MAX

struct pairer {
    struct side sides[2];
    struct align_room room;
    bool has_failed; /* memory is out */
};

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

static void make_keys(struct side *side, size_t index) {
    const struct trace_operation *operation = &side->trace->operations[index];
    const uint64_t name = add_text(operation->is_backward, operation->name);
    uint64_t shapes = add_shapes(name, operation->inputs, operation->input_count);
    shapes = add_shapes(shapes + 1, operation->outputs, operation->output_count);
    uint64_t inputs = name;
    for (size_t i = 0; i < operation->input_count; i++)
        inputs = XXH3_64bits_withSeed(&operation->inputs[i].canonical,
                                      sizeof operation->inputs[i].canonical, inputs + i);
    side->keys[BY_SHAPES][index] = shapes;
    side->keys[BY_PLACE][index] = add_text(shapes, operation->path);
    side->keys[BY_INPUTS][index] = add_shapes(inputs, operation->inputs, operation->input_count);
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
    good = good && side->partner && side->length && side->is_moved;
    for (size_t i = 0; good && i < trace->count; i++) {
        side->partner[i] = ALONE;
        side->length[i] = 1;
        make_keys(side, i);
    }
    return good;
}

static void close_side(struct side *side) {
    for (int level = 0; level < KEYS; level++)
        free(side->keys[level]);
    free(side->partner);
    free(side->length);
    free(side->is_moved);
}

/* A run of operations of each side. */
struct gap {
    size_t first[2], end[2];
};

/* Sets who stands beside whom; of runs the first ones know of one another. */
static void join(struct pairer *pairer, const size_t first[2], const size_t count[2]) {
    for (int i = 0; i < 2; i++) {
        struct side *side = &pairer->sides[i];
        for (size_t k = 0; k < count[i]; k++) {
            side->partner[first[i] + k] = first[!i];
            side->length[first[i] + k] = k ? 0 : count[i];
        }
    }
}

/* Whether two lists have a tensor of the same bits, or, where `by_shape`, of the same shape. Numbers are in too many. */
static bool share(const struct trace_tensor *a, size_t a_count, const struct trace_tensor *b,
                  size_t b_count, bool by_shape) {
    for (size_t i = 0; i < a_count; i++)
        for (size_t k = 0; k < b_count; k++) {
            const bool same_bits = a[i].has_digest && b[k].has_digest &&
                                   trace_same_digest(&a[i].canonical, &b[k].canonical);
            if (by_shape ? trace_same_shape(&a[i], &b[k]) : same_bits && a[i].dimensions)
                return true;
        }
    return false;
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
    return ends - begins > 1 || strcmp(one->name, other->name) == 0 ||
           share_outputs(one, other, false);
}

/* One operation of the shorter side after the other. */
static void fuse(struct pairer *pairer, struct gap gap) {
    const int one = gap.end[0] - gap.first[0] <= gap.end[1] - gap.first[1] ? 0 : 1;
    const struct trace *ones = pairer->sides[one].trace, *others = pairer->sides[!one].trace;
    size_t place = gap.first[!one];
    for (size_t i = gap.first[one]; i < gap.end[one]; i++) {
        const struct trace_operation *operation = &ones->operations[i];
        const bool is_last = i + 1 == gap.end[one];
        size_t begins, ends, first[2], count[2];
        if (!find_run(operation, others, place, gap.end[!one], false, false, &begins, &ends) &&
            !find_run(operation, others, place, gap.end[!one], true, is_last, &begins, &ends))
            continue;
        if (!may_join(operation, others, begins, ends))
            continue;
        first[one] = i;
        count[one] = 1;
        first[!one] = begins;
        count[!one] = ends - begins;
        join(pairer, first, count);
        place = ends;
    }
}

static void settle(struct pairer *pairer, int level, struct gap gap) {
    const size_t a = gap.end[0] - gap.first[0], b = gap.end[1] - gap.first[1];
    if (!a || !b || pairer->has_failed)
        return;
    if (level == LEVELS) {
        fuse(pairer, gap);
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
        join(pairer, first, (size_t[]){1, 1});
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

struct keyed {
    uint64_t key;
    size_t index;
};

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Those without a partner, by their keys; from malloc. */
static struct keyed *alone_of(const struct side *side, int level, size_t *count) {
    struct keyed *list = malloc((side->trace->count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < side->trace->count; i++)
        if (side->partner[i] == ALONE &&
            (level != BY_INPUTS || side->trace->operations[i].input_count))
            list[(*count)++] = (struct keyed){side->keys[level][i], i};
    if (list)
        qsort(list, *count, sizeof *list, by_key);
    return list;
}

/* Pairs what was moved: the first here of a key with the first there. */
static void pair_moved(struct pairer *pairer, int level) {
    size_t counts[2], at[2] = {0, 0};
    struct keyed *lists[2];
    for (int i = 0; i < 2; i++)
        lists[i] = alone_of(&pairer->sides[i], level, &counts[i]);
    pairer->has_failed = pairer->has_failed || !lists[0] || !lists[1];
    while (!pairer->has_failed && at[0] < counts[0] && at[1] < counts[1]) {
        const struct keyed *a = &lists[0][at[0]], *b = &lists[1][at[1]];
        if (a->key == b->key) {
            join(pairer, (size_t[]){a->index, b->index}, (size_t[]){1, 1});
            pairer->sides[0].is_moved[a->index] = pairer->sides[1].is_moved[b->index] = true;
        }
        at[0] += a->key <= b->key;
        at[1] += b->key <= a->key;
    }
    free(lists[0]);
    free(lists[1]);
}

enum {
    NEAR = 32, /* operations between two that took each other's place */
    ROUND = 8  /* at most so many change places at once */
};

/* Whether an operation here stands alone beside one there that has another key. */
static bool is_mismatched(const struct pairer *pairer, int key, size_t index) {
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    const size_t partner = here->partner[index];
    return partner != ALONE && here->length[index] == 1 && there->length[partner] == 1 &&
           here->keys[BY_PLACE][index] == there->keys[BY_PLACE][partner] &&
           here->keys[key][index] != there->keys[key][partner];
}

/* The operation here, near `index`, whose partner has the key of `index`; or ALONE. */
static size_t whose_partner_is(const struct pairer *pairer, int key, size_t index) {
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    const size_t first = index < NEAR ? 0 : index - NEAR;
    for (size_t i = first; i < here->trace->count && i <= index + NEAR; i++)
        if (i != index && is_mismatched(pairer, key, i) &&
            there->keys[key][here->partner[i]] == here->keys[key][index])
            return i;
    return ALONE;
}

/* Operations of one place whose partners are each other's, going round: each gets the one that is the same. Where one of
 * them has no other, they may differ for another reason, and stay. */
static void exchange(struct pairer *pairer, int key, size_t index) {
    struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    size_t round[ROUND], partners[ROUND], count = 0;
    for (size_t at = index; count < ROUND; at = round[count - 1]) {
        const size_t next = whose_partner_is(pairer, key, at);
        if (next == ALONE)
            return;
        round[count] = next;
        partners[count++] = here->partner[next];
        if (next == index)
            break;
    }
    if (round[count - 1] != index)
        return;
    for (size_t i = 0; i < count; i++) {
        const size_t to = i ? round[i - 1] : index;
        join(pairer, (size_t[]){to, partners[i]}, (size_t[]){1, 1});
        here->is_moved[to] = there->is_moved[partners[i]] = true;
    }
}

/* Independent operations of one place that a side computes in another order. */
static void exchange_all(struct pairer *pairer) {
    for (int key = ALL_SAME; key < KEYS; key++)
        for (size_t i = 0; i < pairer->sides[0].trace->count; i++)
            if (is_mismatched(pairer, key, i))
                exchange(pairer, key, i);
}

/* Those of there without a partner before `end`. */
static size_t list_there(const struct pairer *pairer, struct trace_pairing *pairing, size_t here,
                         size_t from, size_t end) {
    const struct side *there = &pairer->sides[1];
    for (; from < end; from++)
        if (there->partner[from] == ALONE)
            pairing->matches[pairing->count++] = (struct trace_match){{here, from}, {0, 1}, false};
    return from;
}

static bool list(const struct pairer *pairer, struct trace_pairing *pairing) {
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    const size_t count = here->trace->count;
    size_t next = 0; /* of there */
    pairing->matches = malloc((count + there->trace->count + 1) * sizeof *pairing->matches);
    for (size_t i = 0; pairing->matches && i < count; i++) {
        const size_t partner = here->partner[i];
        if (!here->length[i])
            continue;
        struct trace_match match = {{i, partner}, {here->length[i], 0}, here->is_moved[i]};
        if (partner == ALONE) {
            match.first[1] = next;
        } else {
            match.count[1] = there->length[partner];
            if (!match.is_moved && next < partner)
                next = list_there(pairer, pairing, i, next, partner);
        }
        pairing->matches[pairing->count++] = match;
    }
    if (pairing->matches)
        list_there(pairer, pairing, count, next, there->trace->count);
    return pairing->matches;
}

bool trace_pair(const struct trace *here, const struct trace *there, struct trace_pairing *pairing,
                struct error *error) {
    struct pairer pairer = {.has_failed = false};
    *pairing = (struct trace_pairing){NULL};
    bool good = open_side(&pairer.sides[0], here);
    good = open_side(&pairer.sides[1], there) && good;
    if (good) {
        settle(&pairer, BY_PLACE, (struct gap){{0, 0}, {here->count, there->count}});
        pair_moved(&pairer, BY_INPUTS);
        pair_moved(&pairer, BY_PLACE);
        exchange_all(&pairer);
    }
    good = good && !pairer.has_failed && list(&pairer, pairing);
    close_side(&pairer.sides[0]);
    close_side(&pairer.sides[1]);
    align_free(&pairer.room);
    return good || error_set(error, "out of memory");
}

void trace_pairing_free(struct trace_pairing *pairing) {
    free(pairing->matches);
    *pairing = (struct trace_pairing){NULL};
}

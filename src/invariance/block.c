/* Laying inputs out, computing them, and comparing what comes of it. */
#include "invariance/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool block_run(struct block *block, const struct property *property, uint64_t first, size_t count,
               struct property_tally *tally, const struct property_tally *before,
               struct error *error) {
    const struct operation *operation = block->request->computed.operation;
    block->first = first;
    block->count = count;
    block->tally = tally;
    block->before = before;
    block->condition = 0;
    block->has_led = false;
    memset(block->is_compared, 0, count);
    memset(block->is_unrepeatable, 0, count);
    for (int i = 0; i < operation->results; i++)
        memset(block->changed[i], 0, count);
    domain_fill(block->request->domain, first, count, block->inputs);
    tally->not_called +=
        mark_never_called(&block->request->computed, block->inputs, count, block->is_missing);
    if (!property->of[operation_call_kind(operation)].block(block, error))
        return false;
    for (size_t i = 0; i < count; i++)
        tally->inputs += !(block->is_missing[i] & NEVER_CALLED);
    for (size_t i = 0; i < count; i++)
        tally->unanswered += !block->is_compared[i] && !(block->is_missing[i] & NEVER_CALLED);
    for (size_t i = 0; i < count; i++)
        tally->unrepeatable += block->is_unrepeatable[i];
    return true;
}

/* Elements that an input takes in a slice. */
static size_t elements_of(const struct arrangement *arrangement) {
    return arrangement->copies * (arrangement->is_led ? 2 : 1);
}

/* What an event of an arrangement belongs to. */
struct event_place {
    struct block *block;
    const struct arrangement *arrangement;
};

static void take_event(void *context, enum event_kind kind, size_t index) {
    const struct event_place *place = context;
    const struct arrangement *arrangement = place->arrangement;
    struct block *block = place->block;
    const struct binding_request *computed = &block->request->computed;
    size_t at = index / elements_of(arrangement);
    struct event_witness event = {.kind = kind, .index = block->first + at};
    char where[CHANGE_WHERE];
    for (int i = 0; i < computed->operation->operands; i++)
        event.input[i] = code_load(block->inputs[i], format_bytes(computed->format), at);
    snprintf(where, sizeof where, "an array of %zu%s%s", arrangement->copies,
             *arrangement->text ? ", " : "", arrangement->text);
    property_event(block->tally, &event, block->condition, where);
}

/* Copies of a code, the first of which is there. */
static void spread(char *to, size_t bytes, size_t count) {
    for (size_t done = 1; done < count; done *= 2)
        memcpy(to + done * bytes, to, (count - done < done ? count - done : done) * bytes);
}

/* An input that has had no answer once is left out: it would cost a process each time. */
static void lay_out(struct block *block, const struct arrangement *arrangement) {
    const struct binding_request *computed = &block->request->computed;
    size_t bytes = format_bytes(computed->format), each = elements_of(arrangement);
    size_t led = each - arrangement->copies;
    for (int k = 0; k < computed->operation->operands; k++)
        for (size_t i = 0; i < block->count; i++) {
            uint64_t code = block->is_missing[i] ? conditions_one(computed->format)
                                                 : code_load(block->inputs[k], bytes, i);
            char *to = (char *)block->operands[k] + i * each * bytes;
            code_store(to, bytes, 0, code);
            spread(to, bytes, each);
            for (size_t j = arrangement->phase; arrangement->period && j < arrangement->copies;
                 j += arrangement->period)
                code_store(to, bytes, led + j, arrangement->beside);
        }
}

/* Throws the results of the calls away that lead. */
static void drop_leads(const struct block *block, const struct arrangement *arrangement,
                       struct outputs *outputs) {
    const struct binding_request *computed = &block->request->computed;
    size_t bytes = block->result_bytes, copies = arrangement->copies;
    for (size_t i = 0; i < block->count; i++) {
        for (int k = 0; k < computed->operation->results; k++) {
            char *results = outputs->results[k];
            memmove(results + i * copies * bytes, results + (2 * i + 1) * copies * bytes,
                    copies * bytes);
        }
        memmove(outputs->unanswered + i * copies, outputs->unanswered + (2 * i + 1) * copies,
                copies);
    }
}

/* Which inputs have no answer. Without one in the reference an input is left out from now on. */
static void note_missing(struct block *block, const struct arrangement *arrangement,
                         struct outputs *outputs) {
    size_t all = block->count * arrangement->copies;
    outputs->any_missing = memchr(outputs->unanswered, 1, all) != NULL;
    memset(outputs->is_missing, 0, block->count);
    for (size_t i = 0; outputs->any_missing && i < all; i++)
        outputs->is_missing[i / arrangement->copies] |= outputs->unanswered[i];
    for (size_t i = 0; !block->condition && i < block->count; i++)
        block->is_missing[i] |= outputs->is_missing[i];
}

static bool compute(struct block *block, const struct arrangement *arrangement,
                    struct outputs *outputs, struct error *error) {
    struct event_place place = {block, arrangement};
    bool is_there = !block->condition || memchr(block->is_missing, 0, block->count);
    struct loss_limit limit = {.most = is_there ? property_may_lose(block->before, block->condition)
                                                : 0};
    struct slice slice = {.count = block->count * elements_of(arrangement),
                          .unanswered = outputs->unanswered,
                          .conditions = &arrangement->conditions,
                          .limit = &limit};
    bool good = true;
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = block->operands[i];
    memcpy(slice.results, outputs->results, sizeof slice.results);
    memset(outputs->unanswered, limit.most ? 0 : 1, slice.count);
    if (limit.most) {
        lay_out(block, arrangement);
        good = binding_fill(block->binding, &slice, take_event, &place, error);
    } else
        limit.left_out = slice.count;
    block->tally->left_out += limit.left_out / elements_of(arrangement);
    if (arrangement->is_led)
        drop_leads(block, arrangement, outputs);
    note_missing(block, arrangement, outputs);
    return good;
}

static void describe(const struct arrangement *arrangement, size_t copy, size_t first,
                     const struct arrangement *reference, char text[CHANGE_WHERE]) {
    char was[64] = "";
    if (copy != first || arrangement->copies != reference->copies)
        snprintf(was, sizeof was, ", and not %zu of %zu", first, reference->copies);
    snprintf(text, CHANGE_WHERE, "element %zu of %zu%s%s%s", copy, arrangement->copies,
             *arrangement->text ? ", " : "", arrangement->text, was);
}

/* Two arrangements that are compared, or the copies of one: with the first copy of each input. */
struct comparison {
    const struct arrangement *arrangement, *reference;
    struct outputs *outputs;
    const struct outputs *first;
    bool with_first;
    bool counts;      /* what differs is a change; else it is looked for only */
    uint8_t *differs; /* by input: is set where it does; NULL: nobody asks */
};

/* How many copies of an input are compared: places that the reference lacks only where its own are alike. */
static size_t compared_copies(const struct comparison *of, size_t input, int result, size_t bytes) {
    const size_t there = of->reference->copies, all = of->arrangement->copies;
    const char *was = (const char *)of->first->results[result] + input * there * bytes;
    return all <= there || memcmp(was + bytes, was, (there - 1) * bytes) == 0 ? all : there;
}

/* Whether an input's copies are all there and have the same bits. */
static bool is_same(const struct comparison *of, size_t input, int result, size_t bytes) {
    const size_t there = of->reference->copies, all = of->arrangement->copies;
    const char *got = (const char *)of->outputs->results[result] + input * all * bytes;
    const char *was = (const char *)of->first->results[result] + input * there * bytes;
    const size_t count = compared_copies(of, input, result, bytes);
    if (of->with_first) /* each like the one before it */
        return memcmp(got, was, bytes) == 0 && memcmp(got + bytes, got, (count - 1) * bytes) == 0;
    bool same = true;
    for (size_t at = 0, part; at < count && same; at += part) {
        part = count - at < there ? count - at : there;
        same = memcmp(got + at * bytes, was, part * bytes) == 0;
    }
    return same;
}

/* Finds an input's first copy that differs, if there is one. */
static bool find_change(const struct block *block, const struct comparison *of, size_t input,
                        int result, struct change *change) {
    const struct format *format = request_result_format(&block->request->computed);
    const size_t bytes = block->result_bytes, copies = of->reference->copies;
    for (size_t copy = 0; copy < compared_copies(of, input, result, bytes); copy++) {
        size_t first = of->with_first ? 0 : copy % copies;
        change->reference = code_load(of->first->results[result], bytes, input * copies + first);
        change->got =
            code_load(of->outputs->results[result], bytes, input * of->arrangement->copies + copy);
        if (property_same(block->request, format, change->reference, change->got))
            continue;
        describe(of->arrangement, copy, first, of->reference, change->where);
        return true;
    }
    return false;
}

/* One input's copies in both; true where they differ and it is not known yet. */
static bool compare_input(struct block *block, const struct comparison *of, size_t input,
                          int result) {
    const struct binding_request *computed = &block->request->computed;
    struct change change = {.index = block->first + input};
    if (block->is_missing[input] || of->first->is_missing[input] || of->outputs->is_missing[input])
        return false;
    block->is_compared[input] = 1;
    if (block->is_unrepeatable[input] || block->changed[result][input] ||
        is_same(of, input, result, block->result_bytes) ||
        !find_change(block, of, input, result, &change))
        return false;
    if (of->differs)
        of->differs[input] = 1;
    if (of->counts) {
        block->changed[result][input] = 1;
        for (int i = 0; i < computed->operation->operands; i++)
            change.input[i] = code_load(block->inputs[i], format_bytes(computed->format), input);
        property_change(block->tally, result, &change);
    }
    return true;
}

/* What the numbers beside an input came to is no matter: the reference's results take its place. */
static void drop_beside(const struct block *block, const struct comparison *of) {
    const struct arrangement *arrangement = of->arrangement;
    const struct binding_request *computed = &block->request->computed;
    const size_t bytes = block->result_bytes, copies = arrangement->copies;
    for (int k = 0; k < computed->operation->results; k++)
        for (size_t i = 0; i < block->count; i++)
            for (size_t j = arrangement->phase; j < copies; j += arrangement->period) {
                size_t at = (i * copies + j) * bytes;
                memcpy((char *)of->outputs->results[k] + at,
                       (const char *)of->first->results[k] + at, bytes);
            }
}

static bool compare(struct block *block, const struct comparison *of) {
    bool differs = false;
    if (of->arrangement->period)
        drop_beside(block, of);
    for (size_t i = 0; i < block->count; i++)
        for (int k = 0; k < block->request->computed.operation->results; k++)
            differs |= compare_input(block, of, i, k);
    return differs;
}

bool block_refer(struct block *block, const struct arrangement *reference, struct error *error) {
    bool good = compute(block, reference, &block->reference, error);
    block->has_led = false;
    block->condition++;
    return good;
}

/* Whether an input has the bits again that it has in `outputs`, each time that it alone is computed. */
static bool repeats(const struct block *block, const struct arrangement *arrangement,
                    const struct outputs *outputs, size_t input, bool *same, struct error *error) {
    enum { TIMES = 16 };
    const struct binding_request *computed = &block->request->computed;
    const size_t copies = arrangement->copies, from = input * copies;
    const struct format *format = request_result_format(computed);
    struct block one = *block;
    one.count = 1;
    one.first += input;
    one.is_missing += input;
    for (int k = 0; k < computed->operation->operands; k++)
        one.inputs[k] = (char *)one.inputs[k] + input * format_bytes(computed->format);
    for (int time = 0; time < TIMES && *same; time++) {
        if (!compute(&one, arrangement, &one.repeated, error))
            return false;
        for (int k = 0; k < computed->operation->results && !one.repeated.any_missing; k++)
            for (size_t i = 0; i < copies; i++) {
                bool is_beside = arrangement->period && i >= arrangement->phase &&
                                 (i - arrangement->phase) % arrangement->period == 0;
                uint64_t was = code_load(outputs->results[k], block->result_bytes, from + i);
                uint64_t got = code_load(one.repeated.results[k], block->result_bytes, i);
                *same = *same && (is_beside || property_same(block->request, format, was, got));
            }
    }
    return true;
}

/* Counts what differs in it, if that comes again; `differs` is room for a byte by input. Where so many
 * inputs do not, none that differs does. */
enum { TRIED = 8 };
static bool count_repeatable(struct block *block, struct comparison *of, uint8_t *differs,
                             struct error *error) {
    memset(differs, 0, block->count);
    of->differs = differs;
    if (!compare(block, of))
        return true;
    bool same = false;
    uint8_t *next = differs;
    for (int tried = 1; !same && (next = memchr(differs, 1, block->count)); tried++) {
        const size_t at = (size_t)(next - differs);
        same = true;
        if (!repeats(block, of->arrangement, of->outputs, at, &same, error) ||
            (!of->with_first && !repeats(block, of->reference, of->first, at, &same, error)))
            return false;
        for (size_t i = at; !same && i < (tried < TRIED ? at + 1 : block->count); i++) {
            block->is_unrepeatable[i] |= differs[i];
            differs[i] = 0;
        }
    }
    of->counts = true;
    compare(block, of);
    return true;
}

/* What differs is compared again where each array follows one of the same input. */
static bool confirm(struct block *block, const struct comparison *of, struct error *error) {
    struct arrangement led = *of->arrangement, led_reference = *of->reference;
    struct comparison again = *of;
    uint8_t *differs;
    led.is_led = led_reference.is_led = true;
    if (!of->with_first && !block->has_led) {
        if (!compute(block, &led_reference, &block->led_reference, error))
            return false;
        block->has_led = true;
    }
    again.first = of->with_first ? &block->outputs : &block->led_reference;
    again.arrangement = &led;
    again.reference = of->with_first ? &led : &led_reference;
    differs = malloc(block->count);
    bool good = differs ? compute(block, &led, &block->outputs, error) &&
                              count_repeatable(block, &again, differs, error)
                        : error_set(error, "out of memory");
    free(differs);
    return good;
}

bool block_try(struct block *block, const struct arrangement *arrangement,
               const struct arrangement *reference, struct error *error) {
    const struct comparison plain = {.arrangement = arrangement,
                                     .reference = reference,
                                     .outputs = &block->outputs,
                                     .first = &block->reference};
    bool good = compute(block, arrangement, &block->outputs, error) &&
                (!compare(block, &plain) || confirm(block, &plain, error));
    block->condition++;
    return good;
}

bool block_try_copies(struct block *block, const struct arrangement *arrangement,
                      struct error *error) {
    const struct comparison plain = {.arrangement = arrangement,
                                     .reference = arrangement,
                                     .outputs = &block->outputs,
                                     .first = &block->outputs,
                                     .with_first = true};
    bool good = compute(block, arrangement, &block->outputs, error);
    block->condition++;
    return good && (!compare(block, &plain) || confirm(block, &plain, error));
}

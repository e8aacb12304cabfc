/* Laying inputs out, computing them, and comparing what comes of it. */
#include "invariance/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = sizeof(uint64_t) };

static bool open_outputs(struct outputs *outputs, int results) {
    bool room = (outputs->unanswered = malloc(BLOCK_ELEMENTS)) != NULL;
    room = (outputs->is_missing = malloc(BLOCK_ELEMENTS)) && room;
    for (int i = 0; i < results; i++)
        room = (outputs->results[i] = malloc(BLOCK_ELEMENTS * MOST_BYTES)) && room;
    return room;
}

static void close_outputs(struct outputs *outputs) {
    free(outputs->unanswered);
    free(outputs->is_missing);
    for (int i = 0; i < MAX_RESULTS; i++)
        free(outputs->results[i]);
}

bool block_open(struct block *block, const struct invariance_request *request,
                struct binding *binding) {
    const struct operation *operation = request->computed.operation;
    *block = (struct block){.request = request, .binding = binding};
    bool room = (block->is_missing = malloc(BLOCK_ELEMENTS)) != NULL;
    room = (block->is_compared = malloc(BLOCK_ELEMENTS)) && room;
    for (int i = 0; i < operation->results; i++)
        room = (block->changed[i] = malloc(BLOCK_ELEMENTS)) && room;
    if (operation->array)
        return room;
    for (int i = 0; i < operation->operands; i++)
        room = (block->inputs[i] = malloc(BLOCK_ELEMENTS * MOST_BYTES)) &&
               (block->operands[i] = malloc(BLOCK_ELEMENTS * MOST_BYTES)) && room;
    return open_outputs(&block->reference, operation->results) &&
           open_outputs(&block->outputs, operation->results) && room;
}

void block_close(struct block *block) {
    close_outputs(&block->reference);
    close_outputs(&block->outputs);
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(block->inputs[i]);
        free(block->operands[i]);
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        free(block->changed[i]);
    free(block->is_missing);
    free(block->is_compared);
}

bool block_run(struct block *block, const struct property *property, uint64_t first, size_t count,
               struct property_tally *tally, const struct property_tally *before,
               struct error *error) {
    const struct operation *operation = block->request->computed.operation;
    block->first = first;
    block->count = count;
    block->tally = tally;
    block->before = before;
    block->condition = 0;
    memset(block->is_missing, 0, count);
    memset(block->is_compared, 0, count);
    for (int i = 0; i < operation->results; i++)
        memset(block->changed[i], 0, count);
    domain_fill(block->request->domain, first, count, block->inputs);
    if (!property->block(block, error))
        return false;
    tally->inputs += count;
    for (size_t i = 0; i < count; i++)
        tally->unanswered += !block->is_compared[i];
    return true;
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
    size_t at = index / arrangement->copies;
    struct event_sighting event = {.kind = kind, .index = block->first + at};
    char where[CHANGE_WHERE];
    for (int i = 0; i < computed->operation->operands; i++)
        event.input[i] = code_load(block->inputs[i], format_bytes(computed->format), at);
    snprintf(where, sizeof where, "an array of %zu%s%s", arrangement->copies,
             *arrangement->text ? ", " : "", arrangement->text);
    property_event(block->tally, &event, block->condition, where);
}

static bool is_beside(const struct arrangement *arrangement, size_t copy) {
    return arrangement->period && copy % arrangement->period == arrangement->phase;
}

/* An input that has had no answer once is left out: it would cost a process each time. */
static void lay_out(struct block *block, const struct arrangement *arrangement) {
    const struct binding_request *computed = &block->request->computed;
    size_t bytes = format_bytes(computed->format);
    for (int k = 0; k < computed->operation->operands; k++)
        for (size_t i = 0; i < block->count; i++) {
            uint64_t code = block->is_missing[i] ? conditions_one(computed->format)
                                                 : code_load(block->inputs[k], bytes, i);
            for (size_t j = 0; j < arrangement->copies; j++)
                code_store(block->operands[k], bytes, i * arrangement->copies + j,
                           is_beside(arrangement, j) ? arrangement->beside : code);
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

bool block_compute(struct block *block, const struct arrangement *arrangement,
                   struct outputs *outputs, struct error *error) {
    struct event_place place = {block, arrangement};
    bool is_there = !block->condition || memchr(block->is_missing, 0, block->count);
    struct loss_limit limit = {.most = is_there ? property_may_lose(block->before, block->condition)
                                                : 0};
    struct slice slice = {.count = block->count * arrangement->copies,
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
    block->tally->left_out += limit.left_out / arrangement->copies;
    note_missing(block, arrangement, outputs);
    block->condition++;
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

/* Whether an input's copies are all there and have the same bits. */
static bool is_same(const struct arrangement *arrangement, const struct outputs *outputs,
                    const struct arrangement *reference, const struct outputs *first, size_t input,
                    int result, size_t bytes, bool with_first) {
    const char *got = (const char *)outputs->results[result] + input * arrangement->copies * bytes;
    const char *was = (const char *)first->results[result] + input * reference->copies * bytes;
    size_t count = arrangement->copies;
    if (arrangement->period)
        return false;
    if (with_first) /* each like the one before it */
        return memcmp(got, was, bytes) == 0 && memcmp(got + bytes, got, (count - 1) * bytes) == 0;
    bool same = true;
    for (size_t at = 0, part; at < count && same; at += part) {
        part = count - at < reference->copies ? count - at : reference->copies;
        same = memcmp(got + at * bytes, was, part * bytes) == 0;
    }
    return same;
}

/* One input's copies in both. */
static void compare_input(struct block *block, size_t input, int result,
                          const struct arrangement *arrangement, const struct outputs *outputs,
                          const struct arrangement *reference, bool with_first) {
    const struct binding_request *computed = &block->request->computed;
    const struct format *format = request_result_format(computed);
    size_t bytes = format_bytes(format), at = input * arrangement->copies;
    size_t reference_at = input * reference->copies;
    if (block->is_missing[input] || outputs->is_missing[input])
        return;
    block->is_compared[input] = 1;
    if (is_same(arrangement, outputs, reference, &block->reference, input, result, bytes,
                with_first))
        return;
    for (size_t copy = 0; copy < arrangement->copies; copy++) {
        size_t first = with_first ? 0 : copy % reference->copies;
        if (is_beside(arrangement, copy))
            continue;
        struct change change = {
            .index = block->first + input,
            .reference = code_load(block->reference.results[result], bytes, reference_at + first),
            .got = code_load(outputs->results[result], bytes, at + copy)};
        if (property_same(block->request, format, change.reference, change.got))
            continue;
        if (block->changed[result][input])
            return;
        block->changed[result][input] = 1;
        for (int i = 0; i < computed->operation->operands; i++)
            change.input[i] = code_load(block->inputs[i], format_bytes(computed->format), input);
        describe(arrangement, copy, first, reference, change.where);
        property_change(block->tally, result, &change);
        return;
    }
}

void block_compare(struct block *block, const struct arrangement *arrangement,
                   const struct outputs *outputs, const struct arrangement *reference,
                   bool with_first) {
    for (size_t i = 0; i < block->count; i++)
        for (int k = 0; k < block->request->computed.operation->results; k++)
            compare_input(block, i, k, arrangement, outputs, reference, with_first);
}

bool block_try(struct block *block, const struct arrangement *arrangement,
               const struct arrangement *reference, struct error *error) {
    if (!block_compute(block, arrangement, &block->outputs, error))
        return false;
    block_compare(block, arrangement, &block->outputs, reference, false);
    return true;
}

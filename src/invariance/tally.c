/* What a property comes to: changes and events, counted and merged. */
#include "invariance/property.h"

#include "op/calls.h"

#include <stdio.h>
#include <string.h>

size_t mark_never_called(const struct binding_request *computed, void *const *inputs, size_t count,
                         uint8_t *marks) {
    const size_t bytes = format_bytes(computed->format);
    struct integer_place place;
    uint64_t codes[MAX_OPERANDS];
    size_t never = 0;
    memset(marks, 0, count);
    for (size_t at = 0; operation_integer_place(computed->operation, &place) && at < count; at++) {
        for (int i = 0; i < computed->operation->operands; i++)
            codes[i] = code_load(inputs[i], bytes, at);
        if (operation_is_call_of(computed->operation, computed->format, codes))
            continue;
        marks[at] = NEVER_CALLED;
        never++;
    }
    return never;
}

void property_change(struct property_tally *tally, int result, const struct change *change) {
    uint64_t before = tally->results[result].changed++;
    if (!before || change->index < tally->results[result].first.index)
        tally->results[result].first = *change;
}

/* Each loss costs a new process, and several while it is looked for. What the reference has lost is
 * not asked for again, so that it may lose more. */
enum { MOST_LOST_BY_REFERENCE = 64, MOST_LOST = 4 };

static size_t place_of(size_t condition) {
    return condition < TALLY_CONDITIONS ? condition : TALLY_CONDITIONS - 1;
}

size_t property_may_lose(const struct property_tally *tally, size_t condition) {
    const uint64_t most = condition ? MOST_LOST : MOST_LOST_BY_REFERENCE;
    const uint64_t lost = tally->lost[place_of(condition)];
    return lost < most ? (size_t)(most - lost) : 0;
}

void property_lost(struct property_tally *tally, enum event_kind kind, size_t condition) {
    tally->lost[place_of(condition)] +=
        kind == EVENT_CRASH || kind == EVENT_HANG || kind == EVENT_EXIT;
}

void property_event(struct property_tally *tally, const struct event_witness *event,
                    size_t condition, const char *where) {
    tally->events[event->kind]++;
    property_lost(tally, event->kind, condition);
    if (tally->event_count++ && event->index >= tally->first_event.index)
        return;
    tally->first_event = *event;
    snprintf(tally->first_event_where, sizeof tally->first_event_where, "%s", where);
}

void property_merge(struct property_tally *into, const struct property_tally *part) {
    into->inputs += part->inputs;
    into->unanswered += part->unanswered;
    into->not_called += part->not_called;
    into->unrepeatable += part->unrepeatable;
    for (int i = 0; i < MAX_RESULTS; i++) {
        if (!part->results[i].changed)
            continue;
        if (!into->results[i].changed ||
            part->results[i].first.index < into->results[i].first.index)
            into->results[i].first = part->results[i].first;
        into->results[i].changed += part->results[i].changed;
    }
    for (size_t v = 0; v < MOST_VARIANTS; v++)
        for (int i = 0; i < MAX_RESULTS; i++)
            into->by_variant[v][i] += part->by_variant[v][i];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        into->events[kind] += part->events[kind];
    if (part->event_count &&
        (!into->event_count || part->first_event.index < into->first_event.index)) {
        into->first_event = part->first_event;
        memcpy(into->first_event_where, part->first_event_where, sizeof into->first_event_where);
    }
    into->event_count += part->event_count;
    for (size_t i = 0; i < TALLY_CONDITIONS; i++)
        into->lost[i] += part->lost[i];
    into->left_out += part->left_out;
    into->at_once += part->at_once;
    into->first_at_once += part->first_at_once;
    if (part->batch_sizes.count)
        into->batch_sizes = part->batch_sizes;
    for (size_t i = 0; i < part->batch_sizes.count; i++)
        into->batch_calls[i] += part->batch_calls[i];
}

bool property_same(const struct invariance_request *request, const struct format *format,
                   uint64_t a, uint64_t b) {
    return a == b || (!request->strict_nan && format_is_nan(format, a) && format_is_nan(format, b));
}

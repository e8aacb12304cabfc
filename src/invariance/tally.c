/* What a property comes to: changes and events, counted and merged. */
#include "invariance/property.h"

void property_change(struct property_tally *tally, int result, const struct change *change) {
    uint64_t before = tally->results[result].changed++;
    if (!before || change->index < tally->results[result].first.index)
        tally->results[result].first = *change;
}

void property_event(struct property_tally *tally, const struct event_sighting *event) {
    tally->events[event->kind]++;
    if (!tally->event_count++ || event->index < tally->first_event.index)
        tally->first_event = *event;
}

void property_merge(struct property_tally *into, const struct property_tally *part) {
    into->inputs += part->inputs;
    into->unanswered += part->unanswered;
    for (int i = 0; i < MAX_RESULTS; i++) {
        if (!part->results[i].changed)
            continue;
        if (!into->results[i].changed ||
            part->results[i].first.index < into->results[i].first.index)
            into->results[i].first = part->results[i].first;
        into->results[i].changed += part->results[i].changed;
    }
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        into->events[kind] += part->events[kind];
    if (part->event_count &&
        (!into->event_count || part->first_event.index < into->first_event.index))
        into->first_event = part->first_event;
    into->event_count += part->event_count;
}

bool property_same(const struct invariance_request *request, const struct format *format,
                   uint64_t a, uint64_t b) {
    return a == b || (!request->strict_nan && format_is_nan(format, a) && format_is_nan(format, b));
}

/* What a side did besides answering: crashes, hangs and the like, counted. */
#ifndef DETCHECK_EXPLAIN_EVENTS_H
#define DETCHECK_EXPLAIN_EVENTS_H

#include "sweep/tally.h"

struct side_events {
    uint64_t counts[EVENT_KINDS]; /* by kind */
    uint64_t unanswered;          /* inputs without an answer, */
    uint64_t not_called;          /* and those that are passed over (explain/side.h) */
    bool any;
    struct event_witness first; /* in order of the domain */
};

static inline void side_events_add(struct side_events *events, const struct event_witness *event) {
    events->counts[event->kind]++;
    if (!events->any || event->index < events->first.index)
        events->first = *event;
    events->any = true;
}

static inline void side_events_merge(struct side_events *whole, const struct side_events *part) {
    whole->unanswered += part->unanswered;
    whole->not_called += part->not_called;
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        whole->counts[kind] += part->counts[kind];
    if (part->any && (!whole->any || part->first.index < whole->first.index))
        whole->first = part->first;
    whole->any = whole->any || part->any;
}

#endif

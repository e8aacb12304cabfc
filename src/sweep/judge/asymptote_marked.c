/* Many outputs of an ASYMPTOTE block, most of them far off. */
#include "sweep/judge/asymptote.h"
#include "sweep/judge/far.h"

bool asymptote_judge_marked(struct marked_outputs *marked, struct error *error) {
    const struct span *span = marked->span;
    struct strip *strip = &marked->strip;
    struct bulk_outputs bulk = {0};
    uint16_t singly[DECISION_STRIP]; /* offsets in the span */
    size_t count = 0;
    struct far_outputs far;
    double most = strip_count_far(span, strip, &far, &bulk, singly, &count);
    uint64_t index = span->index + strip->offset;
    if (most >= 0 && tally_could_change(span->tally, most, index, span->exponent, true) &&
        !strip_offer_far(span, strip, &far, error))
        return false;
    if (bulk.count)
        tally_add_bulk(span->tally, &bulk, span->exponent, span->code);
    for (size_t i = 0; i < count; i++)
        if (!asymptote_judge_singly(span, singly[i], error))
            return false;
    return true;
}

bool asymptote_mark(struct marked_outputs *marked, size_t offset, bool is_marked,
                    struct error *error) {
    struct strip *strip = &marked->strip;
    if (strip->count == DECISION_STRIP) {
        if (!asymptote_judge_marked(marked, error))
            return false;
        strip->count = strip->sums.sure = 0;
    }
    if (!strip->count)
        strip->offset = offset;
    strip->errors[strip->count++] = is_marked ? DECISION_UNSURE : 0;
    strip->sums.sure += !is_marked;
    return true;
}

bool asymptote_judge_each(const struct span *span, size_t from, size_t to, struct error *error) {
    struct marked_outputs marked = {.span = span};
    for (size_t i = from; i < to; i++)
        if (!asymptote_mark(&marked, i, true, error))
            return false;
    return asymptote_judge_marked(&marked, error);
}

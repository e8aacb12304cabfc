/* Calls one by one. */
#include "sweep/judge/judged.h"

#include "base/vector.h"
#include "platform/exception_flags.h"

void reported_flags_ask(const struct reported_flags *reported, const struct binding *binding,
                        const struct flag_rules *rules, struct slice *slice) {
    bool any = binding->tells_flags || binding->tells_errno;
    slice->raised = any ? reported->raised : NULL;
    slice->cleared = binding->tells_flags && !rules->may_clear ? reported->cleared : NULL;
    slice->errnos = binding->tells_errno ? reported->errnos : NULL;
}

struct effect_rule judged_rule(const struct judged *judged, size_t at) {
    struct effect_rule rule = judged->worker->flags->rules[at];
    if (judged->no_promise)
        rule = (struct effect_rule){0, ALL_FLAGS};
    rule.required &= judged->mask;
    return rule;
}

uint8_t judged_seen(const struct judged *judged, const struct reported_flags *reported, size_t at) {
    return effects_of(reported->raised[at], reported->errnos[at]) & judged->mask;
}

static uint64_t output_at(const struct judged *judged, int result, size_t at) {
    return code_load(judged->outputs[judged->implementation * MAX_RESULTS + (size_t)result],
                     format_bytes(judged->worker->judge.format), at);
}

void judged_count(const struct judged *judged, size_t at, uint8_t seen, uint8_t cleared,
                  size_t count) {
    struct worker *worker = judged->worker;
    int results = worker->request->computed.operation->results;
    struct effect_witness witness = {
        .index = judged->first + at, .rule = judged_rule(judged, at), .seen = seen};
    worker_load_inputs(worker, at, witness.input);
    for (int i = 0; i < results; i++)
        witness.got[i] = output_at(judged, i, at);
    effect_tally_add(&worker->flags->tallies[judged->implementation], worker->judge.format, results,
                     &witness, cleared, count);
}

/* Whether the outputs of two calls lie in the same binade, for certain. */
static bool lie_together(const struct judged *judged, size_t a, size_t b) {
    const struct format *format = judged->worker->judge.format;
    for (int i = 0; i < judged->worker->request->computed.operation->results; i++) {
        uint64_t one = output_at(judged, i, a), other = output_at(judged, i, b);
        int fraction = format->precision - 1;
        bool normal = format_magnitude(format, one) >> fraction != 0;
        if (one != other && (!normal || (one ^ other) >> fraction != 0))
            return false;
    }
    return true;
}

/* Whether any of the calls is at fault, or has to be asked about the flags that were left open:
 * nearly always none is. `rules` are pairs of bytes. */
FOR_EACH_CPU static bool any_fault(const struct effect_rule *rules, const uint8_t *raised,
                                   const uint8_t *cleared, const uint8_t *errnos, size_t count,
                                   uint8_t mask, uint8_t open) {
    uint8_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t number = (uint8_t)((16u << errnos[i]) & 0xe0u);
        uint8_t seen = (uint8_t)((raised[i] | number) & mask);
        found |= (uint8_t)((rules[i].required & mask & ~seen) | (seen & ~rules[i].permitted) |
                           cleared[i] | (open & ~(rules[i].permitted & ~rules[i].required)));
    }
    return found;
}

/* What else happens in calls that are made for their flags alone: it was counted in those that were
 * made for outputs. */
static void ignore_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

bool judged_ask_again(const struct judged *judged, size_t from, size_t count, enum again again,
                      struct error *error) {
    struct worker *worker = judged->worker;
    struct flag_room *room = worker->flags;
    const struct binding_request *computed = &worker->request->computed;
    const struct reported_flags reported = {.raised = room->each.raised + from,
                                            .cleared = room->each.cleared + from,
                                            .errnos = room->each.errnos + from};
    struct slice slice = {.count = count, .flags_of_each = again == AGAIN_EACH};
    for (int i = 0; i < computed->operation->operands; i++)
        slice.operands[i] = (const char *)worker->inputs[i] + from * format_bytes(computed->format);
    for (int i = 0; i < computed->operation->results; i++)
        slice.results[i] = room->unused_results[i];
    reported_flags_ask(&reported, judged->binding, &room->setting.rules, &slice);
    if (again == AGAIN_INEXACT) /* what is cleared is known */
        slice.cleared = NULL;
    return binding_fill(&worker->bindings[judged->implementation], &slice, ignore_event, NULL,
                        error);
}

/* What a call was seen to do; of the flags in `open`, what it did when it was asked again. */
static uint8_t seen_at(const struct judged *judged, const struct reported_flags *reported,
                       size_t at, uint8_t open) {
    uint8_t seen = judged_seen(judged, reported, at);
    return open ? (uint8_t)((seen & ~open) |
                            (judged_seen(judged, &judged->worker->flags->each, at) & open))
                : seen;
}

/* How many calls from `at` to `to`-1 did as the first of them did, and had to do the same. */
static size_t count_alike(const struct judged *judged, const struct reported_flags *reported,
                          size_t at, size_t to, uint8_t open) {
    const struct effect_rule rule = judged_rule(judged, at);
    const uint8_t seen = seen_at(judged, reported, at, open);
    size_t next = at + 1;
    for (; next < to; next++) {
        struct effect_rule other = judged_rule(judged, next);
        if (other.required != rule.required || other.permitted != rule.permitted ||
            reported->cleared[next] != reported->cleared[at] ||
            seen_at(judged, reported, next, open) != seen || !lie_together(judged, at, next) ||
            worker_is_unanswered(judged->worker, judged->implementation, next))
            break;
    }
    return next - at;
}

/* Counts the faults among inputs from..to-1. */
static bool count_faults(const struct judged *judged, const struct reported_flags *reported,
                         size_t from, size_t to, uint8_t open, struct error *error) {
    if (open && !judged_ask_again(judged, from, to - from, AGAIN_INEXACT, error))
        return false;
    for (size_t at = from, count; at < to; at += count) {
        uint8_t seen = seen_at(judged, reported, at, open), cleared = reported->cleared[at];
        count = 1;
        if (!judged_fault(judged_rule(judged, at), seen, cleared) ||
            worker_is_unanswered(judged->worker, judged->implementation, at))
            continue;
        count = count_alike(judged, reported, at, to, open);
        judged_count(judged, at, seen, cleared, count);
    }
    return true;
}

bool judged_judge_each(const struct judged *judged, const struct reported_flags *reported,
                       size_t from, size_t to, uint8_t open, struct error *error) {
    enum { BLOCK = 4096 };
    const struct effect_rule *rules = judged->worker->flags->rules;
    size_t doubtful = from, many = 0; /* first of the blocks with faults that end here; in all */
    for (size_t at = from, count; at < to; at += count) {
        count = to - at < BLOCK ? to - at : BLOCK;
        if (judged->no_promise ||
            any_fault(rules + at, reported->raised + at, reported->cleared + at,
                      reported->errnos + at, count, judged->mask, open)) {
            many += count;
            continue;
        }
        if (at > doubtful && !count_faults(judged, reported, doubtful, at, open, error))
            return false;
        doubtful = at + count;
    }
    judged->worker->flags->reported[judged->implementation].often_at_fault = many > (to - from) / 4;
    return to == doubtful || count_faults(judged, reported, doubtful, to, open, error);
}

/* What was told against what is right. */
#include "sweep/judge/flags.h"

#include "base/vector.h"
#include "impl/call_window.h"

#include <stdlib.h>
#include <string.h>

static bool make_told(struct told_flags *told, size_t slice) {
    told->raised = calloc(slice, 1);
    told->cleared = calloc(slice, 1);
    told->errnos = calloc(slice, 1);
    return told->raised && told->cleared && told->errnos;
}

static void free_told(struct told_flags *told) {
    free(told->raised);
    free(told->cleared);
    free(told->errnos);
}

bool worker_open_flags(struct worker *worker) {
    const struct sweep_request *request = worker->request;
    const struct binding_request *computed = &request->computed;
    size_t count = request->implementation_count;
    if (!computed->flags && !computed->errnos)
        return true;
    struct flag_room *room = calloc(1, sizeof *room);
    worker->flags = room;
    if (!room)
        return false;
    room->setting =
        (struct flag_setting){.operation = computed->operation,
                              .format = computed->format,
                              .results = worker->judge.format,
                              .rounding = computed->rounding,
                              .rules = {.tiny_after_rounding = computed->tiny_after_rounding,
                                        .inexact = request->inexact}};
    room->rules = calloc(worker->slice, sizeof *room->rules);
    room->told = calloc(count, sizeof *room->told);
    room->tallies = calloc(count, sizeof *room->tallies);
    bool good = room->rules && room->told && room->tallies && make_told(&room->each, worker->slice);
    for (size_t i = 0; good && i < count; i++)
        good = make_told(&room->told[i], worker->slice);
    for (int i = 0; good && i < computed->operation->results; i++) {
        room->exact[i] = calloc(worker->slice, sizeof *room->exact[i]);
        room->unused_results[i] = calloc(worker->slice, sizeof(uint64_t));
        good = room->exact[i] && room->unused_results[i];
    }
    return good;
}

void worker_close_flags(struct worker *worker) {
    struct flag_room *room = worker->flags;
    if (!room)
        return;
    for (size_t i = 0; room->told && i < worker->request->implementation_count; i++)
        free_told(&room->told[i]);
    for (int i = 0; i < MAX_RESULTS; i++) {
        free(room->exact[i]);
        free(room->unused_results[i]);
    }
    free_told(&room->each);
    free(room->told);
    free(room->rules);
    free(room->tallies);
    free(room);
    worker->flags = NULL;
}

static void ask(const struct binding *binding, const struct told_flags *told, struct slice *slice) {
    bool any = binding->tells_flags || binding->tells_errno;
    slice->raised = any ? told->raised : NULL;
    slice->cleared = binding->tells_flags ? told->cleared : NULL;
    slice->errnos = binding->tells_errno ? told->errnos : NULL;
}

/* Arrays are asked for what each of their calls does anyway. */
static bool is_inexact_open(const struct worker *worker, size_t implementation) {
    const struct binding *binding = &worker->bindings[implementation];
    return binding->tells_flags && !binding->flags_of_arrays &&
           oracle_leaves_inexact_open(&worker->flags->setting);
}

void worker_ask_for_flags(const struct worker *worker, size_t implementation, struct slice *slice) {
    if (!worker->flags)
        return;
    ask(&worker->bindings[implementation], &worker->flags->told[implementation], slice);
    slice->inexact_is_open = is_inexact_open(worker, implementation);
}

/* The slice of one implementation, being judged. */
struct judged {
    struct worker *worker;
    size_t implementation;
    const struct binding *binding;
    uint64_t first; /* in the domain */
    size_t count;
    void *const *outputs;
    uint8_t mask; /* of effects that are told */
    bool no_promise;
    bool inexact_is_open; /* and was not asked for, the first time */
};

/* What the implementation may do: what the standards say, or its own promise to clear no flags and to
 * leave errno alone. */
static struct effect_rule rule_of(const struct judged *judged, size_t at) {
    struct effect_rule rule = judged->worker->flags->rules[at];
    if (judged->no_promise)
        rule = (struct effect_rule){0, ALL_FLAGS};
    rule.required &= judged->mask;
    return rule;
}

static uint8_t seen_at(const struct judged *judged, const struct told_flags *told, size_t at) {
    return effects_of(told->raised[at], told->errnos[at]) & judged->mask;
}

static uint8_t fault_of(struct effect_rule rule, uint8_t seen, uint8_t cleared) {
    return (uint8_t)((rule.required & ~seen) | (seen & ~rule.permitted) | cleared);
}

static uint64_t output_at(const struct judged *judged, int result, size_t at) {
    return code_load(judged->outputs[judged->implementation * MAX_RESULTS + (size_t)result],
                     format_bytes(judged->worker->judge.format), at);
}

/* Counts a fault, and those of the `count` - 1 calls that follow. */
static void count_fault(const struct judged *judged, size_t at, uint8_t seen, uint8_t cleared,
                        size_t count) {
    struct worker *worker = judged->worker;
    int results = worker->request->computed.operation->results;
    struct effect_sighting sighting = {
        .index = judged->first + at, .rule = rule_of(judged, at), .seen = seen};
    worker_load_inputs(worker, at, sighting.input);
    for (int i = 0; i < results; i++)
        sighting.got[i] = output_at(judged, i, at);
    effect_tally_add(&worker->flags->tallies[judged->implementation], worker->judge.format, results,
                     &sighting, cleared, count);
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

/* Asks for the flags of part of the slice again, as arrays or input by input; what is told goes to
 * the room for each input, at the same place. */
static bool ask_again(const struct judged *judged, size_t from, size_t count, bool of_each,
                      struct error *error) {
    struct worker *worker = judged->worker;
    struct flag_room *room = worker->flags;
    const struct binding_request *computed = &worker->request->computed;
    const struct told_flags told = {room->each.raised + from, room->each.cleared + from,
                                    room->each.errnos + from};
    struct slice slice = {.count = count, .flags_of_each = of_each};
    for (int i = 0; i < computed->operation->operands; i++)
        slice.operands[i] = (const char *)worker->inputs[i] + from * format_bytes(computed->format);
    for (int i = 0; i < computed->operation->results; i++)
        slice.results[i] = room->unused_results[i];
    ask(judged->binding, &told, &slice);
    return binding_fill(&worker->bindings[judged->implementation], &slice, ignore_event, NULL,
                        error);
}

/* What is wrong with a call, if anything. */
struct fault {
    bool is;
    struct effect_rule rule;
    uint8_t seen, cleared;
};

static struct fault find_fault(const struct judged *judged, const struct told_flags *told,
                               size_t at, uint8_t open) {
    struct fault fault = {.rule = rule_of(judged, at),
                          .seen = seen_at(judged, told, at),
                          .cleared = told->cleared[at]};
    if (open) {
        uint8_t again = seen_at(judged, &judged->worker->flags->each, at);
        fault.seen = (uint8_t)((fault.seen & ~open) | (again & open));
    }
    fault.is = fault_of(fault.rule, fault.seen, fault.cleared) &&
               !worker_is_unanswered(judged->worker, judged->implementation, at);
    return fault;
}

static bool is_same_fault(const struct fault *a, const struct fault *b) {
    return b->is && a->seen == b->seen && a->cleared == b->cleared &&
           a->rule.required == b->rule.required && a->rule.permitted == b->rule.permitted;
}

static bool judge_each(const struct judged *judged, const struct told_flags *told, size_t from,
                       size_t to, struct error *error) {
    const struct worker *worker = judged->worker;
    const uint8_t open = judged->inexact_is_open ? flag_bit(FLAG_INEXACT) : 0;
    if (!judged->no_promise &&
        !any_fault(worker->flags->rules + from, told->raised + from, told->cleared + from,
                   told->errnos + from, to - from, judged->mask, open))
        return true;
    if (open && !ask_again(judged, from, to - from, false, error))
        return false;
    for (size_t at = from, count; at < to; at += count) {
        struct fault fault = find_fault(judged, told, at, open);
        for (count = 1; fault.is && at + count < to; count++) {
            struct fault next = find_fault(judged, told, at + count, open);
            if (!is_same_fault(&fault, &next) || !lie_together(judged, at, at + count))
                break;
        }
        if (fault.is)
            count_fault(judged, at, fault.seen, fault.cleared, count);
    }
    return true;
}

/* What was told of an array: of parts of it, where a process was lost meanwhile. */
static uint8_t seen_of_array(const struct judged *judged, const struct told_flags *told,
                             size_t from, size_t count, uint8_t *cleared) {
    uint8_t seen = 0;
    *cleared = 0;
    for (size_t at = from; at < from + count; at++) {
        seen |= seen_at(judged, told, at);
        *cleared |= told->cleared[at];
    }
    return seen;
}

/* Whether an array is at fault as a whole: what is required of one of its inputs is not raised, what
 * is permitted to none is, a flag is cleared. */
static bool is_at_fault(const struct judged *judged, const struct told_flags *told, size_t from,
                        size_t count) {
    struct effect_rule all = {0, 0};
    uint8_t cleared, seen = seen_of_array(judged, told, from, count, &cleared);
    for (size_t at = from; at < from + count; at++) {
        struct effect_rule one = rule_of(judged, at);
        all.required |= one.required;
        all.permitted |= one.permitted;
    }
    return fault_of(all, seen, cleared);
}

/* Calls an array of the slice again. */
static bool is_still_at_fault(const struct judged *judged, size_t from, size_t count, bool *fault,
                              uint8_t *seen, uint8_t *cleared, struct error *error) {
    const struct told_flags *told = &judged->worker->flags->each;
    if (!ask_again(judged, from, count, false, error))
        return false;
    *fault = is_at_fault(judged, told, from, count);
    if (*fault)
        *seen = seen_of_array(judged, told, from, count, cleared);
    return true;
}

/* Of an array none of whose inputs is at fault by itself: where it is as a whole, halves it while a
 * half still is, and counts the first input of what is left. */
static bool bisect(const struct judged *judged, size_t from, size_t count, struct error *error) {
    uint8_t seen, cleared;
    bool fault;
    if (!is_still_at_fault(judged, from, count, &fault, &seen, &cleared, error))
        return false;
    if (!fault)
        return true;
    while (fault && count > 1) {
        size_t half = count / 2;
        if (!is_still_at_fault(judged, from, half, &fault, &seen, &cleared, error))
            return false;
        if (fault) {
            count = half;
            continue;
        }
        if (!is_still_at_fault(judged, from + half, count - half, &fault, &seen, &cleared, error))
            return false;
        if (fault) {
            from += half;
            count -= half;
        }
    }
    count_fault(judged, from, seen, cleared, 1);
    return true;
}

/* Whether an array may hide a call that is at fault: something is required of a call, which another
 * may have raised, or not all that was raised is permitted to each. */
static bool is_doubtful(const struct judged *judged, const struct told_flags *told, size_t from,
                        size_t count) {
    uint8_t required = 0, permitted = 0xff;
    for (size_t at = from; at < from + count; at++) {
        struct effect_rule one = rule_of(judged, at);
        required |= one.required;
        permitted &= one.permitted;
    }
    uint8_t cleared, seen = seen_of_array(judged, told, from, count, &cleared);
    return required || fault_of((struct effect_rule){0, permitted}, seen, cleared);
}

/* Inputs from..to-1, whole arrays all of which are doubtful. */
static bool look_into(const struct judged *judged, size_t from, size_t to, struct error *error) {
    struct flag_room *room = judged->worker->flags;
    if (from == to)
        return true;
    if (!ask_again(judged, from, to - from, true, error))
        return false;
    if (!judge_each(judged, &room->each, from, to, error))
        return false;
    for (size_t at = from, count; at < to; at += count) {
        bool settled = false;
        count = to - at < FLAG_ARRAY ? to - at : FLAG_ARRAY;
        for (size_t i = at; i < at + count && !settled; i++)
            settled = worker_is_unanswered(judged->worker, judged->implementation, i) ||
                      fault_of(rule_of(judged, i), seen_at(judged, &room->each, i),
                               room->each.cleared[i]);
        if (!settled && is_at_fault(judged, &room->told[judged->implementation], at, count) &&
            !bisect(judged, at, count, error))
            return false;
    }
    return true;
}

static bool judge_arrays(const struct judged *judged, struct error *error) {
    const struct told_flags *told = &judged->worker->flags->told[judged->implementation];
    size_t from = 0; /* of the doubtful arrays that end here */
    for (size_t at = 0; at < judged->count; at += FLAG_ARRAY) {
        size_t left = judged->count - at, count = left < FLAG_ARRAY ? left : FLAG_ARRAY;
        if (is_doubtful(judged, told, at, count))
            continue;
        if (!look_into(judged, from, at, error))
            return false;
        from = at + count;
    }
    return look_into(judged, from, judged->count, error);
}

bool worker_judge_flags(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                        struct error *error) {
    struct flag_room *room = worker->flags;
    if (!room)
        return true;
    if (!worker_expect_flags(worker, first, count, error))
        return false;
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        const struct binding *binding = &worker->bindings[i];
        if (!worker->provided[i] || (!binding->tells_flags && !binding->tells_errno))
            continue;
        struct judged judged = {.worker = worker,
                                .implementation = i,
                                .binding = binding,
                                .first = first,
                                .count = count,
                                .outputs = outputs,
                                .mask = (uint8_t)((binding->tells_flags ? ALL_FLAGS : 0) |
                                                  (binding->tells_errno ? 0xff & ~ALL_FLAGS : 0)),
                                .no_promise = binding->promises_no_flags,
                                .inexact_is_open = is_inexact_open(worker, i)};
        room->tallies[i].calls += count;
        for (size_t at = 0; worker->unanswered_count[i] && at < count; at++)
            room->tallies[i].calls -= worker->unanswered[i][at];
        if (!(binding->flags_of_arrays ? judge_arrays(&judged, error)
                                       : judge_each(&judged, &room->told[i], 0, count, error)))
            return false;
    }
    return true;
}

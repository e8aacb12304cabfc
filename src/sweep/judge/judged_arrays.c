/* Arrays: those that are doubtful are asked about input by input, and halved where only the array as a
 * whole is at fault. */
#include "sweep/judge/judged.h"

#include "impl/call_window.h"

/* What was told of an array: of parts of it, where a process was lost meanwhile. */
static uint8_t seen_of_array(const struct judged *judged, const struct reported_flags *reported,
                             size_t from, size_t count, uint8_t *cleared) {
    uint8_t seen = 0;
    *cleared = 0;
    for (size_t at = from; at < from + count; at++) {
        seen |= judged_seen(judged, reported, at);
        *cleared |= reported->cleared[at];
    }
    return seen;
}

/* Whether an array is at fault as a whole: what is required of one of its inputs is not raised, what
 * is permitted to none is, a flag is cleared. Of flags that are left open the worst is assumed. */
static bool is_at_fault(const struct judged *judged, const struct reported_flags *reported,
                        size_t from, size_t count, uint8_t open) {
    struct effect_rule all = {0, 0};
    uint8_t cleared, seen = seen_of_array(judged, reported, from, count, &cleared);
    for (size_t at = from; at < from + count; at++) {
        struct effect_rule one = judged_rule(judged, at);
        all.required |= one.required;
        all.permitted |= one.permitted;
    }
    return judged_fault(all, seen | open, cleared);
}

/* Calls an array of the slice again. */
static bool is_still_at_fault(const struct judged *judged, size_t from, size_t count, bool *fault,
                              uint8_t *seen, uint8_t *cleared, struct error *error) {
    const struct reported_flags *reported = &judged->worker->flags->each;
    if (!judged_ask_again(judged, from, count, AGAIN_ARRAY, error))
        return false;
    *fault = is_at_fault(judged, reported, from, count, 0);
    if (*fault)
        *seen = seen_of_array(judged, reported, from, count, cleared);
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
    judged_count(judged, from, seen, cleared, 1);
    return true;
}

/* Whether an array may hide a call that is at fault: something is required of a call, which another
 * may have raised, or not all that was raised is permitted to each. */
static bool is_doubtful(const struct judged *judged, const struct reported_flags *reported,
                        size_t from, size_t count) {
    uint8_t required = 0, permitted = 0xff;
    for (size_t at = from; at < from + count; at++) {
        struct effect_rule one = judged_rule(judged, at);
        required |= one.required;
        permitted &= one.permitted;
    }
    uint8_t cleared, seen = seen_of_array(judged, reported, from, count, &cleared);
    return required ||
           judged_fault((struct effect_rule){0, permitted}, seen | judged->open, cleared);
}

/* Inputs from..to-1, whole arrays all of which are doubtful. */
static bool look_into(const struct judged *judged, size_t from, size_t to, struct error *error) {
    struct flag_room *room = judged->worker->flags;
    if (from == to)
        return true;
    if (!judged_ask_again(judged, from, to - from, AGAIN_EACH, error))
        return false;
    if (!judged_judge_each(judged, &room->each, from, to, 0, error))
        return false;
    for (size_t at = from, count; at < to; at += count) {
        bool settled = false;
        count = to - at < FLAG_ARRAY ? to - at : FLAG_ARRAY;
        for (size_t i = at; i < at + count && !settled; i++)
            settled = worker_is_unanswered(judged->worker, judged->implementation, i) ||
                      judged_fault(judged_rule(judged, i), judged_seen(judged, &room->each, i),
                                   room->each.cleared[i]);
        if (!settled &&
            is_at_fault(judged, &room->reported[judged->implementation], at, count, judged->open) &&
            !bisect(judged, at, count, error))
            return false;
    }
    return true;
}

bool judged_judge_arrays(const struct judged *judged, struct error *error) {
    const struct reported_flags *reported =
        &judged->worker->flags->reported[judged->implementation];
    size_t from = 0; /* of the doubtful arrays that end here */
    for (size_t at = 0; at < judged->count; at += FLAG_ARRAY) {
        size_t left = judged->count - at, count = left < FLAG_ARRAY ? left : FLAG_ARRAY;
        if (is_doubtful(judged, reported, at, count))
            continue;
        if (!look_into(judged, from, at, error))
            return false;
        from = at + count;
    }
    return look_into(judged, from, judged->count, error);
}

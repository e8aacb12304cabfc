/* Causes that what was recorded shows by itself. */
#include "trace/causes.h"

#include "explain/hypothesis.h"
#include "report/text.h"
#include "trace/evidence.h"
#include "trace/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Attributes ---- */

static void value_text(const cJSON *value, char *text, size_t room) {
    char *printed = value ? cJSON_PrintUnformatted(value) : NULL;
    snprintf(text, room, "%.60s", printed ? printed : "absent");
    cJSON_free(printed);
}

/* None is as good as an empty object. */
bool trace_same_attributes(const struct trace_operation *a, const struct trace_operation *b) {
    const bool has_a = a->attributes && a->attributes->child,
               has_b = b->attributes && b->attributes->child;
    return has_a == has_b && (!has_a || cJSON_Compare(a->attributes, b->attributes, true));
}

static bool is_among(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

bool trace_find_swapped(const struct trace_question *request, const struct trace_call *calls,
                        char *says, size_t room) {
    /* Whose result does not depend on which operand is the first. */
    static const char *const symmetric[] = {"add",      "mul",  "hypot", "logaddexp",
                                            "fmin",     "fmax", "sum",   "fminimum",
                                            "fmaximum", "dot",  NULL};
    if (!*request->swapped || is_among(symmetric, calls[0].operation->name))
        return false;
    snprintf(says, room, "the operands are in other places: %s", request->swapped);
    return true;
}

bool trace_find_operations(const struct trace_question *request, const struct trace_call *calls,
                           char *says, size_t room) {
    if (request->groups[0].count) {
        snprintf(says, room, "the two sides add other operands, or the same ones more often");
        return true;
    }
    if (calls[0].operation == calls[1].operation)
        return false;
    snprintf(says, room, "the operations differ: %s here and %s there", calls[0].operation->name,
             calls[1].operation->name);
    return true;
}

/* Whether an attribute may change numbers: not where it says how results lie in memory, and where both sides ask for the same,
 * only if it says how that is computed. */
static bool may_change_numbers(const char *name, bool alike) {
    static const char *const of_memory[] = {"memory_format", "layout", "device",
                                            "pin_memory",    "copy",   "non_blocking",
                                            "requires_grad", "order",  NULL},
                             *const of_computing[] = {"precision", "algorithm", "allow_tf32",
                                                      "preferred_element_type", NULL};
    return alike ? is_among(of_computing, name) : !is_among(of_memory, name);
}

bool trace_find_attributes(const struct trace_question *request, bool alike, char *says,
                           size_t room) {
    size_t found = 0;
    for (int side = 0; side < 2; side++) {
        const cJSON *own = request->operations[side]->attributes,
                    *others = request->operations[1 - side]->attributes, *item;
        cJSON_ArrayForEach(item, own) {
            const cJSON *other =
                others ? cJSON_GetObjectItemCaseSensitive(others, item->string) : NULL;
            char here[64], there[64];
            if (cJSON_Compare(item, other, true) || (side && other) ||
                !may_change_numbers(item->string, alike))
                continue;
            value_text(side ? other : item, here, sizeof here);
            value_text(side ? item : other, there, sizeof there);
            const size_t length = strlen(says);
            snprintf(says + length, room - length, "%s%.60s is %s here and %s there",
                     found++ ? "; " : "the attributes differ: ", item->string, here, there);
        }
    }
    return found;
}

/* ---- Repetitions ---- */

static bool same_inputs(const struct trace_operation *a, const struct trace_operation *b) {
    bool same = a->input_count == b->input_count && strcmp(a->name, b->name) == 0 &&
                trace_same_attributes(a, b);
    for (size_t i = 0; same && i < a->input_count; i++)
        same = a->inputs[i].has_digest && b->inputs[i].has_digest &&
               trace_same_digest(&a->inputs[i].digest, &b->inputs[i].digest) &&
               trace_same_shape(&a->inputs[i], &b->inputs[i]);
    return same;
}

static bool same_outputs(const struct trace_operation *a, const struct trace_operation *b) {
    bool same = a->output_count == b->output_count;
    for (size_t i = 0; same && i < a->output_count; i++)
        same = !a->outputs[i].has_digest || !b->outputs[i].has_digest ||
               trace_same_digest(&a->outputs[i].canonical, &b->outputs[i].canonical);
    return same;
}

/* The same for equal inputs. */
static struct trace_digest inputs_key(const struct trace_operation *operation) {
    XXH128_hash_t key = XXH3_128bits(operation->name, strlen(operation->name));
    for (size_t i = 0; i < operation->input_count; i++) {
        const struct trace_digest own[] = {
            operation->inputs[i].digest, {key.high64, key.low64}, {operation->input_count, i}};
        key = XXH3_128bits(own, sizeof own);
    }
    return (struct trace_digest){key.high64, key.low64};
}

bool trace_repeats_open(struct trace_repeats *repeats, const struct trace *trace) {
    bool good = (repeats->next = malloc((trace->count + 1) * sizeof *repeats->next)) != NULL;
    repeats->trace = trace;
    for (size_t i = trace->count; good && i-- > 0;) { /* the lowest of them stays in the map */
        const struct trace_digest key = inputs_key(&trace->operations[i]);
        repeats->next[i] = digest_map_first(&repeats->first, &key);
        good = digest_map_add(&repeats->first, &key, i);
    }
    return good;
}

void trace_repeats_close(struct trace_repeats *repeats) {
    digest_map_free(&repeats->first);
    free(repeats->next);
    *repeats = (struct trace_repeats){.trace = NULL};
}

/* How many calls of a run had these inputs, and how many of those gave what is most usual. */
static void count_repeats(const struct trace_repeats *repeats, size_t number, size_t *calls,
                          size_t *like, size_t *other) {
    const struct trace_operation *operation = &repeats->trace->operations[number];
    const struct trace_digest key = inputs_key(operation);
    *calls = *like = *other = 0;
    for (size_t i = digest_map_first(&repeats->first, &key); i != SIZE_MAX; i = repeats->next[i]) {
        const struct trace_operation *one = &repeats->trace->operations[i];
        if (!same_inputs(one, operation) || !trace_same_settings(repeats->trace, i, number))
            continue;
        *calls += 1;
        if (same_outputs(one, operation))
            *like += 1;
        else if (!*other)
            *other = i + 1;
    }
}

bool trace_find_repeats(const struct trace_question *request, char *says, size_t room) {
    static const char *const names[] = {"here", "there"};
    bool found = false;
    for (int side = 0; side < 2; side++) {
        const struct trace_operation *operation = request->operations[side];
        size_t calls, like, other;
        if (trace_is_random(request->traces[side], operation) || request->givers[side] ||
            !request->repeats[side])
            continue;
        count_repeats(request->repeats[side], request->numbers[side], &calls, &like, &other);
        if (like == calls)
            continue;
        const size_t length = strlen(says);
        snprintf(says + length, room - length,
                 "%s%s it does not repeat itself: of %zu calls with these inputs %zu gave these "
                 "outputs, and operation %zu gave others",
                 found ? "; " : "", names[side], calls, like, other - 1);
        found = true;
    }
    return found;
}

/* ---- Relations ---- */

/* Whether each output of a side is the other's, changed. */
static bool is_changed(const struct trace_outputs *outputs, int side,
                       const struct hypothesis *row) {
    bool same = true;
    for (uint64_t i = 0; same && i < outputs->count; i++)
        same = trace_same_code(outputs->format, trace_output(outputs, side, i),
                               hypothesis_change(outputs->format, row->result, row->narrow,
                                                 trace_output(outputs, 1 - side, i)));
    return same;
}

/* A power of two, other than 1, by which each output of a side is the other's; 0: there is none. */
static double power_between(const struct trace_outputs *outputs) {
    double power = 0;
    for (uint64_t i = 0; i < outputs->count; i++) {
        const struct real here = format_decode(outputs->format, trace_output(outputs, 0, i)),
                          there = format_decode(outputs->format, trace_output(outputs, 1, i));
        if (here.kind != REAL_FINITE && !trace_outputs_differ(outputs, i))
            continue;
        if (here.kind != REAL_FINITE || there.kind != REAL_FINITE)
            return 0;
        int exponent;
        const double ratio = real_to_double(&there) / real_to_double(&here);
        if (!isfinite(ratio) || frexp(ratio, &exponent) != 0.5 || (power > 0 && ratio != power))
            return 0;
        power = ratio;
    }
    return power == 1 ? 0 : power;
}

/* How many outputs are -0 of a side where they are +0 of the other; 0, too, where others differ. */
static uint64_t count_zeros(const struct trace_outputs *outputs, uint64_t minus[2]) {
    minus[0] = minus[1] = 0;
    for (uint64_t i = 0; i < outputs->count; i++) {
        const uint64_t here = trace_output(outputs, 0, i), there = trace_output(outputs, 1, i);
        if (!trace_outputs_differ(outputs, i))
            continue;
        if (!format_is_zero(outputs->format, here) || !format_is_zero(outputs->format, there))
            return 0;
        minus[format_is_negative(outputs->format, there)]++;
    }
    return minus[0] + minus[1];
}

/* Same numbers: what is said of other relations would hold, and say nothing. */
static bool find_zeros(const struct trace_outputs *outputs, char *says, size_t room) {
    static const char *const names[] = {"here", "there"};
    uint64_t minus[2];
    char one[32], other[32], all[32];
    if (!count_zeros(outputs, minus))
        return false;
    const int side = !minus[0];
    const size_t length = (size_t)snprintf(
        says, room, "%s %s of %s outputs %s -0 for +0", names[side], text_grouped(minus[side], one),
        text_grouped(outputs->count, all), minus[side] == 1 ? "is" : "are");
    if (minus[1 - side] && length < room)
        snprintf(says + length, room - length, ", and %s %s", names[1 - side],
                 text_grouped(minus[1 - side], other));
    const size_t used = strlen(says);
    snprintf(says + used, room - used, "; all others are the same");
    return true;
}

/* Adds one of several relations to what is said. */
static void add_relation(const char *relation, size_t *found, char *says, size_t room) {
    const size_t length = strlen(says);
    snprintf(says + length, room - length, "%s%s", *found ? ", or " : "", relation);
    *found += 1;
}

/* Only where two sides differ does a relation say anything. */
static bool tell_enough(const struct trace_outputs *outputs) {
    struct trace_evidence evidence = {.count = 0};
    for (uint64_t i = 0; i < outputs->count && !trace_is_enough(&evidence); i++)
        if (trace_outputs_differ(outputs, i))
            trace_evidence_add(&evidence, trace_evidence_mark(0, outputs, i));
    return trace_is_enough(&evidence);
}

bool trace_find_relation(const struct trace_outputs *outputs, bool *is_enough, char *says,
                         size_t room) {
    static const char *const names[] = {"here", "there"};
    char all[32], differ[32], relation[TRACE_SIDE];
    size_t found = 0;
    if (format_is_whole(outputs->format))
        return false;
    *is_enough = true;
    if (find_zeros(outputs, says, room)) /* which is no more than what is there */
        return true;
    *is_enough = tell_enough(outputs);
    for (size_t i = 0; i < hypothesis_count; i++)
        for (int side = 1; side >= 0; side--) {
            const struct hypothesis *row = &hypotheses[i];
            const bool narrows = row->result == CHANGE_TO_NARROW;
            if (row->source != FROM_RESULT ||
                (narrows && formats[row->narrow].precision >= outputs->format->precision) ||
                !is_changed(outputs, side, row))
                continue;
            snprintf(relation, sizeof relation,
                     "%s %s, which makes the other side's outputs its own", names[side], row->says);
            add_relation(relation, &found, says, room);
        }
    const double power = outputs->count > 1 ? power_between(outputs) : 0;
    if (power > 0) {
        snprintf(relation, sizeof relation, "there each output is %g times that of here", power);
        add_relation(relation, &found, says, room);
    }
    const size_t length = strlen(says);
    if (found)
        snprintf(says + length, room - length, " (all %s, of which %s differ%s)",
                 text_grouped(outputs->count, all), text_grouped(outputs->differ, differ),
                 outputs->differ == 1 ? "s" : "");
    return found;
}

/* Both sides' outputs beside the exact results, and then beside ways of computing. */
#include "trace/judge.h"

#include "base/clock.h"
#include "oracle/judge.h"
#include "trace/drawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_cause_names[TRACE_CAUSES] = {"none",     "attributes",     "repetition",
                                                     "relation", "both-sides",     "one-side",
                                                     "several",  "too-few-outputs"};

/* Terms that are judged at once, unless one unit has more, and results that a unit has at most. */
enum { TERMS_AT_ONCE = 1 << 18, MOST_UNITS = 4096, MOST_RESULTS = 1 << 22 };

/* Outputs of an operation that is none of ours: more of them are not read for what two sides have in common. */
enum { MOST_UNKNOWN = 1 << 22 };

struct judging {
    const struct trace_call *call;
    const struct trace_outputs *outputs;
    const struct trace_drawn *drawn;
    struct trace_finding *finding;
    int alone; /* the one side that is judged; -1: both */
};

/* One output of each side beside the exact value. */
static void judge_result(const struct judging *judging, const struct array_call *planned,
                         uint64_t element, const struct real *y, uint64_t result) {
    const struct format *format = judging->outputs->format;
    const struct judge judge = {format, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, false};
    struct trace_finding *finding = judging->finding;
    struct judgement sides[2];
    bool by_rule = false;
    const uint64_t want = planned ? array_want(planned, 0, element, y, &by_rule)
                                  : format_encode(format, y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    for (int side = 0; side < 2; side++) {
        if (side == 1 - judging->alone)
            continue;
        sides[side] =
            judge_by_rule(&judge, y, want, by_rule, trace_output(judging->outputs, side, result));
        finding->wrong[side] += sides[side].verdict != VERDICT_CORRECT;
        if (sides[side].in_ulps && sides[side].error > finding->largest[side])
            finding->largest[side] = sides[side].error;
    }
    finding->judged += judging->alone != 1;
    for (int side = 0; judging->alone < 0 && side < 2; side++)
        finding->nearer[side] += judgement_is_worse(&sides[1 - side], &sides[side]);
}

static bool is_wanted(const struct judging *judging, uint64_t result) {
    return trace_is_drawn(judging->drawn, judging->outputs, result);
}

/* Judges what is drawn of some units. */
static bool judge_units(const struct judging *judging, const uint64_t *units, size_t count,
                        struct error *why) {
    const size_t each = (size_t)trace_call_units(judging->call).results;
    struct trace_call part;
    struct array_call planned;
    bool good = trace_part_open(&part, judging->call, units, count, why);
    struct real *y = malloc(count * each * sizeof *y);
    bool *wanted = malloc(count * each * sizeof *wanted);
    for (size_t at = 0; wanted && at < count * each; at++)
        wanted[at] =
            is_wanted(judging, trace_unit_result(judging->call, units[at / each], at % each));
    good = good && ((y && wanted) || error_set(why, "out of memory")) &&
           trace_call_exact(&part, wanted, y, why);
    const bool of_array = part.operation->array != NULL;
    for (size_t at = 0; good && at < count * each; at++) {
        if (!wanted[at])
            continue;
        good = !of_array || trace_call_plan(&part, at / part.results, NULL, &planned, why);
        if (good)
            judge_result(judging, of_array ? &planned : NULL, at % part.results, &y[at],
                         trace_unit_result(judging->call, units[at / each], at % each));
    }
    free(wanted);
    free(y);
    trace_call_close(&part);
    return good;
}

static bool judge_drawn(const struct judging *judging, struct error *why) {
    const struct trace_units all = trace_call_units(judging->call);
    const uint64_t most = TERMS_AT_ONCE / (all.cost + all.results * all.result_cost + 1);
    uint64_t units[MOST_UNITS];
    size_t count = 0;
    bool good = all.results <= MOST_RESULTS ||
                error_set(why, "more than %d outputs depend on one another", MOST_RESULTS);
    for (uint64_t u = 0; good && u < all.count; u++) {
        bool any = false;
        for (uint64_t i = 0; i < all.results && !any; i++)
            any = is_wanted(judging, trace_unit_result(judging->call, u, i));
        if (any)
            units[count++] = u;
        if (!count || (count < MOST_UNITS && count < most && u + 1 < all.count))
            continue;
        good = judge_units(judging, units, count, why);
        count = 0;
    }
    return good;
}

/* ---- Outputs ---- */

static bool open_outputs(const struct trace_question *request, struct trace_outputs *outputs,
                         struct error *error) {
    for (int side = 0; side < 2; side++) {
        const struct trace_operation *operation = trace_giver(request, side);
        const struct trace *trace =
            request->giver_traces[side] ? request->giver_traces[side] : request->traces[side];
        struct trace_codes codes;
        if (!operation->output_count)
            return error_set(error, "it has no outputs");
        if (!trace_codes_load(&codes, trace, &operation->outputs[0], error))
            return false;
        outputs->codes[side] = codes.codes;
        if (side && (outputs->format != codes.format || outputs->count != codes.count))
            return error_set(error, "the two sides have outputs of other formats or shapes");
        outputs->format = codes.format;
        outputs->count = codes.count;
    }
    for (uint64_t i = 0; i < outputs->count; i++)
        outputs->differ += trace_outputs_differ(outputs, i);
    return true;
}

static bool is_large(const struct trace_question *request) {
    bool found = false;
    for (int side = 0; side < 2; side++)
        found = found || (trace_giver(request, side)->output_count &&
                          trace_giver(request, side)->outputs[0].count > MOST_UNKNOWN);
    return found;
}

/* Both by the one exact result; where they were asked for other things each by its own. */
static bool judge_sides(const struct trace_question *request, const struct trace_call calls[2],
                        const struct trace_outputs *outputs, struct trace_finding *finding,
                        struct error *why) {
    const bool alike = trace_same_question(&calls[0], &calls[1]);
    struct trace_drawn drawn;
    bool good =
        trace_draw(&calls[0], outputs, request->terms, &drawn) || error_set(why, "out of memory");
    finding->terms = drawn.terms;
    for (int side = 0; good && side < (alike ? 1 : 2); side++) {
        const struct judging judging = {&calls[side], outputs, &drawn, finding, alike ? -1 : side};
        good = judge_drawn(&judging, why);
    }
    free(drawn.wanted);
    finding->judged = good ? finding->judged : 0;
    finding->operation = good ? calls[0].operation->name : NULL;
    finding->operation_there = good && !alike ? calls[1].operation->name : NULL;
    return good;
}

static bool open_call(struct trace_call *call, const struct trace_question *request, int side,
                      struct error *why) {
    return request->groups[0].count
               ? trace_call_open_group(call, &request->groups[side], &request->groups[0], why)
               : trace_call_open(call, request->traces[side], request->operations[side], why);
}

bool trace_find(const struct trace_question *request, struct trace_finding *finding,
                struct error *error) {
    struct trace_outputs outputs = {0};
    struct trace_call calls[2];
    struct error why[2], *wrong = NULL;
    *finding = (struct trace_finding){0};
    for (int side = 0; side < 2; side++)
        if (!open_call(&calls[side], request, side, &why[side]) && !wrong)
            wrong = &why[side];
    const bool is_left = wrong && is_large(request),
               good = is_left || open_outputs(request, &outputs, error);
    finding->outputs = outputs.count;
    finding->differ = outputs.differ;
    if (good && !wrong && !judge_sides(request, calls, &outputs, finding, &why[0]))
        wrong = &why[0];
    if (wrong)
        snprintf(finding->why, sizeof finding->why, "%.*s", (int)sizeof finding->why - 1,
                 wrong->text);
    const double begin = clock_process_seconds();
    if (is_left || (good && outputs.differ))
        trace_find_causes(request, wrong ? NULL : calls, &outputs, begin + request->seconds,
                          finding);
    finding->seconds = clock_process_seconds() - begin;
    for (int side = 0; side < 2; side++) {
        trace_call_close(&calls[side]);
        free(outputs.codes[side]);
    }
    return good;
}

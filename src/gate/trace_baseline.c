/* Comparisons of traces beside one of before: kinds of operations that part more often, or farther, fail. */
#include "gate/trace.h"

#include "report/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct read_result *find_kind(const struct read_report *report, const char *name) {
    for (size_t i = 0; i < report->result_count; i++)
        if (strcmp(report->results[i].operation, name) == 0)
            return &report->results[i];
    return NULL;
}

/* A distance is known of all that parted, or of none; and it is one of something. */
static bool is_known(const cJSON *kind, int row) {
    return row != TRACE_LIMIT_LARGEST || json_number(kind, "unmeasured") == 0;
}

static bool add_check(struct judging *judging, size_t at, const struct read_report *baseline,
                      const cJSON *was, const cJSON *is, int row) {
    const double before = gate_trace_found(was, row), now = gate_trace_found(is, row);
    const bool is_lost = !is_known(is, row), worse = is_lost || now > before;
    char text[32];
    struct check *check =
        gate_add_check(judging->gate, at, trace_limits[row].name, trace_limits[row].what,
                       worse          ? CHECK_FAILED
                       : now < before ? CHECK_BETTER
                                      : CHECK_PASSED);
    if (!check)
        return judging_out_of_memory(judging);
    snprintf(check->allowed, FIGURE_TEXT, "%s", record_number_text(before, text));
    snprintf(check->found, FIGURE_TEXT, "%s",
             is_lost ? "not known, as tensors were not kept" : record_number_text(now, text));
    snprintf(check->source, sizeof check->source, "baseline %.200s", baseline->path);
    if (!worse)
        return true;
    struct gate_case *gate_case = &judging->gate->cases[at];
    gate_trace_name_source(gate_case, row);
    check->command = gate_trace_command(gate_case);
    return check->command || judging_out_of_memory(judging);
}

/* What the baseline does not know is held against nothing: said, and no failure. */
static bool note_unknown(struct judging *judging, const char *kind, int row) {
    return gate_add_notice(judging->gate,
                           "%.80s: not held against the baseline, which has no %s, as tensors were "
                           "not kept",
                           kind, trace_limits[row].what) ||
           judging_out_of_memory(judging);
}

static bool compare_case(struct judging *judging, size_t at, const struct read_report *baseline) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const char *kind = gate_case->result->operation;
    const struct read_result *before = find_kind(baseline, kind);
    const cJSON *was = before ? before->json : NULL, *is = gate_case->implementation->json;
    for (int row = 0; row < TRACE_LIMITS; row++) {
        if (!trace_limits[row].is_result)
            continue;
        if (!(is_known(was, row) ? add_check(judging, at, baseline, was, is, row)
                                 : note_unknown(judging, kind, row)))
            return false;
    }
    return true;
}

/* Kinds that are gone may have been renamed: said, and no failure, as those under another name are held against nothing. */
static bool note_gone(struct judging *judging, const struct read_report *baseline) {
    const struct gate *gate = judging->gate;
    bool good = true;
    for (size_t i = 0; good && i < baseline->result_count; i++) {
        const struct read_result *before = &baseline->results[i];
        bool found = false;
        for (size_t at = 0; at < gate->case_count && !found; at++)
            found = strcmp(gate->cases[at].result->operation, before->operation) == 0;
        good = found || gate_add_notice(judging->gate,
                                        "no operation is %.80s any more; the baseline has %.0f",
                                        before->operation, json_number(before->json, "calls"));
    }
    return good || judging_out_of_memory(judging);
}

bool gate_baseline_is_alike(const struct read_report *reports, size_t count,
                            const struct read_report *baseline, struct error *error) {
    bool alike = true;
    for (size_t i = 0; alike && i < count; i++)
        alike =
            gate_is_of_trace(reports[i].document) == gate_is_of_trace(baseline->document) ||
            error_set(error,
                      "%.200s beside %.200s: a comparison of traces needs another one as baseline",
                      reports[i].path, baseline->path);
    return alike;
}

bool judging_compare_traces(struct judging *judging, const struct read_report *baseline) {
    for (size_t at = 0; at < judging->gate->case_count; at++)
        if (!compare_case(judging, at, baseline))
            return false;
    return note_gone(judging, baseline);
}

/* Limits of what became of operations, by their name. */
#include "gate/trace.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "trace/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gate_is_of_trace(const cJSON *document) {
    return strcmp(json_text(document, "schema"), TRACE_COMPARISON_SCHEMA) == 0;
}

/* A kind of operations as the result of an operation. */
static bool read_kind(struct read_report *report, const cJSON *kind, struct error *error) {
    struct read_result *result = &report->results[report->result_count++];
    *result = (struct read_result){
        .json = kind,
        .operation = json_text(kind, "name"),
        .format = "",
        .rounding = "",
        .inputs = {.kind = "trace",
                   .description = json_text(json_get(report->document, "here"), "path"),
                   .identity = "",
                   .seed = "",
                   .count = (uint64_t)json_number(kind, "calls")},
        .parameters = strdup("{\"strict_nan\":false}"),
        .implementations = malloc(sizeof *result->implementations)};
    if (!result->parameters || !result->implementations)
        return error_set(error, "out of memory for %.200s", report->path);
    result->inputs.covered = result->inputs.count;
    result->implementations[result->implementation_count++] =
        (struct read_implementation){.json = kind,
                                     .name = json_text(json_get(report->document, "there"), "path"),
                                     .detail = "",
                                     .build = "",
                                     .provided = true,
                                     .reason = "",
                                     .tally.tested = result->inputs.count,
                                     .kind = READ_TRACE};
    report->tested += result->inputs.count;
    return true;
}

/* Of a run that died nobody knows what it would have done. */
static bool is_whole(const struct read_report *report, struct error *error) {
    static const char *const sides[] = {"here", "there"};
    bool whole = true;
    for (int i = 0; whole && i < 2; i++) {
        const cJSON *side = json_get(report->document, sides[i]);
        whole = cJSON_IsTrue(json_get(side, "complete")) ||
                error_set(error,
                          "%.200s: the run of %.200s, %s, ended early; its missing operations were "
                          "not compared",
                          report->path, json_text(side, "path"), sides[i]);
    }
    return whole;
}

/* Where nothing was compared no limit may pass. */
static bool is_compared(const struct read_report *report, struct error *error) {
    const double pairs = json_number(report->document, "pairs");
    return pairs > json_number(json_get(report->document, "verdicts"), "not compared") ||
           error_set(error, "%.200s compared nothing", report->path);
}

bool gate_read_trace(struct read_report *report, const char *path, cJSON *document,
                     struct error *error) {
    const cJSON *kind, *kinds = json_get(document, "kinds");
    *report = report_open(path, document);
    report->results = calloc((size_t)cJSON_GetArraySize(kinds) + 1, sizeof *report->results);
    bool good = trace_comparison_check(document, path, error) && is_whole(report, error) &&
                is_compared(report, error) &&
                (report->results || error_set(error, "out of memory for %.200s", path));
    cJSON_ArrayForEach(kind, kinds) good = good && read_kind(report, kind, error);
    if (good && !report->result_count)
        good = error_set(error, "%.200s has no operations", path);
    if (!good)
        report_read_free(report);
    return good;
}

/* The first operation of the kind with one of the verdicts; NULL. */
static const cJSON *find_operation(const struct gate_case *gate_case, int row) {
    const cJSON *operation, *operations = json_get(gate_case->report->document, "operations");
    cJSON_ArrayForEach(operation, operations) {
        const char *verdict = json_text(operation, "verdict");
        for (int i = 0; i < 2; i++)
            if (trace_limits[row].verdicts[i] &&
                strcmp(verdict, trace_limits[row].verdicts[i]) == 0 &&
                strcmp(json_text(operation, "name"), gate_case->result->operation) == 0)
                return operation;
    }
    return NULL;
}

/* "detcheck trace compare here.trace there.trace". */
char *gate_trace_command(const struct gate_case *gate_case) {
    static const char *const sides[] = {"here", "there"};
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return NULL;
    fputs("detcheck trace compare", stream);
    for (int i = 0; i < 2; i++) {
        fputc(' ', stream);
        foreign_print(stream, FOREIGN_SHELL,
                      json_text(json_get(gate_case->report->document, sides[i]), "path"));
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

void gate_trace_name_source(struct gate_case *gate_case, int row) {
    const char *source = json_text(find_operation(gate_case, row), "source");
    if (!gate_case->source && *source)
        gate_case->source = source;
}

static bool apply(struct judging *judging, size_t at, const struct policy *policy,
                  const struct rule *rule, int row) {
    struct gate_case *gate_case = &judging->gate->cases[at];
    const struct judged judged = {.at = at,
                                  .name = trace_limits[row].name,
                                  .what = trace_limits[row].what,
                                  .limit = -1,
                                  .by = -1,
                                  .allowed = json_number(rule->trace, trace_limits[row].name),
                                  .found = gate_trace_found(gate_case->implementation->json, row),
                                  .policy = policy,
                                  .rule = rule};
    if (judged_is_good(&judged))
        return judging_add(judging, &judged, NULL);
    gate_trace_name_source(gate_case, row);
    return judging_add(judging, &judged, gate_trace_command(gate_case));
}

/* A distance that is not known is within no limit. */
static bool is_measured(struct judging *judging, const struct gate_case *gate_case) {
    const double unmeasured = json_number(gate_case->implementation->json, "unmeasured");
    return unmeasured == 0 ||
           error_set(judging->error,
                     "%.200s: largest cannot be judged for %.80s: the distance is not known "
                     "where the sides differ, %.0f times, since tensors were not kept or do not "
                     "match ('detcheck trace record --keep')",
                     gate_case->report->path, gate_case->result->operation, unmeasured);
}

/* A limit of those that parted says nothing of operations of which that is not known: without a limit of their own none is
 * allowed. */
static bool apply_policy(struct judging *judging, size_t at, struct policy *policy) {
    static const int of_parted[] = {TRACE_LIMIT_PARTED, TRACE_LIMIT_LARGEST};
    const struct gate_case *gate_case = &judging->gate->cases[at];
    for (int row = 0; row < TRACE_LIMITS; row++) {
        const struct rule *rule;
        if (!policy_find(policy, gate_case, rule_sets_trace, row, &rule, judging->error))
            return false;
        const bool is_open = trace_limits[row].is_undecided &&
                             gate_trace_found(gate_case->implementation->json, row) > 0;
        for (int i = 0; i < 2 && !rule && is_open; i++)
            if (!policy_find(policy, gate_case, rule_sets_trace, of_parted[i], &rule,
                             judging->error))
                return false;
        if ((rule && row == TRACE_LIMIT_LARGEST && !is_measured(judging, gate_case)) ||
            (rule && !apply(judging, at, policy, rule, row)))
            return false;
    }
    return true;
}

bool judging_apply_trace(struct judging *judging, size_t at) {
    bool good = true;
    for (size_t i = 0; i < judging->policy_count && good; i++)
        good = apply_policy(judging, at, &judging->policies[i]);
    return good;
}

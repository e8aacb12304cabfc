/* Today's cases against a report of before: what got worse fails, what got better is said. */
#include "gate/gate.h"

#include "report/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_identity(const struct gate_case *a, const struct gate_case *b) {
    return strcmp(a->result->operation, b->result->operation) == 0 &&
           strcmp(a->result->format, b->result->format) == 0 &&
           strcmp(a->result->rounding, b->result->rounding) == 0 &&
           strcmp(a->implementation->name, b->implementation->name) == 0 &&
           strcmp(a->result->parameters, b->result->parameters) == 0;
}

static bool same_inputs(const struct gate_case *a, const struct gate_case *b) {
    char of_a[INPUTS_PATTERN], of_b[INPUTS_PATTERN];
    return strcmp(gate_inputs_pattern(a->result, of_a), gate_inputs_pattern(b->result, of_b)) ==
               0 &&
           strcmp(a->result->seed, b->result->seed) == 0;
}

static void name_source(struct check *check, const struct read_report *baseline) {
    snprintf(check->source, sizeof check->source, "baseline %.200s", baseline->path);
}

static bool compare_figures(struct gate *gate, size_t at, const struct gate_case *before) {
    const struct gate_case *now = &gate->cases[at];
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *row = &limit_rows[i];
        if (row->kind == LIMIT_REQUIRED ||
            row->kind == LIMIT_OF_AVERAGE || /* have their count among the others */
            !limit_is_of(row, now->implementation))
            continue;
        if (!limit_is_told(row, before->implementation) || !limit_is_told(row, now->implementation))
            continue;
        double was = row->found(before->implementation), is = row->found(now->implementation);
        if (!gate_is_lasting(now->result, row, was))
            continue;
        enum check_status status = is > was ? CHECK_FAILED : is < was ? CHECK_BETTER : CHECK_PASSED;
        struct check *check = gate_add_check(gate, at, row->name, row->what, status);
        char text[32];
        if (!check)
            return false;
        snprintf(check->allowed, FIGURE_TEXT, "%s", report_number_text(was, text));
        snprintf(check->found, FIGURE_TEXT, "%s", report_number_text(is, text));
        name_source(check, before->report);
        if (status == CHECK_FAILED && !(check->command = gate_command(now, row->where)))
            return false;
    }
    return true;
}

static bool compare_fingerprints(struct gate *gate, size_t at, const struct gate_case *before,
                                 enum fingerprint_change change) {
    const struct gate_case *now = &gate->cases[at];
    const char *was = before->implementation->fingerprint, *is = now->implementation->fingerprint;
    if (!was || gate_is_search(now->result))
        return true;
    bool same = is && strcmp(was, is) == 0;
    if (!same && change == CHANGE_IGNORED)
        return true;
    enum check_status status = same                     ? CHECK_PASSED
                               : change == CHANGE_FAILS ? CHECK_FAILED
                                                        : CHECK_NOTICE;
    struct check *check =
        gate_add_check(gate, at, "fingerprint", "fingerprint of all outputs", status);
    if (!check)
        return false;
    snprintf(check->allowed, FIGURE_TEXT, "%.60s", was);
    snprintf(check->found, FIGURE_TEXT, "%.60s", is ? is : "none");
    name_source(check, before->report);
    check->command = same ? NULL : gate_command(now, NULL);
    return same || check->command;
}

/* The case of before has no successor: appended, so that it can be told of. */
static bool add_missing(struct gate *gate, const struct gate_case *before, const char *found) {
    struct gate_case *more = realloc(gate->cases, (gate->case_count + 1) * sizeof *more);
    if (!more)
        return false;
    gate->cases = more;
    gate->cases[gate->case_count] = *before; /* which has no checks yet */
    struct check *check =
        gate_add_check(gate, gate->case_count++, "tested", "inputs tested", CHECK_FAILED);
    if (!check)
        return false;
    snprintf(check->allowed, FIGURE_TEXT, "%.60s", before->result->inputs_description);
    snprintf(check->found, FIGURE_TEXT, "%.60s", found);
    name_source(check, before->report);
    check->command = gate_command(before, NULL);
    return check->command != NULL;
}

static uint64_t hash_identity(const struct gate_case *gate_case) {
    const struct read_result *result = gate_case->result;
    const char *const texts[] = {result->operation, result->format, result->rounding,
                                 gate_case->implementation->name, result->parameters};
    uint64_t hash = HASH_BEGIN;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = hash_text(hash, texts[i], false);
    return hash;
}

static bool compare_case(struct gate *gate, const struct chains *now_by_identity,
                         const struct gate_case *before, change_function *change, void *context,
                         struct error *error) {
    const char *instead = "not tested";
    bool met = false;
    for (size_t i = chain_first(now_by_identity, hash_identity(before)); i != CHAIN_END;
         i = chain_next(now_by_identity, i)) {
        const struct gate_case *now = &gate->cases[i];
        if (!same_identity(now, before))
            continue;
        if (!now->implementation->provided)
            instead = now->implementation->reason;
        else if (!same_inputs(now, before))
            instead = now->result->inputs_description;
        else {
            met = true;
            enum fingerprint_change meaning = change(context, now);
            if (meaning == CHANGE_UNSET)
                return false;
            if (!compare_figures(gate, i, before) ||
                !compare_fingerprints(gate, i, before, meaning))
                return error_set(error, "out of memory");
        }
    }
    return met || add_missing(gate, before, instead) || error_set(error, "out of memory");
}

static bool note_platform(struct gate *gate, const struct read_report *baseline) {
    static const char *const names[] = {"arch", "cpu", "libc", "libm_variant", "compiler"};
    const struct read_report *now = gate->cases[0].report;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *was = report_string(baseline->platform, names[i]);
        const char *is = report_string(now->platform, names[i]);
        if (strcmp(was, is) != 0 &&
            !gate_add_notice(gate, "the baseline's %s was %.100s, now %.100s", names[i], was, is))
            return false;
    }
    return true;
}

/* Cases of before that are gone are appended to the gate's, and are none of today's. */
static bool compare_all(struct gate *gate, const struct chains *now_by_identity,
                        const struct read_report *baseline, change_function *change, void *context,
                        struct error *error) {
    for (size_t i = 0; i < baseline->result_count; i++)
        for (size_t j = 0; j < baseline->results[i].implementation_count; j++) {
            const struct read_result *result = &baseline->results[i];
            const struct gate_case before = {.report = baseline,
                                             .result = result,
                                             .implementation = &result->implementations[j]};
            if (before.implementation->provided &&
                !compare_case(gate, now_by_identity, &before, change, context, error))
                return false;
        }
    return true;
}

bool gate_compare(struct gate *gate, const struct read_report *baseline, change_function *change,
                  void *context, struct error *error) {
    struct chains now_by_identity;
    if (!note_platform(gate, baseline) || !chains_make(&now_by_identity, gate->case_count))
        return error_set(error, "out of memory");
    for (size_t i = gate->case_count; i-- > 0;) /* so that chains ascend */
        chains_add(&now_by_identity, hash_identity(&gate->cases[i]), i);
    bool good = compare_all(gate, &now_by_identity, baseline, change, context, error);
    chains_free(&now_by_identity);
    return good;
}

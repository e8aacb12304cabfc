/* Applying policies to cases. */
#include "gate/orders.h"
#include "gate/trace.h"

#include "base/foreign.h"
#include "op/operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const check_status_names[CHECK_STATUSES] = {
    [CHECK_PASSED] = "passed",     [CHECK_BETTER] = "better", [CHECK_NOTICE] = "notice",
    [CHECK_EXPECTED] = "expected", [CHECK_FAILED] = "failed",
};

static bool make_cases(struct gate *gate, const struct read_report *reports, size_t count,
                       struct error *error) {
    size_t room = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < reports[i].result_count; j++)
            room += reports[i].results[j].implementation_count;
    gate->case_room = room;
    gate->cases = calloc(room, sizeof *gate->cases);
    if (!gate->cases)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < reports[i].result_count; j++)
            for (size_t k = 0; k < reports[i].results[j].implementation_count; k++) {
                const struct read_result *result = &reports[i].results[j];
                gate->cases[gate->case_count++] =
                    (struct gate_case){.report = &reports[i],
                                       .result = result,
                                       .implementation = &result->implementations[k]};
                gate->provided_count += result->implementations[k].provided;
            }
    return true;
}

static bool apply_limit(struct judging *judging, size_t at, const struct applied_limit *limit) {
    const struct limit_row *row = &limit_rows[limit->limit];
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct judged judged = {.at = at,
                                  .name = row->name,
                                  .what = limit_what(row, gate_case->implementation),
                                  .limit = limit->limit,
                                  .by = limit->by,
                                  .allowed = limit->allowed,
                                  .found = row->found(gate_case->implementation),
                                  .policy = limit->policy,
                                  .rule = limit->rule,
                                  .witness = gate_witness(gate_case, row->where)};
    return judging_add(judging, &judged,
                       judged_is_good(&judged) ? NULL : gate_command(gate_case, row->where));
}

/* Whether the report has the figure. Calls have flags and errno, so of several results the first one
 * has them in the report, and the others are passed over. Elsewhere a limit that cannot be held
 * against anything must not pass. */
static bool has_figure(struct judging *judging, size_t at, const struct limit_row *row, bool *has) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct read_result *result = gate_case->result;
    struct error unused;
    int place = 0;
    *has = limit_is_reported(row, gate_case->implementation);
    if (*has && !limit_is_measured(row, gate_case->implementation)) {
        *has = false; /* of a part; the whole may have it */
        return judging->part ||
               error_set(judging->error,
                         "%.100s: %s was not measured for %.60s in %s, %s, by %.60s",
                         gate_case->report->path, row->name, result->operation, result->format,
                         result->rounding, gate_case->implementation->name);
    }
    if (*has || (operation_of_result(result->operation, &place, &unused) && place > 0))
        return true;
    char what[16];
    snprintf(what, sizeof what, "%.*s", (int)strcspn(row->where, "/"), row->where);
    bool asked = json_get(gate_case->implementation->json, what);
    return error_set(judging->error,
                     "%.100s: %s cannot be judged for %.60s in %s, %s: the report does not have "
                     "the %s of %.60s%s%s",
                     gate_case->report->path, row->name, result->operation, result->format,
                     result->rounding, what, gate_case->implementation->name,
                     asked ? ", which did not tell" : "; ", asked ? "" : row->source);
}

static unsigned accepted_of(const cJSON *promise) {
    const cJSON *name;
    unsigned accepted = 0;
    cJSON_ArrayForEach(name, json_get(promise, "accept")) {
        for (int i = 0; i < PROMISE_ACCEPTANCES && cJSON_IsString(name); i++)
            if (strcmp(name->valuestring, promise_acceptance_names[i]) == 0)
                accepted |= 1u << i;
    }
    return accepted;
}

/* That the violations of the report are of what the policy promises, and not of something else. */
static bool is_of_promise(struct judging *judging, size_t at, struct policy *policy) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct rule *rule, *accepting;
    if (!policy_find(policy, gate_case, rule_sets_promise, 0, &rule, judging->error) ||
        !policy_find(policy, gate_case, rule_sets_acceptance, 0, &accepting, judging->error))
        return false;
    const cJSON *promise = json_get(gate_case->implementation->json, "promise");
    const cJSON *allowed = json_get(promise, "allowed");
    if (!rule || !promise ||
        (cJSON_IsString(allowed) && strcmp(allowed->valuestring, rule->promise->text) == 0 &&
         accepted_of(promise) == (accepting ? accepting->accepted : 0)))
        return true;
    return error_set(judging->error,
                     "%.100s: %s in %s by %.60s was checked against another promise than rule %d "
                     "of %.200s; run 'detcheck sweep --policy' with this policy",
                     gate_case->report->path, gate_case->result->operation,
                     gate_case->result->format, gate_case->implementation->name, rule->number,
                     policy->name);
}

/* `meant`: a rule has no other reason to be there than the bits. */
static bool find_change(struct judging *judging, const struct gate_case *gate_case, bool meant,
                        enum fingerprint_change *change) {
    const char *name = gate_case->implementation->name;
    bool ours = strcmp(name, "det") == 0 || strcmp(name, "cr") == 0;
    *change = ours || meant ? CHANGE_FAILS : CHANGE_NOTICED;
    for (size_t i = 0; i < judging->policy_count; i++) {
        const struct rule *rule;
        if (!policy_find(&judging->policies[i], gate_case, rule_sets_change, 0, &rule,
                         judging->error))
            return false;
        if (rule)
            *change = rule->change;
    }
    return true;
}

/* Limits of events, and of what has no output, say nothing of results. */
static bool is_of_results(int limit) {
    enum limit_implied implied = limit_rows[limit].implied;
    return implied != IMPLIED_ALWAYS && implied != IMPLIED_OF_HALF &&
           limit != LIMIT_REQUIRE_PROVIDED;
}

/* A rule that sets nothing but the bits of results means them. */
static bool sets_bits_alone(const struct rule *rule) {
    bool alone = !rule->promise && !rule->invariance && !rule->explanation && !rule->trace;
    for (int limit = 0; limit < LIMIT_COUNT; limit++)
        alone =
            alone && !(rule->has[limit] && rule->limits[limit] < 0x1p60 && is_of_results(limit));
    return alone;
}

static bool apply_fingerprint(struct judging *judging, size_t at, const struct policy *policy,
                              const struct rule *rule) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const char *found = gate_case->implementation->fingerprint;
    enum fingerprint_change change;
    if (!find_change(judging, gate_case, sets_bits_alone(rule), &change))
        return false;
    bool same = found && strcmp(found, rule->fingerprint) == 0;
    if (!same && change == CHANGE_IGNORED)
        return true;
    enum check_status status = same                     ? CHECK_PASSED
                               : change == CHANGE_FAILS ? CHECK_FAILED
                                                        : CHECK_NOTICE;
    struct check *check =
        gate_add_check(judging->gate, at, "fingerprint", "fingerprint of all outputs", status);
    if (!check)
        return judging_out_of_memory(judging);
    snprintf(check->allowed, FIGURE_TEXT, "%.60s", rule->fingerprint);
    snprintf(check->found, FIGURE_TEXT, "%.60s", found ? found : "none");
    judging_name_source(check, policy, rule);
    if (same)
        return true;
    check->command = gate_command(gate_case, NULL);
    if (status == CHECK_FAILED)
        judging_excuse(judging, check, judging_exception(judging, gate_case, -1, 0));
    return check->command || judging_out_of_memory(judging);
}

static bool apply_policy(struct judging *judging, size_t at, struct policy *policy) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct rule *rule;
    if (gate_case->implementation->kind == READ_ORDER)
        return judging_apply_order(judging, at, policy);
    if (!is_of_promise(judging, at, policy) || !judging_apply_invariance(judging, at, policy) ||
        !judging_apply_explanation(judging, at, policy) ||
        !policy_find(policy, gate_case, rule_sets_fingerprint, 0, &rule, judging->error))
        return false;
    return !rule || judging->part || apply_fingerprint(judging, at, policy, rule);
}

static bool apply_limits(struct judging *judging, size_t at) {
    if (!applied_find(&judging->limits, judging->policies, judging->policy_count,
                      &judging->gate->cases[at], judging->error))
        return false;
    for (size_t i = 0; i < judging->limits.count; i++) {
        const struct applied_limit *limit = &judging->limits.items[i];
        bool has;
        if (judging->part && limit_wants_all(&limit_rows[limit->limit]))
            continue;
        if (!has_figure(judging, at, &limit_rows[limit->limit], &has))
            return false;
        if (has && !apply_limit(judging, at, limit))
            return false;
    }
    return true;
}

/* What a rule is about and nobody computed must not pass. */
static bool judge_lack(struct judging *judging, size_t at) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct limit_row *row = &limit_rows[LIMIT_REQUIRE_PROVIDED];
    struct applied_limit forbids;
    bool may;
    if (!applied_may_lack(judging->policies, judging->policy_count, gate_case, &may, &forbids,
                          judging->error))
        return false;
    if (may)
        return true;
    struct check *check = gate_add_check(judging->gate, at, row->name, row->what, CHECK_FAILED);
    if (!check)
        return judging_out_of_memory(judging);
    snprintf(check->allowed, FIGURE_TEXT, "none");
    snprintf(check->found, FIGURE_TEXT, "%s", gate_case->implementation->reason);
    foreign_trim(check->found);
    judging_name_source(check, forbids.policy, forbids.rule);
    check->command = gate_command(gate_case, NULL);
    judging_excuse(judging, check,
                   judging_exception(judging, gate_case, LIMIT_REQUIRE_PROVIDED, 1));
    return check->command || judging_out_of_memory(judging);
}

static bool judge_case(struct judging *judging, size_t at) {
    if (judging->gate->cases[at].implementation->kind == READ_TRACE)
        return judging_apply_trace(judging, at);
    if (!judging->gate->cases[at].implementation->provided)
        return judge_lack(judging, at);
    bool good = judging_apply_tried(judging, at) && apply_limits(judging, at);
    for (size_t i = 0; i < judging->policy_count && good; i++)
        good = apply_policy(judging, at, &judging->policies[i]);
    return good;
}

static enum fingerprint_change change_of(void *context, const struct gate_case *gate_case) {
    enum fingerprint_change change;
    return find_change(context, gate_case, false, &change) ? change : CHANGE_UNSET;
}

static bool note_unneeded(struct judging *judging) {
    const struct policy *end = judging->policies + judging->policy_count;
    for (const struct policy *policy = judging->policies; policy < end; policy++)
        for (size_t j = 0; j < policy->exception_count; j++) {
            const struct rule *rule = &policy->exceptions[j];
            if (rule->matched && !rule->used &&
                !gate_add_notice(judging->gate, "%.200s: %s %d is not needed any more (%s)",
                                 policy->name, policy->exception_noun, rule->number, rule->reason))
                return judging_out_of_memory(judging);
        }
    return true;
}

static bool judge_all(struct judging *judging, const struct read_report *reports, size_t count,
                      const struct read_report *baseline) {
    struct gate *gate = judging->gate;
    if (baseline && !gate_baseline_is_alike(reports, count, baseline, judging->error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!report_require_whole(&reports[i], judging->error) ||
            (!gate_is_of_trace(reports[i].document) &&
             !report_require_known(&reports[i], judging->error)))
            return false;
    if ((baseline && !report_require_whole(baseline, judging->error)) ||
        !make_cases(gate, reports, count, judging->error))
        return false;
    for (size_t i = 0; i < judging->policy_count; i++)
        if (!judging_match(judging, &judging->policies[i]))
            return false;
    for (size_t i = 0; i < gate->case_count; i++)
        if (!judge_case(judging, i))
            return false;
    if (baseline && !(gate_is_of_trace(baseline->document)
                          ? judging_compare_traces(judging, baseline)
                          : gate_compare(gate, baseline, change_of, judging, judging->error)))
        return false;
    for (size_t i = 0; i < gate->check_count; i++) /* those of the comparison */
        if (gate->checks[i].status == CHECK_FAILED)
            judging_excuse(
                judging, &gate->checks[i],
                judging_exception(judging, &gate->cases[gate->checks[i].case_index], -1, 0));
    return note_unneeded(judging);
}

bool gate_judge(struct gate *gate, const struct read_report *reports, size_t report_count,
                struct policy *policies, size_t policy_count, const struct read_report *baseline,
                uint64_t min_tried, struct error *error) {
    *gate = (struct gate){0};
    struct judging judging = {gate, policies, policy_count, false, min_tried, {0}, error};
    bool judged = judge_all(&judging, reports, report_count, baseline);
    applied_free(&judging.limits);
    if (judged && !gate->check_count)
        judged = error_set(error, "no limit applies to anything that was tested");
    if (!judged)
        gate_free(gate);
    return judged;
}

bool gate_judge_sweep(struct gate *gate, const struct read_report *report, struct policy *policy,
                      bool part, struct error *error) {
    *gate = (struct gate){0};
    struct judging judging = {
        .gate = gate, .policies = policy, .policy_count = 1, .part = part, .error = error};
    rule_index_forget(&policy->rule_index);
    rule_index_forget(&policy->exception_index);
    bool judged = make_cases(gate, report, 1, error);
    for (size_t i = 0; judged && i < gate->case_count; i++)
        judged = judge_case(&judging, i);
    applied_free(&judging.limits);
    return judged;
}

void gate_free(struct gate *gate) {
    for (size_t i = 0; i < gate->check_count; i++)
        free(gate->checks[i].command);
    for (size_t i = 0; i < gate->notice_count; i++)
        free(gate->notices[i]);
    free(gate->notices);
    free(gate->checks);
    free(gate->cases);
    *gate = (struct gate){0};
}

size_t gate_first_check(const struct gate *gate, size_t case_index) {
    const struct gate_case *gate_case = &gate->cases[case_index];
    return gate_case->is_checked ? gate_case->first_check : CHAIN_END;
}

enum check_status gate_case_status(const struct gate *gate, size_t case_index) {
    enum check_status worst = CHECK_STATUSES;
    for (size_t i = gate_first_check(gate, case_index); i != CHAIN_END; i = gate->checks[i].next)
        if (worst == CHECK_STATUSES || gate->checks[i].status > worst)
            worst = gate->checks[i].status;
    return worst;
}

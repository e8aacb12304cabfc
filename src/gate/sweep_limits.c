/* A report of what was just swept, judged and told. */
#include "gate/sweep_limits.h"

#include "base/foreign.h"
#include "gate/applied.h"
#include "invariance/property.h"
#include "report/invariance_read.h"
#include "report/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those that a rule sets or brings along; what always holds is no limit of the policy. */
static bool add_applied(cJSON *object, struct policy *policy, const struct gate_case *gate_case,
                        bool part, struct error *error) {
    const struct read_implementation *one = gate_case->implementation;
    struct applied_limits limits = {0};
    bool good = applied_find(&limits, policy, 1, gate_case, error);
    for (size_t i = 0; i < limits.count && good; i++) {
        const struct applied_limit *limit = &limits.items[i];
        const struct limit_entry entry = {.name = limit_rows[limit->limit].name,
                                          .policy = policy->name,
                                          .rule = limit->rule ? limit->rule->number : 0,
                                          .allowed = limit->allowed};
        if (limit->rule && limit->limit != LIMIT_MAX_VIOLATIONS && /* the promise tells it */
            limit_is_reported(&limit_rows[limit->limit], one))
            limits_add(object, &entry, one, part);
    }
    applied_free(&limits);
    return good;
}

static bool add_limits(cJSON *object, struct policy *policy, const struct gate_case *gate_case,
                       bool part, struct error *error) {
    const struct read_implementation *one = gate_case->implementation;
    const struct rule *rule;
    if (!add_applied(object, policy, gate_case, part, error))
        return false;
    for (size_t i = 0; i < property_row_count && one->kind == READ_INVARIANCE; i++) {
        char name[80];
        const struct property_record *property = read_property_find(one, property_rows[i]->name);
        if (!policy_find(policy, gate_case, rule_sets_property, (int)i, &rule, error))
            return false;
        if (!rule || !property || !property->tested)
            continue;
        snprintf(name, sizeof name, "invariance.%.60s", property->name);
        const struct limit_entry entry = {.name = name,
                                          .policy = policy->name,
                                          .rule = rule->number,
                                          .allowed = rule_property_limit(rule, (int)i)};
        limits_add(object, &entry, one, part);
    }
    if (one->kind != READ_JUDGED)
        return true;
    if (!policy_find(policy, gate_case, rule_sets_fingerprint, 0, &rule, error))
        return false;
    if (rule) {
        const struct limit_entry entry = {.name = "fingerprint",
                                          .policy = policy->name,
                                          .rule = rule->number,
                                          .fingerprint = rule->fingerprint};
        limits_add(object, &entry, one, part);
    }
    return true;
}

static bool add_all(struct policy *policy, const struct read_report *report, cJSON *results,
                    int first, bool part, struct error *error) {
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        const cJSON *entry = cJSON_GetArrayItem(results, first + (int)i);
        cJSON *object = json_get(entry, "implementations")->child;
        for (size_t j = 0; j < result->implementation_count; j++, object = object->next) {
            const struct gate_case gate_case = {
                .report = report, .result = result, .implementation = &result->implementations[j]};
            rule_index_forget(&policy->rule_index);
            if (gate_case.implementation->provided &&
                !add_limits(object, policy, &gate_case, part, error))
                return false;
        }
    }
    return true;
}

bool sweep_limits_judge(struct sweep_limits *limits, struct policy *policy, cJSON *results,
                        int first, bool part, struct error *error) {
    *limits = (struct sweep_limits){0};
    return report_read_results(&limits->report, policy->name, results, first, error) &&
           gate_judge_sweep(&limits->gate, &limits->report, policy, part, error) &&
           add_all(policy, &limits->report, results, first, part, error);
}

void sweep_limits_free(struct sweep_limits *limits) {
    gate_free(&limits->gate);
    report_read_free(&limits->report);
}

static void print_check(FILE *stream, const struct gate *gate, const struct check *check,
                        bool colour) {
    const struct text_figures figures = text_cut_figures(check->allowed, check->found);
    bool bad = check->status == CHECK_FAILED;
    const struct gate_case *gate_case = &gate->cases[check->case_index];
    fprintf(stream, "  %s  %s", FOREIGN(gate_case->implementation->name), check->what);
    fprintf(stream, ": allowed %s, found %s", FOREIGN(figures.allowed), FOREIGN(figures.found));
    fprintf(stream, "  %s%s%s", bad && colour ? "\033[1;31m" : "",
            check_status_names[check->status], bad && colour ? "\033[0m" : "");
    fprintf(stream, "  (%s)\n", FOREIGN(check->source));
    if (check->reason)
        fprintf(stream, "    expected: %s\n", FOREIGN(check->reason));
    if (check->command)
        fprintf(stream, "    to see it: %s\n", FOREIGN(check->command));
}

void sweep_limits_print(FILE *stream, const struct sweep_limits *limits, bool all, bool colour) {
    const struct gate *gate = &limits->gate;
    bool begun = !all;
    for (size_t i = 0; i < gate->check_count; i++) {
        const struct check *check = &gate->checks[i];
        if (strcmp(check->name, limit_rows[LIMIT_MAX_VIOLATIONS].name) == 0 ||
            (!all && check->status == CHECK_PASSED))
            continue;
        if (!begun)
            fputs("\nlimits of the policy\n", stream);
        begun = true;
        print_check(stream, gate, check, colour);
    }
}

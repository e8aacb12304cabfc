/* Limits by names that a report has: of properties, and of causes. */
#include "gate/judging.h"

#include "explain/names.h"
#include "invariance/property.h"
#include "report/explanation_read.h"
#include "report/invariance_read.h"

#include <stdlib.h>
#include <string.h>

/* A property that the report has, or that a rule limits by its name. */
static bool apply_property(struct judging *judging, size_t at,
                           const struct property_record *property, double allowed,
                           const struct policy *policy, const struct rule *rule) {
    const struct judged judged = {.at = at,
                                  .name = property->name,
                                  .what = "inputs whose bits change by a property",
                                  .limit = -1,
                                  .by = -1,
                                  .allowed = allowed,
                                  .found = (double)property->changed,
                                  .policy = policy,
                                  .rule = rule};
    const char *reported = gate_command_text(property->first.command);
    char *command = judged_is_good(&judged) ? NULL
                    : reported              ? strdup(reported)
                                            : gate_command(&judging->gate->cases[at], NULL);
    return judging_add(judging, &judged, command);
}

/* One that was not tested must not pass. */
bool judging_apply_invariance(struct judging *judging, size_t at, struct policy *policy) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct read_implementation *one = gate_case->implementation;
    for (size_t i = 0; one->kind == READ_INVARIANCE && i < property_row_count; i++) {
        const struct rule *rule;
        const char *name = property_rows[i]->name;
        if (!policy_find(policy, gate_case, rule_sets_property, (int)i, &rule, judging->error))
            return false;
        const struct property_record *property = read_property_find(one, name);
        if (!rule)
            continue;
        double allowed = rule_property_limit(rule, (int)i);
        if (property && property->tested) {
            if (!apply_property(judging, at, property, allowed, policy, rule))
                return false;
        } else if (rule_names_property(rule, (int)i))
            return error_set(judging->error,
                             "%.100s: invariance.%s cannot be judged for %.60s in %s by %.60s: it "
                             "was not tested%s%.200s",
                             gate_case->report->path, name, gate_case->result->operation,
                             gate_case->result->format, one->name, property ? ": " : "",
                             property ? property->why : "");
    }
    return true;
}

static bool is_others(const cJSON *limit) {
    return strcmp(limit->string, "*") == 0;
}

/* The limit that a cause comes under: one by its name, or by that of a hypothesis that it cannot be
 * told from; the largest of several. NULL: that of the others. */
static const cJSON *limit_of(const cJSON *limits, const struct read_explanation *explanation,
                             const struct read_hypothesis *cause) {
    const cJSON *limit, *found = NULL;
    for (size_t i = 0; i < explanation->count; i++) {
        const struct read_hypothesis *one = &explanation->hypotheses[i];
        if (one != cause && one->same_as != cause->cause)
            continue;
        limit = json_get(limits, one->name);
        if (limit && (!found || !cJSON_IsNumber(limit) ||
                      (cJSON_IsNumber(found) && limit->valuedouble > found->valuedouble)))
            found = limit;
    }
    return found;
}

/* Differences that come under a limit, and the command that shows one of them. */
static uint64_t differences_under(const cJSON *limits, const cJSON *limit,
                                  const struct read_explanation *explanation,
                                  const char **command) {
    const bool rest = is_others(limit) && !json_get(limits, UNEXPLAINED);
    const bool unexplained = rest || strcmp(limit->string, UNEXPLAINED) == 0;
    uint64_t sum = unexplained ? explanation->unexplained : 0;
    *command = sum ? explanation->unexplained_command : NULL;
    for (size_t i = 0; i < explanation->count; i++) {
        const struct read_hypothesis *one = &explanation->hypotheses[i];
        if (!one->cause)
            continue;
        const cJSON *under = limit_of(limits, explanation, one);
        if (under ? under != limit : !is_others(limit))
            continue;
        sum += one->adds;
        *command = *command || !*one->command ? *command : one->command;
    }
    return sum;
}

/* A name that nothing here knows and no hypothesis had is a slip of the pen: it must not pass. */
static bool is_known(const struct read_explanation *explanation, const char *name) {
    return strcmp(name, "*") == 0 || strcmp(name, UNEXPLAINED) == 0 || hypothesis_is_name(name) ||
           !explanation->differ || explanation_tried(explanation, name);
}

bool judging_apply_explanation(struct judging *judging, size_t at, struct policy *policy) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    const struct read_implementation *one = gate_case->implementation;
    const struct read_explanation *explanation = &one->explanation;
    const struct rule *rule = NULL;
    const cJSON *limit;
    if (one->kind != READ_EXPLANATION || !explanation->is_of_two)
        return true;
    if (!policy_find(policy, gate_case, rule_sets_explanation, 0, &rule, judging->error))
        return false;
    if (!rule)
        return true;
    static const char *const what[2][2] = {
        {"differences by this cause", "differences by other causes, or by none"},
        {"blocks that differ by this cause", "blocks that differ by other causes, or by none"}};
    cJSON_ArrayForEach(limit, rule->explanation) {
        const char *shows;
        if (!is_known(explanation, limit->string))
            return error_set(judging->error,
                             "%.100s: explanation.%.60s cannot be judged for %.60s in %s by %.60s: "
                             "no such hypothesis was tried",
                             gate_case->report->path, limit->string, gate_case->result->operation,
                             gate_case->result->format, one->name);
        if (!cJSON_IsNumber(limit)) /* "any" */
            continue;
        const struct judged judged = {
            .at = at,
            .name = limit->string,
            .what = what[explanation_counts_blocks(one)][is_others(limit)],
            .limit = -1,
            .by = -1,
            .allowed = limit->valuedouble,
            .found = (double)differences_under(rule->explanation, limit, explanation, &shows),
            .policy = policy,
            .rule = rule};
        char *command = judged_is_good(&judged)    ? NULL
                        : gate_command_text(shows) ? strdup(shows)
                                                   : gate_command(gate_case, NULL);
        if (!judging_add(judging, &judged, command))
            return false;
    }
    return true;
}

/* Adding a check, and excusing one. */
#include "gate/judging.h"

#include "report/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool judging_out_of_memory(struct judging *judging) {
    return error_set(judging->error, "out of memory");
}

static bool bounds(const struct rule *rule, int limit, double figure) {
    return limit >= 0 && rule->has[limit] && figure <= rule->limits[limit];
}

struct rule *judging_exception(struct judging *judging, const struct gate_case *gate_case,
                               int limit, double figure) {
    for (size_t i = 0; i < judging->policy_count; i++) {
        size_t count;
        const size_t *matching =
            rule_index_find(&judging->policies[i].exception_index, gate_case, &count);
        for (size_t j = 0; j < count; j++) {
            struct rule *rule = &judging->policies[i].exceptions[matching[j]];
            bool bounded = false;
            for (int k = 0; k < LIMIT_COUNT; k++)
                bounded = bounded || rule->has[k];
            if (!bounded || bounds(rule, limit, figure) ||
                (limit >= 0 && limit_rows[limit].whole &&
                 bounds(rule, limit_rows[limit].whole, figure)))
                return rule;
        }
    }
    return NULL;
}

void judging_name_source(struct check *check, const struct policy *policy,
                         const struct rule *rule) {
    if (!policy)
        snprintf(check->source, sizeof check->source, "always");
    else if (*policy->rule_noun)
        snprintf(check->source, sizeof check->source, "%.200s, %s %d", policy->name,
                 policy->rule_noun, rule->number);
    else
        snprintf(check->source, sizeof check->source, "%.200s", policy->name);
}

void judging_excuse(struct judging *judging, struct check *check, struct rule *exception) {
    if (!exception)
        return;
    judging->gate->counts[check->status]--;
    check->status = CHECK_EXPECTED;
    judging->gate->counts[check->status]++;
    check->reason = exception->reason;
    exception->used++;
}

bool judging_add(struct judging *judging, const struct judged *judged, char *command) {
    bool good = judged_is_good(judged);
    struct check *check = gate_add_check(judging->gate, judged->at, judged->name, judged->what,
                                         good ? CHECK_PASSED : CHECK_FAILED);
    if (!check) {
        free(command);
        return judging_out_of_memory(judging);
    }
    char text[32];
    snprintf(check->allowed, FIGURE_TEXT, "%s", record_number_text(judged->allowed, text));
    snprintf(check->found, FIGURE_TEXT, "%s", record_number_text(judged->found, text));
    judging_name_source(check, judged->policy, judged->rule);
    size_t used = strlen(check->source);
    if (judged->by >= 0)
        snprintf(check->source + used, sizeof check->source - used, ", with %s",
                 limit_rows[judged->by].name);
    if (good)
        return true;
    check->command = command;
    check->witness = judged->witness;
    judging_excuse(judging, check,
                   judging_exception(judging, &judging->gate->cases[judged->at], judged->limit,
                                     judged->found));
    return command || judging_out_of_memory(judging);
}

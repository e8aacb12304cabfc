/* Reading a policy, and finding its promises for each sweep. */
#include "policy_option.h"

#include "report/promise.h"

#include <string.h>

/* What a rule sets is of some reports only. */
static bool judges(const struct rule *rule, enum read_kind kind) {
    const struct read_implementation of_kind = {.kind = kind};
    bool any = kind == READ_JUDGED ? rule->promise || rule->fingerprint : rule->invariance != NULL;
    for (int i = 0; i < LIMIT_COUNT; i++)
        any = any || (rule->has[i] && limit_is_of(&limit_rows[i], &of_kind));
    return any;
}

static size_t count_policies(const struct arguments *arguments) {
    size_t count = 0;
    for (size_t i = 0; i < arguments->given_count; i++)
        count += strcmp(arguments->given[i].option->name, "policy") == 0;
    return count;
}

bool read_policy_for(const struct arguments *arguments, enum read_kind kind,
                     struct policy_option *option, struct error *error) {
    const char *text = argument_value(arguments, "policy", NULL);
    *option = (struct policy_option){.given = text != NULL, .kind = kind};
    if (!text)
        return true;
    if (count_policies(arguments) > 1)
        return error_set(error, "give one --policy; put the rules of several into one file, or let "
                                "'detcheck gate' take several");
    if (!policy_read(&option->policy, text, error))
        return false;
    bool any = false;
    for (size_t i = 0; i < option->policy.rule_count; i++)
        any = any || judges(&option->policy.rules[i], kind);
    if (!any)
        return error_set(
            error,
            kind == READ_JUDGED
                ? "%.200s: no rule has a \"promise\", or a limit of what a sweep finds; "
                  "'detcheck gate --policy' judges by the others"
                : "%.200s: no rule limits \"invariance\", or \"max_changed\"",
            text);
    return policy_index(&option->policy) || error_set(error, "out of memory");
}

bool read_policy_option(const struct arguments *arguments, struct policy_option *option,
                        struct error *error) {
    return read_policy_for(arguments, READ_JUDGED, option, error);
}

static bool fits(const struct rule *rule, enum selector_part part, const char *text) {
    const char *pattern = rule->selector.patterns[part];
    return !pattern || pattern_matches(pattern, text);
}

/* Descriptions of searches say what was found. */
static bool names_what_no_search_finds(const char *inputs) {
    return inputs && selector_is_name(inputs) && !strstr(inputs, " found ");
}

bool policy_option_reaches(const struct policy_option *option, const struct operation *operation,
                           const struct format *format, enum rounding rounding, bool search) {
    char name[64];
    bool reaches = !option->given;
    for (size_t i = 0; i < option->policy.rule_count && !reaches; i++) {
        const struct rule *rule = &option->policy.rules[i];
        if (!judges(rule, option->kind) || !fits(rule, PART_FORMAT, format->name) ||
            !fits(rule, PART_ROUNDING, rounding_names[rounding]) ||
            (search && names_what_no_search_finds(rule->selector.patterns[PART_INPUTS])))
            continue;
        for (int result = 0; result < operation->results; result++)
            reaches = reaches ||
                      fits(rule, PART_OPERATION, operation_result_name(operation, result, name));
    }
    return reaches;
}

bool policy_option_limits(struct policy_option *option, struct report *report, int first, bool part,
                          struct sweep_limits *limits, struct error *error) {
    *limits = (struct sweep_limits){0};
    if (!option->given)
        return true;
    if (!sweep_limits_judge(limits, &option->policy, report->results, first, part, error))
        return false;
    option->limits_any = option->limits_any || limits->gate.check_count;
    option->broken = option->broken || limits->gate.counts[CHECK_FAILED];
    return true;
}

bool policy_option_apply(struct policy_option *option, struct sweep_request *request,
                         struct error *error) {
    if (!option->given || request->computed.operation->array)
        return true;
    if (!promises_find(&option->policy, request, &option->promises, error))
        return false;
    request->promises = option->promises.found;
    return true;
}

bool policy_option_note(struct policy_option *option, const struct sweep_request *request,
                        const struct sweep_outcome *outcome, struct report *report, int first,
                        struct sweep_limits *limits, struct error *error) {
    for (size_t i = 0; request->promises && i < outcome->implementation_count; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            option->promises_any = option->promises_any || (outcome->implementations[i].provided &&
                                                            request_promise(request, i, j));
    return policy_option_limits(option, report, first, shard_is_part(&request->shard), limits,
                                error);
}

void policy_option_free(struct policy_option *option) {
    promises_free(&option->promises);
    policy_free(&option->policy);
}

/* Reading a policy, and finding its promises for each sweep. */
#include "policy_option.h"

#include "report/promise.h"

bool read_policy_option(const struct arguments *arguments, struct policy_option *option,
                        struct error *error) {
    const char *text = argument_value(arguments, "policy", NULL);
    *option = (struct policy_option){.given = text != NULL};
    if (!text)
        return true;
    if (!policy_read(&option->policy, text, error))
        return false;
    bool promises = false;
    for (size_t i = 0; i < option->policy.rule_count; i++)
        promises = promises || option->policy.rules[i].promise;
    if (!promises)
        return error_set(
            error,
            "%.200s: no rule has a \"promise\"; 'detcheck gate --policy' judges by the "
            "other limits",
            text);
    return policy_index(&option->policy) || error_set(error, "out of memory");
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

void policy_option_note(struct policy_option *option, const struct sweep_request *request,
                        const struct sweep_outcome *outcome) {
    for (size_t i = 0; request->promises && i < outcome->implementation_count; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            option->promises_any = option->promises_any || (outcome->implementations[i].provided &&
                                                            request_promise(request, i, j));
    option->broken = option->broken || promise_is_broken(request, outcome);
}

void policy_option_free(struct policy_option *option) {
    promises_free(&option->promises);
    policy_free(&option->policy);
}

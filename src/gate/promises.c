/* Cases that stand for what a sweep will report. */
#include "gate/promises.h"

#include "report/report.h"
#include "report/text.h"

/* The promise of one case; `found` is NULL where no rule promises anything. */
static bool find_promise(struct policy *policy, const struct gate_case *gate_case,
                         struct promise *promise, const struct promise **found,
                         struct error *error) {
    const struct rule *rule, *accepting, *limiting;
    *found = NULL;
    if (!policy_find(policy, gate_case, rule_sets_promise, 0, &rule, error) ||
        !policy_find(policy, gate_case, rule_sets_acceptance, 0, &accepting, error) ||
        !policy_find(policy, gate_case, rule_sets_limit, LIMIT_MAX_VIOLATIONS, &limiting, error))
        return false;
    if (!rule)
        return true;
    *promise = *rule->promise;
    promise->source = policy->name;
    promise->section = rule->section;
    promise->rule = rule->number;
    promise->accepted = accepting ? accepting->accepted : 0;
    promise->most = (uint64_t)limiting->limits[LIMIT_MAX_VIOLATIONS];
    *found = promise;
    return true;
}

bool promises_find(struct policy *policy, const struct sweep_request *request,
                   struct sweep_promises *promises, struct error *error) {
    const struct binding_request *computed = &request->computed;
    char inputs[TEXT_INPUTS], name[64];
    bool good = true;
    promises->count = 0;
    cJSON *json = cJSON_CreateObject();
    cJSON *parameters = cJSON_AddObjectToObject(json, "parameters");
    cJSON_AddBoolToObject(parameters, "strict_nan", request->strict_nan);
    report_add_parameters(parameters, &computed->parameters);
    for (int j = 0; j < computed->operation->results; j++) {
        const struct read_result result = {.json = json,
                                           .operation =
                                               operation_result_name(computed->operation, j, name),
                                           .format = computed->format->name,
                                           .rounding = rounding_names[computed->rounding],
                                           .inputs_description = text_inputs(request, inputs)};
        for (size_t i = 0; good && i < request->implementation_count; i++) {
            const struct read_implementation implementation = {
                .name = request->implementations[i].name};
            const struct gate_case gate_case = {.result = &result,
                                                .implementation = &implementation};
            size_t at = i * MAX_RESULTS + (size_t)j;
            rule_index_forget(&policy->rule_index);
            good = find_promise(policy, &gate_case, &promises->promises[at], &promises->found[at],
                                error);
            promises->count += good && promises->found[at];
        }
    }
    cJSON_Delete(json);
    return good;
}

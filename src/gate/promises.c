/* Cases that stand for what a sweep will report. */
#include "gate/promises.h"

#include "report/report.h"
#include "report/text.h"
#include "sweep/promise/inherit.h"

#include <stdlib.h>
#include <string.h>

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
    double most = limiting->limits[LIMIT_MAX_VIOLATIONS];
    promise->most = most < 0x1p60 ? (uint64_t)most : UINT64_MAX;
    *found = promise;
    return true;
}

/* Cases of one implementation. */
struct finding {
    struct policy *policy;
    struct read_result result;
    struct read_implementation implementation;
    const struct format *format;
    struct formula_promises **formulas;
    struct error *error;
};

static bool find_operation(struct finding *finding, const char *operation, struct promise *promise,
                           const struct promise **found) {
    finding->result.operation = operation;
    const struct gate_case gate_case = {.result = &finding->result,
                                        .implementation = &finding->implementation};
    rule_index_forget(&finding->policy->rule_index);
    return find_promise(finding->policy, &gate_case, promise, found, finding->error);
}

/* Formulas within formulas. */
enum { MOST_DEPTH = 4 };
static bool find_formulas(struct finding *finding, struct promise *promise, int depth);

/* What is promised of an operation that the promise inherits from. */
static bool add_operation(struct finding *finding, const struct promise *promise,
                          const struct operation *operation, int depth) {
    struct formula_promises *formulas = *finding->formulas;
    const struct promise *found;
    for (size_t i = 0; i < formulas->count; i++)
        if (formulas->list[i].operation == operation)
            return true;
    if (formulas->count == MOST_INHERITED || depth == MOST_DEPTH)
        return error_set(finding->error, "%.200s: rule %d inherits from too many operations",
                         promise->source, promise->rule);
    size_t at = formulas->count++;
    struct promise *own = &formulas->promises[at];
    if (!find_operation(finding, operation->name, own, &found))
        return false;
    for (size_t i = 0; found && i < found->piece_count; i++)
        if (found->pieces[i].kind == PROMISE_SAME_BITS)
            return error_set(finding->error,
                             "%.200s: rule %d inherits from %s, for which the policy promises bits "
                             "(same_bits) and no error",
                             promise->source, promise->rule, operation->name);
    if (!found)
        return error_set(finding->error,
                         "%.200s: rule %d inherits from %s, for which the policy promises nothing "
                         "in %s",
                         promise->source, promise->rule, operation->name, finding->format->name);
    formulas->list[at] = (struct inherited_promise){operation, own};
    return find_formulas(finding, own, depth + 1);
}

/* Whether a formula that is met again while it is being looked into leads to itself. */
static bool leads_to_itself(const struct promise *promise, const struct operation *operation,
                            const struct promise *within, int depth) {
    for (size_t i = 0; i < within->piece_count; i++) {
        const struct expression *formula = within->pieces[i].inherited;
        for (int j = 0; formula && j < formula->count; j++) {
            const struct operation *next = formula_operation(formula, j);
            const struct promise *own = next ? formula_promise(promise, next) : NULL;
            if (next == operation || depth > MOST_DEPTH ||
                (own && leads_to_itself(promise, operation, own, depth + 1)))
                return true;
        }
    }
    return false;
}

static bool find_formulas(struct finding *finding, struct promise *promise, int depth) {
    for (size_t i = 0; i < promise->piece_count; i++) {
        const struct expression *formula = promise->pieces[i].inherited;
        if (!formula)
            continue;
        if (finding->format->precision > INHERITED_PRECISION)
            return error_set(
                finding->error,
                "%.200s: rule %d inherits errors in %s; formulas are for formats of at "
                "most %d bits of precision",
                promise->source, promise->rule, finding->format->name, INHERITED_PRECISION);
        if (!*finding->formulas)
            *finding->formulas = calloc(1, sizeof **finding->formulas);
        if (!*finding->formulas)
            return error_set(finding->error, "out of memory");
        for (int j = 0; j < formula->count; j++) {
            const struct operation *operation = formula_operation(formula, j);
            if (operation && !add_operation(finding, promise, operation, depth))
                return false;
        }
    }
    return true;
}

/* All know the same operations, once these are all there. */
static bool share_formulas(struct finding *finding, struct promise *promise) {
    struct formula_promises *formulas = *finding->formulas;
    for (size_t i = 0; formulas && i < formulas->count; i++) {
        formulas->promises[i].inherited = formulas->list;
        formulas->promises[i].inherited_count = formulas->count;
    }
    promise->inherited = formulas ? formulas->list : NULL;
    promise->inherited_count = formulas ? formulas->count : 0;
    for (size_t i = 0; formulas && i < formulas->count; i++)
        if (leads_to_itself(promise, formulas->list[i].operation, formulas->list[i].promise, 0))
            return error_set(finding->error, "%.200s: rule %d inherits from itself",
                             formulas->promises[i].source, formulas->promises[i].rule);
    return true;
}

/* Where the sweep has the implementations whose bits are promised. */
static bool find_references(const struct sweep_request *request, const struct promise *promise,
                            struct error *error) {
    for (size_t i = 0; promise && i < promise->piece_count; i++) {
        struct promise_piece *piece = &promise->pieces[i];
        size_t at = 0;
        if (piece->kind != PROMISE_SAME_BITS)
            continue;
        while (at < request->implementation_count &&
               strcmp(request->implementations[at].name, piece->reference) != 0)
            at++;
        if (at == request->implementation_count)
            return error_set(error,
                             "%.200s: rule %d promises the bits of %.200s, which is not swept; add "
                             "--impl %.200s",
                             promise->source, promise->rule, piece->reference, piece->reference);
        piece->reference_at = at;
    }
    return true;
}

/* How many operands a piece names: one more than the last of them. */
static int operands_of(const struct promise_piece *piece) {
    const struct expression *limits[] = {
        piece->has_ulp ? &piece->ulp : NULL, piece->has_absolute ? &piece->absolute : NULL,
        piece->has_relative ? &piece->relative : NULL, piece->inherited};
    int most = 0;
    for (int i = 0; i < MAX_OPERANDS; i++)
        most = piece->has_range[i] ? i + 1 : most;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        int count = limits[i] ? expression_operands(limits[i]) : 0;
        most = count > most ? count : most;
    }
    return most;
}

/* Whether the operation has all operands that the promise names: a range of y would say nothing of exp. */
static bool has_operands(const struct promise *promise, const char *name, int operands,
                         struct error *error) {
    for (size_t i = 0; i < promise->piece_count; i++)
        if (operands_of(&promise->pieces[i]) > operands)
            return error_set(error, "%.200s: rule %d names %c, an operand that %s does not have",
                             promise->source, promise->rule,
                             "xyz"[operands_of(&promise->pieces[i]) - 1], name);
    return true;
}

/* The promise of a result, with those that it inherits from. */
static bool find_whole(struct finding *finding, const char *name, int operands,
                       struct promise *promise, const struct promise **found) {
    return find_operation(finding, name, promise, found) &&
           (!*found || (has_operands(promise, name, operands, finding->error) &&
                        find_formulas(finding, promise, 0) && share_formulas(finding, promise)));
}

bool promises_find(struct policy *policy, const struct sweep_request *request,
                   struct sweep_promises *promises, struct error *error) {
    const struct binding_request *computed = &request->computed;
    char inputs[TEXT_INPUTS], name[64];
    bool good = true;
    promises_free(promises);
    cJSON *parameters = cJSON_CreateObject();
    cJSON_AddBoolToObject(parameters, "strict_nan", request->strict_nan);
    report_add_parameters(parameters, &computed->parameters);
    for (size_t i = 0; i < request->implementation_count; i++) {
        struct finding finding = {.policy = policy,
                                  .result = {.given = parameters,
                                             .format = computed->format->name,
                                             .rounding = rounding_names[computed->rounding],
                                             .inputs.description = text_inputs(request, inputs)},
                                  .implementation = {.name = request->implementations[i].name},
                                  .format = computed->format,
                                  .formulas = &promises->formulas[i],
                                  .error = error};
        for (int j = 0; good && j < computed->operation->results; j++) {
            size_t at = i * MAX_RESULTS + (size_t)j;
            good = find_whole(&finding, operation_result_name(computed->operation, j, name),
                              computed->operation->operands, &promises->promises[at],
                              &promises->found[at]) &&
                   find_references(request, promises->found[at], error);
            promises->count += good && promises->found[at];
        }
    }
    cJSON_Delete(parameters);
    return good;
}

void promises_free(struct sweep_promises *promises) {
    for (size_t i = 0; i < MAX_IMPLEMENTATIONS; i++)
        free(promises->formulas[i]);
    *promises = (struct sweep_promises){0};
}

/* Binding by name to the algorithms of an operation on arrays. */
#include "impl/array.h"

#include "op/array/algorithms.h"
#include "op/array/slices.h"
#include "op/block/quantise.h"

#include <stdio.h>
#include <string.h>

bool sample_call(struct array_call *call, const struct binding_request *request,
                 struct error *why) {
    const struct array_rule *rule = request->operation->array;
    const struct parameter_value *given = &request->parameters.values[PARAMETER_SHAPE_OF];
    *call = (struct array_call){.parameters = &request->parameters,
                                .rounding = request->rounding,
                                .overflow = request->overflow};
    for (int i = 0; !rule && i < request->operation->operands; i++)
        call->operands[i] = (struct array){.format = request->format, .shape = shape_of(1)};
    for (int i = 0; !rule && i < request->operation->results; i++)
        call->results[i] =
            (struct array){.format = request_result_format(request), .shape = shape_of(1)};
    return !rule || array_call_plan(call, rule, request->format,
                                    given->present ? &given->shape : &rule->shapes[0], why);
}

struct condition_support array_conditions(const struct format *computed) {
    return (struct condition_support){.is_known = true,
                                      .set = 1u << CONDITION_OFFSET,
                                      .form = FORM_ARRAYS,
                                      .number_bytes = format_bytes(computed)};
}

void array_tell_lines(struct binding *binding) {
    const struct binding_request *request = &binding->request;
    binding->tells_lengths = true;
    binding->tells_flags = request->flags;
    binding->tells_errno = request->errnos;
}

/* What the operation's row calls its algorithm. */
static const char *algorithm_name(const struct implementation *implementation) {
    const char *name = implementation->kind->name;
    return implementation->kind == &implementation_quantiser ? implementation->name + strlen(name)
                                                             : name;
}

bool array_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    const char *name = algorithm_name(binding->implementation);
    const struct array_algorithm *algorithm = array_algorithm_find(request->operation->array, name);
    struct array_call call;
    if (!algorithm && !binding->implementation->kind->takes_arrays)
        return error_set(why, "%s has no %s", name, request->operation->name);
    if (!sample_call(&call, request, why))
        return false;
    if (!algorithm)
        return binding->implementation->kind->bind(binding, why);
    if (algorithm->provides && !algorithm->provides(&call, why))
        return false;
    const struct format *accumulation = NULL;
    if (algorithm->accumulates && !algorithm->accumulates(&call, algorithm, &accumulation, why))
        return false;
    binding->algorithm = algorithm;
    if (call.rule->tells_lines && call.rule->tells_lines(&call, algorithm))
        array_tell_lines(binding);
    if (algorithm->run == run_slices || algorithm->run == run_matrices)
        binding->conditions = array_conditions(slice_format(&call, algorithm));
    snprintf(binding->detail, sizeof binding->detail, "%s%s%s", algorithm->detail,
             accumulation ? "; accumulated in " : "", accumulation ? accumulation->name : "");
    return true;
}

bool array_fill(const struct binding *binding, const struct slice *slice, struct error *error) {
    return binding->algorithm->run(slice->array, binding->algorithm, error);
}

static bool open_order(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail, "an order of arrays");
    return true;
}

static bool bind_order(struct binding *binding, struct error *why) {
    return error_set(why, "%s is a way to work on arrays; %s is of numbers",
                     binding->implementation->kind->name, binding->request.operation->name);
}

static bool open_quantiser(struct implementation *implementation, struct error *error) {
    const char *name = implementation->name + strlen(implementation->kind->name);
    snprintf(implementation->detail, sizeof implementation->detail, "a quantiser of blocks");
    for (size_t i = 0; block_quantiser_names[i]; i++)
        if (strcmp(block_quantiser_names[i], name) == 0)
            return true;
    return error_set(
        error, "there is no quantiser '%.40s'; 'detcheck help packed.quantise' names them", name);
}

#define NAMED_ORDER(WORD, NAME, SUMMARY)                                                           \
    const struct implementation_kind implementation_##WORD = {                                     \
        .name = NAME, .summary = SUMMARY, .open = open_order, .bind = bind_order}
#define ORDER(NAME, SUMMARY) NAMED_ORDER(NAME, #NAME, SUMMARY)

ORDER(sequential, "arrays: from the left, as a plain loop does");
ORDER(pairwise, "arrays: in halves of halves, as NumPy does");
ORDER(blocked, "arrays: in blocks of 256, as matrix kernels and online softmax do");
ORDER(naive, "arrays: as the formula is written, so that e^x may overflow");
ORDER(unscaled, "scaled arrays: the same operation on numbers in the format of the data");
ORDER(article, "scaled arrays: the formulas of the article that they are from, mistakes included");
ORDER(text,
      "dyadic integers: the shift and the mask of the text that they are from, mistakes included");
ORDER(gemmlowp, "requantisation: in two roundings, as gemmlowp and TFLite");
ORDER(tosa, "requantisation: as TOSA's apply_scale_32");
NAMED_ORDER(tosa_double, "tosa-double",
            "requantisation: as TOSA's apply_scale_32 with double_round");

const struct implementation_kind implementation_quantiser = {
    .name = "quantiser:",
    .summary = "packed.quantise: quantiser:NAME, by the rule of another quantiser than --quantiser",
    .in_lists = true,
    .open = open_quantiser,
    .bind = bind_order};

/* Making the table, and looking things up. */
#include "impl/lut.h"

#include "op/conversion.h"
#include "oracle/exact.h"

#include <stdio.h>
#include <stdlib.h>

static bool fill_table(const struct binding_request *request, uint64_t *results, uint64_t count,
                       struct error *error) {
    const struct format *from = request->format, *to = request_result_format(request);
    bool pairs = request->operation->operands == 2;
    const struct format *last = format_of_operand(from, pairs);
    struct oracle oracle;
    struct cast cast = {0};
    if (request->operation->converts &&
        !conversion_make(&cast, from, request->rounding, &request->parameters, error))
        return false;
    oracle_open(&oracle, request->operation, from, &request->parameters, oracle_precision(to));
    oracle.rounding = request->rounding;
    bool good = true;
    for (uint64_t i = 0; good && i < count; i++) {
        uint64_t codes[MAX_OPERANDS] = {pairs ? i >> last->width : i, i & format_mask(last)};
        struct real y;
        if (request->operation->converts)
            results[i] = cast_code(&cast, i, conversion_random(&cast, &request->parameters, i));
        else if ((good = oracle_exact(&oracle, codes, 0, &y, error)))
            results[i] = projected_code(to, &y, request->rounding, request->overflow,
                                        &request->parameters, i);
    }
    oracle_close(&oracle);
    return good;
}

static bool has_table(const struct binding_request *request, struct error *error) {
    const struct operation *operation = request->operation;
    if (!operation->array && operation->results == 1 && operation->operands <= 2 &&
        request_input_bits(request) <= LUT_MOST_BITS)
        return true;
    return error_set(error,
                     "%s in %s has no look-up table: those are of one result, of one operand of up "
                     "to 16 bits or two of 8",
                     operation->name, request->format->name);
}

uint64_t *lut_make(const struct binding_request *request, struct error *error) {
    if (!has_table(request, error))
        return NULL;
    uint64_t count = (uint64_t)1 << request_input_bits(request);
    uint64_t *results = malloc(count * sizeof *results);
    if (!results)
        error_set(error, "out of memory");
    else if (!fill_table(request, results, count, error)) {
        free(results);
        results = NULL;
    }
    return results;
}

static bool lut_open(struct implementation *implementation, struct error *error) {
    (void)error;
    snprintf(implementation->detail, sizeof implementation->detail,
             "table made by MPFR %s and detcheck %s", mpfr_get_version(), DETCHECK_VERSION);
    return true;
}

static bool lut_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    if (rounding_is_stochastic(request->rounding) &&
        !request->parameters.values[PARAMETER_RANDOM].present)
        return error_set(why, "a look-up table cannot hold random bits for each element");
    if (!has_table(request, why))
        return false;
    binding->state = lut_make(request, why);
    binding->broken = !binding->state; /* memory, or the oracle's precision, was not enough */
    return binding->state;
}

static bool lut_fill(struct binding *binding, const struct slice *slice, event_function *event,
                     void *context, struct error *error) {
    (void)event;
    (void)context;
    (void)error;
    const struct binding_request *request = &binding->request;
    const uint64_t *results = binding->state;
    size_t in = format_bytes(request->format), out = format_bytes(request_result_format(request));
    for (size_t i = 0; i < slice->count; i++) {
        uint64_t place = code_load(slice->operands[0], in, i);
        if (request->operation->operands == 2)
            place = place << format_of_operand(request->format, 1)->width |
                    code_load(slice->operands[1], in, i);
        code_store(slice->results[0], out, i, results[place]);
    }
    return true;
}

static void lut_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

const struct implementation_kind implementation_lut = {
    .projects = true,
    .name = "lut",
    .summary = "a look-up table of correctly rounded results, for formats of up to 16 bits",
    .takes_parameters = true,
    .open = lut_open,
    .bind = lut_bind,
    .fill = lut_fill,
    .unbind = lut_unbind,
};

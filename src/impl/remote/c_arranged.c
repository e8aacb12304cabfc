/* Calls of functions of many numbers under conditions. */
#include "impl/arranged.h"
#include "impl/remote/c_function.h"

/* A call of many on arrays that lie as they are asked to. */
struct arranged_function {
    const struct c_function *function;
    const struct call_watch *watch;
    uint64_t calls;
    size_t count; /* of the slice */
};

static void call_arranged(void *context, void *const *results, const void *const *operands,
                          size_t count) {
    struct arranged_function *of = context;
    uint64_t call = ++of->calls;
    call_watch_begin(of->watch, 0, call);
    c_function_call_array(of->function, results, operands, count);
    call_watch_end(of->watch, call, of->count, 0);
}

static struct arranged arranged_function(const struct c_function *function,
                                         struct arranged_function *of) {
    return (struct arranged){&function->request, function->computed, function->returned,
                             call_arranged, of};
}

struct condition_support c_function_conditions(const struct c_function *function) {
    const struct arranged arranged = arranged_function(function, NULL);
    bool many = c_function_is_of_many(function) && !c_conversion_is_random(function);
    bool by_number = function->by_number.address;
    struct condition_support support = {.is_known = many,
                                        .form = function->array          ? FORM_ARRAYS
                                                : function->vector.lanes ? FORM_REGISTERS
                                                                         : FORM_NUMBER,
                                        .lanes = function->vector.lanes,
                                        .number_bytes = format_bytes(function->computed)};
    if (many && function->array)
        support.set = arranged_conditions(&arranged);
    if (function->vector.lanes)
        support.set = 1u << CONDITION_LENGTH;
    if (many)
        support.set |= (unsigned)by_number << CONDITION_BY_NUMBER;
    return support;
}

bool c_function_fill_arranged(const struct c_function *function, const struct slice *slice,
                              const struct call_watch *watch, struct error *error) {
    struct unwatched otherwise;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    struct arranged_function of = {function, &watching, 0, slice->count};
    const struct arranged arranged = arranged_function(function, &of);
    if (!slice->conditions->by_number) {
        const bool good = arranged_fill(&arranged, slice, error);
        c_conversion_take_low_bits(function, slice->results[0], good ? slice->count : 0);
        return good;
    }
    struct c_function scalar = *function;
    scalar.call = function->by_number;
    scalar.array = false;
    scalar.vector.lanes = 0;
    c_function_fill(&scalar, slice, watch);
    return true;
}

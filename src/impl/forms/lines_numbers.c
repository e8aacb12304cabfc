/* Numbers of calls, and of names. */
#include "impl/forms/lines.h"

#include "impl/steps_arithmetic.h"
#include "op/array/slices.h"

/* Operand `k` of a call. */
double form_number_at(const struct array_call *call, int k, uint64_t index) {
    const struct format *format = call->results[0].format;
    return steps_value(format, element_load(&call->operands[k], format, index));
}

void form_put(const struct array_call *call, uint64_t index, double number) {
    array_set_code(&call->results[0], index, steps_code(call->results[0].format, number));
}

bool form_set_number(struct form_run *run, int name, double number) {
    double *room = form_run_set(run, name, 1);
    if (room)
        *room = steps_rounded(form_run_format(run), number);
    return room;
}

bool form_set_places(struct form_run *run, int name, size_t length) {
    double *places = form_run_set(run, name, length);
    for (size_t i = 0; places && i < length; i++)
        places[i] = (double)i;
    return places && form_set_number(run, name + 1, (double)length) &&
           form_set_number(run, name + 2, 1024 / form_run_format(run)->width);
}

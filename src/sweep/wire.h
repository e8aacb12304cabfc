/* How the inputs and the codes of a sweep stand in documents: of its report, and of its checkpoint. */
#ifndef DETCHECK_SWEEP_WIRE_H
#define DETCHECK_SWEEP_WIRE_H

#include "record/record.h"
#include "sweep/sweep.h"

struct sweep_wire {
    struct record_wire wire; /* first */
    const struct sweep_request *request;
    size_t implementation;
    int result;
};

/* Of an implementation's result, whose format is that one; `kept`: in a checkpoint. */
struct sweep_wire sweep_wire_of(const struct sweep_request *request, size_t implementation,
                                int result, const struct format *format, bool kept);

/* Hexadecimal digits of a code. */
int wire_digits(const struct format *format);

/* Adds a code. */
void wire_add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code);

/* Adds "input": the code of one operand as a string, of several an array of them, of an operation on
 * arrays which element. */
void wire_add_input(cJSON *object, const struct sweep_request *request, const uint64_t *input);

/* The extents of a shape, an array. */
cJSON *wire_shape(const struct shape *shape);

#endif

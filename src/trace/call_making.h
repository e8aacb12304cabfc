/* A call that is being made of a recorded operation. Between the files of this folder. */
#ifndef DETCHECK_TRACE_CALL_MAKING_H
#define DETCHECK_TRACE_CALL_MAKING_H

#include "trace/call.h"

struct trace_making {
    struct trace_call *call;
    const struct trace *trace;
    const struct trace_operation *operation;
    const struct trace_tensor *output; /* the first, which is the one that is judged */
    struct parameters given;
};

static inline void trace_set_integer(struct trace_making *making, enum parameter_number number,
                                     int64_t integer) {
    making->given.values[number] = (struct parameter_value){.present = true, .integer = integer};
}

/* A number from outside: whole, and within what the parameter takes. */
bool trace_set_number(struct trace_making *making, enum parameter_number number, double value,
                      struct error *why);

/* Settles parameters, and sees whether as much comes out as was recorded. */
bool trace_call_settle(struct trace_making *making, struct error *why);

/* Operands, shape and parameters of kernels, by how the row says. */
bool trace_make_norm(struct trace_making *making, struct error *why);
bool trace_make_channels(struct trace_making *making, struct error *why);
bool trace_make_convolution(struct trace_making *making, struct error *why);
bool trace_make_attention(struct trace_making *making, struct error *why);

#endif

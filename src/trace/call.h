/* A recorded operation as calls of an operation of detcheck: its inputs as operands, its attributes as parameters. */
#ifndef DETCHECK_TRACE_CALL_H
#define DETCHECK_TRACE_CALL_H

#include "impl/implementation.h"
#include "op/array/slices.h"
#include "trace/names.h"

/* Elements of all operands and results of one recorded operation, at most. */
enum { TRACE_MOST_ELEMENTS = 1 << 27 };

/* Codes in C's order, format_bytes each. */
struct trace_codes {
    const struct format *format;
    void *codes;
    uint64_t count; /* of all calls, or, where they share it, of each */
    bool is_shared;
};

/* One call behind the other, all of one shape; of functions of numbers one, with an element of each operand for each result. */
struct trace_call {
    const struct trace_name *row;
    const struct operation *operation;
    const struct format *format, *result; /* of the operands, and of what comes out */
    struct parameters parameters;         /* settled */
    struct shape shape;                   /* as --shape has it; of numbers one dimension */
    uint64_t calls, results;              /* results of each call */
    struct slices lines;                  /* of the one call, unless it is of numbers */
    int operands;
    struct trace_codes operand[MAX_ARRAY_OPERANDS];
};

/* Makes it of a recorded operation whose inputs were kept. False where it is none that detcheck has, or cannot be made; `why`
 * says what is missing. trace_call_close is right in any case. */
bool trace_call_open(struct trace_call *call, const struct trace *trace,
                     const struct trace_operation *operation, struct error *why);
/* Operations one behind the other, of which the last one's outputs count. */
struct trace_group {
    const struct trace *trace;
    const struct trace_operation *operations;
    size_t count; /* 0: there is no group */
};

/* The same of a group that adds what it takes: the last one's outputs are sums of all that goes in, as often as it does. Where
 * the other side's group adds the same operands, they come in its order, so that both sides have one call. */
bool trace_call_open_group(struct trace_call *call, const struct trace_group *group,
                           const struct trace_group *other, struct error *why);
void trace_call_close(struct trace_call *call);

/* The elements of a kept tensor, and the same with another tensor's shape. False with the reason. */
bool trace_codes_load(struct trace_codes *codes, const struct trace *trace,
                      const struct trace_tensor *tensor, struct error *why);

/* Call number `number` as others take it, its results in `results`, codes of all calls. Not of functions of numbers. */
bool trace_call_plan(const struct trace_call *call, uint64_t number, void *results,
                     struct array_call *planned, struct error *error);

bool trace_same_extents(const struct shape *a, const struct shape *b);
/* Whether both compute the same function; and whether of the same operands, in the same shape. */
bool trace_same_function(const struct trace_call *a, const struct trace_call *b);
bool trace_same_question(const struct trace_call *a, const struct trace_call *b);

/* What is bound to compute it. */
struct binding_request trace_call_request(const struct trace_call *call);

/* All results of all calls by an implementation: codes, for which `results` has room. False where it has none of it, or
 * fails; `why` says so. */
bool trace_call_run(const struct trace_call *call, const struct implementation *implementation,
                    void *results, struct error *why);

/* Below: between the files of this folder. */

/* Elements of a tensor in another order: `extents` of what is made, and by how much each of its steps goes on in what is
 * there; 0: the same element again. NULL: no memory. */
void *trace_gather(const void *codes, size_t bytes, int dimensions, const uint64_t *extents,
                   const uint64_t *strides);

/* Sets the operands of a product of matrices, and its parameters before they are settled. */
bool trace_call_product(struct trace_call *call, const struct trace *trace,
                        const struct trace_operation *operation, struct error *why);

/* An operand from an input, converted to a format that holds it, and broadcast to the extents, unless `extents` is NULL. */
bool trace_call_load(struct trace_call *call, int operand, const struct trace *trace,
                     const struct trace_tensor *tensor, int dimensions, const uint64_t *extents,
                     struct error *why);

#endif

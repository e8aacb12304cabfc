/* What frameworks call an operation, and what it is here: a row for each, by which recorded inputs become a call that
 * the oracle and implementations know.
 *
 * Operands are words: "0", or "weight", an input by its place or by the name of its parameter; "1T", transposed; "+0", added
 * to a product; "=1", that number. A word for an input that was not recorded is an operand that is absent. */
#ifndef DETCHECK_TRACE_NAMES_H
#define DETCHECK_TRACE_NAMES_H

#include "trace/trace.h"

/* How inputs become a call. */
enum trace_how {
    TRACE_NONE,          /* it has no operation here: `limits` says why */
    TRACE_EXACT,         /* likewise, and whoever computes it has the same bits */
    TRACE_UNINITIALISED, /* likewise, and its results are whatever lay in memory */
    TRACE_ELEMENTS,      /* numbers, which broadcast; a number among the attributes is one */
    TRACE_ALIKE,         /* arrays of one shape, to which they broadcast */
    TRACE_CAST,          /* from the input's type to the output's */
    TRACE_LINES,         /* lines along an axis, or along several as one */
    TRACE_FLATTENED, /* likewise; of ONNX before opset 13 along all axes from that one on, as one */
    TRACE_PRODUCT,   /* of matrices, of several of them, or of vectors */
    TRACE_NORM,      /* of lines along the last axes, times a weight, plus a bias */
    TRACE_CHANNELS,  /* of groups of channels, or of channels of a batch, likewise */
    TRACE_ATTENTION, /* of query, key, value and a mask */
    TRACE_CONVOLUTION /* of input, weight and bias */
};

struct trace_name {
    const char *name;      /* "aten.mm": as recorded, without ".default" and the like */
    const char *when;      /* "approximate=tanh": an attribute's value; NULL: any */
    const char *operation; /* detcheck's, which may be a formula; NULL: none */
    enum trace_how how;
    const char *operands;   /* NULL: "0 1 2", as many as there are */
    const char *parameters; /* that calls have: "approximate=tanh"; or NULL */
    const char *limits;     /* what is not judged, and why; or NULL */
};

/* Row number `index`; NULL beyond the last. */
const struct trace_name *trace_name_at(size_t index);

/* The row of an operation, by its name and attributes; NULL where none has the name. A name without a framework is looked up
 * as one of the trace's recorder. */
const struct trace_name *trace_name_find(const struct trace *trace,
                                         const struct trace_operation *operation);

/* Whether a row is of an operation that moves elements and does nothing else; of NULL false. */
bool trace_only_moves(const struct trace_name *name);

/* Whether two operations have one name; of PyTorch's the one before the overload: aten.mm.default and aten.mm.out. And how long
 * that name is. */
bool trace_same_name(const struct trace_operation *a, const struct trace_operation *b);
size_t trace_name_length(const char *name);

/* An attribute under any of its names, which blanks separate: "dim axis axes"; or NULL. */
const cJSON *trace_attribute(const struct trace_operation *operation, const char *names);
/* Its number, or what stands for it where there is none; a text such as "-inf" is one, too. */
double trace_attribute_number(const struct trace_operation *operation, const char *names,
                              double otherwise);

/* Whether a call drew random numbers: it may by its name, and attention without dropout does not. */
bool trace_is_random(const struct trace *trace, const struct trace_operation *operation);

/* The word of operands at that place, and how long it is; NULL beyond the last. */
const char *trace_word_at(const char *words, size_t place, size_t *length);

/* What an operand's word stands for: an input, or NULL where it was not recorded. `word` is one of `operands`, and
 * `place` its place among them, which counts where inputs have no names. */
const struct trace_tensor *trace_operand(const struct trace_operation *operation, const char *word,
                                         size_t length, size_t place);

#endif

/* Traces: what a run of a model did, operation by operation, as the package of Python records it (detcheck-trace(7)).
 * A trace is a folder: trace.json says which operations there were and has the digests of what went in and came out;
 * the elements of tensors that were kept lie in tensors/N.safetensors beside it.
 *
 * A trace comes from anywhere. Whatever does not add up is an error that says where, and nothing outside of the
 * folder is read. */
#ifndef DETCHECK_TRACE_TRACE_H
#define DETCHECK_TRACE_TRACE_H

#include "base/error.h"
#include "tensor/named.h"
#include "tensor/types.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3-128 of the elements, little-endian, in C's order. */
struct trace_digest {
    uint64_t high, low;
};

/* What went into an operation, or came out of it. Texts are the trace's. */
struct trace_tensor {
    const char *name;               /* of the parameter; NULL where nobody knows it */
    const char *type_name;          /* as the recorder wrote it */
    const struct tensor_type *type; /* NULL: none that detcheck has */
    int dimensions;
    const uint64_t *extents;
    uint64_t count; /* elements */
    bool has_digest;
    bool is_overwritten;                   /* an input in whose place the operation writes */
    struct trace_digest digest, canonical; /* canonical: with every NaN as the same one */
    int64_t kept_in;                       /* the number of the file in tensors/; -1: not kept */
    const char *kept_as;                   /* its name in that file */
    const char *left_out;                  /* why there is no digest; NULL where there is one */
};

/* Whether it is an input of which only the place counts, as the operation writes all of it: out= of PyTorch and numpy. */
bool trace_is_overwritten(const struct trace_tensor *tensor);

/* Whether it is an input of a compiled kernel that may be memory of before, which the kernel writes to without reading: nobody
 * says which of those it both reads and writes it reads first. */
bool trace_may_be_scratch(const struct trace_tensor *tensor);

struct trace_operation {
    const char *name, *path, *source; /* "aten.mm.default", "layers.7.mlp", "model.py:31"; or "" */
    uint64_t thread;
    bool is_backward, is_random;
    const cJSON *attributes; /* an object, or NULL */
    const cJSON *settings;   /* that are others than before, an object of texts, or NULL */
    struct trace_tensor *inputs, *outputs;
    size_t input_count, output_count;
    const char *error; /* that it raised, or NULL */
};

struct trace {
    const char *path; /* of the folder; the caller's */
    char *file;       /* of its trace.json */
    const char *recorder, *program, *keep;
    const cJSON *environment; /* an object of texts, or NULL */
    cJSON *settings;          /* that changed in the run: settings.h */
    const cJSON *left_out;    /* an array of {"what", "count"}, or NULL */
    bool complete;            /* else of a run that died */
    struct trace_operation *operations;
    size_t count;
    cJSON *document;
    struct trace_tensor *tensors; /* all, one operation's behind the other's */
    uint64_t *extents;            /* likewise */
};

/* Reads the trace.json of a folder. False with an error; trace_close is right in any case. */
bool trace_open(struct trace *trace, const char *path, struct error *error);
void trace_close(struct trace *trace);

/* Opens the file that a kept tensor lies in; tensor_named_close closes it. The error says what is wrong with the file,
 * and where it holds another type or shape than trace.json says. */
bool trace_tensor_open(const struct trace *trace, const struct trace_tensor *tensor,
                       struct tensor_named *opened, struct error *error);

/* Whether those of the tensors that were kept have the elements that their digests are of. False with an error, which
 * names the file and the tensor. */
bool trace_tensors_intact(const struct trace *trace, const struct trace_tensor *tensors,
                          size_t count, struct error *error);

bool trace_same_shape(const struct trace_tensor *a, const struct trace_tensor *b);

/* "1x4096 bf16"; "a number of bf16" without dimensions. */
enum { TRACE_TENSOR_TEXT = 320 };
const char *trace_tensor_text(const struct trace_tensor *tensor, char text[TRACE_TENSOR_TEXT]);

static inline bool trace_same_digest(const struct trace_digest *a, const struct trace_digest *b) {
    return a->high == b->high && a->low == b->low;
}

#endif

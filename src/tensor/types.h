/* What elements of tensors in files are, a row for each type, with the names that the kinds of files have for
 * it: numpy's descr (NEP 1, ml_dtypes), safetensors' dtype, and ONNX's TensorProto.DataType. */
#ifndef DETCHECK_TENSOR_TYPES_H
#define DETCHECK_TENSOR_TYPES_H

#include "format/format.h"

struct tensor_type {
    const char *name;            /* "bool", "complex64"; NULL: that of the format */
    const struct format *format; /* of a component; NULL: bits of which nothing is known */
    const char *numpy;           /* without the byte order; NULL: numpy does not save it */
    const char *safetensors;     /* or NULL */
    int onnx;                    /* or 0 */
    unsigned char bytes;         /* of an element; of those that share a byte: 1 */
    unsigned char components;    /* of an element: 2 of a complex number */
    unsigned char packed; /* 0, or how many share a byte: 2 or 4, the first in the low bits */
};

extern const struct tensor_type tensor_types[];
extern const size_t tensor_type_count;

/* By the name that a kind of file has for it, of `length` bytes; NULL where there is none. */
const struct tensor_type *tensor_type_of_numpy(const char *name, size_t length);
const struct tensor_type *tensor_type_of_safetensors(const char *name);
const struct tensor_type *tensor_type_of_onnx(uint64_t number);

/* By its own name: of several the one that safetensors has; NULL where there is none. */
const struct tensor_type *tensor_type_named(const char *name);

/* The type whose elements are numbers of a format, unpacked; NULL where a file cannot have them. */
const struct tensor_type *tensor_type_of_format(const struct format *format);

/* Whether elements are of the same type, however many share a byte. */
bool tensor_types_are_same(const struct tensor_type *a, const struct tensor_type *b);

/* "bf16", "complex64", "2 bytes". */
const char *tensor_type_name(const struct tensor_type *type);

/* Bytes of one component as the reader gives it: those of the format, or of an element of which nothing is
 * known. */
size_t tensor_component_bytes(const struct tensor_type *type);

#endif

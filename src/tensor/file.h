/* Files of tensors: which there are, of what shape and type, and where their elements lie. Of a file nothing is
 * read but what says that; elements are read by tensor/stream.h, a buffer at a time.
 *
 * The kinds: .npy (NEP 1), .npz (a zip of them), .safetensors, a TensorProto of ONNX (.pb), and raw elements,
 * little-endian, whose format and shape the caller says. Files come from anywhere: whatever does not add up
 * is an error, and nothing outside of a file is read. */
#ifndef DETCHECK_TENSOR_FILE_H
#define DETCHECK_TENSOR_FILE_H

#include "base/error.h"
#include "tensor/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { TENSOR_DIMENSIONS = 64 };

/* How the bytes of a tensor are found. */
enum tensor_storage {
    TENSOR_PLAIN,  /* the elements, one behind the other */
    TENSOR_ENTRY,  /* likewise, in an entry of a zip, behind a header */
    TENSOR_VARINTS /* each component is a varint of protobuf */
};

/* Where the directory of a zip has an entry. */
struct zip_position {
    uint64_t directory, number;
};

struct tensor {
    char *name; /* empty where the file has no names */
    const struct tensor_type *type;
    int dimensions; /* 0 to TENSOR_DIMENSIONS */
    uint64_t *extents;
    uint64_t count;  /* elements */
    bool is_fortran; /* the first index changes fastest */
    bool is_swapped; /* the most significant byte comes first */
    enum tensor_storage storage;
    uint64_t start, length;       /* bytes: of the file, or of the entry */
    struct zip_position position; /* of the entry */
};

struct tensor_file {
    const char *path; /* the caller's */
    const char *kind; /* "npy", "npz", "safetensors", "TensorProto", "raw" */
    bool took_format; /* from the caller, as it says nothing of its own */
    int descriptor;
    uint64_t size;
    struct timespec written;
    void *zip;              /* of minizip, or NULL */
    struct tensor *tensors; /* in the order of the file */
    size_t count, room;
};

/* After the last element: that nobody wrote the file meanwhile. */
bool tensor_file_stays(const struct tensor_file *file, struct error *error);

/* By name; NULL. */
const struct tensor *tensor_find(const struct tensor_file *file, const char *name);

/* "4x1024"; "a number" without dimensions. Cut where it does not fit. */
enum { TENSOR_SHAPE_TEXT = 256 };
const char *tensor_shape_text(const struct tensor *tensor, char text[TENSOR_SHAPE_TEXT]);
bool tensor_same_shape(const struct tensor *a, const struct tensor *b);

/* For readers of kinds of files. A new tensor at the end, all zero, whose extents hold `dimensions`; NULL with an
 * error. `name` is copied. */
struct tensor *tensor_add(struct tensor_file *file, const char *name, const uint64_t *extents,
                          int dimensions, struct error *error);
/* Sets the type and the bytes that it takes; false with an error where the elements are too many, or are not
 * the bytes that the file has for them. */
bool tensor_settle(const struct tensor_file *file, struct tensor *tensor,
                   const struct tensor_type *type, uint64_t bytes, struct error *error);
/* The names are each there once; sorts nothing. */
bool tensor_names_differ(const struct tensor_file *file, struct error *error);

/* Exactly those bytes of the file. */
bool tensor_read_at(const struct tensor_file *file, void *bytes, size_t length, uint64_t place,
                    struct error *error);

#endif

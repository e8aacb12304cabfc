/* Opening files of tensors. */
#ifndef DETCHECK_TENSOR_OPEN_H
#define DETCHECK_TENSOR_OPEN_H

#include "tensor/file.h"

/* What the elements of raw files are; and those of which a file does not say it (numpy's V2). */
struct tensor_raw {
    const struct format *format; /* or NULL */
    bool has_shape;              /* without: as many elements as there are, in one dimension */
    int dimensions;
    const uint64_t *extents;
};

/* Whether the file at the path is a file of tensors: by its first bytes, or by ".pb". False also where it cannot
 * be read. */
bool tensor_file_is(const char *path);

/* Opens a file and reads what tensors it has, or fails with an error that names it. A file that is none by its
 * first bytes is raw where `raw` has a format, and an error without. */
bool tensor_file_open(struct tensor_file *file, const char *path, const struct tensor_raw *raw,
                      struct error *error);
void tensor_file_close(struct tensor_file *file);

/* The reader of each kind: adds the tensors of a file whose descriptor and size are set. */
bool tensor_read_npy(struct tensor_file *file, struct error *error);
bool tensor_read_npz(struct tensor_file *file, struct error *error);
bool tensor_read_safetensors(struct tensor_file *file, struct error *error);
bool tensor_read_onnx(struct tensor_file *file, struct error *error);

#endif

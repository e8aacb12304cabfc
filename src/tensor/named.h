/* One tensor of a file, as people name it: PATH where the file has one, else PATH#NAME. */
#ifndef DETCHECK_TENSOR_NAMED_H
#define DETCHECK_TENSOR_NAMED_H

#include "tensor/file.h"

struct tensor_named {
    char *path; /* from malloc */
    struct tensor_file file;
    const struct tensor *tensor;
};

/* The characters of a text that are the path: up to the first '#' before which a file of that name is there. A file
 * whose own name is the whole text comes first. */
size_t tensor_path_length(const char *text);

/* Whether the text names a file of tensors. */
bool tensor_named_is(const char *text);

/* Opens it. The error names the tensors of a file where the name is none of them, or is missing. */
bool tensor_named_open(struct tensor_named *named, const char *text, struct error *error);
void tensor_named_close(struct tensor_named *named);

/* The elements in C's order as text, from malloc: exact decimals, `per_line` on each line. NULL with an error: of
 * complex numbers, and of bytes of which nothing is known. */
char *tensor_text(const struct tensor_named *named, uint64_t per_line, struct error *error);

#endif

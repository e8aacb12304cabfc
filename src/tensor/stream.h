/* The elements of a tensor, from the first to the last, as codes in this machine's byte order. */
#ifndef DETCHECK_TENSOR_STREAM_H
#define DETCHECK_TENSOR_STREAM_H

#include "tensor/file.h"

#include <stdio.h>

struct tensor_stream {
    const struct tensor_file *file;
    const struct tensor *tensor;
    uint64_t done;    /* components that were read */
    bool is_begun;    /* an entry of a zip, whose bytes come one after the other */
    uint64_t at;      /* of that, the next byte */
    FILE *unpacked;   /* the elements of an entry that are read in another order; or NULL */
    char label[260];  /* "FILE: NAME" */
    bool is_gathered; /* the file has another order than is wanted */
    char *buffer;     /* bytes that were read ahead: varints, or elements that were gathered */
    size_t held, used;
    uint64_t ahead; /* of varints, bytes that were read; of gathered ones, elements */
};

/* Begins to read. The components come in the order of the file, or where `in_c_order` asks for it with the last
 * index changing fastest. False with an error; tensor_stream_close is right in any case. */
bool tensor_stream_open(struct tensor_stream *stream, const struct tensor_file *file,
                        const struct tensor *tensor, bool in_c_order, struct error *error);

/* The next `count` components (two for each complex number), tensor_component_bytes each. There must be as many
 * left, and all counts but the last one must be even. A code that is none of the format's (0x80 of fp6), or of a
 * file that ends or is damaged, is an error. */
bool tensor_stream_read(struct tensor_stream *stream, void *codes, size_t count,
                        struct error *error);
void tensor_stream_close(struct tensor_stream *stream);

/* Components of a tensor. */
static inline uint64_t tensor_components(const struct tensor *tensor) {
    return tensor->count * tensor->type->components;
}

#endif

/* Reading .npy: a header that is a dict of Python with descr, fortran_order and shape in that order, as
 * numpy writes it. Whatever else there is, is an error: nothing is guessed. */
#include "tensor/npy.h"
#include "tensor/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool npy_prefix(const unsigned char *bytes, size_t length, const char *label, size_t *start,
                size_t *header, struct error *error) {
    const bool is_short = length > 6 && bytes[6] == 1; /* its length has two bytes */
    *start = is_short ? 10 : 12;
    *header = 0;
    if (length < *start || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3 ||
        bytes[7] != 0)
        return error_set(error, "%.200s: .npy of another version, or cut off", label);
    for (size_t i = *start; i-- > 8;)
        *header = *header << 8 | bytes[i];
    return *header <= NPY_MOST_HEADER ||
           error_set(error, "%.200s: its .npy header says %zu bytes; those of numpy have up to %d",
                     label, *header, NPY_MOST_HEADER);
}

/* Steps over that text and blanks behind it. */
static bool step(const char **at, const char *text) {
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    *at += strspn(*at, " ");
    return true;
}

/* Reads a shape such as "(2, 3)", "(4,)" or "()". */
static bool read_shape(const char **at, uint64_t extents[TENSOR_DIMENSIONS], int *dimensions) {
    *dimensions = 0;
    if (!step(at, "("))
        return false;
    while (**at >= '0' && **at <= '9' && *dimensions < TENSOR_DIMENSIONS) {
        uint64_t extent = 0;
        for (; **at >= '0' && **at <= '9'; ++*at) {
            extent = 10 * extent + (uint64_t)(**at - '0');
            if (extent > INT64_MAX / 10)
                return false;
        }
        *at += strspn(*at, " ");
        extents[(*dimensions)++] = extent;
        if (!step(at, ",") && **at != ')')
            return false;
    }
    return step(at, ")");
}

/* The byte order and the name: "<f4". */
static const struct tensor_type *read_type(const char **at, bool *is_swapped, char name[32]) {
    size_t length = strcspn(*at, "'");
    const struct tensor_type *type = NULL;
    snprintf(name, 32, "%.*s", length < 31 ? (int)length : 31, *at);
    if (length > 1 && strchr("<>|", **at))
        type = tensor_type_of_numpy(*at + 1, length - 1);
    *is_swapped = **at == '>' && type && type->bytes > 1;
    *at += type ? length : 0;
    return type;
}

bool npy_add(struct tensor_file *file, const char *name, const char *header, const char *label,
             uint64_t bytes, struct error *error) {
    const char *at = header;
    char descr[32] = "";
    uint64_t extents[TENSOR_DIMENSIONS];
    int dimensions = 0;
    bool is_swapped = false, is_fortran,
         good = step(&at, "{") && step(&at, "'descr':") && step(&at, "'");
    const struct tensor_type *type = good ? read_type(&at, &is_swapped, descr) : NULL;
    if (good && !type)
        return error_set(
            error,
            "%.200s: .npy of '%s' is not read; only floats, integers, bool and complex numbers are",
            label, descr);
    good = good && step(&at, "'") && step(&at, ",") && step(&at, "'fortran_order':");
    is_fortran = good && step(&at, "True");
    good = good && (is_fortran || step(&at, "False")) && step(&at, ",") && step(&at, "'shape':") &&
           read_shape(&at, extents, &dimensions);
    step(&at, ",");
    if (!good || !step(&at, "}") || strcmp(at, "\n") != 0)
        return error_set(error,
                         "%.200s: its .npy header should be a dict of descr, fortran_order and "
                         "shape, of one type",
                         label);
    struct tensor *tensor = tensor_add(file, name, extents, dimensions, error);
    if (!tensor || !tensor_settle(file, tensor, type, bytes, error))
        return false;
    tensor->is_swapped = is_swapped;
    tensor->is_fortran = is_fortran && dimensions > 1;
    return true;
}

bool tensor_read_npy(struct tensor_file *file, struct error *error) {
    unsigned char prefix[NPY_PREFIX];
    size_t length = file->size < NPY_PREFIX ? (size_t)file->size : NPY_PREFIX, start, size;
    if (!tensor_read_at(file, prefix, length, 0, error) ||
        !npy_prefix(prefix, length, file->path, &start, &size, error))
        return false;
    if (size > file->size - start)
        return error_set(error, "%s is cut off within its .npy header", file->path);
    char *header = calloc(size + 1, 1);
    bool good = header ? tensor_read_at(file, header, size, start, error)
                       : error_set(error, "out of memory");
    good = good && npy_add(file, "", header, file->path, file->size - start - size, error);
    free(header);
    if (good)
        file->tensors[0].start = start + size;
    return good;
}

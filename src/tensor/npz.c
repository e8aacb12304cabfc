/* Reading .npz: a zip whose entries are .npy, stored or compressed. */
#include "tensor/npy.h"
#include "tensor/open.h"
#include "tensor/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY_ZIP = 22 }; /* bytes: the end of a directory that has no entries */

/* The header of the .npy that the zip stands at, and how many bytes it takes with what is before it. */
static char *read_header(const struct tensor_file *file, const struct zip_entry *entry,
                         const char *label, size_t *whole, struct error *error) {
    unsigned char prefix[NPY_PREFIX];
    size_t start, size;
    const size_t length = entry->size < NPY_PREFIX ? (size_t)entry->size : NPY_PREFIX;
    if (!zip_read(file, label, prefix, length, error) ||
        !npy_prefix(prefix, length, label, &start, &size, error))
        return NULL;
    if (size > entry->size - start) {
        error_set(error, "%s: cut off within its .npy header", label);
        return NULL;
    }
    char *header = calloc(size + NPY_PREFIX, 1);
    size_t had = length - start < size ? length - start : size; /* of the header, with the prefix */
    if (!header) {
        error_set(error, "out of memory");
        return NULL;
    }
    memcpy(header, prefix + start, had);
    *whole = start + size;
    if (zip_read(file, label, header + had, size - had, error))
        return header;
    free(header);
    return NULL;
}

static bool add_entry(struct tensor_file *file, const struct zip_entry *entry,
                      struct error *error) {
    char label[300], name[ZIP_MOST_NAME];
    size_t whole;
    const size_t length = strlen(entry->name);
    if (length < 4 || strcmp(entry->name + length - 4, ".npy") != 0)
        return error_set(error, "%s: its entry '%.200s' is not a .npy", file->path, entry->name);
    snprintf(label, sizeof label, "%.150s: %.100s", file->path, entry->name);
    snprintf(name, sizeof name, "%.*s", (int)length - 4, entry->name);
    if (!zip_begin(file, label, entry->position, error))
        return false;
    char *header = read_header(file, entry, label, &whole, error);
    const bool good = header && npy_add(file, name, header, label, entry->size - whole, error);
    free(header);
    zip_leave(file);
    if (!good)
        return false;
    struct tensor *tensor = &file->tensors[file->count - 1];
    tensor->storage = TENSOR_ENTRY;
    tensor->start = whole;
    tensor->position = entry->position;
    return true;
}

bool tensor_read_npz(struct tensor_file *file, struct error *error) {
    struct zip_entry entry;
    bool more;
    char first[4];
    if (!tensor_read_at(file, first, sizeof first, 0, error))
        return false;
    if (file->size == EMPTY_ZIP &&
        memcmp(first, "PK\5\6", 4) == 0) /* which minizip takes for none */
        return true;
    if (!zip_open(file, error))
        return false;
    for (bool good = zip_first(file, &entry, &more, error);;
         good = zip_next(file, &entry, &more, error)) {
        if (!good || !more)
            return good;
        if (!add_entry(file, &entry, error))
            return false;
    }
}

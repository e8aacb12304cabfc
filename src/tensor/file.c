/* What all kinds of files share. */
#include "tensor/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tensor_file_stays(const struct tensor_file *file, struct error *error) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0)
        return error_set(error, "cannot read the status of %s: %s", file->path, strerror(errno));
    return (file->size == (uint64_t)status.st_size &&
            file->written.tv_sec == status.st_mtim.tv_sec &&
            file->written.tv_nsec == status.st_mtim.tv_nsec) ||
           error_set(error, "%s was written while it was read", file->path);
}

const struct tensor *tensor_find(const struct tensor_file *file, const char *name) {
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i];
    return NULL;
}

const char *tensor_shape_text(const struct tensor *tensor, char text[TENSOR_SHAPE_TEXT]) {
    size_t used = 0;
    snprintf(text, TENSOR_SHAPE_TEXT, "a number");
    for (int i = 0; i < tensor->dimensions && used < TENSOR_SHAPE_TEXT; i++) {
        int more = snprintf(text + used, TENSOR_SHAPE_TEXT - used, "%s%" PRIu64, i ? "x" : "",
                            tensor->extents[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    return text;
}

bool tensor_same_shape(const struct tensor *a, const struct tensor *b) {
    bool same = a->dimensions == b->dimensions;
    for (int i = 0; same && i < a->dimensions; i++)
        same = a->extents[i] == b->extents[i];
    return same;
}

struct tensor *tensor_add(struct tensor_file *file, const char *name, const uint64_t *extents,
                          int dimensions, struct error *error) {
    if (dimensions < 0 || dimensions > TENSOR_DIMENSIONS) {
        error_set(error, "%s: tensor '%s' has %d dimensions; up to %d are read", file->path, name,
                  dimensions, TENSOR_DIMENSIONS);
        return NULL;
    }
    if (file->count == file->room) {
        size_t room = file->room ? 2 * file->room : 16;
        struct tensor *more = realloc(file->tensors, room * sizeof *more);
        if (!more) {
            error_set(error, "out of memory");
            return NULL;
        }
        file->tensors = more;
        file->room = room;
    }
    struct tensor *tensor = &file->tensors[file->count];
    *tensor = (struct tensor){.name = strdup(name), .dimensions = dimensions};
    tensor->extents = malloc(((size_t)dimensions + 1) * sizeof *tensor->extents);
    if (!tensor->name || !tensor->extents) {
        free(tensor->name);
        free(tensor->extents);
        error_set(error, "out of memory");
        return NULL;
    }
    if (dimensions)
        memcpy(tensor->extents, extents, (size_t)dimensions * sizeof *extents);
    file->count++;
    return tensor;
}

bool tensor_settle(const struct tensor_file *file, struct tensor *tensor,
                   const struct tensor_type *type, uint64_t bytes, struct error *error) {
    uint64_t count = 1;
    bool is_empty = false;
    char shape[TENSOR_SHAPE_TEXT];
    for (int i = 0; i < tensor->dimensions; i++)
        is_empty = is_empty || !tensor->extents[i];
    for (int i = 0; i < tensor->dimensions && !is_empty; i++) {
        if (tensor->extents[i] > INT64_MAX / 16 / count)
            return error_set(error, "%s: tensor '%s' of %s has more elements than any file",
                             file->path, tensor->name, tensor_shape_text(tensor, shape));
        count *= tensor->extents[i];
    }
    tensor->count = is_empty ? 0 : count;
    tensor->type = type;
    tensor->length = type->packed ? (tensor->count + type->packed - 1) / type->packed
                                  : tensor->count * type->bytes;
    if (tensor->length == bytes)
        return true;
    return error_set(error,
                     "%s: tensor '%s', %s %s, takes %" PRIu64 " bytes, and the file has %" PRIu64
                     " for it",
                     file->path, tensor->name, tensor_type_name(type),
                     tensor_shape_text(tensor, shape), tensor->length, bytes);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool tensor_names_differ(const struct tensor_file *file, struct error *error) {
    const char **names = malloc((file->count + 1) * sizeof *names);
    const char *twice = NULL;
    if (!names)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < file->count; i++)
        names[i] = file->tensors[i].name;
    qsort(names, file->count, sizeof *names, by_name);
    for (size_t i = 1; i < file->count && !twice; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            twice = names[i];
    if (twice)
        error_set(error, "%s has two tensors of the name '%s'", file->path, twice);
    free(names);
    return !twice;
}

bool tensor_read_at(const struct tensor_file *file, void *bytes, size_t length, uint64_t place,
                    struct error *error) {
    for (size_t done = 0; done < length;) {
        ssize_t got =
            pread(file->descriptor, (char *)bytes + done, length - done, (off_t)(place + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, "cannot read %s: %s", file->path, strerror(errno));
        if (got == 0)
            return error_set(error,
                             "%s is truncated: %" PRIu64 " bytes were there, and are not now",
                             file->path, file->size);
        done += (size_t)got;
    }
    return true;
}

/* Reading .npz: a zip whose entries are .npy, stored or compressed. */
#include "tensor/npy.h"
#include "tensor/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

/* Reads up to that many bytes, all where the entry has them. */
static size_t read_entry(zip_file_t *entry, void *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        zip_int64_t got = zip_fread(entry, (char *)bytes + done, length - done);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

static bool add_entry(struct tensor_file *file, uint64_t index, struct error *error) {
    zip_stat_t status;
    unsigned char prefix[NPY_PREFIX];
    char label[300], name[4096];
    size_t start, size;
    if (zip_stat_index(file->zip, index, 0, &status) != 0 || !(status.valid & ZIP_STAT_NAME) ||
        !(status.valid & ZIP_STAT_SIZE))
        return error_set(error, "%s: entry %" PRIu64 " of the zip cannot be read", file->path,
                         index);
    size_t length = strlen(status.name);
    if (length < 4 || strcmp(status.name + length - 4, ".npy") != 0 || length >= sizeof name)
        return error_set(error, "%s: its entry '%.200s' is no .npy", file->path, status.name);
    snprintf(label, sizeof label, "%.150s: %.100s", file->path, status.name);
    snprintf(name, sizeof name, "%.*s", (int)length - 4, status.name);
    zip_file_t *entry = zip_fopen_index(file->zip, index, 0);
    if (!entry)
        return error_set(error, "%s: %s", label, zip_strerror(file->zip));
    size_t got = read_entry(entry, prefix, NPY_PREFIX);
    char *header = NULL;
    bool good = npy_prefix(prefix, got, label, &start, &size, error);
    if (good && (status.size < start || size > status.size - start))
        good = error_set(error, "%s: cut off within its .npy header", label);
    if (good) {
        size_t had = got - start; /* of the header, with the prefix */
        header = calloc(size + NPY_PREFIX + 1, 1);
        good = header != NULL || error_set(error, "out of memory");
        had = had < size ? had : size;
        if (good)
            memcpy(header, prefix + start, had);
        if (good && read_entry(entry, header + had, size - had) != size - had)
            good = error_set(error, "%s: %s", label, zip_file_strerror(entry));
    }
    good = good && npy_add(file, name, header, label, status.size - start - size, error);
    if (good) {
        struct tensor *tensor = &file->tensors[file->count - 1];
        tensor->storage = TENSOR_ENTRY;
        tensor->start = start + size;
        tensor->entry = index;
        tensor->is_compressed =
            !(status.valid & ZIP_STAT_COMP_METHOD) || status.comp_method != ZIP_CM_STORE;
    }
    free(header);
    zip_fclose(entry);
    return good;
}

bool tensor_read_npz(struct tensor_file *file, struct error *error) {
    int code = 0;
    const int descriptor = dup(file->descriptor); /* which zip_discard closes */
    file->zip = descriptor < 0 ? NULL : zip_fdopen(descriptor, 0, &code);
    if (!file->zip) {
        zip_error_t why;
        zip_error_init_with_code(&why, code);
        error_set(error, "%s: the zip cannot be read: %s", file->path, zip_error_strerror(&why));
        zip_error_fini(&why);
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    const zip_int64_t count = zip_get_num_entries(file->zip, 0);
    for (zip_int64_t i = 0; i < count; i++)
        if (!add_entry(file, (uint64_t)i, error))
            return false;
    return true;
}

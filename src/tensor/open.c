/* Opening files of tensors: which kind one is. */
#include "tensor/open.h"

#include "tensor/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 16 };

static bool starts_npy(const unsigned char *first, size_t length) {
    return length >= 8 && memcmp(first, "\x93NUMPY", 6) == 0;
}

static bool starts_zip(const unsigned char *first, size_t length) {
    return length >= 4 && (memcmp(first, "PK\3\4", 4) == 0 || memcmp(first, "PK\5\6", 4) == 0);
}

/* The length of the JSON, and its first character. */
static bool starts_safetensors(const unsigned char *first, size_t length) {
    return length >= 9 && first[8] == '{' && !first[4] && !first[5] && !first[6] && !first[7];
}

static bool never(const unsigned char *first, size_t length) {
    (void)first;
    (void)length;
    return false;
}

static const struct kind {
    const char *name, *suffix; /* the suffix of those that no first bytes show */
    bool (*starts)(const unsigned char *first, size_t length);
    bool (*read)(struct tensor_file *file, struct error *error);
} kinds[] = {
    {"npy", NULL, starts_npy, tensor_read_npy},
    {"npz", NULL, starts_zip, tensor_read_npz},
    {"safetensors", NULL, starts_safetensors, tensor_read_safetensors},
    {"TensorProto", ".pb", never, tensor_read_onnx},
};

static const struct kind *kind_of(const char *path, const unsigned char *first, size_t length) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t of_path = strlen(path), of_suffix = kinds[i].suffix ? strlen(kinds[i].suffix) : 0;
        if (kinds[i].starts(first, length) ||
            (of_suffix && of_path > of_suffix &&
             strcmp(path + of_path - of_suffix, kinds[i].suffix) == 0))
            return &kinds[i];
    }
    return NULL;
}

/* A descriptor of a plain file, its status and its first bytes. */
static int open_plain(const char *path, struct stat *status, unsigned char first[FIRST_BYTES],
                      size_t *length, struct error *error) {
    ssize_t got = -1;
    /* Looked at first: opening a pipe would take it from who is to read it. */
    const bool is_pipe = stat(path, status) == 0 && !S_ISREG(status->st_mode);
    int descriptor = is_pipe ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0 && fstat(descriptor, status) == 0 && S_ISREG(status->st_mode))
        got = pread(descriptor, first, FIRST_BYTES, 0);
    if (got >= 0) {
        *length = (size_t)got;
        return descriptor;
    }
    if (descriptor < 0 && !is_pipe)
        error_set(error, "cannot open %s: %s", path, strerror(errno));
    else
        error_set(error, "%s is not a plain file; tensors are read from plain files", path);
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

bool tensor_file_is(const char *path) {
    unsigned char first[FIRST_BYTES];
    struct stat status;
    size_t length;
    struct error unused;
    int descriptor = open_plain(path, &status, first, &length, &unused);
    if (descriptor < 0)
        return false;
    close(descriptor);
    return kind_of(path, first, length) != NULL;
}

static bool read_raw(struct tensor_file *file, const struct tensor_raw *raw, struct error *error) {
    const struct tensor_type *type = raw && raw->format ? tensor_type_of_format(raw->format) : NULL;
    if (!raw || !raw->format)
        return error_set(error,
                         "%s is not a .npy, .npz, .safetensors or .pb; for raw elements give their "
                         "format and shape, such as -f fp32 --shape 4x1024",
                         file->path);
    if (!type)
        return error_set(error, "%s: detcheck cannot read elements of %s from files", file->path,
                         raw->format->name);
    const uint64_t all = file->size / type->bytes;
    struct tensor *tensor = tensor_add(file, "", raw->has_shape ? raw->extents : &all,
                                       raw->has_shape ? raw->dimensions : 1, error);
    file->kind = "raw";
    file->took_format = true;
    return tensor && tensor_settle(file, tensor, type, file->size, error);
}

/* What a file does not say of its elements, the caller may. */
static void give_format(struct tensor_file *file, const struct tensor_raw *raw) {
    const struct tensor_type *type = raw && raw->format ? tensor_type_of_format(raw->format) : NULL;
    for (size_t i = 0; type && i < file->count; i++)
        if (!file->tensors[i].type->format && file->tensors[i].type->bytes == type->bytes) {
            file->tensors[i].type = type;
            file->took_format = true;
        }
}

void tensor_file_close(struct tensor_file *file) {
    for (size_t i = 0; i < file->count; i++) {
        free(file->tensors[i].name);
        free(file->tensors[i].extents);
    }
    free(file->tensors);
    zip_close(file);
    if (file->descriptor >= 0)
        close(file->descriptor);
    *file = (struct tensor_file){.descriptor = -1};
}

bool tensor_file_open(struct tensor_file *file, const char *path, const struct tensor_raw *raw,
                      struct error *error) {
    unsigned char first[FIRST_BYTES];
    struct stat status;
    size_t length;
    *file = (struct tensor_file){.path = path};
    file->descriptor = open_plain(path, &status, first, &length, error);
    if (file->descriptor < 0)
        return false;
    file->size = (uint64_t)status.st_size;
    file->written = status.st_mtim;
    const struct kind *kind = kind_of(path, first, length);
    file->kind = kind ? kind->name : NULL;
    bool good = kind ? kind->read(file, error) : read_raw(file, raw, error);
    if (good && tensor_names_differ(file, error)) {
        give_format(file, raw);
        return true;
    }
    tensor_file_close(file);
    return false;
}

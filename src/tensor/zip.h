/* Zips, by zlib's minizip: which entries one has, and their bytes from the first to the last. */
#ifndef DETCHECK_TENSOR_ZIP_H
#define DETCHECK_TENSOR_ZIP_H

#include "tensor/file.h"

enum { ZIP_MOST_NAME = 4096 };

struct zip_entry {
    char name[ZIP_MOST_NAME];
    uint64_t size;                /* of its bytes, uncompressed */
    struct zip_position position; /* for zip_begin */
};

/* Opens the zip of a file; tensor_file_close closes it. */
bool zip_open(struct tensor_file *file, struct error *error);
void zip_close(struct tensor_file *file);

/* The first entry, and then the next one; *more is false where there is none. False with an error of what is
 * damaged, encrypted or compressed by other means than zlib's, and of names longer than ZIP_MOST_NAME. */
bool zip_first(const struct tensor_file *file, struct zip_entry *entry, bool *more,
               struct error *error);
bool zip_next(const struct tensor_file *file, struct zip_entry *entry, bool *more,
              struct error *error);

/* Begins to read an entry; one at a time. Errors begin with `label`. */
bool zip_begin(const struct tensor_file *file, const char *label, struct zip_position position,
               struct error *error);
/* Exactly those bytes. */
bool zip_read(const struct tensor_file *file, const char *label, void *bytes, size_t length,
              struct error *error);
/* After the last byte: that the checksum is right. */
bool zip_end(const struct tensor_file *file, const char *label, struct error *error);
/* Before the last byte. */
void zip_leave(const struct tensor_file *file);

#endif

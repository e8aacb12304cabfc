/* Reading zips. */
#include "tensor/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <minizip/unzip.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1, MOST_READ = 1 << 30 };

/* minizip's way of opening a file: the one that is open already. */
static voidpf open_again(voidpf opaque, const void *path, int mode) {
    const int descriptor =
        fcntl(((const struct tensor_file *)opaque)->descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    (void)path;
    (void)mode;
    if (descriptor >= 0 && !stream)
        close(descriptor);
    return stream;
}

static bool damaged(const char *label, int code, struct error *error) {
    return error_set(error, "%s: %s", label,
                     code == UNZ_CRCERROR         ? "the checksum of the zip is wrong"
                     : code == UNZ_ERRNO && errno ? strerror(errno)
                                                  : "the zip is damaged, or cut off");
}

bool zip_open(struct tensor_file *file, struct error *error) {
    zlib_filefunc64_def functions;
    fill_fopen64_filefunc(&functions);
    functions.zopen64_file = open_again;
    functions.opaque = file;
    file->zip = unzOpen2_64(file->path, &functions);
    return file->zip || damaged(file->path, UNZ_BADZIPFILE, error);
}

void zip_close(struct tensor_file *file) {
    if (file->zip)
        unzClose(file->zip);
    file->zip = NULL;
}

static bool look(const struct tensor_file *file, struct zip_entry *entry, struct error *error) {
    unz_file_info64 info;
    unz64_file_pos position;
    const int code = unzGetCurrentFileInfo64(file->zip, &info, entry->name, sizeof entry->name - 1,
                                             NULL, 0, NULL, 0);
    entry->name[sizeof entry->name - 1] = '\0';
    if (code != UNZ_OK || unzGetFilePos64(file->zip, &position) != UNZ_OK)
        return damaged(file->path, UNZ_BADZIPFILE, error);
    if (info.size_filename >= sizeof entry->name || strlen(entry->name) != info.size_filename)
        return error_set(error, "%s: an entry's name is too long, or has a zero byte", file->path);
    if (info.flag & ENCRYPTED ||
        (info.compression_method != STORED && info.compression_method != DEFLATED))
        return error_set(error,
                         "%s: its entry '%.200s' is %s; only stored and deflated entries are read",
                         file->path, entry->name,
                         info.flag & ENCRYPTED ? "encrypted" : "compressed by other means");
    entry->size = info.uncompressed_size;
    entry->position = (struct zip_position){position.pos_in_zip_directory, position.num_of_file};
    return true;
}

static bool step(const struct tensor_file *file, int code, struct zip_entry *entry, bool *more,
                 struct error *error) {
    *more = code == UNZ_OK;
    if (code == UNZ_END_OF_LIST_OF_FILE)
        return true;
    return *more ? look(file, entry, error) : damaged(file->path, code, error);
}

bool zip_first(const struct tensor_file *file, struct zip_entry *entry, bool *more,
               struct error *error) {
    return step(file, unzGoToFirstFile(file->zip), entry, more, error);
}

bool zip_next(const struct tensor_file *file, struct zip_entry *entry, bool *more,
              struct error *error) {
    const unz64_file_pos here = {entry->position.directory, entry->position.number};
    if (unzGoToFilePos64(file->zip, &here) != UNZ_OK)
        return damaged(file->path, UNZ_BADZIPFILE, error);
    return step(file, unzGoToNextFile(file->zip), entry, more, error);
}

bool zip_begin(const struct tensor_file *file, const char *label, struct zip_position position,
               struct error *error) {
    const unz64_file_pos here = {position.directory, position.number};
    errno = 0;
    int code = unzGoToFilePos64(file->zip, &here);
    if (code == UNZ_OK)
        code = unzOpenCurrentFile(file->zip);
    return code == UNZ_OK || damaged(label, code, error);
}

bool zip_read(const struct tensor_file *file, const char *label, void *bytes, size_t length,
              struct error *error) {
    errno = 0;
    for (size_t done = 0; done < length;) {
        const size_t left = length - done;
        const int got = unzReadCurrentFile(file->zip, (char *)bytes + done,
                                           left < MOST_READ ? (unsigned)left : MOST_READ);
        if (got <= 0)
            return damaged(label, got, error);
        done += (size_t)got;
    }
    return true;
}

bool zip_end(const struct tensor_file *file, const char *label, struct error *error) {
    const int code = unzCloseCurrentFile(file->zip);
    return code == UNZ_OK || damaged(label, code, error);
}

void zip_leave(const struct tensor_file *file) {
    unzCloseCurrentFile(file->zip);
}

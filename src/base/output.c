/* Write where no name shows it, sync, give it its name. */
#if defined(__linux__)
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include "base/output.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Short, so that there is room for it wherever there is room for a name. */
static const char temporary_name[] = ".detcheck-XXXXXX";

static bool cannot(struct error *error, const char *path, int code) {
    return error_set(error, "cannot write %s%s: %s", strcmp(path, "-") == 0 ? "to stdout" : "",
                     strcmp(path, "-") == 0 ? "" : path, strerror(code));
}

static bool give_up(struct output *output, struct error *error, int code) {
    cannot(error, output->path ? output->path : "the output", code);
    output_discard(output);
    return false;
}

/* mkstemp makes a file for the owner alone; a report is an ordinary file, so the umask decides. */
static mode_t ordinary_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Where the last part of a path begins. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path of a sibling of the target, or of its folder where `name` is ".". */
static char *beside(const char *target, const char *name) {
    size_t folder = folder_length(target);
    char *path = malloc(folder + strlen(name) + 1);
    if (path) {
        memcpy(path, target, folder);
        strcpy(path + folder, name);
    }
    return path;
}

/* A new file beside the target, under a name of its own; -1 with errno on failure. */
static int make_named(struct output *output) {
    output->temporary = beside(output->target, temporary_name);
    int descriptor = output->temporary ? mkstemp(output->temporary) : -1;
    if (descriptor < 0) {
        free(output->temporary);
        output->temporary = NULL;
    }
    return descriptor;
}

static void remove_temporary(struct output *output) {
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
}

#if defined(O_TMPFILE)
/* A new file beside the target that has no name, so that a process that is killed leaves nothing;
 * -1 where the file system or the kernel has no such files. */
static int make_nameless(const struct output *output) {
    char *folder = beside(output->target, ".");
    int descriptor = folder && access("/proc/self/fd", X_OK) == 0
                         ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)
                         : -1;
    free(folder);
    return descriptor;
}

/* Names it: at once where the target is new, by way of another name where it takes its place. */
static bool name_it(struct output *output, int descriptor) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (linkat(AT_FDCWD, path, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    for (unsigned attempt = 0; errno == EEXIST && attempt < 1000; attempt++) {
        char name[64];
        snprintf(name, sizeof name, ".detcheck-%lx-%x", (unsigned long)getpid(), attempt);
        free(output->temporary);
        output->temporary = beside(output->target, name);
        if (!output->temporary)
            return false;
        if (linkat(AT_FDCWD, path, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) != 0)
            continue;
        if (rename(output->temporary, output->target) == 0)
            return true;
        remove_temporary(output);
        return false;
    }
    free(output->temporary); /* it is not ours */
    output->temporary = NULL;
    return false;
}
#else
static int make_nameless(const struct output *output) {
    (void)output;
    errno = EOPNOTSUPP;
    return -1;
}

static bool name_it(struct output *output, int descriptor) {
    (void)output;
    (void)descriptor;
    return false;
}
#endif

/* Without a name where that can be; else kept in memory until it is whole, and that a file can be
 * made there is tried now. */
static bool open_hidden(struct output *output, struct error *error) {
    int descriptor = make_nameless(output);
    if (descriptor >= 0) {
        output->stream = fdopen(descriptor, "w");
        if (!output->stream)
            close(descriptor);
        return output->stream ? true : give_up(output, error, errno);
    }
    descriptor = make_named(output);
    if (descriptor < 0)
        return give_up(output, error, errno);
    close(descriptor);
    remove_temporary(output);
    output->in_memory = true;
    output->stream = memory_stream(&output->content, &output->size);
    return output->stream ? true : give_up(output, error, errno);
}

/* Copies the `size` bytes of a file, or those of memory where `from` is -1. */
static bool copy_content(const struct output *output, int from, int to) {
    char piece[1 << 14];
    for (off_t done = 0;;) {
        const char *bytes = piece;
        ssize_t count;
        if (from >= 0)
            count = pread(from, piece, sizeof piece, done);
        else {
            bytes = output->content + done;
            count = (ssize_t)(output->size - (size_t)done);
        }
        if (count == 0)
            return true;
        if (count > 0) {
            count = write(to, bytes, (size_t)count);
            if (count == 0) { /* the end is what is read, never what is written */
                errno = EIO;
                return false;
            }
        }
        if (count < 0 && errno != EINTR)
            return false;
        done += count > 0 ? count : 0;
    }
}

/* A copy under a name of its own takes the target's place, once it is on its disk. */
static bool write_beside(struct output *output, int from) {
    int descriptor = make_named(output);
    if (descriptor < 0)
        return false;
    bool written = copy_content(output, from, descriptor) &&
                   fchmod(descriptor, output->mode) == 0 && fsync(descriptor) == 0;
    int code = errno;
    if (close(descriptor) != 0 && written) {
        written = false;
        code = errno;
    }
    errno = code;
    return written && rename(output->temporary, output->target) == 0;
}

/* A file without a name gets it once it is on its disk. What may refuse that, such as a file system
 * that has no second names, leaves the way of a copy. */
static bool put_in_place(struct output *output, int descriptor) {
    bool placed = fchmod(descriptor, output->mode) == 0 && fsync(descriptor) == 0 &&
                  (name_it(output, descriptor) || write_beside(output, descriptor));
    int code = errno;
    close(descriptor); /* the stream's descriptor was closed before, and fsync has said the rest */
    errno = code;
    return placed;
}

/* The name reaches the disk too, where the file system has a way: who removes another file next relies on
 * it. */
static bool sync_folder(const struct output *output) {
    char *folder = beside(output->target, ".");
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool lost = descriptor >= 0 && fsync(descriptor) != 0 && errno == EIO;
    int code = errno;
    if (descriptor >= 0)
        close(descriptor);
    free(folder);
    errno = code;
    return !lost;
}

/* What the path names once symbolic links are followed, though the last of them may name nothing
 * yet. NULL when memory or the patience with links ends. */
static char *follow_links(const char *path) {
    char *name = strdup(path);
    for (int links = 0; name && links < 16; links++) {
        char next[4096];
        ssize_t length = readlink(name, next, sizeof next - 1);
        if (length < 0)
            return name;
        next[length] = '\0';
        size_t folder = next[0] == '/' ? 0 : folder_length(name);
        char *joined = malloc(folder + (size_t)length + 1);
        if (joined) {
            memcpy(joined, name, folder);
            memcpy(joined + folder, next, (size_t)length + 1);
        }
        free(name);
        name = joined;
    }
    free(name);
    errno = ELOOP;
    return NULL;
}

bool output_open(struct output *output, const char *path, struct error *error) {
    *output = (struct output){0};
    if (!*path)
        return error_set(error, "the output file has an empty name; '-' is stdout");
    output->path = strdup(path);
    if (!output->path)
        return give_up(output, error, ENOMEM);
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        return true;
    }
    struct stat status;
    bool exists = stat(path, &status) == 0;
    /* Whatever else keeps it from being looked at, such as a link that must not be followed, is no
     * sign of a new file. */
    if (!exists && errno != ENOENT)
        return give_up(output, error, errno);
    if (exists && S_ISDIR(status.st_mode))
        return give_up(output, error, EISDIR);
    if (exists && !S_ISREG(status.st_mode)) {
        output->stream = fopen(path, "w");
        return output->stream ? true : give_up(output, error, errno);
    }
    if (exists && access(path, W_OK) != 0)
        return give_up(output, error, errno);
    output->target = follow_links(path);
    if (!output->target)
        return give_up(output, error, errno);
    output->mode = exists ? status.st_mode & 0777 : ordinary_mode();
    return open_hidden(output, error);
}

/* Why a write before failed: a failure in the middle leaves no reason behind, one more byte
 * does. */
static int reason_of_failure(FILE *stream) {
    clearerr(stream);
    errno = 0;
    if (fputc('\n', stream) == EOF || fflush(stream) != 0)
        return errno ? errno : EIO;
    return EIO;
}

bool output_commit(struct output *output, struct error *error) {
    int code = 0;
    if (ferror(output->stream))
        code = reason_of_failure(output->stream);
    else if (fflush(output->stream) != 0)
        code = errno ? errno : EIO;
    if (code)
        return give_up(output, error, code);
    bool nameless = output->target && !output->in_memory;
    int descriptor = nameless ? dup(fileno(output->stream)) : -1;
    if (nameless && descriptor < 0)
        return give_up(output, error, errno);
    if (output->stream != stdout) {
        FILE *stream = output->stream;
        output->stream = NULL;
        if (fclose(stream) != 0) {
            code = errno;
            if (nameless)
                close(descriptor);
            return give_up(output, error, code);
        }
    }
    if (output->target &&
        !((nameless ? put_in_place(output, descriptor) : write_beside(output, -1)) &&
          sync_folder(output)))
        return give_up(output, error, errno);
    free(output->temporary); /* it is the target now */
    output->temporary = NULL;
    output_discard(output);
    return true;
}

void output_discard(struct output *output) {
    if (output->stream && output->stream != stdout)
        fclose(output->stream);
    remove_temporary(output);
    free(output->content);
    free(output->target);
    free(output->path);
    *output = (struct output){0};
}

static volatile sig_atomic_t dropped;

void output_drop_stdout(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return;
    dropped = dup2(nowhere, STDOUT_FILENO) >= 0;
    close(nowhere);
}

bool output_flush_stdout(struct error *error) {
    /* Why the first failure happened: errno does not outlive it, the stream's flag does. */
    static int reason;
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || dropped)
        return true;
    reason = errno ? errno : reason ? reason : EIO;
    return error_set(error, "cannot write to stdout: %s", strerror(reason));
}

bool output_identify(const char *path, struct file_identity *identity) {
    struct stat status;
    *identity = (struct file_identity){0};
    if (stat(path, &status) == 0) {
        identity->device = status.st_dev;
        identity->inode = status.st_ino;
        return S_ISREG(status.st_mode);
    }
    char *target = errno == ENOENT ? follow_links(path) : NULL;
    char *folder = target ? beside(target, ".") : NULL;
    bool known = folder && stat(folder, &status) == 0;
    if (known) {
        identity->device = status.st_dev;
        identity->inode = status.st_ino;
        snprintf(identity->name, sizeof identity->name, "%s", target + folder_length(target));
    }
    free(folder);
    free(target);
    return known;
}

bool output_same(const struct file_identity *a, const struct file_identity *b) {
    return a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0;
}

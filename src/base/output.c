/* Write beside, sync, rename. */
#include "base/output.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".XXXXXX";

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

/* A new file beside the target, named so that no other has the name; -1 with errno on failure. */
static int make_temporary(struct output *output) {
    size_t length = strlen(output->target);
    output->temporary = malloc(length + sizeof suffix);
    if (!output->temporary)
        return -1;
    memcpy(output->temporary, output->target, length);
    memcpy(output->temporary + length, suffix, sizeof suffix);
    int descriptor = mkstemp(output->temporary);
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

/* The content is kept in memory until it is whole, so that a process that is killed leaves nothing;
 * that a file can be made there is tried now. */
static bool open_in_memory(struct output *output, struct error *error) {
    int descriptor = make_temporary(output);
    if (descriptor < 0)
        return give_up(output, error, errno);
    close(descriptor);
    remove_temporary(output);
    output->stream = memory_stream(&output->content, &output->size);
    return output->stream ? true : give_up(output, error, errno);
}

static bool write_beside(struct output *output, struct error *error) {
    int descriptor = make_temporary(output);
    if (descriptor < 0)
        return give_up(output, error, errno);
    FILE *file = fdopen(descriptor, "w");
    bool written = file && fchmod(descriptor, output->mode) == 0 &&
                   fwrite(output->content, 1, output->size, file) == output->size &&
                   fflush(file) == 0 && fsync(descriptor) == 0;
    int code = errno;
    if (file ? fclose(file) != 0 : close(descriptor) != 0)
        written = false;
    if (written && rename(output->temporary, output->target) == 0) {
        free(output->temporary);
        output->temporary = NULL;
        return true;
    }
    return give_up(output, error, code ? code : errno);
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
        const char *slash = next[0] == '/' ? NULL : strrchr(name, '/');
        size_t folder = slash ? (size_t)(slash - name) + 1 : 0;
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
    return open_in_memory(output, error);
}

bool output_commit(struct output *output, struct error *error) {
    if (ferror(output->stream) || fflush(output->stream) != 0)
        return give_up(output, error, errno ? errno : EIO);
    if (output->stream != stdout) {
        FILE *stream = output->stream;
        output->stream = NULL;
        if (fclose(stream) != 0)
            return give_up(output, error, errno);
    }
    if (output->target && !write_beside(output, error))
        return false;
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

bool output_flush_stdout(struct error *error) {
    /* Why the first failure happened: errno does not outlive it, the stream's flag does. */
    static int reason;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    reason = errno ? errno : reason ? reason : EIO;
    return error_set(error, "cannot write to stdout: %s", strerror(reason));
}

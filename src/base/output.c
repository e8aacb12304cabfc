/* Write beside, sync, rename. */
#include "base/output.h"

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

static bool open_beside(struct output *output, const struct stat *existing, struct error *error) {
    size_t length = strlen(output->target);
    output->temporary = malloc(length + sizeof suffix);
    if (!output->temporary)
        return give_up(output, error, ENOMEM);
    memcpy(output->temporary, output->target, length);
    memcpy(output->temporary + length, suffix, sizeof suffix);
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        int code = errno;
        free(output->temporary);
        output->temporary = NULL;
        return give_up(output, error, code);
    }
    if (fchmod(descriptor, existing ? existing->st_mode & 07777 : ordinary_mode()) != 0 ||
        !(output->stream = fdopen(descriptor, "w"))) {
        int code = errno;
        close(descriptor);
        return give_up(output, error, code);
    }
    return true;
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
    return open_beside(output, exists ? &status : NULL, error);
}

bool output_commit(struct output *output, struct error *error) {
    bool to_stdout = output->stream == stdout;
    if (ferror(output->stream) || fflush(output->stream) != 0)
        return give_up(output, error, errno ? errno : EIO);
    if (output->temporary && fsync(fileno(output->stream)) != 0)
        return give_up(output, error, errno);
    if (!to_stdout) {
        FILE *stream = output->stream;
        output->stream = NULL;
        if (fclose(stream) != 0)
            return give_up(output, error, errno);
    }
    if (output->temporary) {
        if (rename(output->temporary, output->target) != 0)
            return give_up(output, error, errno);
        free(output->temporary);
        output->temporary = NULL;
    }
    output_discard(output);
    return true;
}

void output_discard(struct output *output) {
    if (output->stream && output->stream != stdout)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
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

/* What a file was when it was read: its place, its size and when it was written. */
#include "base/file_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files that were read, until the process ends. */
static struct kept {
    struct kept *next;
    struct file_state state;
    char path[];
} * kept_files;

static struct file_state state_of(const struct stat *status) {
    return (struct file_state) {
#if defined(__APPLE__)
        .written = status->st_mtimespec,
#else
        .written = status->st_mtim,
#endif
        .is_file = S_ISREG(status->st_mode), .device = status->st_dev, .node = status->st_ino,
        .size = status->st_size
    };
}

static bool is_same(const struct file_state *a, const struct file_state *b) {
    return a->is_file == b->is_file && a->device == b->device && a->node == b->node &&
           a->size == b->size && a->written.tv_sec == b->written.tv_sec &&
           a->written.tv_nsec == b->written.tv_nsec;
}

static bool has_changed(const char *path, const char *when, struct error *error) {
    return error_set(error,
                     "%.200s changed while %s: another process wrote, cut or replaced it; run the "
                     "command again when that process has finished",
                     path, when);
}

struct file_state file_state_of(FILE *stream) {
    struct stat status;
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode))
        return (struct file_state){.is_file = false};
    return state_of(&status);
}

bool file_state_stays(const struct file_state *before, FILE *stream, const char *path,
                      struct error *error) {
    const struct file_state now = file_state_of(stream);
    return !before->is_file || is_same(before, &now) || has_changed(path, "it was read", error);
}

/* Of a file that is gone nothing is known either. */
static struct file_state state_at(const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return (struct file_state){.is_file = false};
    return state_of(&status);
}

bool file_keep(const char *path, struct error *error) {
    const struct file_state now = state_at(path);
    struct kept *kept = kept_files;
    while (kept && strcmp(kept->path, path) != 0)
        kept = kept->next;
    if (kept)
        return is_same(&kept->state, &now) || has_changed(path, "the run lasted", error);
    if (!now.is_file)
        return true;
    const size_t length = strlen(path) + 1;
    kept = malloc(sizeof *kept + length);
    if (!kept)
        return error_set(error, "out of memory for %.200s", path);
    *kept = (struct kept){.next = kept_files, .state = now};
    memcpy(kept->path, path, length);
    kept_files = kept;
    return true;
}

bool files_stay(struct error *error) {
    for (const struct kept *kept = kept_files; kept; kept = kept->next) {
        const struct file_state now = state_at(kept->path);
        if (!is_same(&kept->state, &now))
            return has_changed(kept->path, "the run lasted", error);
    }
    return true;
}

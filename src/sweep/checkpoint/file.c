/* Reading, locking, replacing. */
#include "sweep/checkpoint/file.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/output.h"
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define FAMILY "detcheck checkpoint "
static const char magic[] = FAMILY "1\n";
enum { MAGIC = sizeof magic - 1, HASH = sizeof(XXH128_canonical_t) };

void bytes_add(struct bytes *bytes, const void *data, size_t size) {
    if (bytes->size + size > bytes->room) {
        size_t room = 2 * bytes->room + size;
        uint8_t *larger = realloc(bytes->data, room);
        if (!larger) {
            bytes->failed = true;
            return;
        }
        bytes->data = larger;
        bytes->room = room;
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void bytes_free(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void bytes_put_document(struct bytes *bytes, cJSON *document) {
    char *text = document ? cJSON_Print(document) : NULL;
    cJSON_Delete(document);
    bytes->size = 0;
    bytes->failed = !text;
    if (text)
        bytes_add(bytes, text, strlen(text));
    cJSON_free(text);
}

cJSON *bytes_document(const struct bytes *bytes, const char *path, struct error *error) {
    char *text = malloc(bytes->size + 1);
    if (!text) {
        error_set(error, "out of memory for %.200s", path);
        return NULL;
    }
    if (bytes->size)
        memcpy(text, bytes->data, bytes->size);
    text[bytes->size] = '\0';
    return json_parse(text, bytes->size, path, "state of a checkpoint", error);
}

static bool cannot(struct error *error, const char *what, const char *path) {
    return error_set(error, "cannot %s %.200s: %s", what, path, strerror(errno));
}

/* A file that takes no end is none of ours, and nor is one that is larger than the states of the largest
 * runs, of which thousands of outputs have their digests. What is no checkpoint is not read. */
enum { MOST_MIB = 4096 };

static bool check_file(int descriptor, const char *path, const char *begins, struct error *error) {
    struct stat status;
    char start[64];
    size_t length = begins ? strlen(begins) : 0;
    if (fstat(descriptor, &status) != 0)
        return cannot(error, "read", path);
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%.200s is not a plain file; name one, or a new file", path);
    if (length && (pread(descriptor, start, length, 0) != (ssize_t)length ||
                   memcmp(start, begins, length) != 0))
        return error_set(error, "%.200s is not a checkpoint; name a new file", path);
    return (uintmax_t)status.st_size >> 20 < MOST_MIB ||
           error_set(error, "%.200s is larger than %d MiB, the most that is read", path, MOST_MIB);
}

/* The whole file, which begins so; *found is false where there is none. */
static bool read_whole(const char *path, const char *begins, struct bytes *bytes, bool *found,
                       struct error *error) {
    char piece[1 << 14];
    ssize_t count = 1;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would else wait */
    *found = descriptor >= 0;
    if (!*found)
        return errno == ENOENT || cannot(error, "read", path);
    bool good = check_file(descriptor, path, begins, error);
    while (good && count > 0 && !bytes->failed) {
        count = read(descriptor, piece, sizeof piece);
        if (count > 0)
            bytes_add(bytes, piece, (size_t)count);
    }
    good = good && (count == 0 || cannot(error, "read", path));
    close(descriptor);
    return good && (!bytes->failed || error_set(error, "out of memory for %.200s", path));
}

static void hash_of(const void *data, size_t size, XXH128_canonical_t *hash) {
    XXH128_canonicalFromHash(hash, XXH3_128bits(data, size));
}

/* The version, and the hash of the program's own file where the system shows it: what was counted is what
 * this very program counts. */
static bool describe_program(struct checkpoint *checkpoint, struct error *error) {
    struct bytes program = {0};
    struct platform platform;
    XXH128_canonical_t hash;
    bool found;
    if (!read_whole("/proc/self/exe", NULL, &program, &found, error)) {
        bytes_free(&program);
        return false;
    }
    hash_of(program.data, program.size, &hash);
    int used =
        snprintf(checkpoint->build, sizeof checkpoint->build, "detcheck %s ", DETCHECK_VERSION);
    for (size_t i = 0; i < HASH; i++)
        snprintf(checkpoint->build + used + 2 * i, 3, "%02x", hash.digest[i]);
    bytes_free(&program);
    platform_describe(&platform);
    snprintf(checkpoint->platform, sizeof checkpoint->platform, "%s, %s, %s, %s%s%s, %s",
             platform.os, platform.cpu, platform.libc, libm_variant_names[platform.libm_variant],
             platform.ftz ? ", ftz" : "", platform.daz ? ", daz" : "", platform.features);
    return true;
}

/* A record lock, which children do not inherit. */
static bool take_lock(struct checkpoint *checkpoint, struct error *error) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat held, named;
    for (;;) {
        checkpoint->lock = open(checkpoint->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (checkpoint->lock < 0)
            return cannot(error, "write", checkpoint->lock_path);
        if (fcntl(checkpoint->lock, F_SETLK, &whole) != 0) {
            bool taken = errno == EACCES || errno == EAGAIN;
            cannot(error, "lock", checkpoint->lock_path);
            close(checkpoint->lock);
            checkpoint->lock = -1;
            return taken ? error_set(error,
                                     "another run has the checkpoint %.200s; wait for its end, or "
                                     "name another file",
                                     checkpoint->path)
                         : false;
        }
        /* The owner before may have removed it meanwhile. */
        if (fstat(checkpoint->lock, &held) == 0 && stat(checkpoint->lock_path, &named) == 0 &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev)
            return true;
        close(checkpoint->lock);
    }
}

/* What is left to be read. */
struct rest {
    const uint8_t *data;
    size_t size;
};

static bool take(struct rest *rest, void *into, size_t size) {
    if (rest->size < size)
        return false;
    memcpy(into, rest->data, size);
    rest->data += size;
    rest->size -= size;
    return true;
}

/* A text or a state, of which the length stands first. */
static bool take_bytes(struct rest *rest, struct bytes *bytes) {
    uint64_t size;
    if (!take(rest, &size, sizeof size) || size > rest->size)
        return false;
    bytes_add(bytes, rest->data, (size_t)size);
    rest->data += size;
    rest->size -= (size_t)size;
    return true;
}

static bool is_text(const struct bytes *bytes, const char *text) {
    return bytes->size == strlen(text) && memcmp(bytes->data, text, bytes->size) == 0;
}

/* What the run was. */
static bool read_head(struct checkpoint *checkpoint, struct rest *rest, struct error *error) {
    const char *wanted[] = {checkpoint->build, checkpoint->platform, checkpoint->command};
    static const char *const refusals[] = {
        "%.200s was written by another version or build, %.*s; remove the file to start again",
        "%.200s was written on another platform, %.*s; remove the file to start again",
        "%.200s is the checkpoint of another command, '%.*s'; give that one, or another file"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct bytes found = {0};
        bool good = take_bytes(rest, &found) && !found.failed;
        if (!good)
            error_set(error, "%.200s is damaged or cut off; remove the file to start again",
                      checkpoint->path);
        else if (!is_text(&found, wanted[i])) {
            good = false;
            error_set(error, refusals[i], checkpoint->path,
                      (int)(found.size < 200 ? found.size : 200), (const char *)found.data);
        }
        bytes_free(&found);
        if (!good)
            return false;
    }
    return true;
}

bool checkpoint_parse(struct checkpoint *checkpoint, const struct bytes *file,
                      struct error *error) {
    XXH128_canonical_t hash;
    struct rest rest = {file->data, file->size};
    if (file->size < MAGIC || memcmp(file->data, magic, MAGIC) != 0)
        return error_set(error,
                         "%.200s is a checkpoint of another version of detcheck; remove the file "
                         "to start again",
                         checkpoint->path);
    rest.size -= file->size < MAGIC + HASH ? rest.size : HASH;
    hash_of(file->data, rest.size, &hash);
    uint64_t count;
    if (!rest.size || memcmp(file->data + rest.size, &hash, HASH) != 0)
        return error_set(error,
                         "%.200s is damaged or was changed: its hash is wrong; remove the file to "
                         "start again",
                         checkpoint->path);
    rest.data += MAGIC;
    rest.size -= MAGIC;
    if (!read_head(checkpoint, &rest, error))
        return false;
    if (!take(&rest, &count, sizeof count) || count > rest.size / sizeof count)
        return error_set(error, "%.200s is damaged or cut off; remove the file to start again",
                         checkpoint->path);
    checkpoint->sweeps = calloc((size_t)count + 1, sizeof *checkpoint->sweeps);
    for (; checkpoint->sweeps && checkpoint->sweep_count < count; checkpoint->sweep_count++)
        if (!take_bytes(&rest, &checkpoint->sweeps[checkpoint->sweep_count]))
            return error_set(error, "%.200s is damaged or cut off; remove the file to start again",
                             checkpoint->path);
    for (size_t i = 0; i < checkpoint->sweep_count; i++)
        if (checkpoint->sweeps[i].failed)
            return error_set(error, "out of memory for %.200s", checkpoint->path);
    return checkpoint->sweeps || error_set(error, "out of memory for %.200s", checkpoint->path);
}

bool checkpoint_open(struct checkpoint *checkpoint, const char *path, const char *command,
                     double every, struct error *error) {
    *checkpoint = (struct checkpoint){.lock = -1, .every = every, .last = clock_seconds()};
    checkpoint->path = strdup(path);
    checkpoint->command = strdup(command);
    checkpoint->lock_path = malloc(strlen(path) + sizeof ".lock");
    if (!checkpoint->path || !checkpoint->command || !checkpoint->lock_path)
        return error_set(error, "out of memory");
    sprintf(checkpoint->lock_path, "%s.lock", path);
    if (!*path || strcmp(path, "-") == 0)
        return error_set(error, "--checkpoint needs the name of a file");
    if (!describe_program(checkpoint, error) || !take_lock(checkpoint, error))
        return false;
    struct bytes file = {0};
    bool found, good = read_whole(path, FAMILY, &file, &found, error) &&
                       (!found || checkpoint_parse(checkpoint, &file, error));
    bytes_free(&file);
    return good;
}

/* Writes and hashes. */
struct sink {
    FILE *stream;
    XXH3_state_t *state;
};

static void put(struct sink *sink, const void *data, size_t size) {
    XXH3_128bits_update(sink->state, data, size);
    fwrite(data, 1, size, sink->stream); /* the stream remembers a failure */
}

static void put_bytes(struct sink *sink, const void *data, size_t size) {
    uint64_t length = size;
    put(sink, &length, sizeof length);
    put(sink, data, size);
}

static void put_all(struct sink *sink, const struct checkpoint *checkpoint) {
    uint64_t count = checkpoint->sweep_count;
    XXH128_canonical_t hash;
    while (count && !checkpoint->sweeps[count - 1].size) /* not begun yet */
        count--;
    XXH3_128bits_reset(sink->state);
    put(sink, magic, MAGIC);
    put_bytes(sink, checkpoint->build, strlen(checkpoint->build));
    put_bytes(sink, checkpoint->platform, strlen(checkpoint->platform));
    put_bytes(sink, checkpoint->command, strlen(checkpoint->command));
    put(sink, &count, sizeof count);
    for (uint64_t i = 0; i < count; i++)
        put_bytes(sink, checkpoint->sweeps[i].data, checkpoint->sweeps[i].size);
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(sink->state));
    fwrite(&hash, 1, HASH, sink->stream);
}

static bool write_file(const struct checkpoint *checkpoint, struct error *error) {
    struct output output;
    struct sink sink = {.state = XXH3_createState()};
    for (size_t i = 0; i < checkpoint->sweep_count; i++)
        if (checkpoint->sweeps[i].failed) {
            XXH3_freeState(sink.state);
            sink.state = NULL;
        }
    if (!sink.state)
        return error_set(error, "out of memory for the checkpoint %.200s", checkpoint->path);
    bool good = output_open(&output, checkpoint->path, error);
    if (good) {
        sink.stream = output.stream;
        put_all(&sink, checkpoint);
        good = output_commit(&output, error);
    }
    XXH3_freeState(sink.state);
    return good;
}

bool checkpoint_begin(struct checkpoint *checkpoint, bool *known) {
    bool has_room = checkpoint->at < checkpoint->sweep_count;
    *known = has_room && checkpoint->sweeps[checkpoint->at].size;
    if (has_room)
        return true;
    struct bytes *more =
        realloc(checkpoint->sweeps, (checkpoint->sweep_count + 1) * sizeof *checkpoint->sweeps);
    if (!more)
        return false;
    more[checkpoint->sweep_count++] = (struct bytes){0};
    checkpoint->sweeps = more;
    return true;
}

void checkpoint_note_resumed(struct checkpoint *checkpoint) {
    if (!checkpoint->resumed)
        checkpoint->tell_resumed(checkpoint);
    checkpoint->resumed = true;
}

bool checkpoint_is_due(const struct checkpoint *checkpoint) {
    return (checkpoint->asked && *checkpoint->asked) ||
           (checkpoint->fresh && clock_seconds() - checkpoint->last >= checkpoint->every);
}

void checkpoint_settle(struct checkpoint *checkpoint) {
    checkpoint->fresh = false;
    if (checkpoint->asked)
        *checkpoint->asked = 0;
}

static bool has_any(const struct checkpoint *checkpoint) {
    for (size_t i = 0; i < checkpoint->sweep_count; i++)
        if (checkpoint->sweeps[i].size || checkpoint->sweeps[i].failed)
            return true;
    return false;
}

void checkpoint_write(struct checkpoint *checkpoint) {
    struct error error;
    if (!has_any(checkpoint))
        return;
    bool written = write_file(checkpoint, &error);
    if (!written && !checkpoint->failing && checkpoint->warn)
        checkpoint->warn(&error);
    checkpoint->failing = !written;
    checkpoint->last = clock_seconds();
}

bool checkpoint_done(struct checkpoint *checkpoint, struct error *error) {
    if (unlink(checkpoint->path) != 0 && errno != ENOENT)
        return cannot(error, "remove", checkpoint->path);
    return true;
}

void checkpoint_close(struct checkpoint *checkpoint) {
    if (checkpoint->path && checkpoint->lock >= 0) {
        unlink(checkpoint->lock_path); /* while it is ours */
        close(checkpoint->lock);
    }
    for (size_t i = 0; i < checkpoint->sweep_count; i++)
        bytes_free(&checkpoint->sweeps[i]);
    free(checkpoint->sweeps);
    free(checkpoint->path);
    free(checkpoint->lock_path);
    free(checkpoint->command);
    *checkpoint = (struct checkpoint){.lock = -1};
}

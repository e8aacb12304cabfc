/* Names, what is behind them, and the bytes of files. */
#include "sweep/checkpoint/identity.h"

#include "record/kinds.h"
#include "sweep/promise/promise.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const struct record_text_of digest_text = {FINGERPRINT_TEXT};
#define DIGEST(NAME)                                                                               \
    { #NAME, &record_text, offsetof(struct identity, NAME), .of = &digest_text }
static const struct record_member identity_members[] = {DIGEST(inputs), DIGEST(implementations),
                                                        DIGEST(promises)};
const struct record identity_record = {"identity", identity_members, 3, sizeof(struct identity),
                                       RECORD_ALL};

bool identity_is(const struct identity *found, const struct identity *wanted, const char *path,
                 struct error *error) {
    if (strcmp(found->inputs, wanted->inputs) != 0)
        return error_set(error,
                         "%.200s is the checkpoint of other inputs: the inputs of the command have "
                         "changed; remove the file to start again",
                         path);
    if (strcmp(found->implementations, wanted->implementations) != 0)
        return error_set(error,
                         "%.200s is the checkpoint of another build of an implementation; remove "
                         "the file to start again",
                         path);
    return strcmp(found->promises, wanted->promises) == 0 ||
           error_set(
               error,
               "%.200s is the checkpoint of other promises: the promises of --policy have changed; "
               "remove the file to start again",
               path);
}

/* False where there is no plain file. */
static bool add_file(XXH3_state_t *state, const char *path) {
    char piece[1 << 14];
    struct stat status;
    ssize_t count = 1;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    while (descriptor >= 0 && count > 0) {
        count = read(descriptor, piece, sizeof piece);
        if (count > 0)
            XXH3_128bits_update(state, piece, (size_t)count);
    }
    if (descriptor >= 0)
        close(descriptor);
    return true;
}

/* A program by its path, or as the shell would find it. */
static void add_program(XXH3_state_t *state, const char *word) {
    const char *folders = strchr(word, '/') ? NULL : getenv("PATH");
    char path[4096];
    if (add_file(state, word))
        return;
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        int used = snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, word);
        if (used > 0 && (size_t)used < sizeof path && add_file(state, path))
            return;
        folders += length + (folders[length] == ':');
    }
}

/* The words of a command; of "lib:PATH:SYMBOL" the longest part that is a file. */
static void add_files(XXH3_state_t *state, const char *name) {
    char text[IMPLEMENTATION_NAME];
    const char *path = strchr(name, ':');
    if (!path)
        return;
    snprintf(text, sizeof text, "%s", path + 1);
    if (strncmp(name, "exec:", strlen("exec:")) == 0 ||
        strncmp(name, "exec-text:", strlen("exec-text:")) == 0) {
        char *rest = text;
        for (char *word; (word = strtok_r(rest, " ", &rest));)
            add_program(state, word);
        return;
    }
    while (!add_file(state, text)) {
        char *colon = strrchr(text, ':');
        if (!colon)
            return;
        *colon = '\0';
    }
}

static void add_text(XXH3_state_t *state, const char *text) {
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

static void write_digest(XXH3_state_t *state, char text[FINGERPRINT_TEXT]) {
    XXH128_canonical_t hash;
    struct block_digest digest;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    memset(text, 0, FINGERPRINT_TEXT);
    memcpy(digest.bytes, hash.digest, sizeof digest.bytes);
    digest_write(&digest, text);
}

static XXH3_state_t *begin(struct error *error) {
    XXH3_state_t *state = XXH3_createState();
    if (state)
        XXH3_128bits_reset(state);
    else
        error_set(error, "out of memory for a checkpoint");
    return state;
}

/* The libraries that names lead to by themselves, the platform's libm among them. */
static void add_build(XXH3_state_t *state, const struct binding *binding) {
    char build[BUILD_TEXT];
    binding_build(binding, build);
    add_text(state, build);
}

static void add_promise(XXH3_state_t *state, const struct promise *promise) {
    add_text(state, promise ? promise->text : "");
    if (promise)
        XXH3_128bits_update(state, &promise->accepted, sizeof promise->accepted);
}

bool promises_identity(const struct sweep_request *request, char text[FINGERPRINT_TEXT],
                       struct error *error) {
    XXH3_state_t *state = begin(error);
    if (!state)
        return false;
    for (size_t i = 0; request->promises && i < request->implementation_count * MAX_RESULTS; i++) {
        const struct promise *promise = request->promises[i];
        add_promise(state, promise);
        for (size_t j = 0; promise && j < promise->inherited_count; j++)
            add_promise(state, promise->inherited[j].promise);
    }
    write_digest(state, text);
    return true;
}

bool implementations_identity(const struct binding_request *computed,
                              const struct implementation *implementations, size_t count,
                              const struct binding *bindings, const bool *provided,
                              char text[FINGERPRINT_TEXT], struct error *error) {
    XXH3_state_t *state = begin(error);
    if (!state)
        return false;
    add_text(state, computed->operation->name);
    add_text(state, computed->format->name);
    add_text(state, rounding_names[computed->rounding]);
    for (size_t i = 0; i < count; i++) {
        const struct implementation *implementation = &implementations[i];
        add_text(state, implementation->name);
        add_text(state, bindings[i].detail);
        add_text(state, provided[i] ? "provided" : "not provided");
        add_files(state, implementation->name);
        if (provided[i])
            add_build(state, &bindings[i]);
    }
    write_digest(state, text);
    return true;
}

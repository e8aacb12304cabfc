/* Reading outputs from where they stand, from any thread. */
#include "impl/file.h"

#include "base/wide.h"
#include "impl/byte_order.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_state {
    int descriptor;
    uint64_t size;
};

static const char *path_of(const struct implementation *implementation) {
    return implementation->name + strlen("file:");
}

static int open_file(const char *path, uint64_t *size, struct error *error) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        *size = (uint64_t)status.st_size;
        return descriptor;
    }
    if (descriptor < 0)
        error_set(error, "cannot open %s: %s", path, strerror(errno));
    else
        error_set(error, "%s is no plain file, which file: reads outputs from", path);
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

static bool file_open(struct implementation *implementation, struct error *error) {
    uint64_t size;
    int descriptor = open_file(path_of(implementation), &size, error);
    if (descriptor < 0)
        return false;
    close(descriptor);
    snprintf(implementation->detail, sizeof implementation->detail, "%" PRIu64 " bytes", size);
    return true;
}

static bool file_bind(struct binding *binding, struct error *why) {
    struct file_state *state = malloc(sizeof *state);
    binding->broken = true;
    if (!state)
        return error_set(why, "out of memory");
    state->descriptor = open_file(path_of(binding->implementation), &state->size, why);
    if (state->descriptor < 0) {
        free(state);
        return false;
    }
    binding->broken = false;
    binding->state = state;
    return true;
}

static void file_unbind(struct binding *binding) {
    struct file_state *state = binding->state;
    if (state)
        close(state->descriptor);
    free(state);
    binding->state = NULL;
}

/* All of the length, from that place. */
static bool read_at(const struct binding *binding, void *bytes, size_t length, uint64_t place,
                    struct error *error) {
    const struct file_state *state = binding->state;
    const char *path = path_of(binding->implementation);
    for (size_t done = 0; done < length;) {
        ssize_t got =
            pread(state->descriptor, (char *)bytes + done, length - done, (off_t)(place + done));
        if (got < 0 && errno != EINTR)
            return error_set(error, "cannot read %s: %s", path, strerror(errno));
        if (got == 0)
            return error_set(error, "%s became shorter while it was read", path);
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool answers_sweeps_only(const struct binding *binding, struct error *error) {
    return error_set(error, "%s holds the outputs of a sweep: it answers in no other order",
                     binding->implementation->name);
}

static bool check_length(const struct binding *binding, const struct slice *slice, size_t bytes,
                         struct error *error) {
    const struct file_state *state = binding->state;
    const struct binding_request *request = &binding->request;
    uint64_t each = bytes * (uint64_t)request->operation->results;
    if (!slice->total)
        return answers_sweeps_only(binding, error);
    if (multiply_high(slice->total, each) == 0 && slice->total * each == state->size)
        return true;
    return error_set(error,
                     "%s has %" PRIu64 " bytes, where the outputs of %s for %" PRIu64
                     " inputs, of %zu byte%s each, make %" PRIu64,
                     path_of(binding->implementation), state->size, request->operation->name,
                     slice->total, (size_t)each, each == 1 ? "" : "s", slice->total * each);
}

/* The results of one call; those of all calls lie in the file in their order, result by result. */
static bool fill_call(const struct binding *binding, const struct slice *slice,
                      struct error *error) {
    const struct file_state *state = binding->state;
    const struct operation *operation = binding->request.operation;
    uint64_t whole = 0, place = 0;
    for (int i = 0; i < operation->results; i++) {
        if (!slice->array_total[i])
            return answers_sweeps_only(binding, error);
        whole += slice->array_total[i] * format_bytes(slice->array->results[i].format);
    }
    if (whole != state->size)
        return error_set(error,
                         "%s has %" PRIu64 " bytes, where the results of all calls of %s make "
                         "%" PRIu64,
                         path_of(binding->implementation), state->size, operation->name, whole);
    for (int i = 0; i < operation->results; i++) {
        const struct array *result = &slice->array->results[i];
        size_t bytes = format_bytes(result->format), count = (size_t)shape_elements(&result->shape);
        if (!read_at(binding, result->codes, count * bytes, place + slice->array_first[i] * bytes,
                     error))
            return false;
        codes_little_endian(result->codes, bytes, count);
        place += slice->array_total[i] * bytes;
    }
    return true;
}

static bool file_fill(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    (void)event;
    (void)context;
    size_t bytes = format_bytes(request_result_format(&binding->request));
    if (slice->array)
        return fill_call(binding, slice, error);
    if (!check_length(binding, slice, bytes, error))
        return false;
    for (int i = 0; i < binding->request.operation->results; i++) {
        uint64_t place = ((uint64_t)i * slice->total + slice->first) * bytes;
        if (!read_at(binding, slice->results[i], slice->count * bytes, place, error))
            return false;
        codes_little_endian(slice->results[i], bytes, slice->count);
    }
    return true;
}

static void file_build(const struct binding *binding, char text[BUILD_TEXT]) {
    const char *path = path_of(binding->implementation);
    build_of_file(path, text);
}

const struct implementation_kind implementation_file = {
    .name = "file:",
    .summary = "file:PATH: raw outputs for the inputs in their order, little-endian",
    .takes_parameters = true,
    .takes_arrays = true,
    .open = file_open,
    .bind = file_bind,
    .fill = file_fill,
    .unbind = file_unbind,
    .build = file_build,
};

/* Reading outputs from where they stand, from any thread. */
#include "impl/file.h"

#include "base/byte_order.h"
#include "base/wide.h"
#include "tensor/named.h"

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
    uint64_t start, size;        /* of the outputs in it */
    const struct format *format; /* that the file says its outputs have, or NULL */
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
        error_set(error, "%s is not a plain file, which file: reads outputs from", path);
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

/* Files of tensors are known by their names too: raw outputs may be any bytes. */
static bool is_tensor(const char *path) {
    static const char *const suffixes[] = {".npy", ".npz", ".safetensors", ".pb"};
    const size_t length = tensor_path_length(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t of_suffix = strlen(suffixes[i]);
        if (length > of_suffix && strncmp(path + length - of_suffix, suffixes[i], of_suffix) == 0)
            return tensor_named_is(path);
    }
    return false;
}

/* The outputs are the elements of a tensor, which have to lie in the file as they are read. */
static bool open_tensor(struct file_state *state, const char *path, struct error *error) {
    struct tensor_named named;
    if (!tensor_named_open(&named, path, error))
        return false;
    const struct tensor *tensor = named.tensor;
    const bool in_place = tensor->storage == TENSOR_PLAIN && !tensor->type->packed &&
                          !tensor->is_fortran && !tensor->is_swapped &&
                          tensor->type->components == 1;
    state->descriptor = in_place ? fcntl(named.file.descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    state->start = tensor->start;
    state->size = tensor->length;
    state->format = tensor->type->format;
    if (!in_place)
        error_set(error,
                  "%s: file: needs uncompressed, little-endian elements in C's order; save the "
                  "tensor as .npy or .safetensors",
                  path);
    else if (state->descriptor < 0)
        error_set(error, "cannot open %s: %s", path, strerror(errno));
    tensor_named_close(&named);
    return state->descriptor >= 0;
}

static bool open_outputs(struct file_state *state, const char *path, struct error *error) {
    *state = (struct file_state){.descriptor = -1};
    if (is_tensor(path))
        return open_tensor(state, path, error);
    state->descriptor = open_file(path, &state->size, error);
    return state->descriptor >= 0;
}

static bool file_open(struct implementation *implementation, struct error *error) {
    struct file_state state;
    if (!open_outputs(&state, path_of(implementation), error))
        return false;
    close(state.descriptor);
    snprintf(implementation->detail, sizeof implementation->detail, "%" PRIu64 " bytes",
             state.size);
    return true;
}

/* Whether a tensor's elements are of the format of the outputs. */
static bool check_format(const struct binding *binding, const struct file_state *state,
                         struct error *why) {
    const struct format *format = request_result_format(&binding->request);
    /* Results on arrays may be of several formats, of which a tensor has one. */
    if (!state->format || state->format == format ||
        (binding->request.operation->array && binding->request.operation->results > 1))
        return true;
    return error_set(why, "%s holds %s, where outputs of %s are in %s",
                     path_of(binding->implementation), state->format->name,
                     binding->request.operation->name, format->name);
}

static bool file_bind(struct binding *binding, struct error *why) {
    struct file_state *state = malloc(sizeof *state);
    binding->broken = true;
    if (!state)
        return error_set(why, "out of memory");
    if (!open_outputs(state, path_of(binding->implementation), why) ||
        !check_format(binding, state, why)) {
        if (state->descriptor >= 0)
            close(state->descriptor);
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
        ssize_t got = pread(state->descriptor, (char *)bytes + done, length - done,
                            (off_t)(state->start + place + done));
        if (got < 0 && errno != EINTR)
            return error_set(error, "cannot read %s: %s", path, strerror(errno));
        if (got == 0)
            return error_set(error, "%s became shorter while it was read", path);
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool answers_sweeps_only(const struct binding *binding, struct error *error) {
    return error_set(error,
                     "%s holds the outputs of a sweep and cannot return them in another order",
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
    char *file = strndup(path, tensor_path_length(path));
    text[0] = '\0';
    if (file)
        build_of_file(file, text);
    free(file);
}

const struct implementation_kind implementation_file = {
    .projects = true,
    .name = "file:",
    .summary = "file:PATH: outputs for the inputs in their order, raw or a tensor (PATH#NAME)",
    .takes_parameters = true,
    .takes_arrays = true,
    .open = file_open,
    .bind = file_bind,
    .fill = file_fill,
    .unbind = file_unbind,
    .build = file_build,
};

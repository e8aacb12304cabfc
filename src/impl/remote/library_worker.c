/* The process in which a function of a shared library is called: it may do what it likes here.
 *
 * It serves detcheck over two pipes and shared memory until the pipe is closed. It has nothing else
 * open or running: no threads, no handlers of signals. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "impl/remote/library.h"

#include "base/names.h"
#include "impl/byte_order.h"
#include "impl/remote/c_array.h"
#include "impl/remote/c_function.h"
#include "impl/remote/library_file.h"
#include "impl/remote/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

enum { MOST_TEXT = 1 << 14 };

struct served {
    struct library_name name;
    struct binding_request request; /* without an operation where only the library is asked for */
    struct c_function function;
    struct remote_memory *memory;
    char detail[MOST_REPLY_TEXT];
    char parameters[MOST_TEXT];
    struct array_call call; /* of an operation on arrays: formats, then shapes and codes of each */
};

/* False where the other end is closed. */
static bool transfer(int descriptor, void *bytes, size_t length, bool out) {
    for (size_t done = 0; done < length;) {
        char *at = (char *)bytes + done;
        ssize_t moved =
            out ? write(descriptor, at, length - done) : read(descriptor, at, length - done);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        done += (size_t)moved;
    }
    return true;
}

static bool reply(uint32_t status, const char *text) {
    uint8_t bytes[REPLY_SIZE + MOST_REPLY_TEXT] = {0};
    size_t length = strlen(text) < MOST_REPLY_TEXT ? strlen(text) : MOST_REPLY_TEXT;
    memcpy(bytes, REPLY_MAGIC, strlen(REPLY_MAGIC));
    put_u32(bytes + REPLY_STATUS, status);
    put_u32(bytes + REPLY_TEXT, (uint32_t)length);
    memcpy(bytes + REPLY_SIZE, text, length);
    return transfer(PROCESS_TO_PARENT, bytes, REPLY_SIZE + length, true);
}

/* The lines "name=value"; those that are no parameters tell of arrays, of which the operations
 * that have a signature in C need no more than the formats of the header. */
static void read_parameters(struct served *served) {
    struct error unused;
    for (char *line = served->parameters, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        for (int i = 0; i < PARAMETER_COUNT; i++)
            if (strcmp(parameter_rows[i].name, line) == 0)
                parameter_parse(&parameter_rows[i], value, &served->request.parameters.values[i],
                                &unused);
    }
}

static bool read_header(struct served *served) {
    uint8_t header[HEADER_SIZE];
    struct error unused;
    if (!transfer(PROCESS_FROM_PARENT, header, sizeof header, false))
        return false;
    uint32_t length = get_u32(header + HEADER_TEXT);
    if (length >= MOST_TEXT || !transfer(PROCESS_FROM_PARENT, served->parameters, length, false))
        return false;
    read_parameters(served);
    if (!header[HEADER_OPERATION])
        return true;
    struct binding_request *request = &served->request;
    request->operation = operation_find((char *)header + HEADER_OPERATION, &unused);
    request->format = format_find((char *)header + HEADER_FORMAT, &unused);
    for (int i = 0; i < ROUNDING_COUNT; i++)
        if (name_matches((char *)header + HEADER_ROUNDING, rounding_names[i], NULL))
            request->rounding = (enum rounding)i;
    return request->operation && request->format;
}

/* Formats of the arrays; each call brings their shapes. */
static void set_formats(struct served *served) {
    const struct binding_request *request = &served->request;
    struct array_call *call = &served->call;
    *call = (struct array_call){.parameters = &request->parameters,
                                .rounding = request->rounding,
                                .overflow = request->overflow};
    for (int i = 0; i < request->operation->operands; i++)
        call->operands[i].format = request->format;
    for (int i = 0; i < request->operation->results; i++)
        call->results[i].format = request_result_format(request);
}

/* Finds the function; tells what came of it. */
static bool find_function(struct served *served) {
    struct error why;
    bool disturbed;
    char symbol[128];
    void *library = library_open(served->name.path, &disturbed, &why);
    if (!library) {
        reply(REPLY_BROKEN, why.text);
        return false;
    }
    bool any = served->request.operation || served->name.symbol[0];
    if (!any)
        return reply(REPLY_READY, "");
    snprintf(symbol, sizeof symbol, "%s", served->name.symbol);
    if (served->request.operation) {
        served->function = c_function_for(&served->request);
        library_name_symbol(&served->name, served->request.operation,
                            c_function_is_wide(served->request.format), symbol, &why);
    }
    served->function.array = served->name.array;
    served->function.call.address = library_symbol(library, served->name.path, symbol, &why);
    if (!served->function.call.address) {
        reply(served->request.operation ? REPLY_NOT_PROVIDED : REPLY_BROKEN, why.text);
        return false;
    }
    snprintf(served->detail, sizeof served->detail, "%s, %s%s%s", served->name.path, symbol,
             served->name.array ? ", arrays" : "",
             disturbed ? "; the library changes the floating-point environment when it is opened "
                         "(set back)"
                       : "");
    bool arrays = served->request.operation && served->request.operation->array;
    if (arrays)
        set_formats(served);
    return reply(arrays ? REPLY_READY_ARRAYS : REPLY_READY, served->detail);
}

static void note_change(void *context, enum event_kind kind, size_t index) {
    struct remote_memory *memory = context;
    memory->changes += memory->changed[index] == 0;
    memory->changed[index] |= (uint8_t)(1 << kind);
}

static void serve(struct served *served, size_t count) {
    struct remote_memory *memory = served->memory;
    struct slice slice = {.count = count};
    struct rounding_guard guard;
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = memory->operands[i];
    for (int i = 0; i < MAX_RESULTS; i++)
        slice.results[i] = memory->results[i];
    rounding_guard_enter(&guard, served->request.rounding);
    c_function_fill(&served->function, &slice, &memory->at);
    if (!rounding_guard_intact(&guard)) {
        memset(memory->changed, 0, sizeof memory->changed);
        c_function_find_changes(&served->function, &slice, &guard, &memory->at, note_change,
                                memory);
    }
    rounding_guard_leave(&guard);
}

/* The shapes of arrays, and room for their codes. */
static bool read_shapes(struct array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        uint8_t bytes[SHAPE_SIZE];
        if (!transfer(PROCESS_FROM_PARENT, bytes, sizeof bytes, false))
            return false;
        arrays[i].shape = (struct shape){.dimensions = (int)get_u32(bytes)};
        for (int k = 0; k < arrays[i].shape.dimensions; k++)
            arrays[i].shape.extents[k] = get_u64(bytes + SHAPE_EXTENTS + 8 * k);
    }
    return true;
}

static bool transfer_codes(const struct array *arrays, int count, bool out) {
    int descriptor = out ? PROCESS_TO_PARENT : PROCESS_FROM_PARENT;
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        size_t bytes = format_bytes(arrays[i].format);
        size_t elements = (size_t)shape_elements(&arrays[i].shape);
        if (out)
            codes_little_endian(arrays[i].codes, bytes, elements);
        good = transfer(descriptor, arrays[i].codes, elements * bytes, out);
        if (!out)
            codes_little_endian(arrays[i].codes, bytes, elements);
    }
    return good;
}

/* Computes one call between guards, as `serve` does a block. */
static bool compute_call(struct served *served) {
    struct remote_memory *memory = served->memory;
    struct rounding_guard guard;
    struct error unused;
    memory->changed[0] = 0;
    rounding_guard_enter(&guard, served->request.rounding);
    bool good = c_array_run(served->request.operation, served->function.call.address, &served->call,
                            &unused);
    if (!rounding_guard_rounding_intact(&guard))
        note_change(memory, EVENT_ROUNDING_CHANGED, 0);
    if (!rounding_guard_flushing_intact(&guard))
        note_change(memory, EVENT_FLUSHING_CHANGED, 0);
    rounding_guard_leave(&guard);
    return good;
}

/* False where memory or the other end is gone. */
static bool serve_call(struct served *served) {
    const struct operation *operation = served->request.operation;
    struct array_call *call = &served->call;
    if (!operation || !operation->array || !read_shapes(call->operands, operation->operands) ||
        !read_shapes(call->results, operation->results) ||
        !array_call_allocate(call, operation->operands, operation->results))
        return false;
    uint8_t answer[ANSWER_SIZE] = ANSWER_MAGIC;
    put_u32(answer + ANSWER_COUNT, 1);
    bool good = transfer_codes(call->operands, operation->operands, false) &&
                compute_call(served) && transfer(PROCESS_TO_PARENT, answer, sizeof answer, true) &&
                transfer_codes(call->results, operation->results, true) &&
                transfer(PROCESS_TO_PARENT, (char[]){ANSWER_END}, ANSWER_END_SIZE, true);
    array_call_free(call);
    return good;
}

static void serve_all(struct served *served) {
    uint8_t request[REQUEST_SIZE], answer[ANSWER_SIZE];
    memcpy(answer, ANSWER_MAGIC, 4);
    while (transfer(PROCESS_FROM_PARENT, request, sizeof request, false)) {
        uint32_t count = get_u32(request + REQUEST_COUNT);
        if (get_u32(request + REQUEST_KIND) == REQUEST_CALL) {
            if (!serve_call(served))
                return;
            continue;
        }
        if (get_u32(request + REQUEST_KIND) != REQUEST_SHARED || count > PROTOCOL_BLOCK)
            return;
        serve(served, count);
        memcpy(answer + ANSWER_COUNT, request + REQUEST_COUNT, 4);
        if (!transfer(PROCESS_TO_PARENT, answer, sizeof answer, true))
            return;
    }
}

/* A crash is for detcheck to tell: no dump, no handler (a sanitizer's, say), no life after it. */
static void set_up_process(void) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    const struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        signal(crashes[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

int library_worker(int count, char **words) {
    static struct served served;
    struct error error;
    set_up_process();
    served.memory =
        mmap(NULL, sizeof *served.memory, PROT_READ | PROT_WRITE, MAP_SHARED, PROCESS_SHARED, 0);
    if (count != 3 || served.memory == MAP_FAILED ||
        !library_name_parse(&served.name, words[2], &error)) {
        fprintf(stderr, "detcheck: %s is not for users\n", LIBRARY_WORKER);
        return 2;
    }
    if (read_header(&served) && find_function(&served))
        serve_all(&served);
    _exit(0);
}

/* The worker's side of detcheck-exec(7): a binding answers requests. */
#include "impl/remote/serve.h"

#include "base/byte_order.h"
#include "base/names.h"
#include "impl/array.h"
#include "impl/remote/greeting.h"
#include "impl/remote/line_bytes.h"

#include <stdlib.h>
#include <string.h>

struct server {
    FILE *in, *out;
    struct binding binding;
    char text[MOST_PARAMETERS]; /* of the header */
    bool tells_gaps, asks_lengths;
    unsigned tells;         /* of what was asked for besides codes: PROTOCOL_... */
    struct array_call call; /* of an operation on arrays: formats, then shapes and codes of each */
    uint64_t codes[MAX_OPERANDS + MAX_RESULTS][PROTOCOL_BLOCK];
    uint8_t gaps[PROTOCOL_BLOCK], raised[PROTOCOL_BLOCK], cleared[PROTOCOL_BLOCK],
        errnos[PROTOCOL_BLOCK];
};

static bool take(struct server *server, void *bytes, size_t length) {
    return length == 0 || fread(bytes, 1, length, server->in) == length;
}

/* What cannot be written is noticed where all is flushed. */
static void give(struct server *server, const void *bytes, size_t length) {
    if (length)
        fwrite(bytes, 1, length, server->out);
}

static bool flush(struct server *server, struct error *error) {
    return (fflush(server->out) == 0 && !ferror(server->out)) ||
           error_set(error, "cannot write results to standard output");
}

static bool asks(const struct server *server, const char *line) {
    size_t length = strlen(line);
    for (const char *at = server->text; at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, line, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

/* False with an error where that is no header; *known says whether all its names are known here, and `why` not. */
static bool take_header(struct server *server, bool *known, struct error *why,
                        struct error *error) {
    struct binding_request *request = &server->binding.request;
    uint8_t header[HEADER_SIZE];
    bool is_header = take(server, header, sizeof header) &&
                     memcmp(header, PROTOCOL_MAGIC, strlen(PROTOCOL_MAGIC)) == 0 &&
                     get_u32(header + HEADER_VERSION) == PROTOCOL_VERSION;
    uint32_t length = is_header ? get_u32(header + HEADER_TEXT) : 0;
    if (!is_header || length >= sizeof server->text || !take(server, server->text, length))
        return error_set(
            error, "standard input does not begin like the protocol of detcheck-exec(7); this "
                   "program is for --impl 'exec:ssh HOST detcheck-worker'");
    *known = greeting_read(header, server->text, request, why);
    request->flags = asks(server, "flags=1");
    request->errnos = asks(server, "errno=1");
    server->tells_gaps = asks(server, "gaps=1");
    server->asks_lengths = asks(server, "lengths=1");
    return true;
}

static bool reply(struct server *server, uint32_t status, const char *text, struct error *error) {
    uint8_t bytes[REPLY_SIZE] = REPLY_MAGIC;
    size_t length = strlen(text) < MOST_REPLY_TEXT ? strlen(text) : MOST_REPLY_TEXT;
    put_u32(bytes + REPLY_STATUS, status);
    put_u32(bytes + REPLY_TEXT, (uint32_t)length);
    give(server, bytes, sizeof bytes);
    give(server, text, length);
    return flush(server, error);
}

/* Binds what the header asks for, and replies whether it is ready. */
static bool bind(struct server *server, const struct implementation *implementation, bool *ready,
                 struct error *error) {
    struct binding_request request;
    struct binding *binding = &server->binding;
    struct error why = {0};
    bool known;
    if (!take_header(server, &known, &why, error))
        return false;
    request = binding->request;
    *ready = known && implementation_bind(binding, implementation, &request, &why) &&
             (!request.operation->array || sample_call(&server->call, &binding->request, &why));
    if (!*ready)
        return reply(server, REPLY_NOT_PROVIDED, why.text, error);
    server->tells = (binding->tells_flags && request.flags ? PROTOCOL_FLAGS : 0) |
                    (binding->tells_errno && request.errnos ? PROTOCOL_ERRNO : 0) |
                    (binding->tells_lengths && server->asks_lengths ? PROTOCOL_LENGTHS : 0);
    if (request.operation->array && !server->asks_lengths)
        server->tells = 0; /* it does not know of lines of text */
    uint32_t status = request.operation->array ? REPLY_READY_ARRAYS + server->tells
                      : server->tells          ? REPLY_READY_TELLS + server->tells
                                               : REPLY_READY;
    struct machine machine = {.host = ""};
    char text[MACHINE_TEXT + sizeof binding->detail];
    if (asks(server, "machine=1"))
        machine_of(binding, &machine);
    machine_write(&machine, text);
    strcat(text, binding->detail);
    return reply(server, status, text, error);
}

/* What the code under test does besides answering: an answer has no place for it. */
static void note_event(void *context, enum event_kind kind, size_t index) {
    (void)context, (void)index;
    fprintf(stderr, "detcheck-worker: %s\n", event_names[kind]);
}

/* Says which outputs are missing where the header asks for that (gaps=1). Elsewhere a missing output is an error, which
 * ends this process. */
static bool begin_answer(struct server *server, uint32_t count, bool *has_gaps,
                         struct error *error) {
    uint8_t answer[ANSWER_SIZE];
    *has_gaps = memchr(server->gaps, 1, count) != NULL;
    if (*has_gaps && !server->tells_gaps)
        return error_set(error, "%s gave no output for an input",
                         server->binding.implementation->name);
    memcpy(answer, *has_gaps ? ANSWER_MAGIC_GAPS : ANSWER_MAGIC, ANSWER_COUNT);
    put_u32(answer + ANSWER_COUNT, count);
    give(server, answer, sizeof answer);
    return true;
}

static bool end_answer(struct server *server, uint32_t count, bool has_gaps, struct error *error) {
    give(server, ANSWER_END, ANSWER_END_SIZE);
    if (has_gaps) {
        give(server, server->gaps, count);
        give(server, ANSWER_END, ANSWER_END_SIZE);
    }
    return flush(server, error);
}

/* The codes of the operands, as a range or a block has them. False where `in` ends. */
static bool take_operands(struct server *server, uint32_t kind, uint32_t count, uint64_t first) {
    const struct binding_request *request = &server->binding.request;
    const size_t bytes = format_bytes(request->format);
    for (uint32_t i = 0; kind == REQUEST_RANGE && i < count; i++)
        code_store(server->codes[0], bytes, i, first + i);
    for (int k = 0; kind == REQUEST_BLOCK && k < request->operation->operands; k++) {
        if (!take(server, server->codes[k], bytes * count))
            return false;
        codes_little_endian(server->codes[k], bytes, count);
    }
    return true;
}

static bool serve_numbers(struct server *server, uint32_t kind, uint32_t count, uint64_t first,
                          struct error *error) {
    struct binding *binding = &server->binding;
    const struct operation *operation = binding->request.operation;
    const size_t bytes = format_bytes(request_result_format(&binding->request));
    struct slice slice = {.count = count, .first = kind == REQUEST_BLOCK ? first : 0};
    bool has_gaps;
    if (!take_operands(server, kind, count, first))
        return error_set(error, "a request ends before its codes do");
    for (int k = 0; k < operation->operands; k++)
        slice.operands[k] = server->codes[k];
    for (int k = 0; k < operation->results; k++)
        slice.results[k] = server->codes[MAX_OPERANDS + k];
    slice.unanswered = memset(server->gaps, 0, count);
    slice.raised = binding->tells_flags && binding->request.flags ? server->raised : NULL;
    slice.cleared = slice.raised ? server->cleared : NULL;
    slice.errnos = binding->tells_errno && binding->request.errnos ? server->errnos : NULL;
    slice.flags_of_each = true;
    if (!binding_fill(binding, &slice, note_event, NULL, error) ||
        !begin_answer(server, count, &has_gaps, error))
        return false;
    for (int k = 0; k < operation->results; k++) {
        codes_little_endian(slice.results[k], bytes, count);
        give(server, slice.results[k], bytes * count);
    }
    give(server, slice.raised, slice.raised ? count : 0);
    give(server, slice.cleared, slice.cleared ? count : 0);
    give(server, slice.errnos, slice.errnos ? count : 0);
    return end_answer(server, count, has_gaps, error);
}

static bool take_shapes(struct server *server, struct array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        uint8_t bytes[SHAPE_SIZE];
        struct shape *shape = &arrays[i].shape;
        if (!take(server, bytes, sizeof bytes) || get_u32(bytes) > MOST_DIMENSIONS ||
            get_u32(bytes + SHAPE_BYTES) != format_bytes(arrays[i].format))
            return false;
        *shape = (struct shape){.dimensions = (int)get_u32(bytes)};
        for (int k = 0; k < shape->dimensions; k++)
            shape->extents[k] = get_u64(bytes + SHAPE_EXTENTS + 8 * k);
    }
    return true;
}

static bool take_arrays(struct server *server, struct array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        size_t bytes = format_bytes(arrays[i].format);
        size_t elements = (size_t)shape_elements(&arrays[i].shape);
        if (!take(server, arrays[i].codes, bytes * elements))
            return false;
        codes_little_endian(arrays[i].codes, bytes, elements);
    }
    return true;
}

static void give_arrays(struct server *server, const struct array *arrays, int count) {
    for (int i = 0; i < count; i++) {
        size_t bytes = format_bytes(arrays[i].format);
        size_t elements = (size_t)shape_elements(&arrays[i].shape);
        codes_little_endian(arrays[i].codes, bytes, elements);
        give(server, arrays[i].codes, bytes * elements);
    }
}

static bool give_effects(struct server *server, const struct line_effects *lines, uint64_t count,
                         struct error *error) {
    const size_t length = line_bytes_size(server->tells, count);
    uint8_t *bytes = length ? malloc(length) : NULL;
    if (length && !bytes)
        return error_set(error, "out of memory for the effects of a call");
    if (length)
        line_bytes_put(server->tells, lines, count, bytes);
    give(server, bytes, length);
    free(bytes);
    return true;
}

/* The results of a call whose operands are there, and what it does besides. */
static bool answer_call(struct server *server, struct error *error) {
    struct array_call *call = &server->call;
    const int results = server->binding.request.operation->results;
    const uint64_t count = text_line_count(call);
    const struct slice slice = {.count = 1, .array = call, .unanswered = server->gaps};
    struct line_effects lines;
    bool has_gaps, good = line_effects_open(&lines, line_wishes_of(server->tells), count) ||
                          error_set(error, "out of memory for the effects of a call");
    call->lines = &lines;
    if (good && binding_fill(&server->binding, &slice, note_event, NULL, error) &&
        begin_answer(server, 1, &has_gaps, error)) {
        give_arrays(server, call->results, results);
        good = give_effects(server, &lines, count, error) && end_answer(server, 1, has_gaps, error);
    } else
        good = false;
    call->lines = NULL;
    line_effects_close(&lines);
    return good;
}

static bool serve_call(struct server *server, struct error *error) {
    struct binding *binding = &server->binding;
    const struct operation *operation = binding->request.operation;
    struct array_call *call = &server->call;
    const int operands = operation_operands(operation, &binding->request.parameters);
    if (!take_shapes(server, call->operands, operands) ||
        !take_shapes(server, call->results, operation->results))
        return error_set(error, "a request has other arrays than %s", operation->name);
    if (!array_call_holds(call, operands, operation->results, error))
        return false;
    if (!array_call_allocate(call, operands, operation->results))
        return error_set(error, "out of memory for the arrays of %s", operation->name);
    server->gaps[0] = 0;
    bool good = (take_arrays(server, call->operands, operands) ||
                 error_set(error, "a request ends before its codes do")) &&
                answer_call(server, error);
    array_call_free(call);
    return good;
}

static bool serve_all(struct server *server, struct error *error) {
    const bool arrays = server->binding.request.operation->array != NULL;
    uint8_t request[REQUEST_SIZE];
    while (take(server, request, sizeof request)) {
        uint32_t kind = get_u32(request + REQUEST_KIND), count = get_u32(request + REQUEST_COUNT);
        bool is_numbers =
            !arrays && (kind == REQUEST_RANGE || kind == REQUEST_BLOCK) && count <= PROTOCOL_BLOCK;
        if (!is_numbers && !(arrays && kind == REQUEST_CALL))
            return error_set(error, "a request is of kind %u, which was not offered",
                             (unsigned)kind);
        if (!(is_numbers
                  ? serve_numbers(server, kind, count, get_u64(request + REQUEST_FIRST), error)
                  : serve_call(server, error)))
            return false;
    }
    return true;
}

bool serve_worker(const struct implementation *implementation, FILE *in, FILE *out,
                  struct error *error) {
    struct server *server = calloc(1, sizeof *server);
    bool ready = false;
    if (!server)
        return error_set(error, "out of memory for a worker");
    server->in = in;
    server->out = out;
    bool good = bind(server, implementation, &ready, error);
    good = good && (!ready || serve_all(server, error));
    if (ready)
        binding_close(&server->binding);
    free(server);
    return good;
}

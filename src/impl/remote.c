/* Starting, asking, and the search for the input that was too much. */
#if defined(__linux__)
#define _GNU_SOURCE /* memfd_create */
#endif
#include "impl/remote.h"

#include "impl/byte_order.h"
#include "impl/c_function.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds for a worker to get ready, at least (Python may import much); and to end when told so. */
#define LEAST_START 60.0
#define GRACE       2.0
#define LOSS_GRACE  0.3 /* to end after it closed its output */

/* Inputs in succession that lose their process, after which others are passed over. */
enum { PASS_OVER = 16 };

enum { MOST_PARAMETERS = PARAMETER_COUNT * (PARAMETER_ROOM + 32) };

/* While the input that hangs is looked for, its neighbours get this share of the time. */
#define SEARCH_SHARE 0.125

/* ---- starting ---- */

static void put_name(uint8_t *at, const char *name) {
    strncpy((char *)at, name, PROTOCOL_NAME - 1);
}

/* A line for each parameter that has a value. */
static size_t make_parameters(const struct binding_request *request, char text[MOST_PARAMETERS]) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; request->operation && i < PARAMETER_COUNT; i++) {
        const struct parameter_value *value = &request->parameters.values[i];
        char room[PARAMETER_ROOM];
        if (value->present && used < MOST_PARAMETERS)
            used += (size_t)snprintf(text + used, MOST_PARAMETERS - used, "%s=%s\n",
                                     parameter_rows[i].name,
                                     parameter_text(&parameter_rows[i], value, room));
    }
    return strlen(text);
}

static void make_header(const struct binding_request *request, size_t text_length,
                        uint8_t header[HEADER_SIZE]) {
    const struct format *results = request->operation ? request_result_format(request) : NULL;
    memset(header, 0, HEADER_SIZE);
    memcpy(header, PROTOCOL_MAGIC, strlen(PROTOCOL_MAGIC));
    put_u32(header + HEADER_VERSION, PROTOCOL_VERSION);
    if (!request->operation)
        return;
    put_u32(header + HEADER_OPERANDS, (uint32_t)request->operation->operands);
    put_u32(header + HEADER_RESULTS, (uint32_t)request->operation->results);
    put_u32(header + HEADER_OPERAND_BYTES, (uint32_t)format_bytes(request->format));
    put_u32(header + HEADER_RESULT_BYTES, (uint32_t)format_bytes(results));
    put_u32(header + HEADER_TEXT, (uint32_t)text_length);
    put_name(header + HEADER_OPERATION, request->operation->name);
    put_name(header + HEADER_FORMAT, request->format->name);
    put_name(header + HEADER_RESULT_FORMAT, results->name);
    put_name(header + HEADER_ROUNDING, rounding_names[request->rounding]);
}

static struct patience patience_for(double seconds) {
    return (struct patience){.seconds = seconds, .stop = foreign_settings.stop};
}

/* How a process ended, in words. */
static const char *describe_status(int status, char text[64]) {
    if (status == PROCESS_KILLED)
        snprintf(text, 64, "closed its output");
    else if (WIFSIGNALED(status))
        snprintf(text, 64, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(text, 64, "ended with status %d", WEXITSTATUS(status));
    return text;
}

static bool broken(struct remote *remote, enum exchange exchange, struct error *text) {
    char how[64];
    if (exchange == EXCHANGE_STOPPED)
        error_set(text, "interrupted while %.200s was starting", remote->name);
    else if (exchange == EXCHANGE_LATE)
        error_set(text,
                  "%.200s did not say that it is ready; it may not speak the protocol of "
                  "detcheck-exec(7)",
                  remote->name);
    else
        error_set(text,
                  "%.200s %s before it said that it is ready; what it wrote to stderr may say "
                  "why",
                  remote->name, describe_status(process_close(&remote->process, GRACE), how));
    process_close(&remote->process, 0);
    return false;
}

/* Exchanges the header for the reply and its text. */
static bool greet(struct remote *remote, uint8_t reply[REPLY_SIZE], char said[MOST_REPLY_TEXT + 1],
                  struct error *text) {
    uint8_t header[HEADER_SIZE];
    char parameters[MOST_PARAMETERS];
    size_t length_of_parameters = make_parameters(remote->request, parameters);
    double timeout = foreign_settings.timeout;
    struct patience patience = patience_for(timeout > LEAST_START ? timeout : LEAST_START);
    const struct piece out[] = {{header, sizeof header}, {parameters, length_of_parameters}};
    const struct piece in[] = {{reply, REPLY_SIZE}};
    make_header(remote->request, length_of_parameters, header);
    enum exchange exchange = process_exchange(&remote->process, out, 2, in, 1, &patience);
    if (exchange != EXCHANGE_DONE)
        return broken(remote, exchange, text);
    uint32_t length = get_u32(reply + REPLY_TEXT);
    if (memcmp(reply, REPLY_MAGIC, strlen(REPLY_MAGIC)) != 0 || length > MOST_REPLY_TEXT) {
        process_close(&remote->process, 0);
        return error_set(text,
                         "%.200s began with '%.8s', which is no reply; stdout is for the protocol "
                         "of detcheck-exec(7) alone",
                         remote->name, (const char *)reply);
    }
    const struct piece rest[] = {{said, length}};
    exchange = process_exchange(&remote->process, NULL, 0, rest, 1, &patience);
    said[length] = '\0';
    return exchange == EXCHANGE_DONE || broken(remote, exchange, text);
}

static enum remote_state start(struct remote *remote, struct error *text) {
    const struct process_start how = {
        .words = remote->words, .quiet = remote->memory, .shared = remote->memory_descriptor};
    uint8_t reply[REPLY_SIZE];
    char said[MOST_REPLY_TEXT + 1];
    if (!process_open(&remote->process, &how, text) || !greet(remote, reply, said, text))
        return REMOTE_BROKEN;
    error_set(text, "%s", said);
    switch (get_u32(reply + REPLY_STATUS)) {
    case REPLY_READY:
        return REMOTE_READY;
    case REPLY_NOT_PROVIDED:
        process_close(&remote->process, GRACE);
        return REMOTE_NOT_PROVIDED;
    default:
        process_close(&remote->process, GRACE);
        return REMOTE_BROKEN;
    }
}

/* Memory with a descriptor that a child can be given. */
static bool make_memory(struct remote *remote, struct error *text) {
    enum { ABOVE = 10 };
    size_t size = sizeof *remote->memory;
#if defined(__linux__)
    int made = memfd_create("detcheck", MFD_CLOEXEC);
#else
    char name[64];
    snprintf(name, sizeof name, "/detcheck-%ld-%p", (long)getpid(), (void *)remote);
    int made = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink(name);
#endif
    remote->memory_descriptor = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, ABOVE);
    if (made >= 0)
        close(made);
    void *memory = MAP_FAILED;
    if (remote->memory_descriptor >= 0 && ftruncate(remote->memory_descriptor, (off_t)size) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, remote->memory_descriptor, 0);
    if (memory == MAP_FAILED)
        return error_set(text, "cannot share memory with a worker: %s", strerror(errno));
    remote->memory = memory;
    return true;
}

enum remote_state remote_open(struct remote *remote, const char *name, char *const *words,
                              const struct binding_request *request, bool shares_memory,
                              struct error *text) {
    *remote = (struct remote){.request = request,
                              .name = name,
                              .words = words,
                              .memory_descriptor = -1,
                              .most = PROTOCOL_BLOCK};
    enum remote_state state = REMOTE_BROKEN;
    if (!shares_memory || make_memory(remote, text))
        state = start(remote, text);
    if (state != REMOTE_READY)
        remote_close(remote);
    return state;
}

void remote_close(struct remote *remote) {
    process_close(&remote->process, GRACE);
    if (remote->memory)
        munmap(remote->memory, sizeof *remote->memory);
    if (remote->memory_descriptor >= 0)
        close(remote->memory_descriptor);
    remote->memory = NULL;
    remote->memory_descriptor = -1;
}

/* ---- asking ---- */

/* Part of a slice that is asked for in one request. */
struct part {
    const struct slice *slice;
    size_t at, count;
};

enum outcome { OUTCOME_ANSWERED, OUTCOME_LOST, OUTCOME_LATE, OUTCOME_STOPPED, OUTCOME_JUNK };

static enum outcome outcome_of(enum exchange exchange) {
    static const enum outcome outcomes[] = {[EXCHANGE_DONE] = OUTCOME_ANSWERED,
                                            [EXCHANGE_ENDED] = OUTCOME_LOST,
                                            [EXCHANGE_LATE] = OUTCOME_LATE,
                                            [EXCHANGE_STOPPED] = OUTCOME_STOPPED};
    return outcomes[exchange];
}

static void *place(const void *array, size_t bytes, size_t at) {
    return (char *)array + bytes * at;
}

/* Whether the inputs are consecutive codes of one operand. */
static bool is_range(const struct remote *remote, const struct part *part) {
    size_t bytes = format_bytes(remote->request->format);
    const void *codes = part->slice->operands[0];
    uint64_t first = code_load(codes, bytes, part->at), differs = 0;
    for (size_t i = 0; i < part->count; i++)
        differs |= code_load(codes, bytes, part->at + i) ^ (first + i);
    return remote->request->operation->operands == 1 && !differs;
}

static void make_request(uint8_t request[REQUEST_SIZE], uint32_t kind, size_t count,
                         uint64_t first) {
    put_u32(request + REQUEST_KIND, kind);
    put_u32(request + REQUEST_COUNT, (uint32_t)count);
    put_u64(request + REQUEST_FIRST, first);
}

/* What should surround the outputs. */
struct frame {
    uint8_t head[ANSWER_SIZE], end[ANSWER_END_SIZE];
};

/* The verdict on an exchange, given what came of the frame; what did not come is zero. */
static enum outcome check_frame(const struct frame *frame, size_t count, enum exchange exchange) {
    uint32_t said = get_u32(frame->head + ANSWER_COUNT);
    bool done = exchange == EXCHANGE_DONE;
    bool began = get_u32(frame->head) != 0;
    if ((began && memcmp(frame->head, ANSWER_MAGIC, 4) != 0) || (said && said != count) ||
        (done && said != count) || (done && memcmp(frame->end, ANSWER_END, 4) != 0))
        return OUTCOME_JUNK;
    return outcome_of(exchange);
}

/* Through the pipes. The operands are in little-endian order while they are sent. */
static enum outcome ask_by_pipe(struct remote *remote, const struct part *part, double seconds) {
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format), pieces = 1;
    size_t wide = format_bytes(request_result_format(remote->request));
    struct patience patience = patience_for(seconds);
    uint8_t request[REQUEST_SIZE];
    struct frame frame = {{0}, {0}};
    struct piece out[1 + MAX_OPERANDS] = {{request, sizeof request}};
    struct piece in[2 + MAX_RESULTS] = {{frame.head, sizeof frame.head}};
    bool range = is_range(remote, part);
    uint64_t first = code_load(part->slice->operands[0], bytes, part->at);
    make_request(request, range ? REQUEST_RANGE : REQUEST_BLOCK, part->count, range ? first : 0);
    for (int i = 0; !range && i < operation->operands; i++) {
        out[pieces++] =
            (struct piece){place(part->slice->operands[i], bytes, part->at), bytes * part->count};
        codes_little_endian(out[pieces - 1].bytes, bytes, part->count);
    }
    for (int i = 0; i < operation->results; i++)
        in[1 + i] =
            (struct piece){place(part->slice->results[i], wide, part->at), wide * part->count};
    in[1 + operation->results] = (struct piece){frame.end, sizeof frame.end};
    enum exchange exchange = process_exchange(&remote->process, out, pieces, in,
                                              2 + (size_t)operation->results, &patience);
    for (size_t i = 1; i < pieces; i++)
        codes_little_endian(out[i].bytes, bytes, part->count);
    for (int i = 0; i < operation->results; i++)
        codes_little_endian(in[1 + i].bytes, wide, part->count);
    return check_frame(&frame, part->count, exchange);
}

/* Through shared memory. */
static enum outcome ask_by_memory(struct remote *remote, const struct part *part, double seconds) {
    const struct operation *operation = remote->request->operation;
    size_t bytes = format_bytes(remote->request->format);
    struct patience patience = patience_for(seconds);
    struct remote_memory *memory = remote->memory;
    uint8_t request[REQUEST_SIZE];
    struct frame frame = {{0}, {0}};
    memcpy(frame.end, ANSWER_END, sizeof frame.end);
    const struct piece out[] = {{request, sizeof request}}, in[] = {{frame.head, ANSWER_SIZE}};
    make_request(request, REQUEST_SHARED, part->count, 0);
    for (int i = 0; i < operation->operands; i++)
        memcpy(memory->operands[i], place(part->slice->operands[i], bytes, part->at),
               bytes * part->count);
    memory->at = C_FUNCTION_NOWHERE;
    memory->changes = 0;
    patience.progress = &memory->at;
    enum exchange exchange = process_exchange(&remote->process, out, 1, in, 1, &patience);
    for (int i = 0; exchange == EXCHANGE_DONE && i < operation->results; i++)
        memcpy(place(part->slice->results[i], bytes, part->at), memory->results[i],
               bytes * part->count);
    return check_frame(&frame, part->count, exchange);
}

/* Tells of changes of the floating-point environment. */
static void tell_changes(const struct remote *remote, const struct part *part,
                         event_function *event, void *context) {
    static const enum event_kind kinds[] = {EVENT_ROUNDING_CHANGED, EVENT_FLUSHING_CHANGED};
    if (!remote->memory || !remote->memory->changes)
        return;
    for (size_t i = 0; i < part->count; i++)
        for (int k = 0; k < 2; k++)
            if (remote->memory->changed[i] >> kinds[k] & 1)
                event(context, kinds[k], part->at + i);
}

/* ---- the search ---- */

struct search {
    size_t at;  /* inputs before it are done */
    size_t bad; /* at .. bad-1 hold an input that cost a process; none where it is not above `at` */
    bool known; /* that input is bad-1 */
    size_t size; /* of the request in which it was first noticed */
    enum event_kind kind;
    unsigned in_succession;
};

/* What to ask next. */
static struct part next_part(const struct remote *remote, const struct slice *slice,
                             const struct search *search) {
    size_t left = search->in_succession ? 1 : slice->count - search->at;
    if (search->bad > search->at) {
        left = search->bad - search->at;
        if (left > 1)
            left = search->known ? left - 1 : left / 2;
    }
    return (struct part){slice, search->at, left < remote->most ? left : remote->most};
}

/* The input at `at` has no answer. After too many of them in succession, more and more of those
 * that follow are passed over, until one is answered. */
static void give_up(struct search *search, const struct slice *slice, event_function *event,
                    void *context) {
    size_t passed = 0, left = slice->count - search->at - 1;
    event(context, search->kind, search->at);
    search->in_succession++;
    if (search->in_succession >= PASS_OVER && search->in_succession < PASS_OVER + 32)
        passed = (size_t)PASS_OVER << (search->in_succession - PASS_OVER);
    size_t end = search->at + 1 + (passed < left ? passed : left);
    for (; search->at < end; search->at++)
        if (slice->unanswered)
            slice->unanswered[search->at] = 1;
    search->bad = 0;
}

/* Whether a signal ended it, or what the shell ran: that ends with 128 and the signal then. */
static bool was_signalled(int status) {
    return status != PROCESS_KILLED &&
           (WIFSIGNALED(status) ||
            (WIFEXITED(status) && WEXITSTATUS(status) > 128 && WEXITSTATUS(status) <= 128 + 64));
}

/* A process is gone: why, and where. */
static void note_loss(struct remote *remote, struct search *search, const struct part *part,
                      enum outcome outcome) {
    uint32_t where = remote->memory ? remote->memory->at : C_FUNCTION_NOWHERE;
    int status = process_close(&remote->process, outcome == OUTCOME_LATE ? 0 : LOSS_GRACE);
    if (search->bad <= search->at)
        search->size = part->count;
    search->kind = outcome == OUTCOME_LATE ? EVENT_HANG
                   : was_signalled(status) ? EVENT_CRASH
                                           : EVENT_EXIT;
    search->known = where < part->count;
    search->bad = part->at + (search->known ? where + 1 : part->count);
}

/* All inputs up to the one that cost a process have answers now, that one too: it takes more than
 * one input, or chance. A block that only took long is asked for in smaller ones from now on. */
static void note_nothing_found(struct remote *remote, struct search *search, size_t last,
                               event_function *event, void *context) {
    if (search->kind != EVENT_HANG)
        event(context, search->kind, last);
    else if (search->size > 1)
        remote->most = search->size >= 16 ? search->size / 8 : 1;
    search->bad = 0;
}

static bool is_junk(const struct remote *remote, const struct part *part, struct error *error) {
    return error_set(error,
                     "%.200s: what it wrote is no answer to %zu inputs; stdout is for the protocol "
                     "of detcheck-exec(7) alone",
                     remote->name, part->count);
}

static bool is_stopped(void) {
    return foreign_settings.stop && *foreign_settings.stop;
}

/* How long the next part may take. */
static double seconds_for(const struct search *search) {
    bool narrowing = search->bad > search->at + 1 && search->kind == EVENT_HANG && !search->known;
    return foreign_settings.timeout * (narrowing ? SEARCH_SHARE : 1);
}

/* Asks for the next part, and takes note of what comes of it. */
static bool step(struct remote *remote, struct search *search, const struct slice *slice,
                 event_function *event, void *context, struct error *error) {
    bool last = search->bad == search->at + 1, searching = search->bad > search->at;
    if (last && search->known) {
        give_up(search, slice, event, context);
        return true;
    }
    if (!remote->process.pid && start(remote, error) != REMOTE_READY)
        return false;
    struct part part = next_part(remote, slice, search);
    double seconds = seconds_for(search);
    enum outcome outcome = remote->memory ? ask_by_memory(remote, &part, seconds)
                                          : ask_by_pipe(remote, &part, seconds);
    switch (outcome) {
    case OUTCOME_ANSWERED:
        tell_changes(remote, &part, event, context);
        search->at += part.count;
        search->in_succession = 0;
        if (last)
            note_nothing_found(remote, search, part.at, event, context);
        return true;
    case OUTCOME_STOPPED:
        process_close(&remote->process, 0);
        return true;
    case OUTCOME_JUNK:
        return is_junk(remote, &part, error);
    default:
        note_loss(remote, search, &part, outcome);
        if (part.count == 1 && (last || !searching || outcome == OUTCOME_LOST))
            give_up(search, slice, event, context);
        return true;
    }
}

bool remote_fill(struct remote *remote, const struct slice *slice, event_function *event,
                 void *context, struct error *error) {
    struct search search = {0};
    while (search.at < slice->count && !is_stopped())
        if (!step(remote, &search, slice, event, context, error))
            return is_stopped();
    return true;
}

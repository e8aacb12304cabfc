/* The process in which a function of a shared library is called: it may do what it likes here.
 *
 * It serves detcheck over two pipes and shared memory until the pipe is closed. It has nothing else
 * open or running: no threads, no handlers of signals. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "impl/remote/library.h"

#include "base/byte_order.h"
#include "base/names.h"
#include "impl/array.h"
#include "impl/remote/c_array.h"
#include "impl/remote/c_observe.h"
#include "impl/remote/greeting.h"
#include "impl/remote/library_file.h"
#include "impl/remote/remote.h"
#include "op/array/text_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TEXT = 1 << 17 };

/* Milliseconds in all to wait for processes that the function has started; what copies end with. */
enum { CHILDREN_PATIENCE = 200, COPY_STATUS = 113 };

struct served {
    struct library_name name;
    struct binding_request request; /* without an operation where only the library is asked for */
    struct c_function function;
    struct remote_memory *memory;
    char detail[MOST_REPLY_TEXT];
    char parameters[MOST_TEXT];
    struct array_call call; /* of an operation on arrays: formats, then shapes and codes of each */
    pid_t pid;
    uint64_t number; /* of the request, as this process knows it */
    struct call_watch watch;
    int patience; /* what is left of it */
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

static bool read_header(struct served *served) {
    uint8_t header[HEADER_SIZE];
    struct error unused;
    if (!transfer(PROCESS_FROM_PARENT, header, sizeof header, false))
        return false;
    uint32_t length = get_u32(header + HEADER_TEXT);
    if (length >= MOST_TEXT || !transfer(PROCESS_FROM_PARENT, served->parameters, length, false))
        return false;
    if (!header[HEADER_OPERATION]) /* the library alone is asked for */
        return true;
    return greeting_read(header, served->parameters, &served->request, &unused);
}

/* Formats of the arrays; each call brings their shapes. Those of an operation on arrays follow from the row. */
static void set_formats(struct served *served) {
    const struct binding_request *request = &served->request;
    struct array_call *call = &served->call;
    struct error unused;
    if (request->operation->array && sample_call(call, request, &unused))
        return;
    *call = (struct array_call){.rule = request->operation->array,
                                .parameters = &request->parameters,
                                .rounding = request->rounding,
                                .overflow = request->overflow};
    for (int i = 0; i < request->operation->operands; i++)
        call->operands[i].format = request->format;
    for (int i = 0; i < request->operation->results; i++)
        call->results[i].format = request_result_format(request);
    if (call->rule && array_addend(call))
        call->operands[operation_operands(request->operation, call->parameters) - 1].format =
            call->results[0].format;
}

/* Finds the function; tells what came of it. */
static bool find_function(struct served *served) {
    struct error why;
    unsigned disturbed;
    char symbol[128];
    void *library = library_open(served->name.path, &disturbed, &why);
    if (!library) {
        reply(REPLY_BROKEN, why.text);
        return false;
    }
    snprintf(symbol, sizeof symbol, "%s", library_name_fixed(&served->name));
    if (!served->request.operation && !*symbol)
        return reply(REPLY_READY, "");
    if (served->request.operation && !c_function_is_of_format(&served->request, &why)) {
        reply(REPLY_NOT_PROVIDED, why.text);
        return false;
    }
    if (served->request.operation) {
        served->function = c_function_for(&served->request);
        library_name_symbol(&served->name, served->request.operation,
                            c_function_is_wide(served->request.format), symbol, &why);
        served->function.vector = served->name.vector;
        if (served->name.vector.lanes)
            vector_abi_settle(&served->function.vector, symbol, served->request.operation,
                              served->function.computed, &why);
        if (served->name.floats)
            c_function_take_floats(&served->function);
    }
    served->function.array = served->name.array;
    served->function.call.address = library_symbol(library, served->name.path, symbol, &why);
    if (!served->function.call.address) {
        reply(served->request.operation ? REPLY_NOT_PROVIDED : REPLY_BROKEN, why.text);
        return false;
    }
    if (served->request.operation && c_function_is_of_many(&served->function))
        served->function.by_number.address = served->memory->by_number =
            library_by_number(library, served->function.call.address, served->request.operation,
                              c_function_is_wide(served->request.format));
    char origin[LIBRARY_ORIGIN], call[C_CALL_TEXT];
    snprintf(served->detail, sizeof served->detail, "%s, %s%s%s%s", served->name.path, symbol,
             library_origin(library, served->function.call.address, origin),
             c_function_call_text(&served->function, call),
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
    memory->changes = 1;
    memory->changed[index] |= (uint16_t)(1 << kind);
}

/* A call has returned in a copy of this process, or a second time. A copy that comes late finds
 * another request under way, of which it can only say that something came amiss. */
static void astray(void *context, bool is_copy, size_t index) {
    struct served *served = context;
    struct remote_memory *memory = served->memory;
    if (is_copy)
        note_change(memory, EVENT_ANSWERED_TWICE, memory->number == served->number ? index : 0);
    else
        memory->jumped = 1;
    _exit(COPY_STATUS);
}

/* A number for `call` of a watch. A copy of the process has a zero in its place where the system
 * can do that. */
static volatile uint64_t *call_number(void) {
    static volatile uint64_t otherwise;
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return &otherwise;
#if defined(MADV_WIPEONFORK)
    madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK);
#endif
    return page;
}

/* Lets copies of this process, which the calls have made, come to the end of their call before the
 * answer is given: what they note belongs to this request. Processes that the library has started
 * for itself cost this time once. */
static void settle_copies(struct served *served) {
    const struct timespec nap = {0, 1000000};
    if (getpid() != served->pid)
        astray(served, true, 0);
    for (;;) {
        siginfo_t child = {0};
        if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0)
            return;
        bool is_copy = child.si_code == CLD_EXITED && child.si_status == COPY_STATUS;
        if (child.si_pid == 0 && served->patience-- > 0)
            nanosleep(&nap, NULL);
        else if (child.si_pid == 0 || !is_copy)
            return;
        else
            waitpid(child.si_pid, NULL, 0);
    }
}

/* The end of a worker that cannot hold the arrays of a call, which is no verdict on the library. */
static bool exhausted(struct served *served) {
    served->memory->exhausted = 1;
    return false;
}

/* False where memory is gone. */
static bool serve(struct served *served, size_t count) {
    static uint8_t unwritten[PROTOCOL_BLOCK];
    struct remote_memory *memory = served->memory;
    struct error unused;
    bool good = true;
    struct slice slice = {
        .count = count, .first = memory->first, .unanswered = unwritten, .earlier = &memory->kept};
    struct rounding_guard guard;
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = memory->operands[i];
    for (int i = 0; i < MAX_RESULTS; i++)
        slice.results[i] = memory->results[i], memory->kept.results[i] = memory->earlier[i];
    memory->kept.state = memory->earlier_state;
    slice.raised = memory->flags ? memory->raised : NULL;
    slice.cleared = memory->clearing ? memory->cleared : NULL;
    slice.errnos = memory->errnos ? memory->error_numbers : NULL;
    slice.flags_of_each = memory->flags_of_each;
    slice.inexact_is_open = memory->inexact_is_open;
    served->function.request.tiny_after_rounding = memory->tiny_after_rounding;
    memset(unwritten, 0, count);
    rounding_guard_enter(&guard, c_function_mode(&served->request));
    if (memory->is_conditioned) {
        const struct conditions conditions = memory->conditions;
        slice.conditions = &conditions;
        good = c_function_fill_conditioned(&served->function, &slice, &guard, &served->watch,
                                           note_change, memory, &unused);
    } else
        c_function_fill_guarded(&served->function, &slice, &guard, &served->watch, note_change,
                                memory);
    rounding_guard_leave(&guard);
    settle_copies(served);
    return good || exhausted(served);
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

/* What its lines of text did besides. */
static bool send_effects(const struct line_effects *lines, const struct array_call *call) {
    struct line_piece pieces[LINE_PIECES];
    const size_t count = line_effects_pieces(lines, text_line_count(call), pieces);
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = transfer(PROCESS_TO_PARENT, pieces[i].bytes, pieces[i].length, true);
    return good;
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
    rounding_guard_enter(&guard, c_function_mode(&served->request));
    call_watch_begin(&served->watch, 0, served->number);
    /* What may fail there is memory. */
    bool is_written, good = c_array_run(served->request.operation, served->function.call.address,
                                        &served->call, &is_written, &unused);
    call_watch_end(&served->watch, served->number, 1, 0);
    c_function_tell_changes(rounding_guard_changes(&guard), 0, note_change, memory);
    rounding_guard_leave(&guard);
    settle_copies(served);
    if (good && !is_written)
        note_change(memory, EVENT_NOT_WRITTEN, 0);
    return good;
}

/* False where memory or the other end is gone. */
static bool serve_call(struct served *served) {
    const struct operation *operation = served->request.operation;
    struct array_call *call = &served->call;
    const int operands = operation ? operation_operands(operation, &served->request.parameters) : 0;
    if (!operation || !operation->array || !read_shapes(call->operands, operands) ||
        !read_shapes(call->results, operation->results))
        return false;
    call->offset = served->memory->conditions.offset;
    call->result_offset = served->memory->conditions.result_offset;
    if (!array_call_allocate(call, operands, operation->results))
        return exhausted(served);
    uint8_t answer[ANSWER_SIZE] = ANSWER_MAGIC;
    put_u32(answer + ANSWER_COUNT, (uint32_t)served->number);
    const struct remote_memory *memory = served->memory;
    struct line_effects lines;
    bool room = line_effects_open(
        &lines, (struct line_wishes){memory->flags, memory->errnos, memory->lengths},
        text_line_count(call));
    call->lines = &lines;
    bool good = transfer_codes(call->operands, operands, false) &&
                ((room && compute_call(served)) || exhausted(served)) &&
                transfer(PROCESS_TO_PARENT, answer, sizeof answer, true) &&
                transfer_codes(call->results, operation->results, true) &&
                send_effects(&lines, call) &&
                transfer(PROCESS_TO_PARENT, (char[]){ANSWER_END}, ANSWER_END_SIZE, true);
    call->lines = NULL;
    line_effects_close(&lines);
    array_call_free(call);
    return good;
}

static void serve_all(struct served *served) {
    uint8_t request[REQUEST_SIZE], answer[ANSWER_SIZE];
    memcpy(answer, ANSWER_MAGIC, 4);
    while (transfer(PROCESS_FROM_PARENT, request, sizeof request, false)) {
        uint32_t count = get_u32(request + REQUEST_COUNT);
        bool is_call = get_u32(request + REQUEST_KIND) == REQUEST_CALL;
        served->number = is_call ? count : get_u64(request + REQUEST_FIRST);
        served->memory->number = served->number;
        if (is_call) {
            if (!serve_call(served))
                return;
            continue;
        }
        if (get_u32(request + REQUEST_KIND) != REQUEST_SHARED || count > PROTOCOL_BLOCK)
            return;
        if (!serve(served, count))
            return;
        put_u32(answer + ANSWER_COUNT, (uint32_t)served->number);
        if (!transfer(PROCESS_TO_PARENT, answer, sizeof answer, true))
            return;
    }
}

int library_worker(int count, char **words) {
    static struct served served;
    struct error error;
    worker_set_up(count == 4 ? strtoul(words[3], NULL, 10) : 0);
    served.memory =
        mmap(NULL, sizeof *served.memory, PROT_READ | PROT_WRITE, MAP_SHARED, PROCESS_SHARED, 0);
    served.pid = getpid();
    served.patience = CHILDREN_PATIENCE;
    served.watch = (struct call_watch){
        .at = &served.memory->at, .call = call_number(), .astray = astray, .context = &served};
    if (count != 4 || served.memory == MAP_FAILED ||
        !library_name_parse(&served.name, words[2], &error)) {
        fprintf(stderr, "detcheck: %s is not for users\n", LIBRARY_WORKER);
        return 2;
    }
    if (read_header(&served) && find_function(&served))
        serve_all(&served);
    _exit(0);
}

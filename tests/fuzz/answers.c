/* Any bytes as what a worker says by detcheck-exec(7). The first byte chooses what it is asked for: numbers
 * with flags and errno, a call on arrays, numbers under conditions. Each process that is started has the
 * next part of the bytes, whose length stands first in 2 bytes, and then closes its output. There is no
 * process: the linker puts the functions here in the place of those of impl/remote/process.h. */
#if defined(__linux__)
#define _GNU_SOURCE /* memfd_create */
#endif
#include "fuzz.h"

#include "impl/array.h"
#include "impl/implementation.h"
#include "impl/remote/process.h"
#include "oracle/flags.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

static const uint8_t *said;
static size_t left;

bool __wrap_process_open(struct process *process, const struct process_start *start,
                         struct error *error);
int __wrap_process_close(struct process *process, double seconds);

bool __wrap_process_open(struct process *process, const struct process_start *start,
                         struct error *error) {
    (void)start;
    size_t length = left < 2 ? 0 : said[0] | (size_t)said[1] << 8;
    if (left < 2) /* so that it comes to an end */
        return error_set(error, "there are no more processes");
    said += 2;
    left -= 2;
    length = length < left ? length : left;
    *process = (struct process){.pid = 1 << 30, /* a process that is not there: it has ended */
                                .to = open("/dev/null", O_WRONLY | O_CLOEXEC),
                                .from = memfd_create("answers", MFD_CLOEXEC)};
    fuzz_require(process->to >= 0 && process->from >= 0 &&
                 write(process->from, said, length) == (ssize_t)length &&
                 lseek(process->from, 0, SEEK_SET) == 0);
    said += length;
    left -= length;
    return true;
}

int __wrap_process_close(struct process *process, double seconds) {
    (void)seconds;
    if (process->pid) {
        close(process->to);
        close(process->from);
    }
    process->pid = 0;
    return 0;
}

enum { INPUTS = 3 };

static size_t events;

static void count_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    fuzz_require(kind < EVENT_KINDS && index < INPUTS);
    events++;
}

/* Every output is that of an answer, or its input is marked. */
static void fill_numbers(struct binding *binding, bool conditioned) {
    const float x[INPUTS] = {1, 2.5f, -3};
    float y[INPUTS] = {0};
    uint8_t unanswered[INPUTS] = {0}, raised[INPUTS] = {0}, cleared[INPUTS] = {0},
            errnos[INPUTS] = {0}, trapped[INPUTS] = {0};
    const struct conditions conditions = {.length = 2, .stride = 1};
    struct error error = {{0}};
    const struct slice slice = {
        .count = INPUTS,
        .operands = {x},
        .results = {y},
        .total = INPUTS,
        .unanswered = unanswered,
        .raised = binding->tells_flags ? raised : NULL,
        .cleared = binding->tells_flags ? cleared : NULL,
        .errnos = binding->tells_errno ? errnos : NULL,
        .conditions = conditioned && binding->conditions.is_known ? &conditions : NULL,
        .trapped = conditioned ? trapped : NULL};
    bool good = fuzz_check(binding_fill(binding, &slice, count_event, NULL, &error), &error);
    for (size_t i = 0; good && i < INPUTS; i++)
        fuzz_require(unanswered[i] == 1 || (!unanswered[i] && raised[i] < 1 << FLAGS &&
                                            cleared[i] < 1 << FLAGS && errnos[i] < ERRNO_KINDS));
}

static void fill_arrays(struct binding *binding, const struct binding_request *request) {
    struct array_call call;
    struct error error = {{0}};
    uint8_t unanswered = 0;
    if (!fuzz_check(sample_call(&call, request, &error), &error))
        return;
    fuzz_require(
        array_call_allocate(&call, request->operation->operands, request->operation->results));
    const struct slice slice = {.count = 1, .unanswered = &unanswered, .array = &call};
    fuzz_check(binding_fill(binding, &slice, count_event, NULL, &error), &error);
    array_call_free(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static struct implementation implementation;
    struct error error = {{0}};
    const struct parameters given = {0};
    struct binding binding;
    if (!count)
        return 0;
    bool arrays = bytes[0] % 3 == 1, conditioned = bytes[0] % 3 == 2;
    struct binding_request request = {.operation = operation_find(arrays ? "sum" : "exp", &error),
                                      .format = format_find("fp32", &error),
                                      .flags = !arrays && !conditioned,
                                      .errnos = !arrays && !conditioned,
                                      .conditions = conditioned};
    fuzz_require(
        operation_settle(request.operation, request.format, &given, &request.parameters, &error));
    said = bytes + 1;
    left = count - 1;
    if (!implementation.kind)
        fuzz_require(implementation_open(&implementation, "exec:true", NULL, &error));
    if (fuzz_check(implementation_bind(&binding, &implementation, &request, &error), &error)) {
        if (arrays)
            fill_arrays(&binding, &request);
        else
            fill_numbers(&binding, conditioned);
    }
    binding_close(&binding);
    return 0;
}

/* The calls, one input at a time or as arrays. */
#include "impl/remote/c_function.h"

#include "impl/earlier.h"
#include "impl/remote/c_signature.h"
#include "impl/unwritten.h"

#include <string.h>

static void call_fp32(const struct c_function *function, const float *x, float *y,
                      struct call_window *window) {
    const union c_call *call = &function->call;
    const struct operation *operation = function->request.operation;
    if (call->address && operation->platform.signature != C_NUMBERS) {
        c_signature_call_fp32(call->address, operation->platform.signature, x, y, window);
        return;
    }
    call_window_open(window);
    if (!call->address)
        y[0] = operation->platform.operator_fp32(x);
    else if (operation->results == 2)
        call->fp32_pair(x[0], &y[0], &y[1]);
    else if (operation->operands == 1)
        y[0] = call->fp32_1(x[0]);
    else if (operation->operands == 2)
        y[0] = call->fp32_2(x[0], x[1]);
    else
        y[0] = call->fp32_3(x[0], x[1], x[2]);
    call_window_close(window);
}

static void call_fp64(const struct c_function *function, const double *x, double *y,
                      struct call_window *window) {
    const union c_call *call = &function->call;
    const struct operation *operation = function->request.operation;
    if (call->address && operation->platform.signature != C_NUMBERS) {
        c_signature_call_fp64(call->address, operation->platform.signature, x, y, window);
        return;
    }
    call_window_open(window);
    if (!call->address)
        y[0] = operation->platform.operator_fp64(x);
    else if (operation->results == 2)
        call->fp64_pair(x[0], &y[0], &y[1]);
    else if (operation->operands == 1)
        y[0] = call->fp64_1(x[0]);
    else if (operation->operands == 2)
        y[0] = call->fp64_2(x[0], x[1]);
    else
        y[0] = call->fp64_3(x[0], x[1], x[2]);
    call_window_close(window);
}

/* A call for one input, which can be made again. Numbers of either format: the codes are in their low
 * bytes. */
struct one_call {
    const struct c_function *function;
    const struct call_watch *watch;
    struct call_window *window;
    size_t count, index;
    uint32_t at;
    float x32[MAX_OPERANDS], y32[MAX_RESULTS];
    double x64[MAX_OPERANDS], y64[MAX_RESULTS];
    uint64_t from, to; /* of a conversion: as its formats have codes in memory */
    uint32_t random;
};

static void make_one(void *context) {
    struct one_call *one = context;
    call_watch_begin(one->watch, one->at, one->at);
    if (one->function->convert)
        c_conversion_call_one(one->function, &one->from, &one->to, one->random, one->window);
    else if (one->function->computed->width == 64)
        call_fp64(one->function, one->x64, one->y64, one->window);
    else
        call_fp32(one->function, one->x32, one->y32, one->window);
    call_watch_end(one->watch, one->at, one->count, one->index);
    one->window = NULL;
}

void c_function_call_one(const struct c_function *function, const struct slice *slice, size_t index,
                         uint32_t at, const struct call_watch *watch, struct call_window *window,
                         uint64_t results[MAX_RESULTS]) {
    const struct operation *operation = function->request.operation;
    const size_t bytes = format_bytes(function->returned);
    bool wide = function->computed->width == 64, keeps = !window || window->keep;
    struct one_call one = {.function = function,
                           .watch = watch,
                           .window = window,
                           .count = slice->count,
                           .index = index,
                           .at = at};
    void *const places[MAX_RESULTS] = {function->convert ? (void *)&one.to
                                       : wide            ? (void *)&one.y64[0]
                                                         : &one.y32[0],
                                       wide ? (void *)&one.y64[1] : &one.y32[1]};
    const struct outputs outputs = {places, operation->results, bytes, 1};
    for (int i = 0; i < operation->operands; i++) {
        uint64_t code = c_function_widen(function, slice->operands[i], index);
        uint32_t low = (uint32_t)code;
        memcpy(&one.x32[i], &low, sizeof low);
        memcpy(&one.x64[i], &code, sizeof code);
        if (function->convert)
            code_store(&one.from, format_bytes(function->computed), 0, code);
    }
    if (function->convert)
        one.random = c_conversion_random(function, slice->first + index);
    if (c_function_may_leave(function))
        unwritten_fill(&outputs, false);
    make_one(&one);
    if (c_function_may_leave(function) && keeps && slice->unanswered)
        unwritten_find(&outputs, make_one, &one, &slice->unanswered[index]);
    c_conversion_take_low_bits(function, &one.to, 1);
    for (int i = 0; i < operation->results; i++)
        results[i] = c_function_narrow(function, code_load(places[i], bytes, 0), window);
}

static void fill_one(const struct c_function *function, const struct slice *slice, size_t index,
                     uint32_t at, const struct call_watch *watch) {
    size_t bytes = format_bytes(function->wanted);
    uint64_t results[MAX_RESULTS];
    c_function_call_one(function, slice, index, at, watch, NULL, results);
    for (int i = 0; i < function->request.operation->results; i++)
        code_store(slice->results[i], bytes, index, results[i]);
}

/* The hot case: a function of one operand. */
#define FILL(NAME, NUMBER)                                                                         \
    static void NAME(NUMBER (*function)(NUMBER), const struct slice *slice,                        \
                     const struct call_watch *watch) {                                             \
        const struct call_watch mine = *watch; /* which no call can change */                      \
        const char *in = slice->operands[0];                                                       \
        char *out = slice->results[0];                                                             \
        for (size_t i = 0; i < slice->count; i++) {                                                \
            NUMBER x, y;                                                                           \
            memcpy(&x, in + i * sizeof x, sizeof x);                                               \
            call_watch_begin(&mine, (uint32_t)i + 1, i + 1);                                       \
            y = function(x);                                                                       \
            call_watch_end(&mine, i + 1, slice->count, i);                                         \
            memcpy(out + i * sizeof y, &y, sizeof y);                                              \
        }                                                                                          \
    }
FILL(fill_fp32, float)
FILL(fill_fp64, double)

bool c_function_is_hot(const struct c_function *function) {
    const struct operation *operation = function->request.operation;
    return function->call.address && operation->platform.signature == C_NUMBERS &&
           function->computed == function->request.format && !function->convert &&
           operation->operands == 1 && operation->results == 1 && !c_function_is_of_many(function);
}

static void fill_all(const struct c_function *function, const struct slice *slice,
                     const struct call_watch *watch) {
    if (c_function_is_of_many(function)) {
        c_function_call_many(function, slice, 0, slice->count, 0, watch, NULL);
        return;
    }
    if (c_function_is_hot(function)) {
        if (function->computed->width == 32)
            fill_fp32(function->call.fp32_1, slice, watch);
        else
            fill_fp64(function->call.fp64_1, slice, watch);
        return;
    }
    for (size_t i = 0; i < slice->count; i++)
        fill_one(function, slice, i, (uint32_t)i + 1, watch);
}

void c_function_fill(const struct c_function *function, const struct slice *slice,
                     const struct call_watch *watch) {
    struct unwatched otherwise;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    *watching.at = 0;
    fill_all(function, slice, &watching);
    *watching.at = 0;
}

void c_function_tell_changes(unsigned changes, size_t index, event_function *event, void *context) {
    static const enum event_kind kinds[CHANGES] = {[CHANGED_ROUNDING] = EVENT_ROUNDING_CHANGED,
                                                   [CHANGED_FLUSHING] = EVENT_FLUSHING_CHANGED,
                                                   [CHANGED_PRECISION] = EVENT_PRECISION_CHANGED,
                                                   [CHANGED_TRAPS] = EVENT_TRAPS_CHANGED,
                                                   [CHANGED_REGISTERS] = EVENT_REGISTERS_CHANGED,
                                                   [CHANGED_DIRECTION] = EVENT_DIRECTION_CHANGED};
    for (int change = 0; change < CHANGES; change++)
        if (changes >> change & 1)
            event(context, kinds[change], index);
}

void c_function_find_changes(const struct c_function *function, const struct slice *slice,
                             const struct rounding_guard *guard, unsigned changes,
                             const struct call_watch *watch, event_function *event, void *context) {
    struct unwatched otherwise;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    const void *const results[MAX_RESULTS] = {slice->results[0], slice->results[1]};
    struct earlier_answers own, *earlier = slice->earlier ? slice->earlier : &own;
    bool keeps = slice->earlier || earlier_open(&own, &function->request, slice->count);
    unsigned found = 0;
    if (keeps)
        earlier_keep(earlier, &function->request, 0, slice->count, results);
    for (size_t i = 0; i < slice->count; i++) {
        uint32_t at = (uint32_t)(slice->count + i) + 1;
        rounding_guard_repair(guard);
        if (c_function_is_of_many(function))
            c_function_call_many(function, slice, i, 1, at, &watching, NULL);
        else
            fill_one(function, slice, i, at, &watching);
        unsigned here = rounding_guard_changes(guard);
        c_function_tell_changes(here, i, event, context);
        found |= here;
    }
    if (!found) /* it takes more than one input at a time */
        c_function_tell_changes(changes, 0, event, context);
    rounding_guard_repair(guard);
    *watching.at = 0;
    size_t other =
        keeps ? earlier_compare(earlier, &function->request, slice, 0, slice->count) : slice->count;
    if (other < slice->count)
        event(context, EVENT_ANSWERS_DIFFER, other);
    if (!slice->earlier)
        earlier_close(&own);
}

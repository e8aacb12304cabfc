/* The calls, one input at a time or as arrays. */
#include "impl/remote/c_function.h"

#include "impl/arranged.h"
#include "impl/convert.h"
#include "impl/remote/c_signature.h"

#include <stdio.h>
#include <string.h>

bool c_function_is_wide(const struct format *format) {
    return !format_is_within(format, &formats[FORMAT_FP32]);
}

struct c_function c_function_for(const struct binding_request *request) {
    bool wide = c_function_is_wide(request->format);
    return (struct c_function){.request = *request,
                               .computed = &formats[wide ? FORMAT_FP64 : FORMAT_FP32]};
}

bool c_function_is_of_format(const struct binding_request *request, struct error *why) {
    const struct format *computed = c_function_for(request).computed;
    if (!request->operation->platform.of_one_format || request->format == computed)
        return true;
    return error_set(why, "%s in %s is another function than %s in %s", request->operation->name,
                     computed->name, request->operation->name, request->format->name);
}

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

static uint64_t widen(const struct c_function *function, const void *operand, size_t index) {
    const struct binding_request *request = &function->request;
    uint64_t code = code_load(operand, format_bytes(request->format), index);
    if (function->computed == request->format)
        return code;
    return convert_code(request->format, function->computed, code, request->rounding,
                        request->overflow);
}

/* The window, unless NULL, is told of the flags that the conversion raises. */
static uint64_t narrow(const struct c_function *function, uint64_t code,
                       struct call_window *window) {
    const struct binding_request *request = &function->request;
    if (function->computed == request->format)
        return code;
    if (window && !window->set) {
        struct real value = format_decode(function->computed, code);
        window->flags |=
            format_flags(request->format, &value, request->rounding, request->tiny_after_rounding);
    }
    return convert_code(function->computed, request->format, code, request->rounding,
                        request->overflow);
}

void c_function_call_one(const struct c_function *function, const struct slice *slice, size_t index,
                         uint32_t at, const struct call_watch *watch, struct call_window *window,
                         uint64_t results[MAX_RESULTS]) {
    const struct operation *operation = function->request.operation;
    bool wide = function->computed->width == 64;
    float x32[MAX_OPERANDS] = {0}, y32[MAX_RESULTS] = {0};
    double x64[MAX_OPERANDS] = {0}, y64[MAX_RESULTS] = {0};
    for (int i = 0; i < operation->operands; i++) {
        uint64_t code = widen(function, slice->operands[i], index);
        uint32_t low = (uint32_t)code;
        memcpy(&x32[i], &low, sizeof low);
        memcpy(&x64[i], &code, sizeof code);
    }
    call_watch_begin(watch, at, at);
    if (wide)
        call_fp64(function, x64, y64, window);
    else
        call_fp32(function, x32, y32, window);
    call_watch_end(watch, at, slice->count, index);
    for (int i = 0; i < operation->results; i++) {
        uint64_t code;
        uint32_t low;
        memcpy(&low, &y32[i], sizeof low);
        memcpy(&code, &y64[i], sizeof code);
        results[i] = narrow(function, wide ? code : low, window);
    }
}

static void fill_one(const struct c_function *function, const struct slice *slice, size_t index,
                     uint32_t at, const struct call_watch *watch) {
    size_t bytes = format_bytes(function->request.format);
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

static void call_array(const struct c_function *function, void *const *z, const void *const *x,
                       size_t count) {
    const union c_call *call = &function->call;
    const struct operation *operation = function->request.operation;
    if (function->vector.lanes)
        vector_abi_call(&function->vector, call->address, operation, z, x, count);
    else if (operation->results == 2 && operation->operands == 2)
        call->array_2_2(z[0], z[1], x[0], x[1], count);
    else if (operation->results == 2)
        call->array_2_1(z[0], z[1], x[0], count);
    else if (operation->operands == 1)
        call->array_1_1(z[0], x[0], count);
    else if (operation->operands == 2)
        call->array_1_2(z[0], x[0], x[1], count);
    else
        call->array_1_3(z[0], x[0], x[1], x[2], count);
}

void c_function_call_many(const struct c_function *function, const struct slice *slice,
                          size_t first, size_t count, uint32_t at, const struct call_watch *watch,
                          struct call_window *window) {
    enum { CHUNK = 512 };
    /* At a boundary each: where they lie must not depend on the stack. Arrays that are asked for at
     * other addresses are arranged_fill's. */
    _Alignas(CONDITION_BOUNDARY) uint32_t wide[MAX_OPERANDS + MAX_RESULTS][CHUNK];
    const struct operation *operation = function->request.operation;
    size_t bytes = format_bytes(function->request.format);
    const void *x[MAX_OPERANDS] = {0};
    void *z[MAX_RESULTS] = {0};
    bool direct = function->computed == function->request.format;
    for (size_t done = 0, many; done < count; done += many) {
        many = direct || count - done < CHUNK ? count - done : CHUNK;
        for (int k = 0; k < operation->operands; k++) {
            x[k] =
                direct ? (const char *)slice->operands[k] + first * bytes : (const void *)wide[k];
            for (size_t i = 0; !direct && i < many; i++)
                wide[k][i] = (uint32_t)widen(function, slice->operands[k], first + done + i);
        }
        for (int k = 0; k < operation->results; k++)
            z[k] =
                direct ? (char *)slice->results[k] + first * bytes : (void *)wide[MAX_OPERANDS + k];
        uint64_t call = ((uint64_t)at << 32) + first + done + 1;
        call_watch_begin(watch, at, call);
        call_window_open(window);
        call_array(function, z, x, many);
        call_window_close(window);
        call_watch_end(watch, call, slice->count, first + done);
        for (int k = 0; !direct && k < operation->results; k++)
            for (size_t i = 0; i < many; i++)
                code_store(slice->results[k], bytes, first + done + i,
                           narrow(function, wide[MAX_OPERANDS + k][i], window));
    }
}

bool c_function_is_hot(const struct c_function *function) {
    const struct operation *operation = function->request.operation;
    return function->call.address && operation->platform.signature == C_NUMBERS &&
           function->computed == function->request.format && operation->operands == 1 &&
           operation->results == 1 && !c_function_is_of_many(function);
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

/* For those who do not watch, in whose process a call that goes astray is like a crash. */
static void ignore_astray(void *context, bool is_copy, size_t index) {
    (void)context;
    (void)is_copy;
    (void)index;
}

struct call_watch call_watch_or(const struct call_watch *watch, struct unwatched *otherwise) {
    return watch ? *watch
                 : (struct call_watch){
                       .at = &otherwise->at, .call = &otherwise->call, .astray = ignore_astray};
}

void c_function_fill(const struct c_function *function, const struct slice *slice,
                     const struct call_watch *watch) {
    struct unwatched otherwise;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    *watching.at = 0;
    fill_all(function, slice, &watching);
    *watching.at = 0;
}

/* A call of many on arrays that lie as they are asked to. */
struct arranged_function {
    const struct c_function *function;
    const struct call_watch *watch;
    uint64_t calls;
    size_t count; /* of the slice */
};

static void call_arranged(void *context, void *const *results, const void *const *operands,
                          size_t count) {
    struct arranged_function *of = context;
    uint64_t call = ++of->calls;
    call_watch_begin(of->watch, 0, call);
    call_array(of->function, results, operands, count);
    call_watch_end(of->watch, call, of->count, 0);
}

static struct arranged arranged_function(const struct c_function *function,
                                         struct arranged_function *of) {
    return (struct arranged){&function->request, function->computed, function->computed,
                             call_arranged, of};
}

struct condition_support c_function_conditions(const struct c_function *function) {
    const struct arranged arranged = arranged_function(function, NULL);
    bool many = c_function_is_of_many(function), by_number = function->by_number.address;
    struct condition_support support = {.is_known = many,
                                        .form = function->array          ? FORM_ARRAYS
                                                : function->vector.lanes ? FORM_REGISTERS
                                                                         : FORM_NUMBER,
                                        .lanes = function->vector.lanes,
                                        .number_bytes = format_bytes(function->computed)};
    if (function->array)
        support.set = arranged_conditions(&arranged);
    if (function->vector.lanes)
        support.set = 1u << CONDITION_LENGTH;
    if (many)
        support.set |= (unsigned)by_number << CONDITION_BY_NUMBER;
    return support;
}

bool c_function_fill_arranged(const struct c_function *function, const struct slice *slice,
                              const struct call_watch *watch, struct error *error) {
    struct unwatched otherwise;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    struct arranged_function of = {function, &watching, 0, slice->count};
    const struct arranged arranged = arranged_function(function, &of);
    if (!slice->conditions->by_number)
        return arranged_fill(&arranged, slice, error);
    struct c_function scalar = *function;
    scalar.call = function->by_number;
    scalar.array = false;
    scalar.vector.lanes = 0;
    c_function_fill(&scalar, slice, watch);
    return true;
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
    unsigned found = 0;
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
}

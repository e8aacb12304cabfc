/* Calls of functions of many numbers: of arrays, or of vector registers. */
#include "impl/remote/c_function.h"
#include "impl/unwritten.h"

void c_function_call_array(const struct c_function *function, void *const *z, const void *const *x,
                           size_t count) {
    const union c_call *call = &function->call;
    const struct operation *operation = function->request.operation;
    if (c_conversion_is_random(function)) /* x[1] has the random bits */
        call->array_1_2(z[0], x[0], x[1], count);
    else if (function->vector.lanes)
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

/* A call that can be made again. The window is around the first alone. */
struct many_call {
    const struct c_function *function;
    const struct call_watch *watch;
    struct call_window *window;
    void *const *z;
    const void *const *x;
    size_t count;
    uint32_t at;
    uint64_t number;      /* of the call, for the watch */
    size_t inputs, first; /* of the slice, and the call's first of them */
};

static void make_many(void *context) {
    struct many_call *many = context;
    call_watch_begin(many->watch, many->at, many->number);
    call_window_open(many->window);
    c_function_call_array(many->function, many->z, many->x, many->count);
    call_window_close(many->window);
    call_watch_end(many->watch, many->number, many->inputs, many->first);
    many->window = NULL;
}

/* Arrays that lie over operands hold these; they are not looked at. */
static void look_where_apart(void *const *z, const void *const *x, void *looked[MAX_RESULTS]) {
    for (int k = 0; k < MAX_RESULTS; k++) {
        looked[k] = z[k];
        for (int i = 0; i < MAX_OPERANDS; i++)
            if (x[i] == z[k])
                looked[k] = NULL;
    }
}

/* The call, and where an output of it is not written, a mark; `marks` may be NULL. */
static void call_and_look(struct many_call *many, uint8_t *marks) {
    void *looked[MAX_RESULTS];
    const struct outputs outputs = {looked, many->function->request.operation->results,
                                    format_bytes(many->function->returned), many->count};
    if (!marks || !c_function_may_leave(many->function)) {
        make_many(many);
        return;
    }
    look_where_apart(many->z, many->x, looked);
    unwritten_fill(&outputs, false);
    make_many(many);
    unwritten_find(&outputs, make_many, many, marks);
}

/* Operands and results of a call: where the formats are those of the function, they lie in the slice. */
enum { STRIP = 512 };
struct strip {
    /* At a boundary each: where they lie must not depend on the stack. Arrays that are asked for at
     * other addresses are arranged_fill's. */
    _Alignas(CONDITION_BOUNDARY) uint32_t wide[MAX_OPERANDS + MAX_RESULTS][STRIP];
    _Alignas(CONDITION_BOUNDARY) uint32_t random[STRIP];
    const void *x[MAX_OPERANDS];
    void *z[MAX_RESULTS];
    bool is_widened, is_narrowed, is_random;
};

static void load_strip(struct strip *strip, const struct c_function *function,
                       const struct slice *slice, size_t first, size_t count) {
    const struct operation *operation = function->request.operation;
    const size_t in = format_bytes(function->request.format);
    const size_t out = format_bytes(function->wanted);
    for (int k = 0; k < operation->operands; k++) {
        strip->x[k] = strip->is_widened ? (const void *)strip->wide[k]
                                        : (const char *)slice->operands[k] + first * in;
        for (size_t i = 0; strip->is_widened && i < count; i++)
            strip->wide[k][i] = (uint32_t)c_function_widen(function, slice->operands[k], first + i);
    }
    for (int k = 0; k < operation->results; k++)
        strip->z[k] = strip->is_narrowed ? (void *)strip->wide[MAX_OPERANDS + k]
                                         : (char *)slice->results[k] + first * out;
    for (size_t i = 0; strip->is_random && i < count; i++)
        strip->random[i] = c_conversion_random(function, slice->first + first + i);
    if (strip->is_random)
        strip->x[1] = strip->random;
}

void c_function_call_many(const struct c_function *function, const struct slice *slice,
                          size_t first, size_t count, uint32_t at, const struct call_watch *watch,
                          struct call_window *window) {
    const struct operation *operation = function->request.operation;
    struct strip strip = {.is_widened = function->computed != function->request.format,
                          .is_narrowed = function->returned != function->wanted,
                          .is_random = c_conversion_is_random(function)};
    bool direct = !strip.is_widened && !strip.is_narrowed && !strip.is_random;
    bool looks = slice->unanswered && (!window || window->keep);
    for (size_t done = 0, many; done < count; done += many) {
        many = direct || count - done < STRIP ? count - done : STRIP;
        load_strip(&strip, function, slice, first + done, many);
        struct many_call call = {.function = function,
                                 .watch = watch,
                                 .window = window,
                                 .z = strip.z,
                                 .x = strip.x,
                                 .count = many,
                                 .at = at,
                                 .number = ((uint64_t)at << 32) + first + done + 1,
                                 .inputs = slice->count,
                                 .first = first + done};
        call_and_look(&call, looks ? slice->unanswered + first + done : NULL);
        c_conversion_take_low_bits(function, strip.z[0], many);
        for (int k = 0; strip.is_narrowed && k < operation->results; k++)
            for (size_t i = 0; i < many; i++)
                code_store(slice->results[k], format_bytes(function->wanted), first + done + i,
                           c_function_narrow(function, strip.wide[MAX_OPERANDS + k][i], window));
    }
}

/* Calls of functions of many numbers: of arrays, or of vector registers. */
#include "impl/remote/c_function.h"
#include "impl/unwritten.h"

void c_function_call_array(const struct c_function *function, void *const *z, const void *const *x,
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
                                    format_bytes(many->function->computed), many->count};
    if (!marks || !c_function_may_leave(many->function)) {
        make_many(many);
        return;
    }
    look_where_apart(many->z, many->x, looked);
    unwritten_fill(&outputs, false);
    make_many(many);
    unwritten_find(&outputs, make_many, many, marks);
}

void c_function_call_many(const struct c_function *function, const struct slice *slice,
                          size_t first, size_t count, uint32_t at, const struct call_watch *watch,
                          struct call_window *window) {
    enum { STRIP = 512 };
    /* At a boundary each: where they lie must not depend on the stack. Arrays that are asked for at
     * other addresses are arranged_fill's. */
    _Alignas(CONDITION_BOUNDARY) uint32_t wide[MAX_OPERANDS + MAX_RESULTS][STRIP];
    const struct operation *operation = function->request.operation;
    size_t bytes = format_bytes(function->request.format);
    const void *x[MAX_OPERANDS] = {0};
    void *z[MAX_RESULTS] = {0};
    bool direct = function->computed == function->request.format;
    bool looks = slice->unanswered && (!window || window->keep);
    for (size_t done = 0, many; done < count; done += many) {
        many = direct || count - done < STRIP ? count - done : STRIP;
        for (int k = 0; k < operation->operands; k++) {
            x[k] =
                direct ? (const char *)slice->operands[k] + first * bytes : (const void *)wide[k];
            for (size_t i = 0; !direct && i < many; i++)
                wide[k][i] =
                    (uint32_t)c_function_widen(function, slice->operands[k], first + done + i);
        }
        for (int k = 0; k < operation->results; k++)
            z[k] =
                direct ? (char *)slice->results[k] + first * bytes : (void *)wide[MAX_OPERANDS + k];
        struct many_call call = {.function = function,
                                 .watch = watch,
                                 .window = window,
                                 .z = z,
                                 .x = x,
                                 .count = many,
                                 .at = at,
                                 .number = ((uint64_t)at << 32) + first + done + 1,
                                 .inputs = slice->count,
                                 .first = first + done};
        call_and_look(&call, looks ? slice->unanswered + first + done : NULL);
        for (int k = 0; !direct && k < operation->results; k++)
            for (size_t i = 0; i < many; i++)
                code_store(slice->results[k], bytes, first + done + i,
                           c_function_narrow(function, wide[MAX_OPERANDS + k][i], window));
    }
}

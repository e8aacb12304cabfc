/* Run-time look-up and calls of the platform's libm. */
#if defined(__linux__)
#define _GNU_SOURCE /* dladdr, to name the library that a symbol came from */
#endif
#include "impl/libm.h"

#include "impl/convert.h"
#include "platform/rounding_guard.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

/* Every way that C calls a function of the table, in fp32 and fp64. */
union call {
    void *address;
    float (*fp32_1)(float);
    float (*fp32_2)(float, float);
    float (*fp32_3)(float, float, float);
    void (*fp32_pair)(float, float *, float *);
    double (*fp64_1)(double);
    double (*fp64_2)(double, double);
    double (*fp64_3)(double, double, double);
    void (*fp64_pair)(double, double *, double *);
};

struct libm_state {
    union call call;
    const struct operation *operation;
    const struct format *format;
    enum rounding rounding;
    enum overflow overflow;
    const struct format *computed; /* fp32, or fp64 where the format is wider than fp32 */
};

static const struct format *format_named(const char *name) {
    return format_find(name, &(struct error){{0}});
}

/* In the order that the process resolves symbols: preloaded libraries first. */
static void *process_symbol(const char *symbol) {
    static void *process;
    if (!process)
        process = dlopen(NULL, RTLD_LAZY);
    return process ? dlsym(process, symbol) : NULL;
}

static void *libm_symbol(const struct operation *operation, bool wide) {
    char symbol[64];
    if (!operation->platform.symbol)
        return NULL;
    snprintf(symbol, sizeof symbol, "%s%s", operation->platform.symbol, wide ? "" : "f");
    return process_symbol(symbol);
}

libm_unary *libm_unary_of(const struct operation *operation) {
    bool unary = operation->operands == 1 && operation->results == 1;
    union call call = {.address = unary ? libm_symbol(operation, false) : NULL};
    return call.fp32_1;
}

/* Which C library, and the name of the file that the address lies in. */
static void describe(void *address, char detail[256]) {
#if defined(__GLIBC__)
    int used = snprintf(detail, 256, "glibc %s", gnu_get_libc_version());
#else
    int used = snprintf(detail, 256, "the platform's libm");
#endif
#if defined(__linux__)
    Dl_info info;
    if (address && dladdr(address, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(detail + used, 256 - (size_t)used, ", %.100s", slash ? slash + 1 : info.dli_fname);
    }
#else
    (void)address;
    (void)used;
#endif
}

static bool libm_open(struct implementation *implementation, struct error *error) {
    (void)error;
    describe(process_symbol("expf"), implementation->detail);
    return true;
}

static bool libm_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    const struct operation *operation = request->operation;
    if (rounding_fenv_mode(request->rounding) < 0)
        return error_set(why, "C has no rounding mode %s", rounding_names[request->rounding]);
    const struct format *fp32 = format_named("fp32");
    bool wide = request->format->precision > fp32->precision || request->format->emax > fp32->emax;
    struct libm_state state = {.operation = operation,
                               .format = request->format,
                               .rounding = request->rounding,
                               .overflow = request->overflow,
                               .computed = wide ? format_named("fp64") : fp32};
    bool has_operator = operation->platform.operator_fp32 && operation->platform.operator_fp64;
    state.call.address = libm_symbol(operation, wide);
    if (!state.call.address && !has_operator)
        return operation->platform.symbol ? error_set(why, "this libm has no %s%s",
                                                      operation->platform.symbol, wide ? "" : "f")
                                          : error_set(why, "no libm has %s", operation->name);
    if (state.call.address)
        describe(state.call.address, binding->detail);
    else
        snprintf(binding->detail, sizeof binding->detail, "C's operator, as compiled here");
    binding->state = malloc(sizeof state);
    if (!binding->state)
        return error_set(why, "out of memory");
    memcpy(binding->state, &state, sizeof state);
    return true;
}

static void libm_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

static void call_fp32(const struct libm_state *state, const float *x, float *y) {
    const union call *call = &state->call;
    if (!call->address)
        y[0] = state->operation->platform.operator_fp32(x);
    else if (state->operation->results == 2)
        call->fp32_pair(x[0], &y[0], &y[1]);
    else if (state->operation->operands == 1)
        y[0] = call->fp32_1(x[0]);
    else if (state->operation->operands == 2)
        y[0] = call->fp32_2(x[0], x[1]);
    else
        y[0] = call->fp32_3(x[0], x[1], x[2]);
}

static void call_fp64(const struct libm_state *state, const double *x, double *y) {
    const union call *call = &state->call;
    if (!call->address)
        y[0] = state->operation->platform.operator_fp64(x);
    else if (state->operation->results == 2)
        call->fp64_pair(x[0], &y[0], &y[1]);
    else if (state->operation->operands == 1)
        y[0] = call->fp64_1(x[0]);
    else if (state->operation->operands == 2)
        y[0] = call->fp64_2(x[0], x[1]);
    else
        y[0] = call->fp64_3(x[0], x[1], x[2]);
}

/* Input `index` of the slice, by way of the format that is computed in. */
static void fill_one(const struct libm_state *state, const struct slice *slice, size_t index) {
    size_t bytes = format_bytes(state->format);
    bool narrow = state->computed != state->format;
    bool wide = state->computed->width == 64;
    uint64_t codes[MAX_OPERANDS], out[MAX_RESULTS] = {0};
    float x32[MAX_OPERANDS], y32[MAX_RESULTS] = {0};
    double x64[MAX_OPERANDS], y64[MAX_RESULTS] = {0};
    for (int i = 0; i < state->operation->operands; i++) {
        codes[i] = code_load(slice->operands[i], bytes, index);
        if (narrow)
            codes[i] = convert_code(state->format, state->computed, codes[i], state->rounding,
                                    state->overflow);
        uint32_t low = (uint32_t)codes[i];
        memcpy(&x32[i], &low, sizeof low);
        memcpy(&x64[i], &codes[i], sizeof codes[i]);
    }
    if (wide)
        call_fp64(state, x64, y64);
    else
        call_fp32(state, x32, y32);
    for (int i = 0; i < state->operation->results; i++) {
        uint32_t low;
        memcpy(&low, &y32[i], sizeof low);
        memcpy(&out[i], &y64[i], sizeof out[i]);
        if (!wide)
            out[i] = low;
        if (narrow)
            out[i] = convert_code(state->computed, state->format, out[i], state->rounding,
                                  state->overflow);
        code_store(slice->results[i], bytes, index, out[i]);
    }
}

/* The hot case: a function of one fp32 operand. */
static void fill_fp32(float (*function)(float), const struct slice *slice) {
    const uint32_t *in = slice->operands[0];
    uint32_t *out = slice->results[0];
    for (size_t i = 0; i < slice->count; i++) {
        float x, y;
        memcpy(&x, &in[i], sizeof x);
        y = function(x);
        memcpy(&out[i], &y, sizeof y);
    }
}

static void fill_all(const struct libm_state *state, const struct slice *slice) {
    bool hot = state->call.address && state->computed == state->format &&
               state->format->width == 32 && state->operation->operands == 1 &&
               state->operation->results == 1;
    if (hot) {
        fill_fp32(state->call.fp32_1, slice);
        return;
    }
    for (size_t i = 0; i < slice->count; i++)
        fill_one(state, slice, i);
}

/* The slice again, one input at a time, to find where the rounding mode changed. The outputs that
 * followed were computed in the wrong mode, and are what the library gives when it is called as a
 * program would call it; here each is computed anew in the right one. */
static void find_change(const struct libm_state *state, const struct slice *slice,
                        const struct rounding_guard *guard, event_function *event, void *context) {
    for (size_t i = 0; i < slice->count; i++) {
        rounding_guard_repair(guard);
        fill_one(state, slice, i);
        if (!rounding_guard_intact(guard))
            event(context, EVENT_ROUNDING_CHANGED, i);
    }
}

static bool libm_fill(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    (void)error;
    const struct libm_state *state = binding->state;
    struct rounding_guard guard;
    rounding_guard_enter(&guard, state->rounding);
    fill_all(state, slice);
    if (!rounding_guard_intact(&guard))
        find_change(state, slice, &guard, event, context);
    rounding_guard_leave(&guard);
    return true;
}

const struct implementation_kind implementation_libm = {
    .name = "libm",
    .summary = "the mathematical library that detcheck is linked to, looked up at run time",
    .open = libm_open,
    .bind = libm_bind,
    .fill = libm_fill,
    .unbind = libm_unbind,
};

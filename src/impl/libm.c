/* Run-time look-up and calls of the platform's libm. */
#if defined(__linux__)
#define _GNU_SOURCE /* dladdr, to name the library that a symbol came from */
#endif
#include "impl/libm.h"

#include "impl/remote/c_observe.h"

#include <dlfcn.h>
#include <float.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

static void *process;

static void open_process(void) {
    process = dlopen(NULL, RTLD_LAZY);
}

/* In the order that the process resolves symbols: preloaded libraries first. Threads may call it at
 * once. */
static void *process_symbol(const char *symbol) {
    static pthread_once_t opened = PTHREAD_ONCE_INIT;
    return pthread_once(&opened, open_process) == 0 && process ? dlsym(process, symbol) : NULL;
}

static void *symbol_with(const struct operation *operation, const char *suffix) {
    char symbol[64];
    if (!operation->platform.symbol)
        return NULL;
    snprintf(symbol, sizeof symbol, "%s%s", operation->platform.symbol, suffix);
    return process_symbol(symbol);
}

static void *libm_symbol(const struct operation *operation, bool wide) {
    return symbol_with(operation, wide ? "" : "f");
}

static union c_call of_operands(const struct operation *operation, int operands, bool wide) {
    bool fits = operation->operands == operands && operation->results == 1 &&
                operation->platform.signature == C_NUMBERS;
    return (union c_call){.address = fits ? libm_symbol(operation, wide) : NULL};
}

libm_unary *libm_unary_of(const struct operation *operation) {
    return of_operands(operation, 1, false).fp32_1;
}

libm_binary *libm_binary_of(const struct operation *operation) {
    return of_operands(operation, 2, false).fp32_2;
}

libm_unary_fp64 *libm_unary_fp64_of(const struct operation *operation) {
    return of_operands(operation, 1, true).fp64_1;
}

libm_binary_fp64 *libm_binary_fp64_of(const struct operation *operation) {
    return of_operands(operation, 2, true).fp64_2;
}

struct libm_wider libm_wider_of(const struct operation *operation, const struct format *format) {
    bool is_long = format->width == 64;
    struct libm_wider wider = {.is_long = is_long, .operands = operation->operands};
    if ((is_long ? LDBL_MANT_DIG > DBL_MANT_DIG : format->width == 32 && format->precision == 24) &&
        operation->operands <= 2 && operation->results == 1 &&
        operation->platform.signature == C_NUMBERS)
        wider.address = symbol_with(operation, is_long ? "l" : "");
    return wider;
}

long double libm_wider_call(const struct libm_wider *wider, const double *operands) {
    const union {
        void *address;
        double (*fp64_1)(double);
        double (*fp64_2)(double, double);
        long double (*long_1)(long double);
        long double (*long_2)(long double, long double);
    } call = {wider->address};
    if (wider->operands == 1)
        return wider->is_long ? call.long_1(operands[0]) : call.fp64_1(operands[0]);
    return wider->is_long ? call.long_2(operands[0], operands[1])
                          : call.fp64_2(operands[0], operands[1]);
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
    if (!c_function_is_of_format(request, why))
        return false;
    bool wide = c_function_is_wide(request->format);
    struct c_function function = c_function_for(request);
    bool has_operator = operation->platform.operator_fp32 && operation->platform.operator_fp64;
    function.call.address = libm_symbol(operation, wide);
    if (!function.call.address && !has_operator)
        return operation->platform.symbol ? error_set(why, "this libm has no %s%s",
                                                      operation->platform.symbol, wide ? "" : "f")
                                          : error_set(why, "no libm has %s", operation->name);
    if (function.call.address)
        describe(function.call.address, binding->detail);
    else
        snprintf(binding->detail, sizeof binding->detail, "C's operator, as compiled here");
    binding->state = malloc(sizeof function);
    if (!binding->state)
        return binding_out_of_memory(binding, why);
    memcpy(binding->state, &function, sizeof function);
    binding->tells_flags = request->flags;
    binding->tells_errno = request->errnos && function.computed == request->format;
    binding->conditions = c_function_conditions(&function);
    return true;
}

static void libm_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

static void libm_build(const struct binding *binding, char text[BUILD_TEXT]) {
    const struct c_function *function = binding->state;
    build_of_address(function->call.address, text);
}

static bool libm_fill(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    return c_function_fill_here(binding->state, slice, event, context, error);
}

const struct implementation_kind implementation_libm = {
    .name = "libm",
    .summary = "the mathematical library that detcheck is linked to, looked up at run time",
    .open = libm_open,
    .bind = libm_bind,
    .fill = libm_fill,
    .unbind = libm_unbind,
    .others = OTHERS_HERE,
    .build = libm_build,
};

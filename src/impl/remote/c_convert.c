/* What is known of a function before it is called, and codes on their way to it and back. */
#include "impl/convert.h"
#include "impl/remote/c_function.h"

#include <stdio.h>

bool c_function_is_wide(const struct format *format) {
    return !format_is_within(format, &formats[FORMAT_FP32]);
}

struct c_function c_function_for(const struct binding_request *request) {
    bool wide = c_function_is_wide(request->format);
    struct c_function function = {.request = *request,
                                  .computed = &formats[wide ? FORMAT_FP64 : FORMAT_FP32]};
    struct error unused;
    function.returned = function.computed;
    function.wanted = request_result_format(request);
    if (!request->operation->converts)
        return function;
    conversion_make(&function.cast, request->format, request->rounding, &request->parameters,
                    &unused);
    function.computed = request->format;
    function.returned = function.cast.to;
    function.convert = c_conversion_find(function.computed, function.returned);
    return function;
}

void c_function_take_floats(struct c_function *function) {
    if (!function->convert)
        return;
    function->computed = &formats[FORMAT_FP32];
    function->convert = c_conversion_find(function->computed, function->returned);
}

enum rounding c_function_mode(const struct binding_request *request) {
    return rounding_fenv_mode(request->rounding) < 0 ? ROUND_NEAREST_EVEN : request->rounding;
}

const char *c_function_call_text(const struct c_function *function, char text[C_CALL_TEXT]) {
    char signature[C_SIGNATURE_TEXT];
    if (function->convert)
        snprintf(text, C_CALL_TEXT, ", %s", c_conversion_signature(function, signature));
    else
        snprintf(text, C_CALL_TEXT, "%s",
                 function->vector.lanes ? ", vectors"
                 : function->array      ? ", arrays"
                                        : "");
    return text;
}

bool c_function_is_of_format(const struct binding_request *request, struct error *why) {
    const struct format *computed = c_function_for(request).computed;
    if (!request->operation->platform.of_one_format || request->format == computed)
        return true;
    return error_set(why, "%s in %s is another function than %s in %s", request->operation->name,
                     computed->name, request->operation->name, request->format->name);
}

/* A NaN in fp32, with its sign and its payload: what becomes of them is what conversions are on trial for. */
static uint64_t widen_nan(const struct format *from, uint64_t code) {
    const struct format *to = &formats[FORMAT_FP32];
    const bool negative = from->has_negative_zero && format_is_negative(from, code);
    const uint64_t fraction = code & (((uint64_t)1 << (from->precision - 1)) - 1);
    return format_with_sign(to,
                            from->has_infinity ? (to->max_finite + 1) |
                                                     fraction << (to->precision - from->precision)
                                               : to->nan,
                            negative);
}

uint64_t c_function_widen(const struct c_function *function, const void *operand, size_t index) {
    const struct binding_request *request = &function->request;
    uint64_t code = code_load(operand, format_bytes(request->format), index);
    if (function->computed == request->format)
        return code;
    if (function->convert && format_is_nan(request->format, code))
        return widen_nan(request->format, code);
    return convert_code(request->format, function->computed, code, request->rounding,
                        request->overflow);
}

uint64_t c_function_narrow(const struct c_function *function, uint64_t code,
                           struct call_window *window) {
    const struct binding_request *request = &function->request;
    if (function->returned == function->wanted)
        return code;
    if (window && !window->set) {
        struct real value = format_decode(function->computed, code);
        window->flags |=
            format_flags(request->format, &value, request->rounding, request->tiny_after_rounding);
    }
    return convert_code(function->computed, request->format, code, request->rounding,
                        request->overflow);
}

bool c_function_may_leave(const struct c_function *function) {
    return function->array || function->request.operation->results > 1;
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

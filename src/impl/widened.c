/* Codes through arrays of fp32 numbers. */
#include "impl/widened.h"

#include "impl/convert.h"

enum { STRIP = 512 };

static void call(const struct arranged *arranged, void *const *results, const void *const *operands,
                 size_t count, struct call_window *window) {
    call_window_open(window);
    arranged->call(arranged->context, results, operands, count);
    call_window_close(window);
}

/* `count` elements from `at` on. */
static void fill_strip(const struct arranged *arranged, const struct slice *slice, size_t at,
                       size_t count, struct call_window *window) {
    const struct binding_request *request = arranged->request;
    const struct format *wide_format = arranged->operands;
    size_t bytes = format_bytes(request->format);
    _Alignas(CONDITION_BOUNDARY) uint32_t wide[MAX_OPERANDS + MAX_RESULTS][STRIP];
    const void *operands[MAX_OPERANDS];
    void *results[MAX_RESULTS];
    for (int k = 0; k < request->operation->operands; k++) {
        operands[k] = wide[k];
        for (size_t i = 0; i < count; i++)
            wide[k][i] = (uint32_t)convert_code(request->format, wide_format,
                                                code_load(slice->operands[k], bytes, at + i),
                                                ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    for (int k = 0; k < request->operation->results; k++)
        results[k] = wide[MAX_OPERANDS + k];
    call(arranged, results, operands, count, window);
    for (int k = 0; k < request->operation->results; k++)
        for (size_t i = 0; i < count; i++)
            code_store(slice->results[k], bytes, at + i,
                       convert_code(wide_format, request->format, wide[MAX_OPERANDS + k][i],
                                    request->rounding, request->overflow));
}

void widened_fill(const struct arranged *arranged, const struct slice *slice,
                  struct call_window *window) {
    if (arranged->request->format == arranged->operands) {
        call(arranged, slice->results, slice->operands, slice->count, window);
        return;
    }
    for (size_t at = 0; at < slice->count; at += STRIP)
        fill_strip(arranged, slice, at, slice->count - at < STRIP ? slice->count - at : STRIP,
                   window);
}

bool widened_compute(const struct arranged *arranged, const struct slice *slice,
                     struct error *error) {
    if (slice->conditions)
        return arranged_fill(arranged, slice, error);
    widened_fill(arranged, slice, NULL);
    return true;
}

struct condition_support widened_conditions(const struct arranged *arranged) {
    return (struct condition_support){.is_known = true,
                                      .set = arranged_conditions(arranged),
                                      .form = FORM_ARRAYS,
                                      .number_bytes = format_bytes(arranged->operands)};
}

bool widened_provides(const struct binding_request *request, const char *name, struct error *why) {
    if (!format_is_within(request->format, &formats[FORMAT_FP32]))
        return error_set(why, "%s computes in fp32, which is narrower than %s", name,
                         request->format->name);
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "%s rounds to nearest-even only", name);
    return true;
}

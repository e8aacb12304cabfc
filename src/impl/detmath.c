/* Binding of det and cr to the kernels that the operation's row names. */
#include "impl/detmath.h"

#include "detmath/library/kernels.h"
#include "detmath/round.h"
#include "impl/call_window.h"
#include "impl/cast.h"
#include "impl/convert.h"
#include "op/detmath_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct detmath_state {
    const struct detmath_kernels *kernels;
    struct binding_request request;
    int format; /* for cr: index of the format there */
};

static bool detmath_open(struct implementation *implementation, struct error *error) {
    (void)error;
    struct detmath_level level, best = {0};
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels)
            best = level;
    snprintf(implementation->detail, sizeof implementation->detail, "detcheck %s, %s",
             DETCHECK_VERSION, best.name);
    return true;
}

/* What both demand. */
static bool bind_common(struct binding *binding, const char *name, struct error *why) {
    const struct binding_request *request = &binding->request;
    const struct detmath_kernels *kernels = detmath_kernels_find(request->operation->name);
    if (!kernels)
        return error_set(why, "%s has no %s", name, request->operation->name);
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "%s rounds to nearest-even only", name);
    struct detmath_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    *state = (struct detmath_state){
        .kernels = kernels, .request = *request, .format = detmath_index_of(request->format)};
    binding->state = state;
    binding->tells_flags = request->flags;
    binding->tells_errno = request->errnos;
    binding->flags_of_arrays = binding->promises_no_flags = true;
    return true;
}

static void detmath_unbind(struct binding *binding) {
    if (binding->request.operation->converts) {
        cast_unbind(binding);
        return;
    }
    free(binding->state);
    binding->state = NULL;
}

static bool det_bind(struct binding *binding, struct error *why) {
    if (binding->request.operation->converts)
        return cast_bind(binding, why);
    const struct format *format = binding->request.format;
    if (!format_is_within(format, &formats[FORMAT_FP32]))
        return error_set(why, "det computes in fp32, which is narrower than %s", format->name);
    return bind_common(binding, "det", why);
}

static bool cr_bind(struct binding *binding, struct error *why) {
    if (binding->request.operation->converts)
        return cast_bind(binding, why);
    if (!detmath_has_functions(binding->request.format))
        return error_set(why, "cr has no %s", binding->request.format->name);
    if (binding->request.overflow != OVERFLOW_IEEE)
        return error_set(why, "cr does not saturate");
    return bind_common(binding, "cr", why);
}

enum { CHUNK = 512 };

/* `count` elements from `at` on, widened to fp32, computed, and rounded to the format. */
static void fill_narrow(const struct detmath_state *state, const struct slice *slice, size_t at,
                        size_t count, struct call_window *window) {
    const struct binding_request *request = &state->request;
    size_t bytes = format_bytes(request->format);
    static const enum rounding exact = ROUND_NEAREST_EVEN;
    uint32_t wide[MAX_OPERANDS + MAX_RESULTS][CHUNK];
    const void *operands[MAX_OPERANDS];
    void *results[MAX_RESULTS];
    for (int k = 0; k < request->operation->operands; k++) {
        operands[k] = wide[k];
        for (size_t i = 0; i < count; i++)
            wide[k][i] = (uint32_t)convert_code(request->format, &formats[FORMAT_FP32],
                                                code_load(slice->operands[k], bytes, at + i), exact,
                                                OVERFLOW_IEEE);
    }
    for (int k = 0; k < request->operation->results; k++)
        results[k] = wide[MAX_OPERANDS + k];
    call_window_open(window);
    state->kernels->det(results, operands, count);
    call_window_close(window);
    for (int k = 0; k < request->operation->results; k++)
        for (size_t i = 0; i < count; i++)
            code_store(slice->results[k], bytes, at + i,
                       convert_code(&formats[FORMAT_FP32], request->format,
                                    wide[MAX_OPERANDS + k][i], request->rounding,
                                    request->overflow));
}

/* An array of a slice once more, in a window; its results are thrown away. */
struct observed {
    const struct detmath_state *state;
    const struct slice *slice;
};

static void compute_det(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observed *observed = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    const struct slice array =
        array_of_slice(observed->slice, &observed->state->request, first, unused);
    if (observed->state->request.format != &formats[FORMAT_FP32]) {
        fill_narrow(observed->state, &array, 0, count, window);
        return;
    }
    call_window_open(window);
    observed->state->kernels->det(array.results, array.operands, count);
    call_window_close(window);
}

static void compute_cr(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observed *observed = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    const struct slice array =
        array_of_slice(observed->slice, &observed->state->request, first, unused);
    call_window_open(window);
    observed->state->kernels->cr(observed->state->format, array.results, array.operands, count);
    call_window_close(window);
}

static void observe(const struct detmath_state *state, const struct slice *slice,
                    compute_array *compute) {
    struct observed observed = {state, slice};
    const struct observed_calls calls = {.slice = slice,
                                         .array = slice->flags_of_each ? 1 : FLAG_ARRAY,
                                         .compute = compute,
                                         .context = &observed};
    observe_calls(&calls);
}

static bool det_fill(struct binding *binding, const struct slice *slice, event_function *event,
                     void *context, struct error *error) {
    (void)event;
    (void)context;
    if (binding->request.operation->converts)
        return cast_fill(binding, slice, error);
    const struct detmath_state *state = binding->state;
    if (slice->raised || slice->errnos)
        observe(state, slice, compute_det);
    if (state->request.format == &formats[FORMAT_FP32]) {
        state->kernels->det(slice->results, slice->operands, slice->count);
        return true;
    }
    for (size_t at = 0; at < slice->count; at += CHUNK)
        fill_narrow(state, slice, at, slice->count - at < CHUNK ? slice->count - at : CHUNK, NULL);
    return true;
}

static bool cr_fill(struct binding *binding, const struct slice *slice, event_function *event,
                    void *context, struct error *error) {
    (void)event;
    (void)context;
    if (binding->request.operation->converts)
        return cast_fill(binding, slice, error);
    const struct detmath_state *state = binding->state;
    state->kernels->cr(state->format, slice->results, slice->operands, slice->count);
    if (slice->raised || slice->errnos)
        observe(state, slice, compute_cr);
    return true;
}

const struct implementation_kind implementation_det = {
    .name = "det",
    .summary = "detmath's deterministic functions: fp32 and fma only",
    .takes_parameters = true,
    .open = detmath_open,
    .bind = det_bind,
    .fill = det_fill,
    .unbind = detmath_unbind,
};

const struct implementation_kind implementation_cr = {
    .name = "cr",
    .summary = "detmath's correctly rounded functions, to nearest-even",
    .takes_parameters = true,
    .open = detmath_open,
    .bind = cr_bind,
    .fill = cr_fill,
    .unbind = detmath_unbind,
};

/* Binding of det and cr to the kernels that the operation's row names. */
#include "impl/detmath.h"

#include "detmath/arrays.h"
#include "detmath/library/kernels_f64.h"
#include "detmath/round.h"
#include "impl/arranged.h"
#include "impl/call_window.h"
#include "impl/cast.h"
#include "impl/widened.h"
#include "op/detmath_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct detmath_state {
    const struct detmath_kernels *kernels;         /* of fp32 */
    const struct detmath_kernels_f64 *kernels_f64; /* of fp64, and then the others are not there */
    struct binding_request request;
    int format; /* for cr: index of the format there */
};

static bool detmath_open(struct implementation *implementation, struct error *error) {
    const char *wrong = detmath_self_check_arrays();
    if (wrong)
        return error_set(error,
                         "%s has wrong bits in this build of detcheck; compile it without options "
                         "that change values",
                         wrong);
    struct detmath_level level, best = {0};
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels)
            best = level;
    snprintf(implementation->detail, sizeof implementation->detail, "detcheck %s, %s",
             DETCHECK_VERSION, best.name);
    return true;
}

#define LEVEL DETMATH_LEVEL_VARIABLE "="

const char *detmath_other_levels(void) {
    static char lines[256];
    struct detmath_level level;
    size_t used = 0;
    lines[0] = '\0';
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels && strcmp(level.name, detmath_best_level()->name) != 0)
            used += (size_t)snprintf(lines + used, sizeof lines - used, LEVEL "%s\n", level.name);
    return lines;
}

/* All that there are here, in words. */
static void name_levels(char text[256]) {
    struct detmath_level level;
    size_t used = 0;
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels)
            used += (size_t)snprintf(text + used, 256 - used, "%s" LEVEL "%s", used ? ", " : "",
                                     level.name);
}

static const char *settled; /* the level of the start; NULL: the best */

bool detmath_use_level(const char *line, struct error *why) {
    const size_t name = strlen(LEVEL);
    char known[256];
    if (!line)
        return detmath_limit_level(settled);
    if (strncmp(line, LEVEL, name) == 0 && detmath_limit_level(line + name) &&
        strcmp(detmath_best_level()->name, line + name) == 0)
        return true;
    detmath_limit_level(NULL);
    name_levels(known);
    detmath_limit_level(settled);
    return error_set(why, "%.200s is not a level of it here; there are: %s", line, known);
}

bool detmath_settle_level(const char *name, struct error *why) {
    char line[128];
    snprintf(line, sizeof line, LEVEL "%.100s", name);
    if (!detmath_use_level(line, why))
        return false;
    settled = detmath_best_level()->name;
    return true;
}

static bool is_wide(const struct binding_request *request) {
    return request->format == &formats[FORMAT_FP64];
}

/* What both demand. */
static bool bind_common(struct binding *binding, const char *name, struct error *why) {
    const struct binding_request *request = &binding->request;
    const bool wide = is_wide(request);
    const struct detmath_kernels *kernels =
        wide ? NULL : detmath_kernels_find(request->operation->name);
    const struct detmath_kernels_f64 *kernels_f64 =
        wide ? detmath_kernels_find_f64(request->operation->name) : NULL;
    if (!kernels && !kernels_f64)
        return error_set(why, "%s has no %s%s", name, request->operation->name,
                         wide ? " in fp64" : "");
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "%s rounds to nearest-even only", name);
    struct detmath_state *state = malloc(sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    *state = (struct detmath_state){.kernels = kernels,
                                    .kernels_f64 = kernels_f64,
                                    .request = *request,
                                    .format = detmath_index_of(request->format)};
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

/* Arrays that lie as they are asked to. */
static void call_det(void *context, void *const *results, const void *const *operands,
                     size_t count) {
    const struct detmath_state *state = context;
    if (state->kernels_f64)
        detmath_run_det_f64(state->kernels_f64, results, operands, count);
    else
        detmath_run_det(state->kernels, results, operands, count);
}

static void call_cr(void *context, void *const *results, const void *const *operands,
                    size_t count) {
    const struct detmath_state *state = context;
    if (state->kernels_f64)
        detmath_run_cr_f64(state->kernels_f64, results, operands, count);
    else
        detmath_run_cr(state->kernels, state->format, results, operands, count);
}

/* The form for one number, of fp32 or of fp64. */
static void call_scalar(const struct detmath_scalar *scalar, void *const *results,
                        const void *const *operands, size_t count) {
    const float *x = operands[0], *y = operands[1];
    float *z = results[0], *w = results[1];
    for (size_t i = 0; i < count; i++)
        if (scalar->unary)
            z[i] = scalar->unary(x[i]);
        else if (scalar->binary)
            z[i] = scalar->binary(x[i], y[i]);
        else
            scalar->pair(x[i], &z[i], &w[i]);
}

static void call_scalar_f64(const struct detmath_scalar_f64 *scalar, void *const *results,
                            const void *const *operands, size_t count) {
    const double *x = operands[0], *y = operands[1];
    double *z = results[0], *w = results[1];
    for (size_t i = 0; i < count; i++)
        if (scalar->unary)
            z[i] = scalar->unary(x[i]);
        else if (scalar->binary)
            z[i] = scalar->binary(x[i], y[i]);
        else
            scalar->pair(x[i], &z[i], &w[i]);
}

static void call_det_scalar(void *context, void *const *results, const void *const *operands,
                            size_t count) {
    const struct detmath_state *state = context;
    if (state->kernels_f64)
        call_scalar_f64(&state->kernels_f64->det_scalar, results, operands, count);
    else
        call_scalar(&state->kernels->det_scalar, results, operands, count);
}

static void call_cr_scalar(void *context, void *const *results, const void *const *operands,
                           size_t count) {
    const struct detmath_state *state = context;
    if (state->kernels_f64)
        call_scalar_f64(&state->kernels_f64->cr_scalar, results, operands, count);
    else
        call_scalar(&state->kernels->cr_scalar, results, operands, count);
}

static struct arranged det_arranged(struct detmath_state *state,
                                    const struct conditions *conditions) {
    const struct format *format = &formats[state->kernels_f64 ? FORMAT_FP64 : FORMAT_FP32];
    return (struct arranged){&state->request, format, format,
                             conditions->by_number ? call_det_scalar : call_det, state};
}

static struct arranged cr_arranged(struct detmath_state *state,
                                   const struct conditions *conditions) {
    const struct format *format = state->request.format;
    return (struct arranged){&state->request, format, format,
                             conditions->by_number ? call_cr_scalar : call_cr, state};
}

/* What slices may ask for: all of it, but that cr's forms for one number are of fp32 and fp64. */
static void support_conditions(struct binding *binding, const struct arranged *arranged,
                               bool by_number) {
    binding->conditions = widened_conditions(arranged);
    binding->conditions.set |= (unsigned)by_number << CONDITION_BY_NUMBER;
    snprintf(binding->conditions.why, sizeof binding->conditions.why,
             "detmath's functions of one number are of fp32 and fp64");
}

static bool det_bind(struct binding *binding, struct error *why) {
    if (binding->request.operation->converts)
        return cast_bind(binding, why);
    if (!is_wide(&binding->request) && !widened_provides(&binding->request, "det", why))
        return false;
    if (!bind_common(binding, "det", why))
        return false;
    const struct arranged arranged = det_arranged(binding->state, &(struct conditions){0});
    support_conditions(binding, &arranged, true);
    return true;
}

static bool cr_bind(struct binding *binding, struct error *why) {
    if (binding->request.operation->converts)
        return cast_bind(binding, why);
    if (!is_wide(&binding->request) && !detmath_has_functions(binding->request.format))
        return error_set(why, "cr has no %s", binding->request.format->name);
    if (binding->request.overflow != OVERFLOW_IEEE)
        return error_set(why, "cr does not saturate");
    if (!bind_common(binding, "cr", why))
        return false;
    const struct arranged arranged = cr_arranged(binding->state, &(struct conditions){0});
    support_conditions(binding, &arranged,
                       is_wide(&binding->request) ||
                           binding->request.format == &formats[FORMAT_FP32]);
    return true;
}

struct observed {
    struct detmath_state *state;
    const struct slice *slice;
};

static void compute_det(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observed *observed = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    struct slice array =
        array_of_slice(observed->slice, &observed->state->request, first, window, unused);
    array.count = count;
    const struct arranged arranged = det_arranged(observed->state, &(struct conditions){0});
    widened_fill(&arranged, &array, window);
}

static void compute_cr(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observed *observed = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    const struct slice array =
        array_of_slice(observed->slice, &observed->state->request, first, window, unused);
    call_window_open(window);
    call_cr(observed->state, array.results, array.operands, count);
    call_window_close(window);
}

static void observe(struct detmath_state *state, const struct slice *slice,
                    compute_array *compute) {
    struct observed observed = {state, slice};
    struct observed_calls calls = {.slice = slice,
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
    struct detmath_state *state = binding->state;
    if (slice->conditions) {
        const struct arranged arranged = det_arranged(state, slice->conditions);
        return arranged_fill(&arranged, slice, error);
    }
    if (slice->raised)
        observe(state, slice, compute_det);
    else {
        const struct arranged arranged = det_arranged(state, &(struct conditions){0});
        widened_fill(&arranged, slice, NULL);
    }
    return true;
}

static bool cr_fill(struct binding *binding, const struct slice *slice, event_function *event,
                    void *context, struct error *error) {
    (void)event;
    (void)context;
    if (binding->request.operation->converts)
        return cast_fill(binding, slice, error);
    struct detmath_state *state = binding->state;
    if (slice->conditions) {
        const struct arranged arranged = cr_arranged(state, slice->conditions);
        return arranged_fill(&arranged, slice, error);
    }
    if (slice->raised)
        observe(state, slice, compute_cr);
    else
        call_cr(state, slice->results, slice->operands, slice->count);
    return true;
}

const struct implementation_kind implementation_det = {
    .name = "det",
    .summary = "detmath's deterministic functions: fp32 or fp64, and fma only",
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

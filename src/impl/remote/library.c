/* Binding of lib: to a worker process, or to an address in this one. */
#include "impl/remote/library.h"

#include "impl/array.h"
#include "impl/remote/c_array.h"
#include "impl/remote/c_observe.h"
#include "impl/remote/c_texts.h"
#include "impl/remote/dependencies.h"
#include "impl/remote/library_file.h"
#include "impl/remote/remote.h"
#include "op/array/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct library_state {
    pid_t pid; /* of this process */
    struct library_name name;
    char memory[16]; /* MiB, for the worker's command line, */
    char *words[5];  /* which this is */
    struct remote remote;
    struct c_function function; /* in this process */
    struct dependencies needed; /* once they were looked for */
};

static const char *spelling(const struct implementation *implementation) {
    return implementation->name + strlen("lib:");
}

static void set_words(struct library_state *state, const struct implementation *implementation) {
    state->words[0] = PROCESS_PROGRAM;
    state->words[1] = LIBRARY_WORKER;
    state->words[2] = (char *)(uintptr_t)spelling(implementation);
    snprintf(state->memory, sizeof state->memory, "%u", implementation->foreign->memory);
    state->words[3] = state->memory;
}

/* Whether the library can be opened, and has the symbol where one is named. */
static bool probe(const struct library_state *state, struct implementation *implementation,
                  struct error *error) {
    struct binding_request nothing = {0};
    struct remote remote;
    if (implementation->foreign->in_process) {
        void *library = library_open(state->name.path, &implementation->disturbs, error);
        const char *symbol = library_name_fixed(&state->name);
        return library && (!*symbol || library_symbol(library, state->name.path, symbol, error));
    }
    if (remote_open(&remote, implementation, state->words, &nothing, true, error) != REMOTE_READY)
        return false;
    remote_close(&remote);
    return true;
}

static bool library_kind_open(struct implementation *implementation, struct error *error) {
    struct library_state state = {0};
    struct error why;
    if (!library_name_parse(&state.name, spelling(implementation), error))
        return false;
    set_words(&state, implementation);
    if (!probe(&state, implementation, &why))
        return error_set(error, "%.200s: %s", implementation->name, why.text);
    snprintf(implementation->detail, sizeof implementation->detail, "%s", state.name.path);
    return true;
}

static bool bind_here(struct binding *binding, struct library_state *state, const char *symbol,
                      struct error *why) {
    unsigned disturbed;
    void *library = library_open(state->name.path, &disturbed, why);
    binding->broken = !library; /* which could be opened before */
    state->function.call.address =
        library ? library_symbol(library, state->name.path, symbol, why) : NULL;
    if (state->function.call.address && (state->name.array || state->name.vector.lanes))
        state->function.by_number.address =
            library_by_number(library, state->function.call.address, binding->request.operation,
                              c_function_is_wide(binding->request.format));
    char origin[LIBRARY_ORIGIN], call[C_CALL_TEXT];
    if (state->function.call.address)
        snprintf(binding->detail, sizeof binding->detail, "%.90s, %.60s%.40s%.60s",
                 state->name.path, symbol,
                 library_origin(library, state->function.call.address, origin),
                 c_function_call_text(&state->function, call));
    return state->function.call.address;
}

static bool bind_there(struct binding *binding, struct library_state *state, struct error *why) {
    enum remote_state answer = remote_open(&state->remote, binding->implementation, state->words,
                                           &binding->request, true, why);
    binding->broken = answer == REMOTE_BROKEN;
    if (answer == REMOTE_READY && why->text[0])
        snprintf(binding->detail, sizeof binding->detail, "%.255s", why->text);
    if (answer == REMOTE_READY) /* an address over there, of which this one only says that it is */
        state->function.by_number.address = state->remote.memory->by_number;
    return answer == REMOTE_READY;
}

/* How the function is called, before it is looked for. */
static void set_call(struct library_state *state) {
    state->function.array = state->name.array;
    state->function.vector = state->name.vector;
    if (state->name.floats)
        c_function_take_floats(&state->function);
}

static bool look_up(struct binding *binding, struct library_state *state, const char *symbol,
                    struct error *why) {
    set_call(state);
    return binding->implementation->foreign->in_process ? bind_here(binding, state, symbol, why)
                                                        : bind_there(binding, state, why);
}

/* Of an operation on arrays: whether it has a signature, and what can be asked of it. */
static bool check_arrays(struct binding *binding, const struct library_name *name,
                         struct error *why) {
    const struct binding_request *request = &binding->request;
    struct array_call call;
    if (!request->operation->array)
        return true;
    if (name->array || name->vector.lanes)
        return error_set(why, "',%s' is for functions of numbers; leave it out for %s",
                         name->array ? "array" : "vector", request->operation->name);
    if (!sample_call(&call, request, why) || !c_array_provides(request->operation, &call, why))
        return false;
    binding->conditions = array_conditions(accumulation_format(&call));
    return true;
}

/* Of a conversion: whether its types are those of a function of C. */
static bool check_conversion(const struct binding *binding, const struct library_name *name,
                             struct error *why) {
    const struct binding_request *request = &binding->request;
    struct cast cast;
    if (name->floats && !request->operation->converts)
        return error_set(why, "',float' is for conversions; leave it out for %s",
                         request->operation->name);
    if (!request->operation->converts)
        return true;
    if (name->vector.lanes)
        return error_set(why, "',vector' is for functions of numbers; leave it out for %s",
                         request->operation->name);
    if (name->floats && c_function_is_wide(request->format))
        return error_set(why, "',float' is for operands that float holds; leave it out for %s",
                         request->format->name);
    return conversion_make(&cast, request->format, request->rounding, &request->parameters, why);
}

bool library_takes_codes(const struct implementation *implementation,
                         const struct binding_request *request) {
    struct library_name name;
    struct error why;
    return implementation->kind == &implementation_library && request->operation->converts &&
           !request->format->is_integer && request->format->width < formats[FORMAT_FP32].width &&
           library_name_parse(&name, spelling(implementation), &why) && !name.floats;
}

/* In a rounding that is no mode of C a function is called that rounds so by itself. That is not meant where its name
 * follows from the operation: C's own functions round as the mode says. */
static bool check_rounding(const struct binding_request *request, const struct library_name *name,
                           struct error *why) {
    const struct operation *operation = request->operation;
    const char *rounding = rounding_names[request->rounding];
    if (operation->converts || operation->rounds_to_integers ||
        rounding_fenv_mode(request->rounding) >= 0)
        return true;
    if (operation->array || rounding_is_stochastic(request->rounding))
        return error_set(why, "C has no rounding mode %s, in which %s could be called", rounding,
                         operation->name);
    return *name->symbol ||
           error_set(why,
                     "C has no rounding mode %s; name a function that rounds so by itself: "
                     "lib:%.150s:SYMBOL",
                     rounding, name->path);
}

static bool library_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    char symbol[128];
    struct library_state *state = calloc(1, sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    set_words(state, binding->implementation);
    state->pid = getpid();
    state->function = c_function_for(request);
    bool bound = library_name_parse(&state->name, spelling(binding->implementation), why) &&
                 check_rounding(request, &state->name, why) &&
                 check_arrays(binding, &state->name, why) &&
                 check_conversion(binding, &state->name, why) &&
                 library_name_symbol(&state->name, request->operation,
                                     c_function_is_wide(request->format), symbol, why) &&
                 (!state->name.vector.lanes ||
                  vector_abi_settle(&state->name.vector, symbol, request->operation,
                                    state->function.computed, why)) &&
                 look_up(binding, state, symbol, why);
    binding->state = state;
    binding->tells_flags = request->flags && !request->operation->array;
    binding->tells_errno = request->errnos && !request->operation->array &&
                           state->function.computed == request->format;
    if (c_texts_are_of(request->operation))
        array_tell_lines(binding);
    binding->flags_of_arrays = c_function_is_of_many(&state->function);
    if (bound && !request->operation->array)
        binding->conditions = c_function_conditions(&state->function);
    changes_text(binding->implementation->disturbs, binding->conditions.disturbed);
    if (!bound) {
        free(state);
        binding->state = NULL;
    }
    return bound;
}

static void library_unbind(struct binding *binding) {
    struct library_state *state = binding->state;
    if (state && !state->function.call.address)
        remote_close(&state->remote);
    if (state)
        dependencies_free(&state->needed);
    free(state);
    binding->state = NULL;
}

/* Where the function has made a copy of this process and returned in both, one goes on. */
static void end_copy(const struct library_state *state) {
    if (getpid() != state->pid)
        _exit(0);
}

/* In this process; tells when the function leaves another floating-point environment behind. */
static bool call_here(const struct library_state *state, const struct binding *binding,
                      const struct slice *slice, event_function *event, void *context,
                      struct error *error) {
    struct rounding_guard guard;
    rounding_guard_enter(&guard, c_function_mode(&binding->request));
    bool is_written, good = c_array_run(binding->request.operation, state->function.call.address,
                                        slice->array, &is_written, error);
    end_copy(state);
    c_function_tell_changes(rounding_guard_changes(&guard), 0, event, context);
    rounding_guard_leave(&guard);
    if (good && !is_written) {
        event(context, EVENT_NOT_WRITTEN, 0);
        if (slice->unanswered)
            *slice->unanswered = 1;
    }
    return good;
}

static bool library_fill(struct binding *binding, const struct slice *slice, event_function *event,
                         void *context, struct error *error) {
    struct library_state *state = binding->state;
    if (!state->function.call.address)
        return remote_fill_any(&state->remote, slice, event, context, error);
    if (slice->array)
        return call_here(state, binding, slice, event, context, error);
    return c_function_fill_here(&state->function, slice, event, context, error);
}

/* The file, wherever the library runs, and those that it needed when that was first asked. */
static void library_build(const struct binding *binding, char text[BUILD_TEXT]) {
    struct library_state *state = binding->state;
    char path[LIBRARY_PATH];
    *text = '\0';
    if (!strchr(state->name.path, '/') && binding->implementation->foreign->in_process)
        build_of_address(state->function.call.address, text);
    else if (library_find(state->name.path, path))
        build_of_file(path, text);
    if (!*text)
        return;
    bool here = state->function.call.address != NULL;
    if (!state->needed.looked && library_find(state->name.path, path))
        dependencies_find(&state->needed, here ? getpid() : state->remote.process.pid, path);
    build_add_files(text, (const char *const *)state->needed.paths, state->needed.count);
}

const struct implementation_kind implementation_library = {
    .name = "lib:",
    .takes_parameters = true,
    .summary = "lib:PATH[:SYMBOL][,array|,vector][,float]: a function of a shared library, in a "
               "process of "
               "its own",
    .takes_arrays = true,
    .others = OTHERS_IF_IN_PROCESS,
    .open = library_kind_open,
    .bind = library_bind,
    .fill = library_fill,
    .unbind = library_unbind,
    .build = library_build,
};

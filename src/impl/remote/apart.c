/* Binding to a process of detcheck's own. */
#if defined(__linux__)
#define _GNU_SOURCE /* readlink */
#endif
#include "impl/remote/apart.h"

#include "impl/detmath.h"
#include "impl/libm.h"
#include "impl/remote/command.h"
#include "impl/remote/exec.h"
#include "impl/remote/library.h"
#include "impl/remote/remote.h"
#include "impl/vector_libm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those that keep nothing between calls, so that several threads can share a binding. */
static const struct implementation_kind *const kinds[] = {
    &implementation_det,     &implementation_cr,   &implementation_libm,   &implementation_sleef,
    &implementation_libmvec, &implementation_svml, &implementation_library};

struct apart_state {
    char program[1024], line[512], memory[16];
    char *words[9];
    struct remote remote;
};

static char shell[] = "/bin/sh", command_option[] = "-c", worker[] = APART_WORKER;

/* A runner is a command of the shell, to which the program's words are handed. */
static void set_words(struct apart_state *state, const struct implementation *implementation) {
    const char *runner = foreign_runner(implementation->foreign);
    int count = 0;
    snprintf(state->memory, sizeof state->memory, "%u", implementation->foreign->memory);
    snprintf(state->program, sizeof state->program, PROCESS_PROGRAM);
    if (runner) {
        ssize_t length = readlink(PROCESS_PROGRAM, state->program, sizeof state->program - 1);
        state->program[length > 0 ? length : 0] = '\0';
        snprintf(state->line, sizeof state->line, "exec %s \"$@\"", runner);
        state->words[count++] = shell;
        state->words[count++] = command_option;
        state->words[count++] = state->line;
        state->words[count++] = shell;
    }
    state->words[count++] = state->program;
    state->words[count++] = worker;
    state->words[count++] = (char *)(uintptr_t)implementation->name;
    state->words[count++] = state->memory;
    state->words[count] = NULL;
}

static bool apart_bind(struct binding *binding, struct error *why) {
    const char *runner = foreign_runner(binding->implementation->foreign);
    binding->broken = runner && !command_is_there(runner, why);
    if (binding->broken)
        return false;
    struct apart_state *state = calloc(1, sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    set_words(state, binding->implementation);
    enum remote_state answer = remote_open(&state->remote, binding->implementation, state->words,
                                           &binding->request, false, why);
    binding->broken = answer == REMOTE_BROKEN;
    if (answer != REMOTE_READY) {
        free(state);
        return false;
    }
    snprintf(binding->detail, sizeof binding->detail, "%.255s", why->text);
    binding->conditions = state->remote.conditions;
    binding->state = state;
    return true;
}

static void apart_unbind(struct binding *binding) {
    struct apart_state *state = binding->state;
    if (state)
        remote_close(&state->remote);
    free(state);
    binding->state = NULL;
}

static bool apart_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    struct apart_state *state = binding->state;
    return remote_fill_any(&state->remote, slice, event, context, error);
}

static const struct implementation_kind implementation_apart = {.name = "apart",
                                                                .takes_parameters = true,
                                                                .takes_arrays = true,
                                                                .bind = apart_bind,
                                                                .fill = apart_fill,
                                                                .unbind = apart_unbind};

bool implementation_open_apart(struct implementation *implementation, const char *name,
                               const struct foreign_settings *foreign, struct error *error) {
    if (!implementation_open(implementation, name, foreign, error))
        return false;
    if (implementation->kind->is_command)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (implementation->kind == kinds[i]) {
            implementation->kind = &implementation_apart;
            return true;
        }
    return error_set(error, "this needs a process of its own, which %.200s does not have",
                     implementation->name);
}

void binding_renew(struct binding *binding) {
    if (binding->implementation->kind == &implementation_apart)
        remote_renew(&((struct apart_state *)binding->state)->remote);
    else
        exec_renew(binding);
}

/* Binding of exec: to a process. */
#include "impl/remote/exec.h"

#include "impl/remote/command.h"
#include "impl/remote/exec_text.h"
#include "impl/remote/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMITS = 96, COMMAND = IMPLEMENTATION_NAME + 64 };

struct exec_state {
    char line[LIMITS + IMPLEMENTATION_NAME + COMMAND];
    char *words[4];
    struct remote remote;
    struct command_files files; /* that the command names, as far as its build is known by them */
    char hashes[COMMAND_FILES][BUILD_HASH];
};

/* The shell's messages name it so. */
static char shell[] = "/bin/sh", command_option[] = "-c";
/* What speaks with detcheck for a command of lines. */
static char program[] = PROCESS_PROGRAM, text_word[] = TEXT_WORKER;

/* The option of the shell's ulimit, as the worker for lib: has it. */
#if defined(__linux__)
#define MEMORY_OPTION "-d"
#else
#define MEMORY_OPTION "-v"
#endif

static bool exec_open(struct implementation *implementation, struct error *error) {
    (void)implementation;
    (void)error;
    return true;
}

/* A function of Python is named by what needs no quotation, so that the shell leaves it alone. */
static bool python_open(struct implementation *implementation, struct error *error) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-,<>#=@";
    const char *name = implementation->name + strlen("py:");
    if (name[strspn(name, plain)] || *name == '-')
        return error_set(error,
                         "'%.80s' is not a function of Python; it is py:MODULE:FUNCTION, such as "
                         "py:numpy:exp or py:torch:nn.functional.gelu, or py:LIBRARY",
                         implementation->name);
    return true;
}

/* What the shell runs. Of a function of Python, the worker of the package detcheck: by the Python that
 * has it, or another one that the package has put in its place, to serve a function of a running process. */
static const char *command_of(const struct implementation *implementation, char room[COMMAND]) {
    const char *python = getenv("DETCHECK_PYTHON"), *worker = getenv("DETCHECK_PYTHON_WORKER");
    const char *name = implementation->name + strlen(implementation->kind->name);
    if (implementation->kind != &implementation_python)
        return name;
    snprintf(room, COMMAND, "%s %s '%s'", python && *python ? "\"$DETCHECK_PYTHON\"" : "python3",
             worker && *worker ? "\"$DETCHECK_PYTHON_WORKER\"" : "-m detcheck.worker", name);
    return room;
}

/* A crash leaves no dump, and memory has its limit. One plain command takes the place of the shell,
 * so that it is seen how it ends. */
static void set_line(struct exec_state *state, const struct implementation *implementation) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./,:+@%='\"- ";
    char room[COMMAND];
    const char *command = command_of(implementation, room);
    const struct foreign_settings *foreign = implementation->foreign;
    size_t first = strcspn(command, " ");
    bool is_plain = implementation->kind == &implementation_python ||
                    (!command[strspn(command, plain)] && !memchr(command, '=', first));
    char limits[LIMITS] = "ulimit -c 0; ";
    const char *runner = foreign_runner(foreign);
    if (foreign->memory)
        snprintf(limits, sizeof limits, "ulimit -c 0; ulimit " MEMORY_OPTION " %llu || exit 1; ",
                 1024ull * foreign->memory);
    snprintf(state->line, sizeof state->line, "%s%s%s%s%s", limits,
             is_plain || runner ? "exec " : "", runner ? runner : "", runner ? " " : "", command);
}

/* What the environment names in place of the Python that is found and of the package's worker. */
static bool is_named_there(struct error *why) {
    static const struct {
        const char *name, *what;
        int mode;
    } variables[] = {{"DETCHECK_PYTHON", "no program", X_OK},
                     {"DETCHECK_PYTHON_WORKER", "no file that can be read", R_OK}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *path = getenv(variables[i].name);
        if (path && strchr(path, '/') && access(path, variables[i].mode) != 0)
            return error_set(why, "%s is '%.200s', which is %s", variables[i].name, path,
                             variables[i].what);
    }
    return true;
}

/* What runs it, and it. */
static bool is_there(const struct implementation *implementation, struct error *why) {
    const char *runner = foreign_runner(implementation->foreign);
    char room[COMMAND];
    const char *command = command_of(implementation, room);
    const bool has_comma = implementation->kind != &implementation_python &&
                           memchr(command, ',', strcspn(command, " "));
    struct error reason;
    return ((!runner || command_is_there(runner, &reason)) &&
            (implementation->kind != &implementation_python || is_named_there(&reason)) &&
            command_is_there(command, &reason)) ||
           error_set(why, "%.200s cannot be started: %s%s%s%s", implementation->name, reason.text,
                     has_comma ? "; " : "", has_comma ? implementation->kind->name : "",
                     has_comma ? " takes all of the rest as its command, commas too: for another "
                                 "implementation give --impl again"
                               : "");
}

static bool exec_bind(struct binding *binding, struct error *why) {
    binding->broken = !is_there(binding->implementation, why);
    if (binding->broken)
        return false;
    struct exec_state *state = calloc(1, sizeof *state);
    if (!state)
        return binding_out_of_memory(binding, why);
    const bool is_of_text = binding->implementation->kind == &implementation_exec_text;
    state->words[0] = is_of_text ? program : shell;
    state->words[1] = is_of_text ? text_word : command_option;
    state->words[2] = state->line;
    set_line(state, binding->implementation);
    char build[BUILD_TEXT];
    binding->state = state;
    binding_build(binding, build);
    /* Under conditions a process is wanted that did nothing else before. */
    enum remote_state answer = binding->request.conditions
                                   ? remote_open(&state->remote, binding->implementation,
                                                 state->words, &binding->request, false, why)
                                   : remote_open_kept(&state->remote, binding->implementation,
                                                      state->words, &binding->request, build, why);
    if (answer == REMOTE_READY) {
        snprintf(binding->detail, sizeof binding->detail, "%.255s",
                 binding->request.machine ? machine_read(why->text, &binding->machine) : why->text);
        binding->conditions = state->remote.conditions;
        if (binding->conditions.is_known) {
            binding->conditions.form = FORM_ARRAYS;
            binding->conditions.number_bytes = format_bytes(binding->request.format);
        }
        binding->tells_flags = (state->remote.tells & PROTOCOL_FLAGS) != 0;
        binding->tells_errno = (state->remote.tells & PROTOCOL_ERRNO) != 0;
        binding->tells_lengths = (state->remote.tells & PROTOCOL_LENGTHS) != 0;
        return true;
    }
    binding->broken = answer == REMOTE_BROKEN;
    binding->state = NULL;
    free(state);
    return false;
}

static void exec_unbind(struct binding *binding) {
    struct exec_state *state = binding->state;
    if (state)
        remote_close(&state->remote);
    free(state);
    binding->state = NULL;
}

void exec_renew(struct binding *binding) {
    remote_renew(&((struct exec_state *)binding->state)->remote);
}

static bool exec_fill(struct binding *binding, const struct slice *slice, event_function *event,
                      void *context, struct error *error) {
    struct exec_state *state = binding->state;
    return remote_fill_any(&state->remote, slice, event, context, error);
}

/* The program, and what else of the command are files: a script, its settings. What follows the script can also
 * be a file that the worker writes, such as a log. */
enum { SURELY_READ = 2 };

static void hash_files(const struct command_files *files, char (*hashes)[BUILD_HASH]) {
    for (size_t i = 0; i < files->count; i++)
        build_of_file(files->paths[i], hashes[i]);
}

static void exec_build(const struct binding *binding, char text[BUILD_TEXT]) {
    struct exec_state *state = binding->state;
    const struct implementation *implementation = binding->implementation;
    const char *name = implementation->name + strlen(implementation->kind->name);
    *text = '\0';
    if (!state)
        return;
    if (implementation->kind == &implementation_python)
        command_module_find(&state->files, name);
    else
        command_files_find(&state->files, name);
    hash_files(&state->files, state->hashes);
    build_of_parts((const char(*)[BUILD_HASH])state->hashes, state->files.count, text);
}

static void exec_build_again(const struct binding *binding, char before[BUILD_TEXT],
                             char now[BUILD_TEXT]) {
    struct exec_state *state = binding->state;
    struct command_files *files = &state->files;
    char hashes[COMMAND_FILES][BUILD_HASH];
    size_t kept = 0;
    hash_files(files, hashes);
    for (size_t i = 0; i < files->count; i++) {
        if (i >= SURELY_READ && strcmp(hashes[i], state->hashes[i]) != 0)
            continue;
        memmove(files->paths[kept], files->paths[i], sizeof *files->paths);
        memmove(hashes[kept], hashes[i], sizeof *hashes);
        memmove(state->hashes[kept], state->hashes[i], sizeof *hashes);
        kept++;
    }
    files->count = kept;
    build_of_parts((const char(*)[BUILD_HASH])state->hashes, kept, before);
    build_of_parts((const char(*)[BUILD_HASH])hashes, kept, now);
}

/* What all kinds of commands share. */
#define OF_A_COMMAND                                                                               \
    .takes_parameters = true, .takes_arrays = true, .is_command = true, .bind = exec_bind,         \
    .fill = exec_fill, .unbind = exec_unbind, .build = exec_build, .build_again = exec_build_again

const struct implementation_kind implementation_exec = {
    .name = "exec:",
    .summary = "exec:COMMAND: a process that speaks the protocol of detcheck-exec(7)",
    .open = exec_open,
    OF_A_COMMAND,
};

const struct implementation_kind implementation_exec_text = {
    .name = "exec-text:",
    .summary =
        "exec-text:COMMAND: a process that answers lines of text by lines, detcheck-exec-text(7)",
    .open = exec_open,
    OF_A_COMMAND,
};

const struct implementation_kind implementation_python = {
    .name = "py:",
    .summary = "py:MODULE[:FUNCTION]: Python, by the package of detcheck-python(7)",
    .open = python_open,
    OF_A_COMMAND,
};

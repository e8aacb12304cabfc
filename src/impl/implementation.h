/* Implementations under test, behind one interface.
 *
 * An implementation is what the user named (--impl). Bound to an operation, a format and a rounding
 * it fills arrays of outputs from arrays of inputs; one binding belongs to one thread. A new kind
 * is a row in implementation.c and a file beside this one. */
#ifndef DETCHECK_IMPL_IMPLEMENTATION_H
#define DETCHECK_IMPL_IMPLEMENTATION_H

#include "base/clock.h"
#include "base/error.h"
#include "format/format.h"
#include "impl/build.h"
#include "impl/conditions.h"
#include "impl/machine.h"
#include "op/operation.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many inputs of a slice may cost a process: 1 or more. What follows them is left without an answer
 * and without an event, and those elements are added to `left_out`. */
struct loss_limit {
    size_t most, left_out;
};

/* Of inputs that were asked again after an event, such as a change of the rounding mode, the answers that
 * came first. */
enum earlier_state {
    EARLIER_NONE,
    EARLIER_DIFFERS, /* the results hold another answer */
    EARLIER_KEPT     /* not compared yet: never when `fill` has returned */
};
struct earlier_answers {
    void *results[MAX_RESULTS]; /* `count` codes each */
    uint8_t *state;             /* `count` bytes, all EARLIER_NONE before */
    bool any;                   /* false before; whether a state may be another one */
};

/* Arrays of `count` codes, format_bytes each: one per operand, in the operands' format, and one per
 * result, in the results' format. */
struct slice {
    size_t count;
    const void *operands[MAX_OPERANDS];
    void *results[MAX_RESULTS];
    uint64_t first, total; /* number of its first input in the domain; of all its inputs, or 0 */
    /* `count` bytes, all 0 before, or NULL: set to 1 where the implementation gave no output, or did not
     * write one. What the results hold there is undefined. Where it is NULL, every such input has an
     * event. */
    uint8_t *unanswered;
    /* `count` bytes each, or NULL where nobody asks; filled where the binding tells them. Sets of
     * flags (format/flags.h): those that the call of this input raised, none being set before; those
     * that it cleared, all being set before (another call). And what errno was after the call, 0
     * before (oracle/flags.h). Where the binding's flags are of arrays, each byte is of the call of
     * FLAG_ARRAY successive inputs (impl/call_window.h), counted from the first of the slice, or of a
     * call of one input where `flags_of_each` asks for that, of which the results are then, too.
     *
     * Where inexact is left open, nobody asks whether a call raises it: whether `raised` has it then
     * says nothing, and none but inexact need have been clear before the call. */
    uint8_t *raised, *cleared, *errnos;
    bool flags_of_each, inexact_is_open;
    /* NULL: a plain call of all of it. Else what the binding said that it can be asked for. A call
     * that does not return leaves all of its array without an answer. */
    const struct conditions *conditions;
    /* `count` bytes, or NULL: with traps, the flags by which the call of this input's array was
     * trapped that the call without traps does not raise (format/flags.h). */
    uint8_t *trapped;
    struct loss_limit *limit;        /* NULL: none */
    struct earlier_answers *earlier; /* NULL where nobody asks */
    /* Of an operation on arrays: one call. `count` is 1, and of the above there is `unanswered`
     * besides. */
    const struct array_call *array;
    /* By result: which of the elements of all calls of the sweep is the call's first, and how many
     * those are, or 0. */
    uint64_t array_first[MAX_RESULTS], array_total[MAX_RESULTS];
};

/* Something that an implementation did besides answering. */
enum event_kind {
    EVENT_CRASH,
    EVENT_HANG,
    EVENT_EXIT,
    EVENT_ROUNDING_CHANGED,
    EVENT_FLUSHING_CHANGED,  /* of subnormal operands or results */
    EVENT_PRECISION_CHANGED, /* of x87: of long double */
    EVENT_TRAPS_CHANGED,     /* which exceptions of floating point are signals */
    EVENT_REGISTERS_CHANGED, /* of x87: left in use, as MMX does */
    EVENT_DIRECTION_CHANGED, /* of the string instructions of x86 */
    EVENT_ANSWERED_TWICE, /* a call returned twice, or a worker sent more than it was asked for */
    EVENT_GIVEN_UP,       /* passed over: too many inputs before it had cost a process */
    EVENT_NOT_WRITTEN,    /* a call returned and left an output as it was */
    EVENT_ANSWERS_DIFFER, /* asked again after an event, it answered otherwise: the first such input of
                             those that were asked again */
    EVENT_KINDS
};
extern const char *const event_names[EVENT_KINDS];

/* Called with the index in the slice of the input at which it happened. */
typedef void event_function(void *context, enum event_kind kind, size_t index);

struct binding;
struct implementation_kind;

/* How code that is not ours is run. */
struct foreign_settings {
    double timeout;  /* seconds that a block of inputs may take */
    unsigned memory; /* MiB that a process of it may take, or 0: no limit */
    bool in_process;
    bool runs_named; /* implementation_open_named: also what leads to code beside this program's */
    const volatile sig_atomic_t *stop; /* nonzero: wait no more; may be NULL */
    const volatile double *until; /* nor from then on, of clock_seconds(); NULL, or 0 there: ever */
    /* NULL, or what is other than usual for a process: NAME=VALUE in its environment, or a command
     * that runs it ("qemu-x86_64 -cpu Haswell"). */
    const char *variant;
};

/* What holds where nobody asks for anything else. */
extern const struct foreign_settings foreign_defaults;

static inline bool foreign_is_stopped(const struct foreign_settings *settings) {
    double until = settings->until ? *settings->until : 0;
    return (settings->stop && *settings->stop) || (until > 0 && clock_seconds() >= until);
}

/* The variant where it is a variable of the environment, and where it is a command; or NULL. */
const char *foreign_variable(const struct foreign_settings *settings);
const char *foreign_runner(const struct foreign_settings *settings);

/* Room for a name: that of steps has a formula. */
enum { IMPLEMENTATION_NAME = 100000 + 128 };

struct implementation {
    const struct implementation_kind *kind;
    const struct foreign_settings *foreign; /* how to run it where it is not ours */
    const char *name;  /* as the user wrote it; what the report calls it; it stays for good */
    char detail[256];  /* which library or version it turned out to be */
    unsigned disturbs; /* what its code has changed by being loaded here: 1 << enum change */
};

/* What is computed. */
struct binding_request {
    const struct operation *operation;
    const struct format *format; /* of the operands: maybe a compound (format/compound.h) */
    enum rounding rounding;
    enum overflow overflow;
    struct parameters parameters; /* settled: those that the operation takes */
    bool flags, errnos;           /* to be told, by implementations that can: struct slice */
    bool tiny_after_rounding;     /* of flags that a rounding to the format adds (format/flags.h) */
    bool conditions;              /* slices may have them */
    bool machine;                 /* a worker is to tell where it computes: impl/machine.h */
    bool
        bare; /* calls happen in the floating-point environment of the caller, who looks after it */
};

/* The format of the results. */
static inline const struct format *request_result_format(const struct binding_request *request) {
    return parameters_result_format(&request->parameters, request->format);
}

/* Of all operands together. */
static inline unsigned request_input_bits(const struct binding_request *request) {
    return format_input_bits(request->format, request->operation->operands);
}

struct binding {
    const struct implementation *implementation;
    struct binding_request request;
    char detail[256]; /* where this operation was found: the implementation's detail unless the kind
                         knows better */
    bool broken;      /* by a failed bind: the run must not go on without this implementation */
    /* Set by `bind` where that is asked and this kind can: errno only where the function computes in
     * the format that is asked for, since it tells of a result in its own. */
    bool tells_flags, tells_errno;
    bool tells_lengths;     /* of lines of text: struct line_effects */
    bool flags_of_arrays;   /* flags and errno are those of arrays: struct slice */
    struct machine machine; /* that the worker of a command told of, where the request asks */
    bool promises_no_flags; /* but to clear none: it says so itself, and is judged by that */
    struct condition_support conditions;     /* of which the request's slices may have */
    void *state;                             /* the kind's own */
    const struct array_algorithm *algorithm; /* of an operation on arrays, in place of a state */
};

/* Whether code that is not ours runs in this process: where the settings say so, or in any case. */
enum others { OTHERS_NEVER, OTHERS_IF_IN_PROCESS, OTHERS_HERE };

struct implementation_kind {
    const char *name;    /* bare ("libm"), or the prefix of a longer spelling ("lib:") */
    const char *summary; /* for the manual and `list` */
    /* Heeds the request's parameters. Where it does not, operations that take any are not asked of
     * it. */
    bool takes_parameters;
    /* Binds operations on arrays, and fills a slice that is a call. Of the other kinds an
     * operation's row has the algorithms (op/array.h). */
    bool takes_arrays;
    /* A longer spelling that may stand among others, as bare names do: its options have a '='. */
    bool in_lists;
    enum others others; /* impl/others.h */
    /* Projects results into formats of P3109 as the request says: it looks results up, computes them by the oracle or
     * reads them. So does every command, since the request that it gets has the parameters. */
    bool projects;
    /* Is a command that detcheck starts (impl/remote/exec.h). */
    bool is_command;
    /* NULL, or of names that may stand for several implementations the spelling of number `index`:
     * empty beyond the last. */
    bool (*spell)(const char *name, size_t index, char *spelling, struct error *error);
    bool (*open)(struct implementation *implementation, struct error *error);
    /* False with a reason in `why` when the implementation does not provide what is asked. */
    bool (*bind)(struct binding *binding, struct error *why);
    /* Fills all results. False only when the environment fails (not when the code under test does:
     * that is an event). */
    bool (*fill)(struct binding *binding, const struct slice *slice, event_function *event,
                 void *context, struct error *error);
    void (*unbind)(struct binding *binding);
    /* NULL where detcheck computes itself: which build of other code computes (impl/build.h). */
    void (*build)(const struct binding *binding, char text[BUILD_TEXT]);
    /* NULL where a build is compared as a whole: the build at the start and now, both without what has changed
     * because the run itself writes it. */
    void (*build_again)(const struct binding *binding, char before[BUILD_TEXT],
                        char now[BUILD_TEXT]);
};

extern const struct implementation_kind *const implementation_kinds[];
extern const size_t implementation_kind_count;
/* How many of them, from the first on, are of use to everybody. The rest compute what published texts say, or functions by
 * chosen means. */
extern const size_t implementation_usual_count;

/* What a `bind` that finds no memory returns: not that the implementation does not provide this. */
bool binding_out_of_memory(struct binding *binding, struct error *why);

/* How long the first name is in a list of names that commas separate: all of the text where a name
 * in it may hold a comma itself. */
size_t implementation_list_name(const char *names);

/* The name of implementation number `index` of those that a name stands for, which is one for most
 * kinds; empty beyond the last. A library of Python needs no prefix: "numpy" is "py:numpy". */
bool implementation_spell(const char *name, size_t index, char spelling[IMPLEMENTATION_NAME],
                          struct error *error);

/* Opens by name: a kind's name, or its prefix and the rest. The settings outlive the implementation
 * and its bindings; NULL stands for the defaults. */
bool implementation_open(struct implementation *implementation, const char *name,
                         const struct foreign_settings *foreign, struct error *error);

/* The same by a name that a file of others has. It may lead to a library, a command or another file: that
 * is an error unless the settings say `runs_named`. */
bool implementation_open_named(struct implementation *implementation, const char *name,
                               const struct foreign_settings *foreign, struct error *error);

bool implementation_bind(struct binding *binding, const struct implementation *implementation,
                         const struct binding_request *request, struct error *why);
bool binding_fill(struct binding *binding, const struct slice *slice, event_function *event,
                  void *context, struct error *error);
void binding_close(struct binding *binding);

/* Which build computes; empty where that is not known. */
void binding_build(const struct binding *binding, char text[BUILD_TEXT]);

/* That the build is still the one that a run began with, `before`; else an error: what is computed is of two. What
 * the run itself writes is no part of it from then on. */
bool binding_keeps_build(const struct binding *binding, char before[BUILD_TEXT],
                         struct error *error);

#endif

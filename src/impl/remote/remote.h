/* An implementation in another process, which may crash, hang or end: each time the inputs are
 * divided until it is known which one did it, and a new process goes on at the next.
 *
 * The process speaks the protocol of detcheck-exec(7); where there is shared memory, the codes lie
 * there and do not go through the pipes. One of these serves one binding, in one thread. */
#ifndef DETCHECK_IMPL_REMOTE_REMOTE_H
#define DETCHECK_IMPL_REMOTE_REMOTE_H

#include "impl/implementation.h"
#include "impl/remote/process.h"
#include "impl/remote/protocol.h"

#include <stdalign.h>

/* What the worker for lib: shares with detcheck. */
struct remote_memory {
    volatile uint32_t at;        /* as in struct call_watch */
    volatile uint32_t jumped;    /* not 0: the call there jumped into an earlier one */
    volatile uint64_t number;    /* of the request being answered */
    uint64_t first;              /* as struct slice has it, of the request's first input */
    volatile uint32_t exhausted; /* not 0: out of memory for the arrays of a call */
    void *
        by_number; /* where the worker has the library's form for one number; only it can call it */
    bool is_conditioned;              /* the request has conditions */
    struct conditions conditions;     /* of a call of an operation on arrays: its offsets */
    uint32_t changes;                 /* not 0: some of `changed` are not */
    uint16_t changed[PROTOCOL_BLOCK]; /* by input: 1 << EVENT_ROUNDING_CHANGED and the like */
    /* As struct slice and struct binding_request have them: what is asked for, and the answer. */
    bool flags, clearing, errnos, flags_of_each, inexact_is_open, tiny_after_rounding;
    bool lengths; /* of a call on texts, whose effects follow its results through the pipe */
    uint8_t raised[PROTOCOL_BLOCK], cleared[PROTOCOL_BLOCK], error_numbers[PROTOCOL_BLOCK];
    struct earlier_answers
        kept; /* of inputs that were asked again; at these, for the worker alone: */
    uint8_t earlier_state[PROTOCOL_BLOCK];
    alignas(64) uint64_t earlier[MAX_RESULTS][PROTOCOL_BLOCK];
    alignas(64) uint64_t operands[MAX_OPERANDS][PROTOCOL_BLOCK];
    alignas(64) uint64_t results[MAX_RESULTS][PROTOCOL_BLOCK];
};

/* Requests through a pipe of which no two have the same count: the last ones, and the next. */
enum { REMOTE_APART = 8 };

/* What a worker was started as, where one that waits may serve (idle.h): bytes that are the same for another. */
struct remote_key {
    char *bytes; /* NULL: it ends with its binding */
    size_t length;
};

struct remote {
    const struct binding_request *request;
    const struct foreign_settings *foreign;
    const char *name; /* for errors */
    char *const *words;
    struct process process;
    struct remote_key key;
    bool is_at_rest;              /* it is ready, and has answered all that it was asked */
    struct error said;            /* the text of its reply */
    struct remote_memory *memory; /* NULL: none is shared */
    int memory_descriptor;
    /* Of a worker for exec: what its answers have besides codes, PROTOCOL_FLAGS and PROTOCOL_ERRNO,
     * or PROTOCOL_CONDITIONS; and room for what nobody asks for. */
    unsigned tells;
    struct condition_support conditions;
    bool has_started; /* once; workers that are started later have to tell as much */
    uint8_t discarded[PROTOCOL_BLOCK + REMOTE_APART];
    bool has_gaps; /* outputs of the last answer were not written: */
    uint8_t
        gaps[PROTOCOL_BLOCK + 1]; /* not 0 where; by input, and one for all of an array call's */
    uint8_t left[PROTOCOL_BLOCK]; /* of the last request with conditions: CONDITIONS_LEFT */
    struct hangs *hangs;          /* of all bindings of the implementation (hangs.h) */
    uint64_t number;              /* of the last request */
    size_t asked[REMOTE_APART];   /* inputs of the last requests that this process was sent, or 0 */
    size_t asked_next;            /* which of them is the oldest */
    /* Of inputs that cost a process, with no answer since: their weight (remote.c), and how many
     * blocks are passed over now and were last. */
    unsigned lost;
    uint64_t passing, passed;
};

/* What a process said when it was started. */
enum remote_state {
    REMOTE_READY,
    REMOTE_NOT_PROVIDED, /* the text says why */
    REMOTE_BROKEN        /* the text is an error */
};

/* Starts the command of these words, which stay the caller's, for a request, which does, too, as
 * does the implementation. A request without an operation asks only whether the worker can be
 * started. */
enum remote_state remote_open(struct remote *remote, const struct implementation *implementation,
                              char *const *words, const struct binding_request *request,
                              bool shares_memory, struct error *text);

/* The same without shared memory, of a command that is of that build: a worker that another binding had may
 * serve (idle.h). */
enum remote_state remote_open_kept(struct remote *remote,
                                   const struct implementation *implementation, char *const *words,
                                   const struct binding_request *request,
                                   const char build[BUILD_TEXT], struct error *text);

/* As the function `fill` of a kind, for a slice of numbers. */
bool remote_fill(struct remote *remote, const struct slice *slice, event_function *event,
                 void *context, struct error *error);

/* The same for a slice with conditions, of a worker that knows of them. */
bool remote_fill_conditioned(struct remote *remote, const struct slice *slice,
                             event_function *event, void *context, struct error *error);

/* The same for a slice that is a call of an operation on arrays. */
bool remote_call(struct remote *remote, const struct slice *slice, event_function *event,
                 void *context, struct error *error);

/* Whichever of them the slice wants. */
static inline bool remote_fill_any(struct remote *remote, const struct slice *slice,
                                   event_function *event, void *context, struct error *error) {
    return (slice->array        ? remote_call
            : slice->conditions ? remote_fill_conditioned
                                : remote_fill)(remote, slice, event, context, error);
}

/* Has a new process compute what comes next. */
void remote_renew(struct remote *remote);

/* Ends the process, or has it wait for another binding. */
void remote_close(struct remote *remote);

/* Below: between the files of this folder whose functions begin with remote. */

/* Seconds for a worker to end when it is told to. */
#define REMOTE_GRACE 2.0

/* While the input that hangs is looked for, its neighbours get this share of the time. */
#define REMOTE_SEARCH_SHARE 0.125

/* As the settings have it. */
struct patience remote_patience(const struct remote *remote, double seconds);

/* The page that says how the worker should have spoken. */
const char *remote_page(const struct remote *remote);

/* Starts the process, the first time or anew. */
enum remote_state remote_start(struct remote *remote, struct error *text);

/* Part of a slice that is asked for in one request. */
struct remote_part {
    const struct slice *slice;
    size_t at, count;
};

enum remote_outcome {
    REMOTE_ANSWERED,
    REMOTE_LOST, /* the process is gone, or has closed its output */
    REMOTE_LATE,
    REMOTE_STOPPED, /* by the user */
    REMOTE_TWICE,   /* there is an answer that was not asked for */
    REMOTE_JUNK     /* what it wrote is no answer */
};

/* Has the part computed, in at most so many seconds. */
enum remote_outcome remote_ask(struct remote *remote, const struct remote_part *part,
                               double seconds);

/* What surrounds the outputs of an answer. */
struct remote_frame {
    uint8_t head[ANSWER_SIZE], end[ANSWER_END_SIZE];
};

/* The verdict on an exchange, given what came of the frame; what did not come is zero. `count` is
 * what the answer has to say. */
enum remote_outcome remote_judge_frame(const struct remote *remote,
                                       const struct remote_frame *frame, size_t count,
                                       enum exchange exchange);

/* Has the rest of an answer come that tells of gaps, and takes note of them: `outcome` is what came of
 * the frame. */
enum remote_outcome remote_take_gaps(struct remote *remote, const struct remote_frame *frame,
                                     size_t count, const struct patience *patience,
                                     enum remote_outcome outcome);

/* Whether the process has written something since its last answer. */
bool remote_is_ahead(const struct remote *remote);

void remote_make_request(uint8_t request[REQUEST_SIZE], uint32_t kind, size_t count,
                         uint64_t first);

/* Takes note of a request of so many inputs; whether one of the last was of as many. */
void remote_note_asked(struct remote *remote, size_t count);
bool remote_was_asked(const struct remote *remote, size_t count);

/* Before a request: nothing is being computed, nothing was noticed. */
void remote_reset_memory(struct remote_memory *memory);

/* Tells of changes of the floating-point environment, and of outputs that were not written, which it
 * marks as unanswered. */
void remote_tell_changes(const struct remote *remote, const struct remote_part *part,
                         event_function *event, void *context);

/* Of a process that is lost, late or ahead: closes it, and says what has happened to it. */
enum event_kind remote_reap(struct remote *remote, enum remote_outcome outcome);

/* Of a part that has cost its process at input `where` - 1, of those that are gone through more than once:
 * keeps what the calls before have given, where the slice wants it. */
void remote_keep_earlier(const struct remote *remote, const struct remote_part *part, size_t where);

/* Takes note of an input that cost a process, or of an answer. */
void remote_note_lost(struct remote *remote, enum event_kind kind);
void remote_note_answered(struct remote *remote);

/* Whether so many inputs have cost a process that the slice's elements from `at` on are left out. */
bool remote_leaves_out(const struct slice *slice, size_t lost, size_t at);

/* Whether the slice is passed over, since the implementation has been given up: its inputs are left
 * without an answer then. */
bool remote_passes_over(struct remote *remote, const struct slice *slice, event_function *event,
                        void *context);

#endif

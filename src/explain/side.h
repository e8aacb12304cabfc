/* One implementation in one thread, asked at inputs of the domain and at others. */
#ifndef DETCHECK_EXPLAIN_SIDE_H
#define DETCHECK_EXPLAIN_SIDE_H

#include "explain/events.h"
#include "impl/implementation.h"
#include "sweep/domain.h"
#include "sweep/open_inputs.h"

/* What a side is asked. Each question but the first is one that explain can do without: inputs that cost a process
 * end it. */
enum side_question {
    QUESTION_DIFFERENCES,
    QUESTION_CHANGED_INPUTS,
    QUESTION_REPETITION,
    QUESTION_PLACES,
    QUESTION_LIBRARIES,
    QUESTION_REWRITINGS,
    QUESTION_REBUILDS,
    SIDE_QUESTIONS
};
extern const struct question_row {
    const char *name, *says; /* in reports; in text, after "was not called further to find" */
    size_t most;             /* inputs that may cost a process, of a hang the first one */
} question_rows[SIDE_QUESTIONS];

/* Inputs that have cost a process of a side. They are not asked for again, however often they are met: each
 * time would cost what the first one did. */
enum { MOST_LOSSES = 128 };
struct side_losses {
    size_t count;
    struct {
        uint64_t codes[MAX_OPERANDS];
        enum event_kind kind;
    } inputs[MOST_LOSSES];
    /* Events that count whichever inputs were asked for: the side sent an answer that nobody had asked for, was
     * given up, or answered otherwise when it was asked again. By kind, with the first. */
    uint64_t counts[EVENT_KINDS];
    struct event_witness first[EVENT_KINDS];
    size_t lost[SIDE_QUESTIONS]; /* inputs that cost a process in a later question */
    bool ended[SIDE_QUESTIONS];  /* so that it is asked no further; */
    bool cut[SIDE_QUESTIONS];    /* and somebody wanted to ask it */
};

/* Adds those to what a side did, where it does not tell of any of the kind. */
void side_add_elsewhere(const struct side_losses *losses, struct side_events *events);

struct side {
    const struct domain *domain;
    struct binding binding;
    bool bound;
    int result;                 /* the one that is wanted */
    void *results[MAX_RESULTS]; /* room for a slice */
    uint8_t *unanswered;
    size_t most;                    /* a slice */
    struct earlier_answers earlier; /* of side_ask */
    bool takes_integer;             /* not all inputs are calls of C */
    struct open_inputs open;        /* nor has each a right result */
    uint8_t *hidden; /* by input of a slice: 0, or the number of the loss that it is, from 1 */
    struct side_losses
        *losses; /* NULL, or the caller's, which sides of several threads and phases may share */
    struct side_events *events; /* NULL, or the caller's, where side_ask counts what happens */
    enum side_question question;
};

/* Whether an input is not compared: it is no call of C, or the profile leaves its result undefined. */
bool side_passes_over(const struct side *side, const uint64_t *codes, uint64_t index);

/* Whether the question that the side is asked has ended. */
bool side_is_ended(const struct side *side);

/* Binds, with room for `most` inputs at a time; `losses` and `events` are the caller's to set afterwards.
 * Close it in any case. */
bool side_open(struct side *side, const struct implementation *implementation,
               const struct binding_request *computed, int result, const struct domain *domain,
               size_t most, struct error *error);
void side_close(struct side *side);

/* The outputs of inputs first..first+count-1 of the domain, which `inputs` has: they stand in
 * side->results[side->result] then, with their NaNs as they came; side->unanswered tells those that
 * are missing. What is passed over has the canonical NaN, as in a sweep. side->earlier has what inputs that were
 * asked again after an event gave at first. */
bool side_ask(struct side *side, void *const *inputs, uint64_t first, size_t count,
              struct error *error);

/* The same of any inputs; a file of outputs answers only those that the domain has. */
bool side_ask_elsewhere(struct side *side, void *const *inputs, size_t count, struct error *error);

/* The number in the domain of the first input, of one operand, that is not before the code. */
uint64_t side_place(const struct domain *domain, uint64_t code);

/* Inputs of the domain, of one operand, with codes from..to. */
uint64_t side_count_between(const struct domain *domain, uint64_t from, uint64_t to);

#endif

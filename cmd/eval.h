/* Between eval.c, which evaluates operations on numbers, eval_show.c, which prints what came out,
 * and eval_array.c, which does those on arrays. */
#ifndef DETCHECK_CMD_EVAL_H
#define DETCHECK_CMD_EVAL_H

#include "detail.h"
#include "flag_options.h"
#include "selection.h"
#include "words.h"

#include "oracle/judge.h"

#include <cjson/cJSON.h>

/* A pass over all that was asked for. */
struct eval_run {
    const struct arguments *arguments;
    const struct selection *selection;
    cJSON *array;       /* what comes out goes there; NULL: to stdout as text */
    bool remarks;       /* say where a value was rounded */
    struct words words; /* of --inputs; read once */
    bool had_event;     /* an implementation did something besides answering */
    struct flag_options observed;
};

enum { MOST_GIVEN = 64 };

/* One evaluation: one input in one format and rounding. */
struct evaluation {
    const struct operation *operation;
    const struct format *format;
    enum rounding rounding;
    struct parameters parameters;
    const struct format *result_format;
    uint64_t input[MAX_OPERANDS];
    uint64_t
        given[MOST_GIVEN]; /* by --got: a set of as many as there are results, or several sets */
    size_t given_count;
    struct flag_options observed;
    struct flag_expectation expected; /* of the call, where flags or errno are observed */
    struct eval_run *run;
};

/* The truth about one result. */
struct truth {
    const char *name;
    char own_name[64]; /* of a result of several */
    char exact[128];
    struct real y;
    uint64_t want;
    double boundary_distance; /* infinite: there is none to tell of */
    bool is_open;             /* no result is right: `want` is 0 */
    bool distance_is_bound;   /* boundary_distance is no less than the distance, and may be more */
};

/* What somebody returned for it. */
struct answer {
    struct eval_run *run;
    const char *name;
    char detail[DETAIL_TEXT];
    bool is_given; /* by --got: there was no call */
    bool provided;
    const char *reason;
    const char *event; /* what it did besides answering, or NULL */
    uint8_t unanswered;
    uint64_t got;
    struct judgement judgement;
    bool is_open; /* and there is nothing to judge */
    bool tells_flags, tells_errno;
    bool promises_no_flags;               /* judged by that alone: it clears none */
    struct flag_expectation expected;     /* of the call, by what it is judged by */
    uint8_t raised, cleared, errno_after; /* an enum errno_kind */
};

/* The truth and an answer as text. */
void eval_print_truth(const struct evaluation *evaluation, const struct truth *truth);
void eval_print_answer(const struct evaluation *evaluation, const struct answer *answer);

/* The truth as an object without answers, and an answer added to it. */
cJSON *eval_json_truth(const struct evaluation *evaluation, const struct truth *truth);
void eval_json_answer(cJSON *truth, const struct evaluation *evaluation,
                      const struct answer *answer);

/* What the call of an answer did besides: below it, behind so many blanks, or as members of its object. */
void eval_print_effects(const struct flag_options *observed, const struct answer *answer,
                        int indent);
void eval_json_effects(cJSON *object, const struct answer *answer);

const char *verdict_text(const struct judgement *judgement);

/* "  label     decimal  hex  bits", without a newline. */
void print_number(const char *label, const struct format *format, uint64_t code);

/* A number as it stands on the command line. */
bool read_value(const struct eval_run *run, const struct format *format, const char *text,
                uint64_t *code, struct error *error);

/* One call of an operation on arrays, in every selected format and rounding: the values are the
 * elements of its operands, one operand after the other. */
bool evaluate_arrays(struct eval_run *run, struct error *error);

/* Runs a binding over a slice. The events come to `event` with the context. False for trouble of
 * the environment, and where the user has interrupted: what is there then are not answers. */
bool eval_fill(struct binding *binding, const struct slice *slice, event_function *event,
               void *context, struct error *error);

#endif

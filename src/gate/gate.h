/* Judging reports: every case against the rules that are about it and against an earlier report.
 */
#ifndef DETCHECK_GATE_GATE_H
#define DETCHECK_GATE_GATE_H

#include "gate/policy.h"
#include "report/text.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum check_status {
    CHECK_PASSED,
    CHECK_BETTER,   /* than the baseline */
    CHECK_NOTICE,   /* should be seen, fails nothing */
    CHECK_EXPECTED, /* would fail, but for an exception */
    CHECK_FAILED,
    CHECK_STATUSES
};
extern const char *const check_status_names[CHECK_STATUSES];

enum { CHECK_NAME = 96 };

/* One limit applied to one case. */
struct check {
    size_t case_index;     /* of gate.cases */
    char name[CHECK_NAME]; /* "max_ulp", "fingerprint", "tested", "invariance.position" */
    const char *what;      /* the same for people: "largest error in ulps" */
    enum check_status status;
    char allowed[FIGURE_TEXT], found[FIGURE_TEXT];
    char source[256];     /* whose limit: "policy.json, rule 3", "baseline old.json" */
    const char *reason;   /* of the exception; NULL otherwise */
    size_t next;          /* check of the same case, or CHAIN_END */
    const cJSON *witness; /* as gate_witness has it, or NULL */
    char *command;        /* that shows it: "detcheck eval exp 0x3f800000"; NULL where none can */
};

struct gate {
    struct gate_case
        *cases; /* in the order of the reports; those of the baseline that are gone last */
    size_t case_count, case_room, provided_count;
    struct check *checks;
    size_t check_count, check_room;
    size_t counts[CHECK_STATUSES]; /* of checks */
    char **notices;                /* about no case in particular */
    size_t notice_count;
};

/* A search that tried fewer inputs than this says nothing of those that it did not try. */
enum { LEAST_TRIED_BY_SEARCH = 1000 };
#define MIN_TRIED_CHECK "min_tried"
#define MIN_TRIED_MEANS "inputs that were tried"

/* Judges. A case with fewer inputs than `min_tried` fails; 0: a search with fewer than
 * LEAST_TRIED_BY_SEARCH. False with an error where no verdict can be given: a report that is incomplete or tested
 * nothing, a rule that matches nothing, two rules of which none is the more specific one, no limit
 * for any case. `baseline` may be NULL. The policies count what they matched. */
bool gate_judge(struct gate *gate, const struct read_report *reports, size_t report_count,
                struct policy *policies, size_t policy_count, const struct read_report *baseline,
                uint64_t min_tried, struct error *error);
void gate_free(struct gate *gate);

/* The same of a report under way by one policy that has its indices: rules may match nothing, and nothing
 * need be limited. `part`: of some of the inputs, of which averages and fingerprints say nothing. To be
 * freed in any case. */
bool gate_judge_sweep(struct gate *gate, const struct read_report *report, struct policy *policy,
                      bool part, struct error *error);

/* The worst status of a case's checks; CHECK_STATUSES where nothing judged it. */
enum check_status gate_case_status(const struct gate *gate, size_t case_index);

/* A case's checks are walked from here by their member `next` to CHAIN_END. */
size_t gate_first_check(const struct gate *gate, size_t case_index);

/* Appends a check and counts it; the pointer holds until the next one. NULL when memory is out. */
struct check *gate_add_check(struct gate *gate, size_t case_index, const char *name,
                             const char *what, enum check_status status);
/* Appends a notice, unless it is there; false when memory is out. */
bool gate_add_notice(struct gate *gate, const char *format, ...) PRINTF_LIKE(2, 3);

/* Compares all cases with those of the baseline. `change` says what a changed fingerprint means. */
typedef enum fingerprint_change change_function(void *context, const struct gate_case *gate_case);
bool gate_compare(struct gate *gate, const struct read_report *baseline, change_function *change,
                  void *context, struct error *error);

/* Whether a search found the inputs: of another implementation, and where the time counts of the same
 * one, it finds others for the same reason. */
bool gate_is_search(const struct read_result *result);

/* Which inputs they are, as a pattern: the description, of a search without how many it found and
 * tried. Returns `pattern`. */
enum { INPUTS_PATTERN = 512 };
const char *gate_inputs_pattern(const struct read_result *result, char pattern[INPUTS_PATTERN]);

/* Whether a figure of today says what there may be tomorrow. Of a search, how many of what it found
 * are wrong does not, but that none is does; nor does how many there were. */
bool gate_is_lasting(const struct read_result *result, enum limit_kind kind, double figure);

/* The command that shows the worst input of a kind, which `where` names as limit_row does, or the
 * sweep where there is no such input or `where` is NULL. malloc'd; NULL when memory is out. */
char *gate_command(const struct gate_case *gate_case, const char *where);

/* The object of the report that has this input, and mostly what was got and wanted there; NULL where there is none, or
 * the report has the command itself. */
const cJSON *gate_witness(const struct gate_case *gate_case, const char *where);

/* The parts of a witness: the name that people read, and the member of the report. */
enum { WITNESS_ROWS = 3 };
struct witness_row {
    const char *name, *member;
    bool is_result; /* it has the format of the result, not of the operands */
};
extern const struct witness_row witness_rows[WITNESS_ROWS];

/* One part as text, each value as a decimal and as bits: "1.5  0x3e00". To be freed; NULL if the witness is NULL or
 * lacks the part, or memory is out. */
char *gate_witness_text(const struct gate_case *gate_case, const cJSON *witness,
                        const struct witness_row *row);

/* Each part that is known: `before`, its name in at least so many columns, a space, its text and `after`. */
void gate_print_witness(FILE *stream, const struct gate_case *gate_case, const cJSON *witness,
                        const char *before, int width, const char *after);

/* The command that explains the errors of a case: "detcheck explain exp --impl libm --impl cr". To be freed; NULL if
 * explain has nothing to say of it, or memory is out. */
char *gate_why(const struct gate_case *gate_case);

/* The parameters of a case as options, "--shape 4 --flags"; empty where all are the usual ones. To be freed;
 * NULL without memory. */
char *gate_options(const struct gate_case *gate_case);

/* A command that a report tells, which may be from anybody; NULL where it is not a command of this program, or more
 * than that. */
const char *gate_command_text(const char *reported);

#endif

/* A run of the sweep: every operation in every format and rounding that the user named, over the
 * inputs that the command makes for each, and the results in words and as a report. */
#ifndef DETCHECK_CMD_SWEEP_PLAN_H
#define DETCHECK_CMD_SWEEP_PLAN_H

#include "flag_options.h"
#include "kappa_option.h"
#include "left_out.h"
#include "policy_option.h"
#include "progress.h"

#include "base/output.h"
#include "report/fingerprints.h"
#include "report/report.h"
#include "report/text.h"
#include "sweep/checkpoint/file.h"

/* One operation in one format and rounding. */
struct job {
    const struct operation *operation;
    const struct format *format;
    enum rounding rounding;
    struct parameters parameters;
};

struct sweep_plan;
struct search_options;

/* Makes the inputs of a job, of which all is in the request but these. `note` receives a line that
 * the user should see, if any. */
typedef bool inputs_function(struct sweep_plan *plan, const struct job *job,
                             const struct sweep_request *request, struct domain *domain,
                             struct error *note, struct error *error);

/* The whole run. */
struct sweep_plan {
    const struct arguments *arguments;
    struct selection selection;
    struct job *jobs;
    size_t job_count;
    struct left_out left_out;
    struct text_table table;
    uint64_t total; /* inputs of all jobs */
    inputs_function *make_inputs;
    bool stopped;       /* by the user while inputs were made: those that there are are judged */
    struct shard shard; /* {0}: the whole */
    struct search_options *search; /* of the command search, or NULL */
    int threads;
    unsigned recheck;
    unsigned shows; /* bits of enum sweep_show */
    struct flag_options flags;
    struct policy_option policy;
    struct kappa_option kappas;
    bool exact_only, by_mpfr, strict_nan, colour, plot, envelope, quiet, csv;
    const char *json;
    struct output output;          /* open when `json` is set */
    const char *fingerprints_path; /* or NULL */
    struct output fingerprints_output;
    struct fingerprint_file fingerprints;
    struct report report;
    struct checkpoint checkpoint;
    bool kept; /* in the checkpoint */
    struct progress progress;
    bool events;                 /* an implementation did something besides answering */
    struct error nothing;        /* why the last job that tested nothing did not */
    bool provided;               /* something was, whether or not its shard has inputs */
    uint64_t tested, not_called; /* of all implementations */
};

/* Makes the jobs of what is selected. */
bool plan_jobs(struct sweep_plan *plan, struct error *error);

/* --json and --fingerprints: the outputs, opened before anything runs. */
bool plan_open_outputs(struct sweep_plan *plan, struct error *error);

/* Runs all jobs; returns the exit code. */
int plan_run(struct sweep_plan *plan);

/* The run ends before its time, with that exit code, which is returned: what was done is kept. */
int plan_keep(struct sweep_plan *plan, int code);

void plan_free(struct sweep_plan *plan);

#endif

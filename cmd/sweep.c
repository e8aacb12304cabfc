/* `detcheck sweep`: implementations over a set of inputs, judged by the oracle. */
#include "inputs.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "selection.h"
#include "signals.h"
#include "terminal.h"
#include "threads.h"

#include "base/output.h"
#include "report/fingerprints.h"
#include "report/profile.h"
#include "report/report.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    OPTION_FORMAT,
    OPTION_FROM,
    OPTION_ROUNDING,
    OPTION_IMPL("libm,det"),
    {"via", 0, VALUE_FORMAT, "FORMAT",
     "of a conversion: compare with two steps, by way of FORMAT\n(--impl det --impl via:FORMAT)"},
    OPTIONS_INPUTS,
    {"oracle", 0, VALUE_TEXT, "WHICH",
     "who judges: auto, a proved fast filter where there is one and\nMPFR for what it leaves; "
     "exact, Arb or MPFR for every input;\nmpfr, MPFR alone (auto)"},
    {"recheck", 0, VALUE_TEXT, "N",
     "inputs of each block of the fast filter that are checked\nagainst MPFR (1)"},
    OPTION_THREADS,
    OPTION_STRICT_NAN,
    OPTIONS_FOREIGN,
    {"fingerprints", 0, VALUE_OUTPUT, "FILE",
     "write the digest of every 65,536 outputs there, for\n'detcheck compare'"},
    {"plot", 0, VALUE_NONE, NULL, "draw the largest error of each binade in block characters"},
    OPTION_JSON,
    {0}};

static const char details[] =
    "OPERATION is a name or a group: unary, binary, ternary, all; arrays ('detcheck list\n"
    "operations').\n"
    "Sweeping measures: wrong results alone do not make the exit code other than 0.\n";

enum { PLOT_ROWS = 6 };

/* One operation in one format and rounding. */
struct job {
    const struct operation *operation;
    const struct format *format;
    enum rounding rounding;
    struct parameters parameters;
};

/* The whole run. */
struct plan {
    const struct arguments *arguments;
    struct selection selection;
    struct job *jobs;
    size_t job_count;
    struct text_columns columns;
    uint64_t total; /* inputs of all jobs */
    int threads;
    unsigned recheck;
    bool exact_only, by_mpfr, strict_nan, colour, plot;
    const char *json;
    struct output output;          /* open when `json` is set */
    const char *fingerprints_path; /* or NULL */
    struct output fingerprints_output;
    struct fingerprint_file fingerprints;
    struct report report;
    struct progress progress;
    bool events;          /* an implementation did something besides answering */
    struct error nothing; /* why the last job that tested nothing did not */
};

/* Standard input, a pipe, a device: gone once it is read. */
static bool is_read_once(const char *path) {
    struct stat status;
    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

/* As many jobs as there are families of inputs, where none is chosen. */
static size_t families_of(const struct operation *operation, const struct parameters *given) {
    size_t count = 0;
    if (!operation->array || given->values[PARAMETER_DISTRIBUTION].present)
        return 1;
    while (operation->array->families[count].name)
        count++;
    return count;
}

/* The job, once for each family of inputs of an operation on arrays. */
static bool add_jobs(struct plan *plan, const struct job *job, struct error *error) {
    struct parameters given = plan->selection.parameters;
    size_t families = families_of(job->operation, &given);
    for (size_t i = 0; i < families; i++) {
        struct job *one = &plan->jobs[plan->job_count++];
        *one = *job;
        for (size_t j = 0; j < plan->selection.implementation_count; j++)
            text_fit_columns(&plan->columns, job->operation, job->format, job->rounding,
                             plan->selection.implementations[j].name);
        if (!select_parameters(&plan->selection, job->operation, job->format, job->rounding,
                               &one->parameters, error))
            return false;
        if (job->operation->array && !given.values[PARAMETER_DISTRIBUTION].present)
            one->parameters.values[PARAMETER_DISTRIBUTION] = (struct parameter_value){
                .present = true, .text = job->operation->array->families[i].name};
    }
    return true;
}

static bool make_jobs(struct plan *plan, struct error *error) {
    const struct selection *selection = &plan->selection;
    size_t most = 0;
    for (size_t i = 0; i < selection->operation_count; i++)
        most += families_of(selection->operations[i], &selection->parameters);
    plan->jobs =
        calloc(most * selection->format_count * selection->rounding_count, sizeof *plan->jobs);
    if (!plan->jobs)
        return error_set(error, "out of memory");
    for (size_t format = 0; format < selection->format_count; format++)
        for (size_t rounding = 0; rounding < selection->rounding_count; rounding++)
            for (size_t operation = 0; operation < selection->operation_count; operation++) {
                struct job job = {.operation = selection->operations[operation],
                                  .format = selection->formats[format],
                                  .rounding = selection->roundings[rounding]};
                if (!add_jobs(plan, &job, error))
                    return false;
            }
    if (is_read_once(argument_value(plan->arguments, "inputs", "")) && plan->job_count > 1)
        return error_set(error,
                         "--inputs %s can be read once only; name one operation, one format "
                         "and one rounding, or a plain file",
                         argument_value(plan->arguments, "inputs", ""));
    return select_once(selection, plan->job_count, plan->jobs[0].operation, error);
}

/* Every domain is made once before anything runs, so that a mistake shows at once. */
static bool check_domains(struct plan *plan, struct error *error) {
    if (is_read_once(argument_value(plan->arguments, "inputs", "")))
        return true;
    struct error said = {{0}};
    for (size_t i = 0; i < plan->job_count; i++) {
        struct domain domain;
        struct error note = {{0}};
        const struct job *job = &plan->jobs[i];
        if (!inputs_make(&domain, plan->arguments, job->operation, job->format, &job->parameters,
                         &note, error))
            return false;
        plan->total += domain.count;
        domain_free(&domain);
        if (note.text[0] && strcmp(note.text, said.text) != 0 && i < 4)
            remark("note", &note);
        said = note;
    }
    return true;
}

static bool read_oracle(struct plan *plan, struct error *error) {
    static const char *const oracles[] = {"auto", "exact", "mpfr"};
    enum { AUTO, EXACT, MPFR, ORACLES };
    unsigned long long recheck;
    int which;
    if (!argument_choice(plan->arguments, "oracle", oracles, ORACLES, AUTO, &which, error))
        return false;
    plan->by_mpfr = which == MPFR;
    plan->exact_only = which != AUTO;
    if (!argument_number(plan->arguments, "recheck", 1, MOST_RECHECKS, 1, &recheck, error))
        return false;
    plan->recheck = (unsigned)recheck;
    return true;
}

static bool open_outputs(struct plan *plan, struct error *error) {
    plan->fingerprints_path = argument_value(plan->arguments, "fingerprints", NULL);
    if (plan->fingerprints_path && strcmp(plan->fingerprints_path, "-") == 0)
        return error_set(error, "--fingerprints wants a file; stdout is for results");
    return (!plan->json || output_open(&plan->output, plan->json, error)) &&
           (!plan->fingerprints_path ||
            output_open(&plan->fingerprints_output, plan->fingerprints_path, error));
}

static bool make_plan(struct plan *plan, const struct arguments *arguments, struct error *error) {
    plan->arguments = arguments;
    if (!arguments->positional_count)
        return error_set(error, "sweep wants an operation, such as exp, or unary; 'detcheck list "
                                "operations' names them all");
    if (!select_operations(&plan->selection, arguments->positional, arguments->positional_count,
                           error) ||
        !select_options(&plan->selection, arguments, "libm,det", error) ||
        !threads_given(arguments, &plan->threads, error))
        return false;
    if (!read_oracle(plan, error))
        return false;
    plan->strict_nan = argument_given(arguments, "strict-nan");
    plan->plot = argument_given(arguments, "plot");
    plan->json = argument_value(arguments, "json", NULL);
    plan->colour = terminal_has_colours(STDOUT_FILENO);
    if (!make_jobs(plan, error) || !check_domains(plan, error))
        return false;
    return open_outputs(plan, error);
}

static void print_outcome(struct plan *plan, const struct sweep_request *request,
                          const struct sweep_outcome *outcome, bool first) {
    if (plan->json && strcmp(plan->json, "-") == 0)
        return;
    if (plan->job_count == 1) {
        text_print_sweep(stdout, request, outcome, plan->colour);
        if (plan->plot)
            profile_print(stdout, request, outcome, PLOT_ROWS);
        return;
    }
    if (first)
        text_print_table_heading(stdout, &plan->columns);
    text_print_table_row(stdout, &plan->columns, request, outcome, plan->colour);
    if (plan->plot)
        profile_print(stdout, request, outcome, 1);
}

static void note_outcome(struct plan *plan, const struct sweep_outcome *outcome) {
    for (size_t i = 0; i < outcome->implementation_count; i++) {
        const struct implementation_outcome *one = &outcome->implementations[i];
        if (!one->provided) {
            plan->nothing = one->reason;
            continue;
        }
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            plan->events = plan->events || one->tallies[0].events[kind];
    }
}

/* What is told of while a sweep runs. */
struct running {
    const struct plan *plan;
    const struct sweep_request *request;
};

static void tell_early(void *context, size_t implementation, const struct tally *tally,
                       uint64_t bad) {
    const struct running *running = context;
    const struct binding_request *computed = &running->request->computed;
    const struct sighting *one = tally->mismatch_count ? &tally->mismatches[0] : &tally->max;
    char bad_text[32], tested_text[32], input[MAX_OPERANDS * 24] = "";
    struct error line;
    for (int i = 0; i < computed->operation->operands; i++)
        snprintf(input + strlen(input), sizeof input - strlen(input), " 0x%0*" PRIx64,
                 (int)(2 * format_bytes(computed->format)), one->input[i]);
    error_set(&line,
              "%.80s: %s of the first %s outputs of %s are off by more than %d ulps, NaN or of the "
              "wrong sign, as for%s; the sweep goes on",
              running->request->implementations[implementation].name, text_grouped(bad, bad_text),
              text_grouped(tally->tested, tested_text), computed->operation->name, EARLY_ULPS,
              input);
    progress_hide(&running->plan->progress);
    remark("note", &line);
}

static bool run_job(struct plan *plan, size_t index, struct error *error) {
    const struct job *job = &plan->jobs[index];
    struct domain domain;
    struct error note = {{0}};
    if (!inputs_make(&domain, plan->arguments, job->operation, job->format, &job->parameters, &note,
                     error))
        return false;
    if (!plan->total) { /* from stdin, so not looked at before */
        plan->progress.total = domain.count;
        remark("note", &note);
    }
    plan->progress.label = job->operation->name;
    struct implementation chosen[MAX_IMPLEMENTATIONS];
    struct sweep_request request = {
        .computed = {job->operation, job->format, job->rounding, OVERFLOW_IEEE, job->parameters},
        .strict_nan = plan->strict_nan,
        .exact_only = plan->exact_only,
        .by_mpfr = plan->by_mpfr,
        .recheck = plan->recheck,
        .domain = &domain,
        .implementations = chosen,
        .threads = plan->threads,
        .stop = &interrupted,
        .progress = plan->progress.shown ? progress_update : NULL,
        .progress_context = &plan->progress,
        .early = tell_early,
        .digest = plan->fingerprints_path ? fingerprints_collect : NULL,
        .digest_context = &plan->fingerprints};
    struct running running = {plan, &request};
    request.early_context = &running;
    request.implementation_count =
        select_implementations(&plan->selection, &request.computed, chosen);
    struct sweep_outcome outcome;
    bool ran = (!request.digest || fingerprints_begin(&plan->fingerprints, &request, error)) &&
               sweep_run(&request, &outcome, error);
    progress_part_done(&plan->progress, domain.count);
    if (ran) {
        note_outcome(plan, &outcome);
        if (request.digest)
            fingerprints_end(&plan->fingerprints, &request, &outcome);
        bool tested = outcome.covered || plan->job_count > 1;
        if (tested)
            print_outcome(plan, &request, &outcome, index == 0);
        if (plan->json)
            report_add(&plan->report, &request, &outcome);
        else {
            plan->report.inputs += outcome.covered;
            plan->report.seconds += outcome.seconds;
        }
        sweep_outcome_free(&outcome);
        /* Nobody reads on: no use in the rest. */
        ran = output_flush_stdout(error);
    }
    domain_free(&domain);
    return ran;
}

static void print_total(const struct plan *plan) {
    char count[32], duration[32], rate[32];
    bool table = plan->job_count > 1 && !(plan->json && strcmp(plan->json, "-") == 0);
    if (!table)
        return;
    const struct report *report = &plan->report;
    double per_second = report->seconds > 0 ? (double)report->inputs / report->seconds : 0;
    printf("\n%s inputs in %s, %s inputs/s, %d thread%s, judged by MPFR %s\n",
           text_grouped(report->inputs, count), text_duration(report->seconds, duration),
           text_rate(per_second, rate), plan->threads, plan->threads == 1 ? "" : "s",
           mpfr_get_version());
}

/* An interrupted sweep has no fingerprints. */
static bool write_fingerprints(struct plan *plan, struct error *error) {
    if (!plan->fingerprints_path || interrupted)
        return true;
    return fingerprints_write(&plan->fingerprints, plan->fingerprints_output.stream, error) &&
           output_commit(&plan->fingerprints_output, error);
}

static bool write_json(struct plan *plan, struct error *error) {
    return !plan->json || (report_write(&plan->report, plan->output.stream, error) &&
                           output_commit(&plan->output, error));
}

static int run_plan(struct plan *plan) {
    struct error error;
    struct platform platform;
    if (plan->json) {
        platform_describe(&platform);
        report_begin(&plan->report, &platform, plan->threads);
    }
    progress_begin(&plan->progress, plan->total);
    size_t ran = 0;
    for (; ran < plan->job_count && !interrupted; ran++)
        if (!run_job(plan, ran, &error))
            return trouble(&error);
    if (interrupted)
        report_mark_incomplete(&plan->report);
    print_total(plan);
    if (!interrupted && plan->report.inputs == 0) {
        error_set(&error, "nothing was tested: %s", plan->nothing.text);
        return trouble(&error);
    }
    if (!output_flush_stdout(&error) || !write_json(plan, &error) ||
        !write_fingerprints(plan, &error))
        return trouble(&error);
    if (interrupted) {
        error_set(&error, "interrupted; what is shown is incomplete");
        return trouble(&error);
    }
    return plan->events ? EXIT_JUDGED_BAD : EXIT_OK;
}

static int run(const struct arguments *arguments) {
    static struct plan plan;
    struct error error;
    int code = make_plan(&plan, arguments, &error) ? run_plan(&plan) : trouble(&error);
    output_discard(&plan.output);
    output_discard(&plan.fingerprints_output);
    fingerprints_free(&plan.fingerprints);
    report_free(&plan.report);
    free(plan.jobs);
    return code;
}

const struct command command_sweep = {
    .name = "sweep",
    .usage = "OPERATION...",
    .summary = "run implementations over every input and judge each output",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = true,
    .stops = true,
    .run = run,
};

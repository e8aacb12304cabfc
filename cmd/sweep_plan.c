/* The jobs of a plan, one after the other. */
#include "sweep_plan.h"

#include "formula_time.h"
#include "inputs.h"
#include "messages.h"
#include "signals.h"
#include "sweep_output.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many jobs as there are families of inputs, where none is chosen and no file is. */
static size_t families_of(const struct sweep_plan *plan, const struct operation *operation) {
    if (!operation->array || argument_given(plan->arguments, "inputs") ||
        plan->selection.parameters.values[PARAMETER_DISTRIBUTION].present)
        return 1;
    return array_family_count(operation->array);
}

/* Whether a file of inputs may have the shape of the calls, by which options are to be judged then. */
static bool may_have_shape(const struct sweep_plan *plan, const struct binding_request *computed) {
    return argument_given(plan->arguments, "inputs") && computed->operation->operands == 1 &&
           !computed->parameters.values[PARAMETER_SHAPE_OF].present;
}

/* The job, once for each family of inputs of an operation on arrays. */
static bool add_jobs(struct sweep_plan *plan, const struct job *job, struct error *error) {
    struct binding_request computed = {
        .operation = job->operation, .format = job->format, .rounding = job->rounding};
    size_t families = families_of(plan, job->operation);
    if (!select_parameters(&plan->selection, job->operation, job->format, job->rounding,
                           &computed.parameters, error) ||
        !(may_have_shape(plan, &computed) || select_call(&plan->selection, &computed, error)))
        return leave_out(&plan->left_out, &plan->selection, job->operation, error);
    for (size_t i = 0; i < families; i++) {
        struct job *one = &plan->jobs[plan->job_count++];
        *one = *job;
        one->parameters = computed.parameters;
        if (families > 1)
            one->parameters.values[PARAMETER_DISTRIBUTION] = (struct parameter_value){
                .present = true, .text = job->operation->array->families[i].name};
        for (size_t j = 0; j < plan->selection.implementation_count; j++)
            text_table_fit(&plan->table, job->operation, job->format, job->rounding,
                           one->parameters.values[PARAMETER_DISTRIBUTION].text,
                           plan->selection.implementations[j].name);
    }
    return true;
}

/* What the end would say is said before hours of work. */
static bool check_policy(const struct sweep_plan *plan, struct error *error) {
    bool reaches = false;
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct job *job = &plan->jobs[i];
        reaches = reaches || policy_option_reaches(&plan->policy, job->operation, job->format,
                                                   job->rounding, plan->search != NULL);
    }
    return reaches || error_set(error, "%.200s has no promise and no limit for these operations",
                                plan->policy.policy.name);
}

/* Whether flags of its calls are judged: calls of numbers, or of texts. */
static bool has_flags(const struct operation *operation) {
    return !operation->array || array_is_of_texts(operation->array);
}

/* Whether errno is: C leaves it open after snprintf. */
static bool has_errno(const struct operation *operation) {
    return has_flags(operation) && !(operation->array && operation->array->gives_texts);
}

bool plan_jobs(struct sweep_plan *plan, struct error *error) {
    const struct selection *selection = &plan->selection;
    size_t most = 0;
    for (size_t i = 0; i < selection->operation_count; i++)
        most += families_of(plan, selection->operations[i]);
    plan->jobs =
        calloc(most * selection->format_count * selection->rounding_count, sizeof *plan->jobs);
    if (!plan->jobs)
        return error_set(error, "out of memory");
    for (size_t format = 0; format < selection->format_count; format++)
        for (size_t rounding = 0; rounding < selection->rounding_count; rounding++)
            for (size_t operation = 0; operation < selection->operation_count; operation++) {
                struct job job = {.operation = selection->operations[operation],
                                  .format = selection->formats[format]};
                job.rounding = select_rounding(selection, job.operation, job.format, rounding);
                if (!add_jobs(plan, &job, error))
                    return false;
            }
    if (!plan->job_count) /* the error says why the last was left out */
        return false;
    left_out_note(&plan->left_out);
    const struct operation *first = plan->jobs[0].operation;
    bool judged = !plan->flags.flags && !plan->flags.errnos;
    for (size_t i = 0; i < plan->job_count; i++)
        judged = judged || (plan->flags.flags && has_flags(plan->jobs[i].operation)) ||
                 (plan->flags.errnos && has_errno(plan->jobs[i].operation));
    if (!judged && has_flags(first))
        return error_set(error, "--errno: C leaves errno open after %s, which writes texts",
                         first->name);
    if (!judged)
        return error_set(error,
                         "--flags and --errno are for operations on numbers and texts; %s is on "
                         "arrays",
                         first->name);
    if (is_read_once(argument_value(plan->arguments, "inputs", "")) && plan->job_count > 1)
        return error_set(error,
                         "--inputs %s can be read once only; name one operation, one format "
                         "and one rounding, or a plain file",
                         argument_value(plan->arguments, "inputs", ""));
    return check_policy(plan, error) &&
           select_once(selection, plan->job_count, plan->jobs[0].operation, error);
}

bool plan_open_outputs(struct sweep_plan *plan, struct error *error) {
    plan->csv = argument_given(plan->arguments, "csv");
    plan->quiet =
        argument_given(plan->arguments, "quiet") || (plan->json && strcmp(plan->json, "-") == 0);
    plan->fingerprints_path = argument_value(plan->arguments, "fingerprints", NULL);
    if (plan->fingerprints_path && strcmp(plan->fingerprints_path, "-") == 0)
        return error_set(error, "--fingerprints needs a file; stdout is for results");
    if (plan->fingerprints_path && shard_is_part(&plan->shard))
        return error_set(error, "--fingerprints needs a whole sweep, and a shard is only a part: "
                                "leave out --fingerprints or --shard");
    return (!plan->json || output_open(&plan->output, plan->json, error)) &&
           (!plan->fingerprints_path ||
            output_open(&plan->fingerprints_output, plan->fingerprints_path, error));
}

static void note_outcome(struct sweep_plan *plan, const struct sweep_outcome *outcome) {
    for (size_t i = 0; i < outcome->implementation_count; i++) {
        const struct implementation_outcome *one = &outcome->implementations[i];
        if (!one->provided) {
            plan->nothing = one->reason;
            continue;
        }
        plan->provided = true;
        plan->tested += one->tallies[0].tested;
        plan->not_called += one->tallies[0].not_called;
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            plan->events = plan->events || one->tallies[0].events[kind];
    }
}

/* What is told of while a sweep runs. */
struct running {
    const struct sweep_plan *plan;
    const struct sweep_request *request;
};

static void tell_early(void *context, size_t implementation, const struct tally *tally,
                       uint64_t bad) {
    const struct running *running = context;
    const struct binding_request *computed = &running->request->computed;
    const struct witness *one = tally->mismatch_count ? &tally->mismatches[0] : &tally->max;
    char bad_text[32], tested_text[32], place[TEXT_PLACE];
    struct error line;
    error_set(&line,
              "%.80s: %s of the first %s outputs of %s are off by more than %d ulps, NaN or of the "
              "wrong sign, as for %s; the sweep goes on",
              running->request->implementations[implementation].name, text_grouped(bad, bad_text),
              text_grouped(tally->tested, tested_text), computed->operation->name, EARLY_ULPS,
              text_place(running->request, one->input, place));
    progress_hide(&running->plan->progress);
    remark("note", &line);
}

static void tell_slow(void *context, uint64_t first, double seconds) {
    const struct running *running = context;
    const struct sweep_request *request = running->request;
    char duration[32], place[TEXT_PLACE] = "";
    uint64_t codes[MAX_OPERANDS] = {0};
    struct error line;
    bool numbers = !request->computed.operation->array;
    if (numbers) {
        domain_codes_at(request->domain, first, codes);
        text_place(request, codes, place);
    }
    error_set(&line,
              "%s in %s: a block of inputs takes longer than %s%s%s; the calls or the oracle are "
              "slow there; the sweep goes on",
              request->computed.operation->name, request->computed.format->name,
              text_duration(seconds, duration), numbers ? ": the one that begins with " : "",
              place);
    progress_hide(&running->plan->progress);
    remark("note", &line);
}

/* The report takes it where it is written, and where a policy judges what it has. */
static bool tell_outcome(struct sweep_plan *plan, const struct sweep_request *request,
                         const struct sweep_outcome *outcome, size_t index, struct error *error) {
    struct sweep_limits limits = {0};
    int before = cJSON_GetArraySize(plan->report.results);
    if (plan->json || plan->policy.given)
        report_add(&plan->report, request, outcome);
    else {
        plan->report.inputs += sweep_tried(request, outcome);
        plan->report.seconds += outcome->seconds;
    }
    bool judged = interrupted || policy_option_note(&plan->policy, request, outcome, &plan->report,
                                                    before, &limits, error);
    if (judged && (outcome->covered || plan->job_count > 1))
        sweep_print_outcome(plan, request, outcome, &limits, index == 0);
    sweep_limits_free(&limits);
    return judged;
}

static bool run_job(struct sweep_plan *plan, size_t index, struct error *error) {
    const struct job *job = &plan->jobs[index];
    struct domain domain;
    plan->progress.label = job->operation->name;
    struct implementation chosen[MAX_IMPLEMENTATIONS];
    struct sweep_request request = {
        .computed = {.operation = job->operation,
                     .format = job->format,
                     .rounding = job->rounding,
                     .overflow = OVERFLOW_IEEE,
                     .parameters = job->parameters,
                     .flags = plan->flags.flags && has_flags(job->operation),
                     .errnos = plan->flags.errnos && has_errno(job->operation),
                     .tiny_after_rounding = plan->flags.rules.tiny_after_rounding},
        .inexact = plan->flags.rules.inexact,
        .may_clear = plan->flags.rules.may_clear,
        .strict_nan = plan->strict_nan,
        .envelope = plan->envelope,
        .shows = plan->shows,
        .by_group = select_by_group(&plan->selection, job->operation),
        .kappas = plan->kappas.path,
        .exact_only = plan->exact_only,
        .by_mpfr = plan->by_mpfr,
        .recheck = plan->recheck,
        .domain = &domain,
        .shard = plan->shard,
        .implementations = chosen,
        .threads = plan->threads,
        .checkpoint = plan->kept ? &plan->checkpoint : NULL,
        .stop = &interrupted,
        .progress = progress_is_told(&plan->progress) ? progress_update : NULL,
        .progress_context = &plan->progress,
        .early = tell_early,
        .slow = tell_slow,
        .patience = SLOW_SECONDS,
        .digest = plan->fingerprints_path ? fingerprints_collect : NULL,
        .digest_context = &plan->fingerprints};
    struct running running = {plan, &request};
    request.early_context = request.slow_context = &running;
    request.implementation_count =
        select_implementations(&plan->selection, &request.computed, chosen);
    if (!request.implementation_count)
        error_set(&plan->nothing,
                  "no implementation that is taken by default has %s; name one by --impl",
                  job->operation->name);
    struct error note = {{0}};
    if (!plan->make_inputs(plan, job, &request, &domain, &note, error))
        return false;
    if (domain.cases.shaped)
        request.computed.parameters.values[PARAMETER_SHAPE_OF] =
            (struct parameter_value){.present = true, .shape = domain.cases.shapes[0]};
    if (!plan->total) { /* from stdin, so not looked at before */
        plan->progress.total = domain.count;
        remark("note", &note);
    }
    if (!request.exact_only)
        formula_time_note(&request);
    double searched = domain.search ? domain.search->seconds : 0;
    if (domain.search) /* what it found is judged again each time */
        request.checkpoint = NULL;
    struct sweep_outcome outcome;
    bool ran = policy_option_apply(&plan->policy, &request, error) &&
               (!request.digest || fingerprints_begin(&plan->fingerprints, &request, error)) &&
               sweep_run(&request, &outcome, error);
    progress_part_done(&plan->progress,
                       shard_inputs(&plan->shard, domain.count, sweep_unit(&domain)));
    if (ran) {
        outcome.seconds += searched;
        note_outcome(plan, &outcome);
        if (request.digest)
            fingerprints_end(&plan->fingerprints, &request, &outcome);
        ran = tell_outcome(plan, &request, &outcome, index, error) &&
              kappa_option_tell(plan, &request, &outcome, error);
        sweep_outcome_free(&outcome);
        /* Nobody reads on: no use in the rest. */
        ran = ran && output_flush_stdout(error);
    }
    domain_free(&domain);
    interrupted = interrupted || plan->stopped;
    return ran;
}

/* An interrupted sweep has no fingerprints. */
static bool write_fingerprints(struct sweep_plan *plan, struct error *error) {
    if (!plan->fingerprints_path || interrupted)
        return true;
    return fingerprints_write(&plan->fingerprints, plan->fingerprints_output.stream, error) &&
           output_commit(&plan->fingerprints_output, error);
}

static bool write_json(struct sweep_plan *plan, struct error *error) {
    return !plan->json || (report_write(&plan->report, plan->output.stream, error) &&
                           output_commit(&plan->output, error));
}

int plan_keep(struct sweep_plan *plan, int code) {
    if (plan->kept)
        checkpoint_write(&plan->checkpoint);
    return code;
}

int plan_run(struct sweep_plan *plan) {
    struct error error;
    struct platform platform;
    if (plan->json || plan->policy.given) {
        platform_describe(&platform);
        report_begin(&plan->report, &platform, plan->threads);
    }
    progress_begin(&plan->progress, plan->total, argument_given(plan->arguments, "quiet"));
    signals_leave_to_command(true);
    size_t ran = 0;
    for (; ran < plan->job_count && !interrupted; ran++)
        if (!run_job(plan, ran, &error))
            return plan_keep(plan, trouble(&error));
    if (interrupted)
        plan_keep(plan, EXIT_INTERRUPTED);
    if (interrupted)
        report_mark_incomplete(&plan->report);
    sweep_print_total(plan);
    /* A shard of few inputs may have none. */
    bool empty = shard_is_part(&plan->shard) && plan->provided;
    bool hollow = plan->not_called && !plan->tested;
    if (hollow)
        error_set(&plan->nothing, "%s", NO_CALL(plan->jobs[0].operation));
    if (!interrupted && (plan->report.inputs == 0 || hollow) && !plan->events && !empty) {
        error_set(&error, "nothing was tested: %s", plan->nothing.text);
        return trouble(&error);
    }
    if (!interrupted && plan->policy.given && !plan->policy.promises_any &&
        !plan->policy.limits_any && !empty) {
        error_set(&error, "%.200s has no promise and no limit for the operations that were swept",
                  plan->policy.policy.name);
        return trouble(&error);
    }
    if (!output_flush_stdout(&error) || !write_json(plan, &error) ||
        !write_fingerprints(plan, &error) || !kappa_option_end(plan, &error))
        return plan_keep(plan, trouble(&error));
    if (interrupted) {
        error_set(&error, "interrupted; the results above are incomplete");
        return trouble(&error);
    }
    if (plan->kept && !checkpoint_done(&plan->checkpoint, &error))
        return trouble(&error);
    if (plan->events && plan->policy.given && !plan->policy.broken) {
        error_set(&error, "no limit is broken; the status is 1 because of the events above");
        remark("note", &error);
    }
    return plan->events || plan->policy.broken ? EXIT_JUDGED_BAD : EXIT_OK;
}

void plan_free(struct sweep_plan *plan) {
    checkpoint_close(&plan->checkpoint);
    policy_option_free(&plan->policy);
    output_discard(&plan->output);
    output_discard(&plan->fingerprints_output);
    output_discard(&plan->kappas.output);
    fingerprints_free(&plan->fingerprints);
    report_free(&plan->report);
    free(plan->jobs);
}

/* `detcheck invariance`: whether the same inputs always give the same bits. */
#include "batch_option.h"
#include "checkpoint_option.h"
#include "help.h"
#include "inputs.h"
#include "invariance_orders.h"
#include "messages.h"
#include "options.h"
#include "shard_option.h"
#include "signals.h"
#include "sweep_plan.h"
#include "terminal.h"
#include "threads.h"

#include "invariance/properties.h"
#include "report/invariance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    OPTION_OPERATIONS,
    OPTION_FORMAT,
    OPTION_FROM,
    OPTION_ROUNDING,
    OPTION_IMPL("libm,det"),
    OPTION_AS,
    OPTIONS_UNIT,
    {"property", 0, VALUE_PROPERTY, "NAME",
     "property to test, from the list below; repeat or separate by\ncommas; default all that can "
     "be "
     "tested"},
    {"variant", 0, VALUE_TEXT, "WORDS",
     "for the property processor: NAME=VALUE for the environment of the\nimplementation's process, "
     "or a "
     "command that runs it; may be repeated"},
    {"sizes", 0, VALUE_TEXT, "N",
     "for the property batch: lines of a batch, from 2 to 1048576;\nseparate several by "
     "commas; default 2, 3, and powers of two and their\nneighbours up to 4096"},
    OPTION_ALL("2^16"),
    OPTION_RANGE,
    OPTION_SAMPLES,
    OPTION_SEED,
    OPTIONS_LISTS,
    OPTION_SHARD,
    OPTIONS_CHECKPOINT,
    OPTION_THREADS,
    OPTION_STRICT_NAN_AS("count a NaN with other bits as a change"),
    {"max-changed", 0, VALUE_TEXT, "N",
     "exit with 1 if a property changes the bits of more than N inputs,\nor if a property that you "
     "named could not be tested for each\ninput; default no limit"},
    OPTION_POLICY("limits by property, operation, format and implementation"),
    OPTIONS_FOREIGN,
    OPTION_VERBOSE("also show properties that change nothing"),
    OPTION_QUIET,
    OPTION_JSON,
    {0}};

static const char details[] =
    "OPERATION is a name or a group: unary, binary, ternary, all; arrays ('detcheck list\n"
    "operations'). Outputs are compared with the implementation's own first answer, not judged.\n"
    "The default inputs are all of them up to 16 bits, and 65,536 samples of wider ones.\n";

/* A share of what has more inputs than fp16. */
static const struct input_defaults share = {16, 1 << 16, 1, false, 0, false};

struct invariance_plan {
    struct sweep_plan plan;
    const struct property *properties[64];
    size_t property_count;
    bool by_name; /* the user named them */
    const char *variants[16];
    size_t variant_count;
    struct batch_sizes sizes;
    bool limited, exceeded, tested;
    unsigned long long most_changed;
    uint64_t before; /* inputs of all properties of the implementations that are done */
};

static bool add_property(struct invariance_plan *plan, const char *name, struct error *error) {
    const struct property *property = property_find(name, error);
    if (!property)
        return false;
    for (size_t i = 0; i < plan->property_count; i++)
        if (plan->properties[i] == property)
            return error_set(error, "--property %s is given twice", property->name);
    plan->properties[plan->property_count++] = property;
    return true;
}

static bool read_properties(struct invariance_plan *plan, const struct arguments *arguments,
                            struct error *error) {
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "property") != 0)
            continue;
        plan->by_name = true;
        for (const char *at = arguments->given[i].value;; at++) {
            char name[64];
            size_t length = strcspn(at, ",");
            snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 63, at);
            if (!add_property(plan, name, error))
                return false;
            at += length;
            if (!*at)
                break;
        }
    }
    return true;
}

static bool read_variants(struct invariance_plan *plan, const struct arguments *arguments,
                          struct error *error) {
    const size_t most = sizeof plan->variants / sizeof *plan->variants;
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "variant") != 0)
            continue;
        if (!*arguments->given[i].value)
            return error_set(error, "--variant needs NAME=VALUE or a command, such as 'qemu-x86_64 "
                                    "-cpu Haswell'");
        if (plan->variant_count == most)
            return error_set(error, "--variant is given more than %zu times", most);
        plan->variants[plan->variant_count++] = arguments->given[i].value;
    }
    return true;
}

/* Those for an operation of numbers, or of arrays: of what the user named, or all. */
static size_t properties_of(const struct invariance_plan *plan, const struct operation *operation,
                            const struct property **chosen) {
    const struct property *const *from = plan->by_name ? plan->properties : property_rows;
    size_t count = 0, all = plan->by_name ? plan->property_count : property_row_count;
    for (size_t i = 0; i < all; i++)
        if (property_is_for(from[i], operation))
            chosen[count++] = from[i];
    return count;
}

/* Whether each operation has a property, each property that is named an operation, and the variants a
 * property that takes them. */
static bool check_properties(const struct invariance_plan *plan, struct error *error) {
    const struct property *chosen[64], *const *named = plan->properties;
    const struct job *jobs = plan->plan.jobs;
    char names[PROPERTY_NAMES];
    bool takes_variants = !plan->by_name, takes_sizes = false;
    for (size_t i = 0; i < plan->plan.job_count; i++) {
        size_t count = properties_of(plan, jobs[i].operation, chosen);
        if (!count)
            return error_set(error,
                             "%s has none of the properties that --property names; it has: %s",
                             jobs[i].operation->name, property_names(jobs[i].operation, names));
        while (count-- > 0)
            takes_sizes = takes_sizes || chosen[count] == &property_batch;
    }
    if (plan->sizes.count && !takes_sizes)
        return error_set(error, "--sizes is for the property batch, which is not tested");
    for (size_t i = 0; i < plan->property_count; i++) {
        bool is_of_any = false;
        for (size_t k = 0; k < plan->plan.job_count; k++)
            is_of_any = is_of_any || property_is_for(named[i], jobs[k].operation);
        if (!is_of_any)
            return error_set(error, "%s is not a property of %s, which has: %s", named[i]->name,
                             jobs[0].operation->name, property_names(jobs[0].operation, names));
        takes_variants = takes_variants || property_takes_variants(named[i]);
    }
    return takes_variants || !plan->variant_count ||
           error_set(error,
                     "--variant %.100s is for the property processor, which --property does "
                     "not name",
                     plan->variants[0]);
}

/* Every domain is made once before anything runs, so that a mistake shows at once. */
static bool check_domains(struct invariance_plan *plan, struct error *error) {
    const struct property *chosen[64];
    if (is_read_once(argument_value(plan->plan.arguments, "inputs", "")))
        return true;
    for (size_t i = 0; i < plan->plan.job_count; i++) {
        const struct job *job = &plan->plan.jobs[i];
        struct domain domain;
        struct error note = {{0}};
        if (!inputs_make(&domain, plan->plan.arguments, job->operation, job->format,
                         &job->parameters, &share, &note, error))
            return false;
        const struct invariance_request part = {.computed = {.operation = job->operation},
                                                .domain = &domain,
                                                .shard = plan->plan.shard};
        plan->plan.total += invariance_inputs(&part) * properties_of(plan, job->operation, chosen) *
                            plan->plan.selection.implementation_count;
        domain_free(&domain);
    }
    return true;
}

static bool make_plan(struct invariance_plan *plan, const struct arguments *arguments,
                      struct error *error) {
    plan->plan.arguments = arguments;
    if (!arguments->positional_count)
        return error_set(error,
                         "invariance needs an operation, such as exp, or unary; 'detcheck list "
                         "operations' names them all");
    if (!select_operations(&plan->plan.selection, arguments->positional,
                           arguments->positional_count, error) ||
        !select_options(&plan->plan.selection, arguments, "libm,det", error) ||
        !threads_given(arguments, &plan->plan.threads, error) ||
        !read_shard_option(arguments, &plan->plan.shard, error) ||
        !read_properties(plan, arguments, error) || !read_variants(plan, arguments, error) ||
        !batch_sizes_given(arguments, &plan->sizes, error) ||
        !argument_number(arguments, "max-changed", 0, 1ULL << 53, 0, &plan->most_changed, error))
        return false;
    if (!read_policy_for(arguments, READ_INVARIANCE, &plan->plan.policy, error))
        return false;
    plan->limited = argument_given(arguments, "max-changed");
    plan->plan.strict_nan = argument_given(arguments, "strict-nan");
    plan->plan.json = argument_value(arguments, "json", NULL);
    plan->plan.colour = terminal_has_colours(STDOUT_FILENO);
    return plan_jobs(&plan->plan, error) && check_properties(plan, error) &&
           check_domains(plan, error) && plan_open_outputs(&plan->plan, error) &&
           read_checkpoint_option(arguments, "invariance", &plan->plan.shard,
                                  &plan->plan.checkpoint, &plan->plan.kept, error);
}

static void note_progress(void *context, uint64_t done) {
    struct invariance_plan *plan = context;
    progress_update(&plan->plan.progress, plan->before + done);
}

static void note_outcome(struct invariance_plan *plan, const struct invariance_request *request,
                         const struct invariance_outcome *outcome) {
    if (!outcome->provided)
        plan->plan.nothing = outcome->reason;
    /* What nobody tried keeps no limit. */
    plan->exceeded = plan->exceeded || !outcome->provided;
    for (size_t i = 0; outcome->provided && i < request->property_count; i++) {
        const struct property_outcome *one = &outcome->properties[i];
        plan->exceeded = plan->exceeded || (plan->by_name && !one->tested) ||
                         one->tally.unanswered || one->tally.not_called > one->tally.inputs;
        if (!one->tested)
            plan->plan.nothing = one->why;
        else if (shard_is_part(&request->shard) && !one->tally.inputs)
            plan->tested = true; /* a shard of few inputs may have none */
        else if (one->tally.not_called && !one->tally.inputs)
            error_set(&plan->plan.nothing, "%s", NO_CALL(request->computed.operation));
        else if (one->tally.inputs && one->tally.inputs == one->tally.unanswered)
            error_set(&plan->plan.nothing, "%.200s answered no input",
                      request->implementation->name);
        plan->plan.events = plan->plan.events || one->tally.event_count;
    }
    plan->tested = plan->tested || invariance_tested(outcome, request->property_count);
    plan->exceeded = plan->exceeded ||
                     invariance_most_changed(outcome, request->property_count) > plan->most_changed;
}

static bool tell_outcomes(struct sweep_plan *plan, const struct invariance_outcomes *all,
                          struct error *error) {
    struct sweep_limits limits = {0};
    bool prints =
        (!plan->json || strcmp(plan->json, "-") != 0) && !argument_given(plan->arguments, "quiet");
    int before = cJSON_GetArraySize(plan->report.results);
    if (plan->json || plan->policy.given)
        report_add_invariance(&plan->report, all);
    bool judged = policy_option_limits(&plan->policy, &plan->report, before,
                                       shard_is_part(&all->request->shard), &limits, error);
    if (prints && judged) {
        invariance_print(stdout, all, argument_given(plan->arguments, "verbose"), plan->colour);
        sweep_limits_print(stdout, &limits, true, plan->colour);
    }
    sweep_limits_free(&limits);
    if (prints && judged)
        judged = invariance_orders_print(stdout, all, error);
    return judged && output_flush_stdout(error);
}

/* Each implementation of a job. */
static bool run_all(struct invariance_plan *plan, struct invariance_request *request,
                    const struct implementation *chosen, size_t count, struct error *error) {
    struct invariance_outcome outcomes[MAX_IMPLEMENTATIONS] = {{0}};
    const struct invariance_outcomes all = {request, chosen, outcomes, count};
    bool good = true;
    for (size_t i = 0; good && i < count && !interrupted; i++) {
        request->implementation = &chosen[i];
        good = invariance_run(request, &outcomes[i], error);
        plan->before += invariance_inputs(request) * request->property_count;
        if (good)
            note_outcome(plan, request, &outcomes[i]);
    }
    progress_part_done(&plan->plan.progress, 0);
    if (good && !interrupted)
        good = tell_outcomes(&plan->plan, &all, error);
    for (size_t i = 0; i < count; i++)
        invariance_outcome_free(&outcomes[i]);
    return good;
}

static bool run_job(struct invariance_plan *plan, const struct job *job, struct error *error) {
    const struct property *asked[64];
    struct implementation chosen[MAX_IMPLEMENTATIONS];
    struct domain domain;
    struct error note = {{0}};
    struct invariance_request request = {
        .computed = {.operation = job->operation,
                     .format = job->format,
                     .rounding = job->rounding,
                     .overflow = OVERFLOW_IEEE,
                     .parameters = job->parameters,
                     .conditions = true},
        .domain = &domain,
        .shard = plan->plan.shard,
        .properties = asked,
        .strict_nan = plan->plan.strict_nan,
        .threads = plan->plan.threads,
        .variants = plan->variants,
        .variant_count = plan->variant_count,
        .batch_sizes = plan->sizes,
        .stop = &interrupted,
        .progress = progress_is_told(&plan->plan.progress) ? note_progress : NULL,
        .progress_context = plan,
        .checkpoint = plan->plan.kept ? &plan->plan.checkpoint : NULL};
    request.property_count = properties_of(plan, job->operation, asked);
    plan->plan.progress.label = job->operation->name;
    size_t count = select_implementations(&plan->plan.selection, &request.computed, chosen);
    if (!inputs_make(&domain, plan->plan.arguments, job->operation, job->format, &job->parameters,
                     &share, &note, error))
        return false;
    remark("note", &note);
    bool good = run_all(plan, &request, chosen, count, error);
    domain_free(&domain);
    return good;
}

/* What is left behind, and the exit code. */
static int finish(struct invariance_plan *plan) {
    struct error error;
    if (interrupted) {
        error_set(&error, "interrupted; unfinished parts are not reported");
        report_mark_incomplete(&plan->plan.report);
    }
    bool wrote =
        !plan->plan.json || (report_write(&plan->plan.report, plan->plan.output.stream, &error) &&
                             output_commit(&plan->plan.output, &error));
    if (!wrote || interrupted)
        return plan_keep(&plan->plan, trouble(&error));
    if (!plan->tested) {
        error_set(&error, "nothing was tested: %s", plan->plan.nothing.text);
        return trouble(&error);
    }
    if (plan->plan.policy.given && !plan->plan.policy.limits_any) {
        error_set(&error, "%.200s has no limit for anything that was tested",
                  plan->plan.policy.policy.name);
        return trouble(&error);
    }
    if (plan->plan.kept && !checkpoint_done(&plan->plan.checkpoint, &error))
        return trouble(&error);
    bool bad = plan->plan.policy.broken || (plan->limited && plan->exceeded);
    return plan->plan.events || bad ? EXIT_JUDGED_BAD : EXIT_OK;
}

static int run_plan(struct invariance_plan *plan) {
    struct error error;
    struct platform platform;
    platform_describe(&platform);
    report_begin(&plan->plan.report, &platform, plan->plan.threads);
    signals_leave_to_command(true);
    progress_begin(&plan->plan.progress, plan->plan.total,
                   argument_given(plan->plan.arguments, "quiet"));
    for (size_t i = 0; i < plan->plan.job_count && !interrupted; i++)
        if (!run_job(plan, &plan->plan.jobs[i], &error))
            return plan_keep(&plan->plan, trouble(&error));
    return finish(plan);
}

static void print_properties(void) {
    printf("\nProperties, each of what an output must not depend on:\n");
    for (size_t i = 0; i < property_row_count; i++)
        help_print_filled(property_rows[i]->summary, printf("  %-20s ", property_rows[i]->name));
}

static int run(const struct arguments *arguments) {
    static struct invariance_plan plan;
    struct error error;
    int code = make_plan(&plan, arguments, &error) ? run_plan(&plan) : trouble(&error);
    plan_free(&plan.plan);
    return code;
}

const struct command command_invariance = {
    .name = "invariance",
    .usage = "OPERATION...",
    .summary = "test that the same inputs always give the same bits",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .help = print_properties,
    .run = run,
};

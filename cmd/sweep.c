/* `detcheck sweep`: implementations over a set of inputs, judged by the oracle. */
#include "checkpoint_option.h"
#include "inputs.h"
#include "messages.h"
#include "options.h"
#include "shard_option.h"
#include "sweep_plan.h"
#include "terminal.h"
#include "threads.h"

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
    {"via", 0, VALUE_FORMAT, "FORMAT",
     "compare a conversion with that in two steps, by way of FORMAT\n(--impl det --impl "
     "via:FORMAT)"},
    OPTIONS_INPUTS,
    {"oracle", 0, VALUE_TEXT, "WHICH",
     "how outputs are judged. auto (default): by a fast filter with a\nproved bound, and the rest "
     "by the exact oracle. exact: all by the\nexact oracle, Arb or MPFR. mpfr: by MPFR alone"},
    {"recheck", 0, VALUE_TEXT, "N",
     "inputs of each block of the fast filter that are checked\nagainst MPFR; default 1"},
    OPTION_SHARD,
    OPTIONS_CHECKPOINT,
    OPTION_THREADS,
    OPTION_STRICT_NAN,
    OPTION_POLICY("compare outputs with the promises of POLICY; exit 1 if one is broken"),
    OPTIONS_FLAGS,
    OPTIONS_FOREIGN,
    {"fingerprints", 0, VALUE_OUTPUT, "FILE",
     "write the digest of every 65,536 outputs to FILE, for\n'detcheck compare'"},
    {"envelope", 0, VALUE_NONE, NULL,
     "report the least and the largest signed error in each of 2,048\nor more runs of inputs, for "
     "functions of one operand; a sweep of\none function does so anyway"},
    {"show", 0, VALUE_TEXT, "WHAT",
     "also measure and print: percentiles, errors (absolute and\nrelative; by the exact "
     "oracle), monotony, symmetry, or all;\nseparate by commas or repeat"},
    {"kappa", 0, VALUE_OUTPUT, "FILE",
     "write a declaration in the form of P3109 to FILE: for each\nimplementation kappa, the "
     "largest "
     "distance of an output from the\nright one, counted in numbers of the format"},
    {"plot", 0, VALUE_NONE, NULL, "draw the largest error of each binade in block characters"},
    OPTION_QUIET,
    OPTION_CSV,
    OPTION_JSON,
    {0}};

static const char details[] =
    "OPERATION is a name or a group: unary, binary, ternary, all; arrays ('detcheck list\n"
    "operations').\n"
    "A sweep measures: it exits with 0 even if results are wrong, unless they break a promise or\n"
    "a limit of --policy.\n";

static bool make_inputs(struct sweep_plan *plan, const struct job *job,
                        const struct sweep_request *request, struct domain *domain,
                        struct error *note, struct error *error) {
    (void)request;
    return inputs_make(domain, plan->arguments, job->operation, job->format, &job->parameters,
                       &judged_inputs, note, error);
}

/* Every domain is made once before anything runs, so that a mistake shows at once. */
static bool check_domains(struct sweep_plan *plan, struct error *error) {
    if (is_read_once(argument_value(plan->arguments, "inputs", "")))
        return true;
    struct error said = {{0}};
    for (size_t i = 0; i < plan->job_count; i++) {
        struct domain domain;
        struct error note = {{0}};
        const struct job *job = &plan->jobs[i];
        if (!inputs_make(&domain, plan->arguments, job->operation, job->format, &job->parameters,
                         &judged_inputs, &note, error))
            return false;
        plan->total += shard_inputs(&plan->shard, domain.count, sweep_unit(&domain));
        domain_free(&domain);
        if (note.text[0] && strcmp(note.text, said.text) != 0 && i < 4)
            remark("note", &note);
        said = note;
    }
    return true;
}

static bool read_oracle(struct sweep_plan *plan, struct error *error) {
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

static bool add_show(unsigned *shows, const char *word, size_t length, struct error *error) {
    if (length == 3 && strncmp(word, "all", 3) == 0) {
        *shows |= (1u << SHOW_COUNT) - 1;
        return true;
    }
    for (unsigned i = 0; i < SHOW_COUNT; i++)
        if (strlen(sweep_show_names[i]) == length &&
            strncmp(word, sweep_show_names[i], length) == 0) {
            *shows |= 1u << i;
            return true;
        }
    return error_set(error, "--show needs percentiles, errors, monotony, symmetry or all, not %.*s",
                     (int)(length < 60 ? length : 60), word);
}

static bool read_shows(struct sweep_plan *plan, struct error *error) {
    for (size_t i = 0; i < plan->arguments->given_count; i++) {
        if (strcmp(plan->arguments->given[i].option->name, "show") != 0)
            continue;
        for (const char *word = plan->arguments->given[i].value; word;) {
            size_t length = strcspn(word, ",");
            if (!add_show(&plan->shows, word, length, error))
                return false;
            word = word[length] ? word + length + 1 : NULL;
        }
    }
    return true;
}

static bool make_plan(struct sweep_plan *plan, const struct arguments *arguments,
                      struct error *error) {
    plan->arguments = arguments;
    plan->make_inputs = make_inputs;
    if (!arguments->positional_count)
        return error_set(error, "sweep needs an operation, such as exp, or unary; 'detcheck list "
                                "operations' names them all");
    if (!select_operations(&plan->selection, arguments->positional, arguments->positional_count,
                           error) ||
        !select_options(&plan->selection, arguments, "libm,det", error) ||
        !threads_given(arguments, &plan->threads, error) ||
        !read_shard_option(arguments, &plan->shard, error) ||
        !read_flag_options(arguments, &plan->flags, error) ||
        !read_policy_option(arguments, &plan->policy, error))
        return false;
    if (!read_oracle(plan, error) || !read_shows(plan, error))
        return false;
    plan->strict_nan = argument_given(arguments, "strict-nan");
    plan->plot = argument_given(arguments, "plot");
    plan->json = argument_value(arguments, "json", NULL);
    plan->colour = terminal_has_colours(STDOUT_FILENO);
    if (!plan_jobs(plan, error) || !check_domains(plan, error))
        return false;
    plan->envelope = plan->job_count == 1 || argument_given(arguments, "envelope");
    return plan_open_outputs(plan, error) && kappa_option_open(plan, error) &&
           read_checkpoint_option(arguments, "sweep", &plan->shard, &plan->checkpoint, &plan->kept,
                                  error);
}

static int run(const struct arguments *arguments) {
    static struct sweep_plan plan;
    struct error error;
    int code = make_plan(&plan, arguments, &error) ? plan_run(&plan) : trouble(&error);
    plan_free(&plan);
    return code;
}

const struct command command_sweep = {
    .name = "sweep",
    .usage = "OPERATION...",
    .summary = "run implementations over every input and judge each output",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .run = run,
};

/* `detcheck search`: the worst inputs, where there are too many to try them all. */
#include "checkpoint_option.h"
#include "inputs.h"
#include "messages.h"
#include "options.h"
#include "shard_option.h"
#include "signals.h"
#include "sweep_plan.h"
#include "terminal.h"
#include "threads.h"

#include "lines/lines.h"
#include "sweep/generator.h"
#include "sweep/search/search.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    OPTION_OPERATIONS,
    OPTION_FORMAT_AS("number format; repeat or separate by commas; default fp64"),
    OPTION_FROM,
    OPTION_ROUNDING,
    OPTION_IMPL("libm"),
    {"for", 0, VALUE_TEXT, "WHAT",
     "look for: error, the largest error of each implementation;\ndifference, the largest "
     "disagreement of two, in ulps;\nboundary, exact results next to a point where rounding\n"
     "changes; wrong-rounding, outputs that are not correctly\nrounded, at inputs built to be "
     "hard; "
     "default error"},
    {"range", 0, VALUE_TEXT, "A:B",
     "search from A to B: all numbers between two numbers, or all\ncodes between two codes such as "
     "0x3f800000; once for all\noperands, or once for each"},
    {"seconds", 0, VALUE_TEXT, "S", "time for each operation, format and rounding; default 10"},
    {"evaluations", 0, VALUE_TEXT, "N",
     "end after N inputs instead; the same seed then gives the\nsame report"},
    OPTION_SEED,
    OPTION_POLICY("do not count errors that the policy allows; exit 1 if an\n"
                  "output breaks a promise, or a figure exceeds a limit"),
    {"accept", 0, VALUE_TEXT, "WHAT",
     "with flushed, do not count a zero as an error if the right\nresult is subnormal"},
    {"without", 0, VALUE_TEXT, "WHAT",
     "with built, leave out the inputs that are built to be hard\nto round"},
    {"start", 0, VALUE_FILE, "FILE",
     "inputs to search around first: a value, or one per operand,\non each line"},
    {"inputs-as", 0, VALUE_TEXT, "KIND",
     "kind of the lines of FILE: core-math, testfloat, tst,\n"
     "numpy-csv, glibc, glibc-out, libc-test or table (a value, or\none per operand)"},
    OPTION_SHARD,
    OPTIONS_CHECKPOINT,
    OPTION_THREADS,
    OPTION_STRICT_NAN,
    OPTIONS_FLAGS,
    OPTIONS_FOREIGN,
    {"plot", 0, VALUE_NONE, NULL, "draw the largest error of each binade in block characters"},
    OPTION_QUIET,
    OPTION_CSV,
    OPTION_JSON,
    {0}};

static const char details[] =
    "OPERATION is a name or a group: unary, binary, ternary ('detcheck list operations').\n"
    "A search finds a lower bound: there may be larger errors. 'detcheck sweep' tries all inputs\n"
    "if there are at most 2^32.\n";

enum { MOST_SECONDS = 1000000 };

struct search_options {
    enum search_purpose purpose;
    uint64_t evaluations, seed; /* evaluations of this shard: 0 where the time counts */
    struct shard shard;
    uint64_t whole; /* evaluations of all shards, or 0 */
    double seconds;
    bool accepts_flushed, without_built;
    volatile double until; /* calls may take so long, while searching */
    const char *start;     /* or NULL */
    const struct line_kind *start_kind;
    struct search_record record;
    uint64_t before; /* evaluations of the jobs before */
};

static bool read_seconds(struct search_options *search, const struct arguments *arguments,
                         struct error *error) {
    const char *text = argument_value(arguments, "seconds", "10");
    char *end;
    search->seconds = strtod(text, &end);
    if (end == text || *end || !(search->seconds > 0 && search->seconds <= (double)MOST_SECONDS))
        return error_set(error, "--seconds needs a number above 0 and up to %d, not %.40s",
                         MOST_SECONDS, text);
    return true;
}

static bool read_without(struct search_options *search, const struct arguments *arguments,
                         struct error *error) {
    const char *without = argument_value(arguments, "without", NULL);
    if (without && strcmp(without, "built") != 0)
        return error_set(error, "--without needs built, not %.40s", without);
    if (without && search->purpose != SEARCH_ERROR && search->purpose != SEARCH_DIFFERENCE)
        return error_set(error,
                         "--without is for a search for errors or differences, not for --for %s",
                         search_purpose_names[search->purpose]);
    search->without_built = without != NULL;
    return true;
}

static bool read_search(struct search_options *search, const struct arguments *arguments,
                        struct error *error) {
    unsigned long long evaluations, seed;
    int purpose;
    const char *kind = argument_value(arguments, "inputs-as", NULL);
    if (argument_given(arguments, "seconds") && argument_given(arguments, "evaluations"))
        return error_set(error, "--seconds and --evaluations exclude each other");
    search->start = argument_value(arguments, "start", NULL);
    if (kind && !search->start)
        return error_set(error, "--inputs-as goes with --start");
    if (!select_line_kind(kind, &search->start_kind, error))
        return false;
    if (!argument_choice(arguments, "for", search_purpose_names, SEARCH_PURPOSES, SEARCH_ERROR,
                         &purpose, error) ||
        !argument_number(arguments, "evaluations", 1, 1ULL << 53, 0, &evaluations, error) ||
        !argument_number(arguments, "seed", 0, UINT64_MAX, 1, &seed, error) ||
        !read_seconds(search, arguments, error))
        return false;
    const char *accepted = argument_value(arguments, "accept", NULL);
    if (accepted && strcmp(accepted, "flushed") != 0)
        return error_set(error, "--accept needs flushed, not %.40s", accepted);
    search->accepts_flushed = accepted != NULL;
    search->purpose = (enum search_purpose)purpose;
    if (accepted && !search_is_of_errors(search->purpose))
        return error_set(error, "--accept is for a search for errors, not for --for %s",
                         search_purpose_names[purpose]);
    search->evaluations = search->whole = evaluations;
    search->seed = seed;
    return read_without(search, arguments, error);
}

/* Shards share the evaluations; where the time counts, each has all of it. */
static bool share_out(struct search_options *search, struct error *error) {
    const struct shard *shard = &search->shard;
    if (!shard_is_part(shard) || !search->whole)
        return true;
    if (search->whole < shard->of)
        return error_set(error, "--evaluations should be %llu or more: one for each shard",
                         (unsigned long long)shard->of);
    search->evaluations = shard_inputs(shard, search->whole, 1);
    return true;
}

/* Each shard looks elsewhere. */
static uint64_t seed_of(const struct search_options *search) {
    return shard_is_part(&search->shard)
               ? generator_mix(search->seed ^ generator_mix(search->shard.number))
               : search->seed;
}

/* What cannot be searched, said before anything runs. */
static bool check_jobs(struct sweep_plan *plan, struct error *error) {
    const struct selection *selection = &plan->selection;
    const struct search_options *search = plan->search;
    for (size_t i = 0; i < plan->job_count; i++)
        if (!search_is_for(search->purpose, plan->jobs[i].operation, plan->jobs[i].format, error))
            return false;
    for (size_t i = 0; i < selection->implementation_count; i++)
        if (strncmp(selection->implementations[i].name, "file:", 5) == 0)
            return error_set(error,
                             "%.100s has outputs of inputs that were chosen before; a search "
                             "chooses its own",
                             selection->implementations[i].name);
    if (search->purpose == SEARCH_DIFFERENCE && selection->implementation_count != 2)
        return error_set(error, "--for difference needs two implementations: --impl A --impl B");
    if (search->start && is_read_once(search->start) && plan->job_count > 1)
        return error_set(error,
                         "--start %s can be read once only; name one operation, one format and "
                         "one rounding, or a plain file",
                         search->start);
    plan->total = search->evaluations * plan->job_count;
    return true;
}

/* " from A and B", or nothing. */
static void describe_ranges(const struct arguments *arguments, char *text, size_t room) {
    bool first = true;
    *text = '\0';
    for (size_t i = 0; i < arguments->given_count; i++) {
        if (strcmp(arguments->given[i].option->name, "range") != 0)
            continue;
        snprintf(text + strlen(text), room - strlen(text), " %s %.40s", first ? "from" : "and",
                 arguments->given[i].value);
        first = false;
    }
}

static const struct {
    const char *one, *many;
} sought[SEARCH_PURPOSES] = {
    {"number with an error", "large errors"},
    {"difference", "large differences"},
    {"result near a rounding boundary", "results near a rounding boundary"},
    {"wrong rounding", "wrong roundings"}};

/* What was no error for the search: it is another one then. */
static const char *allowance_of(const struct search_options *search,
                                const struct arguments *arguments) {
    bool promised = search_is_of_errors(search->purpose) && argument_given(arguments, "policy");
    return search->accepts_flushed && promised ? ", beyond a policy and flushed results"
           : search->accepts_flushed           ? ", beyond flushed results"
           : promised                          ? ", beyond a policy"
                                               : "";
}

/* What is left out, behind that. */
static const char *exclusion_of(const struct search_options *search) {
    return search->without_built ? ", without built inputs" : "";
}

/* What else is judged of each input that is built or special: " and wrong flags", or nothing. */
static const char *effects_sought(const struct search_options *search,
                                  const struct arguments *arguments, bool many) {
    static const char *const texts[2][4] = {
        {"", " or wrong flag", " or wrong errno", " or wrong flag or errno"},
        {"", " and wrong flags", " and wrong errno", " and wrong flags and errno"}};
    const int which = argument_given(arguments, "flags") + 2 * argument_given(arguments, "errno");
    return texts[many][search_is_of_errors(search->purpose) ? which : 0];
}

static void describe(struct domain *domain, const struct search_options *search,
                     const struct arguments *arguments) {
    const char *allowed = allowance_of(search, arguments);
    const uint64_t count_of_all = domain->count;
    char text[3 * sizeof domain->text]; /* of which the end may be left out */
    char count[32], tried[32], ranges[150];
    describe_ranges(arguments, ranges, sizeof ranges);
    text_grouped(search->record.evaluations, tried);
    text_grouped(count_of_all, count);
    if (search->record.found)
        snprintf(text, sizeof text,
                 "%s input%s found by a search for %s%s among %s%s, seed %llu%s%s", count,
                 count_of_all == 1 ? "" : "s", sought[search->purpose].many,
                 effects_sought(search, arguments, true), tried, ranges,
                 (unsigned long long)search->seed, allowed, exclusion_of(search));
    else
        snprintf(text, sizeof text, "no %s%s found among %s input%s%s, seed %llu%s%s",
                 sought[search->purpose].one, effects_sought(search, arguments, false), tried,
                 search->record.evaluations == 1 ? "" : "s", ranges,
                 (unsigned long long)search->seed, allowed, exclusion_of(search));
    const size_t used = strlen(text);
    if (!search->record.found && !search->record.has_nothing)
        snprintf(text + used, sizeof text - used, "; %s allowed input%s below", count,
                 count_of_all == 1 ? "" : "s");
    snprintf(domain->text, sizeof domain->text, "%.*s", (int)sizeof domain->text - 1, text);
}

/* And what the whole is of which it is a part: the same for all shards. */
static void describe_shard(struct domain *domain, struct search_options *search, const char *start,
                           const struct arguments *arguments) {
    struct search_record *record = &search->record;
    char ranges[150], found[sizeof domain->text], seconds[32] = "";
    describe_ranges(arguments, ranges, sizeof ranges);
    record->shard = search->shard;
    record->whole = search->whole;
    if (!search->whole)
        snprintf(seconds, sizeof seconds, ", %g s each", search->seconds);
    snprintf(record->whole_text, sizeof record->whole_text, "a search for %s%s%s, seed %llu%s%s%s",
             sought[search->purpose].many, ranges, *start ? " from known inputs" : "",
             (unsigned long long)search->seed, allowance_of(search, arguments),
             exclusion_of(search), seconds);
    snprintf(record->whole_identity, sizeof record->whole_identity, "%s", start);
    snprintf(found, sizeof found, "%s", domain->text);
    snprintf(domain->text, sizeof domain->text, "shard %llu/%llu: %.200s",
             (unsigned long long)record->shard.number, (unsigned long long)record->shard.of, found);
    domain->seed = search->seed;
}

/* The inputs to start from, if any. */
static bool read_start(const struct search_options *search, const struct job *job,
                       struct domain *known, struct error *note, struct error *error) {
    *known = (struct domain){0};
    return !search->start || inputs_file(known, job->format, job->operation, search->start,
                                         search->start_kind, note, error);
}

static bool make_inputs(struct sweep_plan *plan, const struct job *job,
                        const struct sweep_request *request, struct domain *domain,
                        struct error *note, struct error *error) {
    struct search_options *search = plan->search;
    struct code_set sets[MAX_OPERANDS];
    struct domain known;
    char start[FINGERPRINT_TEXT] = "";
    bool complete = true;
    if (!inputs_sets(sets, plan->arguments, job->operation, job->format, note, error))
        return false;
    if (!read_start(search, job, &known, note, error)) {
        inputs_sets_free(sets);
        return false;
    }
    if (search->start && !domain_identity(&known, start)) {
        inputs_sets_free(sets);
        domain_free(&known);
        return error_set(error, "out of memory for the inputs to start from");
    }
    struct sweep_request held = *request;
    if (!policy_option_apply(&plan->policy, &held, error)) {
        inputs_sets_free(sets);
        domain_free(&known);
        return false;
    }
    const struct search_request wanted = {.sweep = &held,
                                          .purpose = search->purpose,
                                          .evaluations = search->evaluations,
                                          .seconds = search->seconds,
                                          .until = &search->until,
                                          .seed = seed_of(search),
                                          .accepts_flushed = search->accepts_flushed,
                                          .without_built = search->without_built,
                                          .sets = sets,
                                          .known = search->start ? &known : NULL};
    progress_expect_seconds(&plan->progress, search->evaluations ? 0 : search->seconds);
    bool found = search_run(&wanted, &search->record, domain, &complete, error);
    inputs_sets_free(sets);
    domain_free(&known);
    if (!found)
        return false;
    progress_part_done(&plan->progress, search->record.evaluations);
    /* Where no search was possible, the sweep says why, and tests nothing. */
    if (!search->record.part_count && plan->job_count == 1)
        domain->count = 0;
    if (search->record.part_count && !search->record.evaluations)
        error_set(&plan->nothing, "no call of %s returned within %g s; give a longer --seconds",
                  job->operation->name, search->seconds);
    plan->stopped = !complete;
    if (plan->stopped)
        interrupted = 0; /* what was found is still judged */
    describe(domain, search, plan->arguments);
    if (shard_is_part(&search->shard))
        describe_shard(domain, search, start, plan->arguments);
    return true;
}

static bool make_plan(struct sweep_plan *plan, const struct arguments *arguments,
                      struct error *error) {
    plan->arguments = arguments;
    plan->make_inputs = make_inputs;
    if (!arguments->positional_count)
        return error_set(error, "search needs an operation, such as exp, or unary; 'detcheck list "
                                "operations' names them all");
    if (!select_operations(&plan->selection, arguments->positional, arguments->positional_count,
                           error) ||
        !select_options(&plan->selection, arguments, "libm", error) ||
        !threads_given(arguments, &plan->threads, error) ||
        !read_flag_options(arguments, &plan->flags, error) ||
        !read_policy_option(arguments, &plan->policy, error) ||
        !read_search(plan->search, arguments, error) ||
        !read_shard_option(arguments, &plan->search->shard, error) ||
        !share_out(plan->search, error))
        return false;
    plan->selection.foreign.until = &plan->search->until;
    bool own = plan->selection.operation_count && plan->selection.operations[0]->formats;
    if (!own && !argument_given(arguments, "format") && !argument_given(arguments, "from"))
        plan->selection.formats[0] = &formats[FORMAT_FP64];
    plan->recheck = 1;
    plan->strict_nan = argument_given(arguments, "strict-nan");
    plan->plot = argument_given(arguments, "plot");
    plan->json = argument_value(arguments, "json", NULL);
    plan->colour = terminal_has_colours(STDOUT_FILENO);
    return plan_jobs(plan, error) && check_jobs(plan, error) && plan_open_outputs(plan, error) &&
           read_checkpoint_option(arguments, "search", &plan->search->shard, &plan->checkpoint,
                                  &plan->kept, error);
}

static int run(const struct arguments *arguments) {
    static struct sweep_plan plan;
    static struct search_options search;
    struct error error;
    plan.search = &search;
    int code = make_plan(&plan, arguments, &error) ? plan_run(&plan) : trouble(&error);
    plan_free(&plan);
    return code;
}

const struct command command_search = {
    .name = "search",
    .usage = "OPERATION...",
    .summary = "find the inputs with the largest errors among too many to try",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_OF_NUMBERS,
    .run = run,
};

/* `detcheck plan`: what to hand to a scheduler, so that it runs the shards of a command. */
#include "plan.h"
#include "messages.h"
#include "options.h"
#include "selection.h"
#include "signals.h"

#include "base/foreign.h"
#include "base/output.h"
#include "sweep/shard.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"for", 0, VALUE_TEXT, "WHOM",
     "system that runs the shards: slurm, kubernetes, make or\ngithub (a search may have its own "
     "--for as well)"},
    {"shard-seconds", 0, VALUE_TEXT, "S", "seconds that a shard should take; default 600"},
    {"shards", 0, VALUE_TEXT, "N", "number of shards, whatever time each takes"},
    {"name", 0, VALUE_TEXT, "NAME",
     "name of the jobs, and of the folder of the results;\n"
     "default detcheck-OPERATION"},
    {"gate", 0, VALUE_TEXT, "POLICY", "judge the report by this file; may be repeated"},
    {"setup", 0, VALUE_TEXT, "LINE", "a line of shell that puts detcheck on the PATH of a job"},
    {"image", 0, VALUE_TEXT, "IMAGE",
     "for kubernetes: the image that holds detcheck; default detcheck"},
    OPTION_OUTPUT("-"),
    {0}};

static const char details[] =
    "The command is sweep if you name neither sweep, search nor invariance. It takes all its own\n"
    "options, except those that choose a shard and the files of its results.\n"
    "plan times small shards on one thread of this machine, and chooses the number of shards by\n"
    "--shard-seconds.\n";

/* What a plan says itself of each shard. */
static const struct {
    const char *option, *says;
} taken[] = {{"shard", "which shard it is"},
             {"checkpoint", "where its checkpoint is"},
             {"json", "where its report goes"},
             {"fingerprints", "that its fingerprints are in its report"},
             {"plot", "that its figures are in its report"}};

static const struct plan_target *find_target(const char *name) {
    for (size_t i = 0; i < plan_target_count; i++)
        if (strcmp(plan_targets[i].name, name) == 0)
            return &plan_targets[i];
    return NULL;
}

static bool is_own(const struct option *option) {
    for (const struct option *own = options; own->name; own++)
        if (own == option)
            return true;
    return false;
}

/* The option of a run that is called as this one of the plan's, such as --for of a search. */
static const struct option *namesake(const struct arguments *arguments,
                                     const struct option *option) {
    for (const struct option *other = arguments->planned->options; other->name; other++)
        if (strcmp(other->name, option->name) == 0)
            return other;
    return NULL;
}

/* Of --for and its value: whether they are a word of the plan's. */
static bool is_of_plan(const struct submission *submission, const struct option *option,
                       const char *value) {
    return is_own(option) && !(strcmp(option->name, "for") == 0 && !find_target(value) &&
                               namesake(submission->arguments, option));
}

static bool add_word(struct submission *submission, const char *dashes, const char *name,
                     const char *equals, const char *value, struct error *error) {
    size_t length = strlen(dashes) + strlen(name) + strlen(equals) + strlen(value) + 1;
    char *word = malloc(length);
    if (!word)
        return error_set(error, "out of memory");
    snprintf(word, length, "%s%s%s%s", dashes, name, equals, value);
    submission->words[submission->word_count++] = word;
    return true;
}

/* Text that has no end of a line, to whatever reads the plan, and nothing that cannot be seen. */
static bool is_one_line(const char *text) {
    size_t length = strlen(text);
    char *shown = malloc(length + 2);
    bool same = shown && strcmp(foreign_text(FOREIGN_PLAIN, text, shown, length + 2), text) == 0;
    free(shown);
    return same;
}

/* The command's words, and its number of threads. */
static bool make_words(struct submission *submission, struct error *error) {
    const struct arguments *arguments = submission->arguments;
    size_t most = arguments->positional_count + arguments->given_count + 2;
    submission->words = calloc(most, sizeof *submission->words);
    if (!submission->words)
        return error_set(error, "out of memory");
    if (!add_word(submission, "", arguments->planned->name, "", "", error))
        return false;
    for (size_t i = 0; i < arguments->positional_count; i++)
        if (!add_word(submission, "", arguments->positional[i], "", "", error))
            return false;
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        const char *value = arguments->given[i].value;
        if (value && !is_one_line(value))
            return error_set(
                error,
                "a plan is text in UTF-8 without control characters or line separators, "
                "which --%s '%.40s' is not",
                option->name, value);
        for (size_t j = 0; j < sizeof taken / sizeof *taken; j++)
            if (strcmp(taken[j].option, option->name) == 0)
                return error_set(error,
                                 "a plan takes no --%s: the plan itself says for each shard %s",
                                 option->name, taken[j].says);
        if (is_of_plan(submission, option, value) || strcmp(option->name, "threads") == 0 ||
            strcmp(option->name, "checkpoint-every") == 0)
            continue;
        if (value && strcmp(value, "-") == 0)
            return error_set(error, "every shard reads --%s again: name a file", option->name);
        if (!add_word(submission, "--", option->name, value ? "=" : "", value ? value : "", error))
            return false;
    }
    unsigned long long threads;
    if (!argument_number(arguments, "threads", 1, 256, 1, &threads, error))
        return false;
    submission->threads = threads;
    return true;
}

/* detcheck-OPERATION, or what the user says. */
static bool read_name(struct submission *submission, struct error *error) {
    const struct arguments *arguments = submission->arguments;
    char *at = submission->own_name;
    snprintf(at, sizeof submission->own_name, "detcheck-%s", arguments->positional[0]);
    for (; *at; at++)
        *at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '-';
    submission->name = argument_value(arguments, "name", submission->own_name);
    const char *harmless =
        submission->target->is_named
            ? "abcdefghijklmnopqrstuvwxyz0123456789-"
            : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const char *name = submission->name;
    if (isalnum((unsigned char)*name) && strlen(name) <= 50 &&
        name[strspn(name, harmless)] == '\0' && name[strlen(name) - 1] != '-')
        return true;
    return error_set(error, "--name needs up to 50 letters%s, digits and dashes, not '%.60s'",
                     submission->target->is_named ? " of lower case" : "", name);
}

/* How many operations, formats and roundings there are: mistakes in their names show here. */
static bool count_jobs(struct submission *submission, struct error *error) {
    static struct selection selection;
    const struct arguments *arguments = submission->arguments;
    if (!arguments->positional_count)
        return error_set(error, "plan needs an operation, such as exp, or unary; 'detcheck list "
                                "operations' names them all");
    if (!select_operations(&selection, arguments->positional, arguments->positional_count, error) ||
        !select_options(&selection, arguments, "libm", error))
        return false;
    submission->jobs =
        selection.operation_count * selection.format_count * selection.rounding_count;
    return true;
}

static bool read_target(struct submission *submission, struct error *error) {
    const struct arguments *arguments = submission->arguments;
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct option *option = arguments->given[i].option;
        const char *value = arguments->given[i].value;
        if (strcmp(option->name, "for") != 0)
            continue;
        const struct plan_target *target = find_target(value);
        if (target)
            submission->target = target;
        else if (!namesake(arguments, option))
            return error_set(error, "--for needs slurm, kubernetes, make or github, not '%.40s'",
                             value);
    }
    if (!submission->target)
        return error_set(error, "plan needs --for slurm, kubernetes, make or github");
    if (argument_given(arguments, "image") && !submission->target->has_images)
        return error_set(error, "--image has no effect without --for kubernetes");
    if (argument_given(arguments, "checkpoint-every") && !submission->target->checkpoint)
        return error_set(error,
                         "--checkpoint-every has no effect with --for %s, since a job that "
                         "restarts finds no files of the earlier one",
                         submission->target->name);
    return true;
}

/* The shards, from what the whole costs. */
static void choose_shards(struct submission *submission) {
    const struct plan_target *target = submission->target;
    double whole = submission->cost.seconds / (double)submission->threads;
    /* At least half of a shard's time is for its share. */
    double share = submission->shard_seconds - submission->cost.start_seconds;
    double wanted = ceil(whole / fmax(share, submission->shard_seconds / 2));
    double most = target->most ? (double)target->most : (double)MOST_SHARDS;
    submission->shards = wanted < 1 ? 1 : wanted > most ? (uint64_t)most : (uint64_t)wanted;
}

/* A search that ends after a time takes that time in each shard. */
static bool read_search_seconds(struct submission *submission, struct error *error) {
    const struct arguments *arguments = submission->arguments;
    const char *seconds = argument_value(arguments, "seconds", "10");
    if (strcmp(arguments->planned->name, "search") != 0 || argument_given(arguments, "evaluations"))
        return true;
    if (!argument_given(arguments, "shards"))
        return error_set(error, "each shard of a search with --seconds takes that long: give "
                                "--shards N, or --evaluations N");
    submission->shard_seconds = strtod(seconds, NULL) * (double)submission->jobs;
    submission->measured = true;
    return true;
}

static bool read_shards(struct submission *submission, struct error *error) {
    const struct arguments *arguments = submission->arguments;
    unsigned long long shards, seconds;
    const struct plan_target *target = submission->target;
    unsigned long long most = target->strictly ? target->most : MOST_SHARDS;
    if (!argument_number(arguments, "shards", 1, most, 0, &shards, error) ||
        !argument_number(arguments, "shard-seconds", 1, 1000000000, 600, &seconds, error))
        return false;
    submission->shards = shards;
    submission->shard_seconds = (double)seconds;
    if (!read_search_seconds(submission, error))
        return false;
    if (submission->measured || (shards && argument_given(arguments, "shard-seconds")))
        return true;
    if (isatty(STDERR_FILENO)) {
        struct error note;
        error_set(&note, "measuring how long it takes, by small shards");
        remark("note", &note);
    }
    if (!argument_number(arguments, "evaluations", 1, UINT64_C(1) << 53, MOST_SHARDS, &most, error))
        return false;
    signals_leave_to_command(true);
    bool good = plan_measure(submission->words, submission->word_count, submission->jobs,
                             most < MOST_SHARDS ? most : MOST_SHARDS, &submission->cost, error);
    signals_leave_to_command(false);
    if (!good)
        return false;
    submission->measured = true;
    if (!shards)
        choose_shards(submission);
    submission->shard_seconds =
        submission->cost.start_seconds +
        submission->cost.seconds / (double)(submission->threads * submission->shards);
    return true;
}

/* Says what a user would want to change: more shards than the target takes, or longer ones. */
static void note_limits(const struct submission *submission) {
    const struct plan_target *target = submission->target;
    unsigned long long wanted;
    struct error note = {{0}};
    argument_number(submission->arguments, "shard-seconds", 1, 1000000000, 600, &wanted, &note);
    if (target->most && submission->shards > target->most)
        error_set(&note, "%s takes %" PRIu64 " shards only if its MaxArraySize is larger than that",
                  target->name, submission->shards);
    else if (target->most == submission->shards &&
             submission->shard_seconds > 1.01 * (double)wanted)
        error_set(&note, "%s takes %" PRIu64 " shards at most, so that each takes some %.0f s",
                  target->name, target->most, submission->shard_seconds);
    remark("note", &note);
}

static int run(const struct arguments *arguments) {
    struct submission submission = {.arguments = arguments};
    struct output output = {0};
    struct error error;
    bool good = read_target(&submission, &error) && count_jobs(&submission, &error) &&
                make_words(&submission, &error) && read_name(&submission, &error) &&
                output_open(&output, argument_value(arguments, "output", "-"), &error) &&
                read_shards(&submission, &error) &&
                plan_print(&submission, output.stream, &error) && output_commit(&output, &error);
    output_discard(&output);
    if (good)
        note_limits(&submission);
    for (size_t i = 0; i < submission.word_count; i++)
        free(submission.words[i]);
    free(submission.words);
    if (good)
        return EXIT_OK;
    return error.text[0] ? trouble(&error) : EXIT_TROUBLE; /* the shard has said it */
}

extern const struct command command_sweep;

const struct command command_plan = {
    .name = "plan",
    .usage = "[sweep|search|invariance] OPERATION...",
    .summary = "print a script that runs a command in shards",
    .details = details,
    .arguments = VALUE_OPERATIONS,
    .options = options,
    .parameters = PARAMETERS_ALL,
    .plans = &command_sweep,
    .run = run,
};

/* `detcheck verify`: implementations against test vectors. */
#include "flag_options.h"
#include "messages.h"
#include "options.h"
#include "selection.h"
#include "signals.h"
#include "verify_folds.h"
#include "verify_lines.h"
#include "verify_output.h"

#include "base/json_output.h"
#include "base/output.h"
#include "report/text.h"
#include "vector/read/lines.h"
#include "vector/read/read.h"
#include "vector/verify.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    OPTION_IMPL("det or cr, as the file\nexpects; libm with --as"),
    OPTIONS_UNIT,
    OPTION_EXPECT("run only tests that expect correctly_rounded, or det"),
    {"max-ulp", 'm', VALUE_TEXT, "X",
     "let an output pass if it lies within X ulps of the exact\nvalue; by default only the "
     "expected "
     "bits pass"},
    OPTION_STRICT_NAN,
    {"skip-missing", 0, VALUE_NONE, NULL, "skip groups that an implementation does not provide"},
    {"as", 0, VALUE_TEXT, "KIND",
     "the files are lines of table, glibc-out, libc-test, tst,\ntestfloat, numpy-csv or onnx "
     "(detcheck-lines(7))"},
    {"operation", 0, VALUE_OPERATION, "NAME",
     "run only tests of this operation; with --as, the operation of\nthe lines; default all that "
     "they "
     "name"},
    OPTION_FORMAT_AS(
        "format of the lines with --as; default fp32, or fp32,fp64 if lines name\ntheir format"),
    OPTION_ROUNDING_AS("rounding of the lines with --as; default nearest-even"),
    OPTION_FLAGS_AS(
        "judge the exception flags that calls raise and clear, if the\nfiles have flags"),
    {"errno", 0, VALUE_NONE, NULL, "judge errno after each call, if the files have errno"},
    OPTION_INEXACT,
    OPTION_MAY_CLEAR,
    OPTION_TININESS_HERE,
    OPTIONS_FOREIGN,
    {"first", 0, VALUE_TEXT, "N", "how many mismatches of each group to show; default 5"},
    OPTION_VERBOSE("print a line for each group of tests, also for groups that pass"),
    OPTION_QUIET,
    OPTION_JSON,
    {0}};

static const char details[] =
    "FILE has vectors as emit writes them (detcheck-vectors(7)); - is stdin.\n"
    "Exit status: 0 all tests pass, 1 one fails, 2 a file is not valid, a group cannot be run, or\n"
    "nothing was tested.\n";

enum { DEFAULT_SHOWN = 5 };

struct verify_options {
    const struct arguments *arguments;
    struct selection selection;
    struct verify_rules rules;
    int expect;                   /* enum vector_expect, or -1 for all */
    const struct operation *only; /* groups of this one, or NULL for all */
    bool skip_missing, quiet;
    struct vector_file *files;
    size_t file_count;
    struct output output; /* of --json */
    bool has_output;
    cJSON *results; /* of the document */
    uint64_t tests, mismatches, missing;
    struct error reason; /* of the first group that is missing */
    struct verify_port port;
    struct verify_folds folds;
    uint64_t with_flags, with_errnos; /* groups whose tests have them */
};

static bool read_rules(struct verify_options *plan, struct error *error) {
    unsigned long long shown;
    plan->rules.strict_nan = argument_given(plan->arguments, "strict-nan");
    plan->skip_missing = argument_given(plan->arguments, "skip-missing");
    if (!argument_error(plan->arguments, "max-ulp", -1, &plan->rules.max_ulp, error) ||
        !argument_choice(plan->arguments, "expect", vector_expect_names, VECTOR_EXPECTS, -1,
                         &plan->expect, error))
        return false;
    if (!argument_number(plan->arguments, "first", 0, VERIFY_MOST_SHOWN, DEFAULT_SHOWN, &shown,
                         error))
        return false;
    plan->rules.most_shown = (size_t)shown;
    struct flag_options flags;
    if (!read_flag_options(plan->arguments, &flags, error))
        return false;
    plan->rules.flags = flags.flags;
    plan->rules.errnos = flags.errnos;
    plan->rules.flag_rules = flags.rules;
    return true;
}

static bool read_files(struct verify_options *plan, struct error *error) {
    const struct arguments *arguments = plan->arguments;
    const char *as = argument_value(arguments, "as", NULL);
    const struct line_kind *kind = as ? line_kind_find(as, error) : NULL;
    if (as && !kind)
        return false;
    if (kind && !kind->results)
        return error_set(error, "lines of %s hold no results; they are for sweep --inputs-as",
                         kind->name);
    if (!kind && (argument_given(arguments, "format") || argument_given(arguments, "rounding")))
        return error_set(error, "--format and --rounding go with --as");
    const char *operation = kind ? NULL : argument_value(arguments, "operation", NULL);
    if ((kind && !verify_select_lines(&plan->selection, arguments, kind, error)) ||
        (operation && !(plan->only = operation_find(operation, error))) ||
        !select_options(&plan->selection, arguments, "libm,det,cr", error))
        return false;
    for (size_t i = 0; i < arguments->positional_count; i++) {
        struct vector_file *file = &plan->files[plan->file_count++];
        bool good = kind ? verify_read_lines(file, &plan->selection, arguments->positional[i], kind,
                                             plan->rules.flag_rules.tiny_after_rounding, error)
                         : vector_read(file, arguments->positional[i], error);
        if (!good)
            return false;
        for (size_t j = 0; j < file->group_count; j++) {
            plan->with_flags += file->groups[j].has_raised;
            plan->with_errnos += file->groups[j].has_errnos;
        }
    }
    if (plan->rules.flags && !plan->with_flags)
        return error_set(error,
                         "--flags: no test says which flags are raised; 'detcheck emit --flags' "
                         "writes such tests");
    return !plan->rules.errnos || plan->with_errnos ||
           error_set(error, "--errno: no test says what errno is after its call; lines of tst and "
                            "glibc-out do");
}

static bool make_plan(struct verify_options *plan, struct error *error) {
    const struct arguments *arguments = plan->arguments;
    if (!arguments->positional_count)
        return error_set(error, "verify needs a file of vectors; 'detcheck emit' writes them");
    const char *json = argument_value(arguments, "json", NULL);
    if (!read_rules(plan, error))
        return false;
    plan->files = calloc(arguments->positional_count, sizeof *plan->files);
    plan->results = cJSON_CreateArray();
    if (!plan->files || !plan->results)
        return error_set(error, "out of memory");
    if (!read_files(plan, error))
        return false;
    size_t groups = 0;
    for (size_t i = 0; i < plan->file_count; i++)
        groups += plan->files[i].group_count;
    plan->port.groups = calloc(groups + 1, sizeof *plan->port.groups);
    if (!plan->port.groups)
        return error_set(error, "out of memory");
    plan->has_output = json != NULL;
    plan->folds.verbose = argument_given(arguments, "verbose");
    plan->quiet = argument_given(arguments, "quiet") || (json && strcmp(json, "-") == 0);
    return !json || output_open(&plan->output, json, error);
}

static void add_to_port(struct verify_port *port, const struct binding_request *group,
                        const struct implementation *implementation) {
    if (!port->count || port->groups[port->count - 1] != group)
        port->groups[port->count++] = group;
    if (!port->implementation && strcmp(implementation->name, "det") != 0)
        port->implementation = implementation->name;
}

static bool verify_one(struct verify_options *plan, const char *path,
                       const struct vector_group *group,
                       const struct implementation *implementation, struct error *error) {
    struct verify_outcome outcome;
    if (!verify_group(group, implementation, &plan->rules, &outcome, error))
        return false;
    if (interrupted) { /* what is there may not be answers */
        verify_outcome_free(&outcome);
        return error_set(error, "interrupted; the results above are incomplete");
    }
    plan->tests += outcome.tests;
    plan->mismatches += outcome.mismatches;
    if (outcome.tests && outcome.whose == EXPECT_DET)
        add_to_port(&plan->port, &group->computed, implementation);
    bool unreported =
        outcome.provided && plan->rules.flags && group->has_raised && !outcome.flags_reported;
    if (unreported && !plan->missing++)
        error_set(&plan->reason, "%s does not report the flags of %s in %s", implementation->name,
                  group->computed.operation->name, group->computed.format->name);
    const bool untold =
        outcome.provided && plan->rules.errnos && group->has_errnos && !outcome.errnos_reported;
    if (untold && !unreported && !plan->missing++)
        error_set(&plan->reason, "%s does not report errno after %s in %s", implementation->name,
                  group->computed.operation->name, group->computed.format->name);
    if (!outcome.provided && !plan->missing++)
        error_set(&plan->reason, "%s does not provide %s in %s: %s", implementation->name,
                  group->computed.operation->name, group->computed.format->name,
                  outcome.reason.text);
    if (!plan->quiet)
        verify_fold(&plan->folds, path, group, implementation, &outcome);
    if (plan->has_output)
        verify_add_outcome(plan->results, path, group, implementation, &outcome);
    verify_outcome_free(&outcome);
    return output_flush_stdout(error);
}

/* Moves one of the implementations to the front, before the others in their order. */
static void put_first(struct selection *selection, const char *name) {
    struct implementation *all = selection->implementations;
    size_t at = 0;
    while (at < selection->implementation_count && strcmp(all[at].name, name) != 0)
        at++;
    if (at == selection->implementation_count)
        return;
    const struct implementation one = all[at];
    memmove(all + 1, all, at * sizeof *all);
    all[0] = one;
}

/* A group by each of the implementations to run, against one of whose outputs it has. */
static bool verify_outputs(struct verify_options *plan, const char *path,
                           const struct vector_group *group, enum vector_expect whose,
                           struct error *error) {
    plan->rules.whose = whose;
    const struct implementation *first;
    /* Lines of others are for whatever libm there is. */
    if (plan->selection.default_implementations && !argument_given(plan->arguments, "as"))
        put_first(&plan->selection, whose == EXPECT_DET ? "det" : "cr");
    size_t count = select_first(&plan->selection, &group->computed, &first);
    for (size_t i = 0; i < count; i++) {
        if (interrupted)
            return error_set(error, "interrupted; the results above are incomplete");
        if (!verify_one(plan, path, group, &first[i], error))
            return false;
    }
    return true;
}

static bool verify_all(struct verify_options *plan, struct error *error) {
    for (size_t i = 0; i < plan->file_count; i++)
        for (size_t j = 0; j < plan->files[i].group_count; j++)
            for (int whose = 0; whose < VECTOR_EXPECTS; whose++) {
                const struct vector_group *group = &plan->files[i].groups[j];
                if ((!plan->only || plan->only == group->computed.operation) &&
                    vector_group_expects(group, (enum vector_expect)whose) &&
                    (plan->expect < 0 || plan->expect == whose) &&
                    !verify_outputs(plan, plan->arguments->positional[i], group,
                                    (enum vector_expect)whose, error))
                    return false;
            }
    return true;
}

static bool write_json(struct verify_options *plan, struct error *error) {
    if (!plan->has_output)
        return true;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "detcheck/verification/1");
    cJSON_AddNumberToObject(document, "tests", (double)plan->tests);
    cJSON_AddNumberToObject(document, "mismatches", (double)plan->mismatches);
    cJSON_AddNumberToObject(document, "groups_missing", (double)plan->missing);
    cJSON_AddItemToObject(document, "results", plan->results);
    plan->results = NULL;
    return json_commit(document, &plan->output, error);
}

static void print_total(const struct verify_options *plan) {
    char tests[32], mismatches[32];
    if (plan->quiet)
        return;
    text_grouped(plan->tests, tests);
    if (plan->mismatches)
        printf("%s of %s test%s\n", text_grouped(plan->mismatches, mismatches), tests,
               plan->tests == 1 ? " fails" : "s fail");
    else
        printf("%s test%s\n", tests, plan->tests == 1 ? " passes" : "s pass");
    if (!plan->mismatches)
        verify_print_limits(&plan->port);
}

/* The exit code of a verification that has come to its end. */
static int conclude(const struct verify_options *plan) {
    struct error error;
    if (!plan->tests) {
        error_set(&error, "nothing was tested: %s",
                  plan->missing ? plan->reason.text
                  : plan->only  ? "no group is of this operation and expects these bits"
                                : "no group expects these bits");
        return trouble(&error);
    }
    if (plan->missing && !plan->skip_missing) {
        error_set(&error, "%llu group%s could not be run (--skip-missing skips them): %s",
                  (unsigned long long)plan->missing, plan->missing == 1 ? "" : "s",
                  plan->reason.text);
        return trouble(&error);
    }
    return plan->mismatches ? EXIT_JUDGED_BAD : EXIT_OK;
}

static int verify(struct verify_options *plan) {
    struct error error;
    if (!make_plan(plan, &error))
        return trouble(&error);
    signals_leave_to_command(true);
    const bool good = verify_all(plan, &error);
    verify_unfold(&plan->folds);
    if (!good)
        return trouble(&error);
    if (plan->tests)
        print_total(plan);
    if (!output_flush_stdout(&error) || (plan->tests && !write_json(plan, &error)))
        return trouble(&error);
    return conclude(plan);
}

static int run(const struct arguments *arguments) {
    static struct verify_options plan;
    plan.arguments = arguments;
    int code = verify(&plan);
    for (size_t i = 0; i < plan.file_count; i++)
        vector_file_free(&plan.files[i]);
    free(plan.files);
    free(plan.port.groups);
    cJSON_Delete(plan.results);
    output_discard(&plan.output);
    return code;
}

const struct command command_verify = {
    .name = "verify",
    .usage = "FILE...",
    .summary = "run implementations against test vectors",
    .details = details,
    .arguments = VALUE_FILE,
    .options = options,
    .run = run,
};

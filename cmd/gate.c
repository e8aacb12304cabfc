/* `detcheck gate`: judges reports by limits, by a policy, by an earlier report. */
#include "command.h"
#include "messages.h"
#include "options.h"
#include "terminal.h"

#include "base/output.h"
#include "gate/kappa.h"
#include "gate/orders.h"
#include "gate/output.h"
#include "gate/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    OPTION_POLICY("limits by operation, format, implementation, rounding"),
    {"partial", 0, VALUE_NONE, NULL,
     "allow rules of a policy that match nothing, and skip operations\nthat are not provided"},
    {"max-ulp", 0, VALUE_TEXT, "X", "no error above X ulps"},
    {"max-mean-ulp", 0, VALUE_TEXT, "X", "no mean error above X ulps"},
    {"max-p50-ulp", 0, VALUE_TEXT, "X", "errors of at most X ulps in 50 % of the outputs"},
    {"max-p90-ulp", 0, VALUE_TEXT, "X", "errors of at most X ulps in 90 % of the outputs"},
    {"max-p99-ulp", 0, VALUE_TEXT, "X", "errors of at most X ulps in 99 % of the outputs"},
    {"max-p99-9-ulp", 0, VALUE_TEXT, "X", "errors of at most X ulps in 99.9 % of the outputs"},
    {"max-absolute-error", 0, VALUE_TEXT, "X",
     "no absolute error above X, in a sweep that measures such errors"},
    {"max-mean-absolute-error", 0, VALUE_TEXT, "X", "no mean absolute error above X"},
    {"max-relative-error", 0, VALUE_TEXT, "X", "no relative error above X"},
    {"max-mean-relative-error", 0, VALUE_TEXT, "X", "no mean relative error above X"},
    {"max-wrong-way", 0, VALUE_TEXT, "N",
     "at most N pairs of neighbours whose outputs are in the wrong order"},
    {"max-not-symmetric", 0, VALUE_TEXT, "N", "at most N inputs where f(-x) is not f(x) or -f(x)"},
    {"max-incorrect", 0, VALUE_TEXT, "N", "at most N numbers that are not correctly rounded"},
    {"max-incorrect-per-million", 0, VALUE_TEXT, "X",
     "at most X of a million outputs that are not correctly rounded"},
    {"max-unfaithful-per-million", 0, VALUE_TEXT, "X",
     "at most X of a million outputs that are not faithful"},
    {"max-mismatches", 0, VALUE_TEXT, "N",
     "at most N NaN mismatches and zeros of the wrong sign;\ndefault 0 if another option limits "
     "errors"},
    {"max-not-called", 0, VALUE_TEXT, "N",
     "at most N inputs that C's function cannot be called with;\ndefault half of the inputs"},
    {"max-violations", 0, VALUE_TEXT, "N",
     "at most N outputs that break what a policy promises\n('detcheck sweep --policy')"},
    {"max-violations-per-million", 0, VALUE_TEXT, "X",
     "at most X of a million outputs that break what a policy promises"},
    {"max-missing-flags", 0, VALUE_TEXT, "N",
     "at most N calls that did not raise a required exception flag"},
    {"max-spurious-flags", 0, VALUE_TEXT, "N",
     "at most N calls that raised an exception flag without a reason"},
    {"max-cleared-flags", 0, VALUE_TEXT, "N", "at most N calls that cleared an exception flag"},
    {"max-wrong-errno", 0, VALUE_TEXT, "N", "at most N calls that did not set errno as C requires"},
    {"max-wrong-lengths", 0, VALUE_TEXT, "N",
     "at most N texts for which strtod gave a wrong end, or snprintf a\nwrong length"},
    {"max-changed", 0, VALUE_TEXT, "N",
     "at most N inputs whose output bits depend on a property\n('detcheck invariance')"},
    {"max-value-error", 0, VALUE_TEXT, "X",
     "no value of a dyadic integer (detcheck-dyadic(7)) off by more\nthan X times 2^-s, where s is "
     "the report's value.scale"},
    {"max-clipped", 0, VALUE_TEXT, "N", "at most N elements that were clipped"},
    {"max-overflowed", 0, VALUE_TEXT, "N", "at most N elements whose accumulator overflowed"},
    {"max-lost-bits", 0, VALUE_TEXT, "N",
     "at most N elements for which a shift or a division dropped bits"},
    {"max-differences", 0, VALUE_TEXT, "N",
     "at most N differences between two implementations\n('detcheck explain')"},
    {"max-unexplained", 0, VALUE_TEXT, "N",
     "at most N differences without a simple cause ('detcheck explain')"},
    {"require-correct", 0, VALUE_NONE, NULL, "every output must be correctly rounded"},
    {"require-faithful", 0, VALUE_NONE, NULL, "every output must be faithful"},
    {"min-tried", 0, VALUE_TEXT, "N",
     "each case must have tried at least N inputs; default 1,000 for a\nsearch"},
    {"glibc-ulps", 0, VALUE_FILE, "FILE", "limits from glibc's libm-test-ulps"},
    {"kappa", 0, VALUE_FILE, "DECLARED",
     "judge by this declaration of P3109; REPORT is then a file that\n'detcheck sweep --kappa' "
     "wrote"},
    {"baseline", 'b', VALUE_FILE, "OLD", "an earlier report: no figure may be worse"},
    {"update", 'u', VALUE_OUTPUT, "POLICY", "write today's figures as a policy; judge nothing"},
    OPTION_QUIET,
    OPTION_JSON,
    {"junit", 0, VALUE_OUTPUT, "FILE", "write JUnit XML"},
    {"sarif", 0, VALUE_OUTPUT, "FILE", "write SARIF 2.1.0"},
    {"markdown", 0, VALUE_OUTPUT, "FILE", "write a summary as Markdown"},
    {0}};

static const char details[] =
    "Exit status: 0 if all limits hold; 1 if one does not; 2 if no verdict can be given: a report\n"
    "is incomplete or tested nothing, a rule matches nothing, or there is no limit.\n"
    "Under GitHub Actions, failures become annotations, and the summary goes to the step's "
    "summary.\n";

enum { MOST_POLICIES = 8 };

/* The outputs beside the text, each with its option. */
static const struct {
    const char *option;
    bool (*write)(const struct gate *gate, FILE *stream);
} writers[] = {{"json", gate_write_json},
               {"junit", gate_write_junit},
               {"sarif", gate_write_sarif},
               {"markdown", gate_write_markdown}};
enum { WRITERS = sizeof writers / sizeof *writers };

struct gate_options {
    const struct arguments *arguments;
    struct read_report *reports, baseline;
    size_t report_count;
    bool has_baseline;
    struct policy policies[MOST_POLICIES];
    size_t policy_count;
    struct gate gate;
    struct output outputs[WRITERS];
    bool to_stdout; /* one of the outputs is, so the text is not */
};

/* The limits of the command line, by the names of the rows. */
static bool read_limits(struct gate_options *plan, struct error *error) {
    bool has[LIMIT_COUNT] = {false}, any = false;
    double limits[LIMIT_COUNT] = {0};
    for (int i = 0; i < LIMIT_COUNT; i++) {
        char name[64];
        unsigned long long count = 0;
        snprintf(name, sizeof name, "%s", limit_rows[i].name);
        for (char *dash = name; *dash; dash++)
            *dash = *dash == '_' ? '-' : *dash;
        const char *text = argument_value(plan->arguments, name, NULL);
        has[i] = argument_given(plan->arguments, name);
        any = any || has[i];
        if ((limit_rows[i].kind == LIMIT_OF_ERROR || limit_rows[i].kind == LIMIT_OF_AVERAGE) &&
            !argument_error(plan->arguments, name, 0, &limits[i], error))
            return false;
        if (limit_rows[i].kind != LIMIT_OF_COUNT || !text)
            continue;
        if (!argument_number(plan->arguments, name, 0, 1ULL << 53, 0, &count, error))
            return false;
        limits[i] = (double)count;
    }
    return !any || policy_from_limits(&plan->policies[plan->policy_count++], has, limits, error);
}

static bool read_policies(struct gate_options *plan, struct error *error) {
    for (size_t i = 0; i < plan->arguments->given_count; i++) {
        const char *name = plan->arguments->given[i].option->name;
        const char *value = plan->arguments->given[i].value;
        bool is_policy = strcmp(name, "policy") == 0, is_glibc = strcmp(name, "glibc-ulps") == 0;
        if (!is_policy && !is_glibc)
            continue;
        if (plan->policy_count == MOST_POLICIES - 1)
            return error_set(error, "more than %d policies", MOST_POLICIES - 1);
        struct policy *policy = &plan->policies[plan->policy_count];
        if (!(is_policy ? policy_read : policy_read_glibc)(policy, value, error))
            return false;
        if (argument_given(plan->arguments, "partial"))
            policy->must_match = false;
        plan->policy_count++;
    }
    bool good = read_limits(plan, error);
    for (size_t i = 0; i < plan->policy_count; i++)
        plan->policies[i].is_partial = argument_given(plan->arguments, "partial");
    return good;
}

static bool read_reports(struct gate_options *plan, struct error *error) {
    const struct arguments *arguments = plan->arguments;
    if (!arguments->positional_count)
        return error_set(error, "gate needs a report, as 'detcheck sweep --json FILE' writes it");
    plan->reports = calloc(arguments->positional_count, sizeof *plan->reports);
    if (!plan->reports)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < arguments->positional_count; i++) {
        if (!gate_read(&plan->reports[i], arguments->positional[i], error))
            return false;
        plan->report_count++;
    }
    const char *baseline = argument_value(arguments, "baseline", NULL);
    plan->has_baseline = baseline && gate_read(&plan->baseline, baseline, error);
    return !baseline || plan->has_baseline;
}

static bool open_outputs(struct gate_options *plan, struct error *error) {
    for (int i = 0; i < WRITERS; i++) {
        const char *path = argument_value(plan->arguments, writers[i].option, NULL);
        if (!path)
            continue;
        if (strcmp(path, "-") == 0 && plan->to_stdout)
            return error_set(error, "only one output can go to stdout");
        plan->to_stdout = plan->to_stdout || strcmp(path, "-") == 0;
        if (!output_open(&plan->outputs[i], path, error))
            return false;
    }
    return true;
}

/* A summary that other steps may have written to before: appended, as GitHub wants it. */
static bool write_step_summary(const struct gate *gate, struct error *error) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!path || !*path)
        return true;
    FILE *stream = fopen(path, "a");
    bool good = stream && gate_write_markdown(gate, stream) && !ferror(stream);
    good = stream && fclose(stream) == 0 && good;
    return good ||
           error_set(error, "cannot write the step summary %.200s: %s", path, strerror(errno));
}

static bool write_all(struct gate_options *plan, struct error *error) {
    const char *actions = getenv("GITHUB_ACTIONS");
    bool colour = terminal_has_colours(STDOUT_FILENO);
    if (!plan->to_stdout && !argument_given(plan->arguments, "quiet"))
        gate_write_text(&plan->gate, stdout, colour);
    if (actions && strcmp(actions, "true") == 0) {
        gate_write_annotations(&plan->gate, plan->to_stdout ? stderr : stdout);
        if (!write_step_summary(&plan->gate, error))
            return false;
    }
    if (!output_flush_stdout(error))
        return false;
    for (int i = 0; i < WRITERS; i++) {
        if (!plan->outputs[i].stream)
            continue;
        if (!writers[i].write(&plan->gate, plan->outputs[i].stream))
            return error_set(error, "out of memory for --%s", writers[i].option);
        if (!output_commit(&plan->outputs[i], error))
            return false;
    }
    return true;
}

static int judge(struct gate_options *plan) {
    struct error error;
    unsigned long long min_tried;
    if (!plan->policy_count && !plan->has_baseline)
        error_set(&error, "gate needs limits: --policy, --max-ulp, --require-correct, "
                          "--max-mismatches, --baseline ...");
    else if (argument_number(plan->arguments, "min-tried", 0, 1ULL << 53, 0, &min_tried, &error) &&
             open_outputs(plan, &error) &&
             gate_judge(&plan->gate, plan->reports, plan->report_count, plan->policies,
                        plan->policy_count, plan->has_baseline ? &plan->baseline : NULL, min_tried,
                        &error) &&
             write_all(plan, &error))
        return plan->gate.counts[CHECK_FAILED] ? EXIT_JUDGED_BAD : EXIT_OK;
    return trouble(&error);
}

/* Whether there is an old policy: an empty file is none, such as mktemp makes, nor is a device. */
static bool has_policy(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

/* What else there is in an old policy stays: its notes and exceptions. */
static int update(struct gate_options *plan, const char *path) {
    struct error error;
    struct policy old = {0};
    struct output output = {0};
    bool exists = strcmp(path, "-") != 0 && has_policy(path);
    bool good = (!plan->policy_count && !plan->has_baseline) ||
                error_set(&error, "--update judges nothing; leave out the limits and the baseline");
    for (int i = 0; i < WRITERS; i++)
        if (good && argument_given(plan->arguments, writers[i].option))
            good = error_set(&error, "--update judges nothing; leave out --%s", writers[i].option);
    for (size_t i = 0; good && i < plan->report_count; i++)
        if (gate_is_of_trace(plan->reports[i].document))
            good = error_set(&error, "--update takes no comparison of traces");
    good = good && (!exists || policy_read(&old, path, &error)) &&
           (!exists || strcmp(old.rule_noun, "rule") == 0 ||
            error_set(&error,
                      "%.200s is a policy of lines, and --update writes JSON; name another file",
                      path)) &&
           output_open(&output, path, &error) &&
           gate_write_policy(plan->reports, plan->report_count, exists ? &old : NULL, output.stream,
                             &error) &&
           output_commit(&output, &error);
    output_discard(&output);
    policy_free(&old);
    return good ? EXIT_OK : trouble(&error);
}

static int judge_kappas(const struct arguments *arguments, const char *declared) {
    struct error error;
    bool refused;
    if (arguments->given_count > 1 || !arguments->positional_count)
        error_set(&error, "--kappa needs what 'detcheck sweep --kappa' wrote, and no other option");
    else if (kappa_gate(arguments->positional, arguments->positional_count, declared, stdout,
                        &refused, &error))
        return refused ? EXIT_JUDGED_BAD : EXIT_OK;
    return trouble(&error);
}

static int run(const struct arguments *arguments) {
    static struct gate_options plan;
    struct error error;
    plan.arguments = arguments;
    const char *declared = argument_value(arguments, "kappa", NULL);
    if (declared)
        return judge_kappas(arguments, declared);
    const char *policy = argument_value(arguments, "update", NULL);
    int code = !read_reports(&plan, &error) || !read_policies(&plan, &error) ? trouble(&error)
               : policy                                                      ? update(&plan, policy)
                                                                             : judge(&plan);
    for (int i = 0; i < WRITERS; i++)
        output_discard(&plan.outputs[i]);
    gate_free(&plan.gate);
    for (size_t i = 0; i < plan.policy_count; i++)
        policy_free(&plan.policies[i]);
    for (size_t i = 0; i < plan.report_count; i++)
        report_read_free(&plan.reports[i]);
    free(plan.reports);
    if (plan.has_baseline)
        report_read_free(&plan.baseline);
    return code;
}

const struct command command_gate = {
    .name = "gate",
    .usage = "REPORT...",
    .summary = "judge reports by limits, a policy or an earlier report",
    .details = details,
    .arguments = VALUE_FILE,
    .options = options,
    .run = run,
};

/* `detcheck report`: reports as a page to look at. */
#include "command.h"
#include "messages.h"
#include "options.h"

#include "base/json.h"
#include "base/output.h"
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    OPTION_OUTPUT("report.html"),
    OPTION_POLICY("also show the verdict of 'detcheck gate' by this policy"),
    {0}};

static const char details[] =
    "The page is one file that loads nothing. Several reports stand side by side. Documents of\n"
    "'compare --json' and 'explain --json' add where and why two of them differ. Orders of\n"
    "'detcheck reveal' make a page of their own, and so does a comparison of two traces.\n";

struct report_options {
    char *first; /* the text of the first file, which may be a pipe: it is read once */
    size_t length;
    struct read_report reports[PAGE_MOST_REPORTS]; /* explanations come last */
    size_t report_count, explanation_count;
    struct read_comparison comparisons[PAGE_MOST_REPORTS];
    size_t comparison_count;
    struct policy policy;
    bool has_policy;
    struct gate gate;
};

static bool is_explanation(const struct read_report *report) {
    for (size_t i = 0; i < report->result_count; i++)
        for (size_t j = 0; j < report->results[i].implementation_count; j++) {
            const struct read_implementation *one = &report->results[i].implementations[j];
            if (one->kind != READ_EXPLANATION || !one->explanation.is_of_two)
                return false;
        }
    return report->result_count > 0;
}

/* Takes over `first`, the text of the file, or reads the file if it is NULL. */
static bool read_one(struct report_options *plan, const char *path, char *first,
                     struct error *error) {
    struct read_report *report = &plan->reports[plan->report_count + plan->explanation_count];
    cJSON *document = first ? json_parse(first, plan->length, path, "report", error)
                            : json_read_file(path, REPORT_MOST_BYTES, "report", error);
    if (comparison_is(document))
        return comparison_read(&plan->comparisons[plan->comparison_count], path, document, error) &&
               ++plan->comparison_count;
    if (!report_read_document(report, path, document, error))
        return false;
    if (is_explanation(report)) {
        plan->explanation_count++;
    } else { /* before the explanations */
        const struct read_report read = *report;
        memmove(&plan->reports[plan->report_count + 1], &plan->reports[plan->report_count],
                plan->explanation_count * sizeof *report);
        plan->reports[plan->report_count++] = read;
        report = &plan->reports[plan->report_count - 1];
    }
    return report->tested || error_set(error, "%.200s tested nothing", report->path);
}

static bool read_all(struct report_options *plan, const struct arguments *arguments,
                     struct error *error) {
    if (!arguments->positional_count)
        return error_set(error, "report needs a report, as 'detcheck sweep --json FILE' writes it");
    if (arguments->positional_count > PAGE_MOST_REPORTS)
        return error_set(error, "a page holds %d reports at most", PAGE_MOST_REPORTS);
    for (size_t i = 0; i < arguments->positional_count; i++) {
        char *first = i ? NULL : plan->first; /* which is taken over */
        if (!i)
            plan->first = NULL;
        if (!read_one(plan, arguments->positional[i], first, error))
            return false;
    }
    const size_t count = plan->report_count + plan->explanation_count;
    if (!plan->report_count && !plan->comparison_count) { /* explanations alone are reports */
        plan->report_count = count;
        plan->explanation_count = 0;
    }
    const char *policy = argument_value(arguments, "policy", NULL);
    if (policy && !count)
        return error_set(error, "--policy is for reports, not for comparisons");
    plan->has_policy = policy && policy_read(&plan->policy, policy, error);
    if (!plan->has_policy)
        return !policy;
    return gate_judge(&plan->gate, plan->reports, count, &plan->policy, 1, NULL, 0, error);
}

extern const struct command command_report;

static bool write_orders(const struct report_options *plan, const struct arguments *arguments,
                         struct output *output, struct error *error) {
    if (argument_given(arguments, "policy"))
        return error_set(error, "--policy is for reports, not for orders");
    return output_open(output, argument_value(arguments, "output", command_report.writes), error) &&
           page_write_orders(arguments->positional, arguments->positional_count, plan->first,
                             plan->length, output->stream, error) &&
           output_commit(output, error);
}

/* One comparison of traces, whose text is taken over. */
static bool write_trace(struct report_options *plan, const struct arguments *arguments,
                        struct output *output, struct error *error) {
    struct trace_comparison comparison = {.row_count = 0};
    char *text = plan->first;
    if (arguments->positional_count > 1 || argument_given(arguments, "policy"))
        return error_set(error, "a page of two traces is of one comparison, and takes no --policy");
    plan->first = NULL;
    bool good =
        trace_comparison_read(&comparison, arguments->positional[0], text, plan->length, error) &&
        output_open(output, argument_value(arguments, "output", command_report.writes), error);
    if (good)
        page_write_trace(&comparison, output->stream);
    good = good && output_commit(output, error);
    trace_comparison_free(&comparison);
    return good;
}

static bool write_reports(struct report_options *plan, const struct arguments *arguments,
                          struct output *output, struct error *error) {
    bool good =
        read_all(plan, arguments, error) &&
        output_open(output, argument_value(arguments, "output", command_report.writes), error);
    const struct page_sources sources = {.reports = plan->reports,
                                         .report_count = plan->report_count,
                                         .explanations = &plan->reports[plan->report_count],
                                         .explanation_count = plan->explanation_count,
                                         .comparisons = plan->comparisons,
                                         .comparison_count = plan->comparison_count,
                                         .gate = plan->has_policy ? &plan->gate : NULL};
    good = good && page_write(&sources, output->stream, error) && output_commit(output, error);
    gate_free(&plan->gate);
    if (plan->has_policy)
        policy_free(&plan->policy);
    for (size_t i = 0; i < plan->report_count + plan->explanation_count; i++)
        report_read_free(&plan->reports[i]);
    for (size_t i = 0; i < plan->comparison_count; i++)
        comparison_read_free(&plan->comparisons[i]);
    return good;
}

/* Where the page is, where nobody has said where it goes. */
static int finish(bool good, const struct arguments *arguments, const struct error *error) {
    struct error note;
    if (!good)
        return trouble(error);
    if (!argument_given(arguments, "output")) {
        error_set(&note, "the page is %s", command_report.writes);
        remark("note", &note);
    }
    return EXIT_OK;
}

static int run(const struct arguments *arguments) {
    static struct report_options plan;
    struct output output = {0};
    struct error error;
    const char *path = arguments->positional_count ? arguments->positional[0] : NULL;
    plan.first = path ? file_read(path, REPORT_MOST_BYTES, "report", &plan.length, &error) : NULL;
    if (path && !plan.first)
        return trouble(&error);
    const bool of_trace = path && page_is_of_trace(plan.first);
    if (of_trace || (path && page_is_of_orders(plan.first))) { /* then all have to be */
        const bool written = of_trace ? write_trace(&plan, arguments, &output, &error)
                                      : write_orders(&plan, arguments, &output, &error);
        output_discard(&output);
        free(plan.first);
        return finish(written, arguments, &error);
    }
    const bool good = write_reports(&plan, arguments, &output, &error);
    output_discard(&output);
    free(plan.first);
    return finish(good, arguments, &error);
}

const struct command command_report = {
    .name = "report",
    .usage = "REPORT...",
    .summary = "make an HTML page of reports, with plots and tables",
    .details = details,
    .arguments = VALUE_FILE,
    .options = options,
    .writes = "report.html",
    .run = run,
};

/* `detcheck trace`: recorded runs of models, beside one another or by themselves. */
#include "selection.h"
#include "trace_replay.h"
#include "trace_text.h"

#include "command.h"
#include "messages.h"
#include "options.h"
#include "python_package.h"
#include "signals.h"

#include "base/json_output.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "page/page.h"
#include "trace/drawn.h"
#include "trace/judge.h"
#include "trace/ways_revealed.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    OPTION_JSON,
    {"page", 0, VALUE_OUTPUT, "FILE", "also write an HTML page of the comparison"},
    {"all", 0, VALUE_NONE, NULL, "list all operations that compare finds, not only the first"},
    {"judge", 0, VALUE_TEXT, "WHICH",
     "let compare judge the outputs that differ by the exact result:\n"
     "some (so many that it takes only seconds) or all"},
    OPTION_IMPL_AS("replay: the implementations that compute again, default det;\ncompare: "
                   "implementations whose order of additions it\nreveals"),
    OPTIONS_FOREIGN,
    {"output", 'o', VALUE_OUTPUT, "FOLDER", "folder that record writes the trace to"},
    {"keep", 0, VALUE_TEXT, "WHICH",
     "tensors that record keeps: digests, all, differing=FOLDER or\nnames=A,B; default digests"},
    {"replace", 0, VALUE_NONE, NULL, "let record replace an earlier trace"},
    {0}};

static const char details[] =
    "compare names the first operation whose inputs have the same bits and whose outputs differ,\n"
    "and all others that differ by themselves. show prints a trace, or one operation of it: by "
    "the\n"
    "number, the path or the name that compare prints. record runs a command and records it, by\n"
    "the package of Python (detcheck-trace(7)). replay computes recorded operations again; for "
    "two\n"
    "traces it says whether that implementation would make both sides equal.\n"
    "Exit status: 0 equal, 1 they differ, 2 an error, or nothing could be compared.\n";

/* Options of replay alone. */
#define REPLAYS "impl", "timeout", "memory", "no-isolation"

static bool wants_no(const struct arguments *arguments, const char *action,
                     const char *const *names, struct error *error) {
    for (; *names; names++)
        if (argument_given(arguments, *names))
            return error_set(error, "--%s has no effect with trace %s", *names, action);
    return true;
}

/* ---- compare ---- */

/* For all operations that parted: seconds of looking for causes, and as many terms of sums as take about as long; and the
 * seconds that implementations at hand get besides, whose orders are revealed once. */
enum { SECONDS_OF_CAUSES = 10, TERMS_OF_JUDGING = 1 << 27, SECONDS_OF_REVEALING = 120 };

/* How many outputs are judged. */
static bool read_patience(const struct arguments *arguments, struct trace_patience *patience,
                          struct error *error) {
    const char *judge = argument_value(arguments, "judge", "some");
    const bool all = strcmp(judge, "all") == 0;
    *patience = (struct trace_patience){.terms = all ? TRACE_ALL_TERMS : TERMS_OF_JUDGING,
                                        .seconds = SECONDS_OF_CAUSES,
                                        .overtime = SECONDS_OF_CAUSES};
    return all || strcmp(judge, "some") == 0 ||
           error_set(error, "--judge is some or all, not '%.40s'", judge);
}

struct comparing {
    struct trace traces[2];
    struct trace_comparison comparison;
    struct output json, page;
    struct selection selection; /* implementations that are at hand */
    struct trace_reveals *reveals;
    struct trace_patience patience;
};

static bool compare(struct comparing *plan, const struct arguments *arguments,
                    struct error *error) {
    static const char *const not_taken[] = {"output", "keep", "replace", NULL},
                             *const of_implementations[] = {"timeout", "memory", "no-isolation",
                                                            NULL};
    const struct trace_means means = {
        .judge = trace_judge_row, .context = &plan->patience, .stop = &interrupted};
    const char *json = argument_value(arguments, "json", NULL),
               *page = argument_value(arguments, "page", NULL);
    const bool all = argument_given(arguments, "all");
    if (arguments->positional_count != 3)
        return error_set(error, "trace compare needs two traces: detcheck trace compare "
                                "here.trace there.trace");
    if (!wants_no(arguments, "compare", not_taken, error) ||
        !read_patience(arguments, &plan->patience, error) ||
        (!argument_given(arguments, "impl") &&
         !wants_no(arguments, "compare without --impl", of_implementations, error)) ||
        (json && !output_open(&plan->json, json, error)) ||
        (page && !output_open(&plan->page, page, error)))
        return false;
    for (int i = 0; i < 2; i++)
        if (!trace_open(&plan->traces[i], arguments->positional[i + 1], error))
            return false;
    signals_leave_to_command(true);
    if (argument_given(arguments, "impl")) {
        if (!select_options(&plan->selection, arguments, "det", error))
            return false;
        plan->reveals = trace_reveals_open(plan->selection.implementations,
                                           plan->selection.implementation_count, &interrupted);
        plan->patience.reveals = plan->reveals;
        plan->patience.seconds += SECONDS_OF_REVEALING;
    }
    if (!trace_compare(&plan->traces[0], &plan->traces[1], &means, &plan->comparison, error))
        return false;
    signals_begin_printing();
    if (!json || strcmp(json, "-") != 0) {
        trace_print_comparison(&plan->comparison, all);
        if (!output_flush_stdout(error))
            return false;
    }
    if (page) {
        page_write_trace(&plan->comparison, plan->page.stream);
        if (!output_commit(&plan->page, error))
            return false;
    }
    if (!json)
        return true;
    cJSON *document = trace_comparison_document(&plan->comparison, all);
    return (document || error_set(error, "out of memory")) &&
           json_commit(document, &plan->json, error);
}

static int run_compare(const struct arguments *arguments) {
    static struct comparing plan;
    struct error error;
    const bool good = compare(&plan, arguments, &error);
    const int code = !good                                  ? trouble(&error)
                     : !trace_is_compared(&plan.comparison) ? EXIT_TROUBLE
                     : trace_is_equal(&plan.comparison)     ? EXIT_OK
                                                            : EXIT_JUDGED_BAD;
    output_discard(&plan.json);
    output_discard(&plan.page);
    trace_comparison_free(&plan.comparison);
    trace_patience_close(&plan.patience);
    trace_reveals_close(plan.reveals);
    trace_close(&plan.traces[0]);
    trace_close(&plan.traces[1]);
    return code;
}

/* ---- show ---- */

/* Prints the operations that a word names: a number, a path or a name. */
static bool show_operation(const struct trace *trace, const char *word, struct error *error) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(word, &end, 10);
    bool found = false;
    if (isdigit((unsigned char)*word) && !*end) {
        if (errno || number >= trace->count)
            return error_set(error, "%.200s has no operation %.40s; it has %zu, from 0",
                             trace->path, word, trace->count);
        trace_print_operation(trace, (size_t)number);
        return true;
    }
    for (size_t i = 0; i < trace->count; i++)
        if (strcmp(trace->operations[i].path, word) == 0 ||
            strcmp(trace->operations[i].name, word) == 0) {
            trace_print_operation(trace, i);
            found = true;
        }
    return found || error_set(error, "%.200s has no operation of the name or path '%.80s'",
                              trace->path, word);
}

static int run_show(const struct arguments *arguments) {
    static const char *const not_taken[] = {"json", "page",    "all",   "judge", "output",
                                            "keep", "replace", REPLAYS, NULL};
    struct trace trace = {0};
    struct error error;
    bool good = wants_no(arguments, "show", not_taken, &error) &&
                (arguments->positional_count > 1 ||
                 error_set(&error, "trace show needs a trace: detcheck trace show here.trace")) &&
                trace_open(&trace, arguments->positional[1], &error);
    if (good && arguments->positional_count == 2)
        good = trace_print(&trace) || error_set(&error, "out of memory");
    for (size_t i = 2; good && i < arguments->positional_count; i++)
        good = show_operation(&trace, arguments->positional[i], &error);
    trace_close(&trace);
    return good ? EXIT_OK : trouble(&error);
}

/* ---- record ---- */

static int run_recording(const struct arguments *arguments) {
    static const char *const not_taken[] = {"json", "page", "all", "judge", REPLAYS, NULL};
    const char *folder = argument_value(arguments, "output", NULL),
               *keep = argument_value(arguments, "keep", NULL);
    struct error error;
    if (!wants_no(arguments, "record", not_taken, &error))
        return trouble(&error);
    if (!folder || arguments->positional_count < 2) {
        error_set(&error, "trace record needs a folder and a command: detcheck trace record -o "
                          "here.trace -- python script.py");
        return trouble(&error);
    }
    const char **words = calloc(arguments->positional_count + 8, sizeof *words);
    if (!words)
        memory_exhausted();
    size_t count = 0;
    const char *const head[] = {"trace", "record", "-o", folder};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        words[count++] = head[i];
    if (keep) {
        words[count++] = "--keep";
        words[count++] = keep;
    }
    if (argument_given(arguments, "replace"))
        words[count++] = "--replace";
    words[count++] = "--";
    for (size_t i = 1; i < arguments->positional_count; i++)
        words[count++] = arguments->positional[i];
    const int code = python_package_run("trace record", words, count);
    free(words);
    return code;
}

/* ---- replay ---- */

static int run_replay(const struct arguments *arguments) {
    static const char *const not_taken[] = {"json",   "page", "all",     "judge",
                                            "output", "keep", "replace", NULL};
    struct error error;
    return wants_no(arguments, "replay", not_taken, &error) ? trace_run_replay(arguments)
                                                            : trouble(&error);
}

static const struct {
    const char *name;
    int (*run)(const struct arguments *arguments);
} actions[] = {{"compare", run_compare},
               {"show", run_show},
               {"record", run_recording},
               {"replay", run_replay}};

static int run(const struct arguments *arguments) {
    const char *names[sizeof actions / sizeof *actions];
    const char *action = arguments->positional_count ? arguments->positional[0] : "";
    struct error error;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        names[i] = actions[i].name;
        if (strcmp(action, actions[i].name) == 0)
            return actions[i].run(arguments);
    }
    const char *nearest = name_nearest(action, names, sizeof actions / sizeof *actions);
    if (nearest)
        error_set(&error, "trace has no '%.40s'; did you mean %s?", action, nearest);
    else
        error_set(&error, "trace needs compare, show, record or replay%s%.40s%s",
                  *action ? ", not '" : " first", action, *action ? "'" : "");
    return trouble(&error);
}

const struct command command_trace = {
    .name = "trace",
    .usage = "compare|show|replay TRACE... [OPERATION...] | record -o FOLDER COMMAND...",
    .summary = "find the operation that first made two recorded runs differ",
    .details = details,
    .arguments = VALUE_TRACE,
    .options = options,
    .run = run,
};

/* `detcheck merge`: reports of one platform become one. */
#include "command.h"
#include "messages.h"
#include "options.h"

#include "base/json_output.h"
#include "report/merge.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option options[] = {
    {"partial", 0, VALUE_NONE, NULL, "merge even if shards are missing; the report says how many"},
    OPTION_OUTPUT("-"),
    {0}};

static const char details[] =
    "Results of different operations, formats and implementations stand side by side. All shards\n"
    "of a sweep ('detcheck sweep --shard') become the report of the whole sweep, with its\n"
    "fingerprint. Sweeps of ranges that do not overlap become one report without fingerprints.\n";

static bool merge_file(struct merge *merge, const char *path, bool *adds, struct error *error) {
    struct read_report report;
    if (!report_read(&report, path, error))
        return false;
    bool good = report_require_part(&report, error) && merge_report(merge, &report, adds, error);
    report_read_free(&report);
    return good;
}

/* A report that adds nothing is no mistake in itself, but most often a slip of the pen. */
static void note_idle(const char *path) {
    struct error note;
    if (!path)
        return;
    error_set(&note, "%.200s adds nothing: the earlier reports have all its results", path);
    remark("note", &note);
}

/* Writes the document and deletes it. */
static bool write(cJSON *document, const char *path, struct error *error) {
    struct output output = {0};
    if (output_open(&output, path, error))
        return json_commit(document, &output, error);
    cJSON_Delete(document);
    return false;
}

/* `idle` is set to the first report that added nothing. */
static bool merge_files(struct merge *merge, const struct arguments *arguments, const char **idle,
                        struct error *error) {
    if (!arguments->positional_count)
        return error_set(error, "merge needs reports, as 'detcheck sweep --json FILE' writes them");
    for (size_t i = 0; i < arguments->positional_count; i++) {
        const char *path = arguments->positional[i];
        bool adds;
        if (!merge_file(merge, path, &adds, error))
            return false;
        if (!adds && !*idle)
            *idle = path;
    }
    return true;
}

static int run(const struct arguments *arguments) {
    struct merge merge = {0};
    struct error error;
    const char *idle = NULL;
    cJSON *document = NULL;
    bool good = merge_files(&merge, arguments, &idle, &error) &&
                (document = merge_finish(&merge, argument_given(arguments, "partial"), &error)) &&
                write(document, argument_value(arguments, "output", "-"), &error);
    if (good)
        note_idle(idle);
    merge_free(&merge);
    return good ? EXIT_OK : trouble(&error);
}

const struct command command_merge = {
    .name = "merge",
    .usage = "REPORT...",
    .summary = "merge reports of shards, or of other parts of a run, into one",
    .details = details,
    .arguments = VALUE_FILE,
    .options = options,
    .run = run,
};

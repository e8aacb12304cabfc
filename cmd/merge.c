/* `detcheck merge`: reports of one platform become one. */
#include "command.h"
#include "messages.h"
#include "options.h"

#include "base/json_output.h"
#include "report/merge.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option options[] = {OPTION_OUTPUT("-"), {0}};

static const char details[] =
    "Other operations, formats and implementations are put side by side. Sweeps of ranges that do\n"
    "not overlap (shards) become one: the same report as of one sweep, but for its fingerprints.\n";

static bool read_all(struct read_report *reports, size_t *count, const struct arguments *arguments,
                     struct error *error) {
    if (!arguments->positional_count)
        return error_set(error, "merge wants reports, as 'detcheck sweep --json FILE' writes them");
    for (; *count < arguments->positional_count; ++*count) {
        if (!report_read(&reports[*count], arguments->positional[*count], error))
            return false;
        if (!report_require_whole(&reports[*count], error)) {
            report_read_free(&reports[*count]);
            return false;
        }
    }
    return true;
}

/* A report that adds nothing is no mistake in itself, but most often a slip of the pen. */
static void note_idle(const struct read_report *idle) {
    struct error note;
    if (!idle)
        return;
    error_set(&note, "%.200s adds nothing: the reports before have all of it", idle->path);
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

static int run(const struct arguments *arguments) {
    static struct read_report reports[MAX_ARGUMENTS];
    struct error error;
    size_t count = 0;
    const struct read_report *idle = NULL;
    cJSON *document = NULL;
    bool good = read_all(reports, &count, arguments, &error) &&
                (document = report_merge(reports, count, &idle, &error)) &&
                write(document, argument_value(arguments, "output", "-"), &error);
    if (good)
        note_idle(idle);
    for (size_t i = 0; i < count; i++)
        report_read_free(&reports[i]);
    return good ? EXIT_OK : trouble(&error);
}

const struct command command_merge = {
    .name = "merge",
    .usage = "REPORT...",
    .summary = "make one report of several, or of shards",
    .details = details,
    .arguments = VALUE_FILE,
    .options = options,
    .run = run,
};

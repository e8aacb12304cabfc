/* detcheck env: what results depend on besides the code, and what of it is not as it should be. */
#include "command.h"
#include "messages.h"
#include "options.h"

#include "base/json_output.h"
#include "format/format.h"
#include "platform/platform.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_COLUMN = 19, SCREEN_COLUMNS = 80, MAX_ROWS = 16 };

/* A line of the answer; what is not as it should be is a warning. */
struct row {
    const char *label;
    bool warning;
    char text[320];
};

struct rows {
    struct row row[MAX_ROWS];
    size_t count;
};

static void add(struct rows *rows, const char *label, bool warning, const char *text) {
    struct row *row = &rows->row[rows->count++];
    row->label = label;
    row->warning = warning;
    snprintf(row->text, sizeof row->text, "%s", text);
}

static void add_rounding(struct rows *rows, const struct platform *platform) {
    char text[160];
    if (platform->rounding == ROUND_NEAREST_EVEN)
        snprintf(text, sizeof text, "%s", rounding_names[ROUND_NEAREST_EVEN]);
    else if (platform->rounding >= 0)
        snprintf(text, sizeof text, "%s: det is defined for nearest-even only",
                 rounding_names[platform->rounding]);
    else
        snprintf(text, sizeof text,
                 "none of C's four, or fp32 and fp64 differ: no result is "
                 "to be relied on");
    add(rows, "rounding", platform->rounding != ROUND_NEAREST_EVEN, text);
}

static void add_evaluation(struct rows *rows, const struct platform *platform) {
    char text[160];
    int method = platform->flt_eval_method;
    snprintf(text, sizeof text, "%d%s", method,
             method == 0
                 ? ""
                 : ": float expressions are not evaluated in float; det's bits will differ");
    add(rows, "FLT_EVAL_METHOD", method != 0, text);
}

static void add_check(struct rows *rows, const char *function, bool exact, const char *failure) {
    char text[200];
    snprintf(text, sizeof text, "%s%s", exact ? "exact on the built-in check" : "wrong: ", failure);
    add(rows, function, !exact, text);
}

static void add_variant(struct rows *rows, const struct platform *platform) {
    static const char *const texts[] = {
        [LIBM_VARIANT_UNKNOWN] =
            "unknown: exp gives neither the FMA variant's bits nor the other's",
        [LIBM_VARIANT_FMA] = "FMA, by the bits that exp gives",
        [LIBM_VARIANT_NO_FMA] = "no FMA, by the bits that exp gives",
    };
    add(rows, "libm variant", false, texts[platform->libm_variant]);
}

static void fill_rows(struct rows *rows, const struct platform *platform) {
    char system[sizeof platform->os + sizeof platform->arch + 2];
    rows->count = 0;
    snprintf(system, sizeof system, "%s, %s", platform->os, platform->arch);
    add(rows, "system", false, system);
    add(rows, "processor", false, platform->cpu);
    add(rows, "features", false, *platform->features ? platform->features : "unknown");
    add(rows, "FMA", false, platform->fma ? "yes" : "no: fma is computed by software");
    add(rows, "compiler", false, platform->compiler);
    add(rows, "C library", false, platform->libc);
    add_variant(rows, platform);
    add_check(rows, "fmaf", platform->fmaf_exact, platform->fmaf_failure);
    add_check(rows, "sqrtf", platform->sqrtf_exact, platform->sqrtf_failure);
    add_rounding(rows, platform);
    add(rows, "FTZ", platform->ftz,
        platform->ftz ? "set: subnormal results become 0; sums and products of arrays are not "
                        "vouched for"
                      : "clear");
    add(rows, "DAZ", platform->daz,
        platform->daz ? "set: subnormal operands count as 0; sums and products of arrays are not "
                        "vouched for"
                      : "clear");
    add_evaluation(rows, platform);
}

/* Where to break the text so that it fits: at the last blank, or nowhere if there is none. */
static size_t line_length(const char *text, size_t room) {
    size_t length = strlen(text);
    if (length <= room)
        return length;
    size_t at = room;
    while (at > 0 && text[at] != ' ')
        at--;
    return at ? at : length;
}

static void print_row(const struct row *row) {
    const char *text = row->text;
    const size_t room = SCREEN_COLUMNS - 1 - TEXT_COLUMN;
    printf("%s %-*s", row->warning ? "!" : " ", TEXT_COLUMN - 2, row->label);
    for (;;) {
        size_t length = line_length(text, room);
        printf("%.*s\n", (int)length, text);
        text += length + (text[length] == ' ');
        if (!*text)
            return;
        printf("%*s", TEXT_COLUMN, "");
    }
}

static void print_rows(const struct rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        print_row(&rows->row[i]);
}

static bool add_features(cJSON *platform, const char *features) {
    cJSON *list = cJSON_AddArrayToObject(platform, "features");
    bool whole = list;
    while (whole && *features) {
        char name[32];
        size_t length = strcspn(features, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, features);
        whole = cJSON_AddItemToArray(list, cJSON_CreateString(name));
        features += length + (features[length] == ' ');
    }
    return whole;
}

static bool add_text(cJSON *object, const char *name, const char *text) {
    return text && *text ? cJSON_AddStringToObject(object, name, text)
                         : cJSON_AddNullToObject(object, name);
}

static bool add_platform(cJSON *document, const struct platform *platform) {
    cJSON *object = cJSON_AddObjectToObject(document, "platform");
    const char *rounding = platform->rounding >= 0 ? rounding_names[platform->rounding] : NULL;
    return object && cJSON_AddStringToObject(object, "os", platform->os) &&
           cJSON_AddStringToObject(object, "arch", platform->arch) &&
           cJSON_AddStringToObject(object, "cpu", platform->cpu) &&
           add_features(object, platform->features) &&
           cJSON_AddBoolToObject(object, "fma", platform->fma) &&
           cJSON_AddStringToObject(object, "compiler", platform->compiler) &&
           cJSON_AddStringToObject(object, "libc", platform->libc) &&
           cJSON_AddStringToObject(object, "libm_variant",
                                   libm_variant_names[platform->libm_variant]) &&
           cJSON_AddBoolToObject(object, "fmaf_exact", platform->fmaf_exact) &&
           add_text(object, "fmaf_failure", platform->fmaf_failure) &&
           cJSON_AddBoolToObject(object, "sqrtf_exact", platform->sqrtf_exact) &&
           add_text(object, "sqrtf_failure", platform->sqrtf_failure) &&
           add_text(object, "rounding", rounding) &&
           cJSON_AddBoolToObject(object, "ftz", platform->ftz) &&
           cJSON_AddBoolToObject(object, "daz", platform->daz) &&
           cJSON_AddNumberToObject(object, "flt_eval_method", platform->flt_eval_method);
}

static bool add_warnings(cJSON *document, const struct rows *rows) {
    cJSON *list = cJSON_AddArrayToObject(document, "warnings");
    bool whole = list;
    for (size_t i = 0; i < rows->count && whole; i++) {
        char line[sizeof rows->row[i].text + 32];
        if (!rows->row[i].warning)
            continue;
        snprintf(line, sizeof line, "%s: %s", rows->row[i].label, rows->row[i].text);
        whole = cJSON_AddItemToArray(list, cJSON_CreateString(line));
    }
    return whole;
}

static bool write_json(struct output *output, const struct platform *platform,
                       const struct rows *rows, struct error *error) {
    cJSON *document = cJSON_CreateObject();
    cJSON *tool = NULL;
    if (document && cJSON_AddStringToObject(document, "schema", "detcheck/env/1") &&
        (tool = cJSON_AddObjectToObject(document, "tool")) &&
        cJSON_AddStringToObject(tool, "name", "detcheck") &&
        cJSON_AddStringToObject(tool, "version", DETCHECK_VERSION) &&
        add_platform(document, platform) && add_warnings(document, rows))
        return json_commit(document, output, error);
    cJSON_Delete(document);
    output_discard(output);
    return error_set(error, "out of memory");
}

static int run_env(const struct arguments *arguments) {
    struct error error;
    struct platform platform;
    struct rows rows;
    struct output output;
    if (arguments->positional_count) {
        error_set(&error, "env takes no arguments, but was given '%.40s'",
                  arguments->positional[0]);
        return trouble(&error);
    }
    const char *json = argument_value(arguments, "json", NULL);
    if (json && !output_open(&output, json, &error))
        return trouble(&error);
    platform_describe(&platform);
    platform_check_libm(&platform);
    fill_rows(&rows, &platform);
    /* One stream holds one of the two. */
    if (!json || strcmp(json, "-") != 0)
        print_rows(&rows);
    if (!output_flush_stdout(&error)) {
        if (json)
            output_discard(&output);
        return trouble(&error);
    }
    return !json || write_json(&output, &platform, &rows, &error) ? EXIT_OK : trouble(&error);
}

static const struct option options[] = {
    OPTION_JSON,
    {0},
};

const struct command command_env = {
    .name = "env",
    .usage = "",
    .summary = "print the properties of this machine on which results depend",
    .details =
        "env measures what it can. A line that begins with '!' names a setting that changes\n"
        "results: rounding is not to nearest-even, FTZ or DAZ is set, FLT_EVAL_METHOD is\n"
        "not 0, or fmaf or sqrtf returns wrong results.\n",
    .arguments = VALUE_NONE,
    .options = options,
    .run = run_env,
};

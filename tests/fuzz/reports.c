/* Any bytes as what is read of reports: up to three files, with a NUL between them. The first is a
 * report; the second another one, to be merged with it and to be its baseline; the third a policy,
 * or else there are limits. Each is refused with one line, or all goes on: gate and its documents,
 * the page, pairs to compare; what is merged is a report again. */
#include "fuzz.h"

#include "gate/output.h"
#include "page/page.h"
#include "report/compare.h"
#include "report/merge.h"

enum { FILES = 3 };

/* Names of files that stay for the whole run. */
static char names[FILES][64];

static void remove_files(void) {
    for (int i = 0; i < FILES; i++)
        unlink(names[i]);
}

static void check_merged(const struct read_report *reports, size_t count) {
    struct error error = {{0}};
    struct merge merge = {0};
    struct read_report again;
    bool adds, added = true;
    for (size_t i = 0; i < count && added; i++)
        added = merge_report(&merge, &reports[i], &adds, &error);
    cJSON *merged = added ? merge_finish(&merge, false, &error) : NULL;
    merge_free(&merge);
    if (!fuzz_check(merged != NULL, &error))
        return;
    char *text = cJSON_PrintUnformatted(merged);
    fuzz_require(text);
    fuzz_write_file(names[1], text, strlen(text));
    bool good = report_read(&again, names[1], &error);
    if (!good)
        fprintf(stderr, "%s\n", error.text);
    fuzz_require(good);
    report_read_free(&again);
    free(text);
    cJSON_Delete(merged);
}

static void write_documents(const struct gate *gate, const struct read_report *reports,
                            size_t count, FILE *stream) {
    struct error error = {{0}};
    gate_write_text(gate, stream, false);
    gate_write_json(gate, stream);
    gate_write_junit(gate, stream);
    gate_write_sarif(gate, stream);
    gate_write_annotations(gate, stream);
    gate_write_markdown(gate, stream);
    const struct page_sources sources = {.reports = reports, .report_count = count, .gate = gate};
    fuzz_check(page_write(&sources, stream, &error), &error);
    fuzz_check(gate_write_policy(reports, count, NULL, stream, &error), &error);
}

static void judge(const struct read_report *reports, size_t count, struct policy *policy,
                  FILE *stream) {
    struct error error = {{0}};
    struct gate gate = {0};
    if (fuzz_check(
            gate_judge(&gate, reports, 1, policy, 1, count > 1 ? &reports[1] : NULL, 0, &error),
            &error))
        write_documents(&gate, reports, 1, stream);
    gate_free(&gate);
}

static void use(const struct read_report *reports, size_t count, bool has_policy) {
    struct error error = {{0}};
    struct policy policy;
    struct compare_pairs pairs = {0};
    FILE *stream = fopen("/dev/null", "wb");
    const bool has[LIMIT_COUNT] = {[LIMIT_MAX_ULP] = true};
    const double limits[LIMIT_COUNT] = {[LIMIT_MAX_ULP] = 0.5};
    fuzz_require(stream);
    if (fuzz_check(has_policy ? policy_read(&policy, names[2], &error)
                              : policy_from_limits(&policy, has, limits, &error),
                   &error)) {
        judge(reports, count, &policy, stream);
        policy_free(&policy);
    }
    const struct page_sources sources = {.reports = reports, .report_count = count};
    fuzz_check(page_write(&sources, stream, &error), &error);
    fclose(stream);
    if (fuzz_check(compare_pair_results(&reports[0], &reports[count - 1], &pairs, &error), &error))
        free(pairs.items);
    bool whole = true;
    for (size_t i = 0; i < count; i++)
        whole = fuzz_check(report_require_whole(&reports[i], &error), &error) && whole;
    if (whole)
        check_merged(reports, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint8_t empty[1];
    struct read_report reports[2];
    struct error error = {{0}};
    size_t files = 0, read = 0;
    if (!names[0][0])
        atexit(remove_files);
    for (int i = 0; i < FILES; i++)
        fuzz_name_file(names[i]);
    for (size_t at = 0; at < count && files < FILES; files++) {
        const uint8_t *end = memchr(bytes + at, 0, count - at);
        size_t length = end ? (size_t)(end - bytes) - at : count - at;
        fuzz_write_file(names[files], length ? bytes + at : empty, length);
        at += length + 1;
    }
    while (read < 2 && read < files &&
           fuzz_check(report_read(&reports[read], names[read], &error), &error))
        read++;
    if (read)
        use(reports, read, files == FILES);
    while (read > 0)
        report_read_free(&reports[--read]);
    return 0;
}

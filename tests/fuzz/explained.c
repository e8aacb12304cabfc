/* Any bytes as two reports, or two files of fingerprints, with a NUL between them, whose differences `detcheck explain`
 * is to find causes of. Where both name what runs here, it does run if the inputs are few: the linker puts the
 * functions here in the place of those that run it. */
#include "fuzz.h"

#include "explain_files.h"
#include "explain_output.h"
#include "signals.h"

#include "explain/document.h"
#include "sweep/differ.h"

enum { FILES = 2, MOST_INPUTS = 8 };

static char names[FILES][64];

volatile sig_atomic_t interrupted;

bool signals_leave_to_command(bool leave) {
    return leave;
}

typedef bool explain_run_function(const struct explain_request *request,
                                  struct explain_outcome *outcome, struct error *error);
typedef bool explain_recorded_function(const struct explain_request *request,
                                       const struct recorded_blocks *recorded,
                                       struct explain_outcome *outcome, struct error *error);
typedef bool differ_digest_function(const struct differ_request *request,
                                    const struct implementation *which, int result, uint64_t block,
                                    struct block_digest *digest, struct error *error);
explain_run_function __wrap_explain_run, __real_explain_run;
explain_recorded_function __wrap_explain_recorded, __real_explain_recorded;
differ_digest_function __wrap_differ_digest, __real_differ_digest;

bool __wrap_explain_run(const struct explain_request *request, struct explain_outcome *outcome,
                        struct error *error) {
    *outcome = (struct explain_outcome){0};
    return request->domain->count > MOST_INPUTS || __real_explain_run(request, outcome, error);
}

bool __wrap_explain_recorded(const struct explain_request *request,
                             const struct recorded_blocks *recorded,
                             struct explain_outcome *outcome, struct error *error) {
    *outcome = (struct explain_outcome){0};
    return request->domain->count > MOST_INPUTS ||
           __real_explain_recorded(request, recorded, outcome, error);
}

/* Of many inputs, that the first block is as it was recorded is not looked at. */
bool __wrap_differ_digest(const struct differ_request *request, const struct implementation *which,
                          int result, uint64_t block, struct block_digest *digest,
                          struct error *error) {
    return request->domain->count > MOST_INPUTS
               ? error_set(error, "many inputs")
               : __real_differ_digest(request, which, result, block, digest, error);
}

static void remove_files(void) {
    for (int i = 0; i < FILES; i++)
        unlink(names[i]);
}

static void take(void *context, const struct explain_row *row) {
    explain_row_print(row);
    explain_add(context, row);
}

static void explain(void) {
    static struct report report;
    const struct foreign_settings foreign = {.stop = &interrupted};
    struct platform platform = {0};
    struct error error = {{0}};
    struct explain_files files = {.paths = {names[0], names[1]},
                                  .threads = 1,
                                  .foreign = &foreign,
                                  .take = take,
                                  .context = &report};
    FILE *stream = fopen("/dev/null", "wb");
    fuzz_require(stream);
    report_begin(&report, &platform, 1);
    if (fuzz_check(explain_files(&files, &error), &error))
        fuzz_check(report_write(&report, stream, &error), &error);
    report_free(&report);
    fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint8_t empty[1];
    size_t at = 0;
    if (!names[0][0]) {
        atexit(remove_files);
        fuzz_require(freopen("/dev/null", "wb", stdout));
    }
    for (int i = 0; i < FILES; i++) {
        const uint8_t *end = at < count ? memchr(bytes + at, 0, count - at) : NULL;
        size_t length = at >= count ? 0 : end ? (size_t)(end - bytes) - at : count - at;
        fuzz_name_file(names[i]);
        fuzz_write_file(names[i], length ? bytes + at : empty, length);
        at += length + 1;
    }
    explain();
    return 0;
}

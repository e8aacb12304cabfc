/* Any bytes as a report whose worst inputs are to be among test vectors: of each of its results that is of an
 * operation on numbers, and of another one. */
#include "fuzz.h"

#include "report/compare.h"
#include "vector/choose/worst.h"

static char name[64];

static void remove_file(void) {
    unlink(name);
}

/* What is taken has codes of the format, and came from the report. */
static void take(const struct read_report *report, const struct binding_request *computed) {
    struct vector_choices choices = {0};
    struct error error = {{0}};
    if (fuzz_check(worst_add(report, &choices, computed, &error), &error))
        for (size_t i = 0; i < choices.count; i++) {
            fuzz_require(choices.items[i].flags == 1u << VECTOR_WORST);
            for (int k = 0; k < computed->operation->operands; k++)
                fuzz_require(choices.items[i].in[k] <= format_mask(computed->format));
        }
    vector_choices_free(&choices);
}

static void use(const struct read_report *report) {
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *result = &report->results[i];
        struct compare_row names = {0};
        struct binding_request computed;
        struct error error = {{0}};
        char parameters[SECTION_TEXT];
        int which;
        snprintf(names.operation, sizeof names.operation, "%s", result->operation);
        snprintf(names.format, sizeof names.format, "%s", result->format);
        snprintf(names.rounding, sizeof names.rounding, "%s", result->rounding);
        if (fuzz_check(compare_find_request(&names, parameters, &computed, &which, &error),
                       &error) &&
            !computed.operation->array)
            take(report, &computed);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct read_report report;
    struct error error = {{0}};
    if (!name[0])
        atexit(remove_file);
    fuzz_name_file(name);
    fuzz_write_file(name, bytes, count);
    if (fuzz_check(report_read(&report, name, &error), &error)) {
        use(&report);
        report_read_free(&report);
    }
    return 0;
}

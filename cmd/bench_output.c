/* What `detcheck bench` prints of an outcome, and what it puts into JSON. */
#include "bench_output.h"

#include "base/foreign.h"
#include "base/json.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

/* Over how many inputs and rounds, and why over no more. */
static void print_extent(const struct bench_outcome *outcome, const struct bench_request *request) {
    char count[32];
    uint64_t looked_at = outcome->rows[0].error_inputs;
    if (outcome->has_errors && !looked_at && outcome->too_many)
        printf("; largest errors not measured: inputs take longer than %g s", request->seconds);
    else if (outcome->has_errors)
        printf("; largest errors over %llu inputs", (unsigned long long)looked_at);
    if (looked_at && outcome->too_many)
        printf(" (%s take longer than %g s)", text_grouped(outcome->too_many, count),
               request->seconds);
    if (outcome->rounds < request->rounds)
        printf("\n  medians of %d round%s (%d take longer than %g s)", outcome->rounds,
               outcome->rounds == 1 ? "" : "s", request->rounds, request->seconds);
    printf("\n\n");
}

void bench_print_outcome(const struct operation *operation, const struct format *format,
                         const struct bench_outcome *outcome, const struct bench_request *request) {
    const struct bench_row *reference = &outcome->rows[outcome->reference];
    int width = 8;
    for (size_t i = 0; i < outcome->row_count; i++) {
        int length = (int)strlen(FOREIGN(outcome->rows[i].name));
        width = length > width ? length : width;
    }
    bool errors = outcome->has_errors;
    printf("%s%s%s\n  %-*s %-7s %10s %12s%s\n", operation->name, errors ? "" : ", ",
           errors ? "" : format->name, width, "", "", "ns/element", "speed",
           errors ? "  largest error" : "");
    for (size_t i = 0; i < outcome->row_count; i++) {
        const struct bench_row *row = &outcome->rows[i];
        char error[32] = "-";
        printf("  %-*s %-7s %10.3f %11.2fx", width, FOREIGN(row->name), row->form, row->nanoseconds,
               row->speed);
        if (row->error_inputs)
            text_error(row->largest_error, 6, error);
        if (errors)
            printf(" %10s ulp", error);
        printf("  %s\n", FOREIGN(row->detail));
    }
    printf("  speed: %s %s = 1", FOREIGN(reference->name), reference->form);
    print_extent(outcome, request);
}

void bench_add_outcome(cJSON *results, const struct operation *operation,
                       const struct format *format, const struct bench_outcome *outcome) {
    cJSON *result = json_append(results);
    cJSON_AddStringToObject(result, "operation", operation->name);
    cJSON_AddStringToObject(result, "format", format->name);
    cJSON_AddStringToObject(result, "reference", outcome->rows[outcome->reference].name);
    cJSON_AddNumberToObject(result, "rounds", outcome->rounds);
    cJSON *rows = cJSON_AddArrayToObject(result, "implementations");
    for (size_t i = 0; i < outcome->row_count; i++) {
        const struct bench_row *row = &outcome->rows[i];
        cJSON *object = json_append(rows);
        cJSON_AddStringToObject(object, "name", row->name);
        cJSON_AddStringToObject(object, "form", row->form);
        cJSON_AddStringToObject(object, "detail", row->detail);
        cJSON_AddNumberToObject(object, "nanoseconds", row->nanoseconds);
        cJSON_AddNumberToObject(object, "speed", row->speed);
        if (row->ratio > 0)
            cJSON_AddNumberToObject(object, "ratio", row->ratio);
        if (!outcome->has_errors)
            continue;
        if (row->error_inputs)
            cJSON_AddNumberToObject(object, "max_ulp", row->largest_error);
        cJSON_AddNumberToObject(object, "max_ulp_inputs", (double)row->error_inputs);
    }
}

/* One line for each result, for spreadsheets and scripts; columns have the names of the report. */
#include "report/sweep_csv.h"

#include "base/csv.h"
#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>

void sweep_csv_heading(FILE *stream) {
    fputs("operation,format,rounding,parameters,inputs,implementation,provided,complete,tested,"
          "unanswered,incorrectly_rounded,faithful,over_1_ulp,nan_mismatches,sign_mismatches,"
          "max_ulp,input,got,want,fingerprint\n",
          stream);
}

/* As the options that they are given by: "--to fp16 --overflow saturate". */
static void print_parameters(FILE *stream, const struct parameters *parameters) {
    char all[TEXT_INPUTS] = "", text[PARAMETER_ROOM];
    size_t at = 0;
    for (int i = 0; i < PARAMETER_COUNT && at < sizeof all; i++) {
        const struct parameter *row = &parameter_rows[i];
        if (!parameters->values[i].present)
            continue;
        const bool is_flag = row->kind == PARAMETER_FLAG;
        at += (size_t)snprintf(all + at, sizeof all - at, "%s--%s%s%s", at ? " " : "", row->name,
                               is_flag ? "" : " ",
                               is_flag ? "" : parameter_text(row, &parameters->values[i], text));
    }
    csv_print(stream, all);
}

/* Where the largest error is, and what is there. */
static void print_witness(FILE *stream, const struct sweep_request *request,
                          const struct format *format, const struct tally *tally) {
    const struct operation *operation = request->computed.operation;
    char text[NUMBER_TEXT], place[TEXT_PLACE], input[TEXT_PLACE] = "";
    if (!tally->has_max) {
        fputs(",,,,", stream);
        return;
    }
    size_t at = 0;
    if (operation->array)
        snprintf(input, sizeof input, "%s", text_place(request, tally->max.input, place));
    else
        for (int i = 0; i < operation->operands; i++)
            at += (size_t)snprintf(input + at, sizeof input - at, "%s%s", i ? " " : "",
                                   format_bits_text(format_of_operand(request->computed.format, i),
                                                    tally->max.input[i], text));
    fprintf(stream, "%.17g,", tally->max.error);
    csv_print(stream, input);
    fprintf(stream, ",%s,", format_bits_text(format, tally->max.got, text));
    fprintf(stream, "%s,", format_bits_text(format, tally->max.want, text));
}

static void print_tally(FILE *stream, const struct tally *tally) {
    const uint64_t counts[] = {tally->tested,         tally->unanswered, tally->incorrect,
                               tally->faithful,       tally->over_1_ulp, tally->nan_mismatches,
                               tally->sign_mismatches};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fprintf(stream, "%" PRIu64 ",", counts[i]);
}

void sweep_csv_print(FILE *stream, const struct sweep_request *request,
                     const struct sweep_outcome *outcome) {
    const struct binding_request *computed = &request->computed;
    char own[64], inputs[TEXT_INPUTS];
    for (int result = 0; result < computed->operation->results; result++)
        for (size_t i = 0; i < outcome->implementation_count; i++) {
            const struct implementation_outcome *one = &outcome->implementations[i];
            csv_print(stream, operation_result_name(computed->operation, result, own));
            fprintf(stream, ",%s,%s,", computed->format->name, rounding_names[computed->rounding]);
            print_parameters(stream, &computed->parameters);
            fputc(',', stream);
            csv_print(stream, text_inputs(request, inputs));
            fputc(',', stream);
            csv_print(stream, request->implementations[i].name);
            if (!one->provided) {
                fputs(",false,,,,,,,,,,,,,\n", stream);
                continue;
            }
            fprintf(stream, ",true,%s,", outcome->complete ? "true" : "false");
            print_tally(stream, &one->tallies[result]);
            print_witness(stream, request, outcome->formats[result], &one->tallies[result]);
            fprintf(stream, "%s\n", one->fingerprints[result]);
        }
}

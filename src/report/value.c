/* "value" of an implementation. */
#include "report/value.h"

#include "format/text.h"
#include "report/items.h"
#include "report/text.h"

static long scale_of(const struct sweep_request *request) {
    const struct array_rule *rule = request->computed.operation->array;
    return rule->value_scale(rule, &request->computed.parameters);
}

void report_add_value(cJSON *object, const struct sweep_request *request,
                      const struct format *format, const struct tally *tally) {
    const struct value_tally *value = &tally->value;
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {{"exact", value->exact},
                {"clipped", value->clipped},
                {"overflowed", value->overflowed},
                {"lost_bits", value->lost_bits}};
    char sum[ERROR_SUM_TEXT];
    cJSON *own = cJSON_AddObjectToObject(object, "value");
    cJSON_AddNumberToObject(own, "scale", (double)scale_of(request));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cJSON_AddNumberToObject(own, rows[i].name, (double)rows[i].count);
    if (value->has_max) {
        cJSON *max = cJSON_AddObjectToObject(own, "max");
        report_add_error(max, "error", value->max.error);
        report_add_input(max, request, value->max.input);
        report_add_bits(max, "got", format, value->max.got);
        report_add_bits(max, "want", format, value->max.want);
    } else
        cJSON_AddNullToObject(own, "max");
    report_add_error(own, "mean", error_sums_mean(&value->above, &value->below, tally->tested));
    report_add_error(own, "bias", error_sums_bias(&value->above, &value->below, tally->tested));
    cJSON_AddStringToObject(own, "sum_above", error_sum_text(&value->above, sum));
    cJSON_AddStringToObject(own, "sum_below", error_sum_text(&value->below, sum));
}

void value_print(FILE *stream, const struct sweep_request *request, const struct format *format,
                 const struct tally *tally) {
    const struct value_tally *value = &tally->value;
    double bias = error_sums_bias(&value->above, &value->below, tally->tested);
    char count[32], error[32], got[NUMBER_TEXT], want[NUMBER_TEXT];
    fprintf(stream, "  value not exact        %s\n",
            text_grouped(tally->tested - value->exact, count));
    if (value->has_max && value->max.error > 0) {
        fprintf(stream, "    largest error        %s * 2^%ld\n",
                text_error(value->max.error, 6, error), -scale_of(request));
        fprintf(stream, "                      at   ");
        text_print_input(stream, request, value->max.input);
        fprintf(stream, "\n                         got  %s, by the steps %s\n",
                format_decimal_text(format, value->max.got, got),
                format_decimal_text(format, value->max.want, want));
        fprintf(stream, "    mean error           %s * 2^%ld\n",
                text_error(error_sums_mean(&value->above, &value->below, tally->tested), 6, error),
                -scale_of(request));
        fprintf(stream, "    bias                 %s%s * 2^%ld\n", bias < 0 ? "-" : "",
                text_error(bias < 0 ? -bias : bias, 6, error), -scale_of(request));
    }
    fprintf(stream, "    clipped              %s\n", text_grouped(value->clipped, count));
    fprintf(stream, "    overflowed           %s\n", text_grouped(value->overflowed, count));
    fprintf(stream, "    lost bits            %s\n", text_grouped(value->lost_bits, count));
}

/* Values in words. */
#include "report/value.h"

#include "format/text.h"
#include "report/text.h"

static long scale_of(const struct sweep_request *request) {
    const struct array_rule *rule = request->computed.operation->array;
    return rule->value_scale(rule, &request->computed.parameters);
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

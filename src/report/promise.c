/* Promises in words. */
#include "report/promise.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

const struct promise *request_promise(const struct sweep_request *request, size_t implementation,
                                      int result) {
    return request->promises ? request->promises[implementation * MAX_RESULTS + (size_t)result]
                             : NULL;
}

static void print_code(FILE *stream, const struct format *format, const char *label,
                       uint64_t code) {
    char decimal[NUMBER_TEXT], bits[NUMBER_TEXT];
    fprintf(stream, "                         %s %s  %s\n", label,
            format_decimal_text(format, code, decimal), format_bits_text(format, code, bits));
}

static void print_worst(FILE *stream, const struct sweep_request *request,
                        const struct format *format, const struct promise_violation *worst) {
    char error[32], limit[32];
    if (worst->has_reference)
        fprintf(stream, "    first                with other bits than were promised\n");
    else if (!worst->has_error)
        fprintf(stream, "    worst                NaN, or a zero of the wrong sign\n");
    else
        fprintf(stream, "    worst                %s ulp, allowed %s\n",
                text_error(worst->witness.error, 6, error), text_error(worst->limit, 6, limit));
    fprintf(stream, "                      at   ");
    text_print_input(stream, request, worst->witness.input);
    fprintf(stream, "\n");
    print_code(stream, format, "got ", worst->witness.got);
    print_code(stream, format, "want", worst->witness.want);
    if (worst->has_reference)
        print_code(stream, format, "was promised", worst->reference);
}

void promise_print(FILE *stream, const struct sweep_request *request, size_t implementation,
                   int result, const struct format *format, const struct tally *tally,
                   bool colour) {
    const struct promise *promise = request_promise(request, implementation, result);
    const struct promise_tally *found = &tally->promise;
    char count[32];
    bool bad = promise && colour && found->violations > promise->most;
    if (!promise) {
        if (request->promises)
            fprintf(stream, "  promised               nothing\n");
        return;
    }
    fprintf(stream, "  promised               %s", FOREIGN(promise->text));
    fprintf(stream, "\n                         %s, rule %d", FOREIGN(promise->source),
            promise->rule);
    fprintf(stream, "%s%s\n", *promise->section ? ": " : "", FOREIGN(promise->section));
    fprintf(stream, "    broken               %s%s%s\n", bad ? TEXT_BAD : "",
            text_grouped(found->violations, count), bad ? TEXT_PLAIN : "");
    if (found->accepted)
        fprintf(stream, "    flushed, undefined   %s\n", text_grouped(found->accepted, count));
    if (found->left_out)
        fprintf(stream, "    left out             %s\n", text_grouped(found->left_out, count));
    if (found->has_worst)
        print_worst(stream, request, format, &found->worst);
}

void promise_print_count(FILE *stream, const struct sweep_request *request, size_t implementation,
                         int result, const struct tally *tally, bool colour) {
    const struct promise *promise = request_promise(request, implementation, result);
    char count[32];
    if (promise && tally->promise.violations)
        fprintf(stream, "%14s%spromise broken: %s%s  (rule %d)\n", "", colour ? TEXT_BAD : "",
                text_grouped(tally->promise.violations, count), colour ? TEXT_PLAIN : "",
                promise->rule);
}

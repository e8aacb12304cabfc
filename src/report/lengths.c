/* Lengths in words. */
#include "report/lengths.h"

#include "report/text.h"

#include <inttypes.h>

static void print_length(FILE *stream, uint64_t length) {
    if (length == UINT64_MAX)
        fputs("none", stream);
    else
        fprintf(stream, "%" PRIu64, length);
}

void lengths_print(FILE *stream, const struct sweep_request *request, const struct tally *tally,
                   bool colour) {
    const struct length_tally *lengths = &tally->lengths;
    const bool reads =
        request->computed.operation->array && request->computed.operation->array->takes_texts;
    char wrong[32], lines[32];
    if (!(tally->tells & TELLS_LENGTHS))
        return;
    if (!lengths->lines) {
        fprintf(stream, "  %-22s not reported\n", reads ? "end of the number" : "length returned");
        return;
    }
    const char *bad = colour && lengths->wrong ? TEXT_BAD : "";
    fprintf(stream, "  %-22s %s%s%s of %s calls returned a wrong one\n",
            reads ? "end of the number" : "length returned", bad,
            text_grouped(lengths->wrong, wrong), *bad ? TEXT_PLAIN : "",
            text_grouped(lengths->lines, lines));
    if (!lengths->wrong)
        return;
    fputs("                   first   ", stream);
    text_print_input(stream, request, lengths->first.input);
    fputs("\n                         got  ", stream);
    print_length(stream, lengths->first.got);
    fputs("\n                         want ", stream);
    print_length(stream, lengths->first.want);
    fputc('\n', stream);
}

void lengths_print_count(FILE *stream, const struct tally *tally, bool colour) {
    char wrong[32];
    if (tally->tells & TELLS_LENGTHS && tally->lengths.wrong)
        fprintf(stream, "%14s%swrong length: %s%s\n", "", colour ? TEXT_BAD : "",
                text_grouped(tally->lengths.wrong, wrong), colour ? TEXT_PLAIN : "");
}

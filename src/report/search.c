/* Parts of a search. */
#include "report/search.h"

#include "base/foreign.h"
#include "report/text.h"

#include <math.h>

enum { PRINTED = 3 };

/* The search has its errors to fewer bits than a sweep. */
#define UNREPEATED_SLACK 0x1p-16

/* The search judged an answer that the sweep over its finds did not get: its error is told here alone. */
static void print_unrepeated(FILE *stream, const struct sweep_request *request,
                             const struct search_part *part, const struct sweep_outcome *outcome) {
    const struct implementation_outcome *one = &outcome->implementations[part->implementations[0]];
    double largest = 0;
    char text[32];
    for (int i = 0; one->provided && i < request->computed.operation->results; i++)
        largest = one->tallies[i].max.error > largest ? one->tallies[i].max.error : largest;
    if (!one->provided || !outcome->complete || !part->best_count ||
        part->best[0].value <= largest + UNREPEATED_SLACK * (1 + largest))
        return;
    fprintf(stream, "\n%s gave another answer when it was judged: %s ulp off at  ",
            FOREIGN(request->implementations[part->implementations[0]].name),
            text_error(part->best[0].value, 6, text));
    text_print_input(stream, request, part->best[0].input);
    fprintf(stream, "\n");
}

void search_print(FILE *stream, const struct sweep_request *request,
                  const struct search_record *record, const struct sweep_outcome *outcome) {
    static const char *const more[SEARCH_PURPOSES] = {"have larger errors", "differ more",
                                                      "lie nearer", "be rounded wrongly"};
    bool boundary = record->purpose == SEARCH_BOUNDARY;
    if (record->part_count)
        fprintf(stream, "\na search finds lower bounds: other inputs may %s\n",
                more[record->purpose]);
    for (size_t i = 0; search_is_of_errors(record->purpose) && i < record->part_count; i++)
        print_unrepeated(stream, request, &record->parts[i], outcome);
    if (search_is_of_errors(record->purpose) || !record->part_count || !record->found)
        return;
    const struct search_part *part = &record->parts[0];
    fprintf(stream, "\n%s\n", boundary ? "nearest to a rounding boundary" : "largest differences");
    for (size_t i = 0; i < part->best_count && i < PRINTED; i++) {
        char text[32];
        if (boundary)
            fprintf(stream, "  2^%-20.3f ulp  ", log2(part->best[i].value));
        else
            fprintf(stream, "  %-22s ulp  ", text_error(part->best[i].value, 6, text));
        text_print_input(stream, request, part->best[i].input);
        fprintf(stream, "\n");
    }
}

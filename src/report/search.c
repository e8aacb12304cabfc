/* Parts of a search. */
#include "report/search.h"

#include "base/foreign.h"
#include "report/items.h"
#include "report/text.h"

#include <math.h>

enum { PRINTED = 3 };

/* The search has its errors to fewer bits than a sweep. */
#define UNREPEATED_SLACK 0x1p-16

static void add_part(cJSON *array, const struct sweep_request *request,
                     const struct search_record *record, const struct search_part *part) {
    const char *value = search_value_names[record->purpose];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    cJSON *names = cJSON_AddArrayToObject(object, "implementations");
    for (size_t i = 0; i < part->implementation_count; i++)
        cJSON_AddItemToArray(
            names, cJSON_CreateString(request->implementations[part->implementations[i]].name));
    cJSON_AddNumberToObject(object, "evaluations", (double)part->evaluations);
    cJSON *best = cJSON_AddArrayToObject(object, "best");
    for (size_t i = 0; i < part->best_count; i++) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(best, row);
        report_add_input(row, request, part->best[i].input);
        report_add_error(row, value, part->best[i].value);
    }
    cJSON *growth = cJSON_AddArrayToObject(object, "growth");
    for (size_t i = 0; i < part->growth_count; i++) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(growth, row);
        cJSON_AddNumberToObject(row, "evaluations", (double)part->growth[i].evaluations);
        report_add_error(row, value, part->growth[i].value);
    }
}

void report_add_search_shard(cJSON *inputs, const struct search_record *record) {
    cJSON *shard = cJSON_AddObjectToObject(inputs, "shard");
    cJSON_AddNumberToObject(shard, "of", (double)record->shard.of);
    cJSON *numbers = cJSON_AddArrayToObject(shard, "numbers");
    cJSON_AddItemToArray(numbers, cJSON_CreateNumber((double)record->shard.number));
    if (record->whole)
        cJSON_AddNumberToObject(shard, "whole", (double)record->whole);
    cJSON_AddStringToObject(shard, "whole_description", record->whole_text);
    if (record->whole_identity[0])
        cJSON_AddStringToObject(shard, "whole_identity", record->whole_identity);
}

void report_add_search(cJSON *inputs, const struct sweep_request *request,
                       const struct search_record *record) {
    cJSON *search = cJSON_AddObjectToObject(inputs, "search");
    cJSON_AddStringToObject(search, "for", search_purpose_names[record->purpose]);
    if (record->accepts_flushed)
        cJSON_AddStringToObject(search, "accept", "flushed");
    cJSON_AddNumberToObject(search, "evaluations", (double)record->evaluations);
    cJSON *parts = cJSON_AddArrayToObject(search, "parts");
    for (size_t i = 0; i < record->part_count; i++)
        add_part(parts, request, record, &record->parts[i]);
}

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
                                                      "lie nearer"};
    bool boundary = record->purpose == SEARCH_BOUNDARY;
    if (record->part_count)
        fprintf(stream, "\na search finds lower bounds: inputs that it did not try may %s\n",
                more[record->purpose]);
    for (size_t i = 0; record->purpose == SEARCH_ERROR && i < record->part_count; i++)
        print_unrepeated(stream, request, &record->parts[i], outcome);
    if (record->purpose == SEARCH_ERROR || !record->part_count || !record->found)
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

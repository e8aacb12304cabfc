/* A table of many operations, within the columns of a terminal. */
#include "report/text.h"

#include "base/foreign.h"
#include "report/effects.h"
#include "report/lengths.h"
#include "report/promise.h"
#include "report/shown.h"
#include "sweep/search/search.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 80, NUMBERED = 4 };

static const char *const name_headings[TEXT_NAMES] = {"format", "rounding", "operation", "inputs",
                                                      "impl"};

#define NO_FAMILY "-"

/* As they stand in a row. */
static const enum text_name name_order[TEXT_NAMES] = {TEXT_OPERATION, TEXT_FORMAT, TEXT_ROUNDING,
                                                      TEXT_FAMILY, TEXT_IMPLEMENTATION};

enum figure { INCORRECT, SHARE, LARGEST, OVER, NAN_SIGN, APART, FIGURES };
static const struct {
    const char *heading;
    int width;
} figures[FIGURES] = {{"not correct", 11}, {"share", 10},   {"largest ulp", 11},
                      {"over 1 ulp", 10},  {"NaN/sign", 8}, {"not as 1st", 10}};

static bool has_figure(const struct text_table *table, enum figure figure) {
    return figure == SHARE ? !table->without_share : figure != APART || table->arrays;
}

static void put(struct text_table *table, enum text_name name, const char *text) {
    const char *before = table->latest[name];
    const int length = (int)strlen(FOREIGN(text));
    if (before && strcmp(before, text) != 0)
        table->varies[name] = true;
    table->latest[name] = text;
    if (length > table->widths[name])
        table->widths[name] = length;
}

void text_table_fit(struct text_table *table, const struct operation *operation,
                    const struct format *format, enum rounding rounding, const char *family,
                    const char *implementation) {
    char result[64];
    put(table, TEXT_FORMAT, format->name);
    put(table, TEXT_ROUNDING, rounding_names[rounding]);
    put(table, TEXT_OPERATION, operation->name);
    for (int i = 0; i < operation->results; i++) {
        const int length = (int)strlen(operation_result_name(operation, i, result));
        table->varies[TEXT_OPERATION] = table->varies[TEXT_OPERATION] || i;
        if (length > table->widths[TEXT_OPERATION])
            table->widths[TEXT_OPERATION] = length;
    }
    put(table, TEXT_IMPLEMENTATION, implementation);
    if (!operation->array) {
        put(table, TEXT_FAMILY, NO_FAMILY);
        return;
    }
    table->arrays = true;
    put(table, TEXT_FAMILY, family ? family : NO_FAMILY);
    for (const struct array_algorithm *one = operation->array->algorithms; one->implementation;
         one++)
        put(table, TEXT_IMPLEMENTATION, one->implementation);
}

/* With the space behind each. */
static int names_width(const struct text_table *table) {
    int width = 0;
    for (int i = 0; i < TEXT_NAMES; i++)
        if (!table->above[i])
            width +=
                1 + (table->numbered && i == TEXT_IMPLEMENTATION ? NUMBERED : table->widths[i]);
    return width;
}

static int table_width(const struct text_table *table) {
    int width = names_width(table);
    for (int i = 0; i < FIGURES; i++)
        if (has_figure(table, (enum figure)i))
            width += 1 + figures[i].width;
    return width - 1;
}

static void lay_out(struct text_table *table) {
    bool *const steps[] = {&table->above[TEXT_FORMAT], &table->above[TEXT_ROUNDING],
                           &table->without_share, &table->above[TEXT_OPERATION], &table->numbered};
    for (int i = 0; i < TEXT_NAMES; i++) {
        const int heading = (int)strlen(name_headings[i]);
        table->above[i] = !table->varies[i];
        if (heading > table->widths[i])
            table->widths[i] = heading;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps && table_width(table) > COLUMNS; i++)
        if (steps[i] != &table->above[TEXT_OPERATION] || table->arrays)
            *steps[i] = true;
    table->numbered = table->numbered && !table->above[TEXT_IMPLEMENTATION];
    table->laid_out = true;
}

/* Whether something that stands above the rows is not what it was for the row before. */
static bool is_heading_due(const struct text_table *table, const char *const names[TEXT_NAMES]) {
    return (table->above[TEXT_FORMAT] && table->latest[TEXT_FORMAT] != names[TEXT_FORMAT]) ||
           (table->above[TEXT_ROUNDING] && table->latest[TEXT_ROUNDING] != names[TEXT_ROUNDING]) ||
           (table->above[TEXT_OPERATION] && strcmp(table->operation, names[TEXT_OPERATION]) != 0);
}

/* A heading is a row like any other. */
static void print_names(FILE *stream, const struct text_table *table,
                        const char *const names[TEXT_NAMES]) {
    for (int i = 0; i < TEXT_NAMES; i++) {
        const enum text_name name = name_order[i];
        const bool number = table->numbered && name == TEXT_IMPLEMENTATION;
        if (!table->above[name])
            fprintf(stream, "%-*s ", number ? NUMBERED : table->widths[name], names[name]);
    }
}

static void print_headings(FILE *stream, const struct text_table *table,
                           const struct sweep_request *request, const char *const names[TEXT_NAMES],
                           bool first, bool colour) {
    const char *space = "";
    if (!first)
        fprintf(stream, "\n");
    for (int i = 0; i < TEXT_NAMES; i++) {
        const enum text_name name = name_order[i];
        if (!table->above[name] || strcmp(names[name], NO_FAMILY) == 0)
            continue;
        fprintf(stream, "%s%s%s%s", space, colour ? TEXT_STRONG : "", names[name],
                colour ? TEXT_PLAIN : "");
        space = "  ";
    }
    fprintf(stream, "%s", *space ? "\n" : "");
    for (size_t i = 0; table->numbered && i < request->implementation_count; i++)
        fprintf(stream, "%-*zu %s\n", NUMBERED, i + 1, FOREIGN(request->implementations[i].name));
    print_names(stream, table, name_headings);
    for (int i = 0, behind = 0; i < FIGURES; i++)
        if (has_figure(table, (enum figure)i))
            fprintf(stream, "%s%*s", behind++ ? " " : "", figures[i].width, figures[i].heading);
    fprintf(stream, "\n");
}

/* Below a row of which under half was judged. */
static void print_unjudged(FILE *stream, const struct tally *tally, bool colour) {
    uint64_t unjudged = tally->unanswered + tally->not_called;
    char judged[32], count[32];
    if (unjudged > tally->tested)
        fprintf(stream, "%14s%sonly %s of %s judged%s\n", "", colour ? TEXT_BAD : "",
                text_grouped(tally->tested, judged), text_grouped(tally->tested + unjudged, count),
                colour ? TEXT_PLAIN : "");
}

static void print_event_counts(FILE *stream, const struct tally *tally, bool colour) {
    char count[32];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (tally->events[kind])
            fprintf(stream, "%14s%s%s: %s%s\n", "", colour ? TEXT_BAD : "", event_names[kind],
                    text_grouped(tally->events[kind], count), colour ? TEXT_PLAIN : "");
}

/* How many outputs differ from those of the first implementation that provides any. */
static uint64_t count_apart(const struct sweep_outcome *outcome, size_t implementation,
                            int result) {
    size_t first = 0;
    while (!outcome->implementations[first].provided)
        first++;
    const struct pair_outcome *pair = text_pair_of(outcome, first, implementation);
    return pair ? pair->results[result].count : 0;
}

static void print_figures(FILE *stream, const struct text_table *table,
                          const struct sweep_request *request, const struct sweep_outcome *outcome,
                          size_t implementation, int result, bool colour) {
    const struct tally *tally = &outcome->implementations[implementation].tallies[result];
    const bool nothing = request->domain->search && request->domain->search->has_nothing;
    const uint64_t trouble = tally->nan_mismatches + tally->sign_mismatches;
    char texts[FIGURES][32] = {{0}};
    text_grouped(tally->incorrect, texts[INCORRECT]);
    text_share(tally->incorrect, tally->tested, texts[SHARE]);
    snprintf(texts[LARGEST], sizeof texts[LARGEST], "-");
    for (int digits = 6; tally->has_max && !nothing && digits >= 0;
         digits--) /* as many as there is room for */
        if (strlen(text_error(tally->max.error, digits, texts[LARGEST])) <=
            (size_t)figures[LARGEST].width)
            break;
    text_grouped(tally->over_1_ulp, texts[OVER]);
    text_grouped(trouble, texts[NAN_SIGN]);
    if (table->arrays)
        text_grouped(count_apart(outcome, implementation, result), texts[APART]);
    for (int i = 0, behind = 0; i < FIGURES; i++) {
        const bool mark = colour && trouble && i == NAN_SIGN;
        if (has_figure(table, (enum figure)i))
            fprintf(stream, "%s%s%*s%s", behind++ ? " " : "", mark ? TEXT_BAD : "",
                    figures[i].width, texts[i], mark ? TEXT_PLAIN : "");
    }
    fprintf(stream, "\n");
}

static void print_row(FILE *stream, const struct text_table *table,
                      const struct sweep_request *request, const struct sweep_outcome *outcome,
                      size_t implementation, int result, bool colour) {
    const struct implementation_outcome *one = &outcome->implementations[implementation];
    const struct tally *tally = &one->tallies[result];
    if (!one->provided) {
        const int used = names_width(table) + figures[INCORRECT].width + 2;
        const bool fits = used + (int)strlen(one->reason.text) <= COLUMNS;
        fprintf(stream, "%*s%s%s\n", figures[INCORRECT].width, "-",
                fits ? "  " : "\n              ", one->reason.text);
        return;
    }
    print_figures(stream, table, request, outcome, implementation, result, colour);
    if (!outcome->complete)
        fprintf(stream, "%14sINCOMPLETE\n", "");
    print_unjudged(stream, tally, colour);
    print_event_counts(stream, tally, colour);
    shown_print(stream, request, implementation, result, tally, outcome->formats[result]);
    promise_print_count(stream, request, implementation, result, tally, colour);
    lengths_print_count(stream, tally, colour);
    if (result == 0)
        effects_print_counts(stream, request, one, colour);
}

void text_table_print(FILE *stream, struct text_table *table, const struct sweep_request *request,
                      const struct sweep_outcome *outcome, bool colour) {
    const struct binding_request *computed = &request->computed;
    const bool first = !table->laid_out;
    if (first)
        lay_out(table);
    for (int result = 0; result < computed->operation->results; result++)
        for (size_t i = 0; i < outcome->implementation_count; i++) {
            char own[64] = "", number[24];
            snprintf(own, sizeof own, "%s",
                     operation_result_name(computed->operation, result, (char[64]){0}));
            const char *names[TEXT_NAMES] = {
                [TEXT_FORMAT] = computed->format->name,
                [TEXT_ROUNDING] = rounding_names[computed->rounding],
                [TEXT_OPERATION] = own,
                [TEXT_FAMILY] =
                    computed->operation->array ? request->domain->cases.family->name : NO_FAMILY,
                [TEXT_IMPLEMENTATION] = FOREIGN(request->implementations[i].name)};
            const bool begins = first && !result && !i;
            if (begins || is_heading_due(table, names))
                print_headings(stream, table, request, names, begins, colour);
            table->latest[TEXT_FORMAT] = names[TEXT_FORMAT];
            table->latest[TEXT_ROUNDING] = names[TEXT_ROUNDING];
            memcpy(table->operation, own, sizeof own);
            snprintf(number, sizeof number, "%zu", i + 1);
            if (table->numbered)
                names[TEXT_IMPLEMENTATION] = number;
            print_names(stream, table, names);
            print_row(stream, table, request, outcome, i, result, colour);
            text_table_count_apart(table, request, outcome, i, result);
        }
}

/* Below a table of functions: where implementations have other bits than the first one. */
#include "report/text.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/array_input.h"

#include <inttypes.h>
#include <string.h>

const struct pair_outcome *text_pair_of(const struct sweep_outcome *outcome, size_t a, size_t b) {
    for (size_t i = 0; i < outcome->pair_count; i++)
        if (outcome->pairs[i].a == a && outcome->pairs[i].b == b)
            return &outcome->pairs[i];
    return NULL;
}

/* "exp fp16 nearest-even: " and `what`. */
static void add_case(struct text_cases *cases, const struct binding_request *computed, int result,
                     const char *what) {
    char name[64];
    if (cases->count < TEXT_APART_LINES)
        snprintf(cases->lines[cases->count], sizeof *cases->lines, "%s %s %s: %s",
                 operation_result_name(computed->operation, result, name), computed->format->name,
                 rounding_names[computed->rounding], what);
    cases->count++;
}

bool text_compares_arrays(const struct sweep_request *request) {
    return request->computed.operation->array && request->implementation_count == 2 &&
           !request->domain->cases.own;
}

/* "large: other bits for 3 elements" */
static void describe_apart(const struct sweep_request *request, uint64_t differ, char *what,
                           size_t size) {
    const bool of_array = request->computed.operation->array;
    char count[32];
    snprintf(what, size, "%s%sother bits for %s %s%s",
             of_array ? request->domain->cases.family->name : "", of_array ? ": " : "",
             text_grouped(differ, count), of_array ? "element" : "input", differ == 1 ? "" : "s");
}

/* The command for the first difference of arrays, if it fits. */
static void note_command(const struct sweep_request *request, const struct difference_tally *apart,
                         char next[TEXT_APART_COMMAND]) {
    FILE *stream = *next || !apart->first_count ? NULL : fmemopen(next, TEXT_APART_COMMAND, "w");
    if (!stream)
        return;
    array_command_print(stream, request, 0, 1, apart->first[0].input);
    if (fclose(stream) || strlen(next) + 1 >= TEXT_APART_COMMAND)
        *next = '\0';
}

void text_table_count_apart(struct text_table *table, const struct sweep_request *request,
                            const struct sweep_outcome *outcome, size_t implementation,
                            int result) {
    const struct pair_outcome *pair =
        request->computed.operation->array && !text_compares_arrays(request)
            ? NULL
            : text_pair_of(outcome, 0, implementation);
    struct text_apart *apart = &table->apart[implementation];
    const struct format *format = outcome->formats[result];
    char what[TEXT_APART_LINE - 64], count[32], other[32], text[NUMBER_TEXT];
    if (!pair)
        return;
    apart->compared++;
    apart->incomplete += !outcome->complete;
    const uint64_t differ = pair->results[result].count;
    const uint64_t nans[2] = {
        outcome->implementations[0].tallies[result].nan_bits_differ,
        outcome->implementations[implementation].tallies[result].nan_bits_differ};
    describe_apart(request, differ, what, sizeof what);
    if (differ)
        add_case(&apart->differ, &request->computed, result, what);
    if (differ && request->computed.operation->array)
        note_command(request, &pair->results[result], apart->next);
    snprintf(what, sizeof what, "%s and %s NaNs are not %s", text_grouped(nans[0], count),
             text_grouped(nans[1], other), format_bits_text(format, format->nan, text));
    if (nans[0] || nans[1])
        add_case(&apart->nans, &request->computed, result, what);
}

static void print_cases(FILE *stream, const struct text_cases *cases) {
    for (size_t i = 0; i < cases->count && i < TEXT_APART_LINES; i++)
        fprintf(stream, "  %s\n", cases->lines[i]);
    if (cases->count > TEXT_APART_LINES)
        fprintf(stream, "  and %zu more\n", cases->count - TEXT_APART_LINES);
}

void text_table_print_apart(FILE *stream, const struct text_table *table,
                            const struct implementation *implementations, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const struct text_apart *apart = &table->apart[i];
        if (!apart->compared)
            continue;
        fprintf(stream, "\n%s and %s:\n  the same bits in %zu of %zu cases",
                FOREIGN(implementations[0].name), FOREIGN(implementations[i].name),
                apart->compared - apart->differ.count, apart->compared);
        if (apart->nans.count)
            fprintf(stream, ", apart from NaNs in %zu", apart->nans.count);
        if (apart->incomplete)
            fprintf(stream, "; %zu of these %s incomplete", apart->incomplete,
                    apart->incomplete == 1 ? "is" : "are");
        fputc('\n', stream);
        print_cases(stream, &apart->differ);
        print_cases(stream, &apart->nans);
        if (*apart->next)
            fprintf(stream, "  next: %s\n", apart->next);
    }
}

/* Below a table of functions: where implementations have other bits than the first one. */
#include "report/text.h"

#include "base/foreign.h"

#include <inttypes.h>

const struct pair_outcome *text_pair_of(const struct sweep_outcome *outcome, size_t a, size_t b) {
    for (size_t i = 0; i < outcome->pair_count; i++)
        if (outcome->pairs[i].a == a && outcome->pairs[i].b == b)
            return &outcome->pairs[i];
    return NULL;
}

void text_table_count_apart(struct text_table *table, const struct sweep_request *request,
                            const struct sweep_outcome *outcome, size_t implementation,
                            int result) {
    const struct pair_outcome *pair =
        request->computed.operation->array ? NULL : text_pair_of(outcome, 0, implementation);
    struct text_apart *apart = &table->apart[implementation];
    char count[32], name[64];
    if (!pair)
        return;
    const uint64_t differ = pair->results[result].count;
    const size_t listed = apart->compared - apart->same;
    apart->compared++;
    apart->same += !differ;
    if (differ && listed < TEXT_APART_LINES)
        snprintf(apart->lines[listed], sizeof *apart->lines, "%s %s %s: other bits for %s input%s",
                 operation_result_name(request->computed.operation, result, name),
                 request->computed.format->name, rounding_names[request->computed.rounding],
                 text_grouped(differ, count), differ == 1 ? "" : "s");
}

void text_table_print_apart(FILE *stream, const struct text_table *table,
                            const struct implementation *implementations, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const struct text_apart *apart = &table->apart[i];
        const size_t differ = apart->compared - apart->same;
        if (!apart->compared)
            continue;
        fprintf(stream, "\n%s and %s:\n  the same bits in %zu of %zu cases\n",
                FOREIGN(implementations[0].name), FOREIGN(implementations[i].name), apart->same,
                apart->compared);
        for (size_t k = 0; k < differ && k < TEXT_APART_LINES; k++)
            fprintf(stream, "  %s\n", apart->lines[k]);
        if (differ > TEXT_APART_LINES)
            fprintf(stream, "  and %zu more\n", differ - TEXT_APART_LINES);
    }
}

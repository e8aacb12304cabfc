/* Operations with calls that are another call rearranged (op/array.h): of attention a query alone, or among others, with keys that
 * are split, in pages, shared, or followed by some that a mask leaves out. */
#include "invariance/rearranged.h"

#include "invariance/lines.h"
#include "invariance/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the property, with a binding for its parameters. */
struct way {
    const struct array_rearrangement *row;
    struct line_binding line;
};

/* Those that the implementation can be asked for. */
struct ways {
    size_t count;
    struct way *ways;
};

static bool open_way(struct way *way, const struct invariance_request *request,
                     struct property_tally *tally, const struct array_rearrangement *row,
                     struct error *why) {
    *way = (struct way){
        .row = row,
        .line = {
            .request = request, .tally = tally, .computed = request->computed, .condition = 1}};
    struct line_binding *line = &way->line;
    return row->set(&line->computed.parameters, row, why) &&
           implementation_bind(&line->binding, request->implementation, &line->computed, why);
}

static void close_ways(struct ways *ways) {
    for (size_t i = 0; i < ways->count; i++)
        line_close(&ways->ways[i].line);
    free(ways->ways);
}

/* False where there is none that compares, with the reason, or without memory. */
static bool open_ways(struct ways *ways, const struct invariance_request *request,
                      struct property_tally *tally, const char *property, struct error *why) {
    const struct array_rearrangement *rows = request->computed.operation->array->rearrangements;
    size_t count = 0, comparing = 0;
    while (rows[count].property)
        count++;
    *ways = (struct ways){.ways = calloc(count, sizeof *ways->ways)};
    if (!ways->ways)
        return error_set(why, "out of memory");
    bool lacks_reference = false;
    for (size_t i = 0; i < count && !lacks_reference; i++) {
        if (strcmp(rows[i].property, property) != 0)
            continue;
        const bool is_there = open_way(&ways->ways[ways->count], request, tally, &rows[i], why);
        lacks_reference = rows[i].is_reference && !is_there;
        comparing += is_there && !rows[i].is_reference;
        ways->count += is_there;
    }
    return comparing > 0 && !lacks_reference;
}

bool rearranged_has(const struct invariance_request *request, const char *property) {
    return array_rearranges(request->computed.operation->array, property);
}

bool rearranged_applies(const struct invariance_request *request, const char *property,
                        struct error *why) {
    struct property_tally unused = {0};
    struct ways ways;
    bool any = open_ways(&ways, request, &unused, property, why);
    close_ways(&ways);
    return any;
}

/* One other call beside the reference's results that it has, which `from` computed. */
static bool compare_turn(struct line_binding *line, struct way *way, struct line_source *source,
                         struct line_other *other, struct line_binding *from,
                         const struct line_results *reference, const char *where, bool *changed,
                         struct error *error) {
    static const struct line_place alone = {.count = 1};
    struct line_other picking = *other;
    struct line_source picked_source = *source;
    struct line_results picked = {0}, results = {0};
    way->line.number = line->number;
    bool good = line_compute(&way->line, source, &alone, &results, error);
    picking.is_picked = true;
    picking.count = other->count = results.count;
    picked_source.other = &picking;
    good = good && line_pick(&picked_source, reference, &picked, error);
    picked.by = from;
    picked.source = &picked_source;
    picked.place = alone;
    *changed = good && line_compare(line, &picked, 0, &results, where);
    free(picked.codes);
    free(results.codes);
    return good;
}

/* The turns of a row, up to one that changes bits. */
static bool compare_way(struct line_binding *line, struct way *way,
                        const struct line_source *source, const struct line_other *reference,
                        struct line_binding *from, const struct line_results *results,
                        bool *changed, struct error *error) {
    const struct array_rearrangement *row = way->row;
    const uint64_t turns = row->turns(source->call, row);
    bool good = true;
    for (uint64_t turn = 0; good && !*changed && turn < turns; turn++) {
        struct line_other other = {.row = row, .turn = turn, .reference = reference};
        struct line_source turned = *source;
        struct shape unused;
        char where[ARRAY_WHERE];
        turned.other = &other;
        if (row->plan(source->call, row, turn, &unused, where))
            good = compare_turn(line, way, &turned, &other, from, results, where, changed, error);
    }
    return good;
}

static bool compare_ways(struct line_binding *line, const struct line_source *source,
                         const struct line_results *reference, struct error *error) {
    static const struct line_place alone = {.count = 1};
    const struct ways *ways = line->context;
    const struct line_results *results = reference;
    struct line_results own = {0};
    struct line_other other = {0};
    struct line_source own_source = *source;
    struct line_binding *from = line;
    bool good = true, changed = false;
    for (size_t i = 0; good && !changed && i < ways->count; i++) {
        struct way *way = &ways->ways[i];
        if (!way->row->is_reference) {
            good = compare_way(line, way, source, own.count ? &other : NULL, from, results,
                               &changed, error);
            continue;
        }
        if (!way->row->turns(source->call, way->row))
            continue;
        other = (struct line_other){.row = way->row};
        own_source.other = &other;
        from = &way->line;
        from->number = line->number;
        good = line_compute(from, &own_source, &alone, &own, error);
        results = &own;
    }
    free(own.codes);
    return good;
}

bool rearranged_run(const struct invariance_request *request, struct property_tally *tally,
                    const char *property, struct error *error) {
    struct ways ways;
    bool good = open_ways(&ways, request, tally, property, error) &&
                lines_try_calls(request, tally, compare_ways, &ways, false, error);
    close_ways(&ways);
    return good;
}

#define REARRANGED(NAME, SUMMARY)                                                                  \
    static bool NAME##_applies(const struct invariance_request *request,                           \
                               const struct binding *binding, struct error *why) {                 \
        (void)binding;                                                                             \
        return rearranged_applies(request, #NAME, why);                                            \
    }                                                                                              \
    static bool NAME##_run(const struct invariance_request *request, struct property_tally *tally, \
                           struct error *error) {                                                  \
        return rearranged_run(request, tally, #NAME, error);                                       \
    }                                                                                              \
    const struct property property_##NAME = {                                                      \
        .name = #NAME,                                                                             \
        .summary = SUMMARY,                                                                        \
        .rearranges = true,                                                                        \
        .of[CALL_ON_ARRAYS] = {.applies = NAME##_applies, .run = NAME##_run},                      \
    };
REARRANGED(decode, "queries of attention: one at a time, only the last few, or all at once")
REARRANGED(split, "keys of attention: in parts that are merged, or all at once")
REARRANGED(pages, "keys of attention: in pages, or one after the other")
REARRANGED(groups, "heads of attention: sharing keys, or each with a copy of the keys")
REARRANGED(padding, "keys of attention: with or without further keys that a mask excludes")

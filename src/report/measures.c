/* Which measures there are. */
#include "report/measures.h"

#include "report/measure_parts.h"
#include "sweep/envelope.h"
#include "sweep/promise/promise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* malloc'd, with the parts between which a point stands; NULL when memory is out. */
static char *name_of(const char *first, const char *second, const char *third) {
    size_t size = strlen(first) + strlen(second) + strlen(third) + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s%s%s%s", first, *second ? "." : "", second, *third ? "." : "",
                 third);
    return name;
}

static bool add_rows(struct measures *measures, const struct read_implementation *one) {
    bool good = true;
    for (int i = 0; i < LIMIT_COUNT && good; i++) {
        const struct limit_row *row = &limit_rows[i];
        if (row->measure == MEASURED && limit_is_of(row, one) && limit_is_reported(row, one))
            good = measures_add(measures, name_of(row->name, "", ""),
                                &(struct measure){.what = limit_what(row, one),
                                                  .value = row->found(one),
                                                  .kind = row->kind,
                                                  .slack = row->slack,
                                                  .where = row->where});
    }
    return good;
}

/* A row of the tables below: a figure that a report tells or does not. */
struct figure {
    const char *name, *what;
    bool reported;
    double value;
    bool more_is_better;
    const char *counted_in;
    enum limit_kind kind;
};

static bool add_figures(struct measures *measures, const struct figure *rows, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        if (rows[i].reported)
            good = measures_add(measures, name_of(rows[i].name, "", ""),
                                &(struct measure){.what = rows[i].what,
                                                  .value = rows[i].value,
                                                  .kind = rows[i].kind,
                                                  .more_is_better = rows[i].more_is_better,
                                                  .counted_in = rows[i].counted_in});
    return good;
}

/* How much was tried, by which a report may fall behind without a single error. */
static bool add_tried(struct measures *measures, const struct read_implementation *one) {
    const cJSON *flags = json_get(one->json, "flags"), *errnos = json_get(one->json, "errno"),
                *explanation = one->explanation.json;
    const bool of_two = one->kind == READ_EXPLANATION && one->explanation.is_of_two;
    const struct figure rows[] = {
        {"tested", "outputs tested", true, (double)one->tally.tested, true, NULL, LIMIT_OF_COUNT},
        {"flags", "calls whose exception flags were judged", one->effects.reported[EFFECT_FLAGS],
         json_number(flags, "calls"), true, NULL, LIMIT_OF_COUNT},
        {"flags.promised", "exception flags judged by the standards",
         one->effects.reported[EFFECT_FLAGS], cJSON_IsTrue(json_get(flags, "promised")), true, NULL,
         LIMIT_OF_COUNT},
        {"errno", "calls whose errno was judged", one->effects.reported[EFFECT_ERRNO],
         json_number(errnos, "calls"), true, NULL, LIMIT_OF_COUNT},
        {"errno.promised", "errno judged by the standard", one->effects.reported[EFFECT_ERRNO],
         cJSON_IsTrue(json_get(errnos, "promised")), true, NULL, LIMIT_OF_COUNT},
        {"lengths", "texts whose number of bytes was judged",
         (one->tally.tells & TELLS_LENGTHS) != 0, (double)one->tally.lengths.lines, true, NULL,
         LIMIT_OF_COUNT},
        {"promise", "outputs held against a promise", (one->tally.tells & TELLS_PROMISE) != 0,
         (double)one->held, true, NULL, LIMIT_OF_COUNT},
        {"explanation", "inputs compared with another implementation's", of_two,
         json_number(explanation, "tested"), true, NULL, LIMIT_OF_COUNT},
    };
    return add_figures(measures, rows, sizeof rows / sizeof *rows);
}

/* By how much the worst output breaks the promise; 0 where none does. */
static double worst_violation(const cJSON *promise) {
    const cJSON *worst = json_get(promise, "worst"), *error = json_get(worst, "error"),
                *limit = json_get(worst, "limit");
    if (!cJSON_IsObject(worst))
        return 0;
    return cJSON_IsNumber(error) && cJSON_IsNumber(limit)
               ? fmin(DBL_MAX, promise_excess(error->valuedouble, limit->valuedouble))
               : DBL_MAX;
}

/* What no limit is about. */
static bool add_others(struct measures *measures, const struct read_implementation *one) {
    const cJSON *flags = json_get(one->json, "flags"), *errnos = json_get(one->json, "errno"),
                *promise = json_get(one->json, "promise"), *value = json_get(one->json, "value"),
                *without = json_get(one->json, "max_ulp_else"),
                *explanation = one->explanation.json;
    const double differ = (double)one->explanation.differ;
    const struct figure rows[] = {
        {"flushed", "results that are zero where the right one is subnormal",
         json_get(one->json, "flushed"), json_number(one->json, "flushed"), false, NULL,
         LIMIT_OF_COUNT},
        {"max_ulp_else", "largest error in ulps of what is not flushed", without,
         json_number(without, "error"), false, NULL, LIMIT_OF_ERROR},
        {"flags.faulty", "calls with a fault of exception flags",
         one->effects.reported[EFFECT_FLAGS], json_number(flags, "faulty"), false, NULL,
         LIMIT_OF_COUNT},
        {"errno.faulty", "calls with a fault of errno", one->effects.reported[EFFECT_ERRNO],
         json_number(errnos, "faulty"), false, NULL, LIMIT_OF_COUNT},
        {"promise.accepted", "outputs that keep no promise and are accepted",
         (one->tally.tells & TELLS_PROMISE) != 0, json_number(promise, "accepted"), false, NULL,
         LIMIT_OF_COUNT},
        {"promise.worst", "largest error by its limit", (one->tally.tells & TELLS_PROMISE) != 0,
         worst_violation(promise), false, NULL, LIMIT_OF_ERROR},
        {"value.exact", "outputs that stand for the exact number",
         (one->tally.tells & TELLS_VALUE) != 0, json_number(value, "exact"), true, NULL,
         LIMIT_OF_COUNT},
        {"value.bias", "mean of the errors with their signs, without its sign",
         (one->tally.tells & TELLS_VALUE) != 0, fabs(json_number(value, "bias")), false, NULL,
         LIMIT_OF_AVERAGE},
        {"explanation.blocks_differ", "blocks of outputs that differ",
         json_get(explanation, "blocks_differ"), json_number(explanation, "blocks_differ"), false,
         NULL, LIMIT_OF_COUNT},
        {"explanation.b_incorrect", "differences where this one is not right",
         json_get(explanation, "b_correctly_rounded"),
         differ - json_number(explanation, "b_correctly_rounded"), false, NULL, LIMIT_OF_COUNT},
    };
    return add_figures(measures, rows, sizeof rows / sizeof *rows);
}

/* Errors that the fast oracle knows to 2^-21 ulp are cut to 2^-20 in a binade, and rounded to an envelope's unit
 * in a step, or to 13 bits. */
#define BINADE_SLACK 0x1p-20
#define STEP_SLACK   ENVELOPE_UNIT
#define STEP_SHARE   0x1p-12

/* Of a search these are of what it happened to find. */
static bool add_parts(struct measures *measures, const struct read_result *result,
                      const struct read_implementation *one) {
    static const struct {
        const char *part, *member, *what;
        enum limit_kind kind;
        double slack, slack_share;
        bool more_is_better;
        const char *other_side;
    } rows[] = {
        {"by_binade", "max_ulp", "largest errors in ulps, by binade", LIMIT_OF_ERROR, BINADE_SLACK,
         0, false, NULL},
        {"by_binade", "incorrect", "outputs that are not correctly rounded, by binade",
         LIMIT_OF_COUNT, 0, 0, false, NULL},
        {"histogram", "", "outputs with a larger error, or NaN mismatches", LIMIT_OF_COUNT, 0, 0,
         false, NULL},
        {"envelope", "tested", "outputs tested, by step", LIMIT_OF_COUNT, 0, 0, true, NULL},
        {"envelope", "least", "errors below 0 in ulps, by step", LIMIT_OF_ERROR, STEP_SLACK,
         STEP_SHARE, false, "envelope.largest"},
        {"envelope", "largest", "errors above 0 in ulps, by step", LIMIT_OF_ERROR, STEP_SLACK,
         STEP_SHARE, false, "envelope.least"},
        {"envelope", "incorrect", "outputs that are not correctly rounded, by step", LIMIT_OF_COUNT,
         0, 0, false, NULL},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; i++) {
        const cJSON *part = json_get(one->json, rows[i].part);
        struct measure measure = {.what = rows[i].what,
                                  .kind = rows[i].kind,
                                  .other_side = rows[i].other_side,
                                  .slack = rows[i].slack,
                                  .slack_share = rows[i].slack_share,
                                  .more_is_better = rows[i].more_is_better};
        bool (*const read)(struct measure *, const cJSON *, const char *) =
            *rows[i].part == 'e' ? measure_read_steps : measure_read_binades;
        if (!part || strcmp(result->inputs.kind, "search") == 0 ||
            (*rows[i].part == 'e' && !json_get(part, rows[i].member)))
            continue;
        good = (*rows[i].member ? read(&measure, part, rows[i].member)
                                : measure_read_histogram(
                                      &measure, part, json_number(one->json, "nan_mismatches"))) &&
               measures_add(measures, name_of(rows[i].part, rows[i].member, ""), &measure);
    }
    return good;
}

/* `of`: "events", or those of a side of an explanation. */
static bool add_events(struct measures *measures, const cJSON *owner, const char *of) {
    const cJSON *count;
    cJSON_ArrayForEach(count, json_get(owner, "event_counts")) {
        if (!measures_add(measures, name_of(of, count->string, ""),
                          &(struct measure){.what = "events of this kind",
                                            .value = count->valuedouble,
                                            .kind = LIMIT_OF_COUNT,
                                            .counted_in = "tested",
                                            .where = strcmp(of, "events") == 0 ? "events" : NULL}))
            return false;
    }
    return true;
}

/* "flags.missing.overflow", and how far away the worst is; the table of limits has which faults there are. */
static bool add_faults(struct measures *measures, const cJSON *implementation, const char *part,
                       const char *item, const char *where) {
    const cJSON *row;
    bool good = true;
    cJSON_ArrayForEach(row, json_get(json_get(implementation, part), "faults")) {
        char *name = name_of(part, json_text(row, "fault"), json_text(row, item));
        struct measure measure = {.what = "calls with this fault",
                                  .value = json_number(row, "count"),
                                  .kind = LIMIT_OF_COUNT,
                                  .counted_in = part,
                                  .where = where};
        good = good && name && measures_add(measures, name_of(name, "", ""), &measure);
        measure.what = "binades from where the flag would be right";
        measure.value = json_number(json_get(row, "worst"), "binades");
        good = good && measures_add(measures, name_of(name, "binades", ""), &measure);
        free(name);
    }
    return good;
}

static bool add_variants(struct measures *measures, const struct property_record *property) {
    char *name = name_of("invariance", property->name, "");
    bool good = name;
    for (unsigned i = 0; good && i < property->variant_count; i++)
        if (property->variants[i].tested)
            good = measures_add(measures, name_of(name, property->variants[i].name, ""),
                                &(struct measure){.what = "inputs whose bits change by this",
                                                  .value = (double)property->variants[i].changed,
                                                  .kind = LIMIT_OF_COUNT,
                                                  .command = property->first.command});
    free(name);
    return good;
}

/* "invariance.batch.sizes.64": in how many calls a batch of that size was tried. */
static bool add_sizes(struct measures *measures, const struct property_record *property) {
    char *name = name_of("invariance", property->name, "sizes"), size[32];
    bool good = name;
    for (unsigned i = 0; good && i < property->size_count; i++) {
        snprintf(size, sizeof size, "%llu", (unsigned long long)property->sizes[i].size);
        good = measures_add(measures, name_of(name, size, ""),
                            &(struct measure){.what = "calls with a batch of this size",
                                              .value = (double)property->sizes[i].calls,
                                              .kind = LIMIT_OF_COUNT,
                                              .more_is_better = true});
    }
    free(name);
    return good;
}

static bool add_properties(struct measures *measures, const struct read_implementation *one) {
    bool good = true;
    for (size_t i = 0; i < one->property_count && good; i++) {
        const struct property_record *property = &one->properties[i];
        const struct {
            const char *part, *what;
            double value;
            bool more_is_better;
        } rows[] = {
            {"", "inputs whose bits change by this property", (double)property->changed, false},
            {"inputs", "inputs compared", (double)property->inputs, true},
            {"unanswered", "inputs without an answer", (double)property->unanswered, false},
            {"unrepeatable", "inputs whose bits are not always the same",
             (double)property->unrepeatable, false},
            {"not_asked", "calls that were left out after crashes or hangs",
             (double)property->not_asked, false},
            {"at_once", "calls while others made theirs", (double)property->at_once, true},
            {"first_at_once", "processes that made their first calls at once",
             (double)property->first_at_once, true},
        };
        for (size_t j = 0; property->tested && j < sizeof rows / sizeof *rows && good; j++)
            good = measures_add(measures, name_of("invariance", property->name, rows[j].part),
                                &(struct measure){.what = rows[j].what,
                                                  .value = rows[j].value,
                                                  .kind = LIMIT_OF_COUNT,
                                                  .more_is_better = rows[j].more_is_better,
                                                  .command = property->first.command});
        good = good && add_sizes(measures, property) && add_variants(measures, property);
    }
    return good;
}

static bool add_causes(struct measures *measures, const struct read_implementation *one) {
    bool good = true;
    for (size_t i = 0; i < one->explanation.count && good; i++) {
        const struct read_hypothesis *cause = &one->explanation.hypotheses[i];
        if (cause->cause)
            good = measures_add(measures, name_of("explanation", cause->name, ""),
                                &(struct measure){.what = "differences by this cause",
                                                  .value = (double)cause->adds,
                                                  .kind = LIMIT_OF_COUNT,
                                                  .counted_in = "explanation",
                                                  .command = cause->command});
    }
    return good;
}

/* From the result's other implementations, which are of both: the first one of each pair has them. */
static bool add_differences(struct measures *measures, const struct read_result *result,
                            const struct read_implementation *one) {
    const cJSON *row;
    cJSON_ArrayForEach(row, json_get(result->json, "differences")) {
        if (strcmp(json_text(row, "a"), one->name) != 0)
            continue;
        struct measure binades = {.what = "inputs with other bits than this one's, by binade",
                                  .kind = LIMIT_OF_COUNT};
        if (!measures_add(measures, name_of("differences", json_text(row, "b"), ""),
                          &(struct measure){.what = "inputs with other bits than this one's",
                                            .value = json_number(row, "count"),
                                            .kind = LIMIT_OF_COUNT}))
            return false;
        if (strcmp(result->inputs.kind, "search") != 0 &&
            !(measure_read_binades(&binades, json_get(row, "by_binade"), "count") &&
              measures_add(measures, name_of("differences", json_text(row, "b"), "by_binade"),
                           &binades)))
            return false;
    }
    return true;
}

/* The largest difference that a search for one found, of the first of the two. */
static bool add_searches(struct measures *measures, const struct read_result *result,
                         const struct read_implementation *one) {
    const struct search_record *search = result->inputs.search;
    for (size_t i = 0; search && search->purpose == SEARCH_DIFFERENCE && i < search->part_count;
         i++) {
        const struct search_part *part = &search->parts[i];
        if (part->implementation_count == 2 && strcmp(part->names[0], one->name) == 0 &&
            part->best_count &&
            !measures_add(measures, name_of("search", "difference", part->names[1]),
                          &(struct measure){.what = "largest difference found, in ulps",
                                            .value = part->best[0].value,
                                            .kind = LIMIT_OF_ERROR}))
            return false;
    }
    return true;
}

/* Whether what a policy limited, of several rules all, was kept: a report without it held the figures against
 * nothing. */
static bool add_limits(struct measures *measures, const struct read_implementation *one) {
    const cJSON *row;
    cJSON_ArrayForEach(row, json_get(one->json, "limits")) {
        const cJSON *kept = json_get(row, "kept");
        char *name = name_of("limits", json_text(row, "name"), "");
        size_t at = 0;
        while (name && at < measures->count && strcmp(measures->items[at].name, name) != 0)
            at++;
        if (name && at < measures->count) {
            measures->items[at].value *= cJSON_IsTrue(kept);
            free(name);
        } else if (name && !cJSON_IsBool(kept)) {
            free(name);
        } else if (!name ||
                   !measures_add(measures, name,
                                 &(struct measure){.what = "whether what is limited was kept",
                                                   .value = cJSON_IsTrue(kept),
                                                   .kind = LIMIT_OF_COUNT,
                                                   .more_is_better = true}))
            return false;
    }
    return true;
}

bool measures_read(struct measures *measures, const struct read_result *result,
                   const struct read_implementation *one) {
    *measures = (struct measures){0};
    return add_limits(measures, one) && add_rows(measures, one) && add_tried(measures, one) &&
           add_others(measures, one) && add_parts(measures, result, one) &&
           add_events(measures, one->json, "events") &&
           add_events(measures, json_get(one->explanation.json, "a"), "explanation.a.events") &&
           add_events(measures, json_get(one->explanation.json, "b"), "explanation.b.events") &&
           add_faults(measures, one->json, "flags", "flag", "flags/") &&
           add_faults(measures, one->json, "errno", "errno", "errno/") &&
           add_properties(measures, one) && add_causes(measures, one) &&
           add_differences(measures, result, one) && add_searches(measures, result, one) &&
           measures_sort(measures);
}

/* `gate --update`: today's figures as a policy. */
#include "gate/output.h"

#include "base/chains.h"
#include "base/json_output.h"
#include "report/items.h"

#include <stdlib.h>
#include <string.h>

static void add_parameters(cJSON *rule, const struct read_result *result) {
    if (strcmp(result->parameters, "{\"strict_nan\":false}") != 0 &&
        strcmp(result->parameters, "{}") != 0)
        cJSON_AddItemToObject(rule, "parameters", cJSON_Duplicate(result->given, true));
}

/* What was tested, property by property. */
static void add_invariance(cJSON *rule, const struct read_implementation *one) {
    cJSON *limits =
        one->kind == READ_INVARIANCE ? cJSON_AddObjectToObject(rule, "invariance") : NULL;
    for (size_t i = 0; i < one->property_count; i++)
        if (one->properties[i].tested)
            cJSON_AddNumberToObject(limits, one->properties[i].name,
                                    (double)one->properties[i].changed);
}

static void add_rule(cJSON *rules, const struct read_result *result,
                     const struct read_implementation *one) {
    char inputs[INPUTS_PATTERN];
    cJSON *rule = json_append(rules);
    cJSON_AddStringToObject(rule, "operation", result->operation);
    cJSON_AddStringToObject(rule, "format", result->format);
    cJSON_AddStringToObject(rule, "rounding", result->rounding);
    cJSON_AddStringToObject(rule, "implementation", one->name);
    cJSON_AddStringToObject(rule, "inputs", gate_inputs_pattern(result, inputs));
    add_parameters(rule, result);
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *row = &limit_rows[i];
        /* What always holds needs no rule: no event is allowed without one that somebody wrote. */
        if (row->measure != MEASURED_NOT && row->implied != IMPLIED_ALWAYS &&
            (row->implied != IMPLIED_OF_HALF || row->found(one) > 0) && limit_is_of(row, one) &&
            limit_is_reported(row, one) && limit_is_measured(row, one) &&
            gate_is_lasting(result, row->kind, row->found(one)))
            report_add_error(rule, row->name, row->found(one));
    }
    add_invariance(rule, one);
    if (one->order)
        cJSON_AddStringToObject(rule, "order", one->order);
    if (one->fingerprint && !gate_is_search(result))
        cJSON_AddStringToObject(rule, "fingerprint", one->fingerprint);
}

/* Whether there is a figure that a rule could hold: of invariance, that of a property. */
static bool has_figures(const struct read_implementation *one) {
    return one->provided && (one->kind != READ_INVARIANCE || one->tally.tested) &&
           (one->kind != READ_ORDER || one->order);
}

/* One report's figures; two reports may hold the same case only if it came out the same. */
static bool add_report(cJSON *rules, const struct read_report *report, struct error *error) {
    if (!report_require_whole(report, error) || !report_require_known(report, error))
        return false;
    for (size_t i = 0; i < report->result_count; i++)
        for (size_t j = 0; j < report->results[i].implementation_count; j++)
            if (has_figures(&report->results[i].implementations[j]))
                add_rule(rules, &report->results[i], &report->results[i].implementations[j]);
    return true;
}

/* A result and the report that has it. */
struct place {
    const struct read_report *report;
    const struct read_result *result;
};

static uint64_t hash_place(const struct place *place, char inputs[INPUTS_PATTERN]) {
    const struct read_result *one = place->result;
    const char *const texts[] = {one->operation, one->format, one->rounding, one->parameters,
                                 gate_inputs_pattern(one, inputs)};
    return hash_texts(texts, sizeof texts / sizeof *texts);
}

/* Whether rules for both could not be told apart. */
static bool is_same(const struct place *a, const struct place *b) {
    char inputs[2][INPUTS_PATTERN];
    const struct read_result *one = a->result, *other = b->result;
    return strcmp(one->operation, other->operation) == 0 &&
           strcmp(one->format, other->format) == 0 && strcmp(one->rounding, other->rounding) == 0 &&
           strcmp(one->parameters, other->parameters) == 0 &&
           strcmp(gate_inputs_pattern(one, inputs[0]), gate_inputs_pattern(other, inputs[1])) == 0;
}

/* That no place is that of one in another report, as far as the places before it go. */
static bool add_place(struct chains *chains, struct place *places, size_t at, struct error *error) {
    char inputs[INPUTS_PATTERN];
    uint64_t hash = hash_place(&places[at], inputs);
    for (size_t i = chain_first(chains, hash); i != CHAIN_END; i = chain_next(chains, i))
        if (places[i].report != places[at].report && is_same(&places[i], &places[at]))
            return error_set(
                error, "%.200s and %.200s both have %s in %s; a policy has one set of figures",
                places[i].report->path, places[at].report->path, places[at].result->operation,
                places[at].result->format);
    chains_add(chains, hash, at);
    return true;
}

static bool refuse_repeated(const struct read_report *reports, size_t count, struct error *error) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        total += reports[i].result_count;
    struct chains chains;
    struct place *places = malloc((total + 1) * sizeof *places);
    if (!places || !chains_make(&chains, total)) {
        free(places);
        return error_set(error, "out of memory");
    }
    bool good = true;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < reports[i].result_count && good; j++, at++) {
            places[at] = (struct place){&reports[i], &reports[i].results[j]};
            good = add_place(&chains, places, at, error);
        }
    chains_free(&chains);
    free(places);
    return good;
}

bool gate_write_policy(const struct read_report *reports, size_t report_count,
                       const struct policy *old, FILE *stream, struct error *error) {
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", POLICY_SCHEMA);
    const cJSON *notes = old ? json_get(old->document, "notes") : NULL;
    if (notes)
        cJSON_AddItemToObject(document, "notes", cJSON_Duplicate(notes, true));
    cJSON *rules = cJSON_AddArrayToObject(document, "rules");
    bool good = refuse_repeated(reports, report_count, error);
    for (size_t i = 0; i < report_count && good; i++)
        good = add_report(rules, &reports[i], error);
    if (good && !cJSON_GetArraySize(rules))
        good = error_set(error, "no rule can be written: the reports have no figures, and no order "
                                "that is always the same");
    const cJSON *exceptions = old ? json_get(old->document, "exceptions") : NULL;
    if (exceptions)
        cJSON_AddItemToObject(document, "exceptions", cJSON_Duplicate(exceptions, true));
    if (good)
        return json_print(document, stream) || error_set(error, "out of memory for the policy");
    cJSON_Delete(document);
    return false;
}

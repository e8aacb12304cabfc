/* Building the JSON document with cJSON. */
#include "report/report.h"

#include "base/json_output.h"
#include "record/parts.h"
#include "report/digests_record.h"
#include "report/effects.h"
#include "report/inputs_record.h"
#include "report/items.h"
#include "report/run_record.h"
#include "report/text.h"
#include "sweep/tally_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_implementation(cJSON *array, const struct sweep_request *request, size_t index,
                               int result, const struct implementation_outcome *outcome,
                               const struct format *format) {
    const struct implementation *implementation = &request->implementations[index];
    const struct tally *tally = &outcome->tallies[result];
    cJSON *object = json_append(array);
    cJSON_AddStringToObject(object, "name", implementation->name);
    cJSON_AddStringToObject(object, "detail", outcome->detail);
    cJSON_AddBoolToObject(object, "provided", outcome->provided);
    if (!outcome->provided) {
        cJSON_AddStringToObject(object, "reason", outcome->reason.text);
        return;
    }
    if (*outcome->build)
        cJSON_AddStringToObject(object, "build", outcome->build);
    const struct sweep_wire wire = sweep_wire_of(request, index, result, format, false);
    record_write(object, &tally_record, tally, NULL, &wire.wire);
    if (result == 0)
        report_add_effects(object, request, outcome, format);
    if (outcome->fingerprints[result][0])
        cJSON_AddStringToObject(object, "fingerprint", outcome->fingerprints[result]);
    else
        cJSON_AddNullToObject(object, "fingerprint");
    if (!shard_is_part(&request->shard))
        return;
    struct shard_digests own = {request->shard.number, outcome->group_count,
                                outcome->groups[result]};
    const struct digest_list digests = {1, &own};
    record_write(object, &digests_record, &digests, NULL, &wire.wire);
}

static void add_difference(cJSON *array, const struct sweep_request *request,
                           const struct pair_outcome *pair, int result,
                           const struct format *format) {
    const struct difference_tally *tally = &pair->results[result];
    cJSON *object = json_append(array);
    cJSON_AddStringToObject(object, "a", request->implementations[pair->a].name);
    cJSON_AddStringToObject(object, "b", request->implementations[pair->b].name);
    const struct sweep_wire wire = sweep_wire_of(request, pair->a, result, format, false);
    record_write(object, &difference_record, tally, NULL, &wire.wire);
}

/* Whether samples are drawn from less than all codes. */
static bool is_part(const struct domain *domain) {
    bool part = false;
    for (int i = 0; i < domain->operands; i++) {
        const struct code_set *set = &domain->sets[i];
        part = part || set->run_count != 1 || set->runs[0].first != 0 ||
               set->last_end != format_mask(domain->format);
    }
    return part;
}

static uint64_t unit_of(const struct sweep_request *request) {
    return request->unit ? request->unit : sweep_unit(request->domain);
}

/* The codes of each operand. Where the memory is short some are missing, and merging says so. */
static void take_codes(struct inputs_facts *inputs, const struct domain *domain, unsigned tells) {
    inputs->tells |= tells;
    inputs->operands = (unsigned)domain->operands;
    for (int i = 0; i < domain->operands; i++)
        for (size_t run = 0; run < domain->sets[i].run_count; run++) {
            const struct code_ends ends = code_set_ends(&domain->sets[i], run);
            number_set_append(&inputs->codes[i], ends.first, ends.last);
        }
}

/* Which shard it is, and what the whole is called: what merging needs to make the whole again. `identity` is room. */
static void take_shard(struct inputs_facts *inputs, const struct sweep_request *request,
                       char identity[FINGERPRINT_TEXT]) {
    const struct domain *domain = request->domain;
    const struct cases *cases = &domain->cases;
    const struct search_record *search = domain->search;
    const bool of_search = search && shard_is_part(&search->shard);
    const struct shard *own = of_search ? &search->shard : &request->shard;
    struct shard_facts *shard = &inputs->shard;
    if (!shard_is_part(own))
        return;
    inputs->tells |= INPUTS_SHARD;
    shard->of = own->of;
    number_set_append(&shard->numbers, own->number, own->number);
    if (of_search) {
        shard->tells = search->whole ? SHARD_WHOLE : 0;
        shard->whole = search->whole;
        shard->whole_description = search->whole_text;
        shard->whole_identity = search->whole_identity;
        return;
    }
    shard->tells = SHARD_UNIT | SHARD_WHOLE;
    shard->unit = unit_of(request);
    shard->whole = domain->count;
    shard->whole_description = domain->text;
    /* Else merging misses the member, and says so. */
    shard->whole_identity = domain_identity(domain, identity) ? identity : "";
    if (domain->kind != DOMAIN_ARRAYS)
        return;
    shard->tells |= SHARD_SHAPES;
    for (size_t i = 0; i < cases->shape_count; i++)
        shape_list_add(&shard->shapes, &cases->shapes[i]);
}

void report_add_inputs(cJSON *object, const struct sweep_request *request, uint64_t covered) {
    const struct domain *domain = request->domain;
    char description[TEXT_INPUTS], identity[FINGERPRINT_TEXT], whole[FINGERPRINT_TEXT];
    char seed[32] = "";
    struct inputs_facts inputs = {
        .kind = domain_kind_names[domain->kind],
        .description = text_inputs(request, description),
        .identity = "",
        .seed = seed,
        .count = shard_inputs(&request->shard, domain->count, unit_of(request)),
        .covered = covered,
        .run_length = domain->run_length,
        .search = (struct search_record *)(uintptr_t)domain->search};
    /* Another file, or list of another version, may have the same name. */
    bool named = domain->kind == DOMAIN_FILE || domain->kind == DOMAIN_SPECIAL || domain->cases.own;
    if (named && domain_identity(domain, identity))
        inputs.identity = identity;
    inputs.tells = (covered != inputs.count ? INPUTS_COVERED : 0u) |
                   (domain->run_length > 1 ? INPUTS_RUN_LENGTH : 0u);
    if (domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE)
        take_codes(&inputs, domain, INPUTS_RANGES);
    else if (domain->kind == DOMAIN_SAMPLES && is_part(domain))
        take_codes(&inputs, domain, INPUTS_SAMPLED_FROM);
    for (int i = 0; i < domain->operands && !domain->tuples && !domain->cases.family; i++)
        if (domain->sets[i].integers_of) {
            inputs.tells |= INPUTS_INTEGER;
            inputs.integer_operand = (uint64_t)i;
        }
    if (domain->kind == DOMAIN_SAMPLES || (domain->kind == DOMAIN_ARRAYS && !domain->cases.own) ||
        domain->search)
        snprintf(seed, sizeof seed, "%" PRIu64, domain->seed);
    take_shard(&inputs, request, whole);
    const struct sweep_wire wire = sweep_wire_of(request, 0, 0, request->computed.format, false);
    record_write(cJSON_AddObjectToObject(object, "inputs"), &inputs_record, &inputs, NULL,
                 &wire.wire);
    inputs.search = NULL; /* the domain's */
    record_free(&inputs_record, &inputs);
}

/* A double would lose the last digits of a large one, which is text. */
static cJSON *integer_item(int64_t integer) {
    const int64_t most = INT64_C(999999999999999);
    char text[32];
    const bool fits = integer >= -most && integer <= most;
    snprintf(text, sizeof text, "%" PRId64, integer);
    return fits ? cJSON_CreateNumber((double)integer) : cJSON_CreateRaw(text);
}

void report_add_parameters(cJSON *object, const struct parameters *parameters) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *row = &parameter_rows[i];
        const struct parameter_value *value = &parameters->values[i];
        char text[PARAMETER_ROOM];
        if (!value->present)
            continue;
        if (row->kind == PARAMETER_FLAG)
            cJSON_AddTrueToObject(object, row->name);
        else if (row->kind == PARAMETER_INTEGER)
            cJSON_AddItemToObject(object, row->name, integer_item(value->integer));
        else if (row->kind == PARAMETER_SHAPE) {
            cJSON *array = cJSON_AddArrayToObject(object, row->name);
            for (int j = 0; j < value->shape.dimensions; j++)
                cJSON_AddItemToArray(array, integer_item((int64_t)value->shape.extents[j]));
        } else
            cJSON_AddStringToObject(object, row->name, parameter_text(row, value, text));
    }
}

cJSON *report_begin_result(struct report *report, const struct sweep_request *request, int result,
                           uint64_t covered) {
    const struct binding_request *computed = &request->computed;
    char name[64];
    cJSON *object = json_append(report->results);
    cJSON_AddStringToObject(object, "operation",
                            operation_result_name(computed->operation, result, name));
    cJSON_AddStringToObject(object, "format", computed->format->name);
    cJSON_AddStringToObject(object, "rounding", rounding_names[computed->rounding]);
    cJSON *parameters = cJSON_AddObjectToObject(object, "parameters");
    cJSON_AddBoolToObject(parameters, "strict_nan", request->strict_nan);
    report_add_flag_rules(parameters, request);
    report_add_parameters(parameters, &computed->parameters);
    if (request->by_group)
        cJSON_AddTrueToObject(object, "by_group");
    report_add_inputs(object, request, covered);
    return object;
}

static void add_result(struct report *report, const struct sweep_request *request,
                       const struct sweep_outcome *outcome, int result) {
    cJSON *object = report_begin_result(report, request, result, outcome->covered);
    const struct record_wire wire = {0};
    record_write(cJSON_AddObjectToObject(object, "oracle"), &oracle_record,
                 &outcome->oracle[result], NULL, &wire);
    cJSON *implementations = cJSON_AddArrayToObject(object, "implementations");
    for (size_t i = 0; i < outcome->implementation_count; i++)
        add_implementation(implementations, request, i, result, &outcome->implementations[i],
                           outcome->formats[result]);
    cJSON *differences = cJSON_AddArrayToObject(object, "differences");
    for (size_t i = 0; i < outcome->pair_count; i++)
        add_difference(differences, request, &outcome->pairs[i], result, outcome->formats[result]);
}

void report_add(struct report *report, const struct sweep_request *request,
                const struct sweep_outcome *outcome) {
    for (int i = 0; i < request->computed.operation->results; i++)
        add_result(report, request, outcome, i);
    report->inputs += sweep_tried(request, outcome);
    report->seconds += outcome->seconds;
    report->complete = report->complete && (outcome->complete || outcome->covered == 0);
}

void report_mark_incomplete(struct report *report) {
    report->complete = false;
}

/* An object of the document, by its rows. */
static void add_record(struct report *report, const struct record *record, const void *data) {
    const struct record_wire wire = {0};
    record_write(record_object_in(report->document, record->name), record, data, NULL, &wire);
}

void report_begin(struct report *report, const struct platform *platform, int threads) {
    *report = (struct report){.complete = true, .threads = threads};
    report->document = cJSON_CreateObject();
    cJSON_AddStringToObject(report->document, "schema", REPORT_SCHEMA);
    cJSON_AddObjectToObject(report->document, "run");
    char oracle[64];
    snprintf(oracle, sizeof oracle, "mpfr %s", mpfr_get_version());
    const struct tool_facts tool = {"detcheck", DETCHECK_VERSION, oracle};
    const struct platform_facts reported = platform_tell(platform);
    add_record(report, &tool_record, &tool);
    add_record(report, &platform_record, &reported);
    cJSON_AddBoolToObject(report->document, "complete", true);
    report->results = cJSON_AddArrayToObject(report->document, "results");
}

static void fill_run(struct report *report) {
    char date[RUN_DATE], host[128] = "";
    gethostname(host, sizeof host - 1);
    const struct run_facts run = {
        .date = run_date(date),
        .host = host,
        .seconds = report->seconds,
        .threads = (uint64_t)report->threads,
        .inputs_per_second = report->seconds > 0 ? (double)report->inputs / report->seconds : 0};
    add_record(report, &run_record, &run);
}

bool report_write(struct report *report, FILE *stream, struct error *error) {
    fill_run(report);
    cJSON_ReplaceItemInObjectCaseSensitive(report->document, "complete",
                                           cJSON_CreateBool(report->complete));
    cJSON *document = report->document;
    report->document = NULL;
    record_keep_digits(document, "envelope");
    return json_print(document, stream) || error_set(error, "out of memory for the report");
}

void report_free(struct report *report) {
    cJSON_Delete(report->document);
    *report = (struct report){0};
}

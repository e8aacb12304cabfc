/* Building the JSON document with cJSON. */
#include "report/report.h"

#include "base/json_output.h"
#include "format/text.h"
#include "report/effects.h"
#include "report/envelope.h"
#include "report/items.h"
#include "report/promise.h"
#include "report/search.h"
#include "report/text.h"
#include "report/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void add_count(cJSON *object, const char *name, uint64_t count) {
    cJSON_AddNumberToObject(object, name, (double)count);
}

static void add_sighting(cJSON *object, const struct sweep_request *request,
                         const struct format *format, const struct sighting *sighting,
                         bool with_error) {
    if (with_error)
        report_add_error(object, "error", sighting->error);
    report_add_input(object, request, sighting->input);
    report_add_bits(object, "got", format, sighting->got);
    report_add_bits(object, "want", format, sighting->want);
}

static cJSON *append_object(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_histogram(cJSON *object, const struct tally *tally) {
    cJSON *array = cJSON_AddArrayToObject(object, "histogram");
    for (int i = 0; i <= HISTOGRAM_EDGES; i++) {
        cJSON *bucket = append_object(array);
        if (i < HISTOGRAM_EDGES)
            cJSON_AddNumberToObject(bucket, "up_to_ulp", histogram_edges[i]);
        else
            cJSON_AddNullToObject(bucket, "up_to_ulp");
        add_count(bucket, "count", tally->histogram[i]);
    }
}

static void add_binades(cJSON *object, const struct tally *tally) {
    cJSON *array = cJSON_AddArrayToObject(object, "by_binade");
    for (int i = 0; i < tally->binade_count; i++) {
        const struct binade_tally *binade = &tally->binades[i];
        if (!binade->tested)
            continue;
        cJSON *row = append_object(array);
        cJSON_AddNumberToObject(row, "exponent", tally->lowest_exponent + i);
        report_add_error(row, "max_ulp", binade->max_error);
        add_count(row, "incorrect", binade->incorrect);
    }
}

static void add_events(cJSON *object, const struct sweep_request *request,
                       const struct tally *tally) {
    cJSON *array = cJSON_AddArrayToObject(object, "events");
    for (unsigned i = 0; i < tally->event_count; i++) {
        cJSON *row = append_object(array);
        cJSON_AddStringToObject(row, "kind", event_names[tally->first_events[i].kind]);
        report_add_input(row, request, tally->first_events[i].input);
    }
    cJSON *counts = cJSON_AddObjectToObject(object, "event_counts");
    for (int i = 0; i < EVENT_KINDS; i++)
        if (tally->events[i])
            add_count(counts, event_names[i], tally->events[i]);
}

static void add_counts(cJSON *object, const struct tally *tally,
                       const struct operation *operation) {
    const struct array_rule *array = operation->array;
    struct integer_place place;
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {{"tested", tally->tested},
                {"unanswered", tally->unanswered},
                {"correctly_rounded", tally->correct},
                {"incorrectly_rounded", tally->incorrect},
                {"faithful", tally->faithful},
                {"judged_in_ulps", tally->in_ulps},
                {"over_1_ulp", tally->over_1_ulp},
                {"nan_mismatches", tally->nan_mismatches},
                {"nan_bits_differ", tally->nan_bits_differ},
                {"sign_mismatches", tally->sign_mismatches}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_count(object, rows[i].name, rows[i].count);
    if (!operation->array)
        add_count(object, "signalling_nans", tally->signalling_nans);
    if (operation_integer_place(operation, &place))
        add_count(object, "not_called", tally->not_called);
    if (array_counts_ends(array)) {
        add_count(object, "saturated", tally->saturated);
        add_count(object, "vanished", tally->vanished);
    }
}

/* What a shard contributes to the fingerprint of the whole: the digests of its groups of blocks. */
static void add_digests(cJSON *object, const struct sweep_request *request,
                        const struct implementation_outcome *outcome, int result) {
    cJSON *digests = cJSON_AddArrayToObject(object, "digests"), *one = append_object(digests);
    char *text = malloc(outcome->group_count * DIGEST_TEXT + 1);
    add_count(one, "shard", request->shard.number);
    if (!text)
        return; /* the document wants a member, and merging says so */
    for (size_t i = 0; i < outcome->group_count; i++)
        digest_write(&outcome->groups[result][i], text + i * DIGEST_TEXT);
    text[outcome->group_count * DIGEST_TEXT] = '\0';
    cJSON_AddStringToObject(one, "groups", text);
    free(text);
}

static void add_implementation(cJSON *array, const struct sweep_request *request, size_t index,
                               int result, const struct implementation_outcome *outcome,
                               const struct format *format) {
    const struct implementation *implementation = &request->implementations[index];
    const struct tally *tally = &outcome->tallies[result];
    cJSON *object = append_object(array);
    cJSON_AddStringToObject(object, "name", implementation->name);
    cJSON_AddStringToObject(object, "detail", outcome->detail);
    cJSON_AddBoolToObject(object, "provided", outcome->provided);
    if (!outcome->provided) {
        cJSON_AddStringToObject(object, "reason", outcome->reason.text);
        return;
    }
    if (*outcome->build)
        cJSON_AddStringToObject(object, "build", outcome->build);
    add_counts(object, tally, request->computed.operation);
    if (tally->has_max)
        add_sighting(cJSON_AddObjectToObject(object, "max_ulp"), request, format, &tally->max,
                     true);
    else
        cJSON_AddNullToObject(object, "max_ulp");
    if (request->domain->search)
        add_count(object, "flushed", tally->flushed);
    if (tally->has_max_else)
        add_sighting(cJSON_AddObjectToObject(object, "max_ulp_else"), request, format,
                     &tally->max_else, true);
    report_add_error(object, "mean_ulp", error_sum_mean(&tally->error_sum, tally->in_ulps));
    char sum[ERROR_SUM_TEXT];
    cJSON_AddStringToObject(object, "error_sum", error_sum_text(&tally->error_sum, sum));
    if (array_has_values(request->computed.operation->array, result))
        report_add_value(object, request, format, tally);
    report_add_promise(object, request, index, result, format, tally);
    add_histogram(object, tally);
    add_binades(object, tally);
    report_add_envelope(object, request, tally);
    cJSON *worst = cJSON_AddArrayToObject(object, "worst");
    for (unsigned i = 0; i < tally->worst_count; i++)
        add_sighting(append_object(worst), request, format, &tally->worst[i], true);
    cJSON *mismatches = cJSON_AddArrayToObject(object, "first_mismatches");
    for (unsigned i = 0; i < tally->mismatch_count; i++)
        add_sighting(append_object(mismatches), request, format, &tally->mismatches[i], false);
    add_events(object, request, tally);
    if (result == 0)
        report_add_effects(object, request, outcome);
    if (outcome->fingerprints[result][0])
        cJSON_AddStringToObject(object, "fingerprint", outcome->fingerprints[result]);
    else
        cJSON_AddNullToObject(object, "fingerprint");
    if (shard_is_part(&request->shard))
        add_digests(object, request, outcome, result);
}

static void add_difference(cJSON *array, const struct sweep_request *request,
                           const struct pair_outcome *pair, int result,
                           const struct format *format) {
    const struct difference_tally *tally = &pair->results[result];
    cJSON *object = append_object(array);
    cJSON_AddStringToObject(object, "a", request->implementations[pair->a].name);
    cJSON_AddStringToObject(object, "b", request->implementations[pair->b].name);
    add_count(object, "count", tally->count);
    cJSON *binades = cJSON_AddArrayToObject(object, "by_binade");
    for (int i = 0; i < DIFFERENCE_BINADES; i++) {
        if (!tally->binades[i])
            continue;
        cJSON *row = append_object(binades);
        cJSON_AddNumberToObject(row, "exponent", DIFFERENCE_LOWEST + i);
        add_count(row, "count", tally->binades[i]);
    }
    cJSON *first = cJSON_AddArrayToObject(object, "first");
    for (unsigned i = 0; i < tally->first_count; i++) {
        cJSON *row = append_object(first);
        report_add_input(row, request, tally->first[i].input);
        report_add_bits(row, "a", format, tally->first[i].a);
        report_add_bits(row, "b", format, tally->first[i].b);
    }
}

/* The codes of one operand: an array of runs, each its first and its last code. */
static void add_runs(cJSON *ranges, const struct format *format, const struct code_set *set) {
    char text[NUMBER_TEXT];
    cJSON *runs = cJSON_CreateArray();
    cJSON_AddItemToArray(ranges, runs);
    for (size_t i = 0; i < set->run_count; i++) {
        const struct code_ends ends = code_set_ends(set, i);
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(runs, pair);
        cJSON_AddItemToArray(pair, cJSON_CreateString(format_bits_text(format, ends.first, text)));
        cJSON_AddItemToArray(pair, cJSON_CreateString(format_bits_text(format, ends.last, text)));
    }
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

/* Which shard it is, and what the whole is called: what merging needs to make the whole again. */
static void add_shard(cJSON *inputs, const struct sweep_request *request) {
    cJSON *shard = cJSON_AddObjectToObject(inputs, "shard");
    add_count(shard, "of", request->shard.of);
    cJSON *numbers = cJSON_AddArrayToObject(shard, "numbers");
    cJSON_AddItemToArray(numbers, cJSON_CreateNumber((double)request->shard.number));
    add_count(shard, "unit", unit_of(request));
    add_count(shard, "whole", request->domain->count);
    cJSON_AddStringToObject(shard, "whole_description", request->domain->text);
    char identity[FINGERPRINT_TEXT];
    if (domain_identity(request->domain,
                        identity)) /* else merging misses the member, and says so */
        cJSON_AddStringToObject(shard, "whole_identity", identity);
    const struct cases *cases = &request->domain->cases;
    if (request->domain->kind != DOMAIN_ARRAYS)
        return;
    cJSON *shapes = cJSON_AddArrayToObject(shard, "shapes");
    for (size_t i = 0; i < cases->shape_count; i++)
        cJSON_AddItemToArray(shapes, report_shape(&cases->shapes[i]));
}

void report_add_inputs(cJSON *object, const struct sweep_request *request, uint64_t covered) {
    const struct domain *domain = request->domain;
    cJSON *inputs = cJSON_AddObjectToObject(object, "inputs");
    uint64_t count = shard_inputs(&request->shard, domain->count, unit_of(request));
    char description[TEXT_INPUTS];
    cJSON_AddStringToObject(inputs, "kind", domain_kind_names[domain->kind]);
    cJSON_AddStringToObject(inputs, "description", text_inputs(request, description));
    add_count(inputs, "count", count);
    /* Another file, or list of another version, may have the same name. */
    char identity[FINGERPRINT_TEXT];
    bool named = domain->kind == DOMAIN_FILE || domain->kind == DOMAIN_SPECIAL || domain->cases.own;
    if (named && domain_identity(domain, identity))
        cJSON_AddStringToObject(inputs, "identity", identity);
    if (covered != count)
        add_count(inputs, "covered", covered);
    bool samples = domain->kind == DOMAIN_SAMPLES && is_part(domain);
    if (domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE || samples) {
        cJSON *ranges = cJSON_AddArrayToObject(inputs, samples ? "sampled_from" : "ranges");
        for (int i = 0; i < domain->operands; i++)
            add_runs(ranges, domain->format, &domain->sets[i]);
    }
    for (int i = 0; i < domain->operands && !domain->tuples && !domain->cases.family; i++)
        if (domain->sets[i].integers_of)
            add_count(inputs, "integer_operand", (uint64_t)i);
    if (domain->kind == DOMAIN_SAMPLES || (domain->kind == DOMAIN_ARRAYS && !domain->cases.own) ||
        domain->search) {
        char seed[32];
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)domain->seed);
        cJSON_AddStringToObject(inputs, "seed", seed);
    }
    if (domain->run_length > 1)
        add_count(inputs, "run_length", domain->run_length);
    if (domain->search)
        report_add_search(inputs, request, domain->search);
    if (domain->search && shard_is_part(&domain->search->shard))
        report_add_search_shard(inputs, domain->search);
    else if (shard_is_part(&request->shard))
        add_shard(inputs, request);
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
        else if (row->kind == PARAMETER_INTEGER || row->kind == PARAMETER_SHAPE) {
            /* As it is: a double would lose the last digits of a large one. */
            cJSON *array =
                row->kind == PARAMETER_SHAPE ? cJSON_AddArrayToObject(object, row->name) : NULL;
            for (int j = 0; array && j < value->shape.dimensions; j++) {
                snprintf(text, sizeof text, "%" PRIu64, value->shape.extents[j]);
                cJSON_AddItemToArray(array, cJSON_CreateRaw(text));
            }
            if (!array)
                cJSON_AddRawToObject(object, row->name, parameter_text(row, value, text));
        } else
            cJSON_AddStringToObject(object, row->name, parameter_text(row, value, text));
    }
}

cJSON *report_begin_result(struct report *report, const struct sweep_request *request, int result,
                           uint64_t covered) {
    const struct binding_request *computed = &request->computed;
    char name[64];
    cJSON *object = append_object(report->results);
    cJSON_AddStringToObject(object, "operation",
                            operation_result_name(computed->operation, result, name));
    cJSON_AddStringToObject(object, "format", computed->format->name);
    cJSON_AddStringToObject(object, "rounding", rounding_names[computed->rounding]);
    cJSON *parameters = cJSON_AddObjectToObject(object, "parameters");
    cJSON_AddBoolToObject(parameters, "strict_nan", request->strict_nan);
    report_add_flag_rules(parameters, request);
    report_add_parameters(parameters, &computed->parameters);
    report_add_inputs(object, request, covered);
    return object;
}

static void add_result(struct report *report, const struct sweep_request *request,
                       const struct sweep_outcome *outcome, int result) {
    cJSON *object = report_begin_result(report, request, result, outcome->covered);
    cJSON *oracle = cJSON_AddObjectToObject(object, "oracle");
    add_count(oracle, "fast", outcome->oracle[result].fast);
    add_count(oracle, "exact", outcome->oracle[result].exact);
    add_count(oracle, "rechecked", outcome->oracle[result].rechecked);
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

static void add_platform(cJSON *document, const struct platform *platform) {
    cJSON *object = cJSON_AddObjectToObject(document, "platform");
    cJSON_AddStringToObject(object, "os", platform->os);
    cJSON_AddStringToObject(object, "arch", platform->arch);
    cJSON_AddStringToObject(object, "cpu", platform->cpu);
    cJSON_AddStringToObject(object, "libc", platform->libc);
    cJSON_AddStringToObject(object, "libm_variant", libm_variant_names[platform->libm_variant]);
    cJSON_AddStringToObject(object, "compiler", platform->compiler);
    cJSON_AddBoolToObject(object, "fma", platform->fma);
    cJSON_AddBoolToObject(object, "ftz", platform->ftz);
    cJSON_AddBoolToObject(object, "daz", platform->daz);
}

void report_begin(struct report *report, const struct platform *platform, int threads) {
    *report = (struct report){.complete = true, .threads = threads};
    report->document = cJSON_CreateObject();
    cJSON_AddStringToObject(report->document, "schema", REPORT_SCHEMA);
    cJSON_AddObjectToObject(report->document, "run");
    cJSON *tool = cJSON_AddObjectToObject(report->document, "tool");
    cJSON_AddStringToObject(tool, "name", "detcheck");
    cJSON_AddStringToObject(tool, "version", DETCHECK_VERSION);
    char oracle[64];
    snprintf(oracle, sizeof oracle, "mpfr %s", mpfr_get_version());
    cJSON_AddStringToObject(tool, "oracle", oracle);
    add_platform(report->document, platform);
    cJSON_AddBoolToObject(report->document, "complete", true);
    report->results = cJSON_AddArrayToObject(report->document, "results");
}

static void fill_run(struct report *report) {
    char date[32] = "", host[128] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    gethostname(host, sizeof host - 1);
    cJSON *run = cJSON_GetObjectItemCaseSensitive(report->document, "run");
    cJSON_AddStringToObject(run, "date", date);
    cJSON_AddStringToObject(run, "host", host);
    cJSON_AddNumberToObject(run, "seconds", report->seconds);
    cJSON_AddNumberToObject(run, "threads", report->threads);
    double rate = report->seconds > 0 ? (double)report->inputs / report->seconds : 0;
    cJSON_AddNumberToObject(run, "inputs_per_second", rate);
}

bool report_write(struct report *report, FILE *stream, struct error *error) {
    fill_run(report);
    cJSON_ReplaceItemInObjectCaseSensitive(report->document, "complete",
                                           cJSON_CreateBool(report->complete));
    cJSON *document = report->document;
    report->document = NULL;
    return json_print(document, stream) || error_set(error, "out of memory for the report");
}

void report_free(struct report *report) {
    cJSON_Delete(report->document);
    *report = (struct report){0};
}

/* Properties as JSON, and the command that shows one again. */
#include "report/invariance.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "format/text.h"
#include "invariance/properties.h"
#include "invariance/record.h"
#include "op/calls.h"
#include "report/text.h"
#include "sweep/wire.h"

#include <stdlib.h>
#include <string.h>

struct sweep_request invariance_sweep(const struct invariance_request *request) {
    return (struct sweep_request){.computed = request->computed,
                                  .strict_nan = request->strict_nan,
                                  .domain = request->domain,
                                  .shard = request->shard,
                                  .unit = invariance_unit(request)};
}

static void print_word(FILE *stream, const char *word) {
    fputc(' ', stream);
    foreign_print(stream, FOREIGN_SHELL, word);
}

/* The one input, or all where it may depend on the others; of arrays the draws up to it. */
static void print_input_options(FILE *stream, const struct invariance_request *request,
                                const struct property *property,
                                const uint64_t input[MAX_OPERANDS]) {
    const struct binding_request *computed = &request->computed;
    const struct domain *domain = request->domain;
    char bits[NUMBER_TEXT];
    if (property->beside_others && *domain->options && !computed->operation->array) {
        fputs(domain->options, stream);
        return;
    }
    for (int i = 0; !computed->operation->array && i < computed->operation->operands; i++) {
        format_bits_text(computed->format, input[i], bits);
        fprintf(stream, " --range %s:%s", bits, bits);
    }
    if (!computed->operation->array)
        return;
    const struct shape *shape = case_shape(&domain->cases, input[0]);
    fputs(" --shape ", stream);
    for (int i = 0; i < shape->dimensions; i++)
        fprintf(stream, "%s%llu", i ? "x" : "", (unsigned long long)shape->extents[i]);
    if (domain->cases.own) {
        fputs(domain->options, stream);
        return;
    }
    fprintf(stream, " --distribution %s --samples %llu --seed %llu", domain->cases.family->name,
            (unsigned long long)case_draw(&domain->cases, input[0]) + 1,
            (unsigned long long)domain->seed);
}

/* Of parameters: those that print_input_options does not have. */
static struct parameters without_inputs(const struct parameters *parameters) {
    struct parameters left = *parameters;
    left.values[PARAMETER_SHAPE_OF].present = false;
    left.values[PARAMETER_DISTRIBUTION].present = false;
    return left;
}

/* How the code is run, where that is other than usual: a crash or a hang may be a matter of it. */
static void print_settings(FILE *stream, const struct implementation *implementation) {
    const struct foreign_settings *settings = implementation->foreign;
    const bool is_library = strncmp(implementation->name, "lib:", 4) == 0;
    if (!settings || (!is_library && !implementation->kind->is_command))
        return;
    if (settings->timeout != foreign_defaults.timeout)
        fprintf(stream, " --timeout %.9g", settings->timeout);
    if (settings->memory)
        fprintf(stream, " --memory %u", settings->memory);
    if (settings->in_process && is_library)
        fputs(" --no-isolation", stream);
}

void invariance_print_command(FILE *stream, const struct invariance_request *request,
                              const struct implementation *implementation,
                              const struct property *property, const uint64_t input[MAX_OPERANDS]) {
    const struct binding_request *computed = &request->computed;
    const struct parameters parameters = without_inputs(&computed->parameters);
    fputs("detcheck invariance", stream);
    print_word(stream, computed->operation->name);
    fprintf(stream, " --format %s", computed->format->name);
    if (computed->rounding != ROUND_NEAREST_EVEN)
        fprintf(stream, " --rounding %s", rounding_names[computed->rounding]);
    text_print_parameters(stream, &parameters);
    if (request->strict_nan)
        fputs(" --strict-nan", stream);
    fputs(" --impl", stream);
    print_word(stream, implementation->name);
    print_settings(stream, implementation);
    fprintf(stream, " --property %s", property->name);
    for (size_t i = 0; property_takes_variants(property) && i < request->variant_count; i++) {
        fputs(" --variant", stream);
        print_word(stream, request->variants[i]);
    }
    for (size_t i = 0; property == &property_batch && i < request->batch_sizes.count; i++)
        fprintf(stream, "%s%llu", i ? "," : " --sizes ",
                (unsigned long long)request->batch_sizes.sizes[i]);
    print_input_options(stream, request, property, input);
}

static void add_command(cJSON *object, const struct invariance_request *request,
                        const struct implementation *implementation,
                        const struct property *property, const uint64_t input[MAX_OPERANDS]) {
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return;
    invariance_print_command(stream, request, implementation, property, input);
    if (fclose(stream) == 0)
        cJSON_AddStringToObject(object, "command", text);
    free(text);
}

uint64_t invariance_tested(const struct invariance_outcome *outcome, size_t property_count) {
    uint64_t most = 0;
    for (size_t i = 0; i < property_count; i++) {
        const struct property_outcome *one = &outcome->properties[i];
        uint64_t tested = one->tested ? one->tally.inputs - one->tally.unanswered : 0;
        most = tested > most ? tested : most;
    }
    return most;
}

uint64_t invariance_most_changed(const struct invariance_outcome *outcome, size_t property_count) {
    uint64_t most = 0;
    for (size_t i = 0; i < property_count; i++)
        for (int r = 0; r < MAX_RESULTS; r++) {
            uint64_t changed = outcome->properties[i].tally.results[r].changed;
            most = changed > most ? changed : most;
        }
    return most;
}

/* What a property came to of one result, without its command; the arrays are room for it. */
static struct property_record record_of(const struct invariance_request *request,
                                        const struct invariance_outcome *outcome,
                                        const struct property_outcome *one, int result,
                                        struct size_record *sizes,
                                        struct variant_record *variants) {
    const struct property_tally *tally = &one->tally;
    struct integer_place place;
    struct property_record record = {
        .name = one->property->name,
        .tested = one->tested,
        .tells = property_tells(one->tested),
        .why = one->why.text,
        .inputs = tally->inputs - tally->unanswered,
        .unanswered = tally->unanswered,
        .has_not_called = operation_integer_place(request->computed.operation, &place),
        .not_called = tally->not_called,
        .unrepeatable = tally->unrepeatable,
        .not_asked = tally->left_out,
        .at_once = tally->at_once,
        .first_at_once = tally->first_at_once,
        .size_count = (unsigned)tally->batch_sizes.count,
        .sizes = sizes,
        .changed = tally->results[result].changed,
        .has_first = tally->results[result].changed > 0,
        .first = tally->results[result].first,
        .variants = variants};
    for (unsigned i = 0; i < record.size_count; i++)
        sizes[i] = (struct size_record){tally->batch_sizes.sizes[i], tally->batch_calls[i]};
    if (property_takes_variants(one->property) && outcome->variants)
        record.variant_count = (unsigned)outcome->variants->count;
    for (unsigned i = 0; i < record.variant_count; i++) {
        const struct variant *variant = &outcome->variants->rows[i];
        variants[i] = (struct variant_record){.name = variant->text,
                                              .why = variant->why.text,
                                              .tested = variant->is_tried,
                                              .tells = property_tells(variant->is_tried),
                                              .changed = tally->by_variant[i][result]};
    }
    return record;
}

static void add_property(cJSON *array, const struct invariance_request *request,
                         const struct implementation *implementation,
                         const struct invariance_outcome *outcome,
                         const struct property_outcome *one, int result) {
    const struct sweep_request sweep = invariance_sweep(request);
    const struct sweep_wire wire =
        sweep_wire_of(&sweep, 0, result, outcome->formats[result], false);
    struct size_record sizes[BATCH_SIZES];
    struct variant_record variants[MOST_VARIANTS];
    const struct property_record record = record_of(request, outcome, one, result, sizes, variants);
    cJSON *object = json_append(array);
    record_write(object, &property_record, &record, NULL, &wire.wire);
    if (one->tested && record.has_first)
        add_command(json_get(object, "first"), request, implementation, one->property,
                    record.first.input);
}

static void add_events(cJSON *object, const struct invariance_request *request,
                       const struct implementation *implementation,
                       const struct invariance_outcome *outcome) {
    const struct sweep_request sweep = invariance_sweep(request);
    const struct sweep_wire wire = sweep_wire_of(&sweep, 0, 0, outcome->formats[0], false);
    cJSON *array = cJSON_AddArrayToObject(object, "events");
    cJSON *counts = cJSON_AddObjectToObject(object, "event_counts");
    uint64_t all[EVENT_KINDS] = {0};
    for (size_t i = 0; i < request->property_count; i++) {
        const struct property_tally *tally = &outcome->properties[i].tally;
        struct property_event event = {.name = outcome->properties[i].property->name,
                                       .kind = tally->first_event.kind,
                                       .where = tally->first_event_where};
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            all[kind] += tally->events[kind];
        if (!tally->event_count)
            continue;
        memcpy(event.input, tally->first_event.input, sizeof event.input);
        cJSON *row = json_append(array);
        record_write(row, &property_event_record, &event, NULL, &wire.wire);
        add_command(row, request, implementation, outcome->properties[i].property, event.input);
    }
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (all[kind])
            cJSON_AddNumberToObject(counts, event_names[kind], (double)all[kind]);
}

static void add_implementation(cJSON *array, const struct invariance_request *request,
                               const struct implementation *implementation,
                               const struct invariance_outcome *outcome, int result) {
    cJSON *object = json_append(array);
    cJSON_AddStringToObject(object, "name", implementation->name);
    cJSON_AddStringToObject(object, "detail",
                            outcome->provided ? outcome->detail : implementation->detail);
    cJSON_AddBoolToObject(object, "provided", outcome->provided);
    if (!outcome->provided) {
        cJSON_AddStringToObject(object, "reason", outcome->reason.text);
        return;
    }
    if (*outcome->build)
        cJSON_AddStringToObject(object, "build", outcome->build);
    cJSON_AddNumberToObject(object, "tested",
                            (double)invariance_tested(outcome, request->property_count));
    cJSON *invariance = cJSON_AddArrayToObject(object, "invariance");
    for (size_t i = 0; i < request->property_count; i++)
        add_property(invariance, request, implementation, outcome, &outcome->properties[i], result);
    add_events(object, request, implementation, outcome);
}

void report_add_invariance(struct report *report, const struct invariance_outcomes *outcomes) {
    const struct invariance_request *request = outcomes->request;
    const struct sweep_request sweep = invariance_sweep(request);
    uint64_t tested = 0;
    bool complete = true;
    for (size_t i = 0; i < outcomes->count; i++) {
        uint64_t one = invariance_tested(&outcomes->outcomes[i], request->property_count);
        tested = one > tested ? one : tested;
        complete = complete && outcomes->outcomes[i].complete;
        report->seconds += outcomes->outcomes[i].seconds;
    }
    report->inputs += tested;
    report->complete = report->complete && complete;
    for (int r = 0; r < request->computed.operation->results; r++) {
        cJSON *object = report_begin_result(report, &sweep, r, invariance_inputs(request));
        cJSON_AddTrueToObject(json_get(object, "parameters"), "invariance");
        cJSON *implementations = cJSON_AddArrayToObject(object, "implementations");
        for (size_t i = 0; i < outcomes->count; i++)
            add_implementation(implementations, request, &outcomes->implementations[i],
                               &outcomes->outcomes[i], r);
        cJSON_AddArrayToObject(object, "differences");
    }
}

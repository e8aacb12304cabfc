/* Properties as JSON and as lines. */
#include "report/invariance.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "format/text.h"
#include "report/items.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

/* What functions for sweeps are told. */
static struct sweep_request as_sweep(const struct invariance_request *request) {
    return (struct sweep_request){.computed = request->computed,
                                  .strict_nan = request->strict_nan,
                                  .domain = request->domain};
}

static void print_word(FILE *stream, const char *word) {
    fputc(' ', stream);
    foreign_print(stream, FOREIGN_SHELL, word);
}

/* The one input, or the draws of arrays up to it. */
static void print_input_options(FILE *stream, const struct invariance_request *request,
                                const struct change *change) {
    const struct binding_request *computed = &request->computed;
    const struct domain *domain = request->domain;
    char bits[NUMBER_TEXT];
    for (int i = 0; !computed->operation->array && i < computed->operation->operands; i++) {
        format_bits_text(computed->format, change->input[i], bits);
        fprintf(stream, " --range %s:%s", bits, bits);
    }
    if (!computed->operation->array)
        return;
    const struct shape *shape = case_shape(&domain->cases, change->input[0]);
    fputs(" --shape ", stream);
    for (int i = 0; i < shape->dimensions; i++)
        fprintf(stream, "%s%llu", i ? "x" : "", (unsigned long long)shape->extents[i]);
    fprintf(stream, " --distribution %s --samples %llu --seed %llu", domain->cases.family->name,
            (unsigned long long)case_draw(&domain->cases, change->input[0]) + 1,
            (unsigned long long)domain->seed);
}

/* Of parameters: those that print_input_options does not have. */
static struct parameters without_inputs(const struct parameters *parameters) {
    struct parameters left = *parameters;
    left.values[PARAMETER_SHAPE_OF].present = false;
    left.values[PARAMETER_DISTRIBUTION].present = false;
    return left;
}

/* The command that shows the change again. */
static void print_command(FILE *stream, const struct invariance_request *request,
                          const struct implementation *implementation,
                          const struct property *property, const struct change *change) {
    const struct binding_request *computed = &request->computed;
    const struct parameters parameters = without_inputs(&computed->parameters);
    fprintf(stream, "detcheck invariance %s --format %s", computed->operation->name,
            computed->format->name);
    if (computed->rounding != ROUND_NEAREST_EVEN)
        fprintf(stream, " --rounding %s", rounding_names[computed->rounding]);
    text_print_parameters(stream, &parameters);
    if (request->strict_nan)
        fputs(" --strict-nan", stream);
    fputs(" --impl", stream);
    print_word(stream, implementation->name);
    fprintf(stream, " --property %s", property->name);
    print_input_options(stream, request, change);
}

/* malloc'd; NULL where there is no memory. */
static char *command_text(const struct invariance_request *request,
                          const struct implementation *implementation,
                          const struct property *property, const struct change *change) {
    char *text = NULL;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (!stream)
        return NULL;
    print_command(stream, request, implementation, property, change);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
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

static cJSON *append_object(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_property(cJSON *array, const struct invariance_request *request,
                         const struct implementation *implementation,
                         const struct property_outcome *one, int result,
                         const struct format *format) {
    const struct sweep_request sweep = as_sweep(request);
    cJSON *object = append_object(array);
    cJSON_AddStringToObject(object, "property", one->property->name);
    cJSON_AddBoolToObject(object, "tested", one->tested);
    if (!one->tested) {
        cJSON_AddStringToObject(object, "why", one->why.text);
        return;
    }
    cJSON_AddNumberToObject(object, "inputs", (double)(one->tally.inputs - one->tally.unanswered));
    cJSON_AddNumberToObject(object, "unanswered", (double)one->tally.unanswered);
    cJSON_AddNumberToObject(object, "changed", (double)one->tally.results[result].changed);
    if (!one->tally.results[result].changed) {
        cJSON_AddNullToObject(object, "first");
        return;
    }
    const struct change *change = &one->tally.results[result].first;
    cJSON *first = cJSON_AddObjectToObject(object, "first");
    report_add_input(first, &sweep, change->input);
    report_add_bits(first, "reference", format, change->reference);
    report_add_bits(first, "got", format, change->got);
    cJSON_AddStringToObject(first, "where", change->where);
    char *command = command_text(request, implementation, one->property, change);
    if (command)
        cJSON_AddStringToObject(first, "command", command);
    free(command);
}

static void add_events(cJSON *object, const struct invariance_request *request,
                       const struct invariance_outcome *outcome) {
    const struct sweep_request sweep = as_sweep(request);
    cJSON *array = cJSON_AddArrayToObject(object, "events");
    cJSON *counts = cJSON_AddObjectToObject(object, "event_counts");
    uint64_t all[EVENT_KINDS] = {0};
    for (size_t i = 0; i < request->property_count; i++) {
        const struct property_tally *tally = &outcome->properties[i].tally;
        for (int kind = 0; kind < EVENT_KINDS; kind++)
            all[kind] += tally->events[kind];
        if (!tally->event_count)
            continue;
        cJSON *row = append_object(array);
        cJSON_AddStringToObject(row, "kind", event_names[tally->first_event.kind]);
        cJSON_AddStringToObject(row, "property", outcome->properties[i].property->name);
        report_add_input(row, &sweep, tally->first_event.input);
    }
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (all[kind])
            cJSON_AddNumberToObject(counts, event_names[kind], (double)all[kind]);
}

static void add_implementation(cJSON *array, const struct invariance_request *request,
                               const struct implementation *implementation,
                               const struct invariance_outcome *outcome, int result) {
    cJSON *object = append_object(array);
    cJSON_AddStringToObject(object, "name", implementation->name);
    cJSON_AddStringToObject(object, "detail",
                            outcome->provided ? outcome->detail : implementation->detail);
    cJSON_AddBoolToObject(object, "provided", outcome->provided);
    if (!outcome->provided) {
        cJSON_AddStringToObject(object, "reason", outcome->reason.text);
        return;
    }
    cJSON_AddNumberToObject(object, "tested",
                            (double)invariance_tested(outcome, request->property_count));
    cJSON *invariance = cJSON_AddArrayToObject(object, "invariance");
    for (size_t i = 0; i < request->property_count; i++)
        add_property(invariance, request, implementation, &outcome->properties[i], result,
                     outcome->formats[result]);
    add_events(object, request, outcome);
}

void report_add_invariance(struct report *report, const struct invariance_outcomes *outcomes) {
    const struct invariance_request *request = outcomes->request;
    const struct sweep_request sweep = as_sweep(request);
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
        cJSON *object = report_begin_result(report, &sweep, r, request->domain->count);
        cJSON_AddTrueToObject(cJSON_GetObjectItemCaseSensitive(object, "parameters"), "invariance");
        cJSON *implementations = cJSON_AddArrayToObject(object, "implementations");
        for (size_t i = 0; i < outcomes->count; i++)
            add_implementation(implementations, request, &outcomes->implementations[i],
                               &outcomes->outcomes[i], r);
        cJSON_AddArrayToObject(object, "differences");
    }
}

static void print_change(FILE *stream, const struct invariance_request *request,
                         const struct implementation *implementation,
                         const struct property *property, const struct change *change,
                         const struct format *format) {
    const struct sweep_request sweep = as_sweep(request);
    char decimal[NUMBER_TEXT], bits[NUMBER_TEXT];
    fprintf(stream, "      first at    ");
    text_print_input(stream, &sweep, change->input);
    fprintf(stream, "\n      first gave  %s  %s\n",
            format_bits_text(format, change->reference, bits),
            format_decimal_text(format, change->reference, decimal));
    fprintf(stream, "      then        %s  %s\n", format_bits_text(format, change->got, bits),
            format_decimal_text(format, change->got, decimal));
    fprintf(stream, "      as          %s\n      again by    ", FOREIGN(change->where));
    print_command(stream, request, implementation, property, change);
    fputc('\n', stream);
}

static void print_events(FILE *stream, const struct property_tally *tally, bool colour) {
    char count[32];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (tally->events[kind])
            fprintf(stream, "      %s%s: %s%s\n", colour ? TEXT_BAD : "", event_names[kind],
                    text_grouped(tally->events[kind], count), colour ? TEXT_PLAIN : "");
    if (tally->unanswered)
        fprintf(stream, "      %sno answer: %s%s\n", colour ? TEXT_BAD : "",
                text_grouped(tally->unanswered, count), colour ? TEXT_PLAIN : "");
}

static void print_property(FILE *stream, const struct invariance_outcomes *outcomes, size_t index,
                           const struct property_outcome *one, int result, bool colour) {
    const struct invariance_request *request = outcomes->request;
    const struct property_tally *tally = &one->tally;
    uint64_t changed = tally->results[result].changed;
    char count[32], all[32];
    if (!one->tested) {
        fprintf(stream, "    %-16s not tested: %s\n", one->property->name, FOREIGN(one->why.text));
        return;
    }
    fprintf(stream, "    %-16s %s%s%s of %s %s change bits\n", one->property->name,
            colour && changed ? TEXT_BAD : "", text_grouped(changed, count),
            colour && changed ? TEXT_PLAIN : "",
            text_grouped(tally->inputs - tally->unanswered, all),
            request->computed.operation->array ? "calls" : "inputs");
    if (changed)
        print_change(stream, request, &outcomes->implementations[index], one->property,
                     &tally->results[result].first, outcomes->outcomes[index].formats[result]);
    print_events(stream, tally, colour);
}

void invariance_print(FILE *stream, const struct invariance_outcomes *outcomes, bool colour) {
    const struct invariance_request *request = outcomes->request;
    const struct binding_request *computed = &request->computed;
    char name[64];
    for (int r = 0; r < computed->operation->results; r++) {
        fprintf(stream, "%s  %s  %s", operation_result_name(computed->operation, r, name),
                computed->format->name, rounding_names[computed->rounding]);
        text_print_parameters(stream, &computed->parameters);
        fprintf(stream, "  %s\n", FOREIGN(request->domain->text));
        for (size_t i = 0; i < outcomes->count; i++) {
            const struct invariance_outcome *outcome = &outcomes->outcomes[i];
            fprintf(stream, "\n  %s", FOREIGN(outcomes->implementations[i].name));
            if (!outcome->provided) {
                fprintf(stream, "  not provided: %s\n", FOREIGN(outcome->reason.text));
                continue;
            }
            fprintf(stream, "  (%s)\n", FOREIGN(outcome->detail));
            for (size_t k = 0; k < request->property_count; k++)
                print_property(stream, outcomes, i, &outcome->properties[k], r, colour);
        }
        fputc('\n', stream);
    }
}

/* Properties as JSON and as lines. */
#include "report/invariance.h"

#include "base/foreign.h"
#include "base/memory.h"
#include "format/text.h"
#include "invariance/properties.h"
#include "invariance/record.h"
#include "op/calls.h"
#include "report/text.h"
#include "report/variants.h"
#include "sweep/wire.h"

#include <stdlib.h>
#include <string.h>

/* What functions for sweeps are told. */
static struct sweep_request as_sweep(const struct invariance_request *request) {
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

/* The command that shows again what has come of an input. */
static void print_command(FILE *stream, const struct invariance_request *request,
                          const struct implementation *implementation,
                          const struct property *property, const uint64_t input[MAX_OPERANDS]) {
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
    print_settings(stream, implementation);
    fprintf(stream, " --property %s", property->name);
    for (size_t i = 0; property->variants && i < request->variant_count; i++) {
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
    print_command(stream, request, implementation, property, input);
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
    if (one->property->variants && outcome->variants)
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

static cJSON *append_object(cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_property(cJSON *array, const struct invariance_request *request,
                         const struct implementation *implementation,
                         const struct invariance_outcome *outcome,
                         const struct property_outcome *one, int result) {
    const struct sweep_request sweep = as_sweep(request);
    const struct sweep_wire wire =
        sweep_wire_of(&sweep, 0, result, outcome->formats[result], false);
    struct size_record sizes[BATCH_SIZES];
    struct variant_record variants[MOST_VARIANTS];
    const struct property_record record = record_of(request, outcome, one, result, sizes, variants);
    cJSON *object = append_object(array);
    record_write(object, &property_record, &record, NULL, &wire.wire);
    if (one->tested && record.has_first)
        add_command(cJSON_GetObjectItemCaseSensitive(object, "first"), request, implementation,
                    one->property, record.first.input);
}

static void add_events(cJSON *object, const struct invariance_request *request,
                       const struct implementation *implementation,
                       const struct invariance_outcome *outcome) {
    const struct sweep_request sweep = as_sweep(request);
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
        cJSON *row = append_object(array);
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
    cJSON *object = append_object(array);
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
        cJSON *object = report_begin_result(report, &sweep, r, invariance_inputs(request));
        cJSON_AddTrueToObject(cJSON_GetObjectItemCaseSensitive(object, "parameters"), "invariance");
        cJSON *implementations = cJSON_AddArrayToObject(object, "implementations");
        for (size_t i = 0; i < outcomes->count; i++)
            add_implementation(implementations, request, &outcomes->implementations[i],
                               &outcomes->outcomes[i], r);
        cJSON_AddArrayToObject(object, "differences");
    }
}

/* An input of a property, under which circumstances, and how to see it. */
struct shown {
    const struct invariance_outcomes *outcomes;
    size_t implementation;
    const struct property *property;
    int result;
    bool colour;
};

static void print_where(FILE *stream, const struct shown *shown, const char *where,
                        const uint64_t input[MAX_OPERANDS]) {
    if (*where)
        fprintf(stream, "      as          %s\n", FOREIGN(where));
    fputs("      again by    ", stream);
    print_command(stream, shown->outcomes->request,
                  &shown->outcomes->implementations[shown->implementation], shown->property, input);
    fputc('\n', stream);
}

static void print_first(FILE *stream, const struct shown *shown,
                        const uint64_t input[MAX_OPERANDS]) {
    const struct sweep_request sweep = as_sweep(shown->outcomes->request);
    fputs("      first at    ", stream);
    text_print_input(stream, &sweep, input);
    fputc('\n', stream);
}

static void print_output(FILE *stream, const char *label, const struct format *format,
                         uint64_t code) {
    char decimal[NUMBER_TEXT], bits[NUMBER_TEXT];
    fprintf(stream, "      %-10s  %s  %s\n", label, format_bits_text(format, code, bits),
            format_decimal_text(format, code, decimal));
}

/* Of some properties nothing of the bits has changed. */
static void print_change(FILE *stream, const struct shown *shown, const struct change *change) {
    const struct format *format =
        shown->outcomes->outcomes[shown->implementation].formats[shown->result];
    print_first(stream, shown, change->input);
    if (change->reference != change->got) {
        print_output(stream, "first gave", format, change->reference);
        print_output(stream, "then", format, change->got);
    }
    print_where(stream, shown, change->where, change->input);
}

static void print_events(FILE *stream, const struct shown *shown,
                         const struct property_tally *tally) {
    const char *bad = shown->colour ? TEXT_BAD : "", *plain = shown->colour ? TEXT_PLAIN : "";
    const struct {
        const char *label;
        uint64_t count;
    } missing[] = {{"no answer", tally->unanswered}, {"not asked, after that", tally->left_out}};
    char count[32];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (tally->events[kind])
            fprintf(stream, "      %s%s: %s%s\n", bad, event_names[kind],
                    text_grouped(tally->events[kind], count), plain);
    if (tally->event_count) {
        print_first(stream, shown, tally->first_event.input);
        print_where(stream, shown, tally->first_event_where, tally->first_event.input);
    }
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (missing[i].count)
            fprintf(stream, "      %s%s: %s%s\n", bad, missing[i].label,
                    text_grouped(missing[i].count, count), plain);
}

/* Sizes from `at` on that were compared in as many calls, those that follow one another as a range; where
 * the next ones begin. */
static size_t print_sizes_alike(FILE *stream, const struct property_tally *tally, size_t at) {
    const struct batch_sizes *sizes = &tally->batch_sizes;
    const uint64_t calls = tally->batch_calls[at];
    char number[32];
    for (const char *before = ""; at < sizes->count && tally->batch_calls[at] == calls;
         before = ", ") {
        size_t end = at + 1;
        while (end < sizes->count && sizes->sizes[end] == sizes->sizes[end - 1] + 1 &&
               tally->batch_calls[end] == calls)
            end++;
        fprintf(stream, "%s%s", before, text_grouped(sizes->sizes[at], number));
        if (end > at + 1)
            fprintf(stream, "%s%s", end > at + 2 ? " to " : ", ",
                    text_grouped(sizes->sizes[end - 1], number));
        at = end;
    }
    if (calls)
        fprintf(stream, ": %s call%s\n", text_grouped(calls, number), calls == 1 ? "" : "s");
    else
        fputs(": not tried, too large or after one that changes bits\n", stream);
    return at;
}

/* In how many calls a batch of each size was compared. */
static void print_sizes(FILE *stream, const struct property_tally *tally) {
    for (size_t at = 0; at < tally->batch_sizes.count;) {
        fputs(at ? "                  " : "      batches of  ", stream);
        at = print_sizes_alike(stream, tally, at);
    }
}

/* "; ONLY 1 of 4 compared", where it is under half. */
static const char *hollow_text(const struct property_tally *tally, char text[96]) {
    const uint64_t compared = tally->inputs - tally->unanswered,
                   all = tally->inputs + tally->not_called;
    char count[32], number[32];
    *text = '\0';
    if (compared < all - compared)
        snprintf(text, 96, "; ONLY %s of %s compared", text_grouped(compared, count),
                 text_grouped(all, number));
    return text;
}

static void print_property(FILE *stream, const struct shown *shown,
                           const struct property_outcome *one) {
    const struct invariance_request *request = shown->outcomes->request;
    const struct property_tally *tally = &one->tally;
    uint64_t changed = tally->results[shown->result].changed;
    const char *noun = request->computed.operation->array ? "call" : "input";
    const uint64_t compared = tally->inputs - tally->unanswered;
    char count[32], all[32], hollow[96];
    fprintf(stream, "    %-16s ", one->property->name);
    if (!one->tested) {
        fprintf(stream, "not tested: %s\n", FOREIGN(one->why.text));
        return;
    }
    if (tally->inputs == tally->unanswered)
        fprintf(stream, "%snone of %s %s%s could be compared%s\n", shown->colour ? TEXT_BAD : "",
                text_grouped(tally->inputs, all), noun, tally->inputs == 1 ? "" : "s",
                shown->colour ? TEXT_PLAIN : "");
    else
        fprintf(stream, "%s%s%s of %s %s%s bits\n", shown->colour && changed ? TEXT_BAD : "",
                text_grouped(changed, count), shown->colour && changed ? TEXT_PLAIN : "",
                text_grouped(compared, all), noun, compared == 1 ? " changes" : "s change");
    print_sizes(stream, tally);
    if (tally->not_called)
        fprintf(stream, "      never called: %s  (no integer of C)%s\n",
                text_grouped(tally->not_called, count), hollow_text(tally, hollow));
    if (changed)
        print_change(stream, shown, &tally->results[shown->result].first);
    if (tally->unrepeatable)
        fprintf(
            stream,
            "      not repeatable: %s; the same call again gives other bits, which is no change by "
            "this property\n",
            text_grouped(tally->unrepeatable, count));
    if (tally->at_once)
        fprintf(stream, "      calls that each thread made while others did: %s",
                text_grouped(tally->at_once, count));
    if (tally->first_at_once)
        fprintf(stream, ", the first ones of %s process%s among them",
                text_grouped(tally->first_at_once, all), tally->first_at_once == 1 ? "" : "es");
    if (tally->at_once)
        fputc('\n', stream);
    variants_print(stream, one, shown->outcomes->outcomes[shown->implementation].variants,
                   shown->result);
    print_events(stream, shown, tally);
}

void invariance_print(FILE *stream, const struct invariance_outcomes *outcomes, bool colour) {
    const struct invariance_request *request = outcomes->request;
    const struct binding_request *computed = &request->computed;
    const struct sweep_request sweep = as_sweep(request);
    char name[64], inputs[TEXT_INPUTS];
    for (int r = 0; r < computed->operation->results; r++) {
        fprintf(stream, "%s  %s  %s", operation_result_name(computed->operation, r, name),
                computed->format->name, rounding_names[computed->rounding]);
        text_print_parameters(stream, &computed->parameters);
        fprintf(stream, "  %s\n", FOREIGN(text_inputs(&sweep, inputs)));
        for (size_t i = 0; i < outcomes->count; i++) {
            const struct invariance_outcome *outcome = &outcomes->outcomes[i];
            fprintf(stream, "\n  %s", FOREIGN(outcomes->implementations[i].name));
            if (!outcome->provided) {
                fprintf(stream, "  not provided: %s\n", FOREIGN(outcome->reason.text));
                continue;
            }
            fprintf(stream, "  (%s)\n", FOREIGN(outcome->detail));
            for (size_t k = 0; k < request->property_count; k++) {
                const struct shown shown = {outcomes, i, outcome->properties[k].property, r,
                                            colour};
                print_property(stream, &shown, &outcome->properties[k]);
            }
        }
        fputc('\n', stream);
    }
}

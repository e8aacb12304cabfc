/* Properties as lines. */
#include "report/invariance.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

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
    invariance_print_command(stream, shown->outcomes->request,
                             &shown->outcomes->implementations[shown->implementation],
                             shown->property, input);
    fputc('\n', stream);
}

static void print_first(FILE *stream, const struct shown *shown,
                        const uint64_t input[MAX_OPERANDS]) {
    const struct sweep_request sweep = invariance_sweep(shown->outcomes->request);
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
    } missing[] = {{"no answer", tally->unanswered}, {"left out, after that", tally->left_out}};
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
        fputs(": not tried, because they are too large or a smaller size changed bits\n", stream);
    return at;
}

/* In how many calls a batch of each size was compared. */
static void print_sizes(FILE *stream, const struct property_tally *tally) {
    for (size_t at = 0; at < tally->batch_sizes.count;) {
        fputs(at ? "                  " : "      batches of  ", stream);
        at = print_sizes_alike(stream, tally, at);
    }
}

/* A line for each variant. */
static void print_variants(FILE *stream, const struct property_outcome *one,
                           const struct variants *variants, int result) {
    char count[32];
    for (size_t i = 0; property_takes_variants(one->property) && variants && i < variants->count;
         i++)
        if (variants->rows[i].is_tried)
            fprintf(stream, "      %s changed with %s\n",
                    text_grouped(one->tally.by_variant[i][result], count),
                    FOREIGN(variants->rows[i].text));
        else
            fprintf(stream, "      not tested with %s: %s\n", FOREIGN(variants->rows[i].text),
                    FOREIGN(variants->rows[i].why.text));
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
        fprintf(stream,
                "      not repeatable: %s; the same call again gives other bits, which is not a "
                "change by "
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
    print_variants(stream, one, shown->outcomes->outcomes[shown->implementation].variants,
                   shown->result);
    print_events(stream, shown, tally);
}

/* Whether there is more to say of a property than that it changes nothing. */
static bool stands_out(const struct property_outcome *one, int result) {
    const struct property_tally *tally = &one->tally;
    return one->tested &&
           (tally->results[result].changed || tally->event_count || tally->unanswered ||
            tally->left_out || tally->unrepeatable || tally->not_called);
}

/* "2 of 9 properties change bits; 3 not tested". False where none was tested: then each has to say why. */
static bool print_verdict(FILE *stream, const struct invariance_outcome *outcome, size_t count,
                          int result, bool colour) {
    size_t changed = 0, tested = 0, unanswered = 0;
    for (size_t k = 0; k < count; k++) {
        const struct property_tally *tally = &outcome->properties[k].tally;
        const bool compared = tally->inputs > tally->unanswered;
        tested += outcome->properties[k].tested && compared;
        unanswered += outcome->properties[k].tested && !compared;
        changed += outcome->properties[k].tested &&
                   outcome->properties[k].tally.results[result].changed > 0;
    }
    if (!tested) {
        fprintf(stream, "    no property could be tested\n");
        return false;
    }
    fprintf(stream, "    %s%zu of %zu propert%s %s bits%s", colour && changed ? TEXT_BAD : "",
            changed, tested, tested == 1 ? "y" : "ies",
            changed == 1 || tested == 1 ? "changes" : "change",
            colour && changed ? TEXT_PLAIN : "");
    if (unanswered)
        fprintf(stream, "; %zu without an answer", unanswered);
    if (tested + unanswered < count)
        fprintf(stream, "; %zu not tested", count - tested - unanswered);
    fputc('\n', stream);
    return true;
}

void invariance_print(FILE *stream, const struct invariance_outcomes *outcomes, bool every,
                      bool colour) {
    const struct invariance_request *request = outcomes->request;
    const struct binding_request *computed = &request->computed;
    const struct sweep_request sweep = invariance_sweep(request);
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
            const bool few =
                print_verdict(stream, outcome, request->property_count, r, colour) && !every;
            for (size_t k = 0; k < request->property_count; k++) {
                if (few && !stands_out(&outcome->properties[k], r))
                    continue;
                const struct shown shown = {outcomes, i, outcome->properties[k].property, r,
                                            colour};
                print_property(stream, &shown, &outcome->properties[k]);
            }
        }
        fputc('\n', stream);
    }
}

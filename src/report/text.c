/* Text for people: aligned, grouped, one screen. */
#include "report/text.h"

#include "report/effects.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/array_input.h"
#include "report/lengths.h"
#include "report/libraries.h"
#include "report/promise.h"
#include "report/shown.h"
#include "report/value.h"
#include "sweep/search/search.h"

#include <inttypes.h>
#include <mpfr.h>
#include <string.h>

/* "  (12.5000 %)" of the outputs judged; nothing of inputs that a search chose for their errors: of them a share
 * would read as a rate. */
static const char *share_behind(const struct tally *tally, uint64_t part, char text[40]) {
    char share[32];
    *text = '\0';
    if (!(tally->tells & TELLS_FLUSHED))
        snprintf(text, 40, "  (%s)", text_share(part, tally->tested, share));
    return text;
}

static void print_value(FILE *stream, const struct format *format, const char *label,
                        uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    fprintf(stream, "                         %s %s  %s  %s\n", label,
            format_decimal_text(format, code, decimal), format_hex_text(format, code, hex),
            format_bits_text(format, code, bits));
}

static void print_max(FILE *stream, const struct sweep_request *request, size_t index, int result,
                      const struct format *format, const struct tally *tally) {
    char error[32];
    if (!tally->has_max) {
        fprintf(stream, "  largest error          none: no exact result is a number\n");
        return;
    }
    char digits[DIGITS_TEXT] = "";
    bool far_off = shown_digits(format, &tally->max, digits);
    fprintf(stream, "  largest error          %s ulp%s%s%s\n",
            text_error(tally->max.error, 6, error), far_off ? "  (" : "", digits,
            far_off ? ")" : "");
    fprintf(stream, "                      at   ");
    text_print_input(stream, request, tally->max.input);
    fprintf(stream, "\n");
    print_value(stream, format, "got ", tally->max.got);
    print_value(stream, format, "want", tally->max.want);
    array_input_print(stream, request, index, result, tally->max.input);
    if (tally->flushed) {
        char count[32];
        fprintf(stream, "  flushed to zero        %s, where the right result is subnormal\n",
                text_grouped(tally->flushed, count));
        fprintf(stream, "  largest of the others  %s\n",
                tally->has_max_else ? text_error(tally->max_else.error, 6, error) : "none");
    }
    if (tally->flushed && tally->has_max_else) {
        fprintf(stream, "                      at   ");
        text_print_input(stream, request, tally->max_else.input);
        fprintf(stream, "\n");
    }
    double mean = error_sum_mean(&tally->error_sum, tally->in_ulps);
    /* It is rounded, and may come out above the largest. */
    if (tally->has_max && mean > tally->max.error)
        mean = tally->max.error;
    fprintf(stream, "  mean error             %s ulp\n", text_error(mean, 6, error));
}

static void print_first(FILE *stream, const struct sweep_request *request,
                        const struct format *format, const char *what,
                        const struct witness *first) {
    fprintf(stream, "  %-19s at   ", what);
    text_print_input(stream, request, first->input);
    fprintf(stream, "\n");
    print_value(stream, format, "got ", first->got);
    print_value(stream, format, "want", first->want);
}

static void print_nan_and_sign(FILE *stream, const struct sweep_request *request,
                               const struct format *format, const struct tally *tally,
                               bool colour) {
    char count[32];
    const char *bad = colour ? TEXT_BAD : "", *plain = colour ? TEXT_PLAIN : "";
    fprintf(stream, "  NaN mismatches         %s%s%s", tally->nan_mismatches ? bad : "",
            text_grouped(tally->nan_mismatches, count), tally->nan_mismatches ? plain : "");
    if (tally->signalling_mismatches)
        fprintf(stream, "  (%s with a signalling NaN as operand)",
                text_grouped(tally->signalling_mismatches, count));
    if (tally->nan_bits_differ)
        fprintf(stream, "  (NaNs with other bits than %s: %s)",
                format_bits_text(format, format->nan, (char[NUMBER_TEXT]){0}),
                text_grouped(tally->nan_bits_differ, count));
    if (tally->signalling_nans)
        fprintf(stream, "\n  signalling NaNs        %s%s%s", bad,
                text_grouped(tally->signalling_nans, count), plain);
    fprintf(stream, "\n  wrong sign of zero     %s%s%s\n", tally->sign_mismatches ? bad : "",
            text_grouped(tally->sign_mismatches, count), tally->sign_mismatches ? plain : "");
    if (tally->has_first_nan)
        print_first(stream, request, format, "first NaN", &tally->first_nan);
    if (tally->has_first_sign)
        print_first(stream, request, format, "first wrong zero", &tally->first_sign);
}

static void print_events(FILE *stream, const struct sweep_request *request,
                         const struct tally *tally, bool colour) {
    char count[32];
    if (tally->not_called)
        fprintf(stream, "  %-22s %s  (%s)\n",
                request->computed.operation->converts ? "undefined" : "never called",
                text_grouped(tally->not_called, count),
                request->computed.operation->converts ? "by the profile, and not judged"
                                                      : "no integer of C");
    if (tally->unanswered)
        fprintf(stream, "  %sno answer              %s%s\n", colour ? TEXT_BAD : "",
                text_grouped(tally->unanswered, count), colour ? TEXT_PLAIN : "");
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        if (!tally->events[kind])
            continue;
        fprintf(stream, "  %s%-22s %s%s", colour ? TEXT_BAD : "", event_names[kind],
                text_grouped(tally->events[kind], count), colour ? TEXT_PLAIN : "");
        for (unsigned i = 0; i < tally->event_count; i++)
            if ((int)tally->first_events[i].kind == kind) {
                char place[TEXT_PLACE];
                fprintf(stream, "\n                   first   ");
                if (request->computed.operation->array) /* somewhere in that call */
                    fputs(text_place(request, tally->first_events[i].input, place), stream);
                else
                    text_print_input(stream, request, tally->first_events[i].input);
                break;
            }
        fprintf(stream, "\n");
    }
}

/* And whose it is, unless the name of the implementation says that. */
static void print_fingerprint(FILE *stream, const struct sweep_request *request,
                              const struct implementation *implementation, const char *print,
                              int result) {
    const struct binding_request *computed = &request->computed;
    struct library_names names;
    char identity[FINGERPRINT_TEXT], name[64], text[LIBRARIES_TEXT];
    const bool ours =
        strcmp(implementation->name, "det") == 0 || strcmp(implementation->name, "cr") == 0;
    fprintf(stream, "  fingerprint            %s\n", print);
    if (ours || !domain_identity(request->domain, identity))
        return;
    libraries_recognise(operation_result_name(computed->operation, result, name),
                        computed->format->name, rounding_names[computed->rounding], identity, print,
                        &names);
    if (names.count)
        fprintf(stream, "  has the bits of        %s\n",
                FOREIGN(libraries_text(&names, LIBRARIES_COLUMNS, text)));
}

static void print_implementation(FILE *stream, const struct sweep_request *request, size_t index,
                                 const struct implementation_outcome *outcome, int result,
                                 const struct format *format, bool colour) {
    const struct implementation *implementation = &request->implementations[index];
    const struct tally *tally = &outcome->tallies[result];
    char count[32], share[40], numbers[32], apart[32];
    fprintf(stream, "\n%s%s%s  %s\n", colour ? TEXT_STRONG : "", FOREIGN(implementation->name),
            colour ? TEXT_PLAIN : "", FOREIGN(outcome->detail));
    if (!outcome->provided) {
        fprintf(stream, "  not provided           %s\n", outcome->reason.text);
        return;
    }
    if (request->domain->search && request->domain->search->has_nothing && !tally->unanswered) {
        fprintf(stream, "  found                  nothing\n");
        return;
    }
    if (tally->nan_mismatches)
        fprintf(stream, "  not correctly rounded  %s of %s numbers; %s NaN mismatch%s apart\n",
                text_grouped(tally->incorrect, count),
                text_grouped(tally->in_ulps + tally->sign_mismatches, numbers),
                text_grouped(tally->nan_mismatches, apart), tally->nan_mismatches == 1 ? "" : "es");
    else
        fprintf(stream, "  not correctly rounded  %s%s\n", text_grouped(tally->incorrect, count),
                share_behind(tally, tally->incorrect, share));
    if (tally->tested - tally->faithful)
        fprintf(stream, "  not faithful           %s\n",
                text_grouped(tally->tested - tally->faithful, count));
    print_max(stream, request, index, result, format, tally);
    fprintf(stream, "  beyond 1 ulp           %s\n", text_grouped(tally->over_1_ulp, count));

    if (array_counts_ends(request->computed.operation->array)) {
        fprintf(stream, "  saturated              %s\n", text_grouped(tally->saturated, count));
        fprintf(stream, "  became zero            %s\n", text_grouped(tally->vanished, count));
    }
    if (array_has_values(request->computed.operation->array, result))
        value_print(stream, request, format, tally);
    shown_print(stream, request, index, result, tally, format);
    print_nan_and_sign(stream, request, format, tally, colour);
    print_events(stream, request, tally, colour);
    promise_print(stream, request, index, result, format, tally, colour);
    lengths_print(stream, request, tally, colour);
    if (result == 0) /* calls have flags, not results */
        effects_print(stream, request, outcome, colour);
    if (outcome->fingerprints[result][0])
        print_fingerprint(stream, request, implementation, outcome->fingerprints[result], result);
}

/* The count of a pair passes over NaNs; each tally knows how many of its own are not canonical. */
static void print_nans_apart(FILE *stream, const struct sweep_request *request,
                             const struct sweep_outcome *outcome, const struct pair_outcome *pair,
                             int result) {
    const struct format *format = outcome->formats[result];
    const size_t sides[2] = {pair->a, pair->b};
    uint64_t counts[2];
    char text[NUMBER_TEXT], count[32];
    for (int i = 0; i < 2; i++)
        counts[i] = outcome->implementations[sides[i]].tallies[result].nan_bits_differ;
    if (!counts[0] && !counts[1])
        return;
    fprintf(stream, "  apart from NaNs with other bits than %s:",
            format_bits_text(format, format->nan, text));
    for (int i = 0; i < 2; i++)
        fprintf(stream, "%s %s of %s", i ? "," : "", text_grouped(counts[i], count),
                FOREIGN(request->implementations[sides[i]].name));
    fputc('\n', stream);
}

static void print_differences(FILE *stream, const struct sweep_request *request,
                              const struct sweep_outcome *outcome, const struct pair_outcome *pair,
                              int result) {
    const struct tally *covered = &outcome->implementations[pair->a].tallies[result];
    const struct difference_tally *tally = &pair->results[result];
    char count[32], share[40];
    fprintf(stream, "\n%s and %s give different bits for %s %s%s%s\n",
            FOREIGN(request->implementations[pair->a].name),
            FOREIGN(request->implementations[pair->b].name), text_grouped(tally->count, count),
            request->computed.operation->array ? "element" : "input", tally->count == 1 ? "" : "s",
            share_behind(covered, tally->count, share));
    print_nans_apart(stream, request, outcome, pair, result);
    if (!tally->first_count)
        return;
    fprintf(stream, "                   first   ");
    text_print_input(stream, request, tally->first[0].input);
    fprintf(stream, "\n");
    if (!text_compares_arrays(request))
        return;
    fputs("               to see it   ", stream);
    array_command_print(stream, request, pair->a, pair->b, tally->first[0].input);
    fputc('\n', stream);
}

void text_print_parameters(FILE *stream, const struct parameters *parameters) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *row = &parameter_rows[i];
        char text[PARAMETER_ROOM];
        if (parameters->values[i].present && row->kind == PARAMETER_FLAG)
            fprintf(stream, "  --%s", row->name);
        else if (parameters->values[i].present)
            fprintf(stream, "  --%s %s", row->name,
                    FOREIGN(parameter_text(row, &parameters->values[i], text)));
    }
}

const char *text_inputs(const struct sweep_request *request, char text[TEXT_INPUTS]) {
    const struct shard *shard = &request->shard;
    if (shard_is_part(shard))
        snprintf(text, TEXT_INPUTS, "shard %" PRIu64 "/%" PRIu64 " of %s", shard->number, shard->of,
                 request->domain->text);
    else
        snprintf(text, TEXT_INPUTS, "%s", request->domain->text);
    return text;
}

/* " (judged: 5 of 1,000)" where an implementation has answered under half of what there was to judge:
 * the one that answered least; else nothing. */
static const char *hollow_text(const struct sweep_outcome *outcome, int result, char text[96]) {
    double least = 0.5;
    *text = '\0';
    for (size_t i = 0; i < outcome->implementation_count; i++) {
        const struct tally *tally = &outcome->implementations[i].tallies[result];
        uint64_t all = tally->tested + tally->unanswered + tally->not_called;
        double share = all ? (double)tally->tested / (double)all : 1;
        char judged[32], count[32];
        if (!outcome->implementations[i].provided || share >= least)
            continue;
        least = share;
        snprintf(text, 96, "  ONLY %s of %s judged", text_grouped(tally->tested, judged),
                 text_grouped(all, count));
    }
    return text;
}

void text_print_sweep(FILE *stream, const struct sweep_request *request,
                      const struct sweep_outcome *outcome, bool colour) {
    const struct binding_request *computed = &request->computed;
    char name[64], count[32], duration[32], rate[32], inputs[TEXT_INPUTS], hollow[96];
    for (int result = 0; result < computed->operation->results; result++) {
        fprintf(stream, "%s%s%s%s  %s  %s", result ? "\n" : "", colour ? TEXT_STRONG : "",
                operation_result_name(computed->operation, result, name), colour ? TEXT_PLAIN : "",
                computed->format->name, rounding_names[computed->rounding]);
        text_print_parameters(stream, &computed->parameters);
        bool mark = *hollow_text(outcome, result, hollow) && colour;
        fprintf(stream, "%s%s%s", mark ? TEXT_BAD : "", hollow, mark ? TEXT_PLAIN : "");
        fprintf(stream, "\n%s\n", FOREIGN(text_inputs(request, inputs)));
        if (!outcome->complete && outcome->covered)
            fprintf(stream, "%sINCOMPLETE%s: stopped after %s input%s\n", colour ? TEXT_BAD : "",
                    colour ? TEXT_PLAIN : "", text_grouped(outcome->covered, count),
                    outcome->covered == 1 ? "" : "s");
        for (size_t i = 0; i < outcome->implementation_count; i++)
            print_implementation(stream, request, i, &outcome->implementations[i], result,
                                 outcome->formats[result], colour);
        for (size_t i = 0; i < outcome->pair_count; i++)
            print_differences(stream, request, outcome, &outcome->pairs[i], result);
    }
    const char *noun = computed->operation->array ? "array" : "input";
    uint64_t tried = sweep_tried(request, outcome);
    fprintf(stream, "\n%s %s%s in %s, %s %ss/s, %d thread%s, judged by MPFR %s\n",
            text_grouped(tried, count), noun, tried == 1 ? "" : "s",
            text_duration(outcome->seconds, duration),
            text_rate(outcome->seconds > 0 ? (double)tried / outcome->seconds : 0, rate), noun,
            request->threads, request->threads == 1 ? "" : "s", mpfr_get_version());
}

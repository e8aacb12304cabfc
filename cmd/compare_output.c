/* What compare prints of a row: text, or values that commas separate. */
#include "compare_output.h"
#include "stopped.h"

#include "base/csv.h"
#include "base/foreign.h"
#include "explain/right.h"
#include "format/text.h"
#include "report/invariance_read.h"
#include "report/items.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

static void print_codes(FILE *stream, const char *label, const struct format *format,
                        uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    fprintf(stream, "    %-4s %s  %s  %s\n", label, format_decimal_text(format, code, decimal),
            format_hex_text(format, code, hex), format_bits_text(format, code, bits));
}

static void print_operands(FILE *stream, const struct binding_request *computed,
                           const uint64_t *codes) {
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < computed->operation->operands; i++)
        print_codes(stream, names[i < 3 ? i : 2], format_of_operand(computed->format, i), codes[i]);
}

static void print_witness(FILE *stream, const struct binding_request *computed, int only,
                          const struct differ_witness *witness) {
    const struct format *format = request_result_format(computed);
    print_operands(stream, computed, witness->in);
    for (int i = 0; i < computed->operation->results; i++) {
        if (only >= 0 && only != i)
            continue;
        print_codes(stream, "A", format, witness->a[i]);
        print_codes(stream, "B", format, witness->b[i]);
    }
}

/* What A or B did besides answering. */
static void print_events(FILE *stream, const struct compare_row *row, int side) {
    const struct differ_events *events = &row->outcome.events[side];
    char count[32];
    if (!events->all)
        return;
    fprintf(stream, "  %c", "AB"[side]);
    for (int i = 0, printed = 0; i < EVENT_KINDS; i++)
        if (events->counts[i])
            fprintf(stream, "%s %s %s", printed++ ? "," : "",
                    text_grouped(events->counts[i], count), event_names[i]);
    fprintf(stream, "; the first at input %llu, %s\n", (unsigned long long)events->index,
            event_names[events->kind]);
    print_operands(stream, &row->computed, events->in);
}

static void print_open(FILE *stream, const struct compare_row *row) {
    char count[32];
    if (row->outcome.open)
        fprintf(stream, "  %s inputs undefined by the profile are not compared\n",
                text_grouped(row->outcome.open, count));
}

static void print_nans(FILE *stream, const struct compare_row *row) {
    char count[32];
    if (row->ran && row->outcome.nans)
        fprintf(stream, "  %s input%s apart: NaNs with other bits, which count as equal\n",
                text_grouped(row->outcome.nans, count), row->outcome.nans == 1 ? "" : "s");
}

static void print_inputs(FILE *stream, const struct compare_row *row) {
    const struct differ_outcome *outcome = &row->outcome;
    char differ[32], tested[32];
    for (int side = 0; side < 2; side++)
        print_events(stream, row, side);
    if (outcome->unanswered)
        fprintf(stream, "  %s inputs without an answer are not compared\n",
                text_grouped(outcome->unanswered, differ));
    fprintf(stream, "  %s of %s inputs have other bits\n", text_grouped(outcome->differ, differ),
            text_grouped(outcome->tested, tested));
    print_nans(stream, row);
    if (outcome->first_count) {
        fprintf(stream, "  first, of input %llu\n", (unsigned long long)outcome->first[0].index);
        print_witness(stream, &row->computed, row->only, &outcome->first[0]);
    }
    if (outcome->differ)
        fprintf(stream, "  by binade of the first operand\n");
    for (int i = 0; i < DIFFER_BINADES; i++)
        if (outcome->binades[i].differ)
            fprintf(stream, "    2^%-5d %s of %s\n", outcome->lowest_exponent + i,
                    text_grouped(outcome->binades[i].differ, differ),
                    text_grouped(outcome->binades[i].tested, tested));
    if (outcome->none.differ)
        fprintf(stream, "    zero, infinity, NaN: %s of %s\n",
                text_grouped(outcome->none.differ, differ),
                text_grouped(outcome->none.tested, tested));
}

/* Counts of faults of exception flags and errno that differ, and who does not tell. */
static void print_effects(FILE *stream, const struct compare_row *row) {
    char a[32], b[32];
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        for (int side = 0; side < 2; side++)
            if (row->effects[side].asked[part] && !row->effects[side].reported[part])
                fprintf(stream, "  %c does not tell its %s\n", "AB"[side], effect_part_names[part]);
        for (int i = 0; i < (int)EFFECT_FAULTS * EFFECTS && compare_effects_differ(row, part);
             i++) {
            int fault = i / EFFECTS, effect = i % EFFECTS;
            const uint64_t of_a = row->effects[0].counts[fault][effect];
            const uint64_t of_b = row->effects[1].counts[fault][effect];
            if (effect_part_of(effect) == part && of_a != of_b)
                fprintf(stream, "  %s %s in %s calls of A, %s of B\n", effect_name(effect),
                        effect_fault_names[fault], text_grouped(of_a, a), text_grouped(of_b, b));
        }
    }
}

static void print_property(FILE *stream, char side, const struct property_record *one) {
    char changed[32], inputs[32];
    if (!one)
        fprintf(stream, "    %c has nothing of it\n", side);
    else if (!one->tested)
        fprintf(stream, "    %c not tested: %s\n", side, FOREIGN(one->why));
    else
        fprintf(stream, "    %c %s of %s input%s bits\n", side, text_grouped(one->changed, changed),
                text_grouped(one->inputs, inputs), one->inputs == 1 ? " changes" : "s change");
    const cJSON *first = one ? property_first(one) : NULL;
    if (!first)
        return;
    static const char *const members[] = {"reference", "got", "where"};
    fprintf(stream, "      first at ");
    char *input = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(first, "input"));
    fprintf(stream, "%s", input ? FOREIGN(input) : "?");
    cJSON_free(input);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        fprintf(stream, "%s%s", i == 1 ? ", then " : ", ",
                FOREIGN(report_string(first, members[i])));
    fputc('\n', stream);
}

bool compare_next_property(const struct compare_row *row, size_t *at, const char **name,
                           const struct property_record *sides[2]) {
    const struct read_implementation *a = row->invariance[0], *b = row->invariance[1];
    for (; a && *at < a->property_count + b->property_count; ++*at) {
        bool of_a = *at < a->property_count;
        *name = of_a ? a->properties[*at].name : b->properties[*at - a->property_count].name;
        sides[0] = read_property_find(a, *name);
        sides[1] = read_property_find(b, *name);
        if ((of_a || !sides[0]) && compare_properties_differ(sides[0], sides[1]))
            return ++*at;
    }
    return false;
}

static void print_invariance(FILE *stream, const struct compare_row *row) {
    const struct property_record *sides[2];
    const char *name;
    for (size_t at = 0; compare_next_property(row, &at, &name, sides);) {
        fprintf(stream, "  %s\n", FOREIGN(name));
        for (int side = 0; side < 2; side++)
            print_property(stream, "AB"[side], sides[side]);
    }
    if (row->invariance[0] && row->invariance[0]->events != row->invariance[1]->events)
        fprintf(stream, "  crashes and other events: %llu of A, %llu of B\n",
                (unsigned long long)row->invariance[0]->events,
                (unsigned long long)row->invariance[1]->events);
}

static void print_libraries(FILE *stream, const struct compare_row *row, int side,
                            const char *who) {
    char text[LIBRARIES_TEXT];
    if (row->libraries[side].count)
        fprintf(stream, "  %s the bits of %s\n", who,
                FOREIGN(libraries_text(&row->libraries[side], LIBRARIES_COLUMNS, text)));
}

static bool print_measure(void *context, const struct measure *measure,
                          const struct measure_difference *difference) {
    char a[32], b[32];
    FILE *stream = context;
    const struct text_figures figures = text_cut_figures(record_number_text(difference->was, a),
                                                         record_number_text(difference->is, b));
    fprintf(stream, "  %s%s%s: %s of A, %s of B", FOREIGN(measure->name),
            *difference->where ? " " : "", difference->where, figures.allowed, figures.found);
    if (difference->differ > 1)
        fprintf(stream, ", and %zu more differ", difference->differ - 1);
    fputc('\n', stream);
    return true;
}

/* "build-id:" and "xxh3-128:" are of two kinds, of which nothing can be said. */
static bool same_kind(const char *a, const char *b) {
    const size_t kind = strcspn(a, ":");
    return kind == strcspn(b, ":") && strncmp(a, b, kind) == 0;
}

static void print_builds(FILE *stream, const struct compare_row *row) {
    struct build_part part;
    if (!row->builds[0] || !same_kind(row->builds[0], row->builds[1]))
        return;
    build_find_difference(row->builds[0], row->builds[1], &part);
    fprintf(stream, "  the build of A is %s\n  the build of B is %s\n", FOREIGN(part.mine),
            FOREIGN(part.other));
}

/* "5,000,000 samples equal; of 4,294,967,296 inputs" */
static void print_verdict(FILE *stream, const struct compare_row *row) {
    char of[32];
    if (!row->equal)
        fprintf(stream, "they differ");
    else
        fprintf(stream, "%s equal", *row->covered ? row->covered : "properties");
    if (row->equal && row->of)
        fprintf(stream, "; of %s inputs", text_grouped(row->of, of));
    if (row->equal && row->of_bits)
        fprintf(stream, "; of 2^%u inputs", row->of_bits);
    const char *const *variants = row->variants;
    if (row->equal && variants[0] && variants[1] && strcmp(variants[0], variants[1]) != 0) {
        fprintf(stream, "; libm is %s in A", FOREIGN(variants[0]));
        fprintf(stream, ", %s in B", FOREIGN(variants[1]));
    }
    fputc('\n', stream);
}

/* Who computed: the implementation, its library, how that computes where it has the choice, and the machine. */
static void print_side(FILE *stream, const struct compare_row *row, int side) {
    const char *variant = row->variants[side], *host = row->hosts[side];
    fprintf(stream, "  %c %s  %s", "AB"[side], FOREIGN(side ? row->b : row->a),
            FOREIGN(side ? row->b_detail : row->a_detail));
    if (variant)
        fprintf(stream, ", %s", FOREIGN(variant));
    if (host)
        fprintf(stream, ", on %s", FOREIGN(host));
    if (row->built[side] && *row->built[side] && !row->builds[0])
        fprintf(stream, "\n    %.*s", (int)strcspn(row->built[side], ","),
                FOREIGN(row->built[side]));
    fputc('\n', stream);
}

static void print_block(FILE *stream, const struct compare_row *row) {
    struct error unused;
    const struct format *format = format_find(row->format, &unused);
    fprintf(stream, "  %llu of %llu %s, the first is number %llu\n",
            (unsigned long long)row->blocks_differ, (unsigned long long)row->blocks,
            row->of_calls ? "calls" : "blocks of 65,536 outputs",
            (unsigned long long)row->first_block);
    for (int i = 0; row->has_range && format && i < MAX_OPERANDS && format_of_operand(format, i);
         i++) {
        char first[NUMBER_TEXT], last[NUMBER_TEXT];
        if (i && row->first_codes[i] == row->last_codes[i])
            break;
        const struct format *of = format_of_operand(format, i);
        fprintf(stream, "    its %s from %s", i ? "next operand" : "inputs",
                format_decimal_text(of, row->first_codes[i], first));
        fprintf(stream, " (%s)", format_bits_text(of, row->first_codes[i], first));
        fprintf(stream, " to %s", format_decimal_text(of, row->last_codes[i], last));
        fprintf(stream, " (%s)\n", format_bits_text(of, row->last_codes[i], last));
    }
}

void compare_row_print(FILE *stream, const struct compare_row *row) {
    bool same = strcmp(row->a, row->b) == 0;
    fprintf(stream, "%s  %s  %s%s%s  %s%s%s: ", FOREIGN(row->operation), FOREIGN(row->format),
            FOREIGN(row->rounding), *row->parameters ? "  " : "", FOREIGN(row->parameters),
            FOREIGN(row->a), same ? "" : " and ", same ? "" : FOREIGN(row->b));
    print_verdict(stream, row);
    if (row->equal) {
        print_nans(stream, row);
        print_open(stream, row);
        print_builds(stream, row);
        print_libraries(stream, row, 0, "both have");
        print_effects(stream, row);
        compare_measures(row, print_measure, stream);
        return;
    }
    for (int side = 0; side < 2; side++)
        print_side(stream, row, side);
    print_builds(stream, row);
    print_libraries(stream, row, 0, "A has");
    print_libraries(stream, row, 1, "B has");
    if (row->blocks)
        print_block(stream, row);
    print_open(stream, row);
    if (row->ran)
        print_inputs(stream, row);
    else if (*row->why)
        fprintf(stream, "  the inputs are not known: %s\n", FOREIGN(row->why));
    print_effects(stream, row);
    compare_measures(row, print_measure, stream);
    print_invariance(stream, row);
    const char *why = compare_why(row, (char[NEXT_TEXT]){0});
    if (*why && explain_knows(row->computed.operation))
        fprintf(stream, "  why: %s\n", why);
    const char *next = compare_next(row, (char[NEXT_TEXT]){0});
    if (*next)
        fprintf(stream, "  next: %s\n", next);
}

void compare_say_stopped(const struct compare_row *row, uint64_t count, struct error *error) {
    const struct differ_outcome *outcome = &row->outcome;
    say_stopped(&(struct stopped){.operation = row->operation,
                                  .format = format_of_operand(row->computed.format, 0),
                                  .done = outcome->tested + outcome->unanswered + outcome->open,
                                  .count = count,
                                  .differ = outcome->differ,
                                  .unanswered = outcome->unanswered,
                                  .first = outcome->first[0].in[0]},
                error);
}

void compare_row_csv(FILE *stream, const struct compare_row *row) {
    static bool begun;
    if (!begun)
        fprintf(stream, "operation,format,rounding,a,b,equal,inputs,of,tested,differ\n");
    begun = true;
    const char *const names[] = {row->operation, row->format, row->rounding, row->a, row->b};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        csv_print(stream, names[i]);
        fputc(',', stream);
    }
    fprintf(stream, "%s,%llu,%llu,", row->equal ? "true" : "false", (unsigned long long)row->inputs,
            (unsigned long long)(row->of ? row->of : row->inputs));
    if (row->ran)
        fprintf(stream, "%llu,%llu", (unsigned long long)row->outcome.tested,
                (unsigned long long)row->outcome.differ);
    else
        fputc(',', stream);
    fputc('\n', stream);
}

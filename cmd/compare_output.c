/* What compare says of a row: text and JSON. */
#include "compare_output.h"
#include "json_codes.h"

#include "base/foreign.h"
#include "base/json_tree.h"
#include "format/text.h"
#include "report/invariance_read.h"
#include "report/items.h"
#include "report/text.h"
#include "sweep/open_inputs.h"

#include <stdio.h>
#include <string.h>

static void print_codes(const char *label, const struct format *format, uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    printf("    %-4s %s  %s  %s\n", label, format_decimal_text(format, code, decimal),
           format_hex_text(format, code, hex), format_bits_text(format, code, bits));
}

static void print_operands(const struct binding_request *computed, const uint64_t *codes) {
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < computed->operation->operands; i++)
        print_codes(names[i < 3 ? i : 2], computed->format, codes[i]);
}

static void print_witness(const struct binding_request *computed, int only,
                          const struct differ_witness *witness) {
    const struct format *format = request_result_format(computed);
    print_operands(computed, witness->in);
    for (int i = 0; i < computed->operation->results; i++) {
        if (only >= 0 && only != i)
            continue;
        print_codes("A", format, witness->a[i]);
        print_codes("B", format, witness->b[i]);
    }
}

/* What A or B did besides answering. */
static void print_events(const struct compare_row *row, int side) {
    const struct differ_events *events = &row->outcome.events[side];
    char count[32];
    if (!events->all)
        return;
    printf("  %c", "AB"[side]);
    for (int i = 0, printed = 0; i < EVENT_KINDS; i++)
        if (events->counts[i])
            printf("%s %s %s", printed++ ? "," : "", text_grouped(events->counts[i], count),
                   event_names[i]);
    printf("; the first at input %llu, %s\n", (unsigned long long)events->index,
           event_names[events->kind]);
    print_operands(&row->computed, events->in);
}

static void print_open(const struct compare_row *row) {
    char count[32];
    if (row->outcome.open)
        printf("  %s inputs undefined by the profile are not compared\n",
               text_grouped(row->outcome.open, count));
}

static void print_inputs(const struct compare_row *row) {
    const struct differ_outcome *outcome = &row->outcome;
    char differ[32], tested[32];
    for (int side = 0; side < 2; side++)
        print_events(row, side);
    if (outcome->unanswered)
        printf("  %s inputs without an answer are not compared\n",
               text_grouped(outcome->unanswered, differ));
    printf("  %s of %s inputs have other bits\n", text_grouped(outcome->differ, differ),
           text_grouped(outcome->tested, tested));
    if (outcome->first_count) {
        printf("  first, of input %llu\n", (unsigned long long)outcome->first[0].index);
        print_witness(&row->computed, row->only, &outcome->first[0]);
    }
    if (outcome->differ)
        printf("  by binade of the first operand\n");
    for (int i = 0; i < DIFFER_BINADES; i++)
        if (outcome->binades[i].differ)
            printf("    2^%-5d %s of %s\n", outcome->lowest_exponent + i,
                   text_grouped(outcome->binades[i].differ, differ),
                   text_grouped(outcome->binades[i].tested, tested));
    if (outcome->none.differ)
        printf("    zero, infinity, NaN: %s of %s\n", text_grouped(outcome->none.differ, differ),
               text_grouped(outcome->none.tested, tested));
}

/* Counts of faults of exception flags and errno that differ, and who does not tell. */
static void print_effects(const struct compare_row *row) {
    char a[32], b[32];
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        for (int side = 0; side < 2; side++)
            if (row->effects[side].asked[part] && !row->effects[side].reported[part])
                printf("  %c does not tell its %s\n", "AB"[side], effect_part_names[part]);
        for (int i = 0; i < (int)EFFECT_FAULTS * EFFECTS && compare_effects_differ(row, part);
             i++) {
            int fault = i / EFFECTS, effect = i % EFFECTS;
            const uint64_t of_a = row->effects[0].counts[fault][effect];
            const uint64_t of_b = row->effects[1].counts[fault][effect];
            if (effect_part_of(effect) == part && of_a != of_b)
                printf("  %s %s in %s calls of A, %s of B\n", effect_name(effect),
                       effect_fault_names[fault], text_grouped(of_a, a), text_grouped(of_b, b));
        }
    }
}

static void print_property(char side, const struct property_record *one) {
    char changed[32], inputs[32];
    if (!one)
        printf("    %c has nothing of it\n", side);
    else if (!one->tested)
        printf("    %c not tested: %s\n", side, FOREIGN(one->why));
    else
        printf("    %c %s of %s input%s bits\n", side, text_grouped(one->changed, changed),
               text_grouped(one->inputs, inputs), one->inputs == 1 ? " changes" : "s change");
    const cJSON *first = one ? property_first(one) : NULL;
    if (!first)
        return;
    static const char *const members[] = {"reference", "got", "where"};
    printf("      first at ");
    char *input = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(first, "input"));
    printf("%s", input ? FOREIGN(input) : "?");
    cJSON_free(input);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        printf("%s%s", i == 1 ? ", then " : ", ", FOREIGN(report_string(first, members[i])));
    putchar('\n');
}

/* The next property, of those of A and then of those that B alone has, of which the two tell other
 * things; false where there is none. `at` counts them. */
static bool next_property(const struct compare_row *row, size_t *at, const char **name,
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

static void print_invariance(const struct compare_row *row) {
    const struct property_record *sides[2];
    const char *name;
    for (size_t at = 0; next_property(row, &at, &name, sides);) {
        printf("  %s\n", FOREIGN(name));
        for (int side = 0; side < 2; side++)
            print_property("AB"[side], sides[side]);
    }
    if (row->invariance[0] && row->invariance[0]->events != row->invariance[1]->events)
        printf("  crashes and other events: %llu of A, %llu of B\n",
               (unsigned long long)row->invariance[0]->events,
               (unsigned long long)row->invariance[1]->events);
}

static void print_libraries(const struct compare_row *row, int side, const char *who) {
    char text[LIBRARIES_TEXT];
    if (row->libraries[side].count)
        printf("  %s the bits of %s\n", who,
               FOREIGN(libraries_text(&row->libraries[side], LIBRARIES_SHOWN, text)));
}

static bool print_measure(void *context, const struct measure *measure,
                          const struct measure_difference *difference) {
    char a[32], b[32];
    (void)context;
    printf("  %s%s%s: %s of A, %s of B", FOREIGN(measure->name), *difference->where ? " " : "",
           difference->where, record_number_text(difference->was, a),
           record_number_text(difference->is, b));
    if (difference->differ > 1)
        printf(", and %zu more differ", difference->differ - 1);
    putchar('\n');
    return true;
}

static bool add_measure(void *array, const struct measure *measure,
                        const struct measure_difference *difference) {
    cJSON *one = json_append(array);
    cJSON_AddStringToObject(one, "measure", measure->name);
    if (*difference->where) {
        cJSON_AddStringToObject(one, "where", difference->where);
        cJSON_AddNumberToObject(one, "parts", (double)difference->differ);
    }
    cJSON_AddNumberToObject(one, "a", difference->was);
    cJSON_AddNumberToObject(one, "b", difference->is);
    return true;
}

static void print_builds(const struct compare_row *row) {
    struct build_part part;
    if (!row->builds[0])
        return;
    build_find_difference(row->builds[0], row->builds[1], &part);
    printf("  the build of A is %s\n  the build of B is %s\n", FOREIGN(part.mine),
           FOREIGN(part.other));
}

void compare_row_print(const struct compare_row *row) {
    bool same = strcmp(row->a, row->b) == 0;
    printf("%s  %s  %s%s%s  %s%s%s: %s\n", FOREIGN(row->operation), FOREIGN(row->format),
           FOREIGN(row->rounding), *row->parameters ? "  " : "", FOREIGN(row->parameters),
           FOREIGN(row->a), same ? "" : " and ", same ? "" : FOREIGN(row->b),
           row->equal ? "equal" : "they differ");
    if (row->equal) {
        print_open(row);
        print_builds(row);
        print_libraries(row, 0, "both have");
        print_effects(row);
        compare_measures(row, print_measure, NULL);
        return;
    }
    printf("  A %s  %s\n  B %s  %s\n", FOREIGN(row->a), FOREIGN(row->a_detail), FOREIGN(row->b),
           FOREIGN(row->b_detail));
    print_builds(row);
    print_libraries(row, 0, "A has");
    print_libraries(row, 1, "B has");
    if (row->blocks)
        printf("  %llu of %llu %s, the first is number %llu\n",
               (unsigned long long)row->blocks_differ, (unsigned long long)row->blocks,
               row->of_calls ? "calls" : "blocks of 65,536 outputs",
               (unsigned long long)row->first_block);
    print_open(row);
    if (row->ran)
        print_inputs(row);
    else if (*row->why)
        printf("  the inputs are not known: %s\n", FOREIGN(row->why));
    print_effects(row);
    compare_measures(row, print_measure, NULL);
    print_invariance(row);
}

/* Of the two, what they did besides answering; without the object where it is nothing. */
static void add_events(cJSON *object, const struct compare_row *row) {
    static const char *const names[] = {"a_events", "b_events"};
    for (int side = 0; side < 2; side++) {
        const struct differ_events *events = &row->outcome.events[side];
        if (!events->all)
            continue;
        cJSON *row_object = cJSON_AddObjectToObject(object, names[side]);
        for (int i = 0; i < EVENT_KINDS; i++)
            if (events->counts[i])
                cJSON_AddNumberToObject(row_object, event_names[i], (double)events->counts[i]);
        json_add_codes(row_object, "first", row->computed.format, events->in,
                       row->computed.operation->operands);
    }
}

static void add_inputs(cJSON *object, const struct compare_row *row) {
    const struct differ_outcome *outcome = &row->outcome;
    const struct format *format = request_result_format(&row->computed);
    cJSON_AddNumberToObject(object, "tested", (double)outcome->tested);
    cJSON_AddNumberToObject(object, "differ", (double)outcome->differ);
    cJSON_AddNumberToObject(object, "unanswered", (double)outcome->unanswered);
    if (open_inputs_of(&row->computed).any)
        cJSON_AddNumberToObject(object, "not_called", (double)outcome->open);
    add_events(object, row);
    cJSON *first = cJSON_AddArrayToObject(object, "first");
    for (size_t i = 0; i < outcome->first_count; i++) {
        cJSON *witness = json_append(first);
        json_add_codes(witness, "in", row->computed.format, outcome->first[i].in,
                       row->computed.operation->operands);
        json_add_codes(witness, "a", format, outcome->first[i].a, row->computed.operation->results);
        json_add_codes(witness, "b", format, outcome->first[i].b, row->computed.operation->results);
    }
    cJSON *binades = cJSON_AddArrayToObject(object, "by_binade");
    for (int i = 0; i < DIFFER_BINADES; i++)
        if (outcome->binades[i].tested) {
            cJSON *binade = json_append(binades);
            cJSON_AddNumberToObject(binade, "exponent", outcome->lowest_exponent + i);
            cJSON_AddNumberToObject(binade, "tested", (double)outcome->binades[i].tested);
            cJSON_AddNumberToObject(binade, "differ", (double)outcome->binades[i].differ);
        }
}

static void add_effects(cJSON *object, const struct compare_row *row) {
    const struct effect_counts *sides = row->effects;
    for (enum effect_part part = 0; part < EFFECT_PARTS; part++) {
        if (!sides[0].asked[part] && !sides[1].asked[part])
            continue;
        cJSON *member = cJSON_AddObjectToObject(object, effect_part_names[part]);
        cJSON_AddBoolToObject(member, "a_told", sides[0].reported[part]);
        cJSON_AddBoolToObject(member, "b_told", sides[1].reported[part]);
        cJSON *list = cJSON_AddArrayToObject(member, "differ");
        for (int i = 0; i < (int)EFFECT_FAULTS * EFFECTS && compare_effects_differ(row, part);
             i++) {
            int fault = i / EFFECTS, effect = i % EFFECTS;
            const uint64_t a = sides[0].counts[fault][effect], b = sides[1].counts[fault][effect];
            if (effect_part_of(effect) != part || a == b)
                continue;
            cJSON *one = json_append(list);
            cJSON_AddStringToObject(one, "fault", effect_fault_names[fault]);
            cJSON_AddStringToObject(one, effect_item_names[part], effect_name(effect));
            cJSON_AddNumberToObject(one, "a", (double)a);
            cJSON_AddNumberToObject(one, "b", (double)b);
        }
    }
}

/* What each report has of the properties of which they tell other things. */
static void add_invariance(cJSON *object, const struct compare_row *row) {
    const struct property_record *sides[2];
    const char *name;
    if (!row->invariance[0])
        return;
    cJSON *list = cJSON_AddArrayToObject(object, "invariance");
    for (size_t at = 0; next_property(row, &at, &name, sides);) {
        cJSON *one = json_append(list);
        cJSON_AddStringToObject(one, "property", name);
        for (int side = 0; side < 2; side++)
            cJSON_AddItemToObject(one, side ? "b" : "a",
                                  sides[side] ? json_copy(sides[side]->json) : cJSON_CreateNull());
    }
    cJSON_AddNumberToObject(object, "a_event_count", (double)row->invariance[0]->events);
    cJSON_AddNumberToObject(object, "b_event_count", (double)row->invariance[1]->events);
}

static void add_implementation(cJSON *object, const char *side, const char *name,
                               const char *detail) {
    char text[2 * SECTION_TEXT + 2];
    snprintf(text, sizeof text, "%s  %s", name, detail);
    cJSON_AddStringToObject(object, side, text);
}

static void add_libraries(cJSON *object, const char *name, const struct library_names *names) {
    cJSON *array = names->count ? cJSON_AddArrayToObject(object, name) : NULL;
    for (size_t i = 0; i < names->count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(names->names[i]));
}

cJSON *compare_row_json(const struct compare_row *row) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "operation", row->operation);
    cJSON_AddStringToObject(object, "format", row->format);
    cJSON_AddStringToObject(object, "rounding", row->rounding);
    cJSON_AddStringToObject(object, "parameters", row->parameters);
    add_implementation(object, "a", row->a, row->a_detail);
    add_implementation(object, "b", row->b, row->b_detail);
    for (int side = 0; side < 2 && row->builds[0]; side++)
        cJSON_AddStringToObject(object, side ? "b_build" : "a_build", row->builds[side]);
    add_libraries(object, "a_libraries", &row->libraries[0]);
    add_libraries(object, "b_libraries", &row->libraries[1]);
    cJSON_AddBoolToObject(object, "equal", row->equal);
    if (row->blocks) {
        cJSON_AddNumberToObject(object, "blocks", (double)row->blocks);
        cJSON_AddNumberToObject(object, "blocks_differ", (double)row->blocks_differ);
        if (!row->equal)
            cJSON_AddNumberToObject(object, "first_block", (double)row->first_block);
    }
    add_effects(object, row);
    if (row->judged[0])
        compare_measures(row, add_measure, cJSON_AddArrayToObject(object, "measures"));
    add_invariance(object, row);
    if (row->ran)
        add_inputs(object, row);
    else if (*row->why)
        cJSON_AddStringToObject(object, "inputs_unknown", row->why);
    return object;
}

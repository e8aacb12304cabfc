/* Sentences, commands and JSON of a row. */
#include "explain/row.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

#include <string.h>

static size_t append(char *text, size_t room, size_t at, const char *more) {
    int wrote = at < room ? snprintf(text + at, room - at, "%s", more) : 0;
    return at + (wrote > 0 ? (size_t)wrote : 0);
}

const char *explain_sentence(const struct explain_row *row, const struct explanation *one,
                             char text[SENTENCE_TEXT]) {
    const struct format *format = row->computed.format;
    char from[NUMBER_TEXT], to[NUMBER_TEXT], bits[2][NUMBER_TEXT];
    size_t at = 0;
    if (one->side >= 0)
        at = append(text, SENTENCE_TEXT, at, one->side ? "B " : "A ");
    at = append(text, SENTENCE_TEXT, at, one->says);
    if (one->has_ends && one->cause && one->to == 0 && format_magnitude(format, one->from)) {
        char bound[2 * NUMBER_TEXT];
        snprintf(bound, sizeof bound, ": |x| >= %s (%s)",
                 format_decimal_text(format, one->from, from),
                 format_bits_text(format, one->from, bits[0]));
        at = append(text, SENTENCE_TEXT, at, bound);
    } else if (one->has_ends && one->cause) {
        char ends[5 * NUMBER_TEXT];
        snprintf(ends, sizeof ends, ": from %s to %s (%s, %s)",
                 format_decimal_text(format, one->from, from),
                 format_decimal_text(format, one->to, to),
                 format_bits_text(format, one->from, bits[0]),
                 format_bits_text(format, one->to, bits[1]));
        at = append(text, SENTENCE_TEXT, at, ends);
    }
    if (one->period) {
        char period[64];
        snprintf(period, sizeof period, ": the same again every %s",
                 one->period == 1   ? "binade"
                 : one->period == 2 ? "second binade"
                                    : "third binade");
        append(text, SENTENCE_TEXT, at, period);
    }
    return text;
}

const char *explain_libraries(const struct library_names *names, char text[SENTENCE_TEXT]) {
    size_t at = 0;
    char more[64];
    *text = '\0';
    for (size_t i = 0; i < names->count; i++) {
        at = append(text, SENTENCE_TEXT, at, i ? ", " : "");
        at = append(text, SENTENCE_TEXT, at, names->names[i]);
    }
    if (names->more) {
        snprintf(more, sizeof more, " and %zu more", names->more);
        append(text, SENTENCE_TEXT, at, more);
    }
    return text;
}

const char *explain_command(const struct explain_row *row, const struct difference *difference,
                            char text[COMMAND_TEXT]) {
    const struct binding_request *computed = &row->computed;
    char word[COMMAND_TEXT], bits[NUMBER_TEXT];
    size_t at = append(text, COMMAND_TEXT, 0, "detcheck eval ");
    int answer = 0;
    at = append(text, COMMAND_TEXT, at, computed->operation->name);
    for (int i = 0; i < computed->operation->operands; i++) {
        at = append(text, COMMAND_TEXT, at, " ");
        at = append(text, COMMAND_TEXT, at,
                    format_bits_text(computed->format, difference->in[i], bits));
    }
    snprintf(word, sizeof word, " -f %s", computed->format->name);
    at = append(text, COMMAND_TEXT, at, word);
    if (computed->rounding != ROUND_NEAREST_EVEN) {
        snprintf(word, sizeof word, " -r %s", rounding_names[computed->rounding]);
        at = append(text, COMMAND_TEXT, at, word);
    }
    at = append(text, COMMAND_TEXT, at, *row->parameters ? " " : "");
    at = append(text, COMMAND_TEXT, at, row->parameters);
    for (int side = 0; side < 2; side++) {
        if (strncmp(row->sides[side], "file:", 5) == 0)
            continue; /* which answers no single input */
        at = append(text, COMMAND_TEXT, at, " --impl ");
        at = append(text, COMMAND_TEXT, at,
                    foreign_text(FOREIGN_SHELL, row->sides[side], word, sizeof word));
        answer++;
    }
    if (!answer || at >= COMMAND_TEXT)
        *text = '\0';
    return text;
}

static void add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code) {
    char bits[NUMBER_TEXT];
    cJSON_AddStringToObject(object, name, format_bits_text(format, code, bits));
}

static void add_difference(cJSON *object, const char *name, const struct explain_row *row,
                           const struct difference *difference) {
    const struct binding_request *computed = &row->computed;
    const struct format *out = request_result_format(computed);
    char bits[NUMBER_TEXT], command[COMMAND_TEXT];
    cJSON *one = cJSON_AddObjectToObject(object, name);
    cJSON *in = cJSON_AddArrayToObject(one, "in");
    for (int i = 0; i < computed->operation->operands; i++)
        cJSON_AddItemToArray(
            in, cJSON_CreateString(format_bits_text(computed->format, difference->in[i], bits)));
    add_bits(one, "a", out, difference->sides[0]);
    add_bits(one, "b", out, difference->sides[1]);
    if (*explain_command(row, difference, command))
        cJSON_AddStringToObject(one, "command", command);
}

static void add_explanation(cJSON *list, const struct explain_row *row,
                            const struct explanation *one) {
    char text[SENTENCE_TEXT];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    cJSON_AddStringToObject(object, "hypothesis", one->name);
    if (one->side >= 0)
        cJSON_AddStringToObject(object, "side", one->side ? "b" : "a");
    cJSON_AddNumberToObject(object, "tested", (double)one->tested);
    cJSON_AddNumberToObject(object, "explains", (double)one->explains);
    cJSON_AddNumberToObject(object, "predicts_wrongly", (double)one->wrong);
    cJSON_AddStringToObject(object, "verdict", explanation_verdicts[one->verdict]);
    cJSON_AddStringToObject(object, "says", explain_sentence(row, one, text));
    if (one->cause) {
        cJSON_AddNumberToObject(object, "cause", one->cause);
        cJSON_AddNumberToObject(object, "adds", (double)one->adds);
    }
    if (one->same_as)
        cJSON_AddNumberToObject(object, "same_as", one->same_as);
    if (one->has_ends && one->cause) {
        add_bits(object, "from", row->computed.format, one->from);
        if (one->to || !one->period)
            add_bits(object, "to", row->computed.format,
                     one->to ? one->to : format_greatest(row->computed.format));
    }
    if (one->period)
        cJSON_AddNumberToObject(object, "period", one->period);
    if (one->has_example && one->verdict != EXPLAINS_NONE)
        add_difference(object, "example", row, &one->example);
    if (one->has_wrong && one->verdict != EXPLAINS_NONE)
        add_difference(object, "wrong", row, &one->wrong_example);
}

static void add_libraries(cJSON *object, const char *name, const struct explain_row *row,
                          int side) {
    const struct library_names *names = &row->libraries[side];
    cJSON *one = cJSON_AddObjectToObject(object, name);
    cJSON *list = cJSON_AddArrayToObject(one, "libraries"),
          *inputs = cJSON_AddArrayToObject(one, "inputs");
    for (size_t i = 0; i < names->count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(names->names[i]));
    for (int i = 0; i < LIBRARY_INPUTS; i++)
        if (names->by[i])
            cJSON_AddItemToArray(inputs, cJSON_CreateString(library_inputs_names[i]));
    cJSON *prints = cJSON_AddObjectToObject(one, "fingerprints");
    for (int i = 0; i < LIBRARY_INPUTS; i++)
        if (*row->prints[side][i])
            cJSON_AddStringToObject(prints, library_inputs_names[i], row->prints[side][i]);
}

static void add_outcome(cJSON *object, const struct explain_row *row) {
    static const char *const prints[] = {"a_fingerprint", "b_fingerprint"};
    const struct explain_outcome *outcome = &row->outcome;
    cJSON_AddStringToObject(object, "unit", outcome->of_blocks ? "block" : "input");
    cJSON_AddNumberToObject(object, "tested", (double)outcome->tested);
    cJSON_AddNumberToObject(object, "unanswered", (double)outcome->unanswered);
    cJSON_AddNumberToObject(object, "differ", (double)outcome->differ);
    if (outcome->judged == outcome->differ && outcome->differ) {
        cJSON_AddNumberToObject(object, "a_correctly_rounded", (double)outcome->right[0]);
        cJSON_AddNumberToObject(object, "b_correctly_rounded", (double)outcome->right[1]);
    }
    cJSON_AddNumberToObject(object, "unexplained", (double)outcome->unexplained);
    for (int side = 0; side < 2; side++)
        if (*outcome->fingerprints[side])
            cJSON_AddStringToObject(object, prints[side], outcome->fingerprints[side]);
    if (outcome->has_first)
        add_difference(object, "first", row, &outcome->first);
    if (outcome->has_unexplained)
        add_difference(object, "first_unexplained", row, &outcome->first_unexplained);
    cJSON *list = cJSON_AddArrayToObject(object, "explanations");
    for (size_t i = 0; i < outcome->count; i++)
        add_explanation(list, row, &outcome->explanations[i]);
}

cJSON *explain_row_json(const struct explain_row *row) {
    cJSON *object = cJSON_CreateObject();
    char text[2 * SECTION_TEXT + 2];
    cJSON_AddStringToObject(object, "operation", row->operation);
    cJSON_AddStringToObject(object, "format", row->format);
    cJSON_AddStringToObject(object, "rounding", row->rounding);
    cJSON_AddStringToObject(object, "parameters", row->parameters);
    cJSON_AddStringToObject(object, "inputs", row->inputs);
    for (int side = 0; side < 2 - row->alone; side++) {
        snprintf(text, sizeof text, "%s  %s", row->sides[side], row->details[side]);
        cJSON_AddStringToObject(object, side ? "b" : "a", text);
    }
    if (!row->alone)
        cJSON_AddBoolToObject(object, "equal", row->equal);
    if (row->blocks) {
        cJSON_AddNumberToObject(object, "blocks", (double)row->blocks);
        cJSON_AddNumberToObject(object, "blocks_differ", (double)row->blocks_differ);
    }
    if (*row->why)
        cJSON_AddStringToObject(object, "note", row->why);
    if (row->ran && !row->alone)
        add_outcome(object, row);
    add_libraries(object, "a_is", row, 0);
    if (!row->alone)
        add_libraries(object, "b_is", row, 1);
    return object;
}

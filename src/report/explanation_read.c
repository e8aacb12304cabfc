/* "explanation" of an implementation in a report, checked. */
#include "report/explanation_read.h"

#include "report/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The command of a difference, which need not be there; nor need the difference. */
static const char *command_of(struct json_reader *reader, const cJSON *object, const char *name) {
    if (!json_has(object, name))
        return "";
    size_t mark = json_enter(reader, name, -1);
    const cJSON *difference = json_object(reader, object, name);
    const char *command =
        json_has(difference, "command") ? json_string(reader, difference, "command") : "";
    json_leave(reader, mark);
    return command;
}

static int read_number(struct json_reader *reader, const cJSON *row, const char *name) {
    uint64_t number = json_has(row, name) ? json_count(reader, row, name) : 0;
    if (number > INT_MAX)
        json_fail(reader, name, "is not a number of a cause");
    return number > INT_MAX ? 0 : (int)number;
}

static void read_hypothesis(struct json_reader *reader, const cJSON *row,
                            struct read_hypothesis *one) {
    one->name = json_string(reader, row, "hypothesis");
    one->explains = json_count(reader, row, "explains");
    json_count(reader, row, "predicts_wrongly");
    json_string(reader, row, "verdict");
    json_string(reader, row, "says");
    one->cause = read_number(reader, row, "cause");
    one->same_as = read_number(reader, row, "same_as");
    one->adds = one->cause ? json_count(reader, row, "adds") : 0;
    one->command = command_of(reader, row, "example");
}

static void read_hypotheses(struct json_reader *reader, struct read_explanation *explanation) {
    const cJSON *row, *array = json_array(reader, explanation->json, "explanations");
    uint64_t sum = explanation->unexplained;
    explanation->hypotheses =
        calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *explanation->hypotheses);
    if (!explanation->hypotheses) {
        json_fail(reader, "explanations", "is too large for the memory");
        return;
    }
    cJSON_ArrayForEach(row, array) {
        struct read_hypothesis *one = &explanation->hypotheses[explanation->count];
        size_t mark = json_enter(reader, "explanations", (int)explanation->count++);
        read_hypothesis(reader, row, one);
        sum += one->adds <= explanation->differ ? one->adds : explanation->differ + 1;
        json_leave(reader, mark);
    }
    if (sum > explanation->differ)
        json_fail(reader, "explanations", "account with unexplained for more than differ");
}

/* Crashes and the like of a side. */
static uint64_t events_of(struct json_reader *reader, const cJSON *explanation, const char *side) {
    const cJSON *count, *object = json_object(reader, explanation, side);
    uint64_t events = 0;
    size_t mark = json_enter(reader, side, -1);
    if (json_has(object, "event_counts")) {
        const cJSON *counts = json_object(reader, object, "event_counts");
        cJSON_ArrayForEach(count, counts) events += json_item_count(reader, count);
    }
    json_leave(reader, mark);
    return events;
}

/* One of the three words; old reports that have another one, or none, count inputs. */
static const char *unit_of(const cJSON *explanation) {
    static const char *const others[] = {UNIT_BLOCK, "fingerprint"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(json_text(explanation, "unit"), others[i]) == 0)
            return others[i];
    return "input";
}

void explanation_read(struct json_reader *reader, const cJSON *json,
                      struct read_implementation *one) {
    struct read_explanation *explanation = &one->explanation;
    one->kind = READ_EXPLANATION;
    one->tally.tested = json_count(reader, json, "tested");
    explanation->json = json_object(reader, json, "explanation");
    explanation->command = explanation->unexplained_command = "";
    size_t mark = json_enter(reader, "explanation", -1);
    one->events = events_of(reader, explanation->json, "a");
    explanation->is_of_two = json_has(explanation->json, "b");
    if (json_has(explanation->json, "unanswered")) /* old ones of a single side do not tell it */
        one->tally.unanswered = json_count(reader, explanation->json, "unanswered");
    if (json_has(explanation->json, "not_called")) /* of operations with integers alone */
        one->tally.not_called = json_count(reader, explanation->json, "not_called");
    if (explanation->is_of_two) {
        one->events += events_of(reader, explanation->json, "b");
        explanation->unit = unit_of(explanation->json);
        explanation->tested = json_count(reader, explanation->json, "tested");
        explanation->differ = json_count(reader, explanation->json, "differ");
        explanation->unexplained = json_count(reader, explanation->json, "unexplained");
        explanation->command = command_of(reader, explanation->json, "first");
        explanation->unexplained_command =
            command_of(reader, explanation->json, "first_unexplained");
        if (explanation->differ > explanation->tested)
            json_fail(reader, "differ", "is more than tested");
        read_hypotheses(reader, explanation);
    }
    json_leave(reader, mark);
}

bool explanation_tried(const struct read_explanation *explanation, const char *name) {
    for (size_t i = 0; i < explanation->count; i++)
        if (strcmp(explanation->hypotheses[i].name, name) == 0)
            return true;
    return false;
}

const char *explanation_share(const struct read_explanation *explanation,
                              char text[EXPLANATION_SHARE]) {
    char differ[32], tested[32];
    snprintf(text, EXPLANATION_SHARE, "%s of %s %s%s", text_grouped(explanation->differ, differ),
             text_grouped(explanation->tested, tested), explanation->unit,
             explanation->tested == 1 ? "" : "s");
    return text;
}

bool explanation_counts_blocks(const struct read_implementation *one) {
    return one->kind == READ_EXPLANATION && one->explanation.is_of_two &&
           strcmp(one->explanation.unit, UNIT_BLOCK) == 0;
}

/* The effects of lines of text, shown as those of calls on numbers are. */
#include "eval_effects.h"

#include "op/decimal/rows.h"
#include "oracle/texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 13 }; /* as what else is said of an output */

bool told_effects_open(struct told_effects *told, const struct binding *binding,
                       struct array_call *call, struct error *error) {
    if (!array_is_of_texts(call->rule))
        return true;
    told->has = (struct line_wishes){.flags = binding->tells_flags,
                                     .errnos = binding->tells_errno,
                                     .lengths = binding->tells_lengths};
    call->lines = &told->lines;
    return line_effects_open(&told->lines, told->has, text_line_count(call)) ||
           error_set(error, "out of memory for an array");
}

void told_effects_close(struct told_effects *told) {
    line_effects_close(&told->lines);
}

/* What is right for a line: its flags and errno, and where a number ends. */
static struct flag_expectation expectation(const struct effects_shown *shown, uint64_t line,
                                           uint64_t *length) {
    const struct array_call *call = shown->call;
    const size_t room = text_line_length(call);
    const char *given = (const char *)call->operands[0].codes + line * room;
    if (call->rule->takes_texts) {
        *length = decimal_end(decimal_grammar_of(call), given, room);
        return oracle_flags_of_reading(call, given, room, &shown->y[line],
                                       shown->observed->rules.tiny_after_rounding);
    }
    char *right = calloc(room + 1, 1);
    for (size_t i = 0; right && i < room; i++)
        right[i] = (char)real_to_double(&shown->y[line * room + i]);
    struct flag_expectation found = right ? oracle_flags_of_writing(call, line, right, room)
                                          : (struct flag_expectation){.permitted = ALL_FLAGS};
    free(right);
    return found;
}

static void show_length(bool takes_texts, uint64_t got, uint64_t want, cJSON *answer) {
    if (answer && got == UINT64_MAX)
        cJSON_AddNullToObject(answer, "length");
    else if (answer)
        cJSON_AddNumberToObject(answer, "length", (double)got);
    if (answer)
        cJSON_AddNumberToObject(answer, "right_length", (double)want);
    else {
        const char *what = takes_texts ? "ends after byte" : "returns the length";
        const char *none = takes_texts ? "sets no end" : "returns no length";
        if (got == UINT64_MAX)
            printf("%*s%s", INDENT, "", none);
        else
            printf("%*s%s %" PRIu64, INDENT, "", what, got);
        if (got == want)
            printf(", as it should\n");
        else
            printf(", not %" PRIu64 "\n", want);
    }
}

void told_effects_show(const struct effects_shown *shown, const struct told_effects *told,
                       uint64_t line, size_t written, cJSON *object) {
    if (!array_is_of_texts(shown->call->rule))
        return;
    uint64_t length = written;
    const struct line_effects *lines = &told->lines;
    const struct answer answer = {
        .tells_flags = told->has.flags,
        .tells_errno = told->has.errnos,
        .expected = expectation(shown, line, &length),
        .raised = lines->raised ? lines->raised[line] : 0,
        .cleared = lines->cleared && !shown->observed->rules.may_clear ? lines->cleared[line] : 0,
        .errno_after = (uint8_t)(lines->errnos ? errno_kind_of(lines->errnos[line]) : 0)};
    if (told->has.lengths)
        show_length(shown->call->rule->takes_texts, lines->lengths[line], length, object);
    if (object)
        eval_json_effects(object, &answer);
    else
        eval_print_effects(shown->observed, &answer, INDENT);
}

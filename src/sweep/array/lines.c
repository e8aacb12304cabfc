/* The judgement. */
#include "sweep/array/lines.h"

#include "op/array/text_lines.h"
#include "op/decimal/rows.h"
#include "oracle/texts.h"
#include "sweep/judge/expect.h"

#include <stdlib.h>
#include <string.h>

/* A text in a line of bytes. */
static size_t text_length(const char *line, size_t room) {
    const char *end = memchr(line, 0, room);
    return end ? (size_t)(end - line) : room;
}

/* What is right for the flags and errno of a line. `right` has room for a line. */
static struct flag_expectation expectation(const struct line_call *judged, uint64_t line,
                                           char *right) {
    const struct array_call *call = judged->call;
    const size_t room = text_line_length(call);
    if (call->rule->takes_texts)
        return oracle_flags_of_reading(call, (const char *)call->operands[0].codes + line * room,
                                       room, &judged->y[line],
                                       judged->worker->request->computed.tiny_after_rounding);
    for (size_t i = 0; i < room; i++)
        right[i] = (char)real_to_double(&judged->y[line * room + i]);
    return oracle_flags_of_writing(call, line, right, room);
}

/* Which input a line is: of texts that are written its first character. */
static uint64_t element_of(const struct array_call *call, uint64_t line) {
    return call->rule->takes_texts ? line : line * text_line_length(call);
}

static void judge_effects(const struct line_call *judged, uint64_t line, char *right) {
    struct worker *worker = judged->worker;
    const struct line_effects *lines = judged->lines;
    const struct array *result = &judged->call->results[0];
    const uint64_t element = element_of(judged->call, line);
    const uint8_t raised = lines->raised ? lines->raised[line] : 0;
    const enum errno_kind number = lines->errnos ? errno_kind_of(lines->errnos[line]) : ERRNO_NONE;
    const struct effect_witness witness = {
        .index = judged->first + element,
        .input = {judged->number, element},
        .got = {array_code(result, element)},
        .rule = effect_rule_of(&worker->request->computed, expectation(judged, line, right)),
        .seen = effects_of(raised, number)};
    struct effect_witness told = witness;
    if (!lines->raised)
        told.rule.required &= (uint8_t)~ALL_FLAGS;
    if (!lines->errnos)
        told.rule.required &= ALL_FLAGS;
    worker->flags->tallies[judged->implementation].calls++;
    const uint8_t cleared =
        lines->cleared && !worker->request->may_clear ? lines->cleared[line] : 0;
    if ((told.rule.required & ~told.seen) | (told.seen & ~told.rule.permitted) | cleared)
        effect_tally_add(&worker->flags->tallies[judged->implementation], result->format, 1, &told,
                         cleared, 1);
}

static void judge_length(const struct line_call *judged, uint64_t line) {
    const struct array_call *call = judged->call;
    const size_t room = text_line_length(call);
    const char *text = (const char *)text_array(call)->codes + line * room;
    const uint64_t element = element_of(call, line);
    const struct length_witness witness = {
        .index = judged->first + element,
        .input = {judged->number, element},
        .got = judged->lines->lengths[line],
        .want = call->rule->takes_texts ? decimal_end(decimal_grammar_of(call), text, room)
                                        : text_length(text, room)};
    length_tally_add(&worker_tally(judged->worker, judged->implementation, 0)->lengths, &witness);
}

bool lines_judge(const struct line_call *judged) {
    const struct line_effects *lines = judged->lines;
    char *right = malloc(text_line_length(judged->call));
    for (uint64_t line = 0; right && line < text_line_count(judged->call); line++) {
        if (lines->lengths)
            judge_length(judged, line);
        if (lines->raised || lines->errnos)
            judge_effects(judged, line, right);
    }
    free(right);
    return right != NULL;
}

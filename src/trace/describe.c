/* The steps of a side in their order, each kind once where several follow one another. */
#include "trace/describe.h"

#include "base/foreign.h"
#include "trace/names.h"
#include "trace/verdict_parts.h"

#include <stdio.h>
#include <string.h>

enum { STEP = 120 };

static void append(char *text, size_t room, const char *more) {
    const size_t used = strlen(text);
    if (used + 1 < room)
        snprintf(text + used, room - used, "%s", more);
}

/* "mm" of "aten.mm.default". */
static void short_name(const char *name, char text[STEP]) {
    const char *point = strchr(name, '.');
    const size_t start = strncmp(name, "aten.", 5) == 0 || strncmp(name, "inductor.", 9) == 0
                             ? (size_t)(point + 1 - name)
                             : 0;
    const size_t length = trace_name_length(name);
    snprintf(text, STEP, "%.*s", (int)(length > start ? length - start : 0), name + start);
}

static bool has_row(const struct trace *trace, const struct trace_operation *operation,
                    enum trace_how how) {
    const struct trace_name *name = trace_name_find(trace, operation);
    return name && name->how == how;
}

/* "_to_copy fp32 to bf16"; "mm bf16" where formats are said; "mm". */
static void step_text(const struct trace *trace, const struct trace_operation *operation,
                      bool says_formats, char text[STEP]) {
    short_name(operation->name, text);
    const struct trace_tensor *output = operation->output_count ? operation->outputs : NULL;
    if (output && operation->input_count && has_row(trace, operation, TRACE_CAST) &&
        strcmp(operation->inputs[0].type_name, output->type_name) != 0) {
        append(text, STEP, " ");
        append(text, STEP, operation->inputs[0].type_name);
        append(text, STEP, " to ");
        append(text, STEP, output->type_name);
    } else if (output && says_formats) {
        append(text, STEP, " ");
        append(text, STEP, output->type_name);
    }
}

/* Whether a side of a match has a cast, or a step of it gives another format than the other side's last one. */
static bool any_cast(const struct verdict_judge *judge, const struct trace_match *match) {
    bool any = false;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < match->count[side] && !any; i++)
            any = has_row(judge->sides[side], verdict_operation(judge, match, side, i), TRACE_CAST);
    return any;
}

static void add_step(char *text, const char *step, unsigned times) {
    char number[16] = "";
    if (times > 1)
        snprintf(number, sizeof number, "%u ", times);
    append(text, TRACE_STEPS_TEXT, number);
    append(text, TRACE_STEPS_TEXT, step);
}

/* The steps of a side, without those that only move elements where others are left. */
static void add_side(const struct verdict_judge *judge, const struct trace_match *match, int side,
                     char *text) {
    const struct trace *trace = judge->sides[side];
    const bool says_formats = any_cast(judge, match);
    char last[STEP] = "", step[STEP];
    unsigned times = 0;
    bool any = false;
    append(text, TRACE_STEPS_TEXT, side ? "; there " : "here ");
    for (size_t i = 0; i < match->count[side]; i++) {
        const struct trace_operation *operation = verdict_operation(judge, match, side, i);
        const bool is_last = i + 1 == match->count[side];
        if (!is_last && trace_only_moves(trace_name_find(trace, operation)))
            continue;
        step_text(trace, operation, says_formats, step);
        if (times && strcmp(step, last) != 0) {
            append(text, TRACE_STEPS_TEXT, any ? ", " : "");
            add_step(text, last, times);
            any = true;
            times = 0;
        }
        snprintf(last, sizeof last, "%s", step);
        times++;
    }
    append(text, TRACE_STEPS_TEXT, any ? ", " : "");
    add_step(text, last, times);
}

void describe_steps(const struct verdict_judge *judge, const struct trace_match *match,
                    char text[TRACE_STEPS_TEXT]) {
    *text = '\0';
    if (!match->count[0] || !match->count[1] || (match->count[0] == 1 && match->count[1] == 1))
        return;
    for (int side = 0; side < 2; side++)
        add_side(judge, match, side, text);
    foreign_trim(text);
}

/* An input's name, or its number from 1. */
static void add_input(const struct trace_operation *operation, size_t place, char *text) {
    char number[32];
    const char *name = operation->inputs[place].name;
    snprintf(number, sizeof number, "input %zu", place + 1);
    append(text, TRACE_SHAPES_TEXT, name && *name ? name : number);
}

void describe_swapped(const struct verdict_judge *judge, const struct trace_match *match,
                      char text[TRACE_SHAPES_TEXT]) {
    size_t places[MOST_SWAPPED];
    *text = '\0';
    if (!verdict_find_swapped(judge, match, places))
        return;
    const struct trace_operation *here = verdict_last(judge, match, 0),
                                 *there = verdict_last(judge, match, 1);
    for (size_t i = 0; i < here->input_count; i++) {
        if (places[i] == i)
            continue;
        append(text, TRACE_SHAPES_TEXT, *text ? ", " : "");
        add_input(here, i, text);
        append(text, TRACE_SHAPES_TEXT, " here is ");
        add_input(there, places[i], text);
        append(text, TRACE_SHAPES_TEXT, " there");
    }
    foreign_trim(text);
}

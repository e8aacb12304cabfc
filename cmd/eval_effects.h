/* What calls on texts do besides giving results, in `detcheck eval`: where a number ends, how long a text is, flags and errno. */
#ifndef DETCHECK_CMD_EVAL_EFFECTS_H
#define DETCHECK_CMD_EVAL_EFFECTS_H

#include "eval.h"

#include "op/array/text_lines.h"

/* What an implementation reports of each line of text: length, errno and flags. */
struct told_effects {
    struct line_wishes has; /* what it tells */
    struct line_effects lines;
};

/* Room for what the binding tells; the call has it. False without memory; close it in any case. */
bool told_effects_open(struct told_effects *told, const struct binding *binding,
                       struct array_call *call, struct error *error);
void told_effects_close(struct told_effects *told);

/* The call, the exact values of its result, and which effects were asked for. */
struct effects_shown {
    const struct array_call *call;
    const struct real *y;
    const struct flag_options *observed;
};

/* Prints those of a line below an answer, or adds them to the object of the answer where there is one. `written` is the length of a
 * text that was written. */
void told_effects_show(const struct effects_shown *shown, const struct told_effects *told,
                       uint64_t line, size_t written, cJSON *answer);

#endif

/* Texts among the operands and results of `detcheck eval` (op/array.h: takes_texts, gives_texts). */
#ifndef DETCHECK_CMD_EVAL_TEXTS_H
#define DETCHECK_CMD_EVAL_TEXTS_H

#include "eval_effects.h"

#include "base/json.h"

/* A line for each text, as long as the longest. */
struct shape texts_shape(const char *const *values, size_t count);

/* Fills the lines of an array, one for each text. */
bool texts_read(const struct array *array, const char *const *values, size_t count,
                struct error *error);

/* The texts of an implementation; no codes where it gave none, and nothing told where there was no call. */
struct text_answer {
    const char *name;
    bool provided;
    void *codes;
    const struct told_effects *told;
};

/* Prints them below the right texts, or adds all to the list of elements where there is one. False without memory. */
bool texts_show(struct effects_shown shown, const struct text_answer *answers, size_t count,
                cJSON *list, struct error *error);

#endif

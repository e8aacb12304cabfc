/* Texts among the operands and results of `detcheck eval` (op/array.h: takes_texts, gives_texts). */
#ifndef DETCHECK_CMD_EVAL_TEXTS_H
#define DETCHECK_CMD_EVAL_TEXTS_H

#include "base/json.h"
#include "op/array.h"

/* A line for each text, as long as the longest. */
struct shape texts_shape(const char *const *values, size_t count);

/* Fills the lines of an array, one for each text. */
bool texts_read(const struct array *array, const char *const *values, size_t count,
                struct error *error);

/* The right texts, and those of each implementation; no codes where it gave none. */
struct text_answer {
    const char *name;
    bool provided;
    void *codes;
};
struct text_results {
    struct array want;
    const struct text_answer *answers;
    size_t count;
};

/* Prints them, or adds them to the list of elements where there is one. */
void texts_show(const struct text_results *results, cJSON *list);

#endif

/* A call on arrays that `detcheck eval` draws as a sweep does, and one element of it. */
#ifndef DETCHECK_CMD_EVAL_DRAW_H
#define DETCHECK_CMD_EVAL_DRAW_H

#include "command.h"

#include "impl/implementation.h"

struct eval_draw {
    bool drawn; /* else the values are given */
    unsigned long long draw, seed;
    bool is_one; /* element of each result that is shown; else all are */
    unsigned long long element;
};

/* --draw, --seed and --element. With --draw the command takes no values. */
bool eval_draw_read(struct eval_draw *draw, const struct arguments *arguments,
                    const struct operation *operation, struct error *error);

/* The call that a sweep has by that number among those of one shape. array_call_free when done, in any case. */
bool eval_draw_call(const struct eval_draw *draw, const struct binding_request *request,
                    struct array_call *call, struct error *error);

/* Limits the elements *first to *end - 1 of a result to the one that is shown. */
bool eval_draw_elements(const struct eval_draw *draw, uint64_t *first, uint64_t *end,
                        struct error *error);

#endif

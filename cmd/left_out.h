/* Operations that a group brought in, and that what is asked for leaves out: said in one note. One
 * that was named is an error instead. */
#ifndef DETCHECK_CMD_LEFT_OUT_H
#define DETCHECK_CMD_LEFT_OUT_H

#include "selection.h"

struct left_out {
    const struct operation *operations[MAX_SELECTED];
    size_t count;
    struct error why; /* of the first */
};

/* Whether the operation is left out for that reason: false for one that was named. */
bool leave_out(struct left_out *left_out, const struct selection *selection,
               const struct operation *operation, const struct error *why);

/* Says which, where there are any. */
void left_out_note(const struct left_out *left_out);

#endif

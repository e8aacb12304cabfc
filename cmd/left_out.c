/* What a group has and a run cannot do. */
#include "left_out.h"
#include "messages.h"

#include <stdio.h>
#include <string.h>

bool leave_out(struct left_out *left_out, const struct selection *selection,
               const struct operation *operation, const struct error *why) {
    if (!select_by_group(selection, operation))
        return false;
    for (size_t i = 0; i < left_out->count; i++)
        if (left_out->operations[i] == operation)
            return true;
    if (!left_out->count)
        left_out->why = *why;
    left_out->operations[left_out->count++] = operation;
    return true;
}

void left_out_note(const struct left_out *left_out) {
    struct error note;
    char names[512] = "";
    for (size_t i = 0; i < left_out->count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 left_out->operations[i]->name);
    if (!left_out->count)
        return;
    error_set(&note, "left out: %.300s%s (%s%.300s)", names, strlen(names) > 300 ? "..." : "",
              left_out->count > 1 ? "the first: " : "", left_out->why.text);
    remark("note", &note);
}

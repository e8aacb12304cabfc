/* Where lines lie, and the room. */
#include "op/array/text_lines.h"

#include <stdlib.h>

const struct array *text_array(const struct array_call *call) {
    return call->rule->takes_texts ? &call->operands[0] : &call->results[0];
}

size_t text_line_length(const struct array_call *call) {
    const struct shape *shape = &text_array(call)->shape;
    return (size_t)shape->extents[shape->dimensions - 1];
}

uint64_t text_line_count(const struct array_call *call) {
    return array_is_of_texts(call->rule)
               ? shape_elements(&text_array(call)->shape) / text_line_length(call)
               : 0;
}

bool line_effects_open(struct line_effects *lines, struct line_wishes wishes, uint64_t count) {
    const size_t room = (size_t)count;
    *lines = (struct line_effects){
        .raised = wishes.flags ? calloc(room, sizeof *lines->raised) : NULL,
        .cleared = wishes.flags ? calloc(room, sizeof *lines->cleared) : NULL,
        .errnos = wishes.errnos ? calloc(room, sizeof *lines->errnos) : NULL,
        .lengths = wishes.lengths ? calloc(room, sizeof *lines->lengths) : NULL};
    return (!wishes.flags || (lines->raised && lines->cleared)) &&
           (!wishes.errnos || lines->errnos) && (!wishes.lengths || lines->lengths);
}

void line_effects_close(struct line_effects *lines) {
    free(lines->raised);
    free(lines->cleared);
    free(lines->errnos);
    free(lines->lengths);
}

size_t line_effects_pieces(const struct line_effects *lines, uint64_t count,
                           struct line_piece pieces[LINE_PIECES]) {
    const struct line_piece all[LINE_PIECES] = {
        {lines->raised, sizeof *lines->raised},
        {lines->cleared, sizeof *lines->cleared},
        {lines->errnos, sizeof *lines->errnos},
        {lines->lengths, sizeof *lines->lengths},
    };
    size_t found = 0;
    for (int i = 0; i < LINE_PIECES; i++)
        if (all[i].bytes)
            pieces[found++] = (struct line_piece){all[i].bytes, all[i].length * (size_t)count};
    return found;
}

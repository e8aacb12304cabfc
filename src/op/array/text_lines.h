/* Lines of text in a call, and room for what functions of C do besides giving their results. */
#ifndef DETCHECK_OP_ARRAY_TEXT_LINES_H
#define DETCHECK_OP_ARRAY_TEXT_LINES_H

#include "op/array.h"

/* The array that has the texts of a planned call of an operation on texts. */
const struct array *text_array(const struct array_call *call);

/* Bytes of each line of it, and how many lines there are; 0 lines of other operations. */
size_t text_line_length(const struct array_call *call);
uint64_t text_line_count(const struct array_call *call);

/* Which effects are asked for. */
struct line_wishes {
    bool flags, errnos, lengths;
};

/* Room for so many lines; what is not asked for is NULL. False without memory; close it in any case. */
bool line_effects_open(struct line_effects *lines, struct line_wishes wishes, uint64_t count);
void line_effects_close(struct line_effects *lines);

/* What there is room for, in one order: a process sends it to another on the same machine. */
enum { LINE_PIECES = 4 };
struct line_piece {
    void *bytes;
    size_t length;
};
size_t line_effects_pieces(const struct line_effects *lines, uint64_t count,
                           struct line_piece pieces[LINE_PIECES]);

#endif

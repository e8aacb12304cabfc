/* What a command of exec-text: says of each text besides its answer, by words in front of it: detcheck-exec-text(7). */
#ifndef DETCHECK_IMPL_REMOTE_TEXT_EFFECTS_H
#define DETCHECK_IMPL_REMOTE_TEXT_EFFECTS_H

#include "impl/implementation.h"

/* In the order in which the command has named them. */
enum text_telling { TELLS_LENGTH, TELLS_ERRNO, TELLS_FLAGS, TELLINGS };
struct text_tellings {
    enum text_telling order[TELLINGS];
    int count;
};

/* What a request asks for, such as "length,errno". */
const char *text_tellings_asked(const struct binding_request *request);

/* Reads "+length+errno" behind the form of numbers in the command's first line, up to a space or the end, and returns where that
 * is. NULL: it names something that was not asked for, or something twice. */
const char *text_tellings_read(struct text_tellings *tellings, const char *text,
                               const struct binding_request *request);

/* Notes in the binding what its answers will tell. */
void text_tellings_note(const struct text_tellings *tellings, struct binding *binding);

/* Takes the words off the beginning of a line, and one space behind them; `effects` has room for what was asked for, or is NULL. */
bool text_effects_read(const struct text_tellings *tellings, char **line,
                       struct line_effects *effects, uint64_t index, struct error *error);

#endif

/* What calls on texts do besides giving results, as detcheck-exec-extensions(7) has it behind the codes of an answer: bytes for each
 * line of text. */
#ifndef DETCHECK_IMPL_REMOTE_LINE_BYTES_H
#define DETCHECK_IMPL_REMOTE_LINE_BYTES_H

#include "op/array/text_lines.h"

/* `tells` is a set of PROTOCOL_FLAGS, PROTOCOL_ERRNO and PROTOCOL_LENGTHS. */
struct line_wishes line_wishes_of(unsigned tells);
size_t line_bytes_size(unsigned tells, uint64_t lines);
void line_bytes_put(unsigned tells, const struct line_effects *lines, uint64_t count,
                    uint8_t *bytes);
/* Fills what there is room for in `lines`. False where a byte is none that the protocol has. */
bool line_bytes_get(unsigned tells, const uint8_t *bytes, uint64_t count,
                    struct line_effects *lines);

#endif

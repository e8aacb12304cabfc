/* What is said beside the state of a length. */
#ifndef DETCHECK_REVEAL_SAY_H
#define DETCHECK_REVEAL_SAY_H

#include "base/error.h"
#include "reveal/reveal.h"

void revealed_say(struct revealed *revealed, const char *format, ...) PRINTF_LIKE(2, 3);
const char *revealed_code_text(const struct subject *subject, uint64_t code, char *text);

/* Of a model that some arrays differ from: the first of them, and what they refute. NOT_REPEATABLE where a call that is made
 * again returns something else. */
bool revealed_say_difference(const struct finding *finding, const struct choice *choice,
                             struct replay_samples *samples, struct revealed *revealed,
                             struct error *error);
/* Two calls differ: the state, and which call. */
void revealed_say_other(struct revealed *revealed, const struct subject *subject, uint64_t call,
                        uint64_t before, uint64_t again);

#endif

/* What is said beside the state of a length. */
#ifndef DETCHECK_REVEAL_SAY_H
#define DETCHECK_REVEAL_SAY_H

#include "base/error.h"
#include "reveal/reveal.h"

void revealed_say(struct revealed *revealed, const char *format, ...) PRINTF_LIKE(2, 3);
/* Where the search was cut off: that others were not tried. */
void revealed_say_cut(struct revealed *revealed);
const char *revealed_code_text(const struct subject *subject, uint64_t code, char *text);

/* Says which array is the first that differs from a model, and what those that differ refute. NOT_REPEATABLE where a call
 * that is made again returns something else. */
bool revealed_say_difference(const struct finding *finding, const struct choice *choice,
                             struct replay_samples *samples, struct revealed *revealed,
                             struct error *error);
/* Makes the call of a replay that differed again. Where it returns something else, no model was refuted: NOT_REPEATABLE,
 * and which call. */
bool revealed_make_again(struct subject *subject, struct revealed *revealed, struct error *error);

#endif

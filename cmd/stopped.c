/* The sentence. */
#include "stopped.h"

#include "format/text.h"
#include "report/text.h"

#include <stdio.h>

void say_stopped(const struct stopped *stopped, struct error *error) {
    char counts[3][32], bits[NUMBER_TEXT], found[160] = "all equal";
    if (!stopped->done || stopped->done == stopped->count)
        return;
    if (stopped->differ)
        snprintf(found, sizeof found, "%s %s other bits, such as that of x = %s",
                 text_grouped(stopped->differ, counts[2]), stopped->differ == 1 ? "has" : "have",
                 format_bits_text(stopped->format, stopped->first, bits));
    else if (stopped->unanswered)
        snprintf(found, sizeof found, "%s have no answer, the others are equal",
                 text_grouped(stopped->unanswered, counts[2]));
    error_set(error, "interrupted after %s of %s inputs of %s in %s: %s",
              text_grouped(stopped->done, counts[0]), text_grouped(stopped->count, counts[1]),
              stopped->operation, stopped->format->name, found);
}

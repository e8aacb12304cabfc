/* How an element of an array reads: its exact value, and where it stands. */
#ifndef DETCHECK_CMD_ELEMENT_TEXT_H
#define DETCHECK_CMD_ELEMENT_TEXT_H

#include "op/array.h"
#include "oracle/exact.h"

enum { ELEMENT_TEXT = 96 };

/* All that is known of the value, in decimal, "..." where more follows. */
void element_value_text(const struct real *y, char text[ELEMENT_TEXT]);

/* Where the operation reads texts, the number that text `index` of the call says, if 30 digits say all of it: 0.1 is no number of few
 * bits. False otherwise. */
bool element_decimal_text(const struct array_call *call, uint64_t index, char text[ELEMENT_TEXT]);

/* Index of an element: "[3]", "[1,7]". Returns `text`. */
const char *element_place_text(const struct shape *shape, uint64_t element,
                               char text[ELEMENT_TEXT]);

/* Whether the definition has rounded, clipped or held nothing before the result: by an exact result, and the same without such steps. */
bool element_is_rounded_once(const struct real *a, const struct real *b);

#endif

/* Formats made of others, for the operands of IEEE P3109 4.0's operations.
 *
 * A scaled format, "binary8p1uf*binary8p4se", is that of a number with a scale of its own: a block of one element
 * (5.1.1 and 5.5). A code has the scale's bits above the element's, and stands for the product. Several codes stand
 * for the same number, and the order of codes is not that of numbers.
 *
 * A list, "binary8p4se:binary4p2sf", has the formats of the operands of a call, one each. Codes of all operands take
 * format_bytes of the list. A list says nothing of a code itself: format_of_operand does. */
#ifndef DETCHECK_FORMAT_COMPOUND_H
#define DETCHECK_FORMAT_COMPOUND_H

#include "format/format.h"

/* The format of a part of a name, which is no compound. */
typedef const struct format *format_find_function(const char *text, struct error *error);

/* The compound of that name. *is_name: the text has a '*' or a ':', so that it can be nothing else; then NULL comes
 * with an error. Parts are found by `find`. A compound that was made stays, and is the same object for the same
 * parts. A list of one format alone is that format. */
const struct format *compound_find(const char *text, format_find_function *find, bool *is_name,
                                   struct error *error);

#endif

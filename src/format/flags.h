/* Exception flags (IEEE 754-2019, section 7): their names, sets of them as bits and as text, and
 * which of them rounding raises.
 *
 * A set of flags is a uint8_t that has the bit 1 << FLAG_... of each member. */
#ifndef DETCHECK_FORMAT_FLAGS_H
#define DETCHECK_FORMAT_FLAGS_H

#include "base/error.h"
#include "format/format.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order of IEEE 754, section 7. TestFloat has the same five bits the other way round:
 * inexact is its bit 0 and invalid its bit 4. */
enum flag { FLAG_INVALID, FLAG_DIVIDE_BY_ZERO, FLAG_OVERFLOW, FLAG_UNDERFLOW, FLAG_INEXACT, FLAGS };
/* "invalid", "divide-by-zero", "overflow", "underflow", "inexact". */
extern const char *const flag_names[FLAGS];

static inline uint8_t flag_bit(int flag) {
    return (uint8_t)(1u << flag);
}

enum { ALL_FLAGS = (1 << FLAGS) - 1 };

/* Room for the text of a set. */
enum { FLAGS_TEXT = 64 };

/* "overflow inexact"; "none" for the empty set. `text` has room for FLAGS_TEXT characters. */
const char *flags_text(uint8_t flags, char *text);

/* The set that a text names: names separated by spaces or commas, or "none". False and an error
 * that lists the names where one is unknown, or none is there. */
bool flags_parse(const char *text, uint8_t *flags, struct error *error);

/* The set from the bits of TestFloat's lines, and those bits of a set. */
uint8_t flags_from_testfloat(unsigned bits);
unsigned flags_to_testfloat(uint8_t flags);

/* The flags that one rounding of `value` raises (IEEE 754-2019, sections 7.4 to 7.6): overflow and
 * inexact where it is beyond the largest finite number, saturated or not; underflow and inexact
 * where it is tiny and the code is not its value; inexact where the code is not its value. To an
 * integer it is invalid in place of overflow and inexact, and nothing is tiny (section 5.8).
 *
 * A nonzero value is tiny where it lies below the smallest normal number: before rounding, or after
 * rounding as if the exponent had no lower bound, if `tiny_after_rounding` (section 7.5 leaves the
 * choice to the implementation; x86 looks after rounding, and Arm and s390x before). Zeros, infinite
 * values and NaN raise nothing here. ROUND_STOCHASTIC is taken as truncation: which flags it raises
 * no standard says. */
uint8_t format_flags(const struct format *format, const struct real *value, enum rounding rounding,
                     bool tiny_after_rounding);

#endif

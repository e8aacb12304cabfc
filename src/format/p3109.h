/* The formats of IEEE P3109, by its interim report 4.0 of June 2026, which is a draft.
 *
 * Binary{K}p{P}{s|u}{e|f}: K bits of width, precision P, signed or unsigned, extended (with infinity) or
 * finite. Each has one zero, one NaN and subnormal numbers. A name is parsed, and its format made then:
 * there are 504 with 3 to 16 bits (section 3.1; 4.7.2 says how codes are decoded). A format that was made
 * stays, and is the same object for the same name. */
#ifndef DETCHECK_FORMAT_P3109_H
#define DETCHECK_FORMAT_P3109_H

#include "format/format.h"

#define P3109_VERSION "4.0"
enum { P3109_LEAST_WIDTH = 3, P3109_MOST_WIDTH = 16, P3109_FORMATS = 504 };

/* How a name is built, for people. */
#define P3109_NAMES "binary{K}p{P}{s|u}{e|f}"

/* Number 0 to P3109_FORMATS - 1: by width, then precision, signed first, extended first. */
const struct format *p3109_format(size_t number);

/* The format of a name in any case. NULL with *is_name false for text that is no such name, and with
 * *is_name true and an error for one whose numbers no format has. */
const struct format *p3109_find(const char *text, bool *is_name, struct error *error);

#endif

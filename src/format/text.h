/* Numbers as people write and read them: decimal, hex float, bits. One of a scaled format (format/compound.h) is
 * written as its scale and its element, "2*1.5"; an element alone is read with the scale 1. */
#ifndef DETCHECK_FORMAT_TEXT_H
#define DETCHECK_FORMAT_TEXT_H

#include "base/error.h"
#include "format/format.h"

struct parsed_value {
    uint64_t code;
    bool from_bits; /* written as a bit pattern */
    bool rounded; /* a decimal that the format does not hold: `code` is the nearest, ties to even */
    uint64_t below, above; /* then the format's numbers on either side of it */
};

/* Reads one value. Three spellings:
 *   bits       0x3f800000: "0x" and hex digits alone, at most the format's width
 *   hex float  0x1.8p-3: claims to be exact, so it is an error if the format does not hold it
 *   decimal    0.1, -1e-40, inf, nan: rounded to nearest-even, and `rounded` says so; an error
 *              where that overflows or gives zero
 * The error names the format's neighbours of a number that it cannot hold. */
bool format_parse(const struct format *format, const char *text, struct parsed_value *value,
                  struct error *error);

/* Reads what an implementation wrote. The spellings are the same, and decimals that overflow or give zero are rounded too, as
 * IEEE 754 rounds: to infinity, or what the format has in its place, and to zero. */
bool format_parse_output(const struct format *format, const char *text, uint64_t *code,
                         struct error *error);

/* Room enough for any text made here. */
enum { NUMBER_TEXT = 64 };

/* "0x3f800000": as many digits as the width asks for. */
const char *format_bits_text(const struct format *format, uint64_t code, char text[NUMBER_TEXT]);

/* "0x1.8p+0", "-0x0p+0", "inf", "nan": exact. */
const char *format_hex_text(const struct format *format, uint64_t code, char text[NUMBER_TEXT]);

/* The number itself where it has at most nine digits (448, 0.017578125), else the shortest decimal
 * that reads back as the same code; "-0", "inf", "nan". */
const char *format_decimal_text(const struct format *format, uint64_t code, char text[NUMBER_TEXT]);

#endif

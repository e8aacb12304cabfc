/* Rows for the formats of P3109, made of the four parameters that define one. */
#include "format/p3109.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_ROOM = 16 };

static struct format rows[P3109_FORMATS];
static char names[P3109_FORMATS][NAME_ROOM];

/* A width of K bits has 2 (K - 1) signed formats and 2 K unsigned ones. */
static size_t formats_of(unsigned width) {
    return 4 * (size_t)width - 2;
}

static size_t number_of(unsigned width, unsigned precision, bool is_unsigned, bool is_finite) {
    size_t number = 0;
    for (unsigned k = P3109_LEAST_WIDTH; k < width; k++)
        number += formats_of(k);
    return number + 4 * ((size_t)precision - 1) +
           (precision == width ? 0 : 2 * (size_t)is_unsigned) + is_finite;
}

/* Section 3.1 has the bias; 4.7.2 the codes of NaN and infinity. */
static struct format make_row(const char *name, unsigned width, unsigned precision,
                              bool is_unsigned, bool is_finite) {
    const unsigned magnitude_bits = width - !is_unsigned;
    const uint64_t end = UINT64_C(1) << magnitude_bits;
    const int bias = 1 << (magnitude_bits - precision);
    struct format row = {.name = name,
                         .aliases = "",
                         .width = width,
                         .precision = (int)precision,
                         .exponent_bias = bias,
                         .emin = 1 - bias,
                         .has_infinity = !is_finite,
                         .has_nan = true,
                         .has_zero = true,
                         .is_p3109 = true,
                         .sign_bit = is_unsigned ? 0 : end,
                         .max_finite = end - 1 - is_unsigned - !is_finite,
                         .nan = is_unsigned ? end - 1 : end};
    row.emax = (int)(row.max_finite >> (precision - 1)) - bias;
    return row;
}

static void make_rows(void) {
    for (unsigned width = P3109_LEAST_WIDTH; width <= P3109_MOST_WIDTH; width++)
        for (unsigned precision = 1; precision <= width; precision++)
            for (int kind = precision == width ? 2 : 0; kind < 4; kind++) {
                const bool is_unsigned = kind / 2, is_finite = kind % 2;
                const size_t number = number_of(width, precision, is_unsigned, is_finite);
                snprintf(names[number], NAME_ROOM, "binary%up%u%c%c", width & 31, precision & 31,
                         is_unsigned ? 'u' : 's', is_finite ? 'f' : 'e');
                rows[number] = make_row(names[number], width, precision, is_unsigned, is_finite);
            }
}

const struct format *p3109_format(size_t number) {
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    pthread_once(&made, make_rows);
    return &rows[number];
}

/* Reads a number of one to three digits, without a zero before it. */
static bool read_number(const char **at, unsigned *number) {
    *number = 0;
    if (**at == '0')
        return false;
    for (int digits = 0; isdigit((unsigned char)**at); ++*at, digits++)
        if (digits == 3)
            return false;
        else
            *number = *number * 10 + (unsigned)(**at - '0');
    return *number > 0;
}

static bool read_letter(const char **at, const char *letters, bool *is_second) {
    const int letter = tolower((unsigned char)**at);
    *is_second = letter == letters[1];
    *at += 1;
    return letter == letters[0] || letter == letters[1];
}

const struct format *p3109_find(const char *text, bool *is_name, struct error *error) {
    static const char word[] = "binary";
    const char *at = text;
    unsigned width, precision;
    bool is_unsigned, is_finite;
    for (size_t i = 0; word[i]; i++, at++)
        if (tolower((unsigned char)*at) != word[i])
            return *is_name = false, NULL;
    *is_name = read_number(&at, &width) && tolower((unsigned char)*at) == 'p';
    if (!*is_name)
        return NULL;
    at++;
    if (!read_number(&at, &precision) || !read_letter(&at, "su", &is_unsigned) ||
        !read_letter(&at, "ef", &is_finite) || *at) {
        error_set(error,
                  "'%.80s' is not a format of P3109: their names are " P3109_NAMES
                  ", such as binary8p4se",
                  text);
        return NULL;
    }
    if (width < P3109_LEAST_WIDTH || width > P3109_MOST_WIDTH) {
        error_set(error, "the formats of P3109 are known here with %d to %d bits, not %u: '%.80s'",
                  P3109_LEAST_WIDTH, P3109_MOST_WIDTH, width, text);
        return NULL;
    }
    if (precision > width - !is_unsigned) {
        error_set(error,
                  "a format of P3109 that is %s and has %u bits has a precision of 1 to %u, not %u",
                  is_unsigned ? "unsigned" : "signed", width, width - !is_unsigned, precision);
        return NULL;
    }
    return p3109_format(number_of(width, precision, is_unsigned, is_finite));
}

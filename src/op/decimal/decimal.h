/* Numbers as decimal texts, and back, exactly: in integers of GMP, of which C's strtod and printf have nothing.
 *
 * A grammar says what of a text is a number. By strtod's (C11 7.22.1.3, in the C locale) it is the longest beginning that is one, after
 * white space; 0 where there is none. Decimal and hexadecimal numbers, "inf", "infinity" and "nan" are numbers. */
#ifndef DETCHECK_OP_DECIMAL_DECIMAL_H
#define DETCHECK_OP_DECIMAL_DECIMAL_H

#include "format/format.h"
#include "op/decimal/grammar.h"

#include <gmp.h>
#include <stddef.h>

/* How to_decimal writes a number: as C's printf does by %e, %f, %g and %a, or in the fewest digits from which nearest-even reads the
 * number back, and of those the nearest to it. */
enum decimal_style {
    STYLE_SHORTEST,
    STYLE_EXPONENT,
    STYLE_FIXED,
    STYLE_GENERAL,
    STYLE_HEXADECIMAL,
    DECIMAL_STYLES
};

/* What a text begins with. */
struct decimal_literal {
    enum { LITERAL_NONE, LITERAL_INFINITY, LITERAL_NAN, LITERAL_NUMBER } kind;
    bool negative;
    char *digits; /* of a number, to be freed */
    int base;     /* 10 or 16, of integers also 8 or 2 */
    long behind,
        exponent; /* how many digits stand behind the point; the exponent that the text has */
};
/* What the text of at most so many bytes begins with, whose digits the caller frees; and where that ends, 0 for none. */
struct decimal_literal decimal_literal_of(const struct grammar *grammar, const char *text,
                                          size_t length, size_t *end);
/* Its value, truncated to `precision` bits (at most 120). */
struct real decimal_literal_value(const struct decimal_literal *literal,
                                  const struct grammar *grammar, int precision);

/* The value of a text of `length` bytes, or of fewer where a 0 is among them, likewise. */
struct real decimal_value(const struct grammar *grammar, const char *text, size_t length,
                          int precision);

/* How many bytes of such a text are the number, white space and sign included, and behind "nan" characters in parentheses: the end that
 * strtod sets. 0 where no number stands there. */
size_t decimal_end(const struct grammar *grammar, const char *text, size_t length);

/* Whether such a text, by strtod's grammar, says a number exactly; true of what is no finite number, or 0. */
bool decimal_is_exact(const char *text, size_t length, const struct real *x);

/* The value of such a text as a fraction; false for 0, for what is no finite number, and for exponents beyond 100,000. */
bool decimal_ratio(mpq_t value, const struct grammar *grammar, const char *text, size_t length);

/* Writes a fraction that at most so many significant digits say exactly (1/8, 1/10, and not 1/3), as printf's %g does; false where
 * they do not, and the text then is of no use. The fraction is not 0. */
bool decimal_ratio_text(const mpq_t value, int digits, char *text, size_t room);

/* |x| / base^place, rounded to an integer as a number of x's sign is. x is finite. */
void decimal_scaled(mpz_t integer, const struct real *x, long place, enum rounding rounding);

/* The decimal exponent of a finite x that is not 0: 10^exponent <= |x| < 10^(exponent + 1). */
long decimal_exponent(const struct real *x);

/* Significant digits of a finite number that is not 0, without zeros at the end: |x| is about d1.d2d3... 10^exponent. They are a
 * string, NULL without memory; decimal_free frees it. */
struct decimal {
    bool negative;
    char *digits;
    long exponent;
};
/* So many digits, rounded. */
struct decimal decimal_of(const struct real *x, long digits, enum rounding rounding);
/* The fewest from which nearest-even reads it back, a number of that format; of those the nearest to it, and the even one of two. */
struct decimal decimal_shortest(const struct real *x, const struct format *format);
void decimal_free(struct decimal *decimal);

/* Room for a number of the format in that style with so many digits, the 0 at the end included. */
size_t decimal_room(const struct format *format, enum decimal_style style, long digits);
/* Writes it, and zeros behind it; false without memory. `text` has that room. Digits below 0 stand for none given: 6, or with STYLE_HEXADECIMAL as many as
 * the number has. STYLE_SHORTEST has no digits, and rounds to nearest-even. */
bool decimal_write(char *text, const struct format *format, const struct real *x,
                   enum decimal_style style, long digits, enum rounding rounding);

#endif

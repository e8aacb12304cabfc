/* Reading and printing of numbers. */
#include "format/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A number of so many digits is printed as it is: the shortest decimal that reads back would be
 * another number, and in a narrow format a misleading one. */
enum { SHORT_DIGITS = 9 };

const char *format_bits_text(const struct format *format, uint64_t code, char text[NUMBER_TEXT]) {
    snprintf(text, NUMBER_TEXT, "0x%0*" PRIx64, (int)(format->width + 3) / 4, code);
    return text;
}

/* Both parts of a scaled number, each written by `write`. */
static const char *scaled_text(const struct format *format, uint64_t code, char text[NUMBER_TEXT],
                               const char *(*write)(const struct format *, uint64_t, char *)) {
    char scale[NUMBER_TEXT], element[NUMBER_TEXT];
    snprintf(text, NUMBER_TEXT, "%.30s*%.30s",
             write(format->scale, code >> format->element->width, scale),
             write(format->element, code & format_mask(format->element), element));
    return text;
}

const char *format_hex_text(const struct format *format, uint64_t code, char text[NUMBER_TEXT]) {
    if (format->element)
        return scaled_text(format, code, text, format_hex_text);
    struct real value = format_decode(format, code);
    const char *sign = value.negative ? "-" : "";
    if (value.kind == REAL_NAN)
        snprintf(text, NUMBER_TEXT, "nan");
    else if (value.kind == REAL_INFINITE)
        snprintf(text, NUMBER_TEXT, "%sinf", sign);
    else if (value.kind == REAL_ZERO)
        snprintf(text, NUMBER_TEXT, "%s0x0p+0", sign);
    else {
        char digits[17];
        uint64_t fraction = value.significand.high << 1;
        snprintf(digits, sizeof digits, "%016" PRIx64, fraction);
        size_t length = 16;
        while (length && digits[length - 1] == '0')
            length--;
        snprintf(text, NUMBER_TEXT, "%s0x1%s%.*sp%+d", sign, length ? "." : "", (int)length, digits,
                 (int)value.exponent);
    }
    return text;
}

/* Prints with so many digits; whether that reads back as the code. */
static bool reads_back(const struct format *format, uint64_t code, char text[NUMBER_TEXT],
                       const char *conversion, int digits, mpfr_srcptr exact) {
    struct parsed_value value;
    struct error unused;
    mpfr_snprintf(text, NUMBER_TEXT, conversion, digits, exact);
    return format_parse(format, text, &value, &unused) && value.code == code;
}

/* Prints with the digits of a short number; whether that is the number. */
static bool is_short(mpfr_srcptr exact, char text[NUMBER_TEXT]) {
    mpfr_t printed;
    mpfr_init2(printed, mpfr_get_prec(exact));
    mpfr_snprintf(text, NUMBER_TEXT, "%.*Rg", SHORT_DIGITS, exact);
    bool same =
        mpfr_strtofr(printed, text, NULL, 10, MPFR_RNDN) == 0 && mpfr_equal_p(printed, exact);
    mpfr_clear(printed);
    return same;
}

const char *format_decimal_text(const struct format *format, uint64_t code,
                                char text[NUMBER_TEXT]) {
    if (format->element)
        return scaled_text(format, code, text, format_decimal_text);
    struct real value = format_decode(format, code);
    if (format_is_whole(format)) {
        snprintf(text, NUMBER_TEXT, "%s%" PRIu64, format_is_negative(format, code) ? "-" : "",
                 format_magnitude(format, code));
        return text;
    }
    if (value.kind != REAL_FINITE) {
        const char *word = value.kind == REAL_NAN ? "nan" : value.kind == REAL_ZERO ? "0" : "inf";
        snprintf(text, NUMBER_TEXT, "%s%s", value.negative ? "-" : "", word);
        return text;
    }
    mpfr_t exact;
    mpfr_init2(exact, 128);
    real_to_mpfr(exact, &value);
    if (is_short(exact, text)) {
        mpfr_clear(exact);
        return text;
    }
    for (int digits = 1; digits <= 17; digits++) {
        /* Rounded away or towards zero where only that reads back: the numbers that do lie
         * unevenly around a power of two. */
        if (reads_back(format, code, text, "%.*Rg", digits, exact) ||
            reads_back(format, code, text, "%.*RYg", digits, exact) ||
            reads_back(format, code, text, "%.*RZg", digits, exact))
            break;
    }
    mpfr_clear(exact);
    return text;
}

static bool is_bits(const char *text) {
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !text[2])
        return false;
    return text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] == '\0';
}

static bool parse_bits(const struct format *format, const char *text, struct parsed_value *value,
                       struct error *error) {
    const char *digits = text + 2 + strspn(text + 2, "0");
    uint64_t code = 0;
    size_t length = strlen(digits);
    for (const char *c = digits; *c && length <= 16; c++)
        code = code << 4 |
               (uint64_t)(isdigit((unsigned char)*c) ? *c - '0'
                                                     : tolower((unsigned char)*c) - 'a' + 10);
    if (length > 16 || code > format_mask(format))
        return error_set(error, "%.80s has more than the %u bits of a code of %s", text,
                         format->width, format->name);
    *value = (struct parsed_value){.code = code, .from_bits = true};
    return true;
}

/* Integers beyond the ends, in decimal. */
static bool is_beyond(const struct format *format, const char *text, struct error *error) {
    char least[NUMBER_TEXT], most[NUMBER_TEXT];
    return error_set(error, "%s cannot hold %.80s; it holds %s to %s", format->name, text,
                     format_decimal_text(format, format->sign_bit, least),
                     format_decimal_text(format, format->max_finite, most));
}

static bool cannot_hold(const struct format *format, const char *text,
                        const struct parsed_value *value, struct error *error) {
    char names[4][NUMBER_TEXT];
    const char *below = format_hex_text(format, value->below, names[0]);
    const char *below_bits = format_bits_text(format, value->below, names[1]);
    if (value->below == value->above && format_is_whole(format))
        return is_beyond(format, text, error);
    if (value->below == value->above)
        return error_set(error, "%s cannot hold %.80s; its last number is %s (%s)", format->name,
                         text, below, below_bits);
    return error_set(error, "%s cannot hold %.80s; its neighbours are %s (%s) and %s (%s)",
                     format->name, text, below, below_bits,
                     format_hex_text(format, value->above, names[2]),
                     format_bits_text(format, value->above, names[3]));
}

/* The numbers on either side; false when one side has only infinity or nothing. */
static bool enclose(const struct format *format, const struct real *real,
                    struct parsed_value *value) {
    value->below = format_encode(format, real, ROUND_DOWN, OVERFLOW_IEEE);
    value->above = format_encode(format, real, ROUND_UP, OVERFLOW_IEEE);
    if (!format_overflows(format, real, ROUND_DOWN) && !format_overflows(format, real, ROUND_UP))
        return true;
    if (!format->has_infinity) {
        value->below = format_encode(format, real, ROUND_DOWN, OVERFLOW_SATURATE);
        value->above = format_encode(format, real, ROUND_UP, OVERFLOW_SATURATE);
    }
    return false;
}

/* What no code of the format stands for. */
static bool is_foreign(const struct format *format, const char *text, const struct real *real,
                       struct error *error) {
    char limit[NUMBER_TEXT];
    if (real->kind == REAL_NAN)
        return !format->has_nan && !error_set(error, "%s has no NaN", format->name);
    if (real->kind == REAL_INFINITE && !format->has_infinity)
        return !error_set(error, "%s has no infinity; its largest number is %s", format->name,
                          format_hex_text(format, format->max_finite, limit));
    if (format->has_zero)
        return false;
    bool below = real->kind == REAL_ZERO || real->negative || real->exponent < format->emin;
    return below && !error_set(error, "%s cannot hold %.80s; its smallest number is %s",
                               format->name, text, format_hex_text(format, 0, limit));
}

static bool is_hex_float(const char *text) {
    text += *text == '-' || *text == '+';
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool parse_number(const struct format *format, const char *text, bool rounds,
                         struct parsed_value *value, struct error *error) {
    bool hex = is_hex_float(text);
    mpfr_t number;
    mpfr_init2(number, 128);
    char *end = NULL;
    int ternary = mpfr_strtofr(number, text, &end, hex ? 16 : 10, MPFR_RNDZ);
    struct real real = real_from_mpfr(number, ternary);
    mpfr_clear(number);
    if (end == text || *end || isspace((unsigned char)*text) || strchr(text, '@') ||
        strchr(text, '('))
        return error_set(error,
                         "'%.80s' is not a number; write a decimal (0.1), a hex float (0x1.8p-3), "
                         "bits (0x%0*x), inf or nan",
                         text, (int)(format->width + 3) / 4, 1);
    *value = (struct parsed_value){0};
    value->code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    if (is_foreign(format, text, &real, error))
        return false;
    if (real.kind != REAL_FINITE)
        return true;
    bool exact = enclose(format, &real, value) && value->below == value->above;
    bool vanishes = !exact && format_is_zero(format, value->code);
    bool beyond = format_overflows(format, &real, ROUND_NEAREST_EVEN);
    if (hex ? !exact : (beyond || vanishes) && !rounds)
        return cannot_hold(format, text, value, error);
    value->rounded = !exact;
    return true;
}

/* Takes any bits in a format that is no compound. */
static bool parse_part(const struct format *format, const char *text, bool rounds,
                       struct parsed_value *value, struct error *error) {
    return is_bits(text) ? parse_bits(format, text, value, error)
                         : parse_number(format, text, rounds, value, error);
}

/* "2*1.5", or "1.5", of scale 1. Neighbours are not looked for: those of a rounded part are no help for the product. */
static bool parse_scaled(const struct format *format, const char *text, bool rounds,
                         struct parsed_value *value, struct error *error) {
    const char *star = strchr(text, '*');
    struct parsed_value scale, element;
    char first[NUMBER_TEXT] = "1";
    if (star && star - text >= NUMBER_TEXT)
        return error_set(error, "'%.80s' has a scale of more than %d characters", text,
                         NUMBER_TEXT - 1);
    if (star)
        snprintf(first, sizeof first, "%.*s", (int)(star - text), text);
    if (!parse_part(format->scale, first, rounds, &scale, error) ||
        !parse_part(format->element, star ? star + 1 : text, rounds, &element, error))
        return false;
    *value = (struct parsed_value){.code = scale.code << format->element->width | element.code,
                                   .rounded = scale.rounded || element.rounded};
    value->below = value->above = value->code;
    return true;
}

static bool parse(const struct format *format, const char *text, bool rounds,
                  struct parsed_value *value, struct error *error) {
    if (format->element && !is_bits(text))
        return parse_scaled(format, text, rounds, value, error);
    return parse_part(format, text, rounds, value, error);
}

bool format_parse(const struct format *format, const char *text, struct parsed_value *value,
                  struct error *error) {
    return parse(format, text, false, value, error);
}

bool format_parse_output(const struct format *format, const char *text, uint64_t *code,
                         struct error *error) {
    struct parsed_value value;
    const bool good = parse(format, text, true, &value, error);
    if (good)
        *code = value.code;
    return good;
}

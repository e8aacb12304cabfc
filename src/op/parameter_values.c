/* Values of parameters as they are written: reading them, and their canonical spelling. */
#include "op/parameters.h"

#include "base/names.h"
#include "format/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimal, or hex after "0x", with a sign or without. */
static bool read_integer(const char *text, int64_t *integer) {
    const char *digits = text + (*text == '-');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    errno = 0;
    *integer = strtoll(text, &end, hex ? 16 : 10);
    return isdigit((unsigned char)*digits) && !*end && !errno;
}

static bool parse_integer(const struct parameter *row, const char *text,
                          struct parameter_value *value, struct error *error) {
    if (read_integer(text, &value->integer) && value->integer >= row->least &&
        value->integer <= row->most)
        return true;
    return error_set(error,
                     "--%s needs a whole number from %" PRId64 " to %" PRId64 ", not '%.40s'",
                     row->name, row->least, row->most, text);
}

/* A normal number of fp32 above 0, as its code. */
static bool parse_number(const struct parameter *row, const char *text,
                         struct parameter_value *value, struct error *error) {
    struct parsed_value number;
    struct error why;
    const struct format *fp32 = &formats[FORMAT_FP32];
    const uint64_t least = UINT64_C(1) << (fp32->precision - 1);
    bool good = format_parse(fp32, text, &number, &why) &&
                (row->rounds_number || !number.rounded) && number.code >= least &&
                number.code <= fp32->max_finite;
    value->integer = (int64_t)number.code;
    return good || error_set(error,
                             "--%s needs a name or a normal number above 0 that fp32 has%s, "
                             "such as 3.5 or 0x1.cp+1; not '%.40s'",
                             row->name, row->rounds_number ? "" : " exactly", text);
}

static bool parse_choice(const struct parameter *row, const char *text,
                         struct parameter_value *value, struct error *error) {
    char names[512] = "";
    size_t count = 0;
    for (; row->choices[count]; count++) {
        if (name_matches(text, row->choices[count], NULL)) {
            value->integer = (int64_t)count;
            return true;
        }
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", count ? ", " : "", row->choices[count]);
    }
    if (row->takes_number && (isdigit((unsigned char)*text) || *text == '.' || *text == '-'))
        return parse_number(row, text, value, error);
    const char *nearest = name_nearest(text, row->choices, count);
    if (nearest)
        return error_set(error, "--%s does not take '%.40s'; did you mean %s?", row->name, text,
                         nearest);
    return error_set(error, "--%s does not take '%.40s'; it takes: %s%s", row->name, text, names,
                     row->takes_number ? ", or a number" : "");
}

static bool read_extent(const char **text, uint64_t *extent) {
    char *end;
    errno = 0;
    *extent = strtoull(*text, &end, 10);
    bool good = isdigit((unsigned char)**text) && !errno && *extent;
    *text = end;
    return good;
}

static bool parse_shape(const struct parameter *row, const char *text,
                        struct parameter_value *value, struct error *error) {
    struct shape *shape = &value->shape;
    const char *at = text;
    bool good = true, more = true;
    for (shape->dimensions = 0; good && more;) {
        good = shape->dimensions < MOST_DIMENSIONS &&
               read_extent(&at, &shape->extents[shape->dimensions]);
        shape->dimensions++;
        more = *at == 'x' || *at == ',';
        at += more;
    }
    return (good && !*at) ||
           error_set(error,
                     "--%s needs extents of 1 or more with x between them, such as 4x128, at most "
                     "%d; not '%.40s'",
                     row->name, MOST_DIMENSIONS, text);
}

static bool parse_format(const struct parameter *row, const char *text,
                         struct parameter_value *value, struct error *error) {
    struct error why;
    value->format = format_find(text, &why);

    if (!value->format)
        return error_set(error, "--%s: %s", row->name, why.text);
    if (!format_is_plain(value->format))
        return error_set(error, "--%s needs one format without a scale, and %s is none", row->name,
                         value->format->name);
    return row->takes_elements || !value->format->is_element ||
           error_set(error, "--%s needs a format of numbers, not of blocks, as %s is", row->name,
                     value->format->name);
}

/* A number that a format of P3109 has: its code. */
static bool parse_number_of_format(const struct parameter *row, const char *text,
                                   struct parameter_value *value, struct error *error) {
    char name[PARAMETER_ROOM];
    struct parsed_value number = {0};
    struct error why = {0};
    const char *colon = strchr(text, ':');
    snprintf(name, sizeof name, "%.*s", (int)(colon ? colon - text : 0), text);
    if (!colon)
        return error_set(error, "--%s needs %s, such as binary8p1uf:4, not '%.40s'", row->name,
                         row->value, text);
    value->format = format_find(name, &why);
    if (value->format && (!format_is_plain(value->format) || !value->format->is_p3109))
        error_set(&why, "%s is not a format of P3109, such as binary8p1uf", value->format->name);
    else if (value->format && format_parse(value->format, colon + 1, &number, &why) &&
             number.rounded)
        error_set(&why, "%s has no %.40s", value->format->name, colon + 1);
    value->integer = (int64_t)number.code;
    return !*why.text || error_set(error, "--%s: %s", row->name, why.text);
}

bool parameter_parse(const struct parameter *row, const char *text, struct parameter_value *value,
                     struct error *error) {
    *value = (struct parameter_value){.present = true, .text = text};
    switch (row->kind) {
    case PARAMETER_INTEGER:
        return parse_integer(row, text, value, error);
    case PARAMETER_FORMAT:
        return parse_format(row, text, value, error);
    case PARAMETER_CHOICE:
        return parse_choice(row, text, value, error);
    case PARAMETER_SHAPE:
        return parse_shape(row, text, value, error);
    case PARAMETER_NUMBER:
        return parse_number_of_format(row, text, value, error);
    case PARAMETER_FLAG:
        value->integer = 1;
        return true;
    default:
        return true;
    }
}

static const char *choice_text(const struct parameter *row, int64_t choice,
                               char text[PARAMETER_ROOM]) {
    if (!row->takes_number || choice < INT64_C(1) << (formats[FORMAT_FP32].precision - 1))
        return strcpy(text, row->choices[choice]);
    return format_hex_text(&formats[FORMAT_FP32], (uint64_t)choice, text);
}

const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT]) {
    int at = 0;
    for (int i = 0; i < shape->dimensions; i++)
        at += snprintf(text + at, (size_t)(SHAPE_TEXT - at), "%s%" PRIu64, i ? "x" : "",
                       shape->extents[i]);
    return text;
}

static const char *number_text(const struct parameter_value *value, char text[PARAMETER_ROOM]) {
    char number[NUMBER_TEXT];
    snprintf(text, PARAMETER_ROOM, "%s:%s", value->format->name,
             format_decimal_text(value->format, (uint64_t)value->integer, number));
    struct parsed_value parsed;
    struct error unused;
    if (!format_parse(value->format, number, &parsed, &unused) || parsed.rounded)
        snprintf(text, PARAMETER_ROOM, "%s:%s", value->format->name,
                 format_hex_text(value->format, (uint64_t)value->integer, number));
    return text;
}

const char *parameter_text(const struct parameter *row, const struct parameter_value *value,
                           char text[PARAMETER_ROOM]) {
    switch (row->kind) {
    case PARAMETER_FLAG:
        return strcpy(text, "true");
    case PARAMETER_INTEGER:
        snprintf(text, PARAMETER_ROOM, "%" PRId64, value->integer);
        return text;
    case PARAMETER_FORMAT:
        return strcpy(text, value->format->name);
    case PARAMETER_CHOICE:
        return choice_text(row, value->integer, text);
    case PARAMETER_SHAPE:
        return shape_text(&value->shape, text);
    case PARAMETER_NUMBER:
        return number_text(value, text);
    default:
        snprintf(text, PARAMETER_ROOM, "%s", value->text);
        return text;
    }
}

/* The values of members: texts, bits, numbers. */
#include "vector/read/document.h"

#include "format/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const document_place_names[] = {[PLACE_OUTSIDE] = "the file",
                                            [PLACE_DOCUMENT] = "the document",
                                            [PLACE_NOTES] = "notes",
                                            [PLACE_GROUPS] = "testGroups",
                                            [PLACE_GROUP] = "a group",
                                            [PLACE_PARAMETERS] = "parameters",
                                            [PLACE_EXTENTS] = "a shape",
                                            [PLACE_TESTS] = "tests",
                                            [PLACE_TABLE] = "a table",
                                            [PLACE_TABLE_OUT] = "out",
                                            [PLACE_TABLE_DET] = "det",
                                            [PLACE_TEST] = "a test",
                                            [PLACE_IN] = "in",
                                            [PLACE_OUT] = "out",
                                            [PLACE_DET] = "det",
                                            [PLACE_ELEMENTS] = "an array",
                                            [PLACE_FLAGS] = "flags",
                                            [PLACE_RAISED] = "flags_raised"};

bool document_take(char *to, size_t room, const char *text, size_t length) {
    if (length >= room || memchr(text, '\0', length))
        return false;
    memcpy(to, text, length);
    to[length] = '\0';
    return true;
}

bool document_too_long(struct document *document, size_t room) {
    return error_set(document->error, "a text of more than %zu characters, or with a NUL",
                     room - 1);
}

bool document_unexpected(struct document *document, const char *what) {
    static const char *const wanted[] = {"a string", "a whole number", "a number", "an object",
                                         "an array"};
    if (document->member)
        return error_set(document->error, "%s is %s where there should be %s",
                         document->member->name, what, wanted[document->member->kind]);
    if (document_here(document) == PLACE_OUTSIDE)
        return error_set(document->error,
                         "%s where there should be an object, with \"schema\": \"%s\"", what,
                         VECTOR_SCHEMA);
    return error_set(document->error, "%s in %s", what,
                     document_place_names[document_here(document)]);
}

int document_wanted(const struct document *document, enum document_place place) {
    const struct binding_request *computed = &document_group((struct document *)document)->computed;
    return place == PLACE_IN ? operation_operands(computed->operation, &computed->parameters)
                             : computed->operation->results;
}

bool document_too_many(struct document *document, enum document_place place) {
    const int wanted = document_wanted(document, place);
    return error_set(document->error, "%s has %d %s%s, and here are more",
                     document_group(document)->computed.operation->name, wanted,
                     place == PLACE_IN ? "operand" : "result", wanted == 1 ? "" : "s");
}

/* As many lower-case digits as the width takes, and nothing else. */
static bool read_digits(const struct format *format, const char *text, size_t length,
                        uint64_t *code) {
    bool canonical = length == (format->width + 3) / 4;
    *code = 0;
    for (size_t i = 0; canonical && i < length; i++) {
        char c = text[i];
        canonical = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        *code = *code << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return canonical && !(*code & ~format_mask(format));
}

/* Bits to the letter: 0x and as many lower-case digits as the width takes. */
static bool read_bits(struct document *document, const struct format *format, const char *text,
                      size_t length, uint64_t *code) {
    return (length > 2 && text[0] == '0' && text[1] == 'x' &&
            read_digits(format, text + 2, length - 2, code)) ||
           error_set(document->error,
                     "'%.*s' are not bits of %s: those are 0x and %u lower-case hex digits",
                     length < 40 ? (int)length : 40, text, format->name, (format->width + 3) / 4);
}

/* An integer as it is written: decimal, without a plus sign or leading zeros. */
static bool read_integer(struct document *document, const struct format *format, const char *text,
                         size_t length, uint64_t *code) {
    char given[NUMBER_TEXT], canonical[NUMBER_TEXT];
    struct parsed_value value = {0};
    struct error unused;
    snprintf(given, sizeof given, "%.*s", length < sizeof given ? (int)length : 0, text);
    bool good = format_parse(format, given, &value, &unused) &&
                strcmp(format_decimal_text(format, value.code, canonical), given) == 0;
    *code = value.code;
    return good || error_set(document->error, "'%.*s' is not a decimal integer of %s",
                             length < 40 ? (int)length : 40, text, format->name);
}

bool document_read_code(struct document *document, const struct format *format, const char *text,
                        size_t length, uint64_t *code) {
    return read_digits(format, text, length, code) ||
           error_set(document->error,
                     "'%.*s' is not a code of %s: among several that is %u lower-case hex digits",
                     length < 40 ? (int)length : 40, text, format->name, (format->width + 3) / 4);
}

bool document_element(struct document *document, const char *text, size_t length, bool alone) {
    bool is_result = document->element >= document->operands;
    const struct format *format = document->array->format;
    if (document->element == document->array_end)
        return error_set(document->error, "the array has more elements than its shape");
    uint64_t *code = &document->test.elements[document->element++];
    bool read = !alone                    ? document_read_code(document, format, text, length, code)
                : format_is_whole(format) ? read_integer(document, format, text, length, code)
                                          : read_bits(document, format, text, length, code);
    if (!read)
        return false;
    if (is_result && format_is_nan(format, *code) && *code != format->nan)
        return error_set(document->error, "%.*s is a NaN, but not the canonical one", (int)length,
                         text);
    return true;
}

static bool add_in(struct document *document, const char *text, size_t length) {
    int *count = &document->counts[PLACE_IN];
    if (*count == document_wanted(document, PLACE_IN))
        return document_too_many(document, PLACE_IN);
    const struct format *format =
        format_of_operand(document_group(document)->computed.format, *count);
    return read_bits(document, format, text, length, &document->test.in[(*count)++]);
}

/* Profiles of conversions tell which NaN. */
bool document_check_nan(struct document *document, uint64_t code, const char *text, size_t length) {
    const struct format *format = document->result_format;
    char nan[NUMBER_TEXT];
    return !format_is_nan(format, code) || code == format->nan ||
           document_group(document)->computed.operation->converts ||
           error_set(document->error, "%.*s is a NaN, but not the canonical one, %s", (int)length,
                     text, format_bits_text(format, format->nan, nan));
}

/* A result in `out` or `det`. */
static bool add_out(struct document *document, enum document_place place, const char *text,
                    size_t length) {
    const struct vector_group *group = document_group(document);
    const struct format *format = document->result_format;
    int *count = &document->counts[place];
    if (*count == document_wanted(document, place))
        return document_too_many(document, place);
    enum vector_expect whose = place == PLACE_DET ? EXPECT_DET : vector_group_first(group);
    uint64_t *code = &document->test.out[whose][(*count)++];
    return read_bits(document, format, text, length, code) &&
           document_check_nan(document, *code, text, length);
}

/* The place of a text among names, or -1 with an error. */
static int find_flag(struct document *document, const char *const *names, int count,
                     const char *text, size_t length) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return i;
    error_set(document->error, "there is no flag '%.*s'", length < 40 ? (int)length : 40, text);
    return -1;
}

static bool add_flag(struct document *document, const char *text, size_t length) {
    int flag = find_flag(document, vector_flag_names, VECTOR_FLAGS, text, length);
    document->test.flags |= flag < 0 ? 0 : 1u << flag;
    return flag >= 0;
}

static bool add_raised(struct document *document, const char *text, size_t length) {
    int flag = find_flag(document, flag_names, FLAGS, text, length);
    if (flag >= 0)
        document->test.raised |= flag_bit(flag);
    return flag >= 0;
}

/* Keeps a copy of the text for as long as the file is there. */
static const char *keep_text(struct vector_file *file, const char *text) {
    char **texts = realloc(file->texts, (file->text_count + 1) * sizeof *texts);
    char *copy = texts ? strdup(text) : NULL;
    file->texts = texts ? texts : file->texts;
    if (!copy)
        return NULL;
    file->texts[file->text_count++] = copy;
    return copy;
}

bool document_set_parameter(struct document *document, const char *text) {
    const struct parameter *row = document->parameter;
    const char *kept = keep_text(document->file, text);
    document->parameter = NULL;
    return kept ? parameter_parse(row, kept, &document->parameters.values[row - parameter_rows],
                                  document->error)
                : error_set(document->error, "out of memory");
}

static bool set_string(struct document *document, const char *text, size_t length) {
    char unused[DOCUMENT_TEXT];
    const struct {
        const char *name;
        char *to;
        size_t room;
    } texts[] = {{"operation", document->operation, sizeof document->operation},
                 {"format", document->format, DOCUMENT_TEXT},
                 {"rounding", document->rounding, DOCUMENT_TEXT},
                 {"expect", document->expect, DOCUMENT_TEXT},
                 {"tininess", document->tininess, DOCUMENT_TEXT},
                 {"schema", unused, sizeof unused},
                 {"", unused, sizeof unused}};
    size_t i = 0;
    while (*texts[i].name && strcmp(texts[i].name, document->member->name) != 0)
        i++;
    bool schema = strcmp(texts[i].name, "schema") == 0;
    document->member = NULL;
    if (!document_take(texts[i].to, texts[i].room, text, length))
        return document_too_long(document, texts[i].room);
    if (schema && strcmp(unused, VECTOR_SCHEMA) != 0)
        return error_set(document->error, "the schema is '%.80s', and only %s is known here",
                         unused, VECTOR_SCHEMA);
    return true;
}

bool document_string(struct document *document, const char *text, size_t length) {
    switch (document_here(document)) {
    case PLACE_NOTES:
        return true;
    case PLACE_IN:
        return add_in(document, text, length);
    case PLACE_OUT:
    case PLACE_DET:
        return add_out(document, document_here(document), text, length);
    case PLACE_ELEMENTS:
        return document_element(document, text, length, true);
    case PLACE_FLAGS:
        return add_flag(document, text, length);
    case PLACE_RAISED:
        return add_raised(document, text, length);
    default:
        break;
    }
    if (document_here(document) == PLACE_EXTENTS)
        return document_unexpected(document, "a string");
    if (document->parameter) {
        char value[DOCUMENT_TEXT];
        return document_take(value, sizeof value, text, length)
                   ? document_set_parameter(document, value)
                   : document_too_long(document, sizeof value);
    }
    if (!document->member || document->member->kind != MEMBER_STRING)
        return document_unexpected(document, "a string");
    return set_string(document, text, length);
}

/* The members whose value is a number. */
static bool set_number(struct document *document, const char *value) {
    const struct document_member *member = document->member;
    char *end;
    errno = 0;
    if (member->kind == MEMBER_NUMBER) {
        document->test.distance = strtod(value, &end);
        bool good = document->test.distance >= 0 && document->test.distance <= 0.5;
        document->member = NULL;
        return good || error_set(document->error, "the distance %s is not from 0 to 0.5", value);
    }
    unsigned long long whole = strtoull(value, &end, 10);
    if (*end || errno || *value == '-' || whole > UINT64_C(1) << 53)
        return error_set(document->error, "%s is %s, no whole number from 0 to 2^53", member->name,
                         value);
    document->member = NULL;
    if (member->place == PLACE_DOCUMENT) {
        document->claimed = whole;
        return true;
    }
    document->test.id = whole;
    return whole || error_set(document->error, "a tcId is 1 or more");
}

bool document_number(struct document *document, const char *text, size_t length) {
    char value[DOCUMENT_TEXT];
    if (!document_take(value, sizeof value, text, length))
        return document_too_long(document, sizeof value);
    if (document_here(document) == PLACE_EXTENTS) {
        size_t at = strlen(document->shape);
        if (at + length + 2 >= sizeof document->shape)
            return document_too_long(document, sizeof document->shape);
        if (at)
            document->shape[at++] = 'x';
        memcpy(document->shape + at, value, length + 1); /* document_take has ended it */
        return true;
    }
    if (document->parameter && document->parameter->kind == PARAMETER_INTEGER)
        return document_set_parameter(document, value);
    if (!document->member ||
        (document->member->kind != MEMBER_WHOLE && document->member->kind != MEMBER_NUMBER))
        return document_unexpected(document, "a number");
    return set_number(document, value);
}

bool document_literal(struct document *document, const char *text) {
    if (document->parameter && document->parameter->kind == PARAMETER_FLAG &&
        strcmp(text, "true") == 0)
        return document_set_parameter(document, text);
    return document_unexpected(document, text);
}

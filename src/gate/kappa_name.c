/* Reading an operation specialization: its operation, its formats, its rounding and its saturation are all known. */
#include "gate/kappa_name.h"

#include "op/p3109_names.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLE "such as \"Exp<Binary8p4se, Binary8p4se, (NearestTiesToEven, SatNone)>(x) -> r\""

enum { MOST_PARAMETERS = 16 };

struct parser {
    const char *at;
    const struct format *formats[MOST_PARAMETERS]; /* in the order of the text */
    size_t count, pairs;
    bool pair_first; /* the first operand is "(scale, element)" */
    char *wrong;
    size_t room;
};

static bool refuse(struct parser *parser, const char *format, ...) PRINTF_LIKE(2, 3);
static bool refuse(struct parser *parser, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->wrong, parser->room, format, arguments);
    va_end(arguments);
    return false;
}

static bool take(struct parser *parser, char wanted) {
    parser->at += strspn(parser->at, " ");
    const bool found = *parser->at == wanted;
    parser->at += found;
    return found;
}

/* Letters, digits, points and underscores. */
static bool take_word(struct parser *parser, char word[KAPPA_NAME]) {
    size_t length = 0;
    parser->at += strspn(parser->at, " ");
    while (isalnum((unsigned char)parser->at[length]) || strchr("._", parser->at[length])) {
        if (!parser->at[length] || length == KAPPA_NAME - 1)
            break;
        word[length] = parser->at[length];
        length++;
    }
    word[length] = '\0';
    parser->at += length;
    return length > 0;
}

static bool take_format(struct parser *parser, const char *name) {
    char text[KAPPA_NAME];
    struct error unknown;
    size_t length = 0;
    for (; name[length]; length++)
        text[length] = (char)tolower((unsigned char)name[length]);
    text[length] = '\0';
    const struct format *format = format_find(text, &unknown);
    if (!format)
        return refuse(parser,
                      "%.60s is not a format: name all formats in Approximates, such as "
                      "Binary8p4se, one declaration for each choice",
                      name);
    if (parser->count == MOST_PARAMETERS)
        return refuse(parser, "no operation has more than %d formats", MOST_PARAMETERS);
    parser->formats[parser->count++] = format;
    return true;
}

bool kappa_is_rounding(const char *word) {
    for (size_t i = 0; i < ROUNDING_NAMES; i++) {
        const size_t length = strlen(p3109_roundings[i]);
        const char *bits = word + length;
        if (strncmp(word, p3109_roundings[i], length) != 0)
            continue;
        if (!rounding_is_stochastic((enum rounding)i)
                ? !*bits
                : *bits == '_' && bits[1] && !bits[1 + strspn(bits + 1, "0123456789")])
            return true;
    }
    return false;
}

bool kappa_is_saturation(const char *word) {
    for (size_t i = 0; i < P3109_SATURATIONS; i++)
        if (strcmp(word, p3109_saturations[i]) == 0)
            return true;
    return false;
}

/* Behind "(": a scale and an element, or the projection, which comes last. */
static bool take_pair(struct parser *parser, bool *projection) {
    char first[KAPPA_NAME], second[KAPPA_NAME];
    if (!take_word(parser, first) || !take(parser, ',') || !take_word(parser, second) ||
        !take(parser, ')'))
        return refuse(parser, "wanted (scale, element) or (rounding, saturation), " EXAMPLE);
    *projection = kappa_is_rounding(first);
    if (*projection)
        return kappa_is_saturation(second) ||
               refuse(parser,
                      "%.60s is not a saturation: wanted SatNone, SatFinite or SatPropagate",
                      second);
    if (kappa_is_saturation(second))
        return refuse(
            parser, "%.60s is not a rounding of P3109, such as NearestTiesToEven or StochasticA_4",
            first);
    parser->pair_first = parser->pair_first || !parser->count;
    parser->pairs++;
    return take_format(parser, first) && take_format(parser, second);
}

/* Behind "<", up to ">". *size: a size of blocks comes first. */
static bool take_parameters(struct parser *parser, bool *size) {
    char word[KAPPA_NAME];
    bool projection = false;
    for (size_t i = 0; !projection; i++) {
        if (i && !take(parser, ','))
            return refuse(parser,
                          "wanted a comma, or (rounding, saturation) as the last, " EXAMPLE);
        if (take(parser, '(')) {
            if (!take_pair(parser, &projection))
                return false;
        } else if (!take_word(parser, word))
            return refuse(parser, "wanted a format or (rounding, saturation), " EXAMPLE);
        else if (!i && !word[strspn(word, "0123456789")])
            *size = true;
        else if (!take_format(parser, word))
            return false;
    }
    return take(parser, '>') || refuse(parser, "wanted > behind (rounding, saturation), " EXAMPLE);
}

/* "(x, y) -> r" or nothing. */
static bool take_signature(struct parser *parser) {
    char result[KAPPA_NAME];
    if (take(parser, '(')) {
        parser->at += strcspn(parser->at, ")");
        if (!take(parser, ')') || !take(parser, '-') || *parser->at++ != '>' ||
            !take_word(parser, result))
            return refuse(parser, "wanted the operands and the result, " EXAMPLE);
    }
    parser->at += strspn(parser->at, " ");
    return !*parser->at || refuse(parser, "wanted nothing behind the result, " EXAMPLE);
}

/* Each operand and the result have a format, and in BlockOp the scale of the result, too. Operands of BlockOp may have
 * their scales with or without brackets: section 5.4 and annex G. */
static bool count_formats(struct parser *parser, const struct p3109_word *word, const char *name) {
    const bool blocks = word->variant == P3109_BLOCK;
    const size_t operands = (size_t)word->operands;
    if (blocks && !parser->pairs && parser->count == 2 * operands + 2)
        parser->pair_first = true;
    else if (parser->count - parser->pairs != operands + 1 + blocks)
        return refuse(parser, "%.60s wants a format for each of %zu operand%s%s and the result",
                      name, operands, operands == 1 ? "" : "s",
                      blocks ? ", for the scale of the result" : "");
    return true;
}

/* The text without blanks and brackets, in small letters. */
static bool simplify(struct parser *parser, const char *from, struct declared_kappa *item) {
    size_t used = 0;
    for (; from < parser->at; from++) {
        if (strchr(" ()", *from))
            continue;
        if (used == KAPPA_NAME - 1)
            return refuse(parser, "a specialization has at most %d characters", KAPPA_NAME - 1);
        item->operation[used++] = (char)tolower((unsigned char)*from);
    }
    item->operation[used] = '\0';
    return true;
}

static bool parse(struct parser *parser, struct declared_kappa *item) {
    char name[KAPPA_NAME];
    const char *start = parser->at;
    struct p3109_word word = {0};
    bool size = false;
    if (!take_word(parser, name) || !take(parser, '<'))
        return refuse(parser, "wanted an operation and its formats, " EXAMPLE);
    if (!p3109_find_word(name, &word))
        word.operation = name;
    const struct operation *operation = word.operation ? operation_row(word.operation) : NULL;
    if (!operation)
        return refuse(parser, "%.60s is no operation of P3109 4.0", name);
    if (!word.operands)
        word.operands = operation->operands;
    if (!take_parameters(parser, &size) || !count_formats(parser, &word, name) ||
        !simplify(parser, start, item))
        return false;
    if (size != word.counts)
        return refuse(parser, "%.60s has %s as its first parameter", name,
                      word.counts ? "the size of blocks, such as 1," : "no size of blocks");
    item->format = parser->pair_first ? NULL : parser->formats[0];
    return take_signature(parser);
}

bool kappa_name(const char *text, struct declared_kappa *item, char *wrong, size_t room) {
    const char quote = *text == '"' || *text == '\'' ? *text : '\0';
    char *inner = strdup(quote ? text + 1 : text);
    struct parser parser = {.at = inner, .wrong = wrong, .room = room};
    if (!inner)
        return refuse(&parser, "out of memory");
    char *last = inner + strlen(inner);
    bool good = !quote || (last > inner && last[-1] == quote) ||
                refuse(&parser, "wanted nothing behind the closing quote");
    if (good && quote)
        last[-1] = '\0';
    good = good && parse(&parser, item);
    free(inner);
    return good;
}

/* What stands for each foreign character, by place. */
#include "base/foreign.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One character of the text: its bytes, and its number, or -1 for a byte that is no UTF-8. */
struct character {
    const char *bytes;
    int length;
    int32_t code;
};

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
static struct character decode(const char *text) {
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*text;
    struct character one = {text, 1, first};
    if (first < 0x80)
        return one;
    int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    int32_t code = first & (0x7f >> length);
    one.code = -1;
    if (first < 0xc2 || first > 0xf4)
        return one;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return one;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return one;
    return (struct character){text, length, code};
}

/* Without a glyph, or with an effect on the text around it. */
static bool is_invisible(int32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || (code >= 0xfdd0 && code <= 0xfdef) ||
           code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe ||
           (code >= 0xe0000 && code <= 0xe0fff);
}

static bool begins(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* White space, which a CI system passes over before it looks for a command. */
static bool is_space(int32_t code) {
    return code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Where a CI system that reads the log would see a command of its own; `first`: only white space
 * has come before. */
static bool is_command(const char *text, bool first) {
    return (first && begins(text, "::")) || begins(text, "##[") || begins(text, "##vso[") ||
           begins(text, "##teamcity[");
}

enum { REPLACEMENT_ROOM = 16 };

static int hex(char *out, struct character one) {
    if (one.code < 0)
        return snprintf(out, REPLACEMENT_ROOM, "\\x%02x", (unsigned)(unsigned char)*one.bytes);
    return snprintf(out, REPLACEMENT_ROOM,
                    one.code < 0x80      ? "\\x%02x"
                    : one.code < 0x10000 ? "\\u%04x"
                                         : "\\U%08x",
                    (unsigned)one.code);
}

static int markup(char *out, struct character one) {
    switch (one.code) {
    case '&':
        return snprintf(out, REPLACEMENT_ROOM, "&amp;");
    case '<':
        return snprintf(out, REPLACEMENT_ROOM, "&lt;");
    case '>':
        return snprintf(out, REPLACEMENT_ROOM, "&gt;");
    case '"':
        return snprintf(out, REPLACEMENT_ROOM, "&quot;");
    case '\'':
        return snprintf(out, REPLACEMENT_ROOM, "&#39;");
    default:
        return 0;
    }
}

/* RFC 8259, section 7: characters beyond U+FFFF are two escapes. Control characters below 0x20 are escaped already, but
 * for the ends of lines between members. */
static int json_escape(char *out, int32_t code) {
    if (code < 0x7f || !is_invisible(code))
        return 0;
    if (code < 0x10000)
        return snprintf(out, REPLACEMENT_ROOM, "\\u%04x", (unsigned)code);
    return snprintf(out, REPLACEMENT_ROOM, "\\u%04x\\u%04x",
                    0xd800 + ((unsigned)code - 0x10000) / 0x400, 0xdc00 + (unsigned)code % 0x400);
}

/* What stands for a character; 0 where it stands for itself. */
static int replace(char *out, enum foreign_place place, struct character one, bool first) {
    if (place == FOREIGN_JSON)
        return json_escape(out, one.code);
    if (one.code < 0 || is_invisible(one.code))
        return hex(out, one);
    switch (place) {
    case FOREIGN_TERMINAL:
        return is_command(one.bytes, first) ? hex(out, one) : 0;
    case FOREIGN_MARKUP:
        return markup(out, one);
    case FOREIGN_MARKDOWN:
        return one.code < 0x80 && strchr("\\`*_[]()<>&|~#!", one.code)
                   ? snprintf(out, REPLACEMENT_ROOM, "\\%c", (char)one.code)
                   : 0;
    case FOREIGN_CI_TEXT:
    case FOREIGN_CI_PROPERTY:
        if (one.code == '%' ||
            (place == FOREIGN_CI_PROPERTY && (one.code == ':' || one.code == ',')))
            return snprintf(out, REPLACEMENT_ROOM, "%%%02X", (unsigned)one.code);
        return is_command(one.bytes, false) ? hex(out, one) : 0;
    default:
        return 0;
    }
}

/* Where the characters go: a stream, or a buffer with room left for the 0 at its end. */
struct sink {
    FILE *stream;
    char *at;
    size_t room;
};

static bool put(struct sink *sink, const char *bytes, size_t length) {
    if (sink->stream)
        return fwrite(bytes, 1, length, sink->stream) == length;
    if (length >= sink->room)
        return false;
    memcpy(sink->at, bytes, length);
    sink->at += length;
    sink->room -= length;
    return true;
}

/* Between $' and ', where every byte but the plain ones is written as \xff. */
static void put_quoted_bytes(struct sink *sink, const char *text) {
    bool going = put(sink, "$'", 2);
    for (; *text && going; text++) {
        char byte[8];
        unsigned char c = (unsigned char)*text;
        bool plain = c >= 0x20 && c < 0x7f && !strchr("'\\`|#", c);
        int length = snprintf(byte, sizeof byte, plain ? "%c" : "\\x%02x", (unsigned)c);
        /* A digit after \xff would be read as a part of it in ksh. */
        going = put(sink, byte, (size_t)length);
        if (!plain && text[1] && strchr("0123456789abcdefABCDEF", text[1]))
            going = going && put(sink, "'$'", 3);
    }
    put(sink, "'", 1);
}

static void put_word(struct sink *sink, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (*text && text[strspn(text, plain)] == '\0') {
        put(sink, text, strlen(text));
        return;
    }
    bool quotable = true;
    for (const char *at = text; *at && quotable;) {
        struct character one = decode(at);
        quotable = one.code >= 0 && !is_invisible(one.code) && !strchr("`|", *at) &&
                   !is_command(at, at == text);
        at += one.length;
    }
    if (!quotable) {
        put_quoted_bytes(sink, text);
        return;
    }
    bool going = put(sink, "'", 1);
    for (; *text && going; text++)
        going = *text == '\'' ? put(sink, "'\\''", 4) : put(sink, text, 1);
    put(sink, "'", 1);
}

static void put_text(struct sink *sink, enum foreign_place place, const char *text) {
    if (place == FOREIGN_SHELL) {
        put_word(sink, text);
        return;
    }
    bool going = true, first = true;
    for (const char *at = text; *at && going;) {
        struct character one = decode(at);
        char replacement[REPLACEMENT_ROOM];
        int length = replace(replacement, place, one, first);
        first = first && is_space(one.code);
        going = length ? put(sink, replacement, (size_t)length) : put(sink, at, (size_t)one.length);
        at += one.length;
    }
}

void foreign_print(FILE *stream, enum foreign_place place, const char *text) {
    put_text(&(struct sink){.stream = stream}, place, text);
}

const char *foreign_text(enum foreign_place place, const char *text, char *buffer, size_t room) {
    struct sink sink = {.at = buffer, .room = room};
    put_text(&sink, place, text);
    *sink.at = '\0';
    return buffer;
}

char *foreign_trim(char *text) {
    size_t length = strlen(text), back = 0;
    while (back < 3 && back < length && (text[length - 1 - back] & 0xc0) == 0x80)
        back++;
    if (back < length && (unsigned char)text[length - 1 - back] >= 0xc0 &&
        decode(text + length - 1 - back).code < 0)
        text[length - 1 - back] = '\0';
    return text;
}

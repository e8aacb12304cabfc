/* Lines of ARM's .tst. */
#include "lines/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "3f800000", "3ff00000.00000000"; *rest is what follows. */
static bool read_tst_code(const struct format *format, const char *text, uint64_t *code,
                          const char **rest) {
    char digits[32];
    size_t length = 0;
    const char *at = text;
    for (unsigned word = 0; word < format->width / 32; word++, at += *at == '.')
        for (int i = 0; i < 8 && isxdigit((unsigned char)*at); i++)
            digits[length++] = *at++;
    *rest = at[-1] == '.' ? at - 1 : at;
    return line_bits(format, digits, length, code);
}

/* The result, truncated, with further bits behind it; to nearest by those. Where they are just one
 * half, whether more follow is not said: there is no result then. */
static bool read_tst_result(const struct lines_wanted *wanted, const char *text,
                            struct line_content *content) {
    const char *rest;
    if (!read_tst_code(wanted->format, text, &content->out, &rest))
        return false;
    content->has_out = true;
    if (*rest != '.')
        return !*rest;
    char *end;
    size_t digits = strlen(rest + 1);
    unsigned long further = strtoul(rest + 1, &end, 16);
    if (*end || !digits || digits > 8)
        return false;
    unsigned long half = 8ul << 4 * (digits - 1);
    content->has_out = further != half;
    content->out += further > half;
    return true;
}

/* Letters as in status=ux. */
static bool read_status(const char *letters, uint8_t *flags) {
    static const char names[] = "izoux"; /* in the order of enum flag */
    for (; *letters; letters++) {
        const char *at = strchr(names, *letters);
        if (!at)
            return false;
        *flags |= flag_bit((enum flag)(at - names));
    }
    return true;
}

/* Files older than status= have error=overflow. */
static bool read_error(const char *name, uint8_t *flags) {
    static const struct {
        const char *name;
        int flag;
    } rows[] = {{"0", -1},
                {"overflow", FLAG_OVERFLOW},
                {"underflow", FLAG_UNDERFLOW},
                {"divbyzero", FLAG_DIVIDE_BY_ZERO},
                {"invalid", FLAG_INVALID}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0) {
            *flags |= rows[i].flag < 0 ? 0 : flag_bit((enum flag)rows[i].flag);
            return true;
        }
    return false;
}

/* Takes the words on flags. These tests leave inexact open. */
static bool read_tst_flags(const char *word, struct line_content *content, struct error *why) {
    const char *value = strchr(word, '=');
    bool good = true;
    if (strncmp(word, "status=", 7) == 0)
        good = read_status(value + 1, &content->flags);
    else if (strncmp(word, "maybestatus=", 12) == 0)
        good = read_status(value + 1, &content->open_flags);
    else if (strncmp(word, "error=", 6) == 0)
        good = read_error(value + 1, &content->flags);
    else if (strncmp(word, "maybeerror=", 11) == 0)
        good = read_error(value + 1, &content->open_flags);
    return good ||
           error_set(why, "'%.40s' are not flags: %s", word,
                     strstr(word, "status=") ? "letters of izoux"
                                             : "0, overflow, underflow, divbyzero or invalid");
}

/* errno=0, errno=EDOM or errno=ERANGE. */
static bool read_tst_errno(const char *name, struct line_content *content, struct error *why) {
    static const struct {
        const char *name;
        int value;
    } rows[] = {{"0", 0}, {"EDOM", EDOM}, {"ERANGE", ERANGE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0) {
            content->has_errno = true;
            content->errno_after = rows[i].value;
            return true;
        }
    return error_set(why, "errno=%.40s is not 0, EDOM or ERANGE", name);
}

/* func=sinf or func=exp; func=sincosf_sinf is sinf by another function. */
static enum line_state tst_state(const struct lines_wanted *wanted, const char *word) {
    const char *symbol = wanted->operation->platform.symbol, *within = strchr(word, '_');
    if (strncmp(word, "func=", 5) != 0 || !symbol ||
        wanted->operation->platform.signature != C_NUMBERS)
        return LINE_OF_ANOTHER;
    const char *name = within && strncmp(word + 5, "sincos", 6) == 0 ? within + 1 : word + 5;
    size_t length = strlen(symbol);
    bool single = strncmp(name, symbol, length) == 0 && strcmp(name + length, "f") == 0;
    if (!single && strcmp(name, symbol) != 0)
        return LINE_OF_ANOTHER;
    return wanted->format->width == (single ? 32 : 64) ? LINE_READ : LINE_IN_ANOTHER_FORMAT;
}

static bool read_word(const struct lines_wanted *wanted, const char *word,
                      struct line_content *content, bool given[MAX_OPERANDS], struct error *why) {
    const char *rest;
    for (int j = 0; j < wanted->operation->operands; j++) {
        char key[16];
        snprintf(key, sizeof key, "op%d=", j + 1);
        if (strncmp(word, key, 4) != 0)
            continue;
        given[j] = read_tst_code(wanted->format, word + 4, &content->in[0][j], &rest);
        if (!given[j] || *rest)
            return line_no_bits(wanted, word + 4, why);
    }
    if (strncmp(word, "result=", 7) == 0 && !read_tst_result(wanted, word + 7, content))
        return line_no_bits(wanted, word + 7, why);
    if (strncmp(word, "errno=", 6) == 0)
        return read_tst_errno(word + 6, content, why);
    return read_tst_flags(word, content, why);
}

/* func=sinf op1=3f800000 result=3f576aa4.788 errno=0. */
bool read_tst(const struct lines_wanted *wanted, char *line, struct line_content *content,
              struct error *why) {
    char *words[MOST_WORDS];
    bool given[MAX_OPERANDS] = {false};
    line[strcspn(line, ";")] = '\0';
    int count = line_split(line, " \t", words), at = 0;
    for (int i = 0; i < count && content->state != LINE_READ; i++) {
        enum line_state state = tst_state(wanted, words[i]);
        content->state = state > content->state ? state : content->state;
        at = i;
    }
    if (content->state != LINE_READ)
        return true;
    content->open_flags = flag_bit(FLAG_INEXACT);
    for (int i = at; i < count; i++)
        if (!read_word(wanted, words[i], content, given, why))
            return false;
    for (int j = 0; j < wanted->operation->operands; j++)
        if (!given[j])
            return error_set(why, "there is no op%d", j + 1);
    content->has_flags = true;
    content->inputs = 1;
    return true;
}

/* The plain form, for whatever has no reader: operands, the result, and perhaps the exception flags. */
#include "lines/words.h"

#include "format/text.h"

#include <string.h>

static const struct line_flags flags = {
    {"invalid", "divide-by-zero", "overflow", "underflow", "inexact"}, "none"};

static bool read_value(const struct format *format, const char *word, uint64_t *code,
                       struct error *why) {
    struct parsed_value value;
    if (!format_parse(format, word, &value, why))
        return false;
    *code = value.code; /* of a decimal the nearest number */
    return true;
}

bool read_table(const struct lines_wanted *wanted, char *line, struct line_content *content,
                struct error *why) {
    char *words[MOST_WORDS];
    line[strcspn(line, "#")] = '\0';
    int operands = wanted->operation->operands, count = line_split(line, " \t,;", words);
    if (!count)
        return true;
    if (count < operands || count > operands + 2)
        return error_set(why, "%d word%s, where %s has %d operand%s, a result and perhaps flags",
                         count, count == 1 ? "" : "s", wanted->operation->name, operands,
                         operands == 1 ? "" : "s");
    for (int i = 0; i < operands; i++)
        if (!read_value(wanted->format, words[i], &content->in[0][i], why))
            return false;
    content->state = LINE_READ;
    content->inputs = 1;
    content->has_out = count > operands;
    content->has_flags = count > operands + 1;
    return (!content->has_out || read_value(wanted->format, words[operands], &content->out, why)) &&
           (!content->has_flags ||
            line_read_flags(&flags, words[operands + 1], &content->flags, why));
}

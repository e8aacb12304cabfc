/* Lines of libc-test's math: T(RN, x, y, dy, INEXACT). */
#include "lines/words.h"

#include <string.h>

static const struct line_roundings roundings = {"RN", "RZ", "RU", "RD"};
static const struct line_flags flags = {
    {"INVALID", "DIVBYZERO", "OVERFLOW", "UNDERFLOW", "INEXACT"}, "0"};

/* Behind the results, which have their error beside them unless they are integers, stand the flags. */
bool read_libc_test(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why) {
    char *words[MOST_WORDS];
    const struct operation *operation = wanted->operation;
    line += strspn(line, " \t");
    if (strncmp(line, "T(", 2) != 0)
        return true;
    line[strcspn(line, ")")] = '\0';
    int operands = operation->operands, count = line_split(line + 2, ", \t", words);
    if (count < operands + 3)
        return error_set(why, "T(rounding, %d operand%s, a result, flags) should stand here",
                         operands, operands == 1 ? "" : "s");
    content->state = LINE_IN_ANOTHER_ROUNDING;
    if (!wanted->any_rounding && !line_is_rounding(&roundings, wanted->rounding, words[0]))
        return true;
    for (int i = 0; i < operands; i++) {
        /* These files have an order behind the argument; C has it before. */
        int place = operation->platform.signature == C_INT_FIRST ? operands - 1 - i : i;
        content->state = LINE_OPERANDS_LACKING;
        if (!line_exact_number(wanted->format, words[1 + i], &content->in[0][place]))
            return true;
    }
    content->state = LINE_READ;
    content->has_out = line_exact_number(wanted->format, words[1 + operands], &content->out);
    content->has_flags = content->has_out;
    content->inputs = 1;
    /* libc-test does not look at these. */
    content->open_flags = flag_bit(FLAG_INEXACT);
    if (strcmp(words[0], roundings.nearest_even) != 0)
        content->open_flags |= flag_bit(FLAG_UNDERFLOW);
    if (!line_read_flags(&flags, words[count - 1], &content->flags, why))
        return false;
    /* C leaves open which integer stands for one that does not exist. */
    enum c_signature signature = operation->platform.signature;
    if ((signature == C_RETURNS_LONG || signature == C_RETURNS_LONG_LONG) &&
        content->flags & flag_bit(FLAG_INVALID))
        content->has_out = content->has_flags = false;
    return true;
}

/* Lines of CORE-MATH, TestFloat and numpy. */
#include "lines/words.h"

#include "base/names.h"
#include "format/text.h"

#include <stdlib.h>
#include <string.h>

enum { REAL_BITS = 128 };

/* A number as strtof reads it: rounded to nearest-even, where it is too large to infinity, where it
 * is too small to zero. Formats that lack one of these read what they hold. */
static bool read_as_strtof(const struct format *format, const char *word, uint64_t *code,
                           struct error *why) {
    struct parsed_value value;
    bool negative = *word == '-';
    const char *name = word + (negative || *word == '+');
    if (!format->has_infinity || !format->has_zero) {
        const char *plain = name_matches(name, "snan", NULL) ? "nan" : word + (*word == '+');
        bool parsed = format_parse(format, plain, &value, why);
        *code = value.code;
        return parsed;
    }
    bool known = line_nan(format, name, code);
    if (!known) {
        char *end = NULL;
        bool hex = name[0] == '0' && (name[1] == 'x' || name[1] == 'X');
        mpfr_t number;
        mpfr_init2(number, REAL_BITS);
        int ternary = mpfr_strtofr(number, name, &end, hex ? 16 : 10, MPFR_RNDZ);
        struct real real = real_from_mpfr(number, ternary);
        known = end != name && !*end && !strpbrk(name, "@_(") && *name != '+' && *name != '-' &&
                !mpfr_nan_p(number);
        *code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        mpfr_clear(number);
    }
    if (!known)
        return error_set(why, "'%.40s' is not a number as strtof reads it", word);
    *code |= negative ? format->sign_bit : 0;
    return true;
}

/* CORE-MATH's .wc: what strtof reads, for each operand; and perhaps the errno that is expected. */
bool read_core_math(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why) {
    char *words[MOST_WORDS];
    line[strcspn(line, "#")] = '\0';
    int count = line_split(line, " \t,;", words);
    if (!count)
        return true;
    if (strcmp(words[count - 1], "ERANGE") == 0 || strcmp(words[count - 1], "EDOM") == 0)
        count--;
    if (count != wanted->operation->operands)
        return error_set(why, "%s takes %d operand%s, and here %s %d", wanted->operation->name,
                         wanted->operation->operands, wanted->operation->operands == 1 ? "" : "s",
                         count == 1 ? "is" : "are", count);
    for (int i = 0; i < count; i++)
        if (!read_as_strtof(wanted->format, words[i], &content->in[0][i], why))
            return false;
    content->inputs = 1;
    return true;
}

/* TestFloat: the operands in hex, and with them the result and the exception flags. */
bool read_testfloat(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why) {
    char *words[MOST_WORDS];
    int operands = wanted->operation->operands, count = line_split(line, " \t", words);
    if (!count)
        return true;
    if (count != operands && count != operands + 2)
        return error_set(why, "%d words, where %s has %d operands, and perhaps a result and flags",
                         count, wanted->operation->name, operands);
    for (int i = 0; i < count - (count > operands); i++) {
        uint64_t code;
        if (!line_bits(wanted->format, words[i], strlen(words[i]), &code))
            return line_no_bits(wanted, words[i], why);
        if (i < operands)
            content->in[0][i] = code;
        else
            content->out = code;
    }
    content->has_out = content->has_flags = count > operands;
    content->inputs = 1;
    if (!content->has_flags)
        return true;
    char *end;
    unsigned long flags = strtoul(words[count - 1], &end, 16);
    content->flags = flags_from_testfloat((unsigned)flags);
    return (strlen(words[count - 1]) == 2 && !*end && flags < 1u << FLAGS) ||
           error_set(why, "'%.40s' is not a set of flags, which is 00 to 1F", words[count - 1]);
}

/* numpy's umath-validation-set: np.float32,0x3f800000,0x402df854,3. */
bool read_numpy(const struct lines_wanted *wanted, char *line, struct line_content *content,
                struct error *why) {
    static const struct {
        const char *type, *format;
    } types[] = {{"np.float16", "fp16"}, {"np.float32", "fp32"}, {"np.float64", "fp64"}};
    char *words[MOST_WORDS];
    if (*line == '#' || *line == '$' || strncmp(line, "dtype", 5) == 0)
        return true;
    int count = line_split(line, ", \t", words);
    if (!count)
        return true;
    if (count != 4 || wanted->operation->operands != 1)
        return error_set(why, "a type, an input, an output and a tolerance should stand here");
    bool known = false, is_this = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(words[0], types[i].type) == 0) {
            known = true;
            is_this = strcmp(types[i].format, wanted->format->name) == 0;
        }
    if (!known)
        return error_set(why, "'%.40s' is not a type of numpy that detcheck knows", words[0]);
    content->state = is_this ? LINE_READ : LINE_IN_ANOTHER_FORMAT;
    if (!is_this)
        return true;
    for (int i = 1; i < 3; i++) {
        uint64_t *code = i == 1 ? &content->in[0][0] : &content->out;
        char *end; /* leading zeros are not always there */
        *code = strtoull(words[i], &end, 16);
        if (strncmp(words[i], "0x", 2) != 0 || *end || strlen(words[i]) > 18 ||
            *code & ~format_mask(wanted->format))
            return line_no_bits(wanted, words[i], why);
    }
    content->has_out = true;
    content->inputs = 1;
    return true;
}

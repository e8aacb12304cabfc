/* The kinds of lines, one function each. */
#include "lines/lines.h"

#include "base/names.h"
#include "format/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_WORDS = 16, REAL_BITS = 128, VALUE_BITS = 2048 };

/* The words between blanks (and commas); more than MOST_WORDS count as that many. */
static int split(char *line, const char *between, char *words[MOST_WORDS]) {
    int count = 0;
    for (char *word = strtok(line, between); word && count < MOST_WORDS;
         word = strtok(NULL, between))
        words[count++] = word;
    return count;
}

/* Bits without 0x, as many digits as the width takes. */
static bool read_bits(const struct format *format, const char *text, size_t length,
                      uint64_t *code) {
    *code = 0;
    bool good = length == (format->width + 3) / 4;
    for (size_t i = 0; good && i < length; i++) {
        int digit = isxdigit((unsigned char)text[i])
                        ? isdigit((unsigned char)text[i])
                              ? text[i] - '0'
                              : tolower((unsigned char)text[i]) - 'a' + 10
                        : -1;
        good = digit >= 0;
        *code = *code << 4 | (uint64_t)(good ? digit : 0);
    }
    return good && !(*code & ~format_mask(format));
}

static bool no_bits(const struct lines_wanted *wanted, const char *text, struct error *why) {
    return error_set(why, "'%.40s' are no bits of %s", text, wanted->format->name);
}

/* nan, snan, nan(0x123) as strtof and CORE-MATH have them: quiet but for snan, with a payload. */
static bool read_nan(const struct format *format, const char *word, uint64_t *code) {
    uint64_t quiet_bit = (uint64_t)1 << (format->precision - 2), payload = 0;
    char *end;
    if (name_matches(word, "snan", NULL)) {
        *code = (format->max_finite + 1) | 1; /* the quiet bit off, and another on: no infinity */
        return true;
    }
    bool bare = name_matches(word, "nan", NULL) || name_matches(word, "qnan", NULL);
    if (!bare && strncasecmp(word, "nan(", 4) != 0)
        return false;
    if (!bare) {
        payload = strtoull(word + 4, &end, 0);
        bare = strcmp(end, ")") == 0;
    }
    *code = (format->max_finite + 1) | quiet_bit | (payload & (quiet_bit - 1));
    return bare;
}

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
    bool known = read_nan(format, name, code);
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
        return error_set(why, "'%.40s' is no number as strtof reads it", word);
    *code |= negative ? format->sign_bit : 0;
    return true;
}

/* CORE-MATH's .wc: what strtof reads, for each operand; and perhaps the errno that is expected. */
static bool read_core_math(const struct lines_wanted *wanted, char *line,
                           struct line_content *content, struct error *why) {
    char *words[MOST_WORDS];
    line[strcspn(line, "#")] = '\0';
    int count = split(line, " \t,;", words);
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
static bool read_testfloat(const struct lines_wanted *wanted, char *line,
                           struct line_content *content, struct error *why) {
    char *words[MOST_WORDS];
    int operands = wanted->operation->operands, count = split(line, " \t", words);
    if (!count)
        return true;
    if (count != operands && count != operands + 2)
        return error_set(why, "%d words, where %s has %d operands, and perhaps a result and flags",
                         count, wanted->operation->name, operands);
    for (int i = 0; i < count - (count > operands); i++) {
        uint64_t code;
        if (!read_bits(wanted->format, words[i], strlen(words[i]), &code))
            return no_bits(wanted, words[i], why);
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
           error_set(why, "'%.40s' are no flags: those are 00 to 1F", words[count - 1]);
}

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
    return read_bits(format, digits, length, code);
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

/* ARM's .tst: func=sinf op1=3f800000 result=3f576aa4.788 errno=0. */
static bool read_tst(const struct lines_wanted *wanted, char *line, struct line_content *content,
                     struct error *why) {
    char *words[MOST_WORDS], name[64];
    const char *symbol = wanted->operation->platform.symbol, *rest;
    bool given[MAX_OPERANDS] = {false}, is_this = false;
    line[strcspn(line, ";")] = '\0';
    int count = split(line, " \t", words);
    if (!symbol || wanted->operation->platform.signature != C_NUMBERS ||
        wanted->format->width < 32 || !count)
        return true;
    snprintf(name, sizeof name, "func=%s%s", symbol, wanted->format->width == 32 ? "f" : "");
    for (int i = 0; i < count; i++) {
        is_this = is_this || strcmp(words[i], name) == 0;
        if (!is_this)
            continue;
        for (int j = 0; j < wanted->operation->operands; j++) {
            char key[16];
            snprintf(key, sizeof key, "op%d=", j + 1);
            if (strncmp(words[i], key, 4) != 0)
                continue;
            given[j] = read_tst_code(wanted->format, words[i] + 4, &content->in[0][j], &rest);
            if (!given[j] || *rest)
                return no_bits(wanted, words[i] + 4, why);
        }
        if (strncmp(words[i], "result=", 7) == 0 && !read_tst_result(wanted, words[i] + 7, content))
            return no_bits(wanted, words[i] + 7, why);
    }
    for (int j = 0; is_this && j < wanted->operation->operands; j++)
        if (!given[j])
            return error_set(why, "there is no op%d", j + 1);
    content->inputs = is_this;
    return true;
}

/* numpy's umath-validation-set: np.float32,0x3f800000,0x402df854,3. */
static bool read_numpy(const struct lines_wanted *wanted, char *line, struct line_content *content,
                       struct error *why) {
    static const struct {
        const char *type, *format;
    } types[] = {{"np.float16", "fp16"}, {"np.float32", "fp32"}, {"np.float64", "fp64"}};
    char *words[MOST_WORDS];
    if (*line == '#' || *line == '$' || strncmp(line, "dtype", 5) == 0)
        return true;
    int count = split(line, ", \t", words);
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
        return error_set(why, "'%.40s' is no type of numpy that is known here", words[0]);
    if (!is_this)
        return true;
    for (int i = 1; i < 3; i++) {
        uint64_t *code = i == 1 ? &content->in[0][0] : &content->out;
        char *end; /* leading zeros are not always there */
        *code = strtoull(words[i], &end, 16);
        if (strncmp(words[i], "0x", 2) != 0 || *end || strlen(words[i]) > 18 ||
            *code & ~format_mask(wanted->format))
            return no_bits(wanted, words[i], why);
    }
    content->has_out = true;
    content->inputs = 1;
    return true;
}

/* A word of glibc's file as the format's numbers on either side of it (or that number twice);
 * *beyond where it is too large. */
static bool read_glibc_value(const struct format *format, const char *word, uint64_t codes[2],
                             bool *beyond) {
    bool negative = *word == '-';
    const char *name = word + negative;
    uint64_t hidden = (uint64_t)1 << (format->precision - 1);
    const struct {
        const char *name;
        uint64_t code;
    } limits[] = {{"max", format->max_finite}, {"min", hidden}, {"min_subnorm", 1}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(name, limits[i].name) == 0) {
            codes[0] = codes[1] = format_with_sign(format, limits[i].code, negative);
            return true;
        }
    char *end;
    mpfr_t value;
    mpfr_init2(value, VALUE_BITS);
    bool good = *word && !strpbrk(word, "@_") &&
                (mpfr_strtofr(value, word, &end, 0, MPFR_RNDN), !*end) && mpfr_number_p(value);
    if (good) {
        codes[0] = format_encode_mpfr(format, value, ROUND_DOWN, OVERFLOW_IEEE);
        codes[1] = format_encode_mpfr(format, value, ROUND_UP, OVERFLOW_IEEE);
        *beyond = *beyond || format_classify(format, codes[0]) >= CLASS_INFINITE ||
                  format_classify(format, codes[1]) >= CLASS_INFINITE;
    }
    mpfr_clear(value);
    return good;
}

/* glibc's auto-libm-test-in: a function, its arguments as decimals or hex floats, remarks. */
static bool read_glibc(const struct lines_wanted *wanted, char *line, struct line_content *content,
                       struct error *why) {
    char *words[MOST_WORDS];
    const char *symbol = wanted->operation->platform.symbol;
    uint64_t codes[MAX_OPERANDS][2];
    int operands = wanted->operation->operands;
    bool beyond = false;
    line[strcspn(line, "#")] = '\0';
    int count = split(line, " \t", words);
    const char *name = symbol ? symbol : wanted->operation->name;
    if (!count || strcmp(words[0], name) != 0)
        return true;
    if (count < 1 + operands)
        return error_set(why, "%s takes %d operands", name, operands);
    for (int i = 0; i < operands; i++)
        if (!read_glibc_value(wanted->format, words[1 + i], codes[i], &beyond))
            return error_set(why, "'%.40s' is no number that is known here", words[1 + i]);
    for (int choice = 0; !beyond && choice < 1 << operands; choice++) {
        bool again = false; /* a number of the format has no two sides */
        for (int i = 0; i < operands; i++)
            again = again || ((choice >> i & 1) && codes[i][0] == codes[i][1]);
        if (again)
            continue;
        for (int i = 0; i < operands; i++)
            content->in[content->inputs][i] = codes[i][choice >> i & 1];
        content->inputs++;
    }
    return true;
}

static const struct line_kind kinds[] = {
    {"core-math", false, read_core_math},
    {"testfloat", true, read_testfloat},
    {"tst", true, read_tst},
    {"numpy-csv", true, read_numpy},
    {"glibc", false, read_glibc},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const struct line_kind *line_kind_find(const char *name, struct error *error) {
    const char *names[KINDS];
    for (size_t i = 0; i < KINDS; i++) {
        if (name_matches(name, kinds[i].name, NULL))
            return &kinds[i];
        names[i] = kinds[i].name;
    }
    const char *nearest = name_nearest(name, names, KINDS);
    error_set(error, "unknown kind of lines '%.40s'; %s%s%s", name,
              nearest ? "did you mean " : "there are: ",
              nearest ? nearest : "core-math, testfloat, tst, numpy-csv, glibc",
              nearest ? "?" : "");
    return NULL;
}

bool line_next(FILE *stream, char line[LINE_LONGEST], unsigned long *number, const char **problem) {
    size_t length = 0;
    int c;
    *problem = NULL;
    ++*number;
    while ((c = getc(stream)) != EOF && c != '\n') {
        if (c == '\0')
            *problem = "the line holds a NUL byte; this is not a text file";
        if (length + 1 == LINE_LONGEST)
            *problem = "the line is longer than 1023 characters";
        if (*problem)
            return false;
        line[length++] = (char)c;
    }
    line[length - (length && line[length - 1] == '\r')] = '\0'; /* a line of DOS */
    static const char mark[] = "\xef\xbb\xbf";
    if (*number == 1 && strncmp(line, mark, strlen(mark)) == 0)
        memmove(line, line + strlen(mark), strlen(line + strlen(mark)) + 1);
    return c != EOF || length;
}

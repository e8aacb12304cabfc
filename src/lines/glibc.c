/* Lines of glibc's auto-libm-test-in and auto-libm-test-out. */
#include "lines/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CONSTANT_BITS = 2048 };

/* Constants, as gen-auto-libm-tests has them: pi, e or 1/e, times a number, over another, less a third. */
struct constant {
    const char *name;
    bool of_pi, inverse;
    unsigned times, over, less;
};
static const struct constant constants[] = {
    {"pi", true, false, 1, 1, 0},    {"2pi", true, false, 2, 1, 0},  {"pi/2", true, false, 1, 2, 0},
    {"pi/3", true, false, 1, 3, 0},  {"pi/4", true, false, 1, 4, 0}, {"pi/6", true, false, 1, 6, 0},
    {"2pi/3", true, false, 2, 3, 0}, {"e", false, false, 1, 1, 0},   {"1/e", false, true, 1, 1, 0},
    {"e-1", false, false, 1, 1, 1},
};

/* The format's numbers on either side. */
static void surround_constant(const struct format *format, const struct constant *constant,
                              bool negative, uint64_t codes[2]) {
    mpfr_t value;
    mpfr_init2(value, CONSTANT_BITS);
    if (constant->of_pi)
        mpfr_const_pi(value, MPFR_RNDN);
    else {
        mpfr_set_si(value, constant->inverse ? -1 : 1, MPFR_RNDN);
        mpfr_exp(value, value, MPFR_RNDN);
    }
    mpfr_mul_ui(value, value, constant->times, MPFR_RNDN);
    mpfr_div_ui(value, value, constant->over, MPFR_RNDN);
    mpfr_sub_ui(value, value, constant->less, MPFR_RNDN);
    if (negative)
        mpfr_neg(value, value, MPFR_RNDN);
    codes[0] = format_encode_mpfr(format, value, ROUND_DOWN, OVERFLOW_IEEE);
    codes[1] = format_encode_mpfr(format, value, ROUND_UP, OVERFLOW_IEEE);
    mpfr_clear(value);
}

/* A word of auto-libm-test-in as the format's numbers on either side of it (or that number twice);
 * *beyond where it is too large, or an infinity that the format lacks. */
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
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(name, constants[i].name) == 0) {
            surround_constant(format, &constants[i], negative, codes);
            return true;
        }
    bool infinite = strcmp(name, "inf") == 0;
    if (strcmp(name, "min_subnorm_p120") == 0) { /* times 2^120 */
        struct real value = real_power_of_two(format->emin - (int)format->precision + 1 + 120);
        value.negative = negative;
        codes[0] = codes[1] = format_encode(format, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        *beyond = *beyond || value.exponent > format->emax;
        return true;
    }
    if (!line_number(format, word, codes))
        return false;
    for (int i = 0; i < 2; i++)
        *beyond = *beyond || format_is_nan(format, codes[i]) ||
                  (infinite ? !format->has_infinity
                            : format_classify(format, codes[i]) >= CLASS_INFINITE);
    return true;
}

/* auto-libm-test-in: a function, its arguments as decimals, hex floats or words, remarks. */
bool read_glibc(const struct lines_wanted *wanted, char *line, struct line_content *content,
                struct error *why) {
    char *words[MOST_WORDS];
    uint64_t codes[MAX_OPERANDS][2];
    int operands = wanted->operation->operands;
    bool beyond = false;
    line[strcspn(line, "#")] = '\0';
    int count = line_split(line, " \t", words);
    const char *name = line_function(wanted->operation);
    if (!count || strcmp(words[0], name) != 0) {
        content->state = count ? LINE_OF_ANOTHER : LINE_EMPTY;
        return true;
    }
    if (count < 1 + operands)
        return error_set(why, "%s takes %d operands", name, operands);
    for (int i = 0; i < operands; i++)
        if (!read_glibc_value(wanted->format, words[1 + i], codes[i], &beyond))
            return error_set(why, "'%.40s' is not a number that detcheck knows", words[1 + i]);
    content->state = beyond ? LINE_OPERANDS_LACKING : LINE_READ;
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

/* A number of auto-libm-test-out, which the format must hold. */
static bool read_exactly(const struct format *format, char *word, uint64_t *code) {
    static const struct {
        const char *name, *word;
    } others[] = {{"plus_infty", "inf"}, {"minus_infty", "-inf"}, {"qnan_value", "nan"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word, others[i].name) == 0)
            return line_exact_number(format, others[i].word, code);
    word[strcspn(word, "L")] = '\0'; /* 1LL */
    return line_exact_number(format, word, code);
}

static bool is_format(const struct format *format, const char *word) {
    static const struct {
        const char *theirs, *ours;
    } names[] = {{"binary32", "fp32"}, {"binary64", "fp64"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(format->name, names[i].ours) == 0)
            return strncmp(word, names[i].theirs, strlen(names[i].theirs)) == 0;
    return false;
}

/* Takes errno-edom and errno-erange; whether the word is one of these. Where it is open, no value is expected. */
static bool read_errno(const char *word, bool open, struct line_content *content) {
    const bool is_domain = strcmp(word, "errno-edom") == 0;
    if (!is_domain && strcmp(word, "errno-erange") != 0)
        return false;
    content->has_errno = content->has_errno && !open;
    if (!open)
        content->errno_after = is_domain ? EDOM : ERANGE;
    return true;
}

/* Adds a word behind the results, such as overflow-ok:binary32, to the flags that must be raised or those that may be,
 * or takes what it says of errno. */
static bool read_flag(const struct format *format, char *word, struct line_content *content,
                      struct error *why) {
    static const char *const names[FLAGS] = {"invalid", "divbyzero", "overflow", "underflow",
                                             "inexact"};
    static const char *const passed[] = {"xfail", "no-", "ignore-", "spurious-"};
    char *condition = strchr(word, ':');
    bool open = false;
    if (condition) {
        *condition++ = '\0';
        bool tininess =
            strcmp(condition, "before-rounding") == 0 || strcmp(condition, "after-rounding") == 0;
        if (!tininess && !is_format(format, condition))
            return true; /* of another format */
        open = tininess;
    }
    size_t length = strlen(word);
    if (length > 3 && strcmp(word + length - 3, "-ok") == 0) {
        word[length - 3] = '\0';
        open = true;
    }
    for (int flag = 0; flag < FLAGS; flag++)
        if (strcmp(word, names[flag]) == 0) {
            *(open ? &content->open_flags : &content->flags) |= flag_bit((enum flag)flag);
            return true;
        }
    if (read_errno(word, open, content))
        return true;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strncmp(word, passed[i], strlen(passed[i])) == 0)
            return true;
    return error_set(why, "'%.40s' is not a flag that detcheck knows", word);
}

static const struct line_roundings roundings = {"tonearest", "towardzero", "upward", "downward"};

static enum line_state state_of(const struct lines_wanted *wanted, char *const words[], int count) {
    if (count < 4 || strcmp(words[0], "=") != 0) /* the line of the input */
        return LINE_EMPTY;
    if (strcmp(words[1], line_function(wanted->operation)) != 0)
        return LINE_OF_ANOTHER;
    if (!is_format(wanted->format, words[3]))
        return LINE_IN_ANOTHER_FORMAT;
    return wanted->any_rounding || line_is_rounding(&roundings, wanted->rounding, words[2])
               ? LINE_READ
               : LINE_IN_ANOTHER_ROUNDING;
}

/* auto-libm-test-out: = exp upward binary32 0x1p+0 : 0x2.b7e154p+0 : inexact-ok. */
bool read_glibc_out(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why) {
    char *words[MOST_WORDS];
    int operands = wanted->operation->operands, count = line_split(line, " \t", words);
    content->state = state_of(wanted, words, count);
    if (content->state != LINE_READ)
        return true;
    int at = 4 + operands;
    if (count == MOST_WORDS)
        return error_set(why, "the line has %d words or more", MOST_WORDS);
    if (count <= at + 1 || strcmp(words[at], ":") != 0)
        return error_set(why, "%s takes %d operand%s, and a colon and a result should follow",
                         words[1], operands, operands == 1 ? "" : "s");
    for (int i = 0; i < operands; i++)
        if (!read_exactly(wanted->format, words[4 + i], &content->in[0][i])) {
            content->state = LINE_OPERANDS_LACKING;
            return true;
        }
    content->has_out = read_exactly(wanted->format, words[at + 1], &content->out);
    for (at += 1; at < count && strcmp(words[at], ":") != 0;)
        at++;
    if (at == count)
        return error_set(why, "a colon and the flags should follow the result");
    content->has_errno = content->has_out; /* that it stays, where no word says otherwise */
    for (at++; at < count; at++)
        if (!read_flag(wanted->format, words[at], content, why))
            return false;
    content->has_flags = content->has_out;
    content->inputs = 1;
    return true;
}

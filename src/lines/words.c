/* Words and numbers. */
#include "lines/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/names.h"

enum { VALUE_BITS = 2048 };

int line_split(char *line, const char *between, char *words[MOST_WORDS]) {
    int count = 0;
    for (char *word = strtok(line, between); word && count < MOST_WORDS;
         word = strtok(NULL, between))
        words[count++] = word;
    return count;
}

bool line_bits(const struct format *format, const char *text, size_t length, uint64_t *code) {
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

bool line_no_bits(const struct lines_wanted *wanted, const char *text, struct error *why) {
    return error_set(why, "'%.40s' are not bits of %s", text, wanted->format->name);
}

bool line_nan(const struct format *format, const char *word, uint64_t *code) {
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

const char *line_function(const struct operation *operation) {
    return operation->platform.symbol ? operation->platform.symbol : operation->name;
}

bool line_number(const struct format *format, const char *word, uint64_t codes[2]) {
    char *end;
    mpfr_t value;
    mpfr_init2(value, VALUE_BITS);
    bool good = *word && !strpbrk(word, "@_") &&
                (mpfr_strtofr(value, word, &end, 0, MPFR_RNDN), !*end) && !mpfr_nan_p(value);
    if (good) {
        codes[0] = format_encode_mpfr(format, value, ROUND_DOWN, OVERFLOW_IEEE);
        codes[1] = format_encode_mpfr(format, value, ROUND_UP, OVERFLOW_IEEE);
    }
    mpfr_clear(value);
    return good;
}

bool line_exact_number(const struct format *format, const char *word, uint64_t *code) {
    uint64_t codes[2];
    if (line_nan(format, word + (*word == '-'), code))
        return true;
    if (!line_number(format, word, codes) || codes[0] != codes[1] ||
        format_is_nan(format, codes[0]))
        return false;
    *code = codes[0];
    return true;
}

bool line_is_rounding(const struct line_roundings *names, enum rounding rounding,
                      const char *word) {
    const char *name = rounding == ROUND_NEAREST_EVEN  ? names->nearest_even
                       : rounding == ROUND_TOWARD_ZERO ? names->toward_zero
                       : rounding == ROUND_UP          ? names->up
                       : rounding == ROUND_DOWN        ? names->down
                                                       : NULL;
    return name && strcmp(word, name) == 0;
}

bool line_read_flags(const struct line_flags *how, char *word, uint8_t *flags, struct error *why) {
    if (strcmp(word, how->none) == 0)
        return true;
    for (char *next; word; word = next) {
        int flag = 0;
        next = strchr(word, '|');
        if (next)
            *next++ = '\0';
        while (flag < FLAGS && !name_matches(word, how->names[flag], NULL))
            flag++;
        if (flag == FLAGS)
            return error_set(why, "'%.40s' is not a flag; flags are %s, or such as %s|%s", word,
                             how->none, how->names[FLAG_INEXACT], how->names[FLAG_OVERFLOW]);
        *flags |= flag_bit((enum flag)flag);
    }
    return true;
}

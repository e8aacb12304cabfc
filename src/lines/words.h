/* Words of lines and the numbers that they are: what the readers of all kinds share. */
#ifndef DETCHECK_LINES_WORDS_H
#define DETCHECK_LINES_WORDS_H

#include "lines/lines.h"

enum { MOST_WORDS = 32 };

/* The words between characters of `between`; more than MOST_WORDS count as that many. */
int line_split(char *line, const char *between, char *words[MOST_WORDS]);

/* Bits without 0x, as many digits as the width takes. */
bool line_bits(const struct format *format, const char *text, size_t length, uint64_t *code);

/* False, with an error that says that these are none. */
bool line_no_bits(const struct lines_wanted *wanted, const char *text, struct error *why);

/* nan, snan, nan(0x123) as strtof and CORE-MATH have them: quiet but for snan, with a payload. */
bool line_nan(const struct format *format, const char *word, uint64_t *code);

/* What others call the function: its symbol of C for fp64, or else its name here. */
const char *line_function(const struct operation *operation);

/* A finite number of any base that mpfr_strtofr reads without being told, or an infinity, as the format's
 * numbers on either side of it, or that number twice. False where the word is none. */
bool line_number(const struct format *format, const char *word, uint64_t codes[2]);

/* Such a number, or a NaN, that the format holds; false for all else. */
bool line_exact_number(const struct format *format, const char *word, uint64_t *code);

/* How a project calls the roundings: upward for ROUND_UP. */
struct line_roundings {
    const char *nearest_even, *toward_zero, *up, *down;
};
bool line_is_rounding(const struct line_roundings *names, enum rounding rounding, const char *word);

/* Flags by a project's names, in the order of enum flag, with bars between them; `none` where there is no flag. */
struct line_flags {
    const char *names[FLAGS], *none;
};
bool line_read_flags(const struct line_flags *how, char *word, uint8_t *flags, struct error *why);

/* The readers, one for each kind of lines (struct line_kind). */
bool read_core_math(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why);
bool read_testfloat(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why);
bool read_tst(const struct lines_wanted *wanted, char *line, struct line_content *content,
              struct error *why);
bool read_numpy(const struct lines_wanted *wanted, char *line, struct line_content *content,
                struct error *why);
bool read_glibc(const struct lines_wanted *wanted, char *line, struct line_content *content,
                struct error *why);
bool read_glibc_out(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why);
bool read_libc_test(const struct lines_wanted *wanted, char *line, struct line_content *content,
                    struct error *why);
bool read_table(const struct lines_wanted *wanted, char *line, struct line_content *content,
                struct error *why);

#endif

/* Lines of cases, taken apart column by column. */
#include "reveal/unit_cases.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 5, CONTAINER_BITS = 13 };
enum column { COLUMN_A, COLUMN_B, COLUMN_C, COLUMN_D, COLUMN_D16 };
static const char blanks[] = " \t\r";

struct reading {
    struct unit_cases *cases;
    const char *path;
    size_t line;
    struct error *error;
};

unsigned unit_cases_digits(const struct format *format) {
    return format == &formats[FORMAT_TF32] ? 8 : (format->width + 3) / 4;
}

uint64_t unit_cases_stored(const struct format *format, uint64_t code) {
    return format == &formats[FORMAT_TF32] ? code << CONTAINER_BITS : code;
}

static bool grow(uint64_t **array, size_t count) {
    uint64_t *more = realloc(*array, count * sizeof *more);
    if (more)
        *array = more;
    return more != NULL;
}

size_t unit_cases_blocks(const struct unit_cases *cases) {
    return cases->scales ? cases->products / cases->block : 0;
}

bool unit_cases_add(struct unit_cases *cases) {
    if (cases->count == cases->room) {
        size_t room = cases->room ? 2 * cases->room : 64;
        const size_t scales = room * (unit_cases_blocks(cases) + 1);
        if (!grow(&cases->a_scales, scales) || !grow(&cases->b_scales, scales) ||
            !grow(&cases->a, room * cases->products) || !grow(&cases->b, room * cases->products) ||
            !grow(&cases->c, room) || !grow(&cases->d, room) || !grow(&cases->lines, room))
            return false;
        cases->room = room;
    }
    size_t at = cases->count++;
    memset(cases->a + at * cases->products, 0, cases->products * sizeof *cases->a);
    memset(cases->b + at * cases->products, 0, cases->products * sizeof *cases->b);
    cases->c[at] = cases->d[at] = 0;
    cases->lines[at] = 0;
    return true;
}

void unit_cases_close(struct unit_cases *cases) {
    free(cases->a);
    free(cases->b);
    free(cases->a_scales);
    free(cases->b_scales);
    free(cases->c);
    free(cases->d);
    free(cases->lines);
    *cases = (struct unit_cases){0};
}

/* The next word of a column, of hexadecimal digits: NULL at the end of the column. */
static const char *next_word(const char **at, size_t *length) {
    const char *word = *at + strspn(*at, blanks);
    *length = strcspn(word, blanks);
    *at = word + *length;
    return *length ? word : NULL;
}

static bool read_digits(const struct reading *reading, const char *word, size_t length,
                        uint64_t *code) {
    *code = 0;
    for (size_t i = 0; i < length; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = strchr(digits, word[i] | ('A' <= word[i] && word[i] <= 'F' ? 32 : 0));
        if (!digit || i == 16)
            return error_set(reading->error,
                             "%.200s, line %zu: '%.*s' is not a code in hexadecimal digits",
                             reading->path, reading->line, (int)(length < 40 ? length : 40), word);
        *code = *code << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

static bool read_code(const struct reading *reading, const struct format *format, const char *word,
                      size_t length, uint64_t *code) {
    if (!read_digits(reading, word, length, code))
        return false;
    bool is_container = format == &formats[FORMAT_TF32];
    if (length != unit_cases_digits(format))
        return error_set(reading->error,
                         "%.200s, line %zu: '%.*s' has %zu digits; a code of %s has %u%s",
                         reading->path, reading->line, (int)(length < 40 ? length : 40), word,
                         length, format->name, unit_cases_digits(format),
                         is_container ? ", in its container of 32 bits" : "");
    uint64_t container = is_container ? *code : 0;
    *code >>= is_container ? CONTAINER_BITS : 0;
    if ((is_container && unit_cases_stored(format, *code) != container) ||
        *code & ~format_mask(format))
        return error_set(reading->error, "%.200s, line %zu: '%.*s' is not a code of %s",
                         reading->path, reading->line, (int)length, word, format->name);
    return true;
}

/* All of a column are factors of the case; returns how many, or 0 with an error. */
static size_t read_factors(const struct reading *reading, const char *column, uint64_t *codes) {
    size_t count = 0, length;
    for (const char *word; (word = next_word(&column, &length));) {
        if (count == UNIT_CASES_MOST_PRODUCTS) {
            error_set(reading->error, "%.200s, line %zu: more than %d products", reading->path,
                      reading->line, UNIT_CASES_MOST_PRODUCTS);
            return 0;
        }
        if (!read_code(reading, reading->cases->format, word, length, &codes[count++]))
            return 0;
    }
    if (!count)
        error_set(reading->error, "%.200s, line %zu: a column of factors is empty", reading->path,
                  reading->line);
    return count;
}

/* c or d: a code of the result's format, or of fp32, which for c is rounded. */
static bool read_result(const struct reading *reading, const char *column, bool is_c,
                        uint64_t *code, bool *there) {
    const struct format *result = reading->cases->result, *fp32 = &formats[FORMAT_FP32];
    size_t length, more;
    const char *word = next_word(&column, &length);
    *there = word != NULL;
    if (!word && !is_c)
        return error_set(reading->error, "%.200s, line %zu: there is no d", reading->path,
                         reading->line);
    if (!word)
        return true;
    if (next_word(&column, &more))
        return error_set(reading->error, "%.200s, line %zu: more than one code in the column of %s",
                         reading->path, reading->line, is_c ? "c" : "d");
    if (result->width >= fp32->width || length != unit_cases_digits(fp32))
        return read_code(reading, result, word, length, code);
    uint64_t wide;
    if (!read_code(reading, fp32, word, length, &wide))
        return false;
    const struct real value = format_decode(fp32, wide);
    *code = format_encode(result, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    const struct real back = format_decode(result, *code);
    if (!is_c && value.kind != REAL_NAN &&
        format_encode(fp32, &back, ROUND_NEAREST_EVEN, OVERFLOW_IEEE) != wide)
        return error_set(reading->error, "%.200s, line %zu: d is '%.*s', which no %s is",
                         reading->path, reading->line, (int)length, word, result->name);
    return true;
}

static bool split(const struct reading *reading, char *text, char *columns[MOST_COLUMNS],
                  size_t *count) {
    *count = 0;
    for (char *at = text; at; *count += 1) {
        char *bar = strchr(at, '|');
        if (*count < MOST_COLUMNS)
            columns[*count] = at;
        if (bar)
            *bar++ = '\0';
        at = bar;
    }
    return *count == COLUMN_D + 1 || *count == COLUMN_D16 + 1 ||
           error_set(reading->error,
                     "%.200s, line %zu: %zu column%s; a case is 'a0 a1 ... | b0 b1 ... | c | d'",
                     reading->path, reading->line, *count, *count == 1 ? "" : "s");
}

static bool read_case(const struct reading *reading, char *text) {
    struct unit_cases *cases = reading->cases;
    char *columns[MOST_COLUMNS];
    uint64_t factors[2][UNIT_CASES_MOST_PRODUCTS], c = 0, d = 0;
    size_t column_count, counts[2];
    bool has_c, has_d;
    if (!split(reading, text, columns, &column_count))
        return false;
    for (int i = 0; i < 2; i++)
        if (!(counts[i] = read_factors(reading, columns[i], factors[i])))
            return false;
    bool is_fp16 = cases->result == &formats[FORMAT_FP16] && column_count > COLUMN_D16;
    if (!read_result(reading, columns[COLUMN_C], true, &c, &has_c) ||
        !read_result(reading, columns[is_fp16 ? COLUMN_D16 : COLUMN_D], false, &d, &has_d))
        return false;
    if (!cases->count) {
        cases->products = counts[0];
        cases->has_c = has_c;
    }
    for (int i = 0; i < 2; i++)
        if (counts[i] != cases->products)
            return error_set(
                reading->error,
                "%.200s, line %zu: %zu factors %c, in place of the %zu of line %" PRIu64,
                reading->path, reading->line, counts[i], "ab"[i], cases -> products,
                cases -> count ? cases -> lines[0] : (uint64_t)reading -> line);
    if (has_c != cases->has_c)
        return error_set(reading->error, "%.200s, line %zu: %s c, unlike line %" PRIu64,
                         reading->path, reading->line, has_c ? "has a" : "has no", cases->lines[0]);
    if (cases->count == UNIT_CASES_MOST)
        return error_set(reading->error, "%.200s has more than %d cases", reading->path,
                         UNIT_CASES_MOST);
    if (!unit_cases_add(cases))
        return error_set(reading->error, "out of memory for %.200s", reading->path);
    size_t at = cases->count - 1, bytes = cases->products * sizeof *cases->a;
    memcpy(cases->a + at * cases->products, factors[0], bytes);
    memcpy(cases->b + at * cases->products, factors[1], bytes);
    cases->c[at] = c;
    cases->d[at] = d;
    cases->lines[at] = reading->line;
    return true;
}

bool unit_cases_read(const char *path, const struct format *format, const struct format *result,
                     struct unit_cases *cases, struct error *error) {
    *cases = (struct unit_cases){.format = format, .result = result};
    struct reading reading = {cases, path, 0, error};
    size_t length;
    char *text = file_read(path, UNIT_CASES_MOST_BYTES, "file of cases", &length, error);
    if (!text)
        return false;
    bool good =
        strlen(text) == length || error_set(error, "%.200s is not text: it has a NUL", path);
    for (char *at = text; good && at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end++ = '\0';
        reading.line++;
        const char *first = at + strspn(at, blanks);
        if (*first && *first != '#')
            good = read_case(&reading, at);
        at = end;
    }
    free(text);
    return good && (cases->count || error_set(error, "%.200s has no case", path));
}

/* The sets that people name: ranges and special values. */
#include "sweep/domain.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 200 };

static void note_rounding(const struct format *format, const char *text,
                          const struct parsed_value *value, struct error *note) {
    char hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    struct error before;
    if (!note || !value->rounded)
        return;
    memcpy(&before, note, sizeof before);
    error_set(note, "%s%s%s is not a number of %s; rounded to %s (%s)", before.text,
              before.text[0] ? "; " : "", text, format->name,
              format_hex_text(format, value->code, hex),
              format_bits_text(format, value->code, bits));
}

static bool parse_end(const struct format *format, const char *text, size_t length,
                      struct parsed_value *value, struct error *note, struct error *error) {
    char copy[LONGEST_NUMBER + 1];
    if (length == 0 || length > LONGEST_NUMBER)
        return error_set(error, "--range needs A:B, such as -1:1 or 0x3f800000:0x3fffffff");
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!format_parse(format, copy, value, error))
        return false;
    note_rounding(format, copy, value, note);
    return true;
}

static bool reversed(const char *text, struct error *error) {
    return error_set(error, "the range %.80s is empty: its first end lies above its second", text);
}

/* Values in order: the negative ones run downwards through the codes. */
static bool append_values(struct code_set *set, const struct format *format, const char *text,
                          uint64_t low, uint64_t high, struct error *error) {
    if (format_is_nan(format, low) || format_is_nan(format, high))
        return error_set(error, "a range of values cannot contain NaN; give NaNs as bits");
    bool low_negative = format_is_negative(format, low);
    bool high_negative = format_is_negative(format, high);
    uint64_t low_magnitude = format_magnitude(format, low);
    uint64_t high_magnitude = format_magnitude(format, high);
    if (high_negative && (!low_negative || low_magnitude < high_magnitude))
        return reversed(text, error);
    if (!low_negative && low_magnitude > high_magnitude)
        return reversed(text, error);
    if (!high_negative &&
        !code_set_append(set, low_negative ? 0 : low_magnitude, high_magnitude, error))
        return false;
    if (!low_negative)
        return true;
    if (format->is_integer) /* whose codes run upwards there, too */
        return code_set_append(set, low, high_negative ? high : format_mask(format), error);
    uint64_t least = high_negative ? high_magnitude : !format->has_negative_zero;
    return code_set_append(set, least | format->sign_bit, low_magnitude | format->sign_bit, error);
}

bool code_set_range(struct code_set *set, const struct format *format, const char *text,
                    struct error *note, struct error *error) {
    struct parsed_value low, high;
    const char *colon = strchr(text, ':');
    if (!colon)
        return error_set(
            error, "--range needs A:B, such as -1:1 or 0x3f800000:0x3fffffff, not %.80s", text);
    if (!parse_end(format, text, (size_t)(colon - text), &low, note, error) ||
        !parse_end(format, colon + 1, strlen(colon + 1), &high, note, error))
        return false;
    if (format->element && !(low.from_bits && high.from_bits))
        return error_set(
            error, "the numbers of %s are in no order: give --range as bits (0x0:0x%" PRIx64 ")",
            format->name, format_mask(format));
    if (low.from_bits != high.from_bits)
        return error_set(error,
                         "the range %.80s has one end in bits and one in decimal; "
                         "write both the same way",
                         text);
    if (!low.from_bits)
        return append_values(set, format, text, low.code, high.code, error);
    if (low.code > high.code)
        return reversed(text, error);
    return code_set_append(set, low.code, high.code, error);
}

/* A growing list of codes, sorted at the end. */
struct code_list {
    uint64_t *codes;
    size_t count, capacity;
};

static bool list_add(struct code_list *list, uint64_t code) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 256;
        uint64_t *codes = realloc(list->codes, capacity * sizeof *codes);
        if (!codes)
            return false;
        list->codes = codes;
        list->capacity = capacity;
    }
    list->codes[list->count++] = code;
    return true;
}

/* A number of both signs, with `reach` neighbours on either side. */
static bool list_around(struct code_list *list, const struct format *format, uint64_t code,
                        int reach) {
    int64_t ordinal = format_ordinal(format, code);
    for (int64_t step = -reach; step <= reach && format->is_integer; step++) {
        uint64_t near = (code + (uint64_t)step) & format_mask(format);
        if (!list_add(list, near) || !list_add(list, (0 - near) & format_mask(format)))
            return false;
    }
    for (int64_t step = -reach; step <= reach && !format->is_integer; step++) {
        uint64_t near = format_from_ordinal(format, ordinal + step);
        uint64_t mirrored = format_from_ordinal(format, -(ordinal + step));
        if (!list_add(list, near) || !list_add(list, mirrored))
            return false;
    }
    return true;
}

static bool list_landmarks(struct code_list *list, const struct format *format,
                           const char *landmarks, int reach) {
    while (landmarks && *landmarks) {
        char word[LONGEST_NUMBER + 1];
        size_t length = strcspn(landmarks, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, landmarks);
        landmarks += length + strspn(landmarks + length, " ");
        mpfr_t value;
        mpfr_init2(value, 128);
        int ternary = mpfr_strtofr(value, word, NULL, 0, MPFR_RNDZ);
        struct real real = real_from_mpfr(value, ternary);
        mpfr_clear(value);
        uint64_t code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
        if (!list_around(list, format, code, reach))
            return false;
    }
    return true;
}

/* What is special in every format. */
static bool list_format_limits(struct code_list *list, const struct format *format, int reach) {
    uint64_t min_normal = (uint64_t)1 << (format->precision - 1);
    uint64_t limits[] = {0, min_normal, format->max_finite, format_greatest(format)};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!list_around(list, format, limits[i], reach))
            return false;
    uint64_t nans[] = {format->nan, format->nan | format->sign_bit, format->nan | 1,
                       format_greatest(format) + 1, format_mask(format)};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        if ((nans[i] & ~format_mask(format)) == 0 && format_is_nan(format, nans[i]) &&
            !list_add(list, nans[i]))
            return false;
    return !format->has_negative_zero || list_add(list, format->sign_bit);
}

static bool list_binades(struct code_list *list, const struct format *format) {
    int lowest = format->emin - format->precision + 1;
    for (int exponent = lowest; exponent <= format->emax; exponent++) {
        struct real power = {.kind = REAL_FINITE, .exponent = exponent};
        power.significand.high = UINT64_C(1) << 63;
        if (!list_around(list, format,
                         format_encode(format, &power, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE), 1))
            return false;
    }
    return true;
}

static int by_code(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How many neighbours of a special number are special, too, and whether every power of two is. */
struct specials {
    int reach;
    bool binades;
};

static bool list_special(struct code_list *list, const struct format *format,
                         const struct operation *operation, struct specials which);

/* Each special scale with each special element. */
static bool list_scaled(struct code_list *list, const struct format *format,
                        const struct operation *operation, int reach) {
    struct code_list scales = {0}, elements = {0};
    const struct specials which = {reach, false};
    bool listed = list_special(&scales, format->scale, operation, which) &&
                  list_special(&elements, format->element, operation, which);
    for (size_t i = 0; listed && i < scales.count; i++)
        for (size_t j = 0; listed && j < elements.count; j++)
            listed = list_add(list, scales.codes[i] << format->element->width | elements.codes[j]);
    free(scales.codes);
    free(elements.codes);
    return listed;
}

static bool list_special(struct code_list *list, const struct format *format,
                         const struct operation *operation, struct specials which) {
    if (format->element)
        return list_scaled(list, format, operation, which.reach);
    return list_format_limits(list, format, which.reach) &&
           list_landmarks(list, format, operation->landmarks, which.reach) &&
           list_landmarks(list, format, "1", which.reach) &&
           (!which.binades || list_binades(list, format));
}

static bool special_set(struct code_set *set, const struct format *format,
                        const struct operation *operation, struct specials which,
                        struct error *error) {
    struct code_list list = {0};
    if (!list_special(&list, format, operation, which)) {
        free(list.codes);
        return error_set(error, "out of memory for the special values");
    }
    qsort(list.codes, list.count, sizeof *list.codes, by_code);
    bool appended = true;
    for (size_t i = 0; i < list.count && appended; i++)
        if (i == 0 || list.codes[i] != list.codes[i - 1])
            appended = code_set_append(set, list.codes[i], list.codes[i], error);
    free(list.codes);
    return appended;
}

/* On either side of a special number. */
enum { NEIGHBOURS = 2 };

bool code_set_special(struct code_set *set, const struct format *format,
                      const struct operation *operation, struct error *error) {
    const struct specials which = {NEIGHBOURS, operation->operands == 1};
    return special_set(set, format, operation, which, error);
}

bool code_set_landmarks(struct code_set *set, const struct format *format,
                        const struct operation *operation, struct error *error) {
    return special_set(set, format, operation, (struct specials){NEIGHBOURS, false}, error);
}

bool code_set_exact_landmarks(struct code_set *set, const struct format *format,
                              const struct operation *operation, struct error *error) {
    return special_set(set, format, operation, (struct specials){0, false}, error);
}

bool code_set_every(struct code_set *set, const struct format *format,
                    const struct operation *operation, struct error *error) {
    (void)operation;
    return code_set_all(set, format, error);
}

bool code_sets_make(struct code_set *sets, size_t *set_count, code_set_maker *make,
                    const struct operation *operation, const struct format *format,
                    struct error *error) {
    bool made = true;
    *set_count = format->of[0] ? (size_t)operation->operands : 1;
    for (size_t i = 0; made && i < *set_count; i++)
        made = make(&sets[i], format_of_operand(format, (int)i), operation, error);
    return made;
}

/* The names of the flags, and what rounding raises. */
#include "format/flags.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

const char *const flag_names[FLAGS] = {"invalid", "divide-by-zero", "overflow", "underflow",
                                       "inexact"};

const char *flags_text(uint8_t flags, char *text) {
    *text = '\0';
    for (int i = 0; i < FLAGS; i++)
        if (flags & flag_bit(i)) {
            strcat(text, *text ? " " : "");
            strcat(text, flag_names[i]);
        }
    return *text ? text : strcpy(text, "none");
}

bool flags_parse(const char *text, uint8_t *flags, struct error *error) {
    static const char between[] = " ,";
    bool empty = true, none = false;
    *flags = 0;
    for (text += strspn(text, between); *text; text += strspn(text, between)) {
        char word[32];
        size_t length = strcspn(text, between);
        int flag = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : 31), text);
        while (flag < FLAGS && !name_matches(word, flag_names[flag], NULL))
            flag++;
        none = none || name_matches(word, "none", NULL);
        if (flag == FLAGS && !name_matches(word, "none", NULL))
            return error_set(error,
                             "'%s' is not an exception flag; there are invalid, divide-by-zero, "
                             "overflow, underflow, inexact, and none for the empty set",
                             word);
        *flags |= flag < FLAGS ? flag_bit(flag) : 0;
        empty = false;
        text += length;
    }
    if (empty)
        return error_set(error, "no exception flag is named; 'none' stands for the empty set");
    if (none && *flags)
        return error_set(error, "'none' and names of flags exclude one another");
    return true;
}

static unsigned reversed(unsigned bits) {
    unsigned other = 0;
    for (int i = 0; i < FLAGS; i++)
        other |= (bits >> i & 1) << (FLAGS - 1 - i);
    return other;
}

uint8_t flags_from_testfloat(unsigned bits) {
    return (uint8_t)reversed(bits);
}

unsigned flags_to_testfloat(uint8_t flags) {
    return reversed(flags);
}

/* Whether the value has no more bits than its binade of the format keeps. */
static bool is_exact(const struct format *format, const struct real *value) {
    int kept =
        format->precision - (value->exponent < format->emin ? format->emin - value->exponent : 0);
    return !value->inexact && kept > 0 &&
           wide_is_zero(wide_shift_left(value->significand, (unsigned)kept));
}

static bool is_tiny(const struct format *format, const struct real *value, enum rounding rounding,
                    bool after_rounding) {
    if (value->exponent >= format->emin)
        return false;
    if (!after_rounding || value->exponent < format->emin - 1)
        return true;
    /* The binade below the normal numbers, with all bits of a normal number. */
    struct real raised = *value;
    raised.exponent++;
    uint64_t rounded = format_round(format, &raised, rounding, NULL).magnitude + !format->has_zero;
    return rounded < (uint64_t)2 << (format->precision - 1);
}

uint8_t format_flags(const struct format *format, const struct real *value, enum rounding rounding,
                     bool tiny_after_rounding) {
    if (value->kind != REAL_FINITE)
        return 0;
    if (format_overflows(format, value, rounding) && format->is_integer)
        return flag_bit(FLAG_INVALID);
    if (format_overflows(format, value, rounding))
        return flag_bit(FLAG_OVERFLOW) | flag_bit(FLAG_INEXACT);
    if (is_exact(format, value))
        return 0;
    if (rounding_is_stochastic(rounding))
        rounding = ROUND_TOWARD_ZERO;
    return flag_bit(FLAG_INEXACT) |
           (!format->is_integer && is_tiny(format, value, rounding, tiny_after_rounding)
                ? flag_bit(FLAG_UNDERFLOW)
                : 0);
}

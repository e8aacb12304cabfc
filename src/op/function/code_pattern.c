/* Patterns of codes: code_pattern.h has the reasons. */
#include "op/function/code_pattern.h"

uint64_t last_of_binade(const struct format *format, uint64_t code) {
    uint64_t magnitude = format_magnitude(format, code);
    uint64_t hidden = (uint64_t)1 << (format->precision - 1);
    if (magnitude == 0)
        return code;
    if (magnitude >= hidden)
        return code | (hidden - 1);
    return code - magnitude + ((uint64_t)2 << (63 - leading_zeros(magnitude))) - 1;
}

struct code_pattern pattern_of_constant(const struct format *format, const struct real *y,
                                        uint64_t last) {
    return (struct code_pattern){
        .last = last, .offset = format_encode(format, y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE)};
}

struct code_pattern pattern_of_line(uint64_t offset, uint64_t last) {
    return (struct code_pattern){.last = last, .keep = UINT64_MAX, .offset = offset};
}

struct code_pattern pattern_of_fractions(const struct format *format, uint64_t code) {
    struct real x = format_decode(format, code), zero = real_zero(x.negative);
    uint64_t last = last_of_binade(format, code);
    int bit = pattern_integer_bit(format, &x);
    if (x.kind == REAL_ZERO || x.exponent < 0)
        return pattern_of_line(0, last);
    if (bit <= 0)
        return pattern_of_constant(format, &zero, last);
    /* From the exponent of a double to that of the fraction, both biased. */
    int64_t rebias = -1023 - bit + 1 - format->emin;
    return (struct code_pattern){.last = last,
                                 .keep = format->sign_bit,
                                 .offset = (uint64_t)rebias << (format->precision - 1),
                                 .odd_shift = (unsigned)bit,
                                 .is_fraction = true};
}

uint64_t code_pattern_at(const struct code_pattern *pattern, const struct format *format,
                         uint64_t code) {
    uint64_t y = pattern->is_fraction ? pattern_fraction(pattern, (unsigned)format->precision, code)
                                      : pattern_code(pattern, code);
    return y & format_mask(format);
}

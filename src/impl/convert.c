/* Conversion by way of the exact value. */
#include "impl/convert.h"

uint64_t convert_code(const struct format *from, const struct format *to, uint64_t code,
                      enum rounding rounding, enum overflow overflow) {
    if (format_is_signalling(from, code) && to->has_infinity &&
        !to->is_p3109) /* only the quiet bit may not be set */
        return to->nan ^ (uint64_t)3 << (to->precision - 3);
    struct real value = format_decode(from, code);
    return format_encode(to, &value, rounding, overflow);
}

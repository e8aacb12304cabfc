/* What the inputs of from_decimal and of to_decimal are drawn from. */
#ifndef DETCHECK_OP_DECIMAL_DRAWS_H
#define DETCHECK_OP_DECIMAL_DRAWS_H

#include "detmath/random.h"
#include "format/format.h"

/* A number below `end`; 0 where that is 0. */
static inline uint64_t draw_below(uint64_t key, uint64_t index, uint64_t end) {
    return end ? detmath_random(key, index) % end : 0;
}

/* The magnitude of a finite number; those of all exponents are as likely. */
static inline uint64_t draw_code(const struct format *format, uint64_t key) {
    const uint64_t code = detmath_random(key, 1) & ~format->sign_bit & format_mask(format);
    return code > format->max_finite ? code % format->max_finite : code;
}

/* A power of ten among the format's numbers, or beyond either end. */
static inline long draw_exponent(const struct format *format, uint64_t key) {
    const long least = (long)(format->emin - format->precision) * 1233 / 4096 - 3,
               most = (long)format->emax * 1233 / 4096 + 3;
    return least + (long)draw_below(key, 31, (uint64_t)(most - least + 1));
}

#endif

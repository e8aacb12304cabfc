/* What conversions with a fault give. */
#include "explain/conversion_faults.h"

bool predict_in_parts(const struct converted *input, uint64_t *predicted) {
    const struct format *from = input->cast->from, *to = input->cast->to;
    const struct random_bits bits = {input->cast->random_bits, input->random};
    const uint64_t top = (uint64_t)1 << (from->width - 1), others = input->code & ~top;
    enum { ENOUGH = 128 };
    if (!(input->code & top) || !others)
        return false;
    mpfr_t sum, high;
    mpfr_inits2(ENOUGH, sum, high, (mpfr_ptr)0);
    mpfr_set_uj(sum, others, MPFR_RNDN);
    struct real rounded = real_from_mpfr(sum, 0);
    rounded = format_decode(to, format_round(to, &rounded, input->cast->rounding, &bits).magnitude);
    real_to_mpfr(sum, &rounded);
    mpfr_set_ui_2exp(high, 1, from->width - 1, MPFR_RNDN);
    mpfr_add(sum, sum, high, MPFR_RNDN);
    const struct real whole = real_from_mpfr(sum, 0);
    mpfr_clears(sum, high, (mpfr_ptr)0);
    *predicted = cast_number(input->cast, &whole, input->random);
    return true;
}

bool predict_without_carry(const struct converted *input, uint64_t *predicted) {
    const struct format *to = input->cast->to;
    const struct random_bits bits = {input->cast->random_bits, input->random};
    const uint64_t magnitude =
        format_round(to, &input->value, input->cast->rounding, &bits).magnitude;
    const bool negative = input->value.negative;
    if (input->value.exponent < to->emin || magnitude > format_most(to, negative))
        return false;
    struct real half = format_decode(to, format_with_sign(to, magnitude, negative));
    if (half.kind != REAL_FINITE || half.exponent <= input->value.exponent)
        return false;
    half.exponent--;
    *predicted = format_encode(to, &half, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    return true;
}

bool predict_by_int64(const struct converted *input, uint64_t *predicted) {
    enum { BITS = 63 };
    const struct real *x = &input->value;
    const bool beyond = x->kind == REAL_INFINITE || (x->kind == REAL_FINITE && x->exponent >= BITS);
    *predicted = x->negative ? 0 : format_mask(input->cast->to);
    return beyond;
}

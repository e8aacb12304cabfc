/* The definitions of quantisers, exactly. */
#include "op/block/exact.h"

#include <math.h>
#include <string.h>

enum { MOST_GROUPS = 16 };

/* The ends of the integers of a field, as numbers. */
static long first_of(const struct block_field *field) {
    return (field->is_signed ? -(1L << (field->width - 1)) : 0) - field->bias;
}

static long last_of(const struct block_field *field) {
    return first_of(field) + (1L << field->width) - 1;
}

/* The integer of a field nearest to a quotient, by trying all of them; of two, the even one. Its bits. */
static uint32_t nearest_integer(const struct block_field *field, mpfr_srcptr numerator,
                                mpfr_srcptr denominator) {
    mpfr_t off, least;
    long best = first_of(field);
    mpfr_inits2(BLOCK_EXACT_BITS, off, least, (mpfr_ptr)0);
    mpfr_set_inf(least, 1);
    for (long k = first_of(field); k <= last_of(field); k++) {
        mpfr_mul_si(off, denominator, k, MPFR_RNDN);
        mpfr_sub(off, off, numerator, MPFR_RNDN);
        const int order = mpfr_cmpabs(off, least);
        if (order < 0 || (order == 0 && k % 2 == 0)) {
            mpfr_set(least, off, MPFR_RNDN);
            best = k;
        }
    }
    mpfr_clears(off, least, (mpfr_ptr)0);
    return (uint32_t)(best + field->bias) & (uint32_t)((UINT64_C(1) << field->width) - 1);
}

static void store_quotient(struct block_exact *exact, enum block_role role, unsigned index,
                           mpfr_srcptr numerator, mpfr_srcptr denominator, uint8_t *bytes) {
    const struct block_field *field = &exact->layout->fields[role];
    block_exact_set(exact->layout, role, bytes, index,
                    field->format ? block_exact_quotient(field->format, ROUND_NEAREST_EVEN,
                                                         numerator, denominator)
                                  : nearest_integer(field, numerator, denominator));
}

/* Numerators over a divisor: in one field, or in integers of a second field, the largest of which has the largest integer
 * that there is with both signs. */
static void store(struct block_exact *exact, enum block_role role, enum block_role sub,
                  mpfr_t *numerators, unsigned count, mpfr_srcptr divisor, uint8_t *bytes) {
    const struct block_field *subs = &exact->layout->fields[sub];
    if (!subs->count) {
        for (unsigned i = 0; i < count; i++)
            store_quotient(exact, role, i, numerators[i], divisor, bytes);
        return;
    }
    mpfr_t largest, by;
    mpfr_inits2(BLOCK_EXACT_BITS, largest, by, (mpfr_ptr)0);
    mpfr_set_ui(largest, 0, MPFR_RNDN);
    for (unsigned i = 0; i < count; i++)
        mpfr_max(largest, largest, numerators[i], MPFR_RNDN);
    mpfr_mul_si(by, divisor, last_of(subs), MPFR_RNDN);
    store_quotient(exact, role, 0, largest, by, bytes);
    block_exact_number(by, &exact->layout->fields[role],
                       block_exact_get(exact->layout, role, bytes, 0));
    mpfr_mul(by, by, divisor, MPFR_RNDN);
    for (unsigned i = 0; i < count; i++) {
        if (mpfr_sgn(by) <= 0)
            mpfr_set_ui(numerators[i], 0, MPFR_RNDN);
        block_exact_set(exact->layout, sub, bytes, i,
                        mpfr_sgn(by) > 0
                            ? nearest_integer(subs, numerators[i], by)
                            : (uint32_t)subs->bias & (uint32_t)((UINT64_C(1) << subs->width) - 1));
    }
    mpfr_clears(largest, by, (mpfr_ptr)0);
}

/* What the finite numbers of a group span: *low is the minimum, and the size the range, or the largest magnitude. */
static void extent_of(mpfr_ptr low, mpfr_ptr size, const struct block_layout *layout,
                      const struct block_field *shared, unsigned index, const float *x) {
    const bool has_zero = layout->fields[BLOCK_ZERO].count,
               has_minimum = layout->fields[BLOCK_MINIMUM].count;
    float least = 0, most = 0;
    bool is_empty = true;
    for (unsigned i = 0; i < layout->elements; i++) {
        if (i / shared->share % shared->count != index || !isfinite(x[i]))
            continue;
        least = is_empty || x[i] < least ? x[i] : least;
        most = is_empty || x[i] > most ? x[i] : most;
        is_empty = false;
    }
    if ((has_zero || layout->subtracts_minimum) && least > 0)
        least = 0;
    if (has_zero && most < 0)
        most = 0;
    mpfr_set_ui(low, 0, MPFR_RNDN);
    if (has_zero || has_minimum) {
        if (least != 0)
            mpfr_set_flt(low, least, MPFR_RNDN);
        mpfr_set_flt(size, most + 0.0F /* no -0 */, MPFR_RNDN);
        mpfr_sub(size, size, low, MPFR_RNDN);
    } else {
        mpfr_set_flt(size, fmaxf(fabsf(least), fabsf(most)), MPFR_RNDN);
    }
}

/* A zero point: the integer nearest to the place of 0, where the first element stands for the minimum. */
static void store_zero(struct block_exact *exact, unsigned index, mpfr_srcptr minimum,
                       uint8_t *bytes) {
    const double first = exact->elements[0].number;
    mpfr_t by;
    mpfr_init2(by, BLOCK_EXACT_BITS);
    block_exact_number(by, &exact->layout->fields[BLOCK_SCALE],
                       block_exact_get(exact->layout, BLOCK_SCALE, bytes, index));
    mpfr_set_d(exact->number, first, MPFR_RNDN);
    if (mpfr_sgn(by) > 0) {
        mpfr_mul(exact->number, exact->number, by, MPFR_RNDN);
        mpfr_sub(exact->number, exact->number, minimum, MPFR_RNDN);
    } else {
        mpfr_set_ui(by, 1, MPFR_RNDN);
    }
    store_quotient(exact, BLOCK_ZERO, index, exact->number, by, bytes);
    mpfr_clear(by);
}

void block_exact_maximum(struct block_exact *exact, const float *x, uint8_t *bytes) {
    const struct block_layout *layout = exact->layout;
    const struct block_field *subs = &layout->fields[BLOCK_SUBSCALE],
                             *shared = subs->count ? subs : &layout->fields[BLOCK_SCALE];
    const bool has_minimum = layout->fields[BLOCK_MINIMUM].count,
               is_range = has_minimum || layout->fields[BLOCK_ZERO].count;
    const double first = exact->elements[0].number, last = exact->elements[exact->count - 1].number;
    mpfr_t lows[MOST_GROUPS], sizes[MOST_GROUPS], divisor;
    mpfr_init2(divisor, BLOCK_EXACT_BITS);
    memset(bytes, 0, layout->bytes);
    for (unsigned i = 0; i < shared->count; i++) {
        mpfr_inits2(BLOCK_EXACT_BITS, lows[i], sizes[i], (mpfr_ptr)0);
        extent_of(lows[i], sizes[i], layout, shared, i, x);
        if (layout->subtracts_minimum)
            mpfr_neg(lows[i], lows[i], MPFR_RNDN);
    }
    mpfr_set_d(divisor, is_range ? last - first : fmin(-first, last), MPFR_RNDN);
    mpfr_mul_d(divisor, divisor, exact->tensor, MPFR_RNDN);
    store(exact, BLOCK_SCALE, BLOCK_SUBSCALE, sizes, shared->count, divisor, bytes);
    mpfr_set_ui(divisor, 1, MPFR_RNDN);
    if (has_minimum)
        store(exact, BLOCK_MINIMUM, BLOCK_SUBMINIMUM, lows, shared->count, divisor, bytes);
    for (unsigned i = 0; i < layout->fields[BLOCK_ZERO].count; i++)
        store_zero(exact, i, lows[i], bytes);
    for (unsigned i = 0; i < shared->count; i++)
        mpfr_clears(lows[i], sizes[i], (mpfr_ptr)0);
    mpfr_clear(divisor);
    block_exact_nearest(exact, x, bytes);
}

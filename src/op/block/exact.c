/* Fields, numbers and nearest codes, exactly. */
#include "op/block/exact.h"

#include <math.h>
#include <stdlib.h>

/* Where bit `b` of an integer lies, counted from the first bit of the block. */
static unsigned place_of_bit(const struct block_field *field, unsigned index, unsigned b) {
    const unsigned at = field->order ? index / 8 * 8 + field->order[index % 8] : index;
    const struct block_piece *piece = field->pieces;
    while (at < piece->first || at - piece->first >= piece->count || b < piece->to ||
           b >= (unsigned)piece->to + piece->bits)
        piece++;
    const unsigned k = at - piece->first, run = piece->run, per = piece->per,
                   unit = run ? k / (run * per) * run + k % run : 0,
                   level = run ? k % (run * per) / run : k;
    return 8U * piece->offset + piece->shift + unit * piece->unit + level * piece->bits + b -
           piece->to;
}

uint32_t block_exact_get(const struct block_layout *layout, enum block_role role,
                         const uint8_t *bytes, unsigned index) {
    const struct block_field *field = &layout->fields[role];
    uint32_t integer = 0;
    for (unsigned b = 0; b < field->width; b++) {
        const unsigned place = place_of_bit(field, index, b);
        integer |= (uint32_t)(bytes[place / 8] >> place % 8 & 1) << b;
    }
    return integer;
}

void block_exact_set(const struct block_layout *layout, enum block_role role, uint8_t *bytes,
                     unsigned index, uint32_t integer) {
    const struct block_field *field = &layout->fields[role];
    for (unsigned b = 0; b < field->width; b++) {
        const unsigned place = place_of_bit(field, index, b);
        const uint8_t bit = (uint8_t)(1U << place % 8);
        bytes[place / 8] =
            (uint8_t)(integer >> b & 1 ? bytes[place / 8] | bit : bytes[place / 8] & ~bit);
    }
}

void block_exact_number(mpfr_ptr number, const struct block_field *field, uint32_t integer) {
    if (field->table) {
        mpfr_set_flt(number, field->table[integer], MPFR_RNDN);
    } else if (field->format) {
        const struct real real = format_decode(field->format, integer);
        real_to_mpfr(number, &real);
    } else {
        const bool is_negative = field->is_signed && integer >> (field->width - 1) & 1;
        mpfr_set_si(number, (long)integer - (is_negative ? 1L << field->width : 0) - field->bias,
                    MPFR_RNDN);
    }
}

static int compare(const void *a, const void *b) {
    const struct block_exact_element *one = a, *other = b;
    const int order = (one->number > other->number) - (one->number < other->number);
    return order ? order : (one->code > other->code) - (one->code < other->code);
}

void block_exact_prepare(struct block_exact *exact, const struct block_layout *layout,
                         double tensor) {
    const struct block_field *field = &layout->fields[BLOCK_ELEMENT];
    struct block_exact_element all[256];
    unsigned count = 0;
    /* A product of a double, an fp32 number, a sub-scale of 8 bits and the middle of two elements, of 40. */
    const mpfr_prec_t bits = layout->fields[BLOCK_MINIMUM].count ? BLOCK_EXACT_BITS : 128;
    mpfr_inits2(BLOCK_EXACT_BITS, exact->zero, exact->minimum, exact->number, exact->other,
                (mpfr_ptr)0);
    mpfr_inits2(bits, exact->scale, exact->middle, (mpfr_ptr)0);
    exact->layout = layout;
    exact->tensor = layout->has_tensor_scale ? tensor : 1;
    exact->count = 0;
    exact->negative_zero = exact->nan = -1;
    if (field->format && field->format->has_nan)
        exact->nan = (int)field->format->nan;
    for (uint32_t code = 0; code < UINT32_C(1) << field->width; code++) {
        block_exact_number(exact->number, field, code);
        if (mpfr_zero_p(exact->number) && mpfr_signbit(exact->number))
            exact->negative_zero = (int)code;
        if (mpfr_number_p(exact->number))
            all[count++] = (struct block_exact_element){mpfr_get_d(exact->number, MPFR_RNDN), code};
    }
    qsort(all, count, sizeof *all, compare);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || all[i].number != all[i - 1].number)
            exact->elements[exact->count++] = all[i];
}

void block_exact_clear(struct block_exact *exact) {
    mpfr_clears(exact->scale, exact->zero, exact->minimum, exact->middle, exact->number,
                exact->other, (mpfr_ptr)0);
}

/* The number of a field that an element has a part in; false where there is no such field. */
static bool shared_number(struct block_exact *exact, enum block_role role, const uint8_t *bytes,
                          unsigned element) {
    const struct block_field *field = &exact->layout->fields[role];
    if (!field->count)
        return false;
    block_exact_number(
        exact->other, field,
        block_exact_get(exact->layout, role, bytes, element / field->share % field->count));
    return true;
}

/* Scale, zero point and minimum of an element. */
static void find_affine(struct block_exact *exact, const uint8_t *bytes, unsigned element) {
    exact->is_known = true;
    mpfr_set_ui(exact->zero, 0, MPFR_RNDN);
    mpfr_set_ui(exact->minimum, 0, MPFR_RNDN);
    mpfr_set_d(exact->scale, exact->tensor, MPFR_RNDN);
    for (enum block_role role = BLOCK_SCALE; role <= BLOCK_SUBSCALE; role++)
        if (shared_number(exact, role, bytes, element))
            mpfr_mul(exact->scale, exact->scale, exact->other, MPFR_RNDN);
    if (shared_number(exact, BLOCK_ZERO, bytes, element))
        mpfr_set(exact->zero, exact->other, MPFR_RNDN);
    if (shared_number(exact, BLOCK_MINIMUM, bytes, element)) {
        mpfr_set(exact->minimum, exact->other, MPFR_RNDN);
        if (shared_number(exact, BLOCK_SUBMINIMUM, bytes, element))
            mpfr_mul(exact->minimum, exact->minimum, exact->other, MPFR_RNDN);
        if (exact->layout->subtracts_minimum)
            mpfr_neg(exact->minimum, exact->minimum, MPFR_RNDN);
    }
}

struct real block_exact_value(struct block_exact *exact, const uint8_t *bytes, unsigned element) {
    find_affine(exact, bytes, element);
    shared_number(exact, BLOCK_ELEMENT, bytes, element);
    if (exact->layout->fields[BLOCK_ZERO].count) /* else -0 stays */
        mpfr_sub(exact->other, exact->other, exact->zero, MPFR_RNDN);
    mpfr_mul(exact->number, exact->scale, exact->other, MPFR_RNDN);
    if (exact->layout->fields[BLOCK_MINIMUM].count)
        mpfr_add(exact->number, exact->number, exact->minimum, MPFR_RNDN);
    mpfr_t cut;
    mpfr_init2(cut, 128);
    const struct real real = real_from_mpfr(cut, mpfr_set(cut, exact->number, MPFR_RNDZ));
    mpfr_clear(cut);
    return real;
}

/* Whether x lies beyond the middle of what two neighbours stand for, as the numbers of elements grow: -1, 0 on it, 1. */
static int side(struct block_exact *exact, unsigned at, double x) {
    mpfr_set_d(exact->middle, exact->elements[at].number, MPFR_RNDN);
    mpfr_add_d(exact->middle, exact->middle, exact->elements[at + 1].number, MPFR_RNDN);
    mpfr_div_2ui(exact->middle, exact->middle, 1, MPFR_RNDN);
    mpfr_sub(exact->middle, exact->middle, exact->zero, MPFR_RNDN);
    mpfr_mul(exact->middle, exact->middle, exact->scale, MPFR_RNDN);
    if (exact->layout->fields[BLOCK_MINIMUM].count)
        mpfr_add(exact->middle, exact->middle, exact->minimum, MPFR_RNDN);
    const int beyond = -mpfr_cmp_d(exact->middle, x);
    return mpfr_sgn(exact->scale) < 0 ? -beyond : beyond;
}

/* About the place, in double. */
static unsigned guess_place(const struct block_exact *exact, double x) {
    const double scale = mpfr_get_d(exact->scale, MPFR_RNDN),
                 minimum = mpfr_get_d(exact->minimum, MPFR_RNDN),
                 number = (x - minimum) / scale + mpfr_get_d(exact->zero, MPFR_RNDN);
    unsigned low = 0, high = exact->count - 1;
    while (low < high) {
        const unsigned at = (low + high) / 2;
        const bool beyond =
            number > (exact->elements[at].number + exact->elements[at + 1].number) / 2;
        *(beyond ? &low : &high) = beyond ? at + 1 : at;
    }
    return low;
}

/* The exact comparisons decide. The guess only says which come first: those on both sides of it, which are the last where it is
 * right. */
unsigned block_exact_place(struct block_exact *exact, double x) {
    const unsigned guess = guess_place(exact, x), first[] = {guess ? guess - 1 : 0, guess};
    unsigned low = 0, high = exact->count - 1;
    for (unsigned step = 0; low < high; step++) {
        const bool is_near = step < 2 && low <= first[step] && first[step] < high;
        const unsigned at = is_near ? first[step] : (low + high) / 2;
        const int beyond = side(exact, at, x);
        if (beyond == 0)
            return exact->elements[at].code % 2 ? at + 1 : at;
        *(beyond > 0 ? &low : &high) = beyond > 0 ? at + 1 : at;
    }
    return low;
}

static uint32_t nearest_code(struct block_exact *exact, double x) {
    const bool is_negative =
        (!mpfr_nan_p(exact->scale) && mpfr_signbit(exact->scale)) != !!signbit(x);
    if (isnan(x) && exact->nan >= 0)
        return (uint32_t)exact->nan;
    if (isnan(x) || !mpfr_regular_p(exact->scale) || !mpfr_number_p(exact->minimum)) {
        exact->is_known = false;
        mpfr_set_ui(exact->scale, 1, MPFR_RNDN);
        mpfr_set_ui(exact->minimum, 0, MPFR_RNDN);
        const double zero = mpfr_get_d(exact->zero, MPFR_RNDN);
        mpfr_set_ui(exact->zero, 0, MPFR_RNDN);
        const unsigned at = block_exact_place(exact, zero);
        return exact->elements[at].number == 0 && exact->negative_zero >= 0 && !isnan(x) &&
                       is_negative
                   ? (uint32_t)exact->negative_zero
                   : exact->elements[at].code;
    }
    const struct block_exact_element *element = &exact->elements[block_exact_place(exact, x)];
    return element->number == 0 && exact->negative_zero >= 0 && is_negative
               ? (uint32_t)exact->negative_zero
               : element->code;
}

/* Whether an element shares all numbers with the one before. */
static bool shares_all(const struct block_layout *layout, unsigned element) {
    for (enum block_role role = BLOCK_SCALE; role < BLOCK_SUM; role++) {
        const struct block_field *field = &layout->fields[role];
        if (field->count &&
            element / field->share % field->count != (element - 1) / field->share % field->count)
            return false;
    }
    return true;
}

void block_exact_nearest(struct block_exact *exact, const float *x, uint8_t *bytes) {
    const struct block_layout *layout = exact->layout;
    const struct block_field *sums = &layout->fields[BLOCK_SUM];
    exact->is_known = false;
    for (unsigned i = 0; i < layout->elements; i++) {
        if (!exact->is_known || !shares_all(layout, i))
            find_affine(exact, bytes, i);
        block_exact_set(layout, BLOCK_ELEMENT, bytes, i, nearest_code(exact, (double)x[i]));
    }
    for (unsigned j = 0; j < sums->count; j++) {
        mpfr_set_ui(exact->number, 0, MPFR_RNDN);
        for (unsigned i = 0; i < sums->share; i++) {
            shared_number(exact, BLOCK_ELEMENT, bytes, j * sums->share + i);
            mpfr_add(exact->number, exact->number, exact->other, MPFR_RNDN);
        }
        block_exact_set(layout, BLOCK_SUM, bytes, j,
                        (uint32_t)(int32_t)mpfr_get_si(exact->number, MPFR_RNDN) & 0xffff);
    }
}

uint32_t block_exact_quotient(const struct format *format, enum rounding rounding,
                              mpfr_srcptr numerator, mpfr_srcptr denominator) {
    mpfr_t cut;
    mpfr_init2(cut, 128);
    const struct real real = real_from_mpfr(cut, mpfr_div(cut, numerator, denominator, MPFR_RNDZ));
    const bool has_place = !mpfr_nan_p(cut) && (format->has_zero || mpfr_sgn(cut) > 0);
    mpfr_clear(cut);
    return has_place ? (uint32_t)format_encode(format, &real, rounding, OVERFLOW_SATURATE) : 0;
}

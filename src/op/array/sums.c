/* Sums without rounding, by MPFR numbers that are wide enough. */
#include "op/array/sums.h"

#include "op/array/slices.h"

#include <stdlib.h>

const char exact_mean[] = "mean";

enum { CARRY_BITS = 64 }; /* more terms than 2^64 there are none */

void exact_total_open(struct exact_total *total, const struct format *format) {
    mpfr_prec_t span = 2 * (format->emax - format->emin + format->precision + 1);
    mpfr_init2(total->sum, span + CARRY_BITS);
    mpfr_init2(total->term, 2 * format->precision);
    mpfr_init2(total->factors[0], format->precision);
    mpfr_init2(total->factors[1], format->precision);
    exact_total_reset(total);
}

void exact_total_close(struct exact_total *total) {
    mpfr_clear(total->sum);
    mpfr_clear(total->term);
    mpfr_clear(total->factors[0]);
    mpfr_clear(total->factors[1]);
}

void exact_total_reset(struct exact_total *total) {
    mpfr_set_zero(total->sum, 1);
    total->nan = total->plus_infinity = total->minus_infinity = false;
    total->nonzero = total->plus_zero = total->minus_zero = false;
}

/* Counts what is no finite nonzero number; true where that is all there is to it. */
static bool add_special(struct exact_total *total, enum real_kind kind, bool negative) {
    total->nan = total->nan || kind == REAL_NAN;
    total->plus_infinity = total->plus_infinity || (kind == REAL_INFINITE && !negative);
    total->minus_infinity = total->minus_infinity || (kind == REAL_INFINITE && negative);
    total->plus_zero = total->plus_zero || (kind == REAL_ZERO && !negative);
    total->minus_zero = total->minus_zero || (kind == REAL_ZERO && negative);
    total->nonzero = total->nonzero || kind == REAL_FINITE;
    return kind != REAL_FINITE;
}

void exact_total_add(struct exact_total *total, const struct real *value) {
    if (add_special(total, value->kind, value->negative))
        return;
    real_to_mpfr(total->factors[0], value);
    mpfr_add(total->sum, total->sum, total->factors[0], MPFR_RNDN);
}

static enum real_kind product_kind(const struct real *a, const struct real *b) {
    if (a->kind == REAL_NAN || b->kind == REAL_NAN)
        return REAL_NAN;
    if (a->kind == REAL_FINITE)
        return b->kind;
    if (b->kind == REAL_FINITE || a->kind == b->kind)
        return a->kind;
    return REAL_NAN; /* zero times infinity */
}

void exact_total_add_product(struct exact_total *total, const struct real *a,
                             const struct real *b) {
    if (add_special(total, product_kind(a, b), a->negative != b->negative))
        return;
    real_to_mpfr(total->factors[0], a);
    real_to_mpfr(total->factors[1], b);
    mpfr_mul(total->term, total->factors[0], total->factors[1], MPFR_RNDN);
    mpfr_add(total->sum, total->sum, total->term, MPFR_RNDN);
}

struct real exact_total_quotient(const struct exact_total *total, unsigned long divisor,
                                 int precision) {
    if (total->nan || (total->plus_infinity && total->minus_infinity))
        return real_nan();
    if (total->plus_infinity || total->minus_infinity)
        return real_infinity(total->minus_infinity);
    if (mpfr_zero_p(total->sum)) {
        struct real zero = real_zero(total->minus_zero && !total->plus_zero && !total->nonzero);
        zero.cancelled = total->nonzero || (total->plus_zero && total->minus_zero);
        return zero;
    }
    mpfr_t value;
    mpfr_init2(value, precision);
    int ternary = mpfr_div_ui(value, total->sum, divisor, MPFR_RNDZ);
    struct real y = real_from_mpfr(value, ternary);
    mpfr_clear(value);
    return y;
}

/* The sums of slices, all at once or with every partial sum. */
struct slice_sums {
    const struct array_call *call;
    struct slices slices;
    int precision;
    struct exact_total total;
    uint64_t *codes[2]; /* of a slice */
};

static bool open_sums(struct slice_sums *sums, const struct array_call *call, int precision,
                      struct error *error) {
    *sums = (struct slice_sums){.call = call, .slices = slices_of(call), .precision = precision};
    bool room = true;
    for (int i = 0; i < 2 && call->rule->operand_names[i]; i++) { /* c is no line */
        sums->codes[i] = calloc(sums->slices.length, sizeof **sums->codes);
        room = room && sums->codes[i];
    }
    exact_total_open(&sums->total, call->results[0].format);
    return room || error_set(error, "out of memory");
}

static void close_sums(struct slice_sums *sums) {
    exact_total_close(&sums->total);
    free(sums->codes[0]);
    free(sums->codes[1]);
}

static void begin_slice(struct slice_sums *sums, uint64_t slice) {
    for (int i = 0; i < 2; i++)
        if (sums->codes[i])
            slice_load(sums->call, i, &sums->slices, slice, sums->codes[i]);
    exact_total_reset(&sums->total);
}

static void add_element(struct slice_sums *sums, uint64_t i) {
    const struct format *format = sums->call->results[0].format;
    struct real a = format_decode(format, sums->codes[0][i]);
    if (!sums->codes[1]) {
        exact_total_add(&sums->total, &a);
        return;
    }
    struct real b = format_decode(format, sums->codes[1][i]);
    exact_total_add_product(&sums->total, &a, &b);
}

/* c of an element, where one comes in. */
static void add_addend(struct exact_total *total, const struct array_call *call, uint64_t element) {
    const struct array *c = array_addend(call);
    if (!c)
        return;
    const struct real value = array_number(c, element);
    exact_total_add(total, &value);
}

bool exact_reduction(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error) {
    struct slice_sums sums;
    bool opened = open_sums(&sums, call, precision, error);
    (void)result;
    for (uint64_t slice = 0; opened && slice < sums.slices.count; slice++) {
        begin_slice(&sums, slice);
        for (uint64_t i = 0; i < sums.slices.length; i++)
            add_element(&sums, i);
        add_addend(&sums.total, call, slice);
        y[slice] = exact_total_quotient(
            &sums.total, call->rule->data == exact_mean ? sums.slices.length : 1, precision);
    }
    close_sums(&sums);
    return opened;
}

bool exact_cumsum(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error) {
    (void)result;
    struct slice_sums sums;
    bool exclusive = parameter_flag(call->parameters, PARAMETER_EXCLUSIVE);
    bool opened = open_sums(&sums, call, precision, error);
    for (uint64_t slice = 0; opened && slice < sums.slices.count; slice++) {
        uint64_t length = sums.slices.length;
        begin_slice(&sums, slice);
        for (uint64_t i = 0; i < length; i++) {
            if (!exclusive)
                add_element(&sums, i);
            y[slice_place(&sums.slices, slice, i)] =
                exact_total_quotient(&sums.total, 1, precision);
            if (exclusive)
                add_element(&sums, i);
        }
    }
    close_sums(&sums);
    return opened;
}

bool exact_matmul(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error) {
    (void)result;
    (void)error;
    const struct array *a = &call->operands[0], *b = &call->operands[1];
    uint64_t rows = a->shape.extents[0], inner = a->shape.extents[1], columns = b->shape.extents[1];
    const struct format *wanted = call->results[0].format;
    struct exact_total total;
    exact_total_open(&total, wanted);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) {
            exact_total_reset(&total);
            for (uint64_t k = 0; k < inner; k++) {
                struct real x = format_decode(wanted, element_load(a, wanted, i * inner + k));
                struct real z = format_decode(wanted, element_load(b, wanted, k * columns + j));
                exact_total_add_product(&total, &x, &z);
            }
            add_addend(&total, call, i * columns + j);
            y[i * columns + j] = exact_total_quotient(&total, 1, precision);
        }
    exact_total_close(&total);
    return true;
}

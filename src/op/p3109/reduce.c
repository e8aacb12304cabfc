/* BlockReduceAdd, BlockReduceMultiply and BlockDotProduct (5.3): exactly, and step by step. */
#include "op/array/slices.h"
#include "op/conversion.h"
#include "op/p3109/blocks.h"

#include <stdlib.h>

/* Two numbers of P3109 have 32 bits together, and four 64. */
enum { NUMBER_BITS = 32, TERM_BITS = 2 * NUMBER_BITS };

/* The terms of one block, or of a pair of blocks. */
struct terms {
    const struct array_call *call;
    struct slices slices;
    mpfr_t *term;
    mpfr_ptr *pointers; /* to them, as mpfr_sum wants them */
    mpfr_t parts[2], other;
    mpfr_exp_t least, most; /* of MPFR's exponents before: products of many go beyond those */
};

static bool open_terms(struct terms *terms, const struct array_call *call, struct error *error) {
    *terms = (struct terms){
        .call = call, .slices = slices_of(call), .least = mpfr_get_emin(), .most = mpfr_get_emax()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    const size_t count = (size_t)terms->slices.length;
    terms->term = malloc(count * sizeof *terms->term);
    terms->pointers = malloc(count * sizeof *terms->pointers);
    for (size_t i = 0; terms->term && terms->pointers && i < count; i++) {
        mpfr_init2(terms->term[i], TERM_BITS);
        terms->pointers[i] = terms->term[i];
    }
    mpfr_inits2(NUMBER_BITS, terms->parts[0], terms->parts[1], terms->other, (mpfr_ptr)0);
    return (terms->term && terms->pointers) || error_set(error, "out of memory for a block");
}

static void close_terms(struct terms *terms) {
    for (uint64_t i = 0; terms->term && terms->pointers && i < terms->slices.length; i++)
        mpfr_clear(terms->term[i]);
    free(terms->term);
    free(terms->pointers);
    mpfr_clears(terms->parts[0], terms->parts[1], terms->other, (mpfr_ptr)0);
    mpfr_set_emin(terms->least);
    mpfr_set_emax(terms->most);
}

/* 5.1.1: element number `at` of a block, times its scale. */
static void decode(struct terms *terms, mpfr_ptr number, int elements, uint64_t block,
                   uint64_t at) {
    const struct array *operands = terms->call->operands;
    const struct real element =
                          array_number(&operands[elements], slice_place(&terms->slices, block, at)),
                      scale = array_number(&operands[elements + 1], block);
    real_to_mpfr(terms->parts[0], &scale);
    real_to_mpfr(terms->parts[1], &element);
    mpfr_mul(number, terms->parts[0], terms->parts[1], MPFR_RNDN);
}

static void find_terms(struct terms *terms, uint64_t block) {
    for (uint64_t i = 0; i < terms->slices.length; i++) {
        decode(terms, terms->term[i], BLOCK_X, block, i);
        if (terms->call->rule->which != REDUCE_DOT)
            continue;
        decode(terms, terms->other, BLOCK_Y, block, i);
        mpfr_mul(terms->term[i], terms->term[i], terms->other, MPFR_RNDN);
    }
}

/* Zero has no sign. */
static struct real without_sign_of_zero(struct real y) {
    return y.kind == REAL_ZERO ? real_zero(false) : y;
}

static struct real sum_of(const struct terms *terms, mpfr_ptr room) {
    const int ternary =
        mpfr_sum(room, terms->pointers, (unsigned long)terms->slices.length, MPFR_RNDZ);
    return without_sign_of_zero(real_from_mpfr(room, ternary));
}

/* Whether a term that is not a number other than 0 decides the product: left in `room`. */
static bool is_special_product(const struct terms *terms, mpfr_ptr room) {
    bool any = false;
    mpfr_set_ui(room, 1, MPFR_RNDN);
    for (uint64_t i = 0; i < terms->slices.length; i++) {
        mpfr_srcptr term = terms->term[i];
        any = any || !mpfr_regular_p(term);
        if (mpfr_regular_p(term))
            mpfr_mul_si(room, room, mpfr_sgn(term), MPFR_RNDN);
        else
            mpfr_mul(room, room, term, MPFR_RNDN);
    }
    return any;
}

/* With all bits. */
static struct real product_of(const struct terms *terms, mpfr_ptr room) {
    if (is_special_product(terms, room))
        return without_sign_of_zero(real_from_mpfr(room, 0));
    const uint64_t count = terms->slices.length;
    mpfr_t whole;
    mpfr_init2(whole, (mpfr_prec_t)(count * NUMBER_BITS));
    mpfr_set_ui(whole, 1, MPFR_RNDN);
    for (uint64_t i = 0; i < count; i++)
        mpfr_mul(whole, whole, terms->term[i], MPFR_RNDN);
    const int ternary = mpfr_set(room, whole, MPFR_RNDZ);
    mpfr_clear(whole);
    return real_from_mpfr(room, ternary);
}

bool p3109_exact_reduction(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    struct terms terms;
    mpfr_t room;
    (void)result;
    const bool opened = open_terms(&terms, call, error);
    mpfr_init2(room, precision);
    for (uint64_t block = 0; opened && block < terms.slices.count; block++) {
        find_terms(&terms, block);
        y[block] =
            call->rule->which == REDUCE_MULTIPLY ? product_of(&terms, room) : sum_of(&terms, room);
    }
    mpfr_clear(room);
    close_terms(&terms);
    return opened;
}

static void round_to(const struct format *format, mpfr_ptr value) {
    const struct real y =
        format_decode(format, format_encode_mpfr(format, value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    real_to_mpfr(value, &y);
}

/* The first term, and each other onto the sum or product so far. */
static void accumulate(const struct terms *terms, const struct format *format, mpfr_ptr total,
                       mpfr_ptr step) {
    for (uint64_t i = 0; i < terms->slices.length; i++) {
        mpfr_set(step, terms->term[i], MPFR_RNDN);
        round_to(format, step);
        if (i && terms->call->rule->which == REDUCE_MULTIPLY)
            mpfr_mul(step, total, step, MPFR_RNDN);
        else if (i)
            mpfr_add(step, total, step, MPFR_RNDN);
        round_to(format, step);
        mpfr_set(total, step, MPFR_RNDN);
    }
}

bool p3109_run_sequential(const struct array_call *call, const struct array_algorithm *algorithm,
                          struct error *error) {
    const struct format *format = accumulation_format(call);
    struct terms terms;
    mpfr_t total, step;
    bool unused;
    (void)algorithm;
    const bool opened = open_terms(&terms, call, error);
    mpfr_init2(total, format->precision);
    mpfr_init2(step, 2 * (format->emax - format->emin + format->precision) + TERM_BITS);
    for (uint64_t block = 0; opened && block < terms.slices.count; block++) {
        find_terms(&terms, block);
        accumulate(&terms, format, total, step);
        const struct real y = without_sign_of_zero(real_from_mpfr(total, 0));
        array_set_code(&call->results[0], block, p3109_want(call, 0, block, &y, &unused));
    }
    mpfr_clear(total);
    mpfr_clear(step);
    close_terms(&terms);
    return opened;
}

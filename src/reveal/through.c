/* The rows, and their terms. */
#include "reveal/through.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

const char *const through_exponential_names[EXPONENTIALS] = {
    "those that it returns where the sum is 2", "rounded to nearest",
    "those of the platform's libm"};

const char *const through_shift_names[SHIFTS] = {
    "e^(x - the largest x), or e^x", "e^(x - the largest x)", "e^x",
    "e^(x - the largest x) where the largest x is 0, with other bits elsewhere"};

const char *through_not_asked(const struct through *through) {
    return through->terms == TERMS_BALANCED
               ? "by which formula the variance comes of that sum: the mean of all arrays is 0, "
                 "where that of (x - mean)^2 "
                 "and that of x^2 less mean^2 are the same"
               : NULL;
}

static const struct through rows[] = {
    {"softmax", "sum", TERMS_EXPONENTIALS, .shares = true},
    {"log_softmax", "sum", TERMS_EXPONENTIALS, .shares = false},
    {"logsumexp", "sum", TERMS_EXPONENTIALS, .shares = false},
    {"rms_norm", "dot", TERMS_SQUARES, .shares = false},
    {"l2_norm", "dot", TERMS_SQUARES, .shares = false},
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct through *through_find(const struct operation *operation) {
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(operation->name, rows[i].operation) == 0)
            return &rows[i];
    return NULL;
}

/* What is not there is so small that its exponential is lost, and finite: blocks of nothing but -inf make NaN of a
 * largest element that is kept by block. */
static double absent(const struct format *format) {
    enum { LEAST = 8192 };
    const struct real most = format_decode(format, format->max_finite);
    const double half = real_to_double(&most) / 2;
    return half < LEAST ? -half : -LEAST;
}

double through_operand(const struct through *through, const struct format *format, double term) {
    if (through->terms == TERMS_PLAIN)
        return term;
    if (through_has_squares(through))
        return sqrt(term);
    return term == 0 ? absent(format) : log(term);
}

double through_term(const struct through *through, double operand) {
    return through->terms == TERMS_PLAIN  ? operand
           : through_has_squares(through) ? operand * operand
                                          : exp(operand);
}

/* Roots of few bits, so that a square that is fused with its addition is the same. Beside a balanced one there are
 * squares of up to 7/32 of it, and the last bits of small ones have to stay beside these (inner.c). Of a mean so many
 * times a number that the mean is that number. */
double through_large(const struct through *through, size_t terms, unsigned index) {
    enum { ROOTS = 32, FINE_ROOTS = 128, MULTIPLES = 16 };
    const double roots = through->terms == TERMS_BALANCED ? FINE_ROOTS : ROOTS,
                 root = 1 + index / roots, multiple = 2.0 * index + 1;
    if (index >= (through_has_exponentials(through) ? 1
                  : through->terms == TERMS_PLAIN   ? MULTIPLES
                                                    : roots))
        return -1;
    if (through_has_exponentials(through))
        return 1;
    if (through->terms == TERMS_BALANCED && root * root >= 8.0 / 7 * (root * root < 2 ? 1 : 2))
        return 0;
    if (through_has_squares(through))
        return root * root;
    const double large = multiple * (double)(terms - 1);
    return ilogb(large) == ilogb(large + multiple) ? large : 0;
}

uint64_t through_exp(enum through_exponential exponential, const struct format *format, double x) {
    uint64_t code = 0;
    double wide = exponential == EXPONENTIAL_LIBM ? exp(x) : 0;
    float narrow = exponential == EXPONENTIAL_LIBM ? expf((float)x) : 0;
    if (exponential == EXPONENTIAL_LIBM && format->width == 64)
        memcpy(&code, &wide, sizeof wide);
    else if (exponential == EXPONENTIAL_LIBM)
        memcpy(&code, &narrow, sizeof narrow);
    if (exponential == EXPONENTIAL_LIBM)
        return code;
    mpfr_t value;
    mpfr_init2(value, 120); /* so near to a number of the format is no exponential but 1 */
    mpfr_set_d(value, x, MPFR_RNDN);
    const struct real real = real_from_mpfr(value, mpfr_exp(value, value, MPFR_RNDZ));
    code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    mpfr_clear(value);
    return code;
}

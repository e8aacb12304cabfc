/* The loop by which values are found that no finite number of bits holds: they are enclosed ever more
 * closely, until all that is enclosed truncates to the same bits. */
#ifndef DETCHECK_OP_ENCLOSE_H
#define DETCHECK_OP_ENCLOSE_H

#include "base/error.h"
#include "format/real.h"
#include "op/function/interval.h"

#include <arb.h>

/* Encloses the value that is asked for in y, at the precision of y. The value is neither end. */
typedef void enclose_function(void *asked, struct interval *y);

/* Bits that an enclosure has at most. */
enum { ENCLOSE_MOST_BITS = 1 << 16 };

/* The loop: encloses at `bits` bits and more in y, until all between its ends truncates to the same bits. Then
 * `truncated` has these; `scratch` has its precision. False where ENCLOSE_MOST_BITS do not tell. */
bool enclose_from(enclose_function *function, void *asked, mpfr_prec_t bits, long limit,
                  struct interval *y, mpfr_ptr truncated, mpfr_ptr scratch);

/* The value, truncated to `precision` bits; beyond 2^limit and below 2^-limit its size is enough. False with an
 * error, which names `what`, where ENCLOSE_MOST_BITS do not tell. */
bool enclose(enclose_function *function, void *asked, int precision, long limit, const char *what,
             struct real *value, struct error *error);

/* Encloses (base + rest) / divisor. `sign` is that of the rest, which is not 0 however near it lies: so a
 * base of few bits becomes an end of the interval, which the value does not reach. 0: nobody knows the sign. */
void enclose_beside(struct interval *y, const arf_t base, const arb_t rest, int sign,
                    const arf_t divisor);

/* a / b, truncated to `precision` bits. */
struct real quotient_of(const arf_t a, const arf_t b, int precision);

/* x becomes its root, if that is a binary fraction; whether it is. */
bool arf_take_root(arf_t x);

void arf_set_real(arf_t y, const struct real *x); /* a finite one */

#endif

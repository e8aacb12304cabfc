/* Which exceptions an operation raises, as its row says it: what the standards ask of all operations
 * is in oracle/flags.h, and here is in what they differ. Sources: IEEE 754-2019 and C23 (Annex F). */
#ifndef DETCHECK_OP_EXCEPTIONS_H
#define DETCHECK_OP_EXCEPTIONS_H

#include "format/flags.h"
#include "format/real.h"

#include <stdbool.h>

enum exception_rule {
    /* A function of <math.h> that IEEE 754 does not define, or one of 9.2. Overflow, and underflow
     * where a tiny result is inexact (F.10). Inexact is left open (F.10); underflow, too, where the
     * result is a subnormal number and exact: "undeserved" there, and what it costs to know better
     * the standard does not ask for. */
    EXCEPTIONS_OF_FUNCTION,
    /* An operation of IEEE 754, section 5: each exception if and only if section 7 says so. */
    EXCEPTIONS_OF_IEEE,
    /* Its result is a number of the format by definition (but for some narrow ones, where rounding
     * raises what it raises), so that it raises neither overflow nor underflow nor inexact: floor
     * and others that round to integers (IEEE 754, 5.3.1, 5.9; F.10.6, where C17 still let them raise
     * inexact), logb (5.3.3), fmod, remainder and remquo (5.3.1; F.10.7). */
    EXCEPTIONS_OF_EXACT,
    /* The same, and neither divide-by-zero nor invalid without a signalling NaN: the lesser of two
     * (IEEE 754, 9.6), frexp and modf (F.10.3), nextup and nextdown (5.3.1). */
    EXCEPTIONS_OF_QUIET,
    /* As exact, and inexact where the integer is not the operand (IEEE 754, 5.9, F.10.6.4: rint;
     * 5.8, F.10.6.5: lrint, llrint). */
    EXCEPTIONS_OF_RINT,
    /* As rint, but inexact is left open (F.10.6.7: lround, llround). */
    EXCEPTIONS_OF_LROUND,
    /* nextafter (F.10.8.3): overflow and inexact where a finite operand becomes infinite; underflow
     * and inexact where the result is subnormal or zero and the operands differ. */
    EXCEPTIONS_OF_NEXTAFTER
};

/* Flags that these operands may raise or not, besides what the rule leaves open. */
typedef uint8_t open_flags_function(const struct real *x);

/* Whether these operands, of which one is a quiet NaN, are a domain error all the same: invalid, as if
 * no operand were one. Of most operations none are (IEEE 754, 6.2.3). */
typedef bool nan_domain_function(const struct real *x);

#endif

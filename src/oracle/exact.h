/* The truth: the exact result of an operation, from MPFR, and from Arb where a row names it.
 *
 * MPFR computes each function once, truncated to `precision` bits, and says whether anything
 * follows. That decides the correct rounding to any format in any direction with nothing left to
 * prove, subnormal results and overflow included, because rounding itself is format_encode's.
 *
 * Where the row has a ball (op/function/ball.h), Arb encloses the result first, but where it has
 * just left results open in a row. A ball that lies strictly between two neighbouring numbers of
 * `precision` bits says as much as MPFR's truncated value and "something follows", with nothing
 * assumed of the function: an exact result keeps every ball that holds it from doing so. What a
 * ball leaves open is MPFR's, as before. */
#ifndef DETCHECK_ORACLE_EXACT_H
#define DETCHECK_ORACLE_EXACT_H

#include "base/error.h"
#include "format/format.h"
#include "op/function/arb_rule.h"
#include "op/operation.h"
#include "oracle/closing.h"

/* Bits beyond the format's precision, so that a ulp error is known to 2^-24 ulp at least. */
enum { ORACLE_GUARD_BITS = 24, ORACLE_MOST_BITS = 120 };

/* An error reckoned from a result of that many guard bits lies within this of the true one, in
 * ulps. */
#define ORACLE_SLACK 0x1p-23

/* The precision that a sweep in `format` works at. */
static inline int oracle_precision(const struct format *format) {
    return format->precision + ORACLE_GUARD_BITS;
}

/* Of functions that have a ball. */
enum { BALL_OPERANDS = 2 };

struct formula_oracle;

/* One thread's oracle for one operation; MPFR numbers inside. */
struct oracle {
    const struct operation *operation;
    const struct format *format;       /* of the operands, maybe a compound */
    int precision;                     /* bits of the result */
    enum rounding rounding;            /* that rint goes by: nearest-even, unless it is set */
    struct real decoded[MAX_OPERANDS]; /* the operands of the latest input */
    mpfr_t operand[MAX_OPERANDS];
    mpfr_t result;
    mpfr_t outer_end;                               /* of a bracket or ball, truncated */
    struct interval intervals[1 + BRACKET_SCRATCH]; /* the first is the enclosure */
    arb_t ball_operand[BALL_OPERANDS], ball;
    struct ball_closing closing;
    int open_balls;           /* how often in a row Arb left the result open, to MOST_OPEN_BALLS */
    int balls_to_pass;        /* inputs that are not asked of Arb, for what it left open */
    bool by_mpfr;             /* set to have MPFR alone decide */
    bool is_divided;          /* by --result-scale: */
    struct real result_scale; /* its number */
    struct oracle *undivided; /* of the result before; NULL too where memory was out */
    struct formula_oracle *formula; /* of an operation that is one; NULL too where memory was out */
};

/* Sets up the calling thread's MPFR (its exponent range too) for `oracle`. It reads one parameter, --result-scale;
 * `parameters` may be NULL. */
void oracle_open(struct oracle *oracle, const struct operation *operation,
                 const struct format *format, const struct parameters *parameters, int precision);
void oracle_close(struct oracle *oracle);

/* Sets the calling thread's MPFR, for work without a struct oracle. */
void oracle_thread_begin(void);

/* Frees what MPFR caches in the calling thread. Once, at the end of the thread's work. */
void oracle_thread_end(void);

/* Result number `result` of the operation at the operands' codes; the oracle's precision must not
 * exceed ORACLE_MOST_BITS. False only where a bracket
 * (op/operation.h) did not close within ENCLOSE_MOST_BITS bits (op/enclose.h): an error, never a guess. */
bool oracle_exact(struct oracle *oracle, const uint64_t *codes, int result, struct real *y,
                  struct error *error);

/* The same in decimal: all of it where it is known to have at most `digits` significant digits;
 * otherwise truncated to them, and "..." behind. For an oracle whose precision is at least 4 bits a digit. */
bool oracle_text(struct oracle *oracle, const uint64_t *codes, int result, int digits, char *text,
                 size_t room, struct error *error);

#endif

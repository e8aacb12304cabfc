/* What somebody promised of an operation, and what a sweep found of that.
 *
 * A promise is a list of pieces. The first piece whose ranges and classes hold an input says what its
 * output may be; an input that no piece holds is left out. Beside that, a promise accepts some outputs
 * whatever the pieces say: flushed subnormal numbers, and anything where a result is undefined.
 *
 * The limit of an error is in ulps. An absolute one, and what a formula gives (inherit.h), is divided by
 * ulp(y), and a relative one is multiplied by |y| / ulp(y); where a piece has several, the largest counts.
 * detcheck-promises(7) has the whole definition. */
#ifndef DETCHECK_SWEEP_PROMISE_PROMISE_H
#define DETCHECK_SWEEP_PROMISE_PROMISE_H

#include "format/format.h"
#include "sweep/promise/expression.h"
#include "sweep/tally.h"

enum promise_kind {
    PROMISE_ERROR, /* `ulp`, `absolute`, `relative`, `inherited` */
    PROMISE_CORRECTLY_ROUNDED,
    PROMISE_FAITHFUL,
    PROMISE_ANYTHING,  /* nothing is promised: the inputs are left out */
    PROMISE_SAME_BITS, /* as another implementation of the sweep; any NaN for NaN */
    PROMISE_KINDS
};
extern const char *const promise_kind_names[PROMISE_KINDS];

/* The names of number_class (format/format.h), and how many there are. */
enum { NUMBER_CLASSES = CLASS_NAN + 1, ALL_CLASSES = (1 << NUMBER_CLASSES) - 1 };
extern const char *const promise_class_names[NUMBER_CLASSES];

struct promise_piece {
    bool has_range[MAX_OPERANDS];
    struct span_of_values range[MAX_OPERANDS]; /* both ends belong to it; no NaN does */
    unsigned classes; /* of operands, bits by number_class; all operands must be of one of them */
    enum promise_kind kind;
    bool has_ulp, has_absolute, has_relative;
    struct expression ulp, absolute, relative;
    const struct expression *inherited; /* the formula whose errors are allowed too, or NULL */
    /* PROMISE_SAME_BITS: the implementation's name, and its place in the sweep's request. */
    const char *reference;
    size_t reference_at;
};

/* What is accepted whatever the pieces say, as bits. */
enum promise_acceptance {
    ACCEPT_FLUSHED_INPUTS,  /* what a zero of either sign in a subnormal operand's place may give */
    ACCEPT_FLUSHED_RESULTS, /* a zero where a number that is allowed is subnormal */
    ACCEPT_UNDEFINED_NAN,   /* anything where an operand or the right result is NaN */
    ACCEPT_UNDEFINED_INFINITY, /* likewise */
    ACCEPT_ZERO_SIGN,          /* a zero of the wrong sign */
    ACCEPT_FLUSHED_ULPS, /* an error in ulps within the limit where all subnormal numbers count as one zero */
    PROMISE_ACCEPTANCES
};
extern const char *const promise_acceptance_names[PROMISE_ACCEPTANCES];

/* What a policy promises of an operation of a formula. */
struct promise;
struct inherited_promise {
    const struct operation *operation;
    const struct promise *promise;
};

struct promise {
    struct promise_piece *pieces;
    size_t piece_count;
    unsigned accepted;   /* bits by promise_acceptance */
    const char *source;  /* the policy's name */
    const char *section; /* where the promise stands, or "" */
    const char *text;    /* the promise as the policy has it */
    int rule;            /* its number in the policy */
    uint64_t most; /* violations that are allowed; UINT64_MAX where shares are limited instead */
    const struct inherited_promise
        *inherited; /* of all operations of its formulas, and of theirs */
    size_t inherited_count;
};

/* An input: its codes, and the operands' values, as intervals of one number each. */
struct promise_input {
    const struct format *format;
    int operands;
    const uint64_t *codes;
    struct span_of_values values[MAX_OPERANDS];
};
struct promise_input promise_input_of(const struct format *format, int operands,
                                      const uint64_t *codes);

/* The piece that holds the input; NULL where none does. */
const struct promise_piece *promise_piece_of(const struct promise *promise,
                                             const struct promise_input *input);

/* The piece that holds the inputs between two, whose codes follow one another in the last operand and
 * are the same in the others; *uniform says whether it holds all, or none does. */
const struct promise_piece *promise_piece_between(const struct promise *promise,
                                                  const struct promise_input *first,
                                                  const struct promise_input *last, bool *uniform);

/* What is known of the exact results y of some inputs: between which numbers the exponent of ulp(y) lies,
 * and |y| / ulp(y), which is `size`; all 0 where no absolute and no relative limit is asked for. */
struct ulp_exponents {
    int low, high;
    struct span_of_values size;
};

/* The limit of an error without what is inherited, from the least to the largest that it may be: in ulps,
 * for operands in those intervals and results as `ulp` says. No less than 0. */
struct span_of_values promise_limit(const struct promise_piece *piece,
                                    const struct span_of_values *operands,
                                    struct ulp_exponents ulp);

/* Of y itself, and of all y within `reach` numbers of those from `least` to `most`, which are
 * codes without a sign. What is off by less than four ulps lies within FAR_NUMBERS numbers. */
enum { FAR_NUMBERS = 8 };
struct ulp_exponents promise_ulp_of(const struct format *format, const struct real *y);
struct ulp_exponents promise_ulp_between(const struct format *format, uint64_t least, uint64_t most,
                                         uint64_t reach);

/* The excess of an error over a limit, as it ranks: their quotient, cut to 12 bits, infinite where
 * there is nothing to divide. */
double promise_excess(double error, double limit);

/* Keeps the worst violation: the largest excess, then the first input. */
bool promise_is_worse(const void *unused, const void *one, const void *other);
void promise_tally_offer(struct promise_tally *tally, const struct promise_violation *violation);

#endif

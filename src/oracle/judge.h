/* What is wrong with an output, given the truth (ARCHITECTURE.md, "The error in ulps"). */
#ifndef DETCHECK_ORACLE_JUDGE_H
#define DETCHECK_ORACLE_JUDGE_H

#include "format/format.h"

enum verdict {
    VERDICT_CORRECT,       /* the correctly rounded bits; NaN for NaN */
    VERDICT_INCORRECT,     /* another number: see the error */
    VERDICT_SIGN_MISMATCH, /* zero of the wrong sign */
    VERDICT_NAN_MISMATCH   /* NaN where there should be none, or the reverse */
};

struct judgement {
    enum verdict verdict;
    bool in_ulps;         /* `error` is meaningful: no NaN involved, no zero of the wrong sign */
    bool faithful;        /* one of the two neighbours of the exact value, or that value itself */
    bool nan_bits_differ; /* NaN for NaN, with other bits than the canonical ones */
    bool below;           /* where `in_ulps`: the output is less than the exact value */
    double error;         /* in ulps, rounded to odd; at most DBL_MAX */
};

/* Whether the first of two answers to one input is the worse one. By verdict: right, another number, a zero of the
 * wrong sign, NaN or none; then by error. */
static inline bool judgement_is_worse(const struct judgement *first,
                                      const struct judgement *second) {
    return first->verdict != second->verdict ? first->verdict > second->verdict
                                             : first->error > second->error;
}

/* What a run holds outputs against. */
struct judge {
    const struct format *format;
    enum rounding rounding;
    enum overflow overflow;
    bool strict_nan; /* NaN with other bits than the canonical ones is a mismatch */
};

/* Judges output `got` where `y` is the exact value and `want` its correct rounding
 * (format_encode(format, y, rounding, overflow)). */
struct judgement judge_output(const struct judge *judge, const struct real *y, uint64_t want,
                              uint64_t got);

/* The same where rules of the operation set `want` (op/array.h, want), if `by_rule`: that result
 * has error 0. */
struct judgement judge_by_rule(const struct judge *judge, const struct real *y, uint64_t want,
                               bool by_rule, uint64_t got);

/* |got - y| / ulp(y), by the rules of ARCHITECTURE.md, "The error in ulps"; neither may be NaN. An
 * infinite `got` stands for 2^(emax+1), and |y| is at most that. Rounded to odd: 53 bits, the last of which is set
 * when more follow, so that comparing it with a number of fewer bits (0.5, 1, a bucket's edge)
 * gives the answer of the exact error; at least 2^-1022 where it is not 0. Good to what `y` holds:
 * 2^-24 ulp where the oracle works with its usual precision. */
double ulp_error(const struct format *format, const struct real *y, uint64_t got);

/* The same where all numbers below the smallest normal one count as one zero, which lies an ulp below
 * that: 0 of two such numbers, and the distance without the subnormal numbers that lie between, for
 * `got` and y neither of which is NaN. As exact as ulp_error. */
double flushed_ulp_error(const struct format *format, const struct real *y, uint64_t got);

#endif

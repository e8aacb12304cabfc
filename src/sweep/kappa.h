/* Kappa: how many values an approximate implementation is off, by section 4.4 of the interim report 4.0 of IEEE
 * P3109, a draft. Of every input there is. */
#ifndef DETCHECK_SWEEP_KAPPA_H
#define DETCHECK_SWEEP_KAPPA_H

#include "impl/implementation.h"

/* Greater than any number of values: an infinity where there should be none, or the reverse; and the same of NaN. */
#define KAPPA_INFINITE (UINT64_MAX - 1)
#define KAPPA_NAN      UINT64_MAX

/* The bits of all operands of an input together; the intervals of the first operand that a result lists. */
enum { KAPPA_MOST_BITS = 26, KAPPA_INTERVALS = 256 };

/* First operands from one number to another, both of them in it, and the largest kappa there. */
struct kappa_interval {
    uint64_t low, high; /* codes */
    uint64_t kappa;
};

struct kappa_result {
    uint64_t kappa, inputs;
    /* An input with it, where kappa is not 0. */
    uint64_t input[MAX_OPERANDS], got, want;
    /* In order, of all numbers; as many as kappa needs to be the same in each, up to KAPPA_INTERVALS. */
    struct kappa_interval intervals[KAPPA_INTERVALS];
    size_t count;
};

/* Values between two outputs, one of them counted (4.4). */
uint64_t kappa_of(const struct format *format, uint64_t got, uint64_t want);

/* Of an operation on numbers: the largest of its results. An error where there are too many inputs, where the
 * implementation does not provide the operation, or where an input has no answer. */
bool kappa_measure(const struct binding_request *computed,
                   const struct implementation *implementation, struct kappa_result *result,
                   struct error *error);

#endif

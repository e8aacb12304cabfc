/* What the exact result of an input is by every rounding that a hypothesis asks about. */
#ifndef DETCHECK_EXPLAIN_TRUTH_H
#define DETCHECK_EXPLAIN_TRUTH_H

#include "explain/roundings.h"
#include "impl/implementation.h"
#include "op/conversion.h"
#include "oracle/exact.h"
#include "oracle/fast/filter.h"
#include "sweep/domain.h"

/* Where fp64 rounds the results of a block of the fast oracle next to an asymptote to: to the line
 * itself, or to numbers beside it. */
enum by_fp64 { BY_FP64_OPEN, BY_FP64_ON_LINE, BY_FP64_BESIDE };

/* The latest such block, and what was found of it. */
struct settled {
    bool known;
    uint64_t fixed[MAX_OPERANDS], first;
    int log2_count;
    enum by_fp64 by_fp64;
};

/* One thread's oracles for one result. */
struct truth {
    const struct binding_request *computed;
    const struct format *format; /* of the result */
    int result;
    struct oracle oracle;
    struct oracle undivided; /* of the result before it is divided, where the oracle divides it */
    struct filter *filter;   /* NULL where MPFR says everything */
    struct settled settled;
    bool cuts;     /* rows are asked about bits behind the last place (explain/hypothesis.c) */
    bool fuses;    /* of fma its steps are asked about, too */
    bool converts; /* of a conversion there is no other truth than that of what is asked for: */
    struct cast cast;
    uint64_t random, index;
};

/* In the thread that will ask. The filter serves inputs that are consecutive. */
void truth_open(struct truth *truth, const struct binding_request *computed, int result,
                const struct domain *domain);
void truth_close(struct truth *truth);

/* What comes next is input number `index` of the domain, which may have random bits of its own. */
void truth_place(struct truth *truth, uint64_t index);

/* The codes for one input; NaNs are canonical. False, with an error, where the oracle has none. */
bool truth_at(struct truth *truth, const uint64_t *input, uint64_t codes[TRUTH_CODES],
              struct error *error);

#endif

/* How long implementations take for one operation in fp32, beside their largest errors: all of them
 * in one run, interleaved, on the same inputs, so that the ratios mean something on a machine whose
 * clock does not. One thread. */
#ifndef DETCHECK_BENCH_BENCH_H
#define DETCHECK_BENCH_BENCH_H

#include "bench/rounds.h"
#include "impl/implementation.h"

/* Functions that are called one number at a time take 2^16 numbers, or as many as arrays have if those are longer: a processor
 * would learn which way each of a few thousand takes at every branch. */
enum { BENCH_ROWS = 64, BENCH_MOST_ELEMENTS = 1 << 22, BENCH_NUMBERS = 1 << 16 };

struct bench_request {
    const struct operation *operation;
    const struct format *format;            /* fp32 or fp64 */
    struct implementation *implementations; /* those that do not provide it are left out */
    size_t implementation_count;
    size_t elements;  /* of the arrays: 1 to BENCH_MOST_ELEMENTS */
    int rounds;       /* 1 to BENCH_MOST_ROUNDS; medians over them */
    double low, high; /* inputs are drawn evenly from here; those without a finite result are not
                         taken */
    bool exhaustive;  /* errors over all inputs of fp32; else over 2^26, or 2^24 pairs, or over as
                         many as are judged in `seconds` */
    /* Of functions of one operand in fp32, where they are given: errors over inputs from here, all of
     * them or 2^22. */
    bool has_errors;
    double errors_low, errors_high;
    int threads; /* for the errors */
    double
        seconds; /* that each thread's processor may work for the rounds, and again for the errors */
};

struct bench_row {
    const char *name; /* as the user wrote it; it stays for good */
    const char *form; /* "array" or "scalar" */
    char detail[256];
    double nanoseconds; /* an element */
    double speed;       /* the reference's time over this one's, median over the rounds */
    /* Of array forms but det's and cr's: the time of det's over this one's, median over the rounds,
     * of SVML's correctly rounded ones that of cr's; 0 where that is not timed. */
    double ratio;
    double largest_error;  /* in ulps; of operations on numbers */
    uint64_t error_inputs; /* that were looked at for it; 0: none in that time */
};

struct bench_outcome {
    size_t row_count,
        reference; /* the row that speeds refer to: libm's, of arrays that of a plain loop
                                    or a copy; or else the first */
    struct bench_row rows[BENCH_ROWS];
    int rounds;        /* fewer than were asked for where they take too long */
    bool has_errors;   /* of operations on numbers */
    uint64_t too_many; /* inputs for the largest errors, which took too long; 0: none */
};

/* Whether it is cr's time that the row of that name is held against, and not det's. */
bool bench_is_beside_cr(const char *name);

/* False with an error when nothing provides the operation, or no input has a finite result. */
bool bench_run(const struct bench_request *request, struct bench_outcome *outcome,
               struct error *error);

#endif

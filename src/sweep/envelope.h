/* The envelope of the signed error: for steps of as many codes of the first operand each, how far
 * outputs lie below and above the exact result, how many are not right, and which is the worst.
 *
 * Steps are runs of 2^log2_codes codes whose first is a multiple of that. So the steps of a part of the
 * inputs are steps of the whole, or lie in one: parts merge, whatever they were parts of.
 *
 * Errors are rounded away from 0, to multiples of 2^-10 ulp, and to 13 bits where that is coarser; those
 * of at most 2^-20 ulp count as 0, and those from 2^1013 ulp on as that. A fast judge tells nearly all of them so. */
#ifndef DETCHECK_SWEEP_ENVELOPE_H
#define DETCHECK_SWEEP_ENVELOPE_H

#include "sweep/domain.h"

/* At least so many steps, where there are as many codes; fewer than twice as many, but for ends of runs. */
enum { ENVELOPE_STEPS_LOG2 = 11, ENVELOPE_RUNS = 4 };
#define ENVELOPE_UNIT 0x1p-10 /* in ulps */

struct envelope_step {
    uint64_t tested, incorrect; /* a NaN where there should be none, and the reverse, too */
    bool has_error;             /* of an output in ulps; only then: */
    double least, largest;      /* (got - y) / ulp(y), rounded as said */
    uint64_t worst;             /* the first code with the larger of both in magnitude */
};

/* Steps that follow one another. */
struct envelope_run {
    uint64_t first_step; /* the number of a step is its first code divided by 2^log2_codes */
    size_t before;       /* steps of earlier runs */
};

struct envelope {
    bool partly; /* the inputs are no ranges: of a step need not all have been tested */
    int log2_codes;
    unsigned run_count;
    struct envelope_run runs[ENVELOPE_RUNS];
    size_t step_count;
    struct envelope_step *steps; /* NULL: nobody asked for one */
};

/* So rounded; the largest error of right outputs, 0.5 or 1, stays what it is. */
double envelope_rounded(double error);

/* Errors from this up to `size` may be the same as `size` once rounded; less ones are not. */
double envelope_least_alike(double size);

/* Whether there is an envelope, and two errors of one sign are not the same to it. */
bool envelope_tells_apart(const struct envelope *envelope, double a, double b);

/* By how many codes steps are told apart, of so many codes (0: 2^64). */
int envelope_log2_codes(uint64_t codes);

/* The steps of a domain of one operand: those of its ranges, or from its first code to its last of either
 * sign. False: out of memory. */
bool envelope_open(struct envelope *envelope, const struct domain *domain);
void envelope_close(struct envelope *envelope);

/* How many steps a run has. */
uint64_t envelope_run_steps(const struct envelope *envelope, unsigned run);

/* The step of a code of the domain. */
struct envelope_step *envelope_step_of(const struct envelope *envelope, uint64_t code);

/* An error that lies between two numbers that are rounded alike. */
void envelope_step_add(struct envelope_step *step, uint64_t code, double error);

/* Whether an error that lies between these two could change a step. */
bool envelope_step_could_change(const struct envelope_step *step, uint64_t code, double low,
                                double high);

/* Adds what was found of other inputs of the step. */
void envelope_step_merge(struct envelope_step *mine, const struct envelope_step *theirs);

/* Adds what was found of the same steps. */
void envelope_merge(struct envelope *envelope, const struct envelope *other);

#endif

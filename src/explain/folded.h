/* Calls whose operands a compiler knows: the constants that it puts in their place, beside what the same calls give when
 * the program runs.
 *
 * A C file has each call twice: with operands that are literals, and as a function of operands that nobody knows before
 * it runs. GCC and clang say by __builtin_constant_p whether they have computed a result. Only such calls are compared. */
#ifndef DETCHECK_EXPLAIN_FOLDED_H
#define DETCHECK_EXPLAIN_FOLDED_H

#include "explain/pass.h"

#include <stdio.h>

/* Calls of one file: so many take a compiler seconds. */
enum { FOLDED_MOST = 4096 };

/* The functions of the file, with the operation's operands: what the compiler computed, or the call itself where an input is
 * not among the file's; 1 where it computed it, else 0; and the call. */
#define FOLDED_CONSTANT "folded"
#define FOLDED_TELLS    "is_folded"
#define FOLDED_CALL     "at_run_time"

/* An input for which the two differ. */
struct folded_difference {
    struct difference at; /* A is the constant, B the call */
    uint64_t want;
    bool right[2], in_ulps[2];
    double error[2]; /* where `in_ulps` */
};

/* One of the two, over all calls that were folded. */
struct folded_side {
    uint64_t wrong; /* not correctly rounded: another number, zero of the wrong sign, NaN or none */
    bool has_worst; /* an output with an error in ulps */
    double error;   /* the largest */
    uint64_t input[MAX_OPERANDS], got, want; /* there; of equal ones the first */
};

struct folded {
    const char *command;
    uint64_t calls, folded; /* of which the compiler folded so many */
    struct folded_side sides[2];
    struct folded_difference *differences; /* but those of the bits of NaN */
    size_t count;
};

/* Whether C has such calls; else an error that says why not. */
bool folded_can(const struct binding_request *computed, struct error *error);

/* Up to 256 special inputs, 256 built next to where rounding changes where there are such, and 256 drawn. */
bool folded_inputs(struct domain *domain, const struct binding_request *computed,
                   struct error *error);

/* At most FOLDED_MOST of a domain, spread evenly; NaN is the canonical one, whose literal C has. */
bool folded_thin(struct domain *domain, const struct binding_request *computed,
                 struct error *error);

/* The C file. */
void folded_write(FILE *stream, const struct binding_request *computed,
                  const struct domain *domain);

/* Leaves in the domain what the compiler folded, as `tells` says, FOLDED_TELLS of the library that it made. An error where that
 * is nothing, or where the library does not answer. */
bool folded_keep(struct folded *folded, struct domain *domain, const struct implementation *tells,
                 const struct binding_request *computed, struct error *error);

/* Judges both sides of the request by the oracle, and lists where they differ. */
bool folded_judge(struct folded *folded, const struct explain_request *request,
                  struct error *error);
void folded_free(struct folded *folded);

#endif

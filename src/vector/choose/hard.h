/* Hard cases: the inputs whose exact result lies nearest to where its rounding changes, in ulps of
 * the result (oracle/boundary.h).
 *
 * Of functions of one operand in fp32, fp16 and bf16 with a fast oracle, all inputs are searched:
 * the oracle's polynomials give the distance of each within a proved bound, and whatever may be
 * among the nearest is measured by MPFR, so the outcome is exact and depends on nothing but the
 * operation. Where there are no more than 2^16 inputs MPFR measures all. Elsewhere (fp64, several
 * operands of more than 8 bits, no fast oracle) 2^16 seeded draws (few of jn and yn) are searched, and inputs that a
 * file has (rules.hard): a longer search has found them, as `detcheck search --for boundary` does.
 *
 * Where a function runs along a line too closely to be told from it (op/function/asymptote.h; silu(x)
 * just above x/2), nearness is no feat, and neighbours are all alike: of those at most HARD_ASYMPTOTE
 * are taken. */
#ifndef DETCHECK_VECTOR_CHOOSE_HARD_H
#define DETCHECK_VECTOR_CHOOSE_HARD_H

#include "sweep/domain.h"
#include "vector/choose/choose.h"

enum { HARD_ASYMPTOTE = 8, HARD_DRAWS = 1 << 16, HARD_FEW_DRAWS = 1 << 10 };

/* How many draws are searched where not all inputs are: few of jn and yn, whose exact results take as many steps as
 * their orders. */
uint64_t hard_draws_of(const struct binding_request *computed);

/* Which of these a search is; for what is said of a file. */
enum hard_search { HARD_ALL, HARD_SAMPLED };
enum hard_search hard_search_of(const struct binding_request *computed);

/* Reads the inputs of the rules' file, if there is one, whatever the search is: where all inputs are
 * searched, these change nothing. Free them in any case. */
bool hard_read(struct domain *given, const struct binding_request *computed,
               const struct choice_rules *rules, struct error *error);

/* Adds the rules.count hardest inputs, of which some may be among those given. */
bool hard_inputs(struct vector_choices *choices, const struct binding_request *computed,
                 const struct choice_rules *rules, const struct domain *given, struct error *error);

/* The least boundary_distance of the results at the operands. `oracle` is open at ORACLE_MOST_BITS. False in *measured where no
 * result is a number within the format's range. */
struct oracle;
bool hard_distance(struct oracle *oracle, const struct binding_request *computed,
                   const uint64_t *codes, double *distance, bool *measured, struct error *error);

/* Below: between hard.c and hard_fast.c. */

/* Inputs that may be among the nearest, with an enclosure of the distance. */
struct hard_candidate {
    double least, most;
    uint64_t code;
};

struct hard_candidates {
    size_t keep;
    struct hard_candidate *items;
    size_t count, capacity;
    double limit; /* what lies farther is of no interest; tightened to what `keep` inputs have */
};

/* Adds one that may belong to the nearest `keep`; false when there is no memory. */
bool hard_add(struct hard_candidates *candidates, const struct hard_candidate *candidate);

/* Drops those that `keep` others lie before for certain. */
void hard_shrink(struct hard_candidates *candidates);

/* Searches the codes first..last, a run of whole blocks, by the filter of one result of a function
 * of one operand; `asymptote` collects those that lie in asymptotes, unmeasured. */
struct filter;
bool hard_scan(struct filter *filter, const struct binding_request *computed, uint64_t first,
               uint64_t last, struct hard_candidates *candidates, struct hard_candidates *asymptote,
               struct error *error);

#endif

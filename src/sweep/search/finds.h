/* What a search keeps: the worst inputs of all and of each binade, and strange ones. */
#ifndef DETCHECK_SWEEP_SEARCH_FINDS_H
#define DETCHECK_SWEEP_SEARCH_FINDS_H

#include "sweep/checkpoint/serialise.h"
#include "sweep/search/probe.h"

enum { FINDS_STRANGE = 64, FINDS_ALLOWED = 8, FINDS_OF_FAULT = 4 };
enum { FINDS_FAULTY = FAULT_KINDS * FINDS_OF_FAULT };

struct finds {
    const struct search_request *request;
    size_t best_count; /* of the part under way */
    struct found_input best[SEARCH_BEST];
    size_t binade_count;
    struct found_input *binades; /* of the part under way, by sign and exponent of operand 1 */
    bool *has_binade;
    size_t strange_count;
    uint64_t strange[FINDS_STRANGE][MAX_OPERANDS];
    size_t faulty_count; /* of the part under way */
    struct found_fault faulty[FINDS_FAULTY];
    size_t allowed_count; /* of the part under way: the largest errors that are allowed */
    struct found_input allowed[FINDS_ALLOWED];
    uint64_t *tuples; /* of the parts that have ended */
    size_t tuple_count, tuple_capacity;
    size_t allowed_tuples; /* of them */
};

bool finds_open(struct finds *finds, const struct search_request *request);
void finds_close(struct finds *finds);
void finds_add(struct finds *finds, const struct probe_result *result);

/* After a round: notes in the part what is new of the best. */
void finds_grow(const struct finds *finds, struct search_part *part);

/* What a checkpoint has of them, written or read. */
void finds_pass(struct finds *finds, struct serialiser *serialiser);

/* At the end of a part: the best go into it, and all that there are are kept for the domain. False
 * without memory. */
bool finds_end(struct finds *finds, struct search_part *part);

/* All that was found; or, where nothing was, one input of those that were to be searched. */
bool finds_to_domain(struct finds *finds, struct search_record *record, struct domain *domain,
                     struct error *error);

#endif

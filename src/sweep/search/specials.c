/* Which special inputs there are, and with which a search begins. */
#include "sweep/search/specials.h"

#include "sweep/integers.h"
#include "sweep/search/box.h"

#include <stdlib.h>
#include <string.h>

/* Special inputs that a search begins with, and all that it tries: taken evenly from those that there are where these are more. */
enum { AT_FIRST = 8192, MOST = 1 << 16 };

/* Fills the product, which is empty before, of the sets that `make` makes. */
static bool make_product(struct domain *product, code_set_maker *make,
                         const struct search_request *request, struct error *error) {
    const struct operation *operation = request->sweep->computed.operation;
    const struct format *format = request->sweep->computed.format;
    struct code_set sets[MAX_OPERANDS] = {{0}};
    size_t set_count = 1;
    if (code_sets_make(sets, &set_count, make, operation, format, error) &&
        code_sets_keep_calls(sets, &set_count, operation, format, error))
        return domain_product(product, DOMAIN_SPECIAL, format, operation->operands, sets, set_count,
                              error);
    for (int i = 0; i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
    return false;
}

/* The i-th of `taken` that lie evenly among `count`. */
static uint64_t evenly(uint64_t count, uint64_t taken, uint64_t i) {
    return count / taken * i + count % taken * i / taken;
}

/* Takes those that come first, or the others. */
static bool take_tuples(struct domain *taken, const struct domain *all, const struct domain *exact,
                        const struct search_request *request, bool takes_first,
                        struct error *error) {
    const int operands = all->operands;
    const uint64_t count = all->count < MOST ? all->count : MOST,
                   sampled = count < AT_FIRST ? count : AT_FIRST;
    uint64_t *tuples = malloc((size_t)count * (size_t)operands * sizeof *tuples);
    uint64_t next = 0;
    size_t kept = 0;
    if (!tuples)
        return error_set(error, "out of memory for the search");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t codes[MAX_OPERANDS];
        const bool is_sampled = next < sampled && evenly(count, sampled, next) == i;
        next += is_sampled;
        domain_codes_at(all, evenly(all->count, count, i), codes);
        const bool is_first = is_sampled || sets_have(exact->sets, operands, codes);
        if (is_first == takes_first && sets_have(request->sets, operands, codes))
            memcpy(tuples + (size_t)operands * kept++, codes, (size_t)operands * sizeof *codes);
    }
    domain_tuples(taken, request->sweep->computed.format, operands, tuples, kept);
    return true;
}

bool specials_make(struct specials *specials, const struct search_request *request,
                   struct error *error) {
    struct domain all = {0}, exact = {0};
    const bool made = make_product(&all, code_set_landmarks, request, error) &&
                      make_product(&exact, code_set_exact_landmarks, request, error) &&
                      take_tuples(&specials->first, &all, &exact, request, true, error) &&
                      take_tuples(&specials->later, &all, &exact, request, false, error);
    domain_free(&all);
    domain_free(&exact);
    return made;
}

void specials_free(struct specials *specials) {
    domain_free(&specials->first);
    domain_free(&specials->later);
}

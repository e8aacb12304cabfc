/* What a sweep leaves behind. */
#include "sweep/search/search.h"
#include "sweep/sweep.h"

#include <stdlib.h>

void sweep_outcome_free(struct sweep_outcome *outcome) {
    for (size_t i = 0; outcome->implementations && i < outcome->implementation_count; i++) {
        kappa_close(&outcome->implementations[i].kappas);
        for (int j = 0; j < MAX_RESULTS; j++) {
            tally_close(&outcome->implementations[i].tallies[j]);
            free(outcome->implementations[i].groups[j]);
        }
    }
    free(outcome->implementations);
    free(outcome->pairs);
    *outcome = (struct sweep_outcome){0};
}

uint64_t sweep_tried(const struct sweep_request *request, const struct sweep_outcome *outcome) {
    const struct search_record *search = request->domain->search;
    return search ? search->evaluations : outcome->covered;
}

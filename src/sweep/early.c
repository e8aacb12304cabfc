/* Looks at one thread's tallies now and then. */
#include "sweep/early.h"

#include <omp.h>
#include <string.h>

/* Seconds before the first look, and between two; the share of outputs that is worth a word: of arrays
 * more, since sums lose many ulps where their terms cancel. */
#define LOOK_AFTER 2.0
enum { LEAST_SHARE = 16, LEAST_SHARE_OF_ARRAYS = 2 };

void early_begin(struct early *early) {
    *early = (struct early){.last = omp_get_wtime()};
}

/* Outputs that are off by more than EARLY_ULPS, NaN where there should be none or the reverse, or
 * zeros of the wrong sign. */
static uint64_t count_bad(const struct tally *tally) {
    uint64_t bad = tally->nan_mismatches + tally->sign_mismatches;
    for (int i = 0; i < HISTOGRAM_EDGES; i++)
        if (histogram_edges[i] >= EARLY_ULPS)
            bad += tally->histogram[i + 1];
    return bad;
}

static void look_at(struct early *early, const struct worker *worker, size_t implementation) {
    const struct sweep_request *request = worker->request;
    const struct tally *tallies = &worker->tallies[implementation * MAX_RESULTS], *worst = tallies;
    for (int i = 1; i < request->computed.operation->results; i++)
        if (count_bad(&tallies[i]) > count_bad(worst))
            worst = &tallies[i];
    uint64_t bad = count_bad(worst), tested = worst->tested;
    uint64_t fresh = tested - early->implementations[implementation].tested;
    uint64_t fresh_bad = bad - early->implementations[implementation].bad;
    int share = request->computed.operation->array ? LEAST_SHARE_OF_ARRAYS : LEAST_SHARE;
    if (bad >= early->implementations[implementation].bad && fresh_bad > fresh / (uint64_t)share) {
        early->implementations[implementation].reported = true;
        request->early(request->early_context, implementation, worst, bad);
    }
    early->implementations[implementation].tested = tested;
    early->implementations[implementation].bad = bad;
}

/* Of arrays the algorithms that come with detcheck lose what they lose. */
static bool is_looked_at(const struct worker *worker, size_t implementation) {
    const struct sweep_request *request = worker->request;
    bool ours = !strchr(request->implementations[implementation].kind->name, ':');
    return worker->provided[implementation] && !(ours && request->computed.operation->array);
}

void early_look(struct early *early, const struct worker *worker) {
    double now = omp_get_wtime();
    if (!worker->request->early || now - early->last < LOOK_AFTER)
        return;
    early->last = now;
    for (size_t i = 0; i < worker->request->implementation_count; i++)
        if (is_looked_at(worker, i) && !early->implementations[i].reported)
            look_at(early, worker, i);
}

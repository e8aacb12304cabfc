/* Errors that rank, as exactly as can be, and the counting of outputs whose error may have to be.
 */
#include "sweep/judge/confirm.h"

#include <float.h>
#include <math.h>

/* What units of 2^-29 ulp cut off, and doubles of a large error, is not counted as slack. */
#define REFINED_SLACK    0x1p-28
#define REFINED_RELATIVE 0x1p-50

bool worker_refine(struct worker *worker, int result, const struct error_knowledge *knowledge,
                   struct sighting *sighting, struct error *error) {
    struct real y;
    if (!oracle_exact(&worker->refined, sighting->input, result, &y, error))
        return false;
    sighting->want = worker_want(worker, &y, sighting->input, sighting->index);
    struct judgement found = judge_output(&worker->judge, &y, sighting->want, sighting->got);
    double claimed = sighting->error;
    double slack = knowledge->slack + REFINED_SLACK + REFINED_RELATIVE * claimed;
    bool same = !(found.error < claimed || found.error > claimed);
    bool confirmed = (found.verdict == VERDICT_CORRECT) == knowledge->right &&
                     (same || fabs(found.error - claimed) <= slack);
    sighting->error = found.error;
    return confirmed || sweep_refute(worker, result, sighting, "a more exact value", error);
}

static double refined_error(struct worker *worker, int result, const struct sighting *sighting,
                            const struct error_knowledge *knowledge) {
    struct sighting refined = *sighting;
    struct error error;
    if (!worker_refine(worker, result, knowledge, &refined, &error)) {
        worker->refinement_failed = true;
        worker->refinement_error = error;
    }
    return refined.error;
}

/* tally.h knows no results: one function for each of the two. */
static double refine_first(void *context, const struct sighting *sighting,
                           const struct error_knowledge *knowledge) {
    return refined_error(context, 0, sighting, knowledge);
}

static double refine_second(void *context, const struct sighting *sighting,
                            const struct error_knowledge *knowledge) {
    return refined_error(context, 1, sighting, knowledge);
}

struct error_knowledge worker_knowledge(struct worker *worker, int result, double slack,
                                        bool right) {
    enum rounding rounding = worker->judge.rounding;
    bool nearest = rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY;
    double most = nearest ? 0.5 : 1 - 0x1p-53;
    return (struct error_knowledge){.slack = slack,
                                    .most = right ? most : DBL_MAX,
                                    .right = right,
                                    .refine = result == 0 ? refine_first : refine_second,
                                    .context = worker};
}

void worker_count(struct worker *worker, size_t implementation, int result,
                  const struct judgement *judgement, const struct sighting *sighting,
                  double slack) {
    struct error_knowledge knowledge =
        worker_knowledge(worker, result, slack, judgement->verdict == VERDICT_CORRECT);
    tally_add(&worker->tallies[implementation * MAX_RESULTS + (size_t)result], judgement, sighting,
              worker_exponent(worker, sighting->input[0]), &knowledge);
}

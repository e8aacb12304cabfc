/* Probes of inputs that lie apart from each other: everywhere, and all over the binades of the best places. */
#include "sweep/search/strategy_state.h"

/* Inputs of a probe where ranking is quick, and of how many evaluations one is such an input; the same where
 * the oracle judges each. */
enum { SCATTERED_INPUTS = 1024, SCATTERED_ONE_OF = 16, JUDGED_INPUTS = 32, JUDGED_ONE_OF = 512 };

/* Inputs all over the binades of a place. */
static void plan_near(struct strategy *strategy, struct probe *probes, size_t which, size_t inputs,
                      const uint64_t *centre) {
    struct code_set *sets = strategy->near[which];
    struct error unused;
    bool good = true;
    for (int i = 0; i < strategy->operands; i++) {
        struct code_interval room =
            interval_around(strategy->format, &strategy->request->sets[i], centre[i]);
        code_set_free(&sets[i]);
        good = good && room.count &&
               code_set_append(&sets[i], room.first, room.first + room.count - 1, &unused);
    }
    if (good)
        strategy_plan_one(
            strategy, probes,
            (struct probe){.scattered = sets, .first = strategy->probes * inputs, .inputs = inputs},
            NULL);
}

/* Around a start: of several operands around the middle of its box. */
static void plan_near_start(struct strategy *strategy, struct probe *probes, size_t which,
                            size_t inputs, const struct start *start) {
    uint64_t centre[MAX_OPERANDS];
    for (int i = 0; i < strategy->operands; i++)
        centre[i] = start->box.sides[i].first + start->box.sides[i].count / 2;
    plan_near(strategy, probes, which, inputs, centre);
}

/* Around the worst window, the worst start, and one that is drawn. */
static void plan_nearest(struct strategy *strategy, struct probe *probes, size_t inputs) {
    const struct population *population = strategy_population(strategy);
    const struct survey *survey = &strategy->survey;
    const struct draws draws = {strategy->request->seed, strategy->probes, strategy->format,
                                strategy->operands};
    if (population->count)
        plan_near(strategy, probes, 0, inputs, population->best[0].centre);
    plan_near_start(strategy, probes, 1, inputs, survey->order[0]);
    plan_near_start(strategy, probes, 2, inputs,
                    survey->order[draw_rank(&draws, 0, survey->count)]);
}

void strategy_plan_scattered(struct strategy *strategy, struct probe *probes) {
    const struct search_request *request = strategy->request;
    const struct operation *operation = request->sweep->computed.operation;
    bool quick =
        request->purpose == SEARCH_DIFFERENCE || libm_wider_of(operation, strategy->format).address;
    size_t inputs = quick ? SCATTERED_INPUTS : JUDGED_INPUTS;
    uint64_t one_of = quick ? SCATTERED_ONE_OF : JUDGED_ONE_OF;
    plan_nearest(strategy, probes, inputs);
    if (strategy->survey.done <
        strategy->survey.count) /* it tells where the others are worth most */
        return;
    if (!strategy->knows_lively)
        survey_lively(&strategy->survey, &strategy->lively);
    strategy->knows_lively = true;
    while (strategy->scattered < strategy->evaluations / one_of &&
           strategy->planned < strategy->scatters + SUSPECTS) {
        int lively = strategy->lively.run_count && strategy->planned % 2;
        strategy_plan_one(strategy, probes,
                          (struct probe){.scattered = lively ? &strategy->lively : request->sets,
                                         .first = strategy->firsts[lively],
                                         .inputs = inputs},
                          NULL);
        strategy->firsts[lively] += inputs;
        strategy->scattered += inputs;
    }
}

/* Judging one output and counting it. An error that ranks is refined first. */
#include "sweep/judge/output.h"

#include "format/text.h"
#include "sweep/judge/flags.h"
#include "sweep/judge/promise_check.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void worker_load_inputs(const struct worker *worker, size_t at, uint64_t *codes) {
    size_t bytes = format_bytes(worker->request->computed.format);
    for (int i = 0; i < worker->request->computed.operation->operands; i++)
        codes[i] = code_load(worker->inputs[i], bytes, at);
}

int worker_exponent(const struct worker *worker, uint64_t code) {
    struct real value = format_decode(format_of_operand(worker->request->computed.format, 0), code);
    return value.kind == REAL_FINITE ? value.exponent : INT_MIN;
}

bool worker_refute(const struct worker *worker, int result, const struct witness *witness,
                   const char *who, struct error *error) {
    const struct binding_request *computed = &worker->request->computed;
    char name[64], bits[NUMBER_TEXT], inputs[MAX_OPERANDS * (NUMBER_TEXT + 2)] = "";
    for (int i = 0; i < computed->operation->operands; i++) {
        strcat(inputs, i > 0 ? ", " : "");
        strcat(inputs,
               format_bits_text(format_of_operand(computed->format, i), witness->input[i], bits));
    }
    return error_set(
        error,
        "the oracle is wrong: %s does not confirm the error that was found for %s(%s) in %s; "
        "use --oracle mpfr and report this",
        who, operation_result_name(computed->operation, result, name), inputs,
        computed->format->name);
}

/* What units of 2^-29 ulp cut off, and doubles of a large error, is not counted as slack. */
#define REFINED_SLACK    0x1p-28
#define REFINED_RELATIVE 0x1p-50

bool worker_refine(struct worker *worker, int result, const struct error_knowledge *knowledge,
                   struct witness *witness, struct error *error) {
    struct real y;
    if (!oracle_exact(&worker->refined, witness->input, result, &y, error))
        return false;
    witness->want = worker_want(worker, &y, witness->input, witness->index);
    struct judgement found = judge_output(&worker->judge, &y, witness->want, witness->got);
    double claimed = witness->error;
    double slack = knowledge->slack + REFINED_SLACK + REFINED_RELATIVE * claimed;
    bool same = !(found.error < claimed || found.error > claimed);
    bool confirmed = (found.verdict == VERDICT_CORRECT) == knowledge->right &&
                     (same || fabs(found.error - claimed) <= slack);
    witness->error = found.error;
    return confirmed || worker_refute(worker, result, witness, "a more exact value", error);
}

static double refined_error(struct worker *worker, int result, const struct witness *witness,
                            const struct error_knowledge *knowledge) {
    struct witness refined = *witness;
    struct error error;
    if (!worker_refine(worker, result, knowledge, &refined, &error)) {
        worker->refinement_failed = true;
        worker->refinement_error = error;
    }
    return refined.error;
}

/* tally.h knows no results: one function for each of the two. */
static double refine_first(void *context, const struct witness *witness,
                           const struct error_knowledge *knowledge) {
    return refined_error(context, 0, witness, knowledge);
}

static double refine_second(void *context, const struct witness *witness,
                            const struct error_knowledge *knowledge) {
    return refined_error(context, 1, witness, knowledge);
}

struct error_knowledge worker_knowledge(struct worker *worker, int result, double slack,
                                        bool right) {
    return (struct error_knowledge){.slack = slack,
                                    .most = worker_most_error(worker, right),
                                    .right = right,
                                    .refine = result == 0 ? refine_first : refine_second,
                                    .context = worker};
}

/* Whether an operand is a signalling NaN. */
static bool is_signalling(const struct binding_request *request, const uint64_t *operands) {
    for (int i = 0; i < request->operation->operands; i++)
        if (format_is_signalling(format_of_operand(request->format, i), operands[i]))
            return true;
    return false;
}

void worker_count(struct worker *worker, size_t implementation, int result,
                  const struct judgement *judgement, const struct witness *witness, double slack) {
    struct error_knowledge knowledge =
        worker_knowledge(worker, result, slack, judgement->verdict == VERDICT_CORRECT);
    tally_add(&worker->tallies[implementation * MAX_RESULTS + (size_t)result], judgement, witness,
              worker_exponent(worker, witness->input[0]), &knowledge);
    if (worker->kappas)
        kappa_note(&worker->kappas[implementation], worker->judge.format, result, witness);
    if (judgement->verdict == VERDICT_NAN_MISMATCH)
        worker_tally(worker, implementation, result)->signalling_mismatches +=
            is_signalling(&worker->request->computed, witness->input);
    worker_check_promise(worker, implementation, result, judgement, witness, slack, true);
}

void worker_judge_by(struct worker *worker, size_t implementation, int result, const struct real *y,
                     struct witness *witness) {
    struct judgement judgement = judge_output(&worker->judge, y, witness->want, witness->got);
    witness->error = judgement.error;
    worker_count(worker, implementation, result, &judgement, witness,
                 y->inexact ? ORACLE_SLACK : 0);
    struct tally *tally = worker_tally(worker, implementation, result);
    if (judgement.in_ulps && tally->tells & TELLS_ERRORS)
        tally_add_sizes(tally, worker->judge.format, y, witness);
    if (worker->request->domain->search && judgement.in_ulps)
        tally_add_flushed(
            tally, output_is_flushed(worker->judge.format, witness->want, witness->got), witness);
}

bool worker_find_exact(struct worker *worker, int result, size_t at, const uint64_t *codes,
                       struct real *y, struct error *error) {
    struct flag_room *room = worker->flags;
    if (room && room->asked[result][at]) {
        *y = room->exact[result][at];
        return true;
    }
    if (!oracle_exact(&worker->oracle, codes, result, y, error))
        return false;
    if (room) {
        room->exact[result][at] = *y;
        room->asked[result][at] = 1;
    }
    return true;
}

bool worker_judge_exactly(struct worker *worker, size_t implementation, int result, size_t at,
                          struct witness *witness, struct error *error) {
    struct real y;
    worker->asked_count += !worker->asked[at];
    worker->counts[result].exact += !worker->asked[at];
    worker->asked[at] = 1;
    if (!worker_find_exact(worker, result, at, witness->input, &y, error))
        return false;
    witness->want = worker_want(worker, &y, witness->input, witness->index);
    worker_judge_by(worker, implementation, result, &y, witness);
    return true;
}

bool worker_should_stop(const struct worker *worker, int result) {
    return result == 0 && worker->request->stop && *worker->request->stop;
}

/* One output, or a run of them, against a promise. */
#include "sweep/judge/promise_check.h"

#include "sweep/judge/output.h"
#include "sweep/promise/inherit.h"

#include <math.h>

const struct promise *worker_promise(const struct worker *worker, size_t implementation,
                                     int result) {
    const struct promise *const *promises = worker->request->promises;
    return promises ? promises[implementation * MAX_RESULTS + (size_t)result] : NULL;
}

/* An output that is held, and all that is known of it. */
struct held {
    struct worker *worker;
    int result;
    const struct promise *promise;
    const struct promise_piece *piece;
    struct promise_tally *tally;
    struct promise_input input;
    struct judgement judgement;
    struct witness witness;
    bool wanted;                 /* the witness has what is right */
    struct span_of_values error; /* in ulps */
    struct span_of_values limit;
};

/* An output that is no NaN and whose witness has nothing that is right is off by less than 4 ulps, each
 * of which is two numbers at most. */
static void find_limit(struct held *held) {
    const struct format *format = held->worker->judge.format;
    uint64_t near = held->wanted ? held->witness.want : held->witness.got;
    if (format_is_nan(format, near))
        return; /* nothing has an error */
    uint64_t magnitude = format_magnitude(format, near);
    struct ulp_exponents ulp =
        promise_ulp_between(format, magnitude, magnitude, held->wanted ? 1 : FAR_NUMBERS);
    held->limit = inherited_limits(held->promise, held->piece, format, held->input.values, ulp);
}

double worker_kind_limit(const struct worker *worker, enum promise_kind kind) {
    if (kind == PROMISE_SAME_BITS)
        return INFINITY;
    return kind == PROMISE_CORRECTLY_ROUNDED ? error_fine_from(worker->judge.rounding) : 1;
}

static double limit_of_kind(const struct held *held) {
    return worker_kind_limit(held->worker, held->piece->kind);
}

/* What the reference of a promise of bits gave for the input. */
static uint64_t promised_bits(const struct held *held) {
    const struct worker *worker = held->worker;
    size_t array = held->piece->reference_at * MAX_RESULTS + (size_t)held->result;
    return code_load(worker->outputs[array], format_bytes(worker->judge.format),
                     (size_t)(held->witness.index - worker->first));
}

static bool has_promised_bits(const struct held *held) {
    return bits_are_same(&held->worker->judge, held->witness.got, promised_bits(held));
}

static void fail(struct worker *worker, const struct error *error) {
    worker->refinement_failed = true;
    worker->refinement_error = *error;
}

/* What the piece inherits there, beside the limit that it has itself. */
static void add_inherited(const struct held *held, const struct span_of_values *operands,
                          const struct real *y, double *limit, bool *undefined) {
    struct worker *worker = held->worker;
    struct error error;
    double inherited;
    *undefined = false;
    if (!held->piece->inherited)
        return;
    if (!worker->inheritor)
        worker->inheritor = inheritor_open();
    if (!worker->inheritor) {
        error_set(&error, "out of memory");
        fail(worker, &error);
    } else if (!inherited_limit(worker->inheritor, held->promise, held->piece, worker->judge.format,
                                operands, y, &inherited, undefined, &error))
        fail(worker, &error);
    else if (inherited > *limit)
        *limit = inherited;
}

/* Whether an output is allowed where y is the exact result of the operands with these codes, and its
 * error and limit as they are. */
static bool is_allowed(const struct held *held, const uint64_t *codes, const struct real *y,
                       uint64_t want, struct judgement *judgement, double *limit) {
    const struct judge *judge = &held->worker->judge;
    *judgement = judge_output(judge, y, want, held->witness.got);
    *limit = 0;
    if (held->piece->kind == PROMISE_SAME_BITS) /* of other operands nobody knows them */
        return codes == held->input.codes && has_promised_bits(held);
    if (y->kind == REAL_NAN)
        return judgement->verdict == VERDICT_CORRECT;
    struct promise_input input = promise_input_of(held->input.format, held->input.operands, codes);
    bool undefined;
    *limit = promise_limit(held->piece, input.values, promise_ulp_of(judge->format, y)).low;
    add_inherited(held, input.values, y, limit, &undefined);
    switch (held->piece->kind) {
    case PROMISE_CORRECTLY_ROUNDED:
        *limit = limit_of_kind(held);
        return judgement->verdict == VERDICT_CORRECT;
    case PROMISE_FAITHFUL:
        *limit = limit_of_kind(held);
        return judgement->faithful;
    default:
        return undefined || (judgement->verdict == VERDICT_CORRECT && !judgement->in_ulps) ||
               (judgement->in_ulps && judgement->error <= *limit);
    }
}

static bool is_accepted_by(const struct held *held, enum promise_acceptance acceptance) {
    return held->promise->accepted >> acceptance & 1;
}

static bool has_operand_of(const struct held *held, enum number_class class) {
    for (int i = 0; i < held->input.operands; i++)
        if (format_classify(held->input.format, held->input.codes[i]) == class)
            return true;
    return false;
}

/* Whether an allowed number is subnormal, y being the exact result. */
static bool may_be_subnormal(const struct held *held, const struct real *y, double limit) {
    const struct format *format = held->worker->judge.format;
    if (y->kind == REAL_ZERO)
        return true;
    struct real least = real_power_of_two(format->emin);
    double above = ldexp(1, y->exponent - format_ulp_exponent(format, y));
    return y->kind == REAL_FINITE && (real_is_smaller(y, &least) ||
                                      above * ldexp((double)y->significand.high, -63) - limit <
                                          ldexp(1, format->emin - format_ulp_exponent(format, y)));
}

/* Of what is beside promised bits, as is_accepted_result has it of what is beside the right result. */
static bool is_accepted_for_bits(const struct held *held) {
    const struct format *format = held->worker->judge.format;
    uint64_t promised = promised_bits(held);
    return format_is_zero(format, held->witness.got) &&
           ((is_accepted_by(held, ACCEPT_ZERO_SIGN) && format_is_zero(format, promised)) ||
            (is_accepted_by(held, ACCEPT_FLUSHED_RESULTS) &&
             format_classify(format, promised) == CLASS_SUBNORMAL));
}

static bool is_accepted_result(const struct held *held, const struct real *y, uint64_t want,
                               const struct judgement *judgement, double limit) {
    const struct format *format = held->worker->judge.format;
    enum number_class class = format_classify(format, want);
    bool zero = format_is_zero(format, held->witness.got);
    if ((is_accepted_by(held, ACCEPT_UNDEFINED_NAN) && class == CLASS_NAN) ||
        (is_accepted_by(held, ACCEPT_UNDEFINED_INFINITY) && class == CLASS_INFINITE))
        return true;
    if (held->piece->kind == PROMISE_SAME_BITS)
        return is_accepted_for_bits(held);
    return (is_accepted_by(held, ACCEPT_ZERO_SIGN) &&
            judgement->verdict == VERDICT_SIGN_MISMATCH) ||
           (is_accepted_by(held, ACCEPT_FLUSHED_RESULTS) && zero && y->kind != REAL_NAN &&
            may_be_subnormal(held, y, limit));
}

/* The same of the result of other operands. */
static bool is_good_for(const struct held *held, const uint64_t *codes) {
    struct real y;
    struct error error;
    struct judgement judgement;
    double limit;
    if (!oracle_exact(&held->worker->refined, codes, held->result, &y, &error)) {
        fail(held->worker, &error);
        return true;
    }
    uint64_t want = worker_want(held->worker, &y, codes, held->witness.index);
    return is_allowed(held, codes, &y, want, &judgement, &limit) ||
           is_accepted_result(held, &y, want, &judgement, limit);
}

/* With a zero of either sign in the place of each subnormal operand. */
static bool is_good_flushed(const struct held *held) {
    const struct format *format = held->input.format;
    for (unsigned signs = 0; signs < 1u << held->input.operands; signs++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        for (int i = 0; i < held->input.operands; i++) {
            bool subnormal = format_classify(format, held->input.codes[i]) == CLASS_SUBNORMAL;
            struct real zero = real_zero(signs >> i & 1);
            codes[i] = subnormal ? format_encode(format, &zero, ROUND_NEAREST_EVEN, OVERFLOW_IEEE)
                                 : held->input.codes[i];
        }
        if (is_good_for(held, codes))
            return true;
    }
    return false;
}

/* Whether a promise might accept what its pieces do not allow: a quick look, for the outputs of a
 * library that breaks it everywhere. */
static bool might_be_accepted(const struct held *held) {
    const struct format *format = held->worker->judge.format;
    enum number_class got = format_classify(format, held->witness.got);
    enum number_class want = held->wanted ? format_classify(format, held->witness.want) : got;
    bool near_end = format_magnitude(format, held->witness.got) >> (format->precision - 1) >=
                    format->max_finite >> (format->precision - 1);
    /* What may be the distance to a subnormal number, which is another one where these are flushed. */
    bool near_least = is_accepted_by(held, ACCEPT_FLUSHED_ULPS) &&
                      format_magnitude(format, held->witness.got) <
                          ((uint64_t)1 << (format->precision - 1)) + FAR_NUMBERS;
    return held->promise->accepted &&
           (got != CLASS_NORMAL || want != CLASS_NORMAL ||
            (!held->wanted && (near_end || near_least)) || has_operand_of(held, CLASS_SUBNORMAL) ||
            has_operand_of(held, CLASS_INFINITE) || has_operand_of(held, CLASS_NAN));
}

/* Whether the error is within the limit where subnormal numbers count as zero; the error is that then, if it
 * is less, for the violation too. Of two normal numbers that is the same error. */
static bool is_accepted_flushed(struct held *held, const struct real *y, double limit) {
    const struct format *format = held->worker->judge.format;
    const struct real least = real_power_of_two(format->emin);
    bool normal = format_classify(format, held->witness.got) > CLASS_SUBNORMAL;
    if (!is_accepted_by(held, ACCEPT_FLUSHED_ULPS) || !held->judgement.in_ulps ||
        held->piece->kind != PROMISE_ERROR || (normal && !real_is_smaller(y, &least)))
        return false;
    double found = flushed_ulp_error(format, y, held->witness.got);
    if (found < held->witness.error) {
        held->witness.error = found;
        held->error = (struct span_of_values){found, found};
    }
    return found <= limit;
}

/* By the exact oracle at its most bits; what it finds is put in place of what was known. */
static bool settle(struct held *held, bool *accepted) {
    struct real y;
    struct error error;
    double limit;
    *accepted = false;
    if (!oracle_exact(&held->worker->refined, held->input.codes, held->result, &y, &error)) {
        fail(held->worker, &error);
        return true;
    }
    held->witness.want = worker_want(held->worker, &y, held->input.codes, held->witness.index);
    held->wanted = true;
    bool allowed =
        is_allowed(held, held->input.codes, &y, held->witness.want, &held->judgement, &limit);
    double found = held->judgement.error;
    held->witness.error = found;
    held->error = (struct span_of_values){found, found};
    held->limit = (struct span_of_values){limit, limit};
    if (allowed)
        return true;
    *accepted =
        (is_accepted_by(held, ACCEPT_UNDEFINED_NAN) && has_operand_of(held, CLASS_NAN)) ||
        (is_accepted_by(held, ACCEPT_UNDEFINED_INFINITY) && has_operand_of(held, CLASS_INFINITE)) ||
        is_accepted_result(held, &y, held->witness.want, &held->judgement, limit) ||
        is_accepted_flushed(held, &y, limit) ||
        (is_accepted_by(held, ACCEPT_FLUSHED_INPUTS) && has_operand_of(held, CLASS_SUBNORMAL) &&
         is_good_flushed(held));
    return *accepted;
}

static double excess_of(const struct held *held, double error, double limit) {
    return held->judgement.in_ulps && held->piece->kind != PROMISE_SAME_BITS
               ? promise_excess(error, limit)
               : INFINITY;
}

/* Keeps the violation if it is the worst; asks for its exact error if that may be so. */
static void offer(struct held *held, bool settled) {
    const struct promise_tally *tally = held->tally;
    double most = excess_of(held, held->error.high, held->limit.low), worst = tally->worst.excess;
    bool accepted;
    if (tally->has_worst &&
        (most < worst || (!(most > worst) && held->witness.index > tally->worst.witness.index)))
        return;
    if (!settled)
        settle(held, &accepted);
    struct promise_violation violation = {.witness = held->witness,
                                          .excess =
                                              excess_of(held, held->error.low, held->limit.low),
                                          .limit = held->limit.low,
                                          .has_error = held->judgement.in_ulps,
                                          .has_reference = held->piece->kind == PROMISE_SAME_BITS};
    if (violation.has_reference) {
        violation.reference = promised_bits(held);
        violation.limit = INFINITY;
    }
    promise_tally_offer(held->tally, &violation);
}

/* What is known without the exact oracle. */
enum finding { FOUND_KEPT, FOUND_BROKEN, FOUND_OPEN };
static enum finding look(const struct held *held) {
    const struct judgement *judgement = &held->judgement;
    bool right = judgement->verdict == VERDICT_CORRECT;
    bool kept = held->piece->kind == PROMISE_CORRECTLY_ROUNDED ? right
                : held->piece->kind == PROMISE_FAITHFUL        ? judgement->faithful
                : held->piece->kind == PROMISE_SAME_BITS       ? has_promised_bits(held)
                : judgement->in_ulps                           ? held->error.high <= held->limit.low
                                                               : right;
    if (kept)
        return FOUND_KEPT;
    bool open =
        held->piece->kind == PROMISE_ERROR &&
        (held->piece->inherited || (judgement->in_ulps && held->error.low <= held->limit.high));
    return open || might_be_accepted(held) ? FOUND_OPEN : FOUND_BROKEN;
}

static void hold(struct held *held) {
    bool accepted = false, settled = false;
    enum finding finding = look(held);
    if (finding == FOUND_OPEN) {
        settled = true;
        finding = settle(held, &accepted) ? FOUND_KEPT : FOUND_BROKEN;
    }
    held->tally->kept += finding == FOUND_KEPT && !accepted;
    held->tally->accepted += accepted;
    held->tally->violations += finding == FOUND_BROKEN;
    if (finding == FOUND_BROKEN)
        offer(held, settled);
}

static struct held begin(struct worker *worker, int result, const struct promise *promise,
                         const struct judgement *judgement, const struct witness *witness) {
    const struct binding_request *computed = &worker->request->computed;
    struct held held = {.worker = worker,
                        .result = result,
                        .promise = promise,
                        .judgement = *judgement,
                        .witness = *witness};
    held.input = /* keeps where the codes are, which is not in what is returned */
        promise_input_of(computed->format, computed->operation->operands, witness->input);
    held.piece = promise_piece_of(promise, &held.input);
    return held;
}

static void check_within(struct held *held, double slack) {
    double cap = worker_most_error(held->worker, held->judgement.verdict == VERDICT_CORRECT);
    double low = held->witness.error - slack, high = held->witness.error + slack;
    held->error = (struct span_of_values){low > 0 ? low : 0, high < cap ? high : cap};
    if (held->piece->kind == PROMISE_ERROR)
        find_limit(held);
    else
        held->limit = (struct span_of_values){limit_of_kind(held), limit_of_kind(held)};
    hold(held);
}

void worker_check_promise(struct worker *worker, size_t implementation, int result,
                          const struct judgement *judgement, const struct witness *witness,
                          double slack, bool wanted) {
    const struct promise *promise = worker_promise(worker, implementation, result);
    if (!promise)
        return;
    struct held held = begin(worker, result, promise, judgement, witness);
    held.tally = &worker_tally(worker, implementation, result)->promise;
    held.wanted = wanted;
    if (!held.piece || held.piece->kind == PROMISE_ANYTHING ||
        (held.piece->kind == PROMISE_SAME_BITS &&
         worker_is_unanswered(worker, held.piece->reference_at,
                              (size_t)(witness->index - worker->first))))
        held.tally->left_out++;
    else
        check_within(&held, slack);
}

bool worker_allows(struct worker *worker, size_t implementation, int result,
                   const struct judgement *judgement, const struct witness *witness) {
    const struct promise *promise = worker_promise(worker, implementation, result);
    struct promise_tally unused = {0};
    if (!promise)
        return false;
    struct held held = begin(worker, result, promise, judgement, witness);
    held.tally = &unused;
    held.wanted = true;
    if (!held.piece || held.piece->kind == PROMISE_ANYTHING)
        return true;
    if (held.piece->kind == PROMISE_SAME_BITS)
        return false;
    check_within(&held, 0);
    return !unused.violations;
}

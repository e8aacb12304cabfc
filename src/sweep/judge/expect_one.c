/* What is right for the flags of one call. */
#include "sweep/judge/expect.h"

#include "platform/exception_flags.h"

struct effect_rule effect_rule_of(const struct binding_request *computed,
                                  struct flag_expectation right) {
    struct effect_rule rule = {0, 0};
    for (int kind = ERRNO_EDOM; kind < ERRNO_KINDS; kind++) {
        uint8_t effect = effects_of(0, (enum errno_kind)kind);
        if (right.errnos >> kind & 1)
            rule.permitted |= effect;
        if (right.errnos == 1 << kind) /* not even none may be */
            rule.required |= effect;
    }
    if (computed->flags) {
        rule.required |= right.required;
        rule.permitted |= right.permitted;
    } else
        rule.permitted |= ALL_FLAGS;
    return rule;
}

struct effect_rule expect_rule(const struct worker *worker, const uint64_t *codes,
                               const struct real *y) {
    return effect_rule_of(&worker->request->computed,
                          oracle_flags(&worker->flags->setting, codes, y));
}

bool expect_exactly(struct worker *worker, size_t at, struct error *error) {
    const struct operation *operation = worker->request->computed.operation;
    uint64_t codes[MAX_OPERANDS];
    struct real y[MAX_RESULTS];
    worker_load_inputs(worker, at, codes);
    for (int i = 0; i < operation->results; i++)
        if (!worker_find_exact(worker, i, at, codes, &y[i], error))
            return false;
    worker->flags->rules[at] = expect_rule(worker, codes, y);
    return true;
}

/* What is known of a result at input `at` of the slice: two ends, which are one where it is known to
 * all that rounding can see. False where nothing is. */
static bool find_ends(const struct joint_span *run, int result, size_t at, struct real ends[2]) {
    const struct span *span = &run->spans[result];
    const struct judge *judge = &run->worker->judge;
    const struct block *block = span->block;
    uint64_t code = span->code + (at - span->at);
    struct filter *filter = run->worker->filters[result];
    if (block->kind == BLOCK_NAN)
        ends[0] = real_nan();
    else if (block->kind == BLOCK_ASYMPTOTE)
        ends[0] = block_asymptote_value(block, judge->format, code);
    else if (block->kind == BLOCK_PATTERN)
        ends[0] = span_pattern_value(span, at - span->at);
    else if (block->kind == BLOCK_EXACT)
        return false;
    else if (!block_pole_value(block, judge->format, code, &ends[0]) &&
             !block_arithmetic_value(block, judge->format, code, &ends[0]) &&
             !filter_period_value(filter, code, &ends[0])) {
        if (!block_enclosure(block, judge->format, code, &ends[0], &ends[1]))
            return false;
        for (enum rounding way = ROUND_UP; way <= ROUND_DOWN; way++)
            if (format_encode(judge->format, &ends[0], way, OVERFLOW_IEEE) !=
                format_encode(judge->format, &ends[1], way, OVERFLOW_IEEE))
                return false;
        return true;
    }
    ends[1] = ends[0];
    return true;
}

bool expect_cheaply(const struct joint_span *run, size_t at, struct effect_rule *rule) {
    int results = run->worker->request->computed.operation->results;
    uint64_t codes[MAX_OPERANDS];
    struct real low[MAX_RESULTS], high[MAX_RESULTS];
    worker_load_inputs(run->worker, at, codes);
    for (int i = 0; i < results; i++) {
        struct real ends[2];
        if (!find_ends(run, i, at, ends))
            return false;
        low[i] = ends[0];
        high[i] = ends[1];
    }
    *rule = expect_rule(run->worker, codes, low);
    /* Of two results both may be in doubt: then four corners, of which the others agree if these do,
     * as what results add to a rule does not depend on one another. */
    return effect_rule_is_same(*rule, expect_rule(run->worker, codes, high));
}

bool expect_one(const struct joint_span *run, size_t at, struct error *error) {
    return expect_cheaply(run, at, &run->worker->flags->rules[at]) ||
           expect_exactly(run->worker, at, error);
}

/* Which calls there are, which of them a compiler folded, and who is right where it did not get what the call gives. */
#include "explain/folded.h"

#include "explain/side.h"
#include "oracle/exact.h"
#include "oracle/judge.h"
#include "sweep/built/specials.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE = 256, SEED = 56 };

/* Inputs that are put together. */
struct gathered {
    uint64_t *tuples;
    size_t count, room;
    int operands;
    const struct format *format;
};

/* `most` inputs of a domain, spread evenly, or all. */
static void gather(struct gathered *gathered, const struct domain *domain, uint64_t most) {
    const uint64_t count = domain->count < most ? domain->count : most;
    for (uint64_t i = 0; i < count && gathered->count < gathered->room; i++) {
        uint64_t *codes = gathered->tuples + gathered->count++ * (size_t)gathered->operands;
        uint64_t input[MAX_OPERANDS];
        domain_codes_at(
            domain, (uint64_t)((double)domain->count / (double)count * ((double)i + 0.5)), input);
        for (int operand = 0; operand < gathered->operands; operand++)
            codes[operand] = format_is_nan(gathered->format, input[operand]) ? gathered->format->nan
                                                                             : input[operand];
    }
}

static bool gathered_open(struct gathered *gathered, const struct binding_request *computed,
                          size_t room, struct error *error) {
    *gathered = (struct gathered){
        .room = room, .operands = computed->operation->operands, .format = computed->format};
    gathered->tuples = malloc(room * (size_t)gathered->operands * sizeof *gathered->tuples);
    return gathered->tuples || error_set(error, "out of memory for the inputs of --folded");
}

/* Its inputs as a domain, in order, each once. */
static void become_domain(struct gathered *gathered, struct domain *domain) {
    domain_tuples(domain, gathered->format, gathered->operands, gathered->tuples, gathered->count);
    domain->kind = DOMAIN_SPECIAL;
}

static bool gather_special(struct gathered *gathered, const struct binding_request *computed,
                           struct error *error) {
    const struct operation *operation = computed->operation;
    struct code_set set = {0};
    struct domain domain = {0};
    if (!code_set_special(&set, computed->format, operation, error))
        return false;
    bool good = domain_product(&domain, DOMAIN_SPECIAL, computed->format, operation->operands, &set,
                               1, error);
    if (good)
        gather(gathered, &domain, SHARE);
    domain_free(&domain);
    return good;
}

static bool gather_built(struct gathered *gathered, const struct binding_request *computed,
                         struct error *error) {
    const struct built_request request = {computed->operation, computed->format,
                                          request_result_format(computed), computed->rounding,
                                          SEED};
    if (!built_is_for(computed->operation, computed->format))
        return true;
    struct builder *builder = builder_open(&request);
    if (!builder)
        return error_set(error, "out of memory for the inputs of --folded");
    for (uint64_t i = 0; i < SHARE && gathered->count < gathered->room; i++)
        builder_make(builder, i, gathered->tuples + gathered->count++ * (size_t)gathered->operands,
                     NULL);
    builder_close(builder);
    return true;
}

/* Numbers as programs have them, and any. */
static bool gather_drawn(struct gathered *gathered, const struct binding_request *computed,
                         struct error *error) {
    static const char *const ranges[] = {"0x1p-6:0x1p6", "-0x1p6:-0x1p-6", NULL};
    static const uint64_t samples[] = {SHARE / 2, SHARE / 4, SHARE / 4};
    bool good = true;
    for (size_t i = 0; good && i < sizeof ranges / sizeof *ranges; i++) {
        const struct sampling sampling = {samples[i], SEED + i, 1, computed->operation};
        struct code_set set = {0};
        struct domain domain = {0};
        good = ranges[i] ? code_set_range(&set, computed->format, ranges[i], NULL, error)
                         : code_set_all(&set, computed->format, error);
        good = good && domain_samples(&domain, computed->format, computed->operation->operands,
                                      &set, 1, &sampling, error);
        if (good)
            gather(gathered, &domain, samples[i]);
        domain_free(&domain);
    }
    return good;
}

bool folded_inputs(struct domain *domain, const struct binding_request *computed,
                   struct error *error) {
    struct gathered gathered;
    if (!gathered_open(&gathered, computed, 3 * SHARE, error))
        return false;
    if (!gather_special(&gathered, computed, error) || !gather_built(&gathered, computed, error) ||
        !gather_drawn(&gathered, computed, error)) {
        free(gathered.tuples);
        return false;
    }
    become_domain(&gathered, domain);
    return true;
}

bool folded_thin(struct domain *domain, const struct binding_request *computed,
                 struct error *error) {
    struct gathered gathered;
    if (!gathered_open(&gathered, computed, FOLDED_MOST, error))
        return false;
    gather(&gathered, domain, FOLDED_MOST);
    domain_free(domain);
    become_domain(&gathered, domain);
    return true;
}

/* Operands of `count` inputs of a domain, an array for each. */
static bool load_inputs(const struct domain *domain, size_t count, void *inputs[MAX_OPERANDS],
                        struct error *error) {
    for (int i = 0; i < domain->operands; i++)
        if (!(inputs[i] = malloc(count * format_bytes(domain->format) + 1)))
            return error_set(error, "out of memory for the inputs of --folded");
    domain_fill(domain, 0, count, inputs);
    return true;
}

static void free_inputs(void *inputs[MAX_OPERANDS]) {
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(inputs[i]);
}

static bool ask(struct side *side, void *const *inputs, size_t count, const char *command,
                struct error *error) {
    if (!side_ask(side, inputs, 0, count, error))
        return false;
    return !memchr(side->unanswered, 1, count) ||
           error_set(error,
                     "--folded: what '%.300s' builds crashes, hangs or exits when detcheck reads "
                     "its constants",
                     command);
}

static bool keep_known(struct domain *domain, const struct side *side, uint64_t *kept,
                       struct error *error) {
    const size_t operands = (size_t)domain->operands, bytes = format_bytes(domain->format);
    uint64_t *tuples = malloc((size_t)domain->count * operands * sizeof *tuples + 1);
    size_t count = 0;
    if (!tuples)
        return error_set(error, "out of memory for the inputs of --folded");
    for (uint64_t at = 0; at < domain->count; at++) {
        uint64_t codes[MAX_OPERANDS];
        if (!code_load(side->results[0], bytes, (size_t)at)) /* 0, or the code of 1 */
            continue;
        domain_codes_at(domain, at, codes);
        memcpy(tuples + count++ * operands, codes, operands * sizeof *codes);
    }
    const struct format *format = domain->format;
    domain_free(domain);
    domain_tuples(domain, format, (int)operands, tuples, count);
    domain->kind = DOMAIN_SPECIAL;
    *kept = count;
    return true;
}

bool folded_keep(struct folded *folded, struct domain *domain, const struct implementation *tells,
                 const struct binding_request *computed, struct error *error) {
    const size_t count = (size_t)domain->count;
    void *inputs[MAX_OPERANDS] = {0};
    struct side side = {0};
    folded->calls = count;
    bool good = load_inputs(domain, count, inputs, error) &&
                side_open(&side, tells, computed, 0, domain, count, error) &&
                /* One input first: where the table itself crashes or hangs, each would. */
                ask(&side, inputs, 1, folded->command, error) &&
                ask(&side, inputs, count, folded->command, error) &&
                keep_known(domain, &side, &folded->folded, error);
    side_close(&side);
    free_inputs(inputs);
    if (good && !folded->folded)
        return error_set(error,
                         "--folded: '%.300s' folds none of %llu calls of %s in %s, so there is "
                         "nothing to compare",
                         folded->command, (unsigned long long)folded->calls,
                         computed->operation->name, computed->format->name);
    return good;
}

/* What is judged: two outputs for one input. */
struct judging {
    const struct format *in, *out;
    struct judge judge;
    struct oracle oracle;
};

static void judge_side(struct folded_side *side, struct folded_difference *one, int number,
                       const struct judgement *judgement) {
    const bool right = judgement->verdict == VERDICT_CORRECT;
    one->right[number] = right;
    one->in_ulps[number] = judgement->in_ulps;
    one->error[number] = judgement->in_ulps ? judgement->error : 0;
    side->wrong += !right;
    if (!judgement->in_ulps || (side->has_worst && judgement->error <= side->error))
        return;
    side->has_worst = true;
    side->error = judgement->error;
    memcpy(side->input, one->at.in, sizeof side->input);
    side->got = one->at.sides[number];
    side->want = one->want;
}

static bool judge_one(struct folded *folded, struct judging *judging, struct folded_difference *one,
                      struct error *error) {
    struct real y;
    if (!oracle_exact(&judging->oracle, one->at.in, 0, &y, error))
        return false;
    one->want = format_encode(judging->out, &y, judging->judge.rounding, judging->judge.overflow);
    for (int side = 0; side < 2; side++) {
        const struct judgement judgement =
            judge_output(&judging->judge, &y, one->want, one->at.sides[side]);
        judge_side(&folded->sides[side], one, side, &judgement);
    }
    if (!hypothesis_same(judging->out, one->at.sides[0], one->at.sides[1]))
        folded->differences[folded->count++] = *one;
    return true;
}

/* All inputs that both sides answer. */
static bool judge_all(struct folded *folded, const struct explain_request *request,
                      const struct side sides[2], struct error *error) {
    const struct binding_request *computed = &request->computed;
    struct judging judging = {.in = computed->format, .out = request_result_format(computed)};
    judging.judge = (struct judge){
        .format = judging.out, .rounding = computed->rounding, .overflow = computed->overflow};
    oracle_open(&judging.oracle, computed->operation, computed->format, &computed->parameters,
                oracle_precision(computed->format));
    bool good = true;
    for (size_t at = 0; good && at < (size_t)request->domain->count; at++) {
        struct folded_difference one = {.at.index = at};
        if (sides[0].unanswered[at] || sides[1].unanswered[at])
            continue;
        domain_codes_at(request->domain, at, one.at.in);
        for (int side = 0; side < 2; side++)
            one.at.sides[side] = code_load(sides[side].results[0], format_bytes(judging.out), at);
        good = judge_one(folded, &judging, &one, error);
    }
    oracle_close(&judging.oracle);
    return good;
}

bool folded_judge(struct folded *folded, const struct explain_request *request,
                  struct error *error) {
    const size_t count = (size_t)request->domain->count;
    void *inputs[MAX_OPERANDS] = {0};
    struct side sides[2] = {{0}, {0}};
    folded->differences = calloc(count, sizeof *folded->differences);
    bool good = folded->differences || error_set(error, "out of memory");
    good = good && load_inputs(request->domain, count, inputs, error);
    for (int i = 0; good && i < 2; i++) {
        good = side_open(&sides[i], request->sides[i], &request->computed, 0, request->domain,
                         count, error);
        sides[i].losses = request->losses[i];
        good = good && side_ask(&sides[i], inputs, 0, count, error);
    }
    good = good && judge_all(folded, request, sides, error);
    side_close(&sides[0]);
    side_close(&sides[1]);
    free_inputs(inputs);
    return good;
}

void folded_free(struct folded *folded) {
    free(folded->differences);
    *folded = (struct folded){0};
}

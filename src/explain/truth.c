/* Roundings of the exact result: by the filter where its enclosure leaves all of them decided, else
 * by the exact oracle. */
#include "explain/truth.h"

#include "base/bits.h"
#include "sweep/built/built.h"

#include <string.h>

void truth_place(struct truth *truth, uint64_t index) {
    truth->index = index;
    if (truth->converts)
        truth->random = conversion_random(&truth->cast, &truth->computed->parameters, index);
}

void truth_open(struct truth *truth, const struct binding_request *computed, int result,
                const struct domain *domain) {
    *truth = (struct truth){.computed = computed, .result = result};
    truth->format = request_result_format(computed);
    struct error unused;
    truth->converts = computed->operation->converts &&
                      conversion_make(&truth->cast, computed->format, computed->rounding,
                                      &computed->parameters, &unused);
    truth->cuts = built_is_for(computed->operation, computed->format);
    truth->fuses = strcmp(computed->operation->name, "fma") == 0;
    truth_place(truth, 0);
    oracle_open(&truth->oracle, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    truth->oracle.rounding = computed->rounding;
    if (truth->oracle.is_divided)
        oracle_open(&truth->undivided, computed->operation, computed->format, NULL,
                    ORACLE_MOST_BITS);
    bool consecutive = domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE ||
                       (domain->kind == DOMAIN_SAMPLES && domain->run_length > 1);
    if (consecutive && truth->format == computed->format)
        truth->filter =
            filter_open(computed->operation, computed->format, result, computed->rounding);
}

void truth_close(struct truth *truth) {
    filter_close(truth->filter);
    if (truth->oracle.is_divided)
        oracle_close(&truth->undivided);
    oracle_close(&truth->oracle);
    oracle_thread_end();
}

static struct asked_rounding asked_of(const struct truth *truth) {
    const struct binding_request *computed = truth->computed;
    return (struct asked_rounding){truth->format, computed->rounding, computed->overflow,
                                   computed->format->is_p3109 ? &computed->parameters : NULL,
                                   truth->index};
}

static void round_all(const struct truth *truth, const struct real *y,
                      uint64_t codes[TRUTH_CODES]) {
    const struct asked_rounding asked = asked_of(truth);
    round_in_all_ways(&asked, y, codes);
}

/* In fp32, between the same two normal numbers that are neighbours, and not next to where a rounding changes: that
 * decides everything, and nearly always. */
static bool round_quickly(const struct block *block, uint64_t code, enum rounding rounding,
                          uint64_t codes[TRUTH_CODES]) {
    enum { DROPPED = 29 };
    const uint64_t sign = (uint64_t)1 << 63, unit = (uint64_t)1 << DROPPED;
    double p = block_value(block, code, NULL), size = p < 0 ? -p : p;
    double reach = block->fit.bound + block->fit.relative * size + size * 0x1p-50;
    uint64_t low = bits_of(p - reach), high = bits_of(p + reach);
    if (!(size > 0x1p-125 && size < 0x1p+126) || (low ^ high) >> DROPPED)
        return false;
    const bool negative = (low & sign) != 0;
    const uint64_t rests[2] = {low & (unit - 1), high & (unit - 1)};
    const uint64_t toward = ((low & ~sign) >> DROPPED) - ((uint64_t)(1023 - 127) << 23);
    return round_by_rests(rounding, (uint32_t)(toward | (uint64_t)negative << 31), rests[negative],
                          rests[!negative], codes);
}

/* What the filter knows of a block other than a fit. */
static struct real known_value(const struct truth *truth, const struct block *block,
                               uint64_t code) {
    struct code_pattern pattern;
    switch (block->kind) {
    case BLOCK_ASYMPTOTE:
        return block_asymptote_value(block, truth->format, code);
    case BLOCK_PATTERN:
        pattern = filter_pattern(truth->filter, code);
        return format_decode(truth->format, code_pattern_at(&pattern, truth->format, code));
    case BLOCK_NAN:
    case BLOCK_FIT:
    case BLOCK_EXACT:
        break;
    }
    return real_nan();
}

static uint64_t nearest_in_fp64(const struct truth *truth, const struct real *y) {
    return format_encode(&formats[FORMAT_FP64], y, ROUND_NEAREST_EVEN, truth->computed->overflow);
}

/* Whether fp64 rounds the results at the second input of the block and at the last to what it
 * rounds the values next to the line to. */
static enum by_fp64 compare_ends(struct truth *truth, const struct block *block,
                                 const uint64_t *input) {
    const int operands = truth->computed->operation->operands;
    const uint64_t ends[] = {block->first + 1,
                             block->first + ((uint64_t)1 << block->log2_count) - 1};
    int on_line = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t at[MAX_OPERANDS];
        struct error unused;
        memcpy(at, input, (size_t)operands * sizeof *at);
        at[operands - 1] = ends[i];
        struct real y, claim = known_value(truth, block, ends[i]);
        if (!oracle_exact(&truth->oracle, at, truth->result, &y, &unused))
            return BY_FP64_OPEN;
        on_line += nearest_in_fp64(truth, &y) == nearest_in_fp64(truth, &claim);
    }
    return on_line == 2 ? BY_FP64_ON_LINE : on_line == 0 ? BY_FP64_BESIDE : BY_FP64_OPEN;
}

/* The value next to an asymptote's line serves roundings to the format. fp64 may see how far from
 * the line the result really is: then it rounds to a number beside the line, on the result's side,
 * and what is rounded again is as if it had not been rounded before.
 *
 * The distance is monotone (op/function/asymptote.h), and the lines of one block have one exponent,
 * but for the first where that is a power of two. So where fp64 has both ends on the line, or both
 * beside it, it has all between them there. Where the line is infinite, the result is monotone. False
 * where that leaves it open.
 *
 * Roundings by fp32 and by x87, which are asked about to nearest alone, need no such look. A line of
 * numbers of the format they lead to, as the result itself does. The other lines are x / 2, in the
 * middle of two subnormal numbers. There the distance is less than 2^-25 ulp, and the line, beyond
 * the first 2^6 codes, 2^5 ulps at least: fp32 rounds such a result to the line, and so does x87 in
 * fp32 and fp64, whose subnormal x have results that are off the line by less than x, relatively. */
static bool settle_by_fp64(struct truth *truth, const struct block *block, const uint64_t *input,
                           uint64_t codes[TRUTH_CODES]) {
    const int operands = truth->computed->operation->operands;
    const uint64_t code = input[operands - 1];
    const size_t leading = (size_t)(operands - 1) * sizeof *input;
    const enum rounding rounding = truth->computed->rounding;
    if (truth->format->precision >= formats[FORMAT_FP64].precision ||
        (codes[TRUTH_TOWARD_ZERO_BY_FP64] == codes[ROUND_TOWARD_ZERO] &&
         codes[TRUTH_BY_FP64] == codes[rounding]))
        return true;
    if (block->at_integers || code == block->first)
        return false;
    struct settled *settled = &truth->settled;
    if (!settled->known || memcmp(settled->fixed, input, leading) != 0 ||
        settled->first != block->first || settled->log2_count != block->log2_count) {
        *settled = (struct settled){.known = true,
                                    .first = block->first,
                                    .log2_count = block->log2_count,
                                    .by_fp64 = compare_ends(truth, block, input)};
        memcpy(settled->fixed, input, leading);
    }
    if (settled->by_fp64 == BY_FP64_BESIDE) {
        codes[TRUTH_TOWARD_ZERO_BY_FP64] = codes[ROUND_TOWARD_ZERO];
        codes[TRUTH_BY_FP64] = codes[rounding];
    }
    return settled->by_fp64 != BY_FP64_OPEN;
}

/* What the filter knows; false where it leaves anything open. */
static bool ask_filter(struct truth *truth, const uint64_t *input, uint64_t codes[TRUTH_CODES]) {
    int last = truth->computed->operation->operands - 1;
    const struct block *block = filter_block(truth->filter, input, input[last]);
    struct real ends[2];
    uint64_t others[TRUTH_CODES];
    /* How far a result is from an asymptote's line is known well enough for roundings to the format and those that
     * settle_by_fp64 settles, and not for bits that are cut off behind the last place. */
    if (block->kind == BLOCK_EXACT || (block->kind == BLOCK_ASYMPTOTE && truth->cuts))
        return false;
    if (block->kind != BLOCK_FIT) {
        ends[0] = known_value(truth, block, input[last]);
        round_all(truth, &ends[0], codes);
        return block->kind != BLOCK_ASYMPTOTE || settle_by_fp64(truth, block, input, codes);
    }
    bool quick = truth->format == &formats[FORMAT_FP32] && block->fit.form != FIT_ARITHMETIC;
    if (quick && round_quickly(block, input[last], truth->computed->rounding, codes)) {
        const struct asked_rounding asked = asked_of(truth);
        if (truth->cuts)
            round_by_narrower(&asked, (uint32_t)codes[ROUND_TOWARD_ZERO], codes);
        return true;
    }
    if (!block_enclosure(block, truth->format, input[last], &ends[0], &ends[1]))
        return false;
    round_all(truth, &ends[0], codes);
    round_all(truth, &ends[1], others);
    return memcmp(codes, others, sizeof others) == 0;
}

/* What fma is in steps, which is not told by the exact result. */
static void take_steps(const struct truth *truth, const uint64_t *input,
                       uint64_t codes[TRUTH_CODES]) {
    const struct asked_rounding asked = asked_of(truth);
    struct real operands[3];
    for (int i = 0; i < 3; i++)
        operands[i] = format_decode(format_of_operand(truth->computed->format, i), input[i]);
    fma_by_x87(&asked, operands, &codes[TRUTH_STEPS_BY_X87]);
}

bool truth_at(struct truth *truth, const uint64_t *input, uint64_t codes[TRUTH_CODES],
              struct error *error) {
    struct real y;
    if (truth->converts) {
        codes[truth->computed->rounding] = cast_code(&truth->cast, input[0], truth->random);
        return true;
    }
    if (!truth->filter || !ask_filter(truth, input, codes)) {
        if (!oracle_exact(&truth->oracle, input, truth->result, &y, error))
            return false;
        round_all(truth, &y, codes);
    }
    if (truth->fuses)
        take_steps(truth, input, codes);
    if (truth->oracle.is_divided) {
        if (!oracle_exact(&truth->undivided, input, truth->result, &y, error))
            return false;
        codes[TRUTH_UNDIVIDED] =
            projected_code(truth->format, &y, truth->computed->rounding, truth->computed->overflow,
                           &truth->computed->parameters, truth->index);
    }
    return true;
}

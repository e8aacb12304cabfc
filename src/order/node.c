/* The arithmetic of a node, in exact integers. */
#include "order/node.h"

#include "order/term.h"

#include <stdlib.h>

const char *const order_node_kind_names[ORDER_NODE_KINDS] = {
    "sum", "kahan", "neumaier", "double-double", "exact", "fixed-point", "bins", "slices"};
const char *const order_bin_ends_names[ORDER_BIN_ENDS] = {"absolute", "from-largest"};
const char *const order_totals_names[ORDER_TOTALS] = {"once", "from-largest", "from-smallest",
                                                      "by-rows"};
const char *const order_rounding_names[ORDER_ROUNDINGS] = {
    "nearest-even", "toward-zero", "up", "down", "nearest-away", "to-odd"};
const char *const order_c_names[ORDER_C_PLACES] = {"with-terms", "after-sum"};

struct order_node order_node_plain(const struct format *format, enum rounding rounding) {
    return (struct order_node){.kind = ORDER_SUM,
                               .terms = 2,
                               .result = format,
                               .rounding = (enum order_rounding)rounding,
                               .aligned_bits = ORDER_ALL_BITS,
                               .alignment_floor = ORDER_NO_FLOOR,
                               .nan = format->nan};
}

size_t order_node_most_terms(const struct order_node *node) {
    enum { ALIGNED = 1 << 20, JOINED = 1 << 13 };
    if (node->aligned_bits == ORDER_ALL_BITS ||
        (node->kind != ORDER_SUM && node->kind != ORDER_EXACT))
        return SIZE_MAX;
    return node->groups > 1 || node->c == ORDER_C_AFTER_SUM ? JOINED : ALIGNED;
}

/* ---- Sums ---- */

/* A sum, exact but for what was cut from its terms. */
struct sum {
    int exponent;      /* the largest of the terms */
    int unit;          /* exponent of the last bit of `total` */
    struct wide total; /* two's complement */
    bool any;          /* terms that are not zero */
    bool plus, minus;  /* zeros of that sign */
};

static struct wide negated(struct wide value) {
    return wide_subtract((struct wide){0, 0}, value);
}

/* The significand without its last `shift` bits, rounded. */
static struct wide cut(struct wide significand, bool negative, int shift,
                       enum order_rounding rounding, bool sticky) {
    unsigned count = shift > 128 ? 128 : (unsigned)shift;
    struct wide kept = wide_shift_right(significand, count);
    struct wide back = count < 128 ? wide_shift_left(kept, count) : (struct wide){0, 0};
    struct wide rest = wide_subtract(significand, back);
    bool lost = !wide_is_zero(rest), up = false;
    struct wide half = wide_shift_left((struct wide){0, 1}, count - 1);
    int beside_half = shift > 128 ? -1 : wide_compare(rest, half);
    switch (rounding) {
    case ORDER_NEAREST_EVEN:
        up = beside_half > 0 || (beside_half == 0 && (kept.low & 1));
        break;
    case ORDER_NEAREST_AWAY:
        up = beside_half >= 0;
        break;
    case ORDER_UP:
        up = lost && !negative;
        break;
    case ORDER_DOWN:
        up = lost && negative;
        break;
    case ORDER_TO_ODD:
        kept.low |= lost;
        break;
    default:
        break;
    }
    if (up)
        kept = wide_add(kept, (struct wide){0, 1});
    if (sticky) {
        kept = wide_shift_left(kept, 1);
        kept.low |= lost;
    }
    return negative ? negated(kept) : kept;
}

static void note_sign(struct sum *sum, const struct order_term *term) {
    if (term->kind == REAL_FINITE)
        sum->any = true;
    else if (term->negative)
        sum->minus = true;
    else
        sum->plus = true;
}

/* Adds a term that keeps `bits` behind the point of the sum's exponent. */
static void add_cut(struct sum *sum, const struct order_term *term, int bits,
                    enum order_rounding rounding, bool sticky) {
    note_sign(sum, term);
    if (term->kind != REAL_FINITE)
        return;
    int shift = ORDER_TERM_POINT - bits + sum->exponent - term->exponent;
    struct wide value = cut(term->significand, term->negative, shift, rounding, sticky);
    int finer = sum->exponent - bits - sticky - sum->unit;
    sum->total = wide_add(sum->total, wide_shift_left(value, (unsigned)finer));
}

static int greatest_exponent(const struct order_node *node, const struct order_term *terms,
                             size_t count, const struct order_term *c) {
    int greatest =
        node->alignment_floor == ORDER_NO_FLOOR ? ORDER_NO_EXPONENT : node->alignment_floor;
    for (size_t i = 0; i < count; i++)
        if (terms[i].exponent > greatest)
            greatest = terms[i].exponent;
    return c && c->exponent > greatest ? c->exponent : greatest;
}

/* Every `step`th term. */
static struct sum aligned_group(const struct order_node *node, const struct order_term *terms,
                                size_t count, size_t step, const struct order_term *c) {
    struct sum sum = {.exponent = ORDER_NO_EXPONENT};
    for (size_t i = 0; i < count; i += step) {
        int exponent = greatest_exponent(node, terms + i, 1, NULL);
        if (exponent > sum.exponent)
            sum.exponent = exponent;
    }
    if (c && c->exponent > sum.exponent)
        sum.exponent = c->exponent;
    sum.unit = sum.exponent - node->aligned_bits - node->sticky;
    for (size_t i = 0; i < count; i += step)
        add_cut(&sum, &terms[i], node->aligned_bits, node->alignment, node->sticky);
    if (c)
        add_cut(&sum, c, node->aligned_bits, node->alignment, node->sticky);
    return sum;
}

/* A sum as a term of another. */
static struct order_term term_of_sum(const struct sum *sum) {
    struct order_term term = {.kind = wide_is_zero(sum->total) ? REAL_ZERO : REAL_FINITE,
                              .negative = sum->total.high >> 63,
                              .exponent = sum->exponent};
    struct wide magnitude = term.negative ? negated(sum->total) : sum->total;
    if (term.kind == REAL_ZERO && !sum->any)
        term.negative = sum->minus && !sum->plus;
    term.significand =
        wide_shift_left(magnitude, (unsigned)(ORDER_TERM_POINT - (sum->exponent - sum->unit)));
    return term;
}

/* Sums that are aligned with each other, keeping as many bits as terms do. */
static struct sum join_groups(const struct order_node *node, const struct sum *groups,
                              unsigned count) {
    struct sum sum = {.exponent = ORDER_NO_EXPONENT};
    for (unsigned i = 0; i < count; i++)
        if (groups[i].exponent > sum.exponent)
            sum.exponent = groups[i].exponent;
    sum.unit = sum.exponent - node->aligned_bits;
    for (unsigned i = 0; i < count; i++) {
        struct order_term term = term_of_sum(&groups[i]);
        add_cut(&sum, &term, node->aligned_bits, node->joining, false);
        sum.any |= groups[i].any;
    }
    return sum;
}

static struct sum join_c(const struct order_node *node, const struct sum *terms,
                         const struct order_term *c) {
    struct order_term before = term_of_sum(terms);
    struct sum sum = {.exponent = terms->exponent > c->exponent ? terms->exponent : c->exponent};
    int finest = node->joined_bits > node->c_bits ? node->joined_bits : node->c_bits;
    sum.unit = sum.exponent - finest;
    add_cut(&sum, &before, node->joined_bits, node->joining, false);
    if (node->c_reach && c->exponent < sum.exponent - node->c_reach)
        sum.any = true;
    else
        add_cut(&sum, c, node->c_bits, node->joining, false);
    sum.any |= terms->any;
    return sum;
}

static struct sum aligned_sum(const struct order_node *node, const struct order_term *terms,
                              size_t count, const struct order_term *c) {
    enum { MOST_GROUPS = 8 };
    bool with_terms = node->c == ORDER_C_WITH_TERMS;
    unsigned groups = node->groups > 1 && node->groups <= MOST_GROUPS ? node->groups : 1;
    struct sum sums[MOST_GROUPS] = {{0}};
    for (unsigned group = 0; group < groups; group++)
        sums[group] = aligned_group(node, terms + group, count > group ? count - group : 0, groups,
                                    with_terms && !group ? c : NULL);
    struct sum sum = groups > 1 ? join_groups(node, sums, groups) : sums[0];
    return with_terms || !c ? sum : join_c(node, &sum, c);
}

/* ---- The result ---- */

static struct real real_of_sum(const struct sum *sum) {
    struct real real = {.kind = REAL_ZERO};
    if (wide_is_zero(sum->total)) {
        real.negative = !sum->any && sum->minus && !sum->plus;
        real.cancelled = sum->any || (sum->plus && sum->minus);
        return real;
    }
    real.kind = REAL_FINITE;
    real.negative = sum->total.high >> 63;
    struct wide magnitude = real.negative ? negated(sum->total) : sum->total;
    unsigned zeros = order_leading_zeros(magnitude);
    real.exponent = sum->unit + 127 - (int)zeros;
    real.significand = wide_shift_left(magnitude, zeros);
    return real;
}

/* The exponent of the last bit that is set. */
static int last_bit(const struct order_term *term) {
    struct wide lowest = term->significand;
    struct wide below = wide_subtract(lowest, (struct wide){0, 1});
    lowest.high &= ~below.high;
    lowest.low &= ~below.low;
    return term->exponent - ORDER_TERM_POINT + 127 - (int)order_leading_zeros(lowest);
}

/* Bits from `least` on, by GMP. */
static struct real long_sum(const struct order_term *terms, size_t count,
                            const struct order_term *c, int least) {
    mpz_t total, value;
    mpz_inits(total, value, NULL);
    for (size_t i = 0; i <= count; i++) {
        const struct order_term *term = i < count ? &terms[i] : c;
        if (!term || term->kind != REAL_FINITE)
            continue;
        const uint64_t words[2] = {term->significand.low, term->significand.high};
        mpz_import(value, 2, -1, sizeof *words, 0, 0, words);
        int shift = term->exponent - ORDER_TERM_POINT - least;
        if (shift < 0)
            mpz_tdiv_q_2exp(value, value, (mp_bitcnt_t)-shift);
        else
            mpz_mul_2exp(value, value, (mp_bitcnt_t)shift);
        (term->negative ? mpz_sub : mpz_add)(total, total, value);
    }
    struct real real = {.kind = REAL_ZERO, .cancelled = true};
    if (mpz_sgn(total)) {
        mpfr_t truncated;
        mpfr_init2(truncated, 128);
        int ternary = mpfr_set_z_2exp(truncated, total, least, MPFR_RNDZ);
        real = real_from_mpfr(truncated, ternary);
        mpfr_clear(truncated);
    }
    mpz_clears(total, value, NULL);
    return real;
}

/* All bits of all terms, whatever their exponents. */
static struct real exact_sum(const struct order_term *terms, size_t count,
                             const struct order_term *c) {
    struct sum sum = {.unit = INT_MAX, .exponent = INT_MIN};
    for (size_t i = 0; i <= count; i++) {
        const struct order_term *term = i < count ? &terms[i] : c;
        if (!term)
            continue;
        note_sign(&sum, term);
        if (term->kind != REAL_FINITE)
            continue;
        int last = last_bit(term), first = order_term_exponent(term);
        sum.unit = last < sum.unit ? last : sum.unit;
        sum.exponent = first > sum.exponent ? first : sum.exponent;
    }
    if (!sum.any)
        return real_of_sum(&sum);
    int carries =
        64 - (int)leading_zeros((uint64_t)count + 1); /* bits that the sum grows by at most */
    if (sum.exponent - sum.unit > 126 - carries)
        return long_sum(terms, count, c, sum.unit);
    for (size_t i = 0; i <= count; i++) {
        const struct order_term *term = i < count ? &terms[i] : c;
        if (!term || term->kind != REAL_FINITE)
            continue;
        int shift = term->exponent - ORDER_TERM_POINT - sum.unit;
        struct wide value = shift < 0 ? wide_shift_right(term->significand, (unsigned)-shift)
                                      : wide_shift_left(term->significand, (unsigned)shift);
        sum.total = wide_add(sum.total, term->negative ? negated(value) : value);
    }
    return real_of_sum(&sum);
}

/* Whether an infinity or a NaN among the terms decides, and the code then. */
static bool is_special(const struct order_node *node, const struct order_term *terms, size_t count,
                       const struct order_term *c, uint64_t *code) {
    bool plus = false, minus = false, nan = false;
    for (size_t i = 0; i <= count; i++) {
        const struct order_term *term = i < count ? &terms[i] : c;
        if (!term)
            continue;
        nan |= term->kind == REAL_NAN;
        plus |= term->kind == REAL_INFINITE && !term->negative;
        minus |= term->kind == REAL_INFINITE && term->negative;
    }
    if (!nan && !plus && !minus)
        return false;
    *code = nan || (plus && minus)
                ? node->nan
                : format_with_sign(node->result, format_greatest(node->result), minus);
    return true;
}

uint64_t order_node_add(const struct order_node *node, const struct order_term *terms, size_t count,
                        const uint64_t *c) {
    struct order_term accumulator, *with = NULL;
    if (c) {
        accumulator = order_term_accumulator(node, *c);
        with = &accumulator;
    }
    uint64_t code;
    if (is_special(node, terms, count, with, &code))
        return code;
    struct real real;
    if (node->aligned_bits == ORDER_ALL_BITS) {
        real = exact_sum(terms, count, with);
    } else {
        struct sum sum = aligned_sum(node, terms, count, with);
        real = real_of_sum(&sum);
    }
    return order_node_rounded(node, &real);
}

bool order_node_sum(const struct order_node *node, const struct format *format, const uint64_t *a,
                    const uint64_t *b, size_t count, const uint64_t *c, uint64_t *sum) {
    enum { USUAL = 64 };
    struct order_term few[USUAL] = {{.kind = REAL_ZERO}}, *terms = few;
    if (count > USUAL && !(terms = malloc(count * sizeof *terms)))
        return false;
    for (size_t i = 0; i < count; i++)
        terms[i] = b ? order_term_product(node, format, a[i], format, b[i])
                     : order_term_of(node, format, a[i]);
    *sum = order_node_add(node, terms, count, c);
    if (terms != few)
        free(terms);
    return true;
}

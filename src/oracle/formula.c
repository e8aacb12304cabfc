/* Balls with more and more bits, and blocks of inputs that follow each other. */
#include "oracle/formula.h"

#include "op/formula/ball.h"
#include "op/formula/evaluate.h"
#include "oracle/closing.h"

#include <math.h>
#include <stdlib.h>

/* Bits beyond those of the result, and how often they are doubled before the steps are asked. */
enum { GUARD_BITS = 12, LIMB_BITS = 64, DOUBLINGS = 3 };

/* Where balls stay open, as next to a number of few bits, 2^k inputs go to the steps at once after k > 1 in a row; and
 * every so often an input is tried with few bits again. */
enum { MOST_OPEN = 8, TRIES_OF_FEWER = 16 };

/* Blocks have that many inputs, and are looked at after some have followed each other. */
enum { LEAST_BLOCK_LOG2 = 10, MOST_BLOCK_LOG2 = 20, STREAK = 64 };

struct block_of_formula {
    uint64_t first, count; /* of the last operand's codes; 0: none is known */
    struct formula_stretch stretch;
};

struct formula_oracle {
    const struct operation *operation;
    const struct format *format;
    int precision;
    struct formula_work *work;
    struct formula_balls *balls;
    struct ball_closing closing;
    mpfr_t operand;
    slong bits; /* that decided the latest input */
    unsigned inputs;
    int open, to_pass;
    uint64_t latest[MAX_OPERANDS];
    unsigned streak;
    struct block_of_formula block; /* with the leading operands of `latest` */
};

static slong first_bits(const struct formula_oracle *oracle) {
    return (oracle->precision + GUARD_BITS + LIMB_BITS - 1) / LIMB_BITS * LIMB_BITS;
}

struct formula_oracle *formula_oracle_open(const struct operation *operation,
                                           const struct format *format, int precision) {
    struct formula_oracle *oracle = calloc(1, sizeof *oracle);
    if (!oracle)
        return NULL;
    oracle->operation = operation;
    oracle->format = format;
    oracle->precision = precision;
    ball_closing_open(&oracle->closing, precision);
    mpfr_init2(oracle->operand, 128);
    oracle->work = formula_work_open(operation->made_of);
    oracle->balls = formula_balls_open(operation->made_of);
    oracle->bits = first_bits(oracle);
    if (!oracle->work || !oracle->balls) {
        formula_oracle_close(oracle);
        return NULL;
    }
    return oracle;
}

void formula_oracle_close(struct formula_oracle *oracle) {
    if (!oracle)
        return;
    ball_closing_close(&oracle->closing);
    mpfr_clear(oracle->operand);
    formula_work_close(oracle->work);
    formula_balls_close(oracle->balls);
    free(oracle);
}

struct formula_work *formula_oracle_work(struct formula_oracle *oracle) {
    return oracle->work;
}

bool formula_oracle_find_by_steps(struct formula_oracle *oracle, const struct real *operands,
                                  mpfr_ptr result, int *ternary, struct real *special,
                                  bool *is_special) {
    return formula_truncate(oracle->work, operands, result, ternary, special, is_special);
}

/* The truncated value, where Arb decides it. A ball that is exact is the value. */
static bool close_ball(struct formula_oracle *oracle, arb_srcptr ball, mpfr_ptr result,
                       int *ternary) {
    *ternary = 1;
    if (ball_closes(&oracle->closing, ball, result))
        return true;
    if (!arb_is_exact(ball) || !arb_is_finite(ball) || arb_is_zero(ball))
        return false;
    *ternary = arf_get_mpfr(result, arb_midref(ball), MPFR_RNDZ);
    return true;
}

static bool find_by_ball(struct formula_oracle *oracle, const struct real *operands,
                         mpfr_ptr result, int *ternary) {
    for (int i = 0; i < oracle->operation->operands; i++)
        if (operands[i].kind != REAL_FINITE)
            return false;
    if (oracle->to_pass > 0) {
        oracle->to_pass--;
        return false;
    }
    for (int i = 0; i < oracle->operation->operands; i++) {
        real_to_mpfr(oracle->operand, &operands[i]);
        arf_set_mpfr(arb_midref(formula_balls_operand(oracle->balls, i)), oracle->operand);
    }
    slong least = first_bits(oracle), bits = oracle->bits;
    if (++oracle->inputs % TRIES_OF_FEWER == 0)
        bits = least;
    for (; bits <= least << DOUBLINGS; bits *= 2)
        if (close_ball(oracle, formula_ball(oracle->balls, bits), result, ternary)) {
            oracle->bits = bits;
            oracle->open = 0;
            return true;
        }
    oracle->bits = least;
    if (oracle->open < MOST_OPEN)
        oracle->open++;
    oracle->to_pass = oracle->open > 1 ? 1 << oracle->open : 0;
    return false;
}

static bool same_real(const struct real *a, const struct real *b) {
    return a->kind == b->kind && a->negative == b->negative &&
           (a->kind != REAL_FINITE || (a->inexact == b->inexact && a->exponent == b->exponent &&
                                       wide_compare(a->significand, b->significand) == 0));
}

/* What a block says of the operand. */
static struct real value_in_block(const struct formula_oracle *oracle, const struct real *x) {
    const struct formula_stretch *stretch = &oracle->block.stretch;
    struct real y = *x;
    if (!(stretch->slope > 0 || stretch->slope < 0))
        return stretch->value;
    y.exponent += ilogb(stretch->slope); /* a power of two */
    y.negative = y.negative != (stretch->slope < 0);
    y.inexact = true;
    if (stretch->outward)
        return y;
    struct wide unit = wide_shift_left((struct wide){0, 1}, (unsigned)(128 - oracle->precision));
    y.significand = wide_subtract(y.significand, unit);
    if (!(y.significand.high >> 63)) { /* it was a power of two */
        y.significand = wide_subtract((struct wide){0, 0}, unit);
        y.exponent--;
    }
    return y;
}

/* Whether the steps, at a number of the block, say what the block says. */
static bool is_confirmed(struct formula_oracle *oracle, const struct real *operands,
                         mpfr_ptr result) {
    const struct real *x = &operands[oracle->operation->operands - 1];
    struct real said = value_in_block(oracle, x), found;
    bool special;
    int ternary;
    if (!formula_truncate(oracle->work, operands, result, &ternary, &found, &special))
        return false;
    if (!special)
        found = real_from_mpfr(result, ternary);
    return same_real(&said, &found);
}

/* The block that begins at a code, of one sign and finite. */
static bool look_at_block(struct formula_oracle *oracle, const struct real *operands,
                          uint64_t first, uint64_t count, mpfr_ptr result) {
    int last = oracle->operation->operands - 1;
    struct real ends[MAX_OPERANDS];
    for (int i = 0; i < last; i++)
        ends[i] = operands[i];
    const struct real one = format_decode(oracle->format, first),
                      other = format_decode(oracle->format, first + count - 1);
    if (one.kind != REAL_FINITE || other.kind != REAL_FINITE || one.negative != other.negative ||
        !formula_stretch(oracle->work, operands, &one, &other, oracle->precision,
                         &oracle->block.stretch))
        return false;
    const uint64_t looks[] = {first, first + count - 1, first + count / 3};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        ends[last] = format_decode(oracle->format, looks[i]);
        if (!is_confirmed(oracle, ends, result))
            return false;
    }
    oracle->block.first = first;
    oracle->block.count = count;
    return true;
}

/* Whether the input is in a block that is known now. */
static bool is_in_block(struct formula_oracle *oracle, const uint64_t *codes,
                        const struct real *operands, mpfr_ptr result) {
    int last = oracle->operation->operands - 1;
    bool same = true;
    for (int i = 0; i < last; i++)
        same = same && codes[i] == oracle->latest[i];
    oracle->streak = same && codes[last] == oracle->latest[last] + 1 ? oracle->streak + 1 : 0;
    for (int i = 0; i <= last; i++)
        oracle->latest[i] = codes[i];
    if (!same)
        oracle->block.count = 0;
    if (codes[last] - oracle->block.first < oracle->block.count)
        return true;
    if (oracle->streak < STREAK || codes[last] % (1 << LEAST_BLOCK_LOG2) != 0)
        return false;
    for (int log2 = MOST_BLOCK_LOG2; log2 >= LEAST_BLOCK_LOG2; log2--) {
        uint64_t count = UINT64_C(1) << log2;
        if (codes[last] % count == 0 && count <= format_mask(oracle->format) &&
            look_at_block(oracle, operands, codes[last], count, result))
            return true;
    }
    return false;
}

bool formula_oracle_find(struct formula_oracle *oracle, const uint64_t *codes,
                         const struct real *operands, mpfr_ptr result, int *ternary,
                         struct real *special, bool *is_special) {
    *is_special = is_in_block(oracle, codes, operands, result);
    if (*is_special) {
        *special = value_in_block(oracle, &operands[oracle->operation->operands - 1]);
        return true;
    }
    if (find_by_ball(oracle, operands, result, ternary))
        return true;
    return formula_truncate(oracle->work, operands, result, ternary, special, is_special);
}

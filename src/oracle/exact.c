/* MPFR calls, balls of Arb, and brackets. */
#include "oracle/exact.h"

#include "base/fault.h"
#include "format/text.h"
#include "op/decimal/decimal.h"
#include "op/enclose.h"
#include "op/formula/evaluate.h"
#include "op/formula/value.h"
#include "oracle/formula.h"
#include "oracle/ratio.h"
#include "oracle/result_scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One value for people may take its time. */
enum { WIDE_RANGE = 1 << 24 };

void oracle_thread_begin(void) {
    mpfr_set_emin(-INTERVAL_EXPONENT_RANGE);
    mpfr_set_emax(INTERVAL_EXPONENT_RANGE);
}

/* More bits for a ball than for the result: one in a million leaves something open then. */
enum { BALL_GUARD_BITS = 32, BRACKET_GUARD_BITS = 16 };

/* Where the function runs beside a number of few bits, as tanh x beside x or 1, every ball stays
 * open: after k > 1 in a row 2^k inputs go to MPFR at once, k up to this. */
enum { MOST_OPEN_BALLS = 8 };

/* Bits that the result has beyond those of its quotient, so that a division seldom leaves the last of these open. */
enum { UNDIVIDED_GUARD_BITS = 16 };

static struct oracle *open_undivided(const struct oracle *oracle, int precision) {
    struct oracle *undivided = malloc(sizeof *undivided);
    if (undivided)
        oracle_open(undivided, oracle->operation, oracle->format, NULL, precision);
    return undivided;
}

void oracle_open(struct oracle *oracle, const struct operation *operation,
                 const struct format *format, const struct parameters *parameters, int precision) {
    oracle_thread_begin();
    *oracle = (struct oracle){.operation = operation,
                              .format = format,
                              .precision = precision,
                              .rounding = ROUND_NEAREST_EVEN};
    if (parameters && parameters->values[PARAMETER_RESULT_SCALE].present) {
        const struct parameter_value *scale = &parameters->values[PARAMETER_RESULT_SCALE];
        oracle->is_divided = true;
        oracle->result_scale = format_decode(scale->format, (uint64_t)scale->integer);
        oracle->undivided = open_undivided(oracle, precision + UNDIVIDED_GUARD_BITS);
    }
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_init2(oracle->operand[i], format->precision);
    mpfr_init2(oracle->result, precision);
    mpfr_init2(oracle->outer_end, precision);
    for (int i = 0; i < BALL_OPERANDS; i++)
        arb_init(oracle->ball_operand[i]);
    arb_init(oracle->ball);
    ball_closing_open(&oracle->closing, precision);
    if (operation->made_of)
        oracle->formula = formula_oracle_open(operation, format, precision);
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++)
        mpfr_inits2(precision + BRACKET_GUARD_BITS, oracle->intervals[i].low,
                    oracle->intervals[i].high, (mpfr_ptr)0);
}

static void close_undivided(struct oracle *oracle) {
    if (oracle->undivided)
        oracle_close(oracle->undivided);
    free(oracle->undivided);
    oracle->undivided = NULL;
}

void oracle_close(struct oracle *oracle) {
    close_undivided(oracle);
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_clear(oracle->operand[i]);
    mpfr_clear(oracle->result);
    mpfr_clear(oracle->outer_end);
    for (int i = 0; i < BALL_OPERANDS; i++)
        arb_clear(oracle->ball_operand[i]);
    arb_clear(oracle->ball);
    ball_closing_close(&oracle->closing);
    formula_oracle_close(oracle->formula);
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++) {
        mpfr_clear(oracle->intervals[i].low);
        mpfr_clear(oracle->intervals[i].high);
    }
}

void oracle_thread_end(void) {
    flint_cleanup();
    mpfr_free_cache(); /* again: flint_cleanup hands numbers back to MPFR's pool */
}

/* Whether Arb has left the truncated value in `result`. */
static bool decide_by_ball(struct oracle *oracle, const struct result_rule *rule) {
    const struct arb_rule *arb = rule->arb;
    if (!arb || !(arb->ball || arb->ball2) || oracle->by_mpfr)
        return false;
    for (int i = 0; i < oracle->operation->operands; i++)
        if (!mpfr_regular_p(oracle->operand[i]))
            return false;
    if (oracle->balls_to_pass > 0) {
        oracle->balls_to_pass--;
        return false;
    }
    for (int i = 0; i < oracle->operation->operands; i++)
        arf_set_mpfr(arb_midref(oracle->ball_operand[i]), oracle->operand[i]);
    slong precision = oracle->precision + BALL_GUARD_BITS;
    if (arb->ball)
        arb->ball(oracle->ball, oracle->ball_operand[0], precision);
    else
        arb->ball2(oracle->ball, oracle->ball_operand[0], oracle->ball_operand[1], precision);
    if (FAULT(ball_off)) {
        arb_mul_ui(oracle->ball, oracle->ball, (1UL << 30) + 1, precision);
        arb_mul_2exp_si(oracle->ball, oracle->ball, -30);
    }
    if (ball_closes(&oracle->closing, oracle->ball, oracle->result)) {
        oracle->open_balls = 0;
        return true;
    }
    if (oracle->open_balls < MOST_OPEN_BALLS)
        oracle->open_balls++;
    oracle->balls_to_pass = oracle->open_balls > 1 ? 1 << oracle->open_balls : 0;
    return false;
}

static bool undecided(const struct oracle *oracle, const uint64_t *codes, struct error *error) {
    char inputs[MAX_OPERANDS * (NUMBER_TEXT + 1)] = "", text[NUMBER_TEXT];
    for (int i = 0; i < oracle->operation->operands; i++) {
        strcat(inputs, " ");
        strcat(inputs, format_bits_text(format_of_operand(oracle->format, i), codes[i], text));
    }
    return error_set(error,
                     "the oracle cannot decide %s(%s ) in %s within %d bits; "
                     "please report this input",
                     oracle->operation->name, inputs, oracle->format->name, ENCLOSE_MOST_BITS);
}

/* A formula may be exact there by an identity that nobody proves: that is no fault to report. */
static bool formula_undecided(const struct oracle *oracle, const uint64_t *codes,
                              struct error *error) {
    char inputs[MAX_OPERANDS * (NUMBER_TEXT + 2)] = "", text[NUMBER_TEXT];
    if (!oracle->formula)
        return error_set(error, "out of memory");
    for (int i = 0; i < oracle->operation->operands; i++) {
        strcat(inputs, i ? ", " : "");
        strcat(inputs, format_bits_text(format_of_operand(oracle->format, i), codes[i], text));
    }
    return error_set(
        error,
        "the formula '%.300s' at %s in %s: %d bits do not separate its exact value from a number "
        "of the format; if they are equal by an identity, write the formula without it",
        oracle->operation->name, inputs, oracle->format->name,
        formula_most_precision(oracle->operation->made_of));
}

struct bracketed {
    struct oracle *oracle;
    bracket_function *bracket;
};

static void enclose_bracketed(void *asked, struct interval *y) {
    const struct bracketed *of = asked;
    struct interval *scratch = &of->oracle->intervals[1];
    const mpfr_prec_t bits = mpfr_get_prec(y->low);
    mpfr_srcptr operands[MAX_OPERANDS];
    for (int i = 0; i < MAX_OPERANDS; i++)
        operands[i] = of->oracle->operand[i];
    for (int i = 0; i < BRACKET_SCRATCH && mpfr_get_prec(scratch[i].low) != bits; i++) {
        mpfr_set_prec(scratch[i].low, bits);
        mpfr_set_prec(scratch[i].high, bits);
    }
    of->bracket(y, operands, scratch);
}

/* In the oracle's own interval, which most results find at the precision that they begin with. */
static bool close_bracket(struct oracle *oracle, bracket_function *bracket, const uint64_t *codes,
                          struct error *error) {
    struct bracketed of = {oracle, bracket};
    return enclose_from(enclose_bracketed, &of, oracle->precision + BRACKET_GUARD_BITS,
                        INTERVAL_DECIDED_BY_SIZE, &oracle->intervals[0], oracle->result,
                        oracle->outer_end) ||
           undecided(oracle, codes, error);
}

static int call_mpfr(struct oracle *oracle, const struct result_rule *rule, mpfr_rnd_t rounding) {
    mpfr_srcptr a = oracle->operand[0], b = oracle->operand[1], c = oracle->operand[2];
    if (rule->mpfr1)
        return rule->mpfr1(oracle->result, a, rounding);
    if (rule->mpfr2)
        return rule->mpfr2(oracle->result, a, b, rounding);
    return rule->mpfr3(oracle->result, a, b, c, rounding);
}

static bool find_formula(struct oracle *oracle, const uint64_t *codes, struct real *y,
                         bool *special, int *ternary) {
    if (!oracle->formula)
        return false;
    return oracle->by_mpfr ? formula_oracle_find_by_steps(oracle->formula, oracle->decoded,
                                                          oracle->result, ternary, y, special)
                           : formula_oracle_find(oracle->formula, codes, oracle->decoded,
                                                 oracle->result, ternary, y, special);
}

/* Leaves the truncated value in `result`, with its ternary value; or *y is all there is to know
 * (then *special). */
static bool compute_undivided(struct oracle *oracle, const uint64_t *codes, int result,
                              struct real *y, bool *special, int *ternary, struct error *error) {
    const struct result_rule *rule = &oracle->operation->result[result];
    int count = oracle->operation->operands;
    for (int i = 0; i < count; i++) {
        const struct format *format = format_of_operand(oracle->format, i);
        oracle->decoded[i] = format_decode(format, codes[i]);
        if (!rule->takes_signalling && format_is_signalling(format, codes[i])) {
            *y = real_nan();
            *special = true;
            return true;
        }
    }
    if (oracle->format->is_p3109 && rule->p3109 && rule->p3109(y, oracle->decoded)) {
        *special = true;
        return true;
    }
    if (oracle->operation->made_of)
        return find_formula(oracle, codes, y, special, ternary) ||
               formula_undecided(oracle, codes, error);
    *special = rule->exact || (rule->special && rule->special(y, oracle->decoded));
    if (rule->exact) {
        const struct exact_setting setting = {oracle->format, oracle->rounding};
        *y = rule->exact(oracle->decoded, &setting);
    }
    if (*special)
        return true;
    for (int i = 0; i < count; i++)
        real_to_mpfr(oracle->operand[i], &oracle->decoded[i]);
    *ternary = 1;
    if (decide_by_ball(oracle, rule))
        return true;
    if (rule->bracket)
        return close_bracket(oracle, rule->bracket, codes, error);
    *ternary = call_mpfr(oracle, rule, MPFR_RNDZ);
    return true;
}

/* The same, divided by --result-scale: with more bits of the result, until those of the quotient are decided. A result that
 * is not exact at any precision is not a binary fraction, and so its quotient by one is not either. */
static bool compute(struct oracle *oracle, const uint64_t *codes, int result, struct real *y,
                    bool *special, int *ternary, struct error *error) {
    if (!oracle->is_divided)
        return compute_undivided(oracle, codes, result, y, special, ternary, error);
    const int first = oracle->precision + UNDIVIDED_GUARD_BITS;
    bool decided = false, good = true;
    for (int bits = first; good && !decided && bits <= ENCLOSE_MOST_BITS; bits *= 2) {
        if (oracle->undivided && oracle->undivided->precision != bits) {
            close_undivided(oracle);
            oracle->undivided = open_undivided(oracle, bits);
        }
        struct oracle *undivided = oracle->undivided;
        if (!undivided)
            return error_set(error, "out of memory");
        undivided->rounding = oracle->rounding;
        undivided->by_mpfr = oracle->by_mpfr;
        *ternary = 0;
        good = compute_undivided(undivided, codes, result, y, special, ternary, error);
        if (good && *special) {
            mpfr_set_prec(undivided->result, REAL_BITS);
            real_to_mpfr(undivided->result, y);
            *ternary = y->inexact;
        }
        decided = good && divide_by_scale(oracle->result, ternary, undivided->result,
                                          &oracle->result_scale);
        /* Digits for people go beyond the bits that a special value has. */
        decided = decided || (good && *special && oracle->precision > REAL_BITS);
        if (good && *special)
            mpfr_set_prec(undivided->result, bits);
    }
    *special = false;
    return decided || (good && undecided(oracle, codes, error));
}

bool oracle_exact(struct oracle *oracle, const uint64_t *codes, int result, struct real *y,
                  struct error *error) {
    bool special;
    int ternary;
    if (!compute(oracle, codes, result, y, &special, &ternary, error))
        return false;
    if (!special)
        *y = real_from_mpfr(oracle->result, ternary);
    if (oracle->format->is_p3109 && y->kind == REAL_ZERO)
        *y = real_zero(false); /* for results in a format with -0 too: that of P3109 has no sign */
    if (special || oracle->format->is_p3109)
        return true;
    if (oracle->operation->sums && y->kind == REAL_ZERO && !y->negative) {
        call_mpfr(oracle, &oracle->operation->result[result], MPFR_RNDD);
        y->cancelled = mpfr_signbit(oracle->result) != 0;
    }
    return true;
}

/* Whether the text is all of the value. */
static bool is_decimal_of(const char *text, mpfr_srcptr value) {
    mpfr_t read;
    mpfr_init2(read, mpfr_get_prec(value));
    bool whole = mpfr_strtofr(read, text, NULL, 10, MPFR_RNDZ) == 0 &&
                 (mpfr_equal_p(read, value) || !mpfr_regular_p(value));
    mpfr_clear(read);
    return whole;
}

/* Prints a truncated value; one beyond the limit by its size alone. */
static bool print_value(mpfr_srcptr value, int ternary, mpfr_exp_t limit, int digits, char *text,
                        size_t room) {
    const char *sign = mpfr_signbit(value) ? "-" : "";
    /* Toward zero an overflow gives MPFR's largest number, an underflow zero. */
    bool beyond = mpfr_regular_p(value) ? mpfr_get_exp(value) > limit : !mpfr_zero_p(value);
    if (ternary && (beyond || mpfr_zero_p(value))) {
        snprintf(text, room, "%s2^%ld, or %s", sign, beyond ? (long)limit : -(long)limit,
                 beyond ? "beyond" : "nearer to 0");
        return true;
    }
    if (mpfr_nan_p(value)) {
        snprintf(text, room, "nan");
        return true;
    }
    mpfr_snprintf(text, room, "%.*RZg", digits, value);
    if (ternary || !is_decimal_of(text, value))
        snprintf(text + strlen(text), room - strlen(text), "...");
    return true;
}

/* A fraction with few digits, such as 1/10, which a truncated value would show as 0.0999. */
static bool print_ratio(const struct oracle *oracle, int result, int digits, char *text,
                        size_t room) {
    mpq_t ratio;
    for (int i = 0; i < oracle->operation->operands; i++)
        if (!mpfr_regular_p(oracle->operand[i]))
            return false;
    mpq_init(ratio);
    const bool printed = oracle_ratio(ratio, &oracle->operation->result[result], oracle->operand[0],
                                      oracle->operand[1]) &&
                         decimal_ratio_text(ratio, digits, text, room);
    mpq_clear(ratio);
    return printed;
}

bool oracle_text(struct oracle *oracle, const uint64_t *codes, int result, int digits, char *text,
                 size_t room, struct error *error) {
    struct real y;
    bool special;
    int ternary = 0;
    /* One value may take its time: here it is computed in a wider range. */
    mpfr_set_emin(-WIDE_RANGE);
    mpfr_set_emax(WIDE_RANGE);
    bool by_mpfr = oracle->by_mpfr;
    oracle->by_mpfr = true; /* balls are decided by size too soon */
    bool computed = compute(oracle, codes, result, &y, &special, &ternary, error);
    oracle->by_mpfr = by_mpfr;
    mpfr_exp_t limit =
        oracle->operation->result[result].bracket ? INTERVAL_DECIDED_BY_SIZE : WIDE_RANGE - 1;
    if (oracle->operation->made_of && abs(ternary) == VALUE_BY_SIZE)
        limit = VALUE_DECIDED_BY_SIZE;
    if (computed && special)
        real_to_mpfr(oracle->result, &y);
    bool printed = computed && !special && ternary && !oracle->operation->made_of &&
                   !oracle->is_divided && print_ratio(oracle, result, digits, text, room);
    printed =
        printed || (computed && print_value(oracle->result, ternary, limit, digits, text, room));
    mpfr_set_emin(-INTERVAL_EXPONENT_RANGE);
    mpfr_set_emax(INTERVAL_EXPONENT_RANGE);
    return printed;
}

/* Values, draws, and the results of sums. */
#include "reveal/through_draw.h"

#include "op/array/slices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = THROUGH_FAMILIES * THROUGH_EACH, FEWEST = 8, STEPS = 24 };

/* ---- Values ---- */

static double decode(const struct format *format, uint64_t code) {
    const struct real real = format_decode(format, code);
    return real_to_double(&real);
}

static uint64_t share_of(const struct subject *subject, size_t term) {
    return subject_code(subject, 0, term);
}

/* A term of which the softmax of three is a half, since the sum is 2: one is 1, and the third fills up what the term
 * lacks. The same by two fillers, so that the sum is no neighbour of 2. */
static bool measure(struct subject *subject, size_t place, uint64_t operand, uint64_t *term,
                    bool *known, struct error *error) {
    const struct format *format = subject->request.format, *terms = subject_term_format(subject);
    const size_t n = subject->terms, one = (place + 1) % n, third = (place + 2) % n;
    const double bit = ldexp(1, 1 - terms->precision), value = exp(decode(format, operand));
    const bool is_small = value < bit / 8; /* nothing, beside 1 */
    uint64_t found[2];
    *known = true;
    for (int k = 0; k < 2 && *known; k++) {
        const double filler = is_small ? 0 : 1 - value + (k ? 0.8 : 0.5) * bit;
        subject_set_all(subject, 0);
        subject_set(subject, 0, one, 1);
        subject_set(subject, 0, third, filler);
        array_set_code(&subject->call.operands[0], place * subject->stride, operand);
        if (!subject_call(subject, error))
            return false;
        const double whole = is_small ? 1 : 0.5;
        *known = share_of(subject, one) == through_encode(terms, whole);
        found[k] = through_encode(terms, decode(terms, share_of(subject, place)) / whole);
    }
    *known = *known && found[0] == found[1];
    *term = found[0];
    return true;
}

static bool make_values(struct subject *subject, struct error *error) {
    struct through_replay *made = subject->replayed;
    const struct format *format = subject->request.format, *terms = subject_term_format(subject);
    uint64_t state = 5;
    bool known = true, good = true;
    made->is_measured =
        subject->through->shares && subject->terms > 2 && subject->call.results[0].format == terms;
    for (unsigned i = 0; good && i < VALUES; i++) {
        const unsigned family = i / THROUGH_EACH;
        uint64_t code = through_encode(
                     format, through_draw_value(&state, (enum through_family)family, true)),
                 measured = 0;
        size_t at = made->all;
        if (family == THROUGH_FEW && made->count[THROUGH_FEW] == 3)
            continue;
        if (made->is_measured)
            good = measure(subject, i % subject->terms, code, &measured, &known, error);
        if (!good || !known)
            continue;
        made->operands[family][made->count[family]++] = code;
        while (at > 0 && made->sorted[at - 1] > code) {
            made->sorted[at] = made->sorted[at - 1];
            memcpy(made->terms[at], made->terms[at - 1], sizeof made->terms[at]);
            at--;
        }
        made->sorted[at] = code;
        for (int k = EXPONENTIAL_NEAREST; k < EXPONENTIALS; k++)
            made->terms[at][k] =
                through_exp((enum through_exponential)k, terms, decode(format, code));
        made->terms[at][EXPONENTIAL_MEASURED] =
            made->is_measured ? measured : made->terms[at][EXPONENTIAL_NEAREST];
        made->all++;
    }
    return good;
}

/* What is wrong with a softmax whose exponentials cannot be measured: a single one is not all of their sum, or the rest of
 * them is not what three have in common. */
static bool refuse_shares(struct subject *subject, struct error *error) {
    const char *name = subject->implementation->name;
    subject_set_all(subject, 0);
    subject_set(subject, 0, 0, 1);
    if (!subject_call(subject, error))
        return false;
    const uint64_t share = share_of(subject, 0);
    subject->reader = 0;
    subject->is_hidden = true;
    if (share != through_encode(subject_term_format(subject), 1))
        return error_set(error,
                         "the results of %s are not shares of a sum: where one x is 0 and the "
                         "others are far below, its share is %.9g, not 1. A sum that has an "
                         "epsilon or a sink beside its terms is not revealed",
                         name, subject_result(subject, 0));
    return error_set(
        error,
        "the results of %s do not show its exponentials: rows of three terms whose "
        "sum rounds to 2 in %s do not give e^0 the share 0.5. The sum keeps more bits, "
        "such as in two parts, or the terms are far from e^x",
        name, subject_sum_format(subject)->name);
}

bool through_replay_open(struct subject *subject, struct error *error) {
    subject->replayed = calloc(1, sizeof *subject->replayed);
    if (!subject->replayed)
        return error_set(error, "out of memory");
    if (!through_has_exponentials(subject->through))
        return true;
    if (!make_values(subject, error))
        return false;
    for (int family = 0; family < THROUGH_FAMILIES; family++)
        if (subject->replayed->count[family] < (family == THROUGH_FEW ? 3 : FEWEST))
            return refuse_shares(subject, error);
    return through_shift_find(subject, &subject->replayed->shift, error);
}

enum through_shift through_shift_of(const struct subject *subject) {
    return subject->replayed ? subject->replayed->shift : SHIFT_UNKNOWN;
}

bool through_is_measured(const struct subject *subject) {
    return subject->replayed && subject->replayed->is_measured;
}

/* ---- Results ---- */

/* The term of an operand. */
static uint64_t term_of(const struct subject *subject, enum through_exponential exponential,
                        uint64_t operand) {
    const struct through_replay *made = subject->replayed;
    const struct format *format = subject->request.format, *terms = subject_term_format(subject);
    size_t low = 0, high = made->all;
    if (format_magnitude(format, operand) == 0)
        return through_encode(terms, 1);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(made->sorted[middle] <= operand ? &low : &high) = middle;
    }
    return made->all && made->sorted[low] == operand ? made->terms[low][exponential] : 0;
}

/* A term over the sum, in the format of both, and then in the results'. */
static uint64_t share_by(const struct subject *subject, bool multiplies, uint64_t term,
                         uint64_t sum) {
    const struct format *terms = subject_term_format(subject), *sums = subject_sum_format(subject);
    const double x = decode(terms, term), y = decode(sums, sum),
                 one = decode(sums, through_encode(sums, 1 / y));
    const uint64_t code = through_encode(sums, multiplies ? x * one : x / y);
    return element_cast(sums, subject->call.results[0].format, code);
}

/* Makes the call of a few terms, unless it has been made. */
static bool plant(struct subject *subject, const struct through_planted *wanted, uint64_t *result,
                  struct error *error) {
    const struct format *format = subject->request.format;
    uint64_t hash = wanted->ones;
    for (int k = 0; k < THROUGH_PLANTED; k++)
        hash = (hash ^ wanted->codes[k]) * UINT64_C(0x9e3779b97f4a7c15);
    struct through_planted *cached = &subject->replayed->cache[hash >> 52];
    if (!cached->is_there || cached->ones != wanted->ones ||
        memcmp(cached->codes, wanted->codes, sizeof cached->codes) != 0) {
        subject_set_all(subject, 0);
        for (size_t line = 0; line < subject->lines; line++)
            for (size_t i = 0; i < wanted->ones; i++)
                subject_set(subject, line, i, 1);
        for (size_t i = 0; i < THROUGH_PLANTED && wanted->ones + i < subject->terms; i++)
            if (format_magnitude(format, wanted->codes[i]) != 0)
                array_set_code(&subject->call.operands[0], (wanted->ones + i) * subject->stride,
                               wanted->codes[i]);
        subject->reader = 0;
        if (!subject_call(subject, error))
            return false;
        *cached = *wanted;
        cached->is_there = true;
        cached->result = subject_code(subject, 0, 0);
    }
    *result = cached->result;
    return true;
}

/* What the model's sum of planted terms is. */
static double sum_of(const struct subject *subject, const struct through_model *model,
                     const struct through_planted *planted, uint64_t *codes) {
    const struct format *format = subject->request.format, *terms = subject_term_format(subject),
                        *sums = subject_sum_format(subject);
    const bool exponentials = through_has_exponentials(subject->through);
    uint64_t sum = 0;
    for (size_t i = 0; i < subject->terms; i++) {
        const size_t k = i - planted->ones;
        uint64_t code = 0;
        if (i < planted->ones)
            code = through_encode(terms, 1);
        else if (k < THROUGH_PLANTED && planted->codes[k] && exponentials)
            code = through_exp(model->choice.exponential, terms, decode(format, planted->codes[k]));
        else if (k < THROUGH_PLANTED)
            code = planted->codes[k];
        code_store(codes, format_bytes(terms), i, code);
    }
    const struct order_terms x = {codes, subject->terms, 1};
    order_plan_run(model->plan, 1, &x, exponentials ? NULL : &x, NULL, &sum);
    return decode(sums, code_load(&sum, format_bytes(sums), 0));
}

/* Steps from a code that is no 0 to one whose term is larger, or smaller. */
static uint64_t step(bool exponentials, uint64_t code, bool up) {
    return up == exponentials ? code - 1 : code + 1;
}

/* The largest term of an operand that is no more than that, about; what it is, exactly, in `term`. */
static uint64_t operand_below(const struct subject *subject, const struct through_model *model,
                              double value, double *term) {
    const struct format *format = subject->request.format, *terms = subject_term_format(subject);
    const bool exponentials = through_has_exponentials(subject->through);
    uint64_t code = through_encode(format, exponentials ? log(value) : sqrt(value));
    for (int i = 0; i < 2; i++) {
        const double operand = decode(format, code);
        *term = exponentials ? decode(terms, through_exp(model->choice.exponential, terms, operand))
                             : operand * operand;
        if (*term <= value || format_magnitude(format, code) == 0)
            break;
        code = step(exponentials, code, false);
    }
    return code;
}

/* The same of numbers whose own sum is 0 in any order: 1 and -1, another pair, and three that fill up what is left. The
 * squares of these are a few units of the last bit of the sum; two of a pair, one after the other, add an even number. */
static bool find_balanced(const struct subject *subject, const struct through_model *model,
                          double sum, struct through_planted *planted, uint64_t *codes) {
    enum { SHARES = 6, ROUNDS = 4 };
    const double rest = sum - 2;
    const struct format *format = subject->request.format;
    *planted = (struct through_planted){.ones = 1};
    if (!(rest > 0 && rest < DBL_MAX))
        return false;
    const double grid = ldexp(1, ilogb(1 + sqrt(rest / 2)) - 21),
                 pair = grid * (floor(sqrt(rest / 2) / grid) - 1);
    for (int k = 0; k < SHARES; k++) {
        const double share = (double)k / (SHARES - 1),
                     squares = 1 + share * share + (1 + share) * (1 + share);
        double wanted = rest - 2 * pair * pair, found = 0;
        for (int i = 0; i < ROUNDS && wanted >= 0 && found != sum; i++) {
            const double a = grid * nearbyint(sqrt(wanted / squares) / grid),
                         b = grid * nearbyint(share * a / grid);
            const double numbers[THROUGH_PLANTED] = {-1, pair, -pair, a, b, -a - b};
            for (int j = 0; j < THROUGH_PLANTED; j++)
                planted->codes[j] = through_encode(format, numbers[j]);
            found = sum_of(subject, model, planted, codes);
            wanted += sum - found;
        }
        if (found == sum)
            return true;
    }
    return false;
}

/* Terms whose sum is just that: as many ones as there are in it, and a few others for the rest, the last of which is
 * tried out. */
static bool find_planted(const struct subject *subject, const struct through_model *model,
                         double sum, struct through_planted *planted, uint64_t *codes) {
    if (subject->through->terms == TERMS_BALANCED)
        return find_balanced(subject, model, sum, planted, codes);
    const struct format *format = subject->request.format, *sums = subject_sum_format(subject);
    const bool exponentials = through_has_exponentials(subject->through);
    if (!(sum >= 1 && sum <= (exponentials ? (double)subject->terms : DBL_MAX)))
        return false;
    *planted = (struct through_planted){.ones = exponentials ? (size_t)sum : 1};
    double rest = sum - (double)planted->ones, term;
    size_t count = 0;
    const double bit = ldexp(1, ilogb(sum) + 1 - sums->precision);
    while (rest > bit / 8 && count < THROUGH_PLANTED && planted->ones + count < subject->terms) {
        planted->codes[count++] = operand_below(subject, model, rest, &term);
        rest -= term;
    }
    for (int i = 0; i < STEPS; i++) {
        const double found = sum_of(subject, model, planted, codes);
        uint64_t *last = &planted->codes[count ? count - 1 : 0];
        if (found == sum)
            return true;
        if (format_magnitude(format, *last) == 0)
            return false;
        *last = step(exponentials, *last, found < sum);
    }
    return false;
}

static bool expect_line(struct subject *subject, const struct through_model *model,
                        const uint64_t *terms, uint64_t sum, uint64_t *expected, bool *known,
                        uint64_t *codes, struct error *error) {
    const struct format *sums = subject_sum_format(subject);
    struct through_planted planted;
    for (size_t column = 0; column < subject->columns; column++)
        known[column] = subject->through->shares;
    for (size_t column = 0; subject->through->shares && column < subject->columns; column++)
        expected[column] = share_by(subject, model->choice.multiplies, terms[column], sum);
    if (subject->through->shares)
        return true;
    known[0] = true;
    expected[0] = element_cast(sums, subject->call.results[0].format, sum);
    if (subject->through->terms == TERMS_PLAIN)
        return true;
    known[0] = find_planted(subject, model, decode(sums, sum), &planted, codes);
    return !known[0] || plant(subject, &planted, expected, error);
}

bool through_expect(struct subject *subject, const struct through_model *model,
                    const struct array_call *call, uint64_t *expected, bool *known,
                    struct error *error) {
    const struct format *format = subject_term_format(subject), *sums = subject_sum_format(subject);
    const size_t n = subject->terms, bytes = format_bytes(format);
    uint64_t *memory = calloc(subject->lines * n * 2 + subject->lines + n + 1, sizeof *memory);
    uint64_t *terms = memory, *packed = memory ? terms + subject->lines * n : NULL;
    uint64_t *results = memory ? packed + subject->lines * n : NULL,
             *codes = memory ? results + subject->lines : NULL;
    bool good = memory || error_set(error, "out of memory");
    for (size_t line = 0; good && line < subject->lines; line++)
        for (size_t i = 0; i < n; i++) {
            const uint64_t operand =
                array_code(&call->operands[0], line * subject->pitch + i * subject->stride);
            terms[line * n + i] = through_has_exponentials(subject->through)
                                      ? term_of(subject, model->choice.exponential, operand)
                                      : operand;
            code_store(packed, bytes, line * n + i, terms[line * n + i]);
        }
    const struct order_terms x = {packed, n, 1};
    if (good && !order_plan_run(model->plan, subject->lines, &x,
                                through_has_squares(subject->through) ? &x : NULL, NULL, results))
        good = error_set(error, "out of memory");
    for (size_t line = 0; good && line < subject->lines; line++)
        good = expect_line(
            subject, model, terms + line * n, code_load(results, format_bytes(sums), line),
            expected + line * subject->columns, known + line * subject->columns, codes, error);
    free(memory);
    return good;
}

/* Where two terms meet, what is left of a small one beside a large one: seen when the large one is taken away by a
 * third, which joins them in the addition above. */
#include "reveal/bins.h"
#include "reveal/factors.h"
#include "reveal/shot.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEASURED = 600 };

/* ---- The tree ---- */

static bool find_relations(struct aim *aim, struct error *error) {
    const struct order_tree *tree = aim->tree;
    aim->one = calloc(tree->count + 1, sizeof *aim->one);
    aim->above = calloc(tree->count + 1, sizeof *aim->above);
    aim->found = calloc(tree->count + 1, sizeof *aim->found);
    aim->rounded = calloc(tree->terms + 1, 1);
    if (!aim->one || !aim->above || !aim->found || !aim->rounded)
        return error_set(error, "out of memory");
    for (size_t v = 0; v < tree->count; v++) {
        const int32_t *children = tree->children + tree->additions[v].first;
        aim->above[v] = -1;
        aim->one[v] = term_in(aim, children[0]);
        for (uint32_t k = 0; k < tree->additions[v].children; k++)
            if (order_is_addition(children[k]))
                aim->above[~children[k]] = (int32_t)v;
    }
    return true;
}

static bool is_measurable(const struct aim *aim, size_t v) {
    return aim->above[v] >= 0 && aim->tree->additions[v].children == 2;
}

/* ---- Formats ---- */

/* Whether 2^-bits is what is left. Of what is rounded up more is. */
static bool is_kept(const struct shot *shot, int bits) {
    return fabs(shot->result - ldexp(1, -bits)) < ldexp(1, -bits - 2);
}

/* Whether 2^-bits is kept beside 1, of additions whose class is `of`; those that keep it have class `then`. */
static bool raise_class(struct aim *aim, const size_t *additions, size_t count, enum kept_class of,
                        int bits, enum kept_class then, struct error *error) {
    struct shot *shots = calloc(count + 1, sizeof *shots);
    size_t *asked = calloc(count + 1, sizeof *asked), k = 0;
    bool good = (shots && asked) || error_set(error, "out of memory");
    for (size_t i = 0; good && i < count; i++) {
        if (aim->found[additions[i]].kept != of)
            continue;
        asked[k] = additions[i];
        shots[k++] = large_shot_at(aim, additions[i], 1, ldexp(1, -bits), -1);
    }
    good = good && shoot_large(aim, shots, k, error);
    for (size_t i = 0; good && i < k; i++)
        if (is_kept(&shots[i], bits))
            aim->found[asked[i]].kept = then;
    free(shots);
    free(asked);
    return good;
}

/* The smallest power of two that terms have, and results that may be divided by their number, is 2^-this times the large
 * number. */
static int least_power(const struct aim *aim) {
    const struct subject *subject = aim->subject;
    const struct format *format = subject->request.format,
                        *result = subject->call.results[0].format;
    int term = format->emin - format->precision + 1, sum = result->emin - result->precision + 1;
    if (subject_sets_both(subject))
        term *= 2;
    sum += ilogb(2 * aim->scale - 1);
    return ilogb(aim->large) - (term > sum ? term : sum);
}

static bool find_classes(struct aim *aim, const size_t *additions, size_t count,
                         struct error *error) {
    const int least = least_power(aim);
    for (size_t i = 0; i < count; i++)
        aim->found[additions[i]].kept = least < 9 ? KEPT_UNKNOWN : KEPT_BF16;
    if (least < 17) /* what keeps all that terms have is left to replay */
        return raise_class(aim, additions, count, KEPT_BF16, 9, KEPT_UNKNOWN, error);
    return raise_class(aim, additions, count, KEPT_BF16, 17, KEPT_FP32, error) &&
           raise_class(aim, additions, count, KEPT_BF16, 9, KEPT_FP16, error) &&
           raise_class(aim, additions, count, KEPT_FP32, 38, KEPT_FP64, error) &&
           raise_class(aim, additions, count, KEPT_FP64, 58, KEPT_EXTENDED, error);
}

/* 1.5 - 1 of the smallest normal number is subnormal. A number that is so much larger is added to it that what comes out is no
 * subnormal number, even where it is divided by the number of terms. Not measured where results do not show both. */
static bool find_flushing(struct aim *aim, const size_t *additions, size_t count,
                          struct error *error) {
    const struct format *format = aim->subject->request.format;
    const int more = ilogb(2 * aim->scale - 1),
              shown = aim->subject->call.results[0].format->precision;
    const double least = ldexp(1, format->emin), beside = ldexp(1, more);
    struct shot *shots = calloc(count + 1, sizeof *shots);
    if (!shots)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        shots[i] = shot_at(aim, additions[i], 1.5 * least, -least, beside * least);
    bool good = shoot(aim, shots, count, error);
    for (size_t i = 0; good && i < count; i++) {
        const struct format *kept = kept_format(aim->found[additions[i]].kept);
        aim->found[additions[i]].flushes = kept && kept->emin == format->emin &&
                                           more + 2 < kept->precision && more + 2 < shown &&
                                           shots[i].result < (beside + 0.25) * least;
    }
    free(shots);
    return good;
}

/* ---- Directions ---- */

/* By what is left of a quarter and of three quarters of the last bit, and of a half. */
static bool find_rounding(struct aim *aim, size_t v, enum kept_class kept, struct error *error) {
    const double bit = ldexp(1, 1 - aim->precision[kept]);
    static const double parts[] = {0.25, 0.75, 0.5};
    enum { SHOTS = 5 };
    struct shot shots[SHOTS];
    for (int i = 0; i < 3; i++)
        shots[i] = large_shot_at(aim, v, 1, parts[i] * bit, -1);
    shots[3] = large_shot_at(aim, v, -1, -0.25 * bit, 1);
    shots[4] = large_shot_at(aim, v, -1, -0.75 * bit, 1);
    if (!shoot_large(aim, shots, SHOTS, error))
        return false;
    int left[SHOTS];
    for (int i = 0; i < SHOTS; i++) {
        double bits = shots[i].result / bit;
        left[i] = bits > 0.5 ? 1 : bits < -0.5 ? -1 : 0;
    }
    static const struct {
        int left[SHOTS];
        enum order_rounding rounding;
    } rows[] = {{{0, 1, 0, 0, -1}, ORDER_NEAREST_EVEN}, {{0, 1, 1, 0, -1}, ORDER_NEAREST_AWAY},
                {{0, 0, 0, 0, 0}, ORDER_TOWARD_ZERO},   {{1, 1, 1, 0, 0}, ORDER_UP},
                {{0, 0, 0, -1, -1}, ORDER_DOWN},        {{1, 1, 1, -1, -1}, ORDER_TO_ODD}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (memcmp(rows[i].left, left, sizeof left) == 0) {
            aim->rounding[kept] = rows[i].rounding;
            aim->rounds[kept] = true;
        }
    return true;
}

/* The bits that the result keeps: the smallest power of two beside 1. Where that is the smallest that terms have, the
 * bits are those of its format. */
static bool find_precision(struct aim *aim, size_t v, enum kept_class kept, struct error *error) {
    static const int least[KEPT_CLASSES] = {0, 1, 9, 17, 38, 58};
    static const int most[KEPT_CLASSES] = {0, 9, 17, 38, 58, 120};
    int low = least[kept], high = most[kept]; /* low is kept, high is not */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        struct shot shot = large_shot_at(aim, v, 1, ldexp(1, -middle), -1);
        if (!shoot_large(aim, &shot, 1, error))
            return false;
        *(is_kept(&shot, middle) ? &low : &high) = middle;
    }
    if (low < least_power(aim))
        aim->precision[kept] = low + 1;
    return true;
}

static bool find_details(struct aim *aim, const size_t *additions, size_t count,
                         struct error *error) {
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        enum kept_class kept = aim->found[additions[i]].kept;
        if (kept == KEPT_UNKNOWN || aim->precision[kept])
            continue;
        const struct format *format = kept_format(kept);
        aim->precision[kept] = format ? format->precision : 64;
        if (aim->scale == 1)
            good = find_precision(aim, additions[i], kept, error);
        if (good && aim->scale == 1 && aim->precision[kept] <= least_power(aim))
            good = find_rounding(aim, additions[i], kept, error);
    }
    return good;
}

/* Of an addition that keeps less than others do: just above the middle of two numbers that it keeps, it rounds up, unless
 * that little is lost before. */
static bool find_spills(struct aim *aim, const size_t *additions, size_t count,
                        struct error *error) {
    enum kept_class least = KEPT_CLASSES, most = KEPT_UNKNOWN;
    size_t spilled = 0;
    for (size_t i = 0; i < count; i++) {
        enum kept_class kept = aim->found[additions[i]].kept;
        if (kept == KEPT_UNKNOWN)
            continue;
        most = kept > most ? kept : most;
        if (kept >= least)
            continue;
        least = kept;
        spilled = additions[i];
    }
    if (!count || least == most || !kept_format(most))
        return true;
    int precision = kept_format(least)->precision, usual = kept_format(most)->precision;
    if (precision >= aim->subject->request.format->precision)
        return true;
    struct shot shot =
        large_shot_at(aim, spilled, 1 + ldexp(1, -precision), ldexp(1, -usual - 6), -1);
    if (!shoot_large(aim, &shot, 1, error))
        return false;
    aim->spills = true;
    aim->spills_twice = shot.result < ldexp(1, -precision);
    return true;
}

/* ---- Additions of several terms ---- */

/* Of products both factors have a share of the exponent. */
static void set_shared(struct shot *shot, size_t at, double value) {
    const int half = value == 0 ? 0 : ilogb(value) / 2;
    shot->value[at] = ldexp(value, -half);
    shot->factor[at] = ldexp(1, half);
}

/* Of a term beside 2^scale and its negative, in units of 2^scale; infinite where that is too large. */
static double left_of(struct aim *aim, const size_t *terms, int scale, double small,
                      struct error *error) {
    const double values[] = {1, small, -1};
    struct shot shot = {.count = 3};
    for (size_t i = 0; i < 3; i++) {
        shot.term[i] = terms[i];
        shot.value[i] = values[i];
        if (aim->subject->products)
            set_shared(&shot, i, ldexp(values[i], scale));
    }
    if (!shoot(aim, &shot, 1, error))
        return NAN;
    if (!isfinite(shot.result))
        return INFINITY;
    return aim->subject->products ? ldexp(shot.result, -scale) : shot.result;
}

/* The largest power of two of a few at which products can be added and taken away again: the larger it is, the smaller
 * are the others that are seen beside it. */
static bool find_scale(struct aim *aim, const size_t *terms, int *scale, struct error *error) {
    const int levels[] = {2 * aim->subject->request.format->emax - 2, 30, 15, 8, 0};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double left = 0;
        *scale = levels[i] > 30 ? 30 : levels[i];
        if (aim->subject->products && isnan(left = left_of(aim, terms, *scale, 0.5, error)))
            return false;
        if (left == 0.5)
            break;
    }
    return true;
}

/* Whether what is cut is not lost, but sets the last bit, as a sticky bit behind one bit less does: however small it is. */
static bool find_odd(struct aim *aim, const size_t *terms, int scale, int bits,
                     struct error *error) {
    enum { FURTHER = 3 };
    const double smaller = ldexp(1, -bits - FURTHER), unit = ldexp(1, 1 - bits),
                 up = left_of(aim, terms, scale, smaller, error) / unit,
                 down = left_of(aim, terms, scale, -smaller, error) / unit;
    if (!(up > 0.5 && up < 1.5))
        return false;
    aim->aligned_bits = bits - 1;
    aim->alignment = down < -0.5 ? ORDER_TO_ODD : ORDER_UP;
    return true;
}

static bool find_alignment(struct aim *aim, struct error *error) {
    enum { MOST = 60 };
    size_t terms[3], found = 0;
    for (size_t v = 0; v < aim->tree->count && found < 3; v++) {
        const struct order_addition *addition = &aim->tree->additions[v];
        found = 0;
        for (uint32_t k = 0; k < addition->children && found < 3 && addition->children > 2; k++)
            if (order_is_term(aim->tree->children[addition->first + k]))
                terms[found++] = (size_t)aim->tree->children[addition->first + k];
    }
    aim->aligned_bits = ORDER_ALL_BITS;
    aim->has_many = found == 3;
    int scale = 0;
    if (aim->has_many && !find_scale(aim, terms, &scale, error))
        return false;
    for (int bits = 1; aim->has_many && bits < MOST; bits++) {
        double left = left_of(aim, terms, scale, ldexp(1, -bits), error);
        if (isnan(left))
            return false;
        if (left > 1.5 * ldexp(1, -bits) && find_odd(aim, terms, scale, bits, error))
            return true;
        if (left > 0)
            continue;
        aim->aligned_bits = bits - 1;
        double unit = ldexp(1, 1 - bits),
               up = left_of(aim, terms, scale, 1.75 * unit, error) / unit,
               down = left_of(aim, terms, scale, -1.75 * unit, error) / unit;
        aim->alignment = up < 1.5 ? (down < -1.5 ? ORDER_DOWN : ORDER_TOWARD_ZERO)
                                  : (down < -1.5 ? ORDER_NEAREST_EVEN : ORDER_UP);
        return true;
    }
    return true;
}

/* ---- All of it ---- */

/* The exponent of the least single term that is seen. */
static bool find_fixed_point(struct aim *aim, struct error *error) {
    const struct format *format = aim->subject->request.format;
    int low = format->emin, high = format->emax < 20 ? format->emax : 20;
    size_t term = 0;
    while (order_is_addition(aim->tree->children[term]) && term + 1 < aim->tree->child_count)
        term++;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        struct shot shot = {1, {(size_t)aim->tree->children[term]}, {ldexp(1, middle)}, {0}, 0};
        if (!shoot(aim, &shot, 1, error))
            return false;
        *(shot.result != 0 ? &high : &low) = middle;
    }
    aim->fixed_exponent = high == format->emin + 1 ? INT_MIN : high;
    return true;
}

/* Those that are measured: all, or some if there are many. */
static size_t choose(const struct aim *aim, size_t *additions, size_t step) {
    size_t count = 0;
    for (size_t v = 0; v < aim->tree->count; v++)
        if (is_measurable(aim, v) && (v % step == 0 || v + 32 > aim->tree->count))
            additions[count++] = v;
    return count;
}

static bool measure(struct aim *aim, size_t *additions, size_t step, struct error *error) {
    size_t count = choose(aim, additions, step);
    if (!find_classes(aim, additions, count, error) || !find_flushing(aim, additions, count, error))
        return false;
    for (size_t i = 1; i < count && step > 1; i++)
        if (aim->found[additions[i]].kept != aim->found[additions[0]].kept ||
            aim->found[additions[i]].flushes != aim->found[additions[0]].flushes)
            return measure(aim, additions, 1, error);
    for (size_t v = 0; v < aim->tree->count && count && step > 1; v++)
        if (is_measurable(aim, v))
            aim->found[v] = aim->found[additions[0]];
    return find_details(aim, additions, count, error) && find_spills(aim, additions, count, error);
}

/* 1, or where the least numbers of the format are near that, one of its largest. */
static double large_number(const struct subject *subject) {
    enum { NEAR = -100 };
    const struct format *format = subject->request.format;
    return subject_is_mean(subject) && format->emin > NEAR ? ldexp(1, format->emax - 1) : 1;
}

bool aim_open(struct aim *aim, struct subject *subject, const struct order_tree *tree,
              struct error *error) {
    *aim = (struct aim){.subject = subject,
                        .tree = tree,
                        .scale = subject_is_mean(subject) ? (double)subject->terms : 1,
                        .large = large_number(subject),
                        .aligned_bits = ORDER_ALL_BITS,
                        .fixed_exponent = INT_MIN};
    return find_relations(aim, error);
}

bool aim_take(struct aim *aim, struct subject *subject, const struct order_tree *tree, bool keeps,
              struct error *error) {
    size_t *additions = calloc(tree->count + 1, sizeof *additions);
    bool good = aim_open(aim, subject, tree, error) && additions;
    if (good && !(keeps && tree->count == 1))
        good = measure(aim, additions, tree->count > MOST_MEASURED ? tree->count / 64 : 1, error);
    if (good)
        good = find_alignment(aim, error) && (!keeps || find_fixed_point(aim, error)) &&
               aim_bins(aim, error);
    good = good && aim_factors(aim, error);
    if (good && subject->products && !factors_keep_products(aim))
        good = aim_products(aim, error);
    good = good && aim_last(aim, keeps, error);
    free(additions);
    return good;
}

void aim_close(struct aim *aim) {
    free(aim->one);
    free(aim->above);
    free(aim->found);
    free(aim->flushes_terms);
    free(aim->rounded);
}

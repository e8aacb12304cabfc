/* Choosing the numbers, asking, and sorting. */
#include "reveal/swallow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In which additions a small number is lost beside the large one: those that keep so many bits. */
static const struct {
    enum kept_class kept;
    int precision;
} classes[] = {{KEPT_FP64, 53}, {KEPT_FP32, 24}, {KEPT_FP16, 11}, {KEPT_BF16, 8}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* A small number, in units of the last bit: it is lost, and twice as much is not, where additions round to nearest; where
 * they round toward zero. A number of the format that is so far from it serves. */
static const struct {
    double part, least, most;
    enum order_rounding rounding;
} parts[] = {{0.375, 0.26, 0.49, ORDER_NEAREST_EVEN}, {0.75, 0.55, 0.95, ORDER_TOWARD_ZERO}};
enum { PARTS = sizeof parts / sizeof *parts };

struct swallow {
    struct pairs *pairs;
    unsigned class, part; /* by which the tree is asked for */
    uint64_t *alone;      /* of each term: the result where it alone is there, the large one */
    uint8_t *has_alone;
    bool has_many; /* three terms have been seen to meet at once */
    struct error *error;
};

/* Three terms of a call: one is large, and one or two are small. */
struct trial {
    size_t large, small[2];
    double value;
    uint64_t code;
};
enum { NOTHING = 0 };

static void lay(struct subject *subject, size_t line, const struct trial *trial, bool clears,
                double large) {
    subject_set(subject, line, trial->large, clears ? 0 : large);
    for (int k = 0; k < 2 && trial->value != NOTHING; k++)
        if (trial->small[k] != SIZE_MAX)
            subject_set(subject, line, trial->small[k], clears ? 0 : trial->value);
}

static uint64_t code_of(struct subject *subject, size_t line, size_t term) {
    subject->reader = term;
    return subject_code(subject, line, subject->through->shares ? term : 0);
}

/* Makes the calls, of which the lines of one are several. */
static bool make(struct swallow *swallow, struct trial *trials, size_t count) {
    struct subject *subject = swallow->pairs->subject;
    subject_set_all(subject, 0);
    for (size_t at = 0; at < count; at += subject->lines) {
        size_t there = count - at < subject->lines ? count - at : subject->lines;
        for (size_t line = 0; line < there; line++)
            lay(subject, line, &trials[at + line], false, swallow->pairs->large);
        if (!subject_call(subject, swallow->error))
            return false;
        for (size_t line = 0; line < there; line++) {
            trials[at + line].code = code_of(subject, line, trials[at + line].large);
            lay(subject, line, &trials[at + line], true, 0);
        }
    }
    return true;
}

/* The results of the large terms alone, as far as they are not known. */
static bool know_alone(struct swallow *swallow, const struct trial *trials, size_t count) {
    struct trial *missing = calloc(count + 1, sizeof *missing);
    size_t k = 0;
    if (!missing)
        return error_set(swallow->error, "out of memory");
    for (size_t i = 0; i < count; i++) {
        if (swallow->has_alone[trials[i].large])
            continue;
        swallow->has_alone[trials[i].large] = 1;
        missing[k++] = (struct trial){trials[i].large, {SIZE_MAX, SIZE_MAX}, NOTHING, 0};
    }
    bool good = !k || make(swallow, missing, k);
    for (size_t i = 0; good && i < k; i++)
        swallow->alone[missing[i].large] = missing[i].code;
    free(missing);
    return good;
}

/* Of each trial, whether the small ones are seen. */
static bool ask(struct swallow *swallow, struct trial *trials, size_t count, bool *seen) {
    if (!count)
        return true;
    if (!know_alone(swallow, trials, count) || !make(swallow, trials, count))
        return false;
    for (size_t i = 0; i < count; i++)
        seen[i] = trials[i].code != swallow->alone[trials[i].large];
    return true;
}

static double small_of(const struct swallow *swallow, unsigned class, unsigned part) {
    return parts[part].part * ldexp(1, ilogb(swallow->pairs->large) + 1 - classes[class].precision);
}

/* The number that a term comes to be, once its operand is one of the format. */
static double planted(const struct subject *subject, double term) {
    const struct format *format = subject->request.format;
    const struct real real = real_from_double(through_operand(subject->through, format, term));
    const uint64_t code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    const struct real number = format_decode(format, code);
    return through_term(subject->through, real_to_double(&number));
}

/* ---- Choosing ---- */

/* Whether one small number beside the large one is lost where two terms meet, and a little more than the last bit of the
 * sum is seen, and two of them. */
static bool try_part(struct swallow *swallow, unsigned class, unsigned part, size_t large,
                     size_t small, bool *fits) {
    const struct subject *subject = swallow->pairs->subject;
    const double value = small_of(swallow, class, part), unit = value / parts[part].part,
                 one = planted(subject, value) / unit;
    bool seen[3];
    struct trial trials[] = {{large, {small, SIZE_MAX}, value, 0},
                             {large, {small, SIZE_MAX}, 1.07 * unit, 0},
                             {large, {small, SIZE_MAX}, 2 * value, 0}};
    *fits = one > parts[part].least && one < parts[part].most;
    if (!*fits)
        return true;
    if (!ask(swallow, trials, 3, seen))
        return false;
    *fits = !seen[0] && seen[1] && seen[2];
    return true;
}

/* The large number: one whose last bit shows in the results. */
static bool try_large(struct swallow *swallow, bool *fits) {
    struct pairs *pairs = swallow->pairs;
    const struct through *through = pairs->subject->through;
    for (unsigned i = 0; !*fits; i++) {
        const double large = through_large(through, pairs->count, i);
        if (large < 0)
            break;
        if (large == 0 || planted(pairs->subject, large) != large)
            continue;
        pairs->large = large;
        memset(swallow->has_alone, 0, pairs->count);
        if (!try_part(swallow, swallow->class, swallow->part, 0, pairs->count / 2, fits))
            return false;
    }
    pairs->unit = small_of(swallow, swallow->class, swallow->part);
    return true;
}

/* Of all classes those first that keep the most. */
static bool choose(struct swallow *swallow, struct error *error) {
    struct subject *subject = swallow->pairs->subject;
    bool fits = false;
    for (unsigned k = 0; k < CLASSES * PARTS && !fits; k++) {
        swallow->class = k / PARTS;
        swallow->part = k % PARTS;
        if (!try_large(swallow, &fits))
            return false;
    }
    subject->is_hidden = !fits;
    return fits ||
           error_set(error,
                     "the results of %s show no additions that keep as many bits as those in fp64, "
                     "fp32, fp16 or bf16: the sum has others, as of two parts, or is hidden",
                     subject->implementation->name);
}

bool swallow_open(struct pairs *pairs, struct error *error) {
    const size_t terms = pairs->subject->terms;
    struct swallow *swallow = calloc(1, sizeof *swallow);
    pairs->swallow = swallow;
    if (!swallow)
        return error_set(error, "out of memory");
    *swallow = (struct swallow){.pairs = pairs, .error = error};
    swallow->alone = calloc(terms, sizeof *swallow->alone);
    swallow->has_alone = calloc(terms, 1);
    if (!swallow->alone || !swallow->has_alone)
        return error_set(error, "out of memory");
    pairs->count = terms;
    pairs->is_weighed = true;
    for (size_t i = 0; i < terms; i++) {
        pairs->terms[i] = i;
        pairs->weight[i] = 1;
    }
    return terms == 1 || choose(swallow, error);
}

void swallow_close(struct swallow *swallow) {
    if (!swallow)
        return;
    free(swallow->alone);
    free(swallow->has_alone);
    free(swallow);
}

/* ---- Sorting ---- */

/* Of three terms, a, b and c: which of them meet first. */
enum meeting { FIRST_AND_OTHER, PIVOT_AND_OTHER, FIRST_AND_PIVOT, ALL_AT_ONCE };

static void fill(const struct swallow *swallow, struct trial *trials, const size_t *others,
                 size_t count, size_t large, size_t small) {
    for (size_t i = 0; i < count; i++)
        trials[i] = (struct trial){large == SIZE_MAX ? others[i] : large,
                                   {small, large == SIZE_MAX ? SIZE_MAX : others[i]},
                                   swallow->pairs->unit,
                                   0};
}

/* Of each of the others. */
static bool meet(struct swallow *swallow, size_t first, size_t pivot, const size_t *others,
                 size_t count, uint8_t *meetings) {
    struct trial *trials = calloc(count + 1, sizeof *trials);
    bool *seen = calloc(3 * count + 1, sizeof *seen);
    bool good = (trials && seen) || error_set(swallow->error, "out of memory");
    fill(swallow, trials, others, count, pivot, first);
    good = good && ask(swallow, trials, count, seen);
    fill(swallow, trials, others, count, first, pivot);
    good = good && ask(swallow, trials, count, seen + count);
    fill(swallow, trials, others, count, SIZE_MAX, first);
    for (size_t i = 0; good && i < count; i++)
        trials[i].small[1] = pivot;
    good = good && ask(swallow, trials, count, seen + 2 * count);
    for (size_t i = 0; good && i < count; i++) {
        const bool a = seen[i], b = seen[count + i], c = seen[2 * count + i];
        meetings[i] = (uint8_t)(a + b + c != 1 ? ALL_AT_ONCE
                                : a            ? FIRST_AND_OTHER
                                : b            ? PIVOT_AND_OTHER
                                               : FIRST_AND_PIVOT);
        swallow->has_many |= meetings[i] == ALL_AT_ONCE;
    }
    free(trials);
    free(seen);
    return good;
}

/* Numbers of terms in the sequence in which they join the first one; `below` have joined it before. */
static bool sort(struct swallow *swallow, size_t first, const size_t *others, size_t *places,
                 size_t count, size_t below, size_t *within) {
    if (!count)
        return true;
    size_t *terms = calloc(2 * count, sizeof *terms), *sorted = terms ? terms + count : NULL;
    uint8_t *meetings = calloc(count, 1);
    bool good = (terms && meetings) || error_set(swallow->error, "out of memory");
    const size_t middle = count / 2, pivot = places[middle];
    size_t nearer = 0, along = 0;
    for (size_t i = 0; good && i < count; i++)
        terms[i] = others[places[i]];
    /* The pivot is asked as one that it meets itself. */
    if (good) {
        terms[middle] = terms[count - 1];
        places[middle] = places[count - 1];
        good = meet(swallow, first, others[pivot], terms, count - 1, meetings);
    }
    for (size_t i = 0; good && i + 1 < count; i++) {
        nearer += meetings[i] == FIRST_AND_OTHER;
        along += meetings[i] == PIVOT_AND_OTHER || meetings[i] == ALL_AT_ONCE;
    }
    size_t at[3] = {0, nearer, nearer + along};
    for (size_t i = 0; good && i + 1 < count; i++) {
        const int side = meetings[i] == FIRST_AND_OTHER   ? 0
                         : meetings[i] == FIRST_AND_PIVOT ? 2
                                                          : 1;
        sorted[at[side]++] = places[i];
    }
    const size_t farther = count - 1 - nearer - along, joined = count - farther + below;
    for (size_t i = 0; good && i < along; i++)
        within[sorted[nearer + i]] = joined + 1;
    within[pivot] = joined + 1;
    good = good && sort(swallow, first, others, sorted, nearer, below, within) &&
           sort(swallow, first, others, sorted + nearer + along, farther, joined, within);
    free(terms);
    free(meetings);
    return good;
}

static bool sort_all(struct swallow *swallow, size_t first, const size_t *others, size_t count,
                     size_t *within) {
    size_t *places = calloc(count + 1, sizeof *places);
    bool good = places || error_set(swallow->error, "out of memory");
    for (size_t i = 0; good && i < count; i++)
        places[i] = i;
    good = good && sort(swallow, first, others, places, count, 0, within);
    free(places);
    return good;
}

/* Where some meet at once, a part of these does not tell how many all are: they are sorted among all terms. */
static bool find_among_all(struct swallow *swallow, size_t first, const size_t *others,
                           size_t count, size_t *within) {
    const struct pairs *pairs = swallow->pairs;
    size_t *all = calloc(2 * pairs->count, sizeof *all), *found = all ? all + pairs->count : NULL;
    size_t k = 0;
    if (!all)
        return error_set(swallow->error, "out of memory");
    for (size_t i = 0; i < pairs->count; i++)
        if (i != first)
            all[k++] = i;
    bool good = sort_all(swallow, first, all, k, found);
    for (size_t i = 0; i < count; i++)
        within[i] = found[others[i] - (others[i] > first)];
    free(all);
    return good;
}

bool swallow_within(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                    size_t *within, struct error *error) {
    struct swallow *swallow = pairs->swallow;
    swallow->error = error;
    if (!swallow->has_many && !sort_all(swallow, first, others, count, within))
        return false;
    return !swallow->has_many || find_among_all(swallow, first, others, count, within);
}

/* ---- Additions ---- */

/* A term of each child of an addition of two. */
static void terms_of(const struct aim *aim, size_t v, size_t terms[2]) {
    const int32_t *children = aim->tree->children + aim->tree->additions[v].first;
    for (int k = 0; k < 2; k++)
        terms[k] = order_is_term(children[k]) ? (size_t)children[k] : aim->one[~children[k]];
}

/* How many bits an addition keeps, and how it rounds. */
static bool find_kept(struct swallow *swallow, const struct aim *aim, size_t v, struct aimed *found,
                      unsigned *part) {
    size_t terms[2];
    bool fits = false;
    terms_of(aim, v, terms);
    for (unsigned k = 0; k < CLASSES * PARTS && !fits; k++) {
        /* that of all before others */
        const unsigned at = (swallow->class * PARTS + swallow->part + k) % (CLASSES * PARTS);
        if (!try_part(swallow, at / PARTS, at % PARTS, terms[0], terms[1], &fits))
            return false;
        *part = at % PARTS;
        found->kept = fits ? classes[at / PARTS].kept : KEPT_UNKNOWN;
    }
    return true;
}

static void note_kept(struct aim *aim, size_t v, enum kept_class kept, unsigned part) {
    aim->found[v].kept = kept;
    if (kept == KEPT_UNKNOWN)
        return;
    aim->rounds[kept] = true;
    aim->rounding[kept] = parts[part].rounding;
}

/* Of additions of two, those that keep what most do: all of them are asked at once. */
static bool find_usual(struct swallow *swallow, struct aim *aim) {
    const size_t count = aim->tree->count;
    const double value = swallow->pairs->unit, unit = value / parts[swallow->part].part;
    struct trial *trials = calloc(3 * count + 1, sizeof *trials);
    bool *seen = calloc(3 * count + 1, sizeof *seen);
    bool good = (trials && seen) || error_set(swallow->error, "out of memory");
    size_t asked = 0;
    for (size_t v = 0; good && v < count; v++) {
        const double values[] = {value, 1.07 * unit, 2 * value};
        size_t terms[2];
        for (int k = 0; k < 3 && aim->tree->additions[v].children == 2; k++) {
            terms_of(aim, v, terms);
            trials[asked++] = (struct trial){terms[0], {terms[1], SIZE_MAX}, values[k], 0};
        }
    }
    good = good && ask(swallow, trials, asked, seen);
    asked = 0;
    for (size_t v = 0; good && v < count; v++) {
        if (aim->tree->additions[v].children != 2)
            continue;
        if (!seen[asked] && seen[asked + 1] && seen[asked + 2])
            note_kept(aim, v, classes[swallow->class].kept, swallow->part);
        asked += 3;
    }
    free(trials);
    free(seen);
    return good;
}

bool swallow_aim(struct pairs *pairs, struct aim *aim, struct error *error) {
    struct swallow *swallow = pairs->swallow;
    swallow->error = error;
    if (!find_usual(swallow, aim))
        return false;
    for (size_t v = 0; v < aim->tree->count; v++) {
        struct aimed found = {KEPT_UNKNOWN, false};
        unsigned part = 0;
        aim->has_many |= aim->tree->additions[v].children > 2;
        if (aim->tree->additions[v].children != 2 || aim->found[v].kept != KEPT_UNKNOWN)
            continue;
        if (!find_kept(swallow, aim, v, &found, &part))
            return false;
        note_kept(aim, v, found.kept, part);
    }
    return true;
}

/* What is counted while two implementations are held against each other.
 *
 * Each difference has a set: which hypotheses explain it. Differences are counted by that set, so
 * that afterwards any combination of causes can be told, and what each leaves over. */
#ifndef DETCHECK_EXPLAIN_COUNT_H
#define DETCHECK_EXPLAIN_COUNT_H

#include "explain/events.h"
#include "explain/hypothesis.h"

/* A hypothesis about a side is a bit of a set: row * 2 + side; A is side 0. */
__extension__ typedef unsigned __int128 hypothesis_set;

static inline hypothesis_set hypothesis_bit(size_t row, int side) {
    return (hypothesis_set)1 << (row * 2 + (size_t)side);
}

enum { HYPOTHESIS_BITS = 2 * HYPOTHESIS_MOST, EXAMPLES = 64, SPREAD_BINADES = 2200 };

struct difference {
    uint64_t index; /* in the domain */
    uint64_t in[MAX_OPERANDS];
    uint64_t sides[2]; /* what A and B give */
    struct severity {
        int class;      /* 2 if one side alone is NaN, 1 if the signs differ, else 0 */
        uint64_t apart; /* how many numbers the sides are apart; 0 for NaN */
    } severity;
};

/* Where differences lie: of operations of one operand. */
struct spread {
    uint64_t without_place;              /* at NaN */
    int64_t lowest, highest;             /* as format_ordinal has them */
    uint64_t signs[2];                   /* how many at positive, at negative inputs */
    uint64_t least[2], greatest[2];      /* the smallest and largest magnitudes of those */
    uint64_t binades[2][SPREAD_BINADES]; /* by sign, from the smallest subnormal's on */
    uint64_t least_of[2]
                     [SPREAD_BINADES]; /* of those, where there are any, the smallest magnitude */
};

struct set_count {
    hypothesis_set set;
    uint64_t count;
    size_t example_count;
    struct difference examples[EXAMPLES]; /* the first ones, in order of the domain */
    struct difference worst;              /* the most severe one, and the first of equals */
    struct spread spread;
};

struct counts {
    uint64_t tested, unanswered, not_called, differ;
    uint64_t judged, right[2]; /* differences that the oracle was asked of; a side is right there */
    uint64_t wrong[HYPOTHESIS_BITS]; /* predicted otherwise than it is */
    struct difference wrong_first[HYPOTHESIS_BITS];
    struct side_events events[2];
    struct set_count *sets;
    size_t set_count, latest;
};

/* How severe a difference of outputs in `format` is. */
struct severity severity_of(const struct format *format, const uint64_t sides[2]);

/* Whether `one` is more severe than `other`, or as severe and earlier in the domain. */
bool difference_is_worse(const struct difference *one, const struct difference *other);

/* `repeats` differences, of one operand where they are more than one: the first, and those at the next codes of its sign
 * and exponent, which are at the next inputs. */
bool counts_add(struct counts *counts, const struct format *format, int operands,
                hypothesis_set set, const struct difference *difference, size_t repeats);
void counts_add_wrong(struct counts *counts, int bit, const struct difference *difference,
                      size_t repeats);

/* Adds `part` to `whole`. False without memory. */
bool counts_merge(struct counts *whole, const struct counts *part);
void counts_free(struct counts *counts);

/* Differences that a set of hypotheses explains, or with `others`, that it leaves. */
uint64_t counts_explained(const struct counts *counts, hypothesis_set by);

/* The differences that none of `by` explains, as one; false without memory. */
struct set_count *counts_left(const struct counts *counts, hypothesis_set by);

#endif

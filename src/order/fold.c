/* The shortest rule that gives trees of many lengths.
 *
 * A rule of one row is tried on the samples. One of several rows takes them apart (order/parts.h), and its parts are
 * samples of shorter rules. Sizes are read off the longest sample. What is found on some of the trees is then held
 * against all. */
#include "order/infer.h"

#include <stdlib.h>
#include <string.h>

/* Trees by their length. */
static int by_length(const void *a, const void *b) {
    const struct order_tree *const *x = a, *const *y = b;
    return ((*x)->terms > (*y)->terms) - ((*x)->terms < (*y)->terms);
}

/* Some of the trees from number `from` on: the longest, and others at all scales. */
static void choose(const struct order_tree *const *trees, size_t from, size_t count, size_t step,
                   struct samples *samples) {
    for (size_t back = 0; from + back < count; back += back < step ? 1 : back / 2 + 1)
        samples_add(samples, trees[count - 1 - back]);
}

static size_t broken(const struct order_rules *rules, const struct order_tree *const *trees,
                     const uint64_t *hashes, size_t from, size_t count, bool *breaks) {
    size_t number = 0;
    for (size_t i = from; i < count; i++) {
        breaks[i] = trees[i]->terms > 1 && !infer_gives(rules, trees[i]->terms, hashes[i]);
        number += breaks[i];
    }
    return number;
}

/* The best rule so far, and what it breaks. */
struct best {
    size_t least;
    struct order_rules *rules;
    bool *breaks;
};

/* Looks for a rule of the samples, and adds trees that it breaks to these, a few times. */
static void refine(const struct order_tree *const *trees, const uint64_t *hashes, size_t from,
                   size_t count, struct samples *samples, bool *tried, struct best *best) {
    struct order_rules rules;
    for (int round = 0; round < 4 && samples->count && infer_shortest(samples, &rules); round++) {
        size_t number = broken(&rules, trees, hashes, from, count, tried), known = samples->count;
        if (number < best->least) {
            best->least = number;
            *best->rules = rules;
            memcpy(best->breaks + from, tried + from, (count - from) * sizeof *tried);
        }
        for (size_t i = count, added = 0; i-- > from && added < 3;)
            if (tried[i]) {
                samples_add(samples, trees[i]);
                added++;
            }
        if (samples->count == known)
            return;
    }
}

/* The rule by the trees from `from` on that breaks least; SIZE_MAX: none gives the half of them. */
static size_t fold_from(const struct order_tree *const *trees, const uint64_t *hashes, size_t from,
                        size_t count, struct order_rules *rules, bool *breaks) {
    struct best best = {SIZE_MAX, rules, breaks};
    bool *tried = calloc(count + 1, sizeof *tried);
    for (size_t step = 7; tried && best.least && step != SIZE_MAX;
         step = step ? step / 2 : SIZE_MAX) {
        struct samples samples = {.count = 0};
        if (step)
            choose(trees, from, count, step, &samples);
        else
            samples_add(&samples, trees[count - 1]);
        refine(trees, hashes, from, count, &samples, tried, &best);
        samples_close(&samples);
    }
    free(tried);
    return best.least > (count - from) / 2 && best.least ? SIZE_MAX : best.least;
}

/* Both of a rule by length: which tree is the first that the second one gives. */
static bool join_by_length(struct order_rules *rules, const struct order_rules *shorter,
                           size_t below) {
    struct order_rules whole = {.count = 1};
    whole.rows[0] = (struct order_rule){.kind = ORDER_SHORTER, .size = below};
    if (1 + shorter->count + rules->count > ORDER_MOST_RULES)
        return false;
    whole.rows[0].inner = infer_append(&whole, shorter);
    whole.rows[0].outer = infer_append(&whole, rules);
    *rules = whole;
    return true;
}

static size_t fold_sorted(const struct order_tree *const *trees, const uint64_t *hashes,
                          size_t count, struct order_rules *rules, bool *breaks) {
    enum { LEAST_WITHOUT = 3 };
    size_t from = 0, number = fold_from(trees, hashes, 0, count, rules, breaks);
    /* Longer ones alone may have a rule. */
    for (size_t least = 4; number == SIZE_MAX && count && least < trees[count - 1]->terms;
         least *= 2) {
        const size_t before = from;
        while (from < count && trees[from]->terms < least)
            from++;
        if (from == before) /* the same trees again */
            continue;
        number = fold_from(trees, hashes, from, count, rules, breaks);
    }
    /* The longest one alone may be odd, as one whose rest has a term or two: each rule so far had to give it. */
    if (number == SIZE_MAX && count > LEAST_WITHOUT)
        number = fold_from(trees, hashes, 0, count - 1, rules, breaks);
    if (number == SIZE_MAX)
        return SIZE_MAX;
    /* From which length on are all of them given? */
    number = broken(rules, trees, hashes, 0, count, breaks);
    size_t first = 0, total = number;
    for (size_t i = 0; i < count && number; i++) {
        number -= breaks[i];
        if (breaks[i] && (!number || i + 1 == count || !breaks[i + 1]))
            first = i + 1;
        if (breaks[i] && i + 1 < count && !breaks[i + 1] && number * 8 < total)
            break;
    }
    struct order_rules shorter;
    if (!first || first == count)
        return total;
    bool *before = calloc(first, sizeof *before);
    size_t left = before ? fold_sorted(trees, hashes, first, &shorter, before) : SIZE_MAX,
           behind = 0;
    for (size_t i = first; i < count; i++)
        behind += breaks[i];
    if (left != SIZE_MAX && left + behind < total &&
        join_by_length(rules, &shorter, trees[first]->terms)) {
        memcpy(breaks, before, first * sizeof *breaks);
        total = left + behind;
    }
    free(before);
    return total;
}

size_t order_fold(const struct order_tree *trees, size_t count, struct order_rules *rules,
                  bool *breaks) {
    const struct order_tree **sorted = calloc(count + 1, sizeof *sorted);
    uint64_t *hashes = calloc(count + 1, sizeof *hashes);
    bool *marks = calloc(count + 1, sizeof *marks);
    size_t number = SIZE_MAX;
    rules->count = 0;
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &trees[i];
    if (sorted && hashes && marks && count) {
        qsort(sorted, count, sizeof *sorted, by_length);
        for (size_t i = 0; i < count; i++)
            hashes[i] = order_tree_hash(sorted[i]);
        number = fold_sorted(sorted, hashes, count, rules, marks);
        for (size_t i = 0; i < count; i++)
            breaks[sorted[i] - trees] = number == SIZE_MAX || marks[i];
    }
    free(sorted);
    free(hashes);
    free(marks);
    return number;
}

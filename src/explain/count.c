/* Differences by the hypotheses that explain them. */
#include "explain/count.h"

#include <stdlib.h>
#include <string.h>

struct severity severity_of(const struct format *format, const uint64_t sides[2]) {
    const bool nan[2] = {format_is_nan(format, sides[0]), format_is_nan(format, sides[1])};
    if (nan[0] || nan[1])
        return (struct severity){nan[0] != nan[1] ? 2 : 0, 0};
    const int64_t a = format_ordinal(format, sides[0]), b = format_ordinal(format, sides[1]);
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    const bool a_is_greater = format->sign_bit ? a > b : x > y; /* uint64 exceeds an int64_t */
    return (struct severity){format_is_negative(format, sides[0]) !=
                                 format_is_negative(format, sides[1]),
                             a_is_greater ? x - y : y - x};
}

bool difference_is_worse(const struct difference *one, const struct difference *other) {
    if (one->severity.class != other->severity.class)
        return one->severity.class > other->severity.class;
    if (one->severity.apart != other->severity.apart)
        return one->severity.apart > other->severity.apart;
    return one->index < other->index;
}

static void begin(struct set_count *entry, hypothesis_set set) {
    memset(entry, 0, sizeof *entry);
    entry->set = set;
    entry->spread.lowest = INT64_MAX;
    entry->spread.highest = INT64_MIN;
    entry->spread.least[0] = entry->spread.least[1] = UINT64_MAX;
}

/* The entry of a set, made where there is none; NULL without memory. */
static struct set_count *find(struct counts *counts, hypothesis_set set) {
    if (counts->latest < counts->set_count && counts->sets[counts->latest].set == set)
        return &counts->sets[counts->latest];
    for (counts->latest = 0; counts->latest < counts->set_count; counts->latest++)
        if (counts->sets[counts->latest].set == set)
            return &counts->sets[counts->latest];
    struct set_count *sets = realloc(counts->sets, (counts->set_count + 1) * sizeof *sets);
    if (!sets)
        return NULL;
    counts->sets = sets;
    begin(&sets[counts->set_count], set);
    return &sets[counts->set_count++];
}

static void add_to_binade(struct spread *spread, int sign, int binade, uint64_t count,
                          uint64_t least) {
    uint64_t *known = &spread->least_of[sign][binade];
    if (count && (!spread->binades[sign][binade] || least < *known))
        *known = least;
    spread->binades[sign][binade] += count;
}

/* Adds `count` codes of one sign and exponent, from `code` on. */
static void add_places(struct spread *spread, const struct format *format, uint64_t code,
                       size_t count) {
    struct real value = format_decode(format, code);
    bool negative = format_is_negative(format, code);
    if (value.kind == REAL_NAN) {
        spread->without_place += count;
        return;
    }
    for (int end = 0; end < 2; end++) {
        const int64_t ordinal = format_ordinal(format, end ? code + count - 1 : code);
        spread->lowest = ordinal < spread->lowest ? ordinal : spread->lowest;
        spread->highest = ordinal > spread->highest ? ordinal : spread->highest;
    }
    uint64_t magnitude = format_magnitude(format, code), last = magnitude + count - 1;
    spread->signs[negative] += count;
    if (magnitude < spread->least[negative])
        spread->least[negative] = magnitude;
    if (last > spread->greatest[negative])
        spread->greatest[negative] = last;
    int binade = value.exponent - (format->emin - format->precision + 1);
    if (value.kind == REAL_FINITE && binade >= 0 && binade < SPREAD_BINADES)
        add_to_binade(spread, negative, binade, count, magnitude);
}

bool counts_add(struct counts *counts, const struct format *format, int operands,
                hypothesis_set set, const struct difference *difference, size_t repeats) {
    struct set_count *entry = find(counts, set);
    if (!entry)
        return false;
    if (!entry->count || difference_is_worse(difference, &entry->worst))
        entry->worst = *difference;
    entry->count += repeats;
    for (size_t i = 0; i < repeats && entry->example_count < EXAMPLES; i++) {
        struct difference *example = &entry->examples[entry->example_count++];
        *example = *difference;
        example->index += i;
        example->in[0] += i;
    }
    if (operands == 1)
        add_places(&entry->spread, format, difference->in[0], repeats);
    return true;
}

void counts_add_wrong(struct counts *counts, int bit, const struct difference *difference,
                      size_t repeats) {
    if (!counts->wrong[bit])
        counts->wrong_first[bit] = *difference;
    counts->wrong[bit] += repeats;
}

static int by_index(const void *a, const void *b) {
    uint64_t x = ((const struct difference *)a)->index;
    uint64_t y = ((const struct difference *)b)->index;
    return (x > y) - (x < y);
}

static void merge_set(struct set_count *whole, const struct set_count *part) {
    struct difference both[2 * EXAMPLES];
    size_t count = whole->example_count + part->example_count;
    struct spread *to = &whole->spread;
    const struct spread *from = &part->spread;
    if (part->count && (!whole->count || difference_is_worse(&part->worst, &whole->worst)))
        whole->worst = part->worst;
    whole->count += part->count;
    memcpy(both, whole->examples, whole->example_count * sizeof *both);
    memcpy(both + whole->example_count, part->examples, part->example_count * sizeof *both);
    qsort(both, count, sizeof *both, by_index);
    whole->example_count = count < EXAMPLES ? count : EXAMPLES;
    memcpy(whole->examples, both, whole->example_count * sizeof *both);
    to->without_place += from->without_place;
    to->lowest = from->lowest < to->lowest ? from->lowest : to->lowest;
    to->highest = from->highest > to->highest ? from->highest : to->highest;
    for (int sign = 0; sign < 2; sign++) {
        to->signs[sign] += from->signs[sign];
        if (from->least[sign] < to->least[sign])
            to->least[sign] = from->least[sign];
        if (from->greatest[sign] > to->greatest[sign])
            to->greatest[sign] = from->greatest[sign];
        for (int i = 0; i < SPREAD_BINADES; i++)
            add_to_binade(to, sign, i, from->binades[sign][i], from->least_of[sign][i]);
    }
}

bool counts_merge(struct counts *whole, const struct counts *part) {
    whole->tested += part->tested;
    whole->unanswered += part->unanswered;
    whole->not_called += part->not_called;
    whole->differ += part->differ;
    whole->judged += part->judged;
    for (int side = 0; side < 2; side++) {
        whole->right[side] += part->right[side];
        side_events_merge(&whole->events[side], &part->events[side]);
    }
    for (int bit = 0; bit < HYPOTHESIS_BITS; bit++) {
        const struct difference *first = &part->wrong_first[bit];
        if (part->wrong[bit] &&
            (!whole->wrong[bit] || first->index < whole->wrong_first[bit].index))
            whole->wrong_first[bit] = *first;
        whole->wrong[bit] += part->wrong[bit];
    }
    for (size_t i = 0; i < part->set_count; i++) {
        struct set_count *entry = find(whole, part->sets[i].set);
        if (!entry)
            return false;
        merge_set(entry, &part->sets[i]);
    }
    return true;
}

void counts_free(struct counts *counts) {
    free(counts->sets);
    *counts = (struct counts){0};
}

uint64_t counts_explained(const struct counts *counts, hypothesis_set by) {
    uint64_t explained = 0;
    for (size_t i = 0; i < counts->set_count; i++)
        if (counts->sets[i].set & by)
            explained += counts->sets[i].count;
    return explained;
}

struct set_count *counts_left(const struct counts *counts, hypothesis_set by) {
    struct set_count *left = malloc(sizeof *left);
    if (!left)
        return NULL;
    begin(left, 0);
    for (size_t i = 0; i < counts->set_count; i++)
        if (!(counts->sets[i].set & by))
            merge_set(left, &counts->sets[i]);
    return left;
}

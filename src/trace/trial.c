/* Units, holding, and the stages in which ways drop out. */
#include "trace/trial.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_UNITS = 32,
    FIRST_TERMS = 1 << 16,
    CHUNK_TERMS = 1 << 20, /* of few ways, between two looks at the clock */
    NEAREST = 64 /* ways of each side that are held on at first though they gave another output */
};

static bool is_late(const struct trace_trial *trial) {
    return clock_process_seconds() > trial->until;
}

/* ---- Units ---- */

static size_t units_of_terms(const struct trace_trial *trial, size_t terms, size_t most) {
    size_t count = terms / (size_t)(trial->units.cost ? trial->units.cost : 1);
    count = count ? count : 1;
    count = count > most ? most : count;
    return count > trial->count ? trial->count : count;
}

/* ---- Holding ---- */

/* Some units, as a call, and what it gives. */
struct piece {
    struct trace_call part;
    const uint64_t *units;
    size_t count;
    void *results;
};

static bool open_piece(struct piece *piece, const struct trace_trial *trial, size_t from,
                       size_t count) {
    struct error unused;
    *piece = (struct piece){.units = trial->order + from, .count = count};
    piece->results =
        calloc(count * (size_t)trial->units.results + 1, format_bytes(trial->outputs->format));
    return trace_part_open(&piece->part, trial->call, piece->units, count, &unused) &&
           piece->results;
}

static void close_piece(struct piece *piece) {
    trace_call_close(&piece->part);
    free(piece->results);
}

/* Whether result number `index` of unit `u` of a piece, by a way, is that of a side. */
static bool is_given(const struct trace_trial *trial, const struct piece *piece, size_t u,
                     uint64_t index, int side) {
    const struct format *format = trial->outputs->format;
    const uint64_t result = trace_unit_result(trial->call, piece->units[u], index),
                   code = code_load(piece->results, format_bytes(format),
                                    u * (size_t)trial->units.results + (size_t)index);
    return trace_same_code(format, code, trace_output(trial->outputs, side, result));
}

/* Counts the outputs of each side that a way does not give. */
static void hold(struct trace_trial *trial, size_t number, struct piece *piece) {
    struct trace_held *held = &trial->held[number];
    struct error unused;
    if (!trace_way_run(&trial->ways->items[number], &piece->part, piece->results, &unused)) {
        held->failed = true;
        return;
    }
    held->looked += piece->count * trial->units.results;
    for (size_t u = 0; u < piece->count; u++)
        for (uint64_t i = 0; i < trial->units.results; i++)
            for (int side = 0; side < 2; side++)
                held->wrong[side] += !is_given(trial, piece, u, i, side);
}

bool trial_stands(const struct trace_trial *trial, size_t number, int side) {
    const struct trace_held *held = &trial->held[number];
    return !held->failed && held->looked && held->looked == trial->looked && !held->wrong[side];
}

size_t trial_fits(const struct trace_trial *trial, int side) {
    size_t fits = 0;
    for (size_t i = 0; i < trial->ways->count; i++)
        fits += trial_stands(trial, i, side);
    return fits;
}

size_t trial_tried(const struct trace_trial *trial) {
    size_t tried = trial->changed;
    for (size_t i = 0; i < trial->ways->count; i++)
        tried += trial->held[i].looked && !trial->ways->items[i].change;
    return tried;
}

size_t trial_nearest(const struct trace_trial *trial, int side) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < trial->ways->count; i++)
        if (!trial->held[i].failed && trial->held[i].looked == trial->looked &&
            (best == SIZE_MAX || trial->held[i].wrong[side] < trial->held[best].wrong[side]))
            best = i;
    return best;
}

static bool make_room(struct trace_trial *trial, size_t count) {
    struct trace_held *held = realloc(trial->held, (count + 1) * sizeof *held);
    if (!held)
        return false;
    memset(held + trial->held_room, 0, (count + 1 - trial->held_room) * sizeof *held);
    trial->held = held;
    trial->held_room = count + 1;
    return true;
}

/* ---- Changes ---- */

/* Adds a way with a change on top, and holds it, unless neither side's bits are its. */
static void try_change(struct trace_trial *trial, size_t base, int change, struct piece *piece) {
    struct trace_ways *ways = trial->ways;
    if (ways->count == ways->room) {
        struct trace_way *items = realloc(ways->items, 2 * ways->room * sizeof *items);
        if (!items)
            return;
        ways->items = items;
        ways->room *= 2;
    }
    if (ways->count + 1 > trial->held_room && !make_room(trial, 2 * ways->count + 64))
        return;
    ways->items[ways->count] = ways->items[base];
    ways->items[ways->count].change = change;
    trial->held[ways->count] = (struct trace_held){0};
    hold(trial, ways->count, piece);
    trial->changed++;
    bool is_other = false; /* a change of what is not there makes no other way */
    for (int side = 0; side < 2; side++)
        is_other = is_other ||
                   (trial_stands(trial, ways->count, side) && !trial_stands(trial, base, side));
    ways->count += is_other;
}

/* Changes on top of the ways that give a side, and where nothing comes of that, of all that are usual. */
static void try_changes(struct trace_trial *trial, struct piece *piece) {
    const size_t bases = trial->ways->count;
    for (int round = 0; round < 2; round++)
        for (size_t base = 0; base < bases; base++) {
            const struct trace_way *way = &trial->ways->items[base];
            const bool stood = trial_stands(trial, base, 0) || trial_stands(trial, base, 1);
            if (trial->held[base].failed || stood != (round == 0) ||
                (round == 1 && way->order && !way->order->is_usual))
                continue;
            if (trial_fits(trial, 0) && trial_fits(trial, 1))
                return;
            for (size_t c = 0; trace_change_at(trial->call, c) && !is_late(trial); c++)
                try_change(trial, base, trace_change_at(trial->call, c), piece);
        }
}

/* ---- Stages ---- */

/* Leaves those that stand, and of each side up to `most` that are nearest to it. */
static void drop_out(const struct trace_trial *trial, size_t most, bool *is_asked) {
    size_t near[2][NEAREST], counts[2] = {0, 0};
    for (size_t i = 0; i < trial->ways->count; i++) {
        const struct trace_held *held = &trial->held[i];
        is_asked[i] = trial_stands(trial, i, 0) || trial_stands(trial, i, 1);
        if (held->failed || held->looked != trial->looked)
            continue;
        for (int side = 0; side < 2; side++) {
            size_t at = counts[side];
            while (at && trial->held[near[side][at - 1]].wrong[side] > held->wrong[side])
                at--;
            if (at == most)
                continue;
            counts[side] += counts[side] < most;
            memmove(&near[side][at + 1], &near[side][at],
                    (counts[side] - at - 1) * sizeof near[side][0]);
            near[side][at] = i;
        }
    }
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < counts[side]; k++)
            is_asked[near[side][k]] = true;
}

/* ---- Evidence ---- */

/* Whether that it gives other bits than another way says much: an exact result that is rounded up differs from all others in
 * nearly every sum, and so do changed operands, and sums in 16 bits. */
static bool is_told_apart(const struct trace_trial *trial, const struct trace_way *way) {
    const bool is_narrow =
        way->accumulator && way->accumulator->precision < formats[FORMAT_FP32].precision;
    return !way->change && !is_narrow &&
           (way->kind != TRACE_WAY_EXACT || way->rounding == ROUND_NEAREST_EVEN ||
            trial->units.cost == 1);
}

static uint64_t mark_of(const struct trace_trial *trial, uint64_t unit) {
    uint64_t mark = 0;
    for (uint64_t i = 0; i < trial->units.results; i++)
        mark = trace_evidence_mark(mark, trial->outputs, trace_unit_result(trial->call, unit, i));
    return mark;
}

/* Each unit once, however many of its results differ. */
static void take_evidence(struct trace_trial *trial, const struct piece *piece,
                          const struct trace_apart *apart) {
    const size_t each = (size_t)trial->units.results;
    for (size_t u = 0; u < piece->count && !trace_is_enough(&trial->evidence); u++) {
        bool tells = false;
        for (size_t i = 0; i < each && !tells; i++)
            tells = apart->differ[u * each + i] ||
                    trace_outputs_differ(trial->outputs,
                                         trace_unit_result(trial->call, piece->units[u], i));
        if (tells)
            trace_evidence_add(&trial->evidence, mark_of(trial, piece->units[u]));
    }
}

bool trial_has_enough(const struct trace_trial *trial) {
    struct trace_evidence evidence = {.count = 0};
    for (size_t u = 0; u < trial->count && !trace_is_enough(&evidence); u++)
        trace_evidence_add(&evidence, mark_of(trial, trial->order[u]));
    return trace_is_enough(&evidence);
}

/* ---- Some units by all ways that are left ---- */

static bool hold_asked(struct trace_trial *trial, size_t from, size_t count, const bool *is_asked) {
    struct piece piece;
    struct trace_apart apart;
    const bool is_open = open_piece(&piece, trial, from, count),
               good = trace_apart_open(&apart, trial->outputs->format,
                                       count * (size_t)trial->units.results) &&
                      is_open;
    for (size_t i = 0; good && i < trial->ways->count && !(is_late(trial) && from == 0); i++) {
        if (!is_asked[i])
            continue;
        hold(trial, i, &piece);
        if (!trial->held[i].failed && !trace_is_enough(&trial->evidence) &&
            is_told_apart(trial, &trial->ways->items[i]))
            trace_apart_note(&apart, piece.results);
    }
    if (good)
        take_evidence(trial, &piece, &apart);
    trial->looked += good ? count * trial->units.results : 0;
    close_piece(&piece);
    trace_apart_close(&apart);
    return good;
}

/* Where a side is open still: ways that are tried last, and changes. */
static bool try_last(struct trace_trial *trial, size_t first) {
    struct piece piece;
    const bool good = open_piece(&piece, trial, 0, first);
    for (size_t i = 0; good && i < trial->ways->count && !is_late(trial); i++)
        if (trial->ways->items[i].is_last)
            hold(trial, i, &piece);
    if (good && trial->has_changes && (!trial_fits(trial, 0) || !trial_fits(trial, 1)))
        try_changes(trial, &piece);
    close_piece(&piece);
    return good;
}

/* A few units, then some more, of ways that are left. */
static bool try_first(struct trace_trial *trial, size_t *first) {
    bool *is_asked = malloc((trial->ways->count + 1) * sizeof *is_asked);
    bool good = is_asked;
    *first = units_of_terms(trial, FIRST_TERMS, FIRST_UNITS);
    for (size_t i = 0; good && i < trial->ways->count; i++)
        is_asked[i] = !trial->ways->items[i].is_last;
    for (size_t at = 0, next = 4, most = NEAREST; good && at < *first;
         at += next, next *= 3, most /= 3) {
        next = next < *first - at ? next : *first - at;
        good = hold_asked(trial, at, next, is_asked);
        drop_out(trial, most, is_asked);
    }
    if (good && (!trial_fits(trial, 0) || !trial_fits(trial, 1)))
        good = try_last(trial, *first);
    free(is_asked);
    return good;
}

/* How many units are held at once: as many as all ways that are left can be held against between two looks at the clock. */
static size_t units_at_once(const struct trace_trial *trial, const bool *is_asked) {
    enum { WAYS = 16 };
    size_t asked = 0;
    for (size_t i = 0; i < trial->ways->count; i++)
        asked += is_asked[i];
    return units_of_terms(trial, CHUNK_TERMS / (1 + asked / WAYS), 1 << 16);
}

/* Leaves those that stand, and the nearest of each side. */
static void leave_few(const struct trace_trial *trial, bool *is_asked) {
    const size_t nearest[2] = {trial_nearest(trial, 0), trial_nearest(trial, 1)};
    for (size_t i = 0; i < trial->ways->count; i++)
        is_asked[i] = i == nearest[0] || i == nearest[1] || trial_stands(trial, i, 0) ||
                      trial_stands(trial, i, 1);
}

/* On all other units. */
static bool try_rest(struct trace_trial *trial, size_t first) {
    bool *is_asked = calloc(trial->ways->count + 1, sizeof *is_asked);
    bool good = is_asked;
    if (good)
        leave_few(trial, is_asked);
    for (size_t from = first, count; good && from < trial->count && !is_late(trial);
         from += count) {
        const size_t left = trial->count - from, most = units_at_once(trial, is_asked);
        count = left < most ? left : most;
        good = hold_asked(trial, from, count, is_asked);
        leave_few(trial, is_asked);
    }
    free(is_asked);
    return good;
}

bool trial_run(struct trace_trial *trial) {
    size_t first;
    return make_room(trial, trial->ways->count) && try_first(trial, &first) &&
           try_rest(trial, first);
}

bool trial_open(struct trace_trial *trial, const struct trace_call *call,
                const struct trace_outputs *outputs, struct trace_ways *ways, double until) {
    *trial = (struct trace_trial){.call = call,
                                  .outputs = outputs,
                                  .ways = ways,
                                  .units = trace_call_units(call),
                                  .until = until,
                                  .has_changes = true};
    return trial_order_units(trial);
}

void trial_close(struct trace_trial *trial) {
    free(trial->held);
    free(trial->order);
}

bool trial_open_rest(struct trace_trial *rest, const struct trace_trial *trial, size_t number,
                     int side) {
    const size_t at_once = units_of_terms(trial, CHUNK_TERMS, 1 << 16);
    bool good = true;
    *rest = *trial;
    rest->held = NULL;
    rest->held_room = rest->count = 0;
    rest->looked = rest->changed = 0;
    rest->evidence.count = 0;
    rest->has_changes = false;
    rest->order = malloc((trial->count + 1) * sizeof *rest->order);
    good = rest->order;
    for (size_t from = 0; good && from < trial->count; from += at_once) {
        const size_t left = trial->count - from;
        struct piece piece;
        struct error unused;
        good = open_piece(&piece, trial, from, left < at_once ? left : at_once) &&
               trace_way_run(&trial->ways->items[number], &piece.part, piece.results, &unused);
        for (size_t u = 0; good && u < piece.count; u++) {
            bool all = true;
            for (uint64_t i = 0; i < trial->units.results && all; i++)
                all = is_given(trial, &piece, u, i, side);
            if (!all)
                rest->order[rest->count++] = piece.units[u];
        }
        close_piece(&piece);
        good = good && !is_late(trial);
    }
    return good;
}

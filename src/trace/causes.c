/* Looking for a way that gives all outputs of a side: first on a few units, then on all. */
#include "trace/causes.h"

#include "base/clock.h"
#include "report/text.h"
#include "trace/part.h"
#include "trace/ways.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_UNITS = 32, FIRST_TERMS = 1 << 16, CHUNK_TERMS = 1 << 20, MOST_TOLD = 16 };

/* What was found of a way: outputs that each side has otherwise. */
struct held {
    uint64_t wrong[2], looked; /* looked: at so many outputs of each */
    bool failed;               /* it cannot be run */
};

struct trial {
    const struct trace_call *call;
    const struct trace_outputs *outputs;
    struct trace_ways ways;
    struct held *held;
    size_t held_room;
    struct trace_units units;
    uint64_t *order; /* all units, those that differ first */
    double until;
    uint64_t looked; /* outputs of the units that ways were held against */
};

static bool is_late(const struct trial *trial) {
    return clock_process_seconds() > trial->until;
}

/* ---- Units ---- */

static bool unit_differs(const struct trial *trial, uint64_t unit) {
    bool differs = false;
    for (uint64_t i = 0; i < trial->units.results && !differs; i++)
        differs = trace_outputs_differ(trial->outputs, trace_unit_result(trial->call, unit, i));
    return differs;
}

/* Those that differ, and by turns with them, as far as there are some, those that do not. */
static bool order_units(struct trial *trial) {
    const uint64_t count = trial->units.count;
    uint64_t differ = 0, same = 0, at = 0;
    uint64_t *sorted = malloc((size_t)(count + 1) * sizeof *sorted);
    trial->order = malloc((size_t)(count + 1) * sizeof *trial->order);
    if (!sorted || !trial->order) {
        free(sorted);
        return false;
    }
    for (uint64_t u = 0; u < count; u++) {
        if (unit_differs(trial, u))
            sorted[differ++] = u;
        else
            sorted[count - ++same] = u;
    }
    for (uint64_t d = 0, s = 0; at < count;) {
        if (d < differ)
            trial->order[at++] = sorted[d++];
        if (s < same && at < count)
            trial->order[at++] = sorted[count - ++s];
    }
    free(sorted);
    return true;
}

static size_t units_of_terms(const struct trial *trial, size_t terms, size_t most) {
    size_t count = terms / (size_t)(trial->units.cost ? trial->units.cost : 1);
    count = count ? count : 1;
    count = count > most ? most : count;
    return count > trial->units.count ? (size_t)trial->units.count : count;
}

/* ---- Holding ---- */

/* Some units, as a call, and what it gives. */
struct piece {
    struct trace_call part;
    const uint64_t *units;
    size_t count;
    void *results;
};

static bool open_piece(struct piece *piece, const struct trial *trial, size_t from, size_t count) {
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

/* Counts the outputs of each side that a way does not give. */
static void hold(struct trial *trial, size_t number, struct piece *piece) {
    struct held *held = &trial->held[number];
    struct error unused;
    if (!trace_way_run(&trial->ways.items[number], &piece->part, piece->results, &unused)) {
        held->failed = true;
        return;
    }
    const struct format *format = trial->outputs->format;
    held->looked += piece->count * trial->units.results;
    for (size_t u = 0; u < piece->count; u++)
        for (uint64_t i = 0; i < trial->units.results; i++) {
            const uint64_t result = trace_unit_result(trial->call, piece->units[u], i);
            const uint64_t code = code_load(piece->results, format_bytes(format),
                                            u * (size_t)trial->units.results + (size_t)i);
            for (int side = 0; side < 2; side++)
                held->wrong[side] +=
                    !trace_same_code(format, code, trace_output(trial->outputs, side, result));
        }
}

static bool stands(const struct trial *trial, size_t number, int side) {
    return !trial->held[number].failed && trial->held[number].wrong[side] == 0;
}

static bool any_stands(const struct trial *trial, int side) {
    bool any = false;
    for (size_t i = 0; i < trial->ways.count && !any; i++)
        any = stands(trial, i, side);
    return any;
}

static bool make_room(struct trial *trial, size_t count) {
    struct held *held = realloc(trial->held, (count + 1) * sizeof *held);
    if (!held)
        return false;
    memset(held + trial->held_room, 0, (count + 1 - trial->held_room) * sizeof *held);
    trial->held = held;
    trial->held_room = count + 1;
    return true;
}

/* Adds a way with a change on top, and holds it, unless neither side's bits are its. */
static void try_change(struct trial *trial, size_t base, int change, struct piece *piece) {
    struct trace_ways *ways = &trial->ways;
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
    trial->held[ways->count] = (struct held){0};
    hold(trial, ways->count, piece);
    ways->count += stands(trial, ways->count, 0) || stands(trial, ways->count, 1);
}

/* Changes on top of the ways that give a side, and where nothing comes of that, of all. */
static void try_changes(struct trial *trial, struct piece *piece) {
    const size_t bases = trial->ways.count;
    for (int round = 0; round < 2; round++)
        for (size_t base = 0; base < bases; base++) {
            const bool stood = stands(trial, base, 0) || stands(trial, base, 1);
            if (trial->held[base].failed || stood != (round == 0))
                continue;
            if (any_stands(trial, 0) && any_stands(trial, 1))
                return;
            for (size_t c = 0; trace_change_at(trial->call, c) && !is_late(trial); c++)
                try_change(trial, base, trace_change_at(trial->call, c), piece);
        }
}

/* On the first units all ways, and where they leave a side open, changes. */
static bool try_first(struct trial *trial, size_t *first) {
    struct piece piece;
    *first = units_of_terms(trial, FIRST_TERMS, FIRST_UNITS);
    const bool good = open_piece(&piece, trial, 0, *first);
    for (size_t i = 0; good && i < trial->ways.count; i++) {
        if (is_late(trial))
            trial->held[i].failed = true;
        else
            hold(trial, i, &piece);
    }
    if (good && (!any_stands(trial, 0) || !any_stands(trial, 1)))
        try_changes(trial, &piece);
    trial->looked = good ? *first * trial->units.results : 0;
    close_piece(&piece);
    return good;
}

/* The way that is nearest to a side, where none gives it: of those held against all that was looked at. */
static size_t nearest(const struct trial *trial, int side) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < trial->ways.count; i++)
        if (!trial->held[i].failed && trial->held[i].looked == trial->looked &&
            (best == SIZE_MAX || trial->held[i].wrong[side] < trial->held[best].wrong[side]))
            best = i;
    return best;
}

/* On all other units those that stand, and those that come nearest. */
static bool try_rest(struct trial *trial, size_t first, const bool *is_asked) {
    const size_t at_once = units_of_terms(trial, CHUNK_TERMS, 1 << 16);
    bool good = true;
    for (size_t from = first; good && from < trial->units.count && !is_late(trial);
         from += at_once) {
        const size_t left = (size_t)trial->units.count - from,
                     count = left < at_once ? left : at_once;
        struct piece piece;
        good = open_piece(&piece, trial, from, count);
        for (size_t i = 0; good && i < trial->ways.count; i++)
            if (is_asked[i] || stands(trial, i, 0) || stands(trial, i, 1))
                hold(trial, i, &piece);
        trial->looked += good ? count * trial->units.results : 0;
        close_piece(&piece);
    }
    return good;
}

/* ---- Words ---- */

static const char *const side_names[] = {"here", "there"};

/* The pair of ways that differ in fewest points; or of one side the first. */
static void choose(const struct trial *trial, size_t chosen[2]) {
    int least = -1;
    chosen[0] = chosen[1] = SIZE_MAX;
    for (size_t a = 0; a < trial->ways.count; a++)
        for (size_t b = 0; stands(trial, a, 0) && b < trial->ways.count; b++) {
            if (!stands(trial, b, 1))
                continue;
            const int distance = trace_way_distance(&trial->ways.items[a], &trial->ways.items[b]);
            if (least < 0 || distance < least) {
                least = distance;
                chosen[0] = a;
                chosen[1] = b;
            }
        }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < trial->ways.count && chosen[side] == SIZE_MAX; i++)
            chosen[side] = stands(trial, i, side) ? i : SIZE_MAX;
}

static void say(char *text, size_t room, const char *format, ...) PRINTF_LIKE(3, 4);
static void say(char *text, size_t room, const char *format, ...) {
    const size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    if (length < room)
        vsnprintf(text + length, room - length, format, list);
    va_end(list);
}

/* How many outputs it was held against. */
static void say_looked(const struct trial *trial, char *text, size_t room) {
    char looked[32], all[32];
    text_grouped(trial->looked, looked);
    if (trial->looked < trial->outputs->count)
        say(text, room, "%s outputs that were looked at, of %s", looked,
            text_grouped(trial->outputs->count, all));
    else
        say(text, room, "%s output%s", looked, trial->looked == 1 ? "" : "s");
}

/* Few outputs are given by several ways by chance. */
static void say_others(const struct trial *trial, const size_t chosen[2], char *text, size_t room) {
    for (int side = 0; side < 2; side++) {
        size_t others = 0;
        for (size_t i = 0; i < trial->ways.count; i++)
            others += i != chosen[side] && stands(trial, i, side);
        if (chosen[side] != SIZE_MAX && others)
            say(text, room, "; %zu other way%s %s them %s, too", others, others == 1 ? "" : "s",
                others == 1 ? "gives" : "give", side_names[side]);
    }
}

/* What the ways that are named give. */
static void say_gives(const struct trial *trial, const size_t chosen[2], const char *begin,
                      char *text, size_t room) {
    say(text, room, "%s", begin);
    say_looked(trial, text, room);
    say_others(trial, chosen, text, room);
    say(text, room, ")");
}

static void say_side(const struct trial *trial, int side, size_t chosen, bool none, char *text,
                     size_t room) {
    char words[TRACE_SIDE], right[32];
    const size_t way = chosen == SIZE_MAX ? nearest(trial, side) : chosen;
    say(text, room, "%s ", side_names[side]);
    if (way == SIZE_MAX) {
        say(text, room, "no way was tried");
        return;
    }
    trace_way_words(&trial->ways.items[way], trial->call, words, sizeof words);
    if (chosen != SIZE_MAX) {
        say(text, room, "%s", words);
        return;
    }
    if (trial->held[way].wrong[side] == trial->looked) {
        say(text, room, "none, as no way comes near");
        return;
    }
    say(text, room, "%s%s (%s of ", none ? "" : "no simple cause, nearest: ", words,
        text_grouped(trial->looked - trial->held[way].wrong[side], right));
    say_looked(trial, text, room);
    say(text, room, ")");
}

static void tell(const struct trial *trial, struct trace_finding *finding) {
    size_t chosen[2];
    char *text = finding->says;
    choose(trial, chosen);
    finding->looked = trial->looked;
    finding->cause = chosen[0] != SIZE_MAX && chosen[1] != SIZE_MAX   ? TRACE_CAUSE_BOTH
                     : chosen[0] != SIZE_MAX || chosen[1] != SIZE_MAX ? TRACE_CAUSE_ONE
                                                                      : TRACE_CAUSE_NONE;
    const bool none = finding->cause == TRACE_CAUSE_NONE;
    if (none)
        say(text, TRACE_CAUSE, "nearest are ");
    for (int side = 0; side < 2; side++) {
        if (chosen[side] != SIZE_MAX)
            trace_way_words(&trial->ways.items[chosen[side]], trial->call, finding->sides[side],
                            TRACE_SIDE);
        say_side(trial, side, chosen[side], none, text, TRACE_CAUSE);
        if (finding->cause == TRACE_CAUSE_ONE && chosen[side] != SIZE_MAX)
            say_gives(trial, chosen, " (all ", text, TRACE_CAUSE);
        say(text, TRACE_CAUSE, "%s", side ? "" : ", ");
    }
    if (finding->cause == TRACE_CAUSE_BOTH)
        say_gives(trial, chosen, " (each gives all ", text, TRACE_CAUSE);
}

static void search(struct trial *trial, struct trace_finding *finding) {
    size_t first;
    bool good =
        make_room(trial, trial->ways.count) && order_units(trial) && try_first(trial, &first);
    bool *is_asked = calloc(trial->ways.count + 1, sizeof *is_asked);
    for (int side = 0; good && is_asked && side < 2; side++)
        if (!any_stands(trial, side) && nearest(trial, side) != SIZE_MAX)
            is_asked[nearest(trial, side)] = true;
    good = good && is_asked && try_rest(trial, first, is_asked);
    if (good)
        tell(trial, finding);
    else
        snprintf(finding->says, sizeof finding->says, "out of memory for a cause");
    free(is_asked);
}

void trace_find_causes(const struct trace_question *request, const struct trace_call *calls,
                       const struct trace_outputs *outputs, double until,
                       struct trace_finding *finding) {
    const bool alike = calls && trace_ask_alike(request, calls);
    if (!alike && (trace_find_attributes(request, finding->says, TRACE_CAUSE) ||
                   (calls && trace_find_operations(calls, finding->says, TRACE_CAUSE)))) {
        finding->cause = TRACE_CAUSE_ATTRIBUTES;
        return;
    }
    if (trace_find_repeats(request, finding->says, TRACE_CAUSE)) {
        finding->cause = TRACE_CAUSE_REPEATS;
        return;
    }
    if (outputs->count && trace_find_relation(outputs, finding->says, TRACE_CAUSE)) {
        finding->cause = TRACE_CAUSE_RELATION;
        return;
    }
    if (!calls) {
        snprintf(finding->says, sizeof finding->says, "no way of computing it is known");
        return;
    }
    struct trial trial = {
        .call = calls, .outputs = outputs, .units = trace_call_units(calls), .until = until};
    trace_ways_open(&trial.ways, calls);
    search(&trial, finding);
    trace_ways_close(&trial.ways);
    free(trial.held);
    free(trial.order);
}

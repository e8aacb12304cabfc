/* Which way is named, how many others give the same, and of how many outputs that is true. */
#include "trace/causes_words.h"

#include "report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const side_names[] = {"here", "there"};

static void say(char *text, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(char *text, const char *format, ...) {
    const size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    if (length < TRACE_CAUSE)
        vsnprintf(text + length, TRACE_CAUSE - length, format, list);
    va_end(list);
}

static void say_way(const struct trace_trial *trial, size_t way, char *text) {
    char words[TRACE_SIDE];
    trace_way_words(&trial->ways->items[way], trial->call, words, sizeof words);
    say(text, "%s", words);
}

/* How many outputs ways were held against. */
static void say_looked(const struct trace_trial *trial, char *text) {
    char looked[32], all[32];
    text_grouped(trial->looked, looked);
    if (trial->looked < trial->outputs->count)
        say(text, "%s outputs that were looked at, of %s", looked,
            text_grouped(trial->outputs->count, all));
    else
        say(text, "%s output%s", looked, trial->looked == 1 ? "" : "s");
}

/* The pair of ways that differ in fewest points; or of one side the first. */
static void choose(const struct trace_trial *trial, size_t chosen[2]) {
    int least = -1;
    chosen[0] = chosen[1] = SIZE_MAX;
    for (size_t a = 0; a < trial->ways->count; a++)
        for (size_t b = 0; trial_stands(trial, a, 0) && b < trial->ways->count; b++) {
            if (!trial_stands(trial, b, 1))
                continue;
            const int distance = trace_way_distance(&trial->ways->items[a], &trial->ways->items[b]);
            if (least < 0 || distance < least) {
                least = distance;
                chosen[0] = a;
                chosen[1] = b;
            }
        }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < trial->ways->count && chosen[side] == SIZE_MAX; i++)
            chosen[side] = trial_stands(trial, i, side) ? i : SIZE_MAX;
}

/* What the words are made of: the trial, and which of its ways are one. */
struct telling {
    const struct trace_trial *trial;
    const struct trace_alike *alike;
};

static bool is_told(const struct telling *telling, size_t way, int side) {
    return trial_stands(telling->trial, way, side) && telling->alike->first[way] == way;
}

/* In which detail alone all ways that give a side differ from the chosen one, which is enough to know the side by, unless the
 * other side's are like it. */
static enum trace_detail detail_of(const struct telling *telling, int side, size_t chosen) {
    const struct trace_trial *trial = telling->trial;
    enum trace_detail detail = TRACE_DETAIL_NONE;
    for (size_t i = 0; i < trial->ways->count; i++) {
        if (i == chosen || (!is_told(telling, i, side) && !is_told(telling, i, 1 - side)))
            continue;
        const enum trace_detail own = trace_ways_detail(
            &trial->ways->items[chosen], &trial->ways->items[i], trial->call->result);
        if (is_told(telling, i, side) ? !own || (detail && own != detail) : own != 0)
            return TRACE_DETAIL_NONE;
        detail = is_told(telling, i, side) ? own : detail;
    }
    return detail;
}

/* What all orders that give a side accumulate in; NULL where that is not one format, or other ways give it, too. */
static const struct format *accumulator_of(const struct trace_trial *trial, int side) {
    const struct format *found = NULL;
    for (size_t i = 0; i < trial->ways->count; i++) {
        const struct format *own = trial->ways->items[i].accumulator;
        if (!trial_stands(trial, i, side))
            continue;
        if (!own || (found && own != found))
            return NULL;
        found = own;
    }
    return found;
}

/* The format of those orders that give a side: of a detail, where all have one. */
static const struct format *late_format(const struct trace_trial *trial, int side) {
    size_t i = 0;
    while (!trial_stands(trial, i, side) || !trial->ways->items[i].accumulator)
        i++;
    return trial->ways->items[i].accumulator;
}

/* All ways that give a side, the chosen one first, up to a number of names. */
static void say_fits(const struct telling *telling, int side, size_t chosen, char *text) {
    const struct trace_trial *trial = telling->trial;
    const size_t fits = trace_alike_fits(telling->alike, trial, side);
    size_t named = 1;
    const struct format *accumulator = accumulator_of(trial, side);
    const enum trace_detail detail = detail_of(telling, side, chosen);
    if (detail == TRACE_DETAIL_ORDER)
        say(text, "adds in %s%s", late_format(trial, side)->name,
            trial->ways->items[chosen].onto == TRACE_ONTO_RESULT ? ", then c in the results' format"
                                                                 : "");
    else if (detail)
        say_way(trial, chosen, text);
    if (detail) {
        say(text, ", %s (%zu ways give the same)",
            detail == TRACE_DETAIL_ORDER ? "in an order that does not show"
                                         : "with functions that do not show whose they are",
            fits);
        return;
    }
    if (fits > 1)
        say(text, "one of %zu ways%s%s: ", fits, accumulator ? ", all in " : "",
            accumulator ? accumulator->name : "");
    say_way(trial, chosen, text);
    for (size_t i = 0; i < trial->ways->count && named < TRACE_LISTED; i++)
        if (i != chosen && is_told(telling, i, side)) {
            say(text, "; ");
            say_way(trial, i, text);
            named++;
        }
    if (fits > named)
        say(text, "; and %zu more", fits - named);
}

/* "here some outputs by one way (5,353 of 6,144), the other 791 by another one". */
static void say_cover(const struct trace_trial *trial, const struct trace_cover *cover,
                      char *text) {
    char count[32], all[32];
    for (size_t i = 0; i < cover->count; i++) {
        say(text, i ? "; the other " : "");
        if (i)
            say(text, "%s: ", text_grouped(cover->outputs[i], count));
        say_way(trial, cover->ways[i], text);
        if (!i)
            say(text, " (%s of %s outputs)", text_grouped(cover->outputs[i], count),
                text_grouped(trial->looked, all));
    }
    if (cover->others)
        say(text, ", or by one of %zu other ways", cover->others);
}

/* Whether any way gives a single output of a side. */
static bool comes_near(const struct trace_trial *trial, int side) {
    const size_t way = trial_nearest(trial, side);
    return way == SIZE_MAX || trial->held[way].wrong[side] < trial->looked;
}

static void say_nearest(const struct trace_trial *trial, int side, bool none, char *text) {
    const size_t way = trial_nearest(trial, side);
    char right[32];
    if (way == SIZE_MAX) {
        say(text, "no way was tried");
        return;
    }
    if (!comes_near(trial, side)) {
        say(text, "none, as no way comes near");
        return;
    }
    say(text, "%s", none ? "" : "no simple cause, nearest: ");
    say_way(trial, way, text);
    say(text, " (%s of ", text_grouped(trial->looked - trial->held[way].wrong[side], right));
    say_looked(trial, text);
    say(text, ")");
}

/* What is known of a side: nothing, one way, several. */
enum known { KNOWN_NOTHING, KNOWN_ONE, KNOWN_SEVERAL };
static enum known known_of(const struct telling *telling, const struct trace_cover *cover, int side,
                           size_t chosen) {
    const size_t fits =
        cover->count ? 1 + cover->others : trace_alike_fits(telling->alike, telling->trial, side);
    if (fits > 1 && !cover->count && detail_of(telling, side, chosen))
        return KNOWN_ONE;
    return fits > 1 ? KNOWN_SEVERAL : fits ? KNOWN_ONE : KNOWN_NOTHING;
}

static enum trace_cause cause_of(const struct trace_trial *trial, const enum known known[2]) {
    if (known[0] == KNOWN_NOTHING && known[1] == KNOWN_NOTHING)
        return TRACE_CAUSE_NONE;
    if (!trace_is_enough(&trial->evidence))
        return TRACE_CAUSE_FEW;
    if (known[0] == KNOWN_SEVERAL || known[1] == KNOWN_SEVERAL)
        return TRACE_CAUSE_SEVERAL;
    return known[0] && known[1] ? TRACE_CAUSE_BOTH : TRACE_CAUSE_ONE;
}

/* Of what is said of a side alone. */
static void keep_side(const char *text, size_t from, char side[TRACE_SIDE]) {
    snprintf(side, TRACE_SIDE, "%s", text + from);
}

/* Outputs of one unit depend on one another, and are evidence once. */
static void say_evidence(const struct trace_trial *trial, char *text) {
    const uint64_t units = trial->looked / trial->units.results, told = trial->evidence.count;
    char count[32], all[32];
    if (trial->units.results > 1)
        say(text, ", which depend on one another in %s group%s", text_grouped(units, all),
            units == 1 ? "" : "s");
    if (told < units)
        say(text, ", of which %s distinguish%s ways", text_grouped(told, count),
            told == 1 ? "es" : "");
}

/* "(each gives all 6,400 outputs; 412 ways were tried)". */
static void say_tried(const struct telling *telling, enum trace_cause cause, char *text) {
    const struct trace_trial *trial = telling->trial;
    char count[32];
    bool are_alike = false;
    for (size_t i = 0; i < trial->ways->count; i++)
        are_alike = are_alike || telling->alike->first[i] != i;
    say(text, cause == TRACE_CAUSE_BOTH ? " (each gives all " : " (all ");
    say_looked(trial, text);
    if (cause == TRACE_CAUSE_FEW)
        say_evidence(trial, text);
    say(text, "; %s ways were tried", text_grouped(trial_tried(trial), count));
    if (are_alike)
        say(text, "; ways that give the same %s outputs of shuffled inputs count as one",
            text_grouped(telling->alike->outputs, count));
    say(text, ")");
}

static void tell_side(const struct telling *telling, int side, size_t chosen,
                      const struct trace_cover *cover, enum known known,
                      struct trace_finding *finding) {
    char *text = finding->says;
    say(text, "%s%s ", side ? "; " : "", side_names[side]);
    const size_t from = strlen(text);
    finding->fits[side] = trace_alike_fits(telling->alike, telling->trial, side);
    if (cover->count)
        say_cover(telling->trial, cover, text);
    else if (chosen != SIZE_MAX)
        say_fits(telling, side, chosen, text);
    else
        say_nearest(telling->trial, side, finding->cause == TRACE_CAUSE_NONE, text);
    if (known == KNOWN_ONE && finding->cause != TRACE_CAUSE_FEW)
        keep_side(text, from, finding->sides[side]);
    if (known && finding->cause != TRACE_CAUSE_BOTH && !cover->count)
        say_tried(telling, finding->cause, text);
}

void trace_tell_causes(const struct trace_trial *trial, const struct trace_alike *alike,
                       const struct trace_cover covers[2], struct trace_finding *finding) {
    const struct telling telling = {trial, alike};
    enum known known[2];
    size_t chosen[2];
    choose(trial, chosen);
    for (int side = 0; side < 2; side++) {
        if (chosen[side] != SIZE_MAX)
            chosen[side] = alike->first[chosen[side]];
        known[side] = known_of(&telling, &covers[side], side, chosen[side]);
    }
    finding->looked = trial->looked;
    finding->tried = trial_tried(trial);
    finding->cause = cause_of(trial, known);
    if (finding->cause == TRACE_CAUSE_NONE && !comes_near(trial, 0) && !comes_near(trial, 1)) {
        say(finding->says, "no way of computing it comes near");
        return;
    }
    if (finding->cause == TRACE_CAUSE_NONE)
        say(finding->says, "nearest are ");
    for (int side = 0; side < 2; side++)
        tell_side(&telling, side, chosen[side], &covers[side], known[side], finding);
    if (finding->cause == TRACE_CAUSE_BOTH)
        say_tried(&telling, finding->cause, finding->says);
}

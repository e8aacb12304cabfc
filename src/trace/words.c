/* Sentences. */
#include "trace/words.h"

#include "base/foreign.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char text[TRACE_SENTENCE], const char *format, ...) PRINTF_LIKE(2, 3);
static void add(char text[TRACE_SENTENCE], const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TRACE_SENTENCE - used, format, arguments);
    va_end(arguments);
    foreign_trim(text);
}

#define GROUPED(COUNT) text_grouped(COUNT, (char[32]){0})

static const char *ending(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* "operation 812 of 3,406", "operations 3 to 5 of 3,406", "7 operations from 0 to 40 of 3,406". */
static void add_numbers(char text[TRACE_SENTENCE], const uint64_t numbers[3], uint64_t all) {
    const uint64_t first = numbers[0], count = numbers[1], span = numbers[2];
    if (span > count)
        add(text, "%s operations from %s to %s of %s", GROUPED(count), GROUPED(first),
            GROUPED(first + span - 1), GROUPED(all));
    else if (count > 1)
        add(text, "operations %s to %s of %s", GROUPED(first), GROUPED(first + count - 1),
            GROUPED(all));
    else
        add(text, "operation %s of %s", GROUPED(first), GROUPED(all));
}

const char *trace_place_text(const struct trace_comparison *comparison, const struct trace_row *row,
                             char text[TRACE_SENTENCE]) {
    const uint64_t here[3] = {row->here, row->here_count, row->here_span},
                   there[3] = {row->there, row->there_count, row->there_span};
    *text = '\0';
    if (*row->path)
        add(text, "%.300s, ", row->path);
    add(text, "%.120s", row->name);
    if (*row->name_there)
        add(text, " here, %.120s there", row->name_there);
    add(text, "%s%s, at ", *row->shapes ? " " : "", row->shapes);
    if (!row->here_count)
        add_numbers(text, there, comparison->there.operations);
    else
        add_numbers(text, here, comparison->here.operations);
    if (!row->here_count)
        add(text, " there");
    else if (row->there_count && memcmp(here, there, sizeof here) != 0) {
        add(text, " (there ");
        add_numbers(text, there, comparison->there.operations);
        add(text, ")");
    }
    return text;
}

static void add_distances(const struct trace_row *row, char text[TRACE_SENTENCE]) {
    const bool is_one = row->differ == 1;
    if (row->ulps_count == 1 && strcmp(row->ulps[0].ulps, "0") == 0)
        add(text, ", %s", is_one ? "a zero of another sign" : "zeros of two signs");
    else if (row->ulps_count == 1 &&
             strspn(row->ulps[0].ulps, "0123456789") == strlen(row->ulps[0].ulps))
        add(text, ", %s%s ulp%s%s", is_one ? "by " : "", row->ulps[0].ulps,
            strcmp(row->ulps[0].ulps, "1") == 0 ? "" : "s", is_one ? "" : " each");
    else if (row->ulps_count && row->differ - row->not_finite == 2)
        add(text, ", one by up to %s ulp%s, the other by %s", GROUPED(row->middle),
            ending(row->middle), GROUPED(row->largest));
    else if (row->ulps_count)
        add(text, ", half of them by up to %s ulp%s, the most by %s", GROUPED(row->middle),
            ending(row->middle), GROUPED(row->largest));
    if (row->not_finite)
        add(text, "; %s %s NaN or infinite on one side", GROUPED(row->not_finite),
            row->not_finite == 1 ? "is" : "are");
}

static bool is_group(const struct trace_row *row) {
    return row->here_count && row->there_count && (row->here_count > 1 || row->there_count > 1);
}

/* "A group of 3 operations here stands for aten.mm.default there: here ..., there .... " */
static void add_group(const struct trace_row *row, char text[TRACE_SENTENCE]) {
    const uint64_t here = row->here_count, there = row->there_count;
    if (!is_group(row))
        return;
    if (here > 1 && there > 1)
        add(text, "A group of %s operations here stands beside one of %s there", GROUPED(here),
            GROUPED(there));
    else
        add(text, "A group of %s operations %s stands for %.120s %s",
            GROUPED(here > 1 ? here : there), here > 1 ? "here" : "there", row->name,
            here > 1 ? "there" : "here");
    add(text, "%s%s. ", *row->steps ? ": " : "", row->steps);
}

const char *trace_difference_text(const struct trace_row *row, char text[TRACE_SENTENCE]) {
    static const char *const says[TRACE_VERDICTS] = {
        [TRACE_PARTED] = "Inputs equal",
        [TRACE_FOLLOWED] = "Inputs differ",
        [TRACE_OTHER_INPUTS] = "An input differs that no recorded operation returned",
        [TRACE_UNCLEAR] = "Whether inputs are equal is not known, as one of them has no digest",
        [TRACE_HERE_ALONE] = "It has no partner there",
        [TRACE_THERE_ALONE] = "It has no partner here"};
    *text = '\0';
    add_group(row, text);
    if (row->verdict == TRACE_OTHER_INPUTS && !*row->input)
        add(text, "The two take different inputs, and no earlier operation explains that");
    else if (*row->swapped)
        add(text, "Inputs equal, but in other places: %s", row->swapped);
    else if (says[row->verdict])
        add(text, "%s", says[row->verdict]);
    if (*row->input)
        add(text, ": %s", row->input);
    if (*row->attributes)
        add(text, "%sttributes differ: %s", *text ? "; a" : "A", row->attributes);
    if (row->is_random)
        add(text, "; it draws random numbers");
    if (*text)
        add(text, ".");
    if (row->verdict < TRACE_PARTED || row->verdict > TRACE_UNCLEAR)
        return text;
    if (is_group(row) && row->verdict != TRACE_PARTED) {
        add(text, " So their outputs may differ, and do.");
        return text;
    }
    if (!row->elements && *row->outputs) {
        add(text, " Outputs are not alike: %s.", row->outputs);
        return text;
    }
    if (!row->elements) {
        add(text, " Outputs differ; by how much is not known, as their tensors were not kept.");
        return text;
    }
    if (row->rounded)
        add(text, " With the %s side rounded to %s,", row->rounded, row->to);
    add(text, " %s of %s output%s differ%s", GROUPED(row->differ), GROUPED(row->elements),
        ending(row->elements), row->differ == 1 ? "s" : "");
    add_distances(row, text);
    add(text, ".");
    return text;
}

const char *trace_ends_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]) {
    const bool here = comparison->here.complete, there = comparison->there.complete;
    *text = '\0';
    if (!here && !there)
        add(text, "Both traces are incomplete: later operations are not compared.");
    else if (!here || !there)
        add(text, "The trace %s is incomplete: later operations are not compared.",
            here ? "there" : "here");
    return text;
}

const char *trace_setting_text(const char *value, const struct trace_side *side) {
    return *value ? value : side->complete ? "not set" : "not recorded";
}

/* "all 37 outputs that differ", "1,280 judged outputs, among 61,440 that differ". */
static void add_judged(const struct trace_judgement *judgement, char text[TRACE_SENTENCE]) {
    const uint64_t judged = judgement->outputs;
    if (judgement->differ > judged)
        add(text, "%s judged outputs, among %s that differ", GROUPED(judged),
            GROUPED(judgement->differ));
    else
        add(text, "%s%s output%s that differ%s", judged == 1 ? "the " : "all ", GROUPED(judged),
            ending(judged), judged == 1 ? "s" : "");
}

const char *trace_judgement_text(const struct trace_row *row, char text[TRACE_SENTENCE]) {
    const struct trace_judgement *judgement = row->judgement;
    *text = '\0';
    if (!judgement)
        return text;
    const char *of_there = judgement->operation_there;
    if (judgement->outputs && of_there && strcmp(of_there, judgement->operation) != 0)
        add(text,
            "Compared with exact results, each side as its own operation, %s here and %s there: "
            "of ",
            judgement->operation, of_there);
    else if (judgement->outputs && row->here_count != row->there_count)
        add(text, "Compared with exact results, as one %s: of ", judgement->operation);
    else if (judgement->outputs)
        add(text, "Compared with exact results%s: of ",
            !of_there             ? ""
            : row->here_count > 1 ? ", each side as the sum that it makes"
                                  : ", each side by its own attributes");
    if (judgement->outputs) {
        add_judged(judgement, text);
        add(text, ", %s %s wrong here and %s there.", GROUPED(judgement->wrong_here),
            judgement->wrong_here == 1 ? "is" : "are", GROUPED(judgement->wrong_there));
    } else if (judgement->not_judged && *judgement->not_judged)
        add(text, "Not judged: %.300s.", judgement->not_judged);
    if (judgement->says && *judgement->says)
        add(text, "%s%s: %.1000s.", *text ? " " : "",
            judgement->cause == TRACE_CAUSE_NONE      ? "No simple cause"
            : judgement->cause == TRACE_CAUSE_ONE     ? "One side's cause"
            : judgement->cause == TRACE_CAUSE_SEVERAL ? "More than one cause fits"
            : judgement->cause == TRACE_CAUSE_FEW
                ? "Fewer than 16 independent outputs, too few to name the cause"
                : "Cause",
            judgement->says);
    return text;
}

const char *trace_equal_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]) {
    const uint64_t equal = comparison->counts[TRACE_EQUAL],
                   others = comparison->counts[TRACE_NOT_COMPARED];
    *text = '\0';
    if (!trace_is_compared(comparison)) {
        add(text, "Nothing was compared.");
        return text;
    }
    add(text, "Equal: %s pair%s of operations ha%s the same outputs", GROUPED(equal), ending(equal),
        equal == 1 ? "s" : "ve");
    if (others)
        add(text, "; %s more %s not compared", GROUPED(others), others == 1 ? "was" : "were");
    add(text, ".");
    return text;
}

const char *trace_first_words(const struct trace_row *row) {
    return row->verdict == TRACE_PARTED         ? "First to part"
           : row->verdict == TRACE_OTHER_INPUTS ? "First with other inputs"
           : row->verdict >= TRACE_HERE_ALONE   ? "First without a partner"
                                                : "First to differ";
}

static uint64_t alone_in(const struct trace_comparison *comparison) {
    return comparison->counts[TRACE_HERE_ALONE] + comparison->counts[TRACE_THERE_ALONE];
}

static const char *separator(const char *text) {
    return *text && text[strlen(text) - 1] != ' ' ? ", " : "";
}

const char *trace_rest_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]) {
    const uint64_t *counts = comparison->counts;
    const uint64_t later = counts[TRACE_PARTED] ? counts[TRACE_PARTED] - 1 : 0;
    const uint64_t open = counts[TRACE_OTHER_INPUTS] + counts[TRACE_UNCLEAR] + alone_in(comparison);
    uint64_t kinds = 0;
    *text = '\0';
    for (unsigned i = 0; i < comparison->kind_count; i++)
        kinds += comparison->kinds[i].parted > 0;
    if (!trace_is_compared(comparison))
        add(text, "Nothing was compared; ");
    if (later)
        add(text, "%s later operation%s by %s, of %s kind%s in all; ", GROUPED(later),
            later == 1 ? " parts" : "s part", later == 1 ? "itself" : "themselves", GROUPED(kinds),
            ending(kinds));
    else if (counts[TRACE_PARTED])
        add(text, "No other operation parts by itself; ");
    if (counts[TRACE_PARTED] && !open)
        add(text, counts[TRACE_FOLLOWED] ? "all other differences follow from inputs that differ."
                  : counts[TRACE_NOT_COMPARED]
                      ? "there are no other differences in what was compared."
                      : "there are no other differences.");
    else if (counts[TRACE_FOLLOWED])
        add(text, "%s follow%s from inputs that differ", GROUPED(counts[TRACE_FOLLOWED]),
            counts[TRACE_FOLLOWED] == 1 ? "s" : "");
    if (counts[TRACE_OTHER_INPUTS])
        add(text, "%s%s had other inputs, which no earlier operation explains", separator(text),
            GROUPED(counts[TRACE_OTHER_INPUTS]));
    if (counts[TRACE_UNCLEAR])
        add(text, "%s%s could not be judged, since digests are missing", separator(text),
            GROUPED(counts[TRACE_UNCLEAR]));
    if (alone_in(comparison))
        add(text, "%s%s ha%s no partner", separator(text), GROUPED(alone_in(comparison)),
            alone_in(comparison) == 1 ? "s" : "ve");
    if (strlen(text) > 2 && strcmp(text + strlen(text) - 2, "; ") == 0)
        text[strlen(text) - 2] = '\0';
    if (*text && text[strlen(text) - 1] != '.')
        add(text, ".");
    return text;
}

/* Operations that gave nothing to compare. */
static uint64_t without_values(const struct trace_comparison *comparison) {
    uint64_t count = 0;
    for (unsigned i = 0; i < comparison->kind_count; i++)
        count += comparison->kinds[i].no_values;
    return count;
}

const char *trace_counts_text(const struct trace_comparison *comparison,
                              char text[TRACE_SENTENCE]) {
    const uint64_t *counts = comparison->counts;
    static const struct {
        int verdict;
        const char *says;
    } parts[] = {{TRACE_PARTED, "parted"},
                 {TRACE_FOLLOWED, "followed"},
                 {TRACE_OTHER_INPUTS, "had other inputs"},
                 {TRACE_UNCLEAR, "unclear"}};
    const uint64_t nothing = without_values(comparison), left_out = counts[TRACE_NOT_COMPARED];
    *text = '\0';
    add(text, "%s pair%s of operations: %s equal", GROUPED(comparison->pairs),
        ending(comparison->pairs), GROUPED(counts[TRACE_EQUAL]));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (counts[parts[i].verdict])
            add(text, ", %s %s", GROUPED(counts[parts[i].verdict]), parts[i].says);
    if (left_out > nothing)
        add(text, ", %s not compared, as outputs have no digest, or no counterpart",
            GROUPED(left_out - nothing));
    if (nothing)
        add(text, ", %s without anything to compare", GROUPED(nothing));
    if (alone_in(comparison))
        add(text, "; no partner for %s here, %s there", GROUPED(counts[TRACE_HERE_ALONE]),
            GROUPED(counts[TRACE_THERE_ALONE]));
    if (comparison->moved)
        add(text, "; %s out of order", GROUPED(comparison->moved));
    if (comparison->fused)
        add(text, "; %s of different or several operations", GROUPED(comparison->fused));
    return text;
}

/* Whether the name is one of the list already, behind "names=". */
static bool has_name(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = strchr(text, '='); at; at = strchr(at + 1, ','))
        if (strncmp(at + 1, name, length) == 0 && (!at[1 + length] || at[1 + length] == ','))
            return true;
    return false;
}

const char *trace_keep_text(const struct trace_comparison *comparison, char text[TRACE_SENTENCE]) {
    enum { MOST = 8 };
    unsigned named = 0;
    *text = '\0';
    for (unsigned i = 0; i < comparison->row_count && named < MOST; i++) {
        const struct trace_row *row = &comparison->rows[i];
        const char *name = *row->path ? row->path : row->name;
        if (row->verdict != TRACE_PARTED || row->elements || *row->outputs || strlen(name) > 100 ||
            strchr(name, ',') || has_name(text, name))
            continue;
        add(text, "%s%s", named++ ? "," : "names=", name);
    }
    return text;
}

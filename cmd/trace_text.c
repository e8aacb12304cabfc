/* The comparison of two traces as text. */
#include "trace_text.h"

#include "base/foreign.h"
#include "report/text.h"
#include "trace/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    SHOWN = 10,       /* operations of each list, without --all */
    KINDS_SHOWN = 20, /* likewise */
    SETTINGS_SHOWN = 12
};

#define GROUPED(COUNT) text_grouped(COUNT, (char[32]){0})

static void print_sentence(const char *text) {
    char shown[2 * TRACE_SENTENCE];
    if (*text)
        printf("%s\n", foreign_text(FOREIGN_TERMINAL, text, shown, sizeof shown));
}

static void print_side(const char *name, const struct trace_side *side) {
    printf("%-5s  %s, %s, %s operation%s", name, FOREIGN(side->path), FOREIGN(side->recorder),
           GROUPED(side->operations), side->operations == 1 ? "" : "s");
    if (side->left_out)
        printf(", %s left out", GROUPED(side->left_out));
    printf("%s\n", side->complete ? "" : ", of a run that did not come to its end");
}

/* That what comes before the first that parted, or has other inputs, may be its cause. */
static void print_before(const struct trace_comparison *comparison, const struct trace_row *first) {
    const struct trace_row *before = NULL;
    uint64_t others = 0, alone = 0;
    char text[TRACE_SENTENCE], shown[2 * TRACE_SENTENCE];
    for (const struct trace_row *row = comparison->rows; row < first; row++) {
        const bool is_alone = row->verdict == TRACE_HERE_ALONE || row->verdict == TRACE_THERE_ALONE;
        others += row->verdict == TRACE_OTHER_INPUTS;
        alone += is_alone;
        before = before || !(is_alone || row->verdict == TRACE_OTHER_INPUTS) ? before : row;
    }
    if (!before)
        return;
    trace_place_text(comparison, before, text);
    printf(
        "Before it, %s operation%s no partner, and %s ha%s other inputs; the first of these: %s.\n",
        GROUPED(alone), alone == 1 ? " has" : "s have", GROUPED(others), others == 1 ? "s" : "ve",
        foreign_text(FOREIGN_TERMINAL, text, shown, sizeof shown));
}

static void print_answer(const struct trace_comparison *comparison) {
    const struct trace_row *first = trace_first(comparison);
    char text[TRACE_SENTENCE], shown[2 * TRACE_SENTENCE];
    if (!first) {
        print_sentence(trace_equal_text(comparison, text));
        return;
    }
    trace_place_text(comparison, first, text);
    printf("%s: %s", trace_first_words(first),
           foreign_text(FOREIGN_TERMINAL, text, shown, sizeof shown));
    printf(*first->source ? ", %s.\n" : ".%s\n", FOREIGN(first->source));
    print_sentence(trace_difference_text(first, text));
    print_sentence(trace_judgement_text(first, text));
    print_sentence(trace_rest_text(comparison, text));
    if (first->verdict < TRACE_HERE_ALONE)
        print_before(comparison, first);
}

static void print_settings(const struct trace_comparison *comparison, bool all) {
    const unsigned count = comparison->setting_count;
    const unsigned shown = all || count < SETTINGS_SHOWN ? count : SETTINGS_SHOWN;
    if (count)
        printf("\nDifferences in the environment:\n");
    for (unsigned i = 0; i < shown; i++) {
        const struct trace_setting *setting = &comparison->settings[i];
        printf("  %s: %s here, %s there\n", FOREIGN(setting->name),
               FOREIGN(trace_setting_text(setting->here, &comparison->here)),
               FOREIGN(trace_setting_text(setting->there, &comparison->there)));
    }
    if (shown < count)
        printf("  and %u more (--all)\n", count - shown);
}

/* Operations with one of two verdicts, but for the first one that the answer has told of. */
static void print_list(const struct trace_comparison *comparison, const char *title, unsigned from,
                       unsigned to, bool all) {
    const struct trace_row *first = trace_first(comparison);
    char text[TRACE_SENTENCE], line[2 * TRACE_SENTENCE];
    uint64_t count = 0, shown = 0;
    for (unsigned verdict = from; verdict <= to; verdict++)
        count += comparison->counts[verdict];
    count -= first && first->verdict >= from && first->verdict <= to;
    if (count)
        printf("\n%s:\n", title);
    for (unsigned i = 0; i < comparison->row_count && (all || shown < SHOWN); i++) {
        const struct trace_row *row = &comparison->rows[i];
        if (row == first || row->verdict < from || row->verdict > to)
            continue;
        shown++;
        trace_place_text(comparison, row, text);
        printf("  %s\n", foreign_text(FOREIGN_TERMINAL, text, line, sizeof line));
        if (row->verdict < TRACE_HERE_ALONE)
            printf("    %s\n", foreign_text(FOREIGN_TERMINAL, trace_difference_text(row, text),
                                            line, sizeof line));
        if (*trace_judgement_text(row, text))
            printf("    %s\n", foreign_text(FOREIGN_TERMINAL, text, line, sizeof line));
    }
    if (shown < count)
        printf("  and %s more (--all)\n", GROUPED(count - shown));
}

/* Kinds that did not come out equal, and how many others there are. */
static void print_kinds(const struct trace_comparison *comparison, bool all) {
    unsigned shown = 0;
    uint64_t rest = 0, calls = 0;
    int width = (int)strlen("operation");
    for (unsigned i = 0; i < comparison->kind_count; i++) {
        const int length = (int)strlen(FOREIGN(comparison->kinds[i].name));
        width = length > width && length < 48 ? length : width;
    }
    printf("\n%-*s  %9s  %9s  %9s  %13s  %s\n", width, "operation", "calls", "parted", "followed",
           "largest ulps", "nearer to exact");
    for (unsigned i = 0; i < comparison->kind_count; i++) {
        const struct trace_kind *kind = &comparison->kinds[i];
        if (!all && (shown == KINDS_SHOWN || !(kind->parted + kind->followed))) {
            rest++;
            calls += kind->calls;
            continue;
        }
        shown++;
        printf("%-*s  %9s  %9s  %9s  %13s  ", width, FOREIGN(kind->name), GROUPED(kind->calls),
               GROUPED(kind->parted), GROUPED(kind->followed),
               kind->largest ? GROUPED(kind->largest) : "-");
        if (kind->nearer_here || kind->nearer_there)
            printf("here %s, there %s\n", GROUPED(kind->nearer_here), GROUPED(kind->nearer_there));
        else
            printf("-\n");
    }
    if (rest)
        printf("%s more kind%s, %s calls%s\n", GROUPED(rest), rest == 1 ? "" : "s", GROUPED(calls),
               shown == KINDS_SHOWN ? "" : ", none of which parted or followed");
}

static void print_stretches(const struct trace_comparison *comparison) {
    printf("\nAlong the run\n%-21s  %17s  %21s  %15s  %15s\n", "operations", "pairs that differ",
           "elements that differ", "half within", "largest ulps");
    for (unsigned i = 0; i < comparison->stretch_count; i++) {
        const struct trace_stretch *stretch = &comparison->stretches[i];
        char range[72], pairs[72], elements[72] = "-";
        snprintf(range, sizeof range, "%s to %s", GROUPED(stretch->first), GROUPED(stretch->last));
        snprintf(pairs, sizeof pairs, "%s of %s", GROUPED(stretch->differ),
                 GROUPED(stretch->compared));
        if (stretch->elements)
            snprintf(elements, sizeof elements, "%.1f %% of %s",
                     100 * (double)stretch->elements_differ / (double)stretch->elements,
                     GROUPED(stretch->elements));
        printf("%-21s  %17s  %21s  %15s  %15s\n", range, pairs, elements,
               stretch->elements ? GROUPED(stretch->middle) : "-",
               stretch->elements ? GROUPED(stretch->largest) : "-");
    }
}

void trace_print_comparison(const struct trace_comparison *comparison, bool all) {
    char text[TRACE_SENTENCE], line[2 * TRACE_SENTENCE];
    print_sentence(trace_ends_text(comparison, text));
    print_answer(comparison);
    if (*trace_keep_text(comparison, text))
        printf("To see by how much and which side is right, record both again:\n"
               "  detcheck trace record -o FOLDER --keep %s -- COMMAND\n",
               foreign_text(FOREIGN_SHELL, text, line, sizeof line));
    printf("\n");
    print_side("here", &comparison->here);
    print_side("there", &comparison->there);
    print_sentence(trace_counts_text(comparison, text));
    print_settings(comparison, all);
    if (!trace_first(comparison))
        return;
    print_list(comparison, "Parted by themselves later", TRACE_PARTED, TRACE_PARTED, all);
    print_list(comparison, "With other inputs, which no earlier operation explains",
               TRACE_OTHER_INPUTS, TRACE_UNCLEAR, all);
    print_list(comparison, "Without a partner", TRACE_HERE_ALONE, TRACE_THERE_ALONE, all);
    print_kinds(comparison, all);
    print_stretches(comparison);
}

/* Whose bits the sides of an explanation have, as text. */
#include "explain_output.h"

#include "base/foreign.h"
#include "explain/hypothesis.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

/* The inputs that a side was looked up by, with how many they are. */
static void print_looked_up(const struct explain_row *row, int side) {
    static const char *const say[] = {"all inputs", "samples", "special inputs"};
    const struct binding_request *computed = &row->computed;
    const char *before = " (on", *end = "";
    char count[32];
    for (int i = 0; i < LIBRARY_INPUTS; i++) {
        struct domain domain = {0};
        struct error unused;
        if (!*row->prints[side][i])
            continue;
        printf("%s ", before);
        if (i != LIBRARY_ALL && library_domain(&domain, (enum library_inputs)i, computed->operation,
                                               computed->format, &unused))
            printf("%s ", text_grouped(domain.count, count));
        fputs(say[i], stdout);
        domain_free(&domain);
        before = " and";
        end = ")";
    }
    puts(end);
}

/* Of a function that the table has: why no library is named. */
static void print_no_library(const struct explain_row *row, int side) {
    static const char table[] = "the table is of all inputs, and of --samples 1048576 --seed 1";
    const char letter = "AB"[side];
    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT];
    memcpy(prints, row->prints[side], sizeof prints);
    if (*prints[LIBRARY_ALL] || *prints[LIBRARY_SAMPLES] ||
        libraries_exclude(row->operation, row->computed.format, prints)) {
        printf("  %c has the bits of no library in the table", letter);
        print_looked_up(row, side);
    } else if (row->interrupted[side]) {
        printf("  it is not known whose bits %c has: interrupted\n", letter);
    } else if (row->ran && strncmp(row->sides[side], "file:", 5) != 0) {
        printf(
            "  it is not known whose bits %c has: it does not answer all inputs by which libraries "
            "are known; %s\n",
            letter, table);
    } else {
        printf("  these inputs do not show whose bits %c has: %s\n", letter, table);
    }
}

/* Whether the table names the same libraries for both sides. */
static bool are_of_same(const struct explain_row *row) {
    char text[2][LIBRARIES_TEXT];
    return !row->alone && row->libraries[0].count &&
           strcmp(libraries_text(&row->libraries[0], LIBRARY_NAMES, text[0]),
                  libraries_text(&row->libraries[1], LIBRARY_NAMES, text[1])) == 0;
}

static const char *samples_text(const struct library_names *names) {
    return names->by[LIBRARY_SPECIAL] ? "1,048,576 samples and special inputs"
                                      : "1,048,576 samples";
}

/* Whether a side does what libm does without FMA: it is one of the libraries then. */
static bool is_variant_of_libm(const struct explain_outcome *outcome) {
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].cause &&
            strcmp(outcome->explanations[i].name, HYPOTHESIS_WITHOUT_FMA) == 0)
            return true;
    return false;
}

/* Sides that differ, but not at the inputs by which the table knows libraries. Where each is a variant of one library, the differences
 * rule none of these out. */
static bool print_undecided(const struct explain_row *row) {
    const struct library_names *names = &row->libraries[0];
    char text[LIBRARIES_TEXT];
    if (row->equal || !is_variant_of_libm(&row->outcome) || !are_of_same(row) ||
        names->by[LIBRARY_ALL] || row->libraries[1].by[LIBRARY_ALL])
        return false;
    printf("  libraries are known by %s, at which A and B are equal, and have the bits of: %s%s\n",
           samples_text(names), FOREIGN(libraries_text(names, LIBRARIES_TEXT, text)),
           names->all_tells_more ? "; --all tells more" : "");
    return true;
}

/* The names of one standing among those of a side: none is ruled out, or the differences leave it to one side at most. */
static void pick(const struct explain_row *row, int side, enum exception standing,
                 struct library_names *picked) {
    const struct library_names *names = &row->libraries[side];
    *picked = *names;
    picked->count = 0;
    picked->more = standing == EXCEPTION_NONE ? names->more : 0;
    for (size_t i = 0; i < names->count; i++)
        if (explain_library_exception(row, side, names->names[i]) == standing)
            picked->names[picked->count++] = names->names[i];
}

/* "  A has the bits of: musl 1.2.3 (on all inputs)" */
static void print_names(const struct library_names *names, const char *who, const char *end) {
    char text[LIBRARIES_TEXT];
    printf("  %s the bits of: %s (%s%s%s)%s\n", who,
           FOREIGN(libraries_text(names, LIBRARIES_TEXT, text)),
           names->by[LIBRARY_ALL] ? "" : "on these inputs alone: ",
           names->by[LIBRARY_ALL] ? "on all inputs" : samples_text(names),
           names->all_tells_more ? "; --all tells more" : "", end);
}

/* What was just shown of an input rules a library out that has the other side's bits there. Each line has the libraries of
 * which one thing holds. */
static void print_libraries(const struct explain_row *row, int side) {
    static const char *const who[] = {"A has", "B has", "both have"};
    const struct library_names *names = &row->libraries[side];
    const bool same = names->count && row->equal && are_of_same(row);
    struct library_names picked;
    uint64_t differ;
    char count[32], all[32], end[128];
    if (same && side)
        return;
    if (!names->count) {
        if (names->in_table)
            print_no_library(row, side);
        return;
    }
    explain_exception(row, side, &differ);
    pick(row, side, EXCEPTION_NONE, &picked);
    if (picked.count)
        print_names(&picked, who[same ? 2 : side], "");
    for (enum exception one = EXCEPTION_THIS_SIDE; one <= EXCEPTION_ONE_OF_BOTH; one++) {
        snprintf(end, sizeof end, ", but%s not at %s of %s input%s",
                 one == EXCEPTION_THIS_SIDE ? "" : " one of A and B", text_grouped(differ, count),
                 text_grouped(row->outcome.tested, all), row->outcome.tested == 1 ? "" : "s");
        pick(row, side, one, &picked);
        if (picked.count)
            print_names(&picked, who[side], end);
    }
}

void explain_libraries_print(const struct explain_row *row) {
    const bool undecided = print_undecided(row);
    for (int side = 0; side < 2 - row->alone && !undecided; side++)
        print_libraries(row, side);
}

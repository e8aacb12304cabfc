/* What explain says of a row, as text. */
#include "explain_output.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_OTHERS = 5 };

static void print_code(const char *label, const struct format *format, uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    printf("       %-2s %s  %s  %s\n", label, format_decimal_text(format, code, decimal),
           format_hex_text(format, code, hex), format_bits_text(format, code, bits));
}

static void print_difference(const struct explain_row *row, const struct difference *difference) {
    static const char *const names[] = {"x", "y", "z"};
    const struct binding_request *computed = &row->computed;
    char command[COMMAND_TEXT];
    for (int i = 0; i < computed->operation->operands; i++)
        print_code(names[i < 3 ? i : 2], computed->format, difference->in[i]);
    for (int side = 0; side < 2; side++)
        print_code(side ? "B" : "A", request_result_format(computed), difference->sides[side]);
    if (*explain_command(row, difference, command))
        printf("       %s\n", FOREIGN(command));
}

/* Of how many it is told, where it was not asked of all. */
static void print_tested(const struct explain_outcome *outcome, const struct explanation *one) {
    char tested[32];
    if (one->tested != outcome->tested)
        printf(" (%s %s looked at)", text_grouped(one->tested, tested),
               outcome->of_blocks ? "blocks" : "inputs");
}

static void print_cause(const struct explain_row *row, const struct explanation *one) {
    const struct explain_outcome *outcome = &row->outcome;
    char text[SENTENCE_TEXT], explains[32], adds[32], wrong[32];
    printf("  %d. %s\n", one->cause, FOREIGN(explain_sentence(row, one, text)));
    printf("     %s: explains %s of %s %s", one->name, text_grouped(one->explains, explains),
           text_grouped(outcome->differ, adds),
           outcome->of_blocks ? "blocks that differ" : "differences");
    if (one->cause > 1 && one->adds != one->explains)
        printf(", %s more than those before", text_grouped(one->adds, adds));
    print_tested(outcome, one);
    printf(one->has_ends || one->period ? "; %s inputs there do not differ\n"
                                        : "; predicts %s wrongly\n",
           text_grouped(one->wrong, wrong));
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].same_as == one->cause)
            printf("     cannot be told from here: %s\n",
                   FOREIGN(explain_sentence(row, &outcome->explanations[i], text)));
    if (one->has_example) {
        printf("     for example\n");
        print_difference(row, &one->example);
    }
}

/* Hypotheses that are no causes, although they are right about something. */
static void print_others(const struct explain_row *row) {
    const struct explain_outcome *outcome = &row->outcome;
    char text[SENTENCE_TEXT], explains[32], wrong[32];
    size_t shown = 0;
    for (size_t i = 0; i < outcome->count && shown < SHOWN_OTHERS; i++) {
        const struct explanation *one = &outcome->explanations[i];
        if (one->cause || one->same_as || !one->explains)
            continue;
        if (!shown++)
            printf("  no causes\n");
        printf("     %s: %s, explains %s, predicts %s wrongly", one->name,
               FOREIGN(explain_sentence(row, one, text)), text_grouped(one->explains, explains),
               text_grouped(one->wrong, wrong));
        print_tested(outcome, one);
        putchar('\n');
    }
}

static void print_outcome(const struct explain_row *row) {
    const struct explain_outcome *outcome = &row->outcome;
    char count[32], other[32];
    if (!outcome->of_blocks)
        printf("  %s of %s inputs differ\n", text_grouped(outcome->differ, count),
               text_grouped(outcome->tested, other));
    if (outcome->unanswered)
        printf("  %s inputs without an answer are not looked at\n",
               text_grouped(outcome->unanswered, count));
    if (!outcome->differ)
        return;
    if (!outcome->of_blocks)
        printf("  where they differ, A is correctly rounded at %s, B at %s\n",
               text_grouped(outcome->right[0], count), text_grouped(outcome->right[1], other));
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].cause)
            print_cause(row, &outcome->explanations[i]);
    if (outcome->unexplained && outcome->of_blocks)
        printf("  no simple cause explains %s of the blocks that were looked into\n",
               text_grouped(outcome->unexplained, count));
    else if (outcome->unexplained) {
        printf("  no simple cause explains %s of the differences, the first of which is\n",
               text_grouped(outcome->unexplained, count));
        print_difference(row, &outcome->first_unexplained);
    }
    print_others(row);
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].why)
            printf("  not tried\n     %s: %s\n", outcome->explanations[i].name,
                   outcome->explanations[i].why);
}

static void print_libraries(const struct explain_row *row, int side) {
    const struct library_names *names = &row->libraries[side];
    char text[LIBRARIES_TEXT];
    if (names->count)
        printf("  %c has the bits of: %s (%s%s)\n", "AB"[side],
               FOREIGN(libraries_text(names, LIBRARY_NAMES, text)),
               names -> by[LIBRARY_ALL]              ? "on all inputs"
                        : names->by[LIBRARY_SPECIAL] ? "on 1,048,576 samples and special inputs"
                                                     : "on 1,048,576 samples",
               names->all_tells_more ? "; --all tells more" : "");
    else if (names->in_table && !*row->prints[side][LIBRARY_ALL] &&
             !*row->prints[side][LIBRARY_SAMPLES])
        printf(
            "  whose bits %c has cannot be told from these inputs: the table is of all inputs, and "
            "of --samples 1048576 --seed 1\n",
            "AB"[side]);
    else if (names->in_table)
        printf("  %c has the bits of no library in the table\n", "AB"[side]);
}

void explain_row_print(const struct explain_row *row) {
    printf("%s  %s  %s%s%s  %s%s\n", FOREIGN(row->operation), FOREIGN(row->format),
           FOREIGN(row->rounding), *row->parameters ? "  " : "", FOREIGN(row->parameters),
           FOREIGN(row->inputs),
           row->alone   ? ""
           : row->equal ? ": equal"
                        : ": they differ");
    for (int side = 0; side < 2 - row->alone; side++)
        printf("  %c %s  %s\n", "AB"[side], FOREIGN(row->sides[side]), FOREIGN(row->details[side]));
    if (row->blocks)
        printf("  %llu of %llu blocks of 65,536 outputs differ\n",
               (unsigned long long)row->blocks_differ, (unsigned long long)row->blocks);
    if (*row->why)
        printf("  %s\n", FOREIGN(row->why));
    if (row->ran && !row->alone)
        print_outcome(row);
    for (int side = 0; side < 2 - row->alone; side++)
        print_libraries(row, side);
}

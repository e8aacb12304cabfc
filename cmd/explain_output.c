/* What explain says of a row, as text. */
#include "explain_output.h"

#include "base/foreign.h"
#include "explain/right.h"
#include "format/text.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_OTHERS = 5 };

static void print_difference(const struct explain_row *row, const struct difference *difference) {
    const struct binding_request *computed = &row->computed;
    char command[COMMAND_TEXT];
    explain_print_input(row, difference->in);
    for (int side = 0; side < 2; side++)
        explain_print_code(side ? "B" : "A", request_result_format(computed),
                           difference->sides[side]);
    if (*explain_command(row, difference, command))
        printf("       %s\n", FOREIGN(command));
}

/* "1 input", "2,000 inputs". */
enum { COUNT_TEXT = 64 };
static const char *counted(uint64_t count, const char *noun, char text[COUNT_TEXT]) {
    char number[32];
    snprintf(text, COUNT_TEXT, "%s %s%s", text_grouped(count, number), noun, count == 1 ? "" : "s");
    return text;
}

/* What is counted: of arrays the elements of results. */
static const char *noun_of(const struct explain_row *row) {
    return row->outcome.of_blocks                                      ? "block"
           : row->computed.operation && row->computed.operation->array ? "result"
                                                                       : "input";
}

/* Of how many it is told, where it was not asked of all. */
static void print_tested(const struct explain_row *row, const struct explanation *one) {
    char tested[COUNT_TEXT];
    if (one->tested != row->outcome.tested)
        printf(" (%s looked at)", counted(one->tested, noun_of(row), tested));
}

/* Other hypotheses that explain what a cause does. */
static void print_equals(const struct explain_row *row, const struct explanation *cause) {
    const struct explain_outcome *outcome = &row->outcome;
    char text[SENTENCE_TEXT];
    size_t count = 0;
    for (size_t i = 0; i < outcome->count; i++) {
        const struct explanation *one = &outcome->explanations[i];
        if (one->same_as != cause->cause || ++count > SHOWN_OTHERS)
            continue;
        printf("     equally explained by: %s", FOREIGN(explain_sentence(row, one, text)));
        print_tested(row, one);
        putchar('\n');
    }
    if (count > SHOWN_OTHERS)
        printf("     and by %zu more\n", count - SHOWN_OTHERS);
}

/* What of a cause accounts for how many. */
static void print_parts(const struct explain_row *row, const struct explanation *cause) {
    const struct explain_outcome *outcome = &row->outcome;
    char text[SENTENCE_TEXT], explains[32];
    for (size_t i = 0; i < outcome->count; i++) {
        const struct explanation *one = &outcome->explanations[i];
        if (one->part_of == cause->cause)
            printf("     of that %s: %s, alone explains %s\n", one->name,
                   FOREIGN(explain_sentence(row, one, text)),
                   text_grouped(one->explains, explains));
    }
}

/* Prints what all causes up to this one explain together, where it predicts little by itself: one part of an order does, where
 * other parts differ too. */
static void print_together(const struct explain_row *row, const struct explanation *cause) {
    const struct explain_outcome *outcome = &row->outcome;
    uint64_t together = 0;
    char explains[32], differ[COUNT_TEXT];
    if (cause->cause < 2 || explain_is_credible(cause->explains, cause->wrong))
        return;
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].cause && outcome->explanations[i].cause <= cause->cause)
            together += outcome->explanations[i].adds;
    printf("     with those before it: explains %s of %s\n", text_grouped(together, explains),
           counted(outcome->differ, "difference", differ));
}

static void print_cause(const struct explain_row *row, const struct explanation *one) {
    const struct explain_outcome *outcome = &row->outcome;
    char text[SENTENCE_TEXT], explains[32], adds[32], wrong[COUNT_TEXT];
    printf("  %d. %s\n", one->cause, FOREIGN(explain_sentence(row, one, text)));
    printf("     %s: explains %s of %s%s", one->name, text_grouped(one->explains, explains),
           counted(outcome->differ, outcome->of_blocks ? "block" : "difference", wrong),
           !outcome->of_blocks    ? ""
           : outcome->differ == 1 ? " that differs"
                                  : " that differ");
    if (one->cause > 1 && one->adds < one->explains) /* more where it was asked of a part */
        printf(", %s more than those before", text_grouped(one->adds, adds));
    print_tested(row, one);
    if ((one->has_ends && !one->is_within) || one->period || one->has_distance)
        printf("; %s there %s not differ\n", counted(one->wrong, "input", wrong),
               one->wrong == 1 ? "does" : "do");
    else
        printf("; predicts %s wrongly\n", text_grouped(one->wrong, wrong));
    print_together(row, one);
    print_equals(row, one);
    print_parts(row, one);
    if (one->has_example) {
        printf("     for example\n");
        print_difference(row, &one->example);
    }
}

/* Why what is right about all of its inputs is no cause. */
static void print_reason(const struct explanation *one) {
    if (one->no_cause == NO_CAUSE_RIGHT)
        printf("; %c is right wherever outputs differ", "AB"[one->side]);
    else if (one->no_cause == NO_CAUSE_ONE_SIDE)
        printf("; how %c adds is not known", "BA"[one->side]);
    else if (one->no_cause)
        fputs(one->no_cause == NO_CAUSE_CHANCE ? "; so few of them may be so by chance"
                                               : "; the causes explain these, too",
              stdout);
}

/* Hypotheses that are no causes: those that predict nothing wrongly, or those that do and are right about
 * something all the same. */
static void print_others(const struct explain_row *row, bool is_true) {
    const struct explain_outcome *outcome = &row->outcome;
    char text[SENTENCE_TEXT], explains[32], wrong[32];
    size_t shown = 0;
    /* What is right about a side that gives other bits each time is chance. */
    const bool by_chance =
        outcome->count && strcmp(outcome->explanations[0].name, "repetition") == 0;
    for (size_t i = 0; i < outcome->count && shown < SHOWN_OTHERS; i++) {
        const struct explanation *one = &outcome->explanations[i];
        if (one->cause || one->same_as || one->part_of || !one->explains || by_chance ||
            one->is_within || is_true != (one->no_cause != NO_CAUSE_NONE))
            continue;
        if (!shown++)
            puts(is_true ? "  true, but no causes" : "  wrong elsewhere, so no causes");
        printf("     %s: %s, explains %s, predicts %s wrongly", one->name,
               FOREIGN(explain_sentence(row, one, text)), text_grouped(one->explains, explains),
               text_grouped(one->wrong, wrong));
        print_tested(row, one);
        print_reason(one);
        putchar('\n');
    }
}

/* Crashes and the like: how many, and the first. */
static void print_events(const struct explain_row *row, int side) {
    const struct side_events *events = &row->outcome.events[side];
    struct difference difference = {0};
    char count[32], command[COMMAND_TEXT];
    for (int kind = 0; kind < EVENT_KINDS; kind++)
        if (events->counts[kind])
            printf("  %c %s: %s\n", "AB"[side], event_names[kind],
                   text_grouped(events->counts[kind], count));
    if (!events->any)
        return;
    printf("     the first, %s, at\n", event_names[events->first.kind]);
    memcpy(difference.in, events->first.input, sizeof difference.in);
    explain_print_input(row, difference.in);
    if (*explain_command(row, &difference, command))
        printf("       %s\n", FOREIGN(command));
}

/* What the others say nothing of. */
static void print_unjudged(const struct explain_row *row) {
    const struct explain_outcome *outcome = &row->outcome;
    char count[COUNT_TEXT];
    if (outcome->not_called)
        printf("  %s %s\n", counted(outcome->not_called, "input", count),
               row->computed.operation->converts ? "undefined by the profile, and not looked at"
                                                 : "never called, without an integer of C");
    if (outcome->unanswered)
        printf("  %s without an answer %s not looked at\n",
               counted(outcome->unanswered, "input", count),
               outcome->unanswered == 1 ? "is" : "are");
}

/* Whether inputs of the operation were left out: equal outputs prove nothing of these. */
static bool leaves_out(const struct explain_row *row) {
    const struct operation *operation = row->computed.operation;
    if (!operation || operation->array || (row->domain && row->domain->kind == DOMAIN_ALL))
        return false;
    const unsigned bits = request_input_bits(&row->computed);
    return bits >= 64 || row->count < UINT64_C(1) << bits ||
           (row->domain && row->domain->kind == DOMAIN_SAMPLES);
}

/* "; of 4,294,967,296 inputs", where not all were compared. */
enum { OF_TEXT = 64 };
static const char *of_text(const struct explain_row *row, char text[OF_TEXT]) {
    char all[32];
    *text = '\0';
    if (!leaves_out(row))
        return text;
    const unsigned bits = request_input_bits(&row->computed);
    if (bits < 64)
        snprintf(text, OF_TEXT, "; of %s inputs", text_grouped(UINT64_C(1) << bits, all));
    else
        snprintf(text, OF_TEXT, "; of 2^%u inputs", bits);
    return text;
}

static void print_outcome(const struct explain_row *row) {
    const struct explain_outcome *outcome = &row->outcome;
    char count[32], other[COUNT_TEXT];
    print_unjudged(row);
    if (row->alone)
        return;
    if (!outcome->of_blocks && !explain_few_print(row))
        printf("  %s of %s differ%s%s\n", text_grouped(outcome->differ, count),
               counted(outcome->tested, noun_of(row), other), outcome->differ == 1 ? "s" : "",
               row->equal && leaves_out(row) ? "; no others were compared" : "");
    if (!outcome->differ)
        return;
    const uint64_t reported = explain_reported_differences(outcome);
    if (!outcome->of_blocks && reported < outcome->differ)
        printf("  %s of these are NaNs with other bits, which compare and sweep pass over\n",
               text_grouped(outcome->differ - reported, count));
    if (outcome->judged)
        printf("  where outputs differ, A is correctly rounded at %s, B at %s\n",
               text_grouped(outcome->right[0], count), text_grouped(outcome->right[1], other));
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].cause)
            print_cause(row, &outcome->explanations[i]);
    print_others(row, true);
    if (outcome->unexplained && outcome->of_blocks)
        printf("  no simple cause explains %s of the blocks that were looked into\n",
               text_grouped(outcome->unexplained, count));
    else if (outcome->unexplained) {
        printf("  no simple cause explains %s of the differences%s\n",
               text_grouped(outcome->unexplained, count),
               outcome->has_unexplained ? ", the first of which is" : "");
        if (outcome->has_unexplained)
            print_difference(row, &outcome->first_unexplained);
    }
    print_others(row, false);
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->explanations[i].why)
            printf("  not tried\n     %s: %s\n", outcome->explanations[i].name,
                   outcome->explanations[i].why);
}

/* Questions that calls which did not return have ended. */
static void print_cut(const struct explain_row *row, int side) {
    const char *before = "was not called further to find ";
    for (int i = 0; i < SIDE_QUESTIONS; i++) {
        if (!row->cut[side][i])
            continue;
        if (*before == 'w')
            printf("  %c ", "AB"[side]);
        printf("%s%s", before, question_rows[i].says);
        before = ", ";
    }
    if (*before == ',')
        puts(": a call did not return");
}

/* ": ONLY 1 of 4 looked at", where it is under half. */
static const char *hollow_text(const struct explain_row *row, char text[96]) {
    const uint64_t left = row->outcome.unanswered + row->outcome.not_called;
    char looked[32], all[32];
    *text = '\0';
    if (row->ran && !row->outcome.of_blocks && left <= row->count && row->count - left < left)
        snprintf(text, 96, "  ONLY %s of %s looked at", text_grouped(row->count - left, looked),
                 text_grouped(row->count, all));
    return text;
}

void explain_row_print(const struct explain_row *row) {
    char blocks[COUNT_TEXT], hollow[96], of[OF_TEXT];
    printf("%s  %s  %s%s%s  %s%s%s%s\n", FOREIGN(row->operation), FOREIGN(row->format),
           FOREIGN(row->rounding), *row->parameters ? "  " : "", FOREIGN(row->parameters),
           FOREIGN(row->inputs),
           row->alone                         ? ""
           : row->equal                       ? ": equal"
           : row->ran && !row->outcome.differ ? ": not all inputs are answered"
           : row->folded                      ? ": constants differ"
                                              : ": outputs differ",
           row->equal && !row->alone ? of_text(row, of) : "", hollow_text(row, hollow));
    for (int side = 0; side < 2 - row->alone; side++)
        printf("  %c %s  %s\n", "AB"[side], FOREIGN(row->sides[side]), FOREIGN(row->details[side]));
    if (row->blocks)
        printf("  %llu of %s of 65,536 outputs differ%s\n", (unsigned long long)row->blocks_differ,
               counted(row->blocks, "block", blocks), row->blocks_differ == 1 ? "s" : "");
    if (*row->why && !row->equal) /* what would have shown differences */
        printf("  %s\n", FOREIGN(row->why));
    for (int side = 0; side < 2; side++)
        print_events(row, side);
    if (row->ran)
        print_outcome(row);
    if (row->ran && row->folded)
        explain_folded_print(row);
    for (int side = 0; side < 2 - row->alone; side++)
        print_cut(row, side);
    explain_libraries_print(row);
    const char *right = row->alone ? explain_right(&row->computed) : NULL;
    if (right && strcmp(row->sides[0], right) != 0)
        printf("  whether it is right, and why not: add --impl %s\n", right);
}

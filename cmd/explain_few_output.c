/* A side that is nearly det, or nearly right: what that says of it. */
#include "explain_output.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

/* At most one of so many inputs, and at most so many. */
enum { FEW_OF = 1000, FEW_MOST = 4096 };

static bool is_known(const char *side) {
    return strcmp(side, "det") == 0 || strcmp(side, "cr") == 0;
}

static bool has_cause_of_bits(const struct explain_outcome *outcome) {
    for (size_t i = 0; i < outcome->count; i++)
        if (explanation_predicts_bits(&outcome->explanations[i]))
            return true;
    return false;
}

bool explain_few_print(const struct explain_row *row) {
    const struct explain_outcome *outcome = &row->outcome;
    const int known = is_known(row->sides[1]) ? 1 : 0;
    const struct format *format = format_of_operand(row->computed.format, 0);
    char count[32], all[32], ends[2][NUMBER_TEXT];
    if (outcome->of_blocks || outcome->unanswered || !outcome->differ || row->folded ||
        outcome->differ > FEW_MOST || outcome->differ > outcome->tested / FEW_OF ||
        !is_known(row->sides[known]) || is_known(row->sides[1 - known]) ||
        has_cause_of_bits(outcome))
        return false;
    printf("  %c has %s's bits but at %s of %s inputs", known ? 'A' : 'B', row->sides[known],
           text_grouped(outcome->differ, count), text_grouped(outcome->tested, all));
    if (outcome->has_reach && outcome->least == outcome->greatest)
        printf(": at %s", format_decimal_text(format, outcome->least, ends[0]));
    else if (outcome->has_reach)
        printf(": from %s to %s", format_decimal_text(format, outcome->least, ends[0]),
               format_decimal_text(format, outcome->greatest, ends[1]));
    puts("");
    if (strcmp(row->sides[known], "det") == 0)
        puts("  so look for a constant that is off in its last bit, or for an fma that is split");
    return true;
}

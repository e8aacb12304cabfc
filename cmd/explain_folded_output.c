/* How `detcheck explain` shows inputs and codes, and with --folded who is right and where the two differ. */
#include "explain_output.h"

#include "format/text.h"
#include "report/text.h"

#include <stdio.h>

enum { SHOWN_DIFFERENCES = 4 };

void explain_print_code(const char *label, const struct format *format, uint64_t code) {
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    printf("       %-2s %s  %s  %s\n", label, format_decimal_text(format, code, decimal),
           format_hex_text(format, code, hex), format_bits_text(format, code, bits));
}

void explain_print_input(const struct explain_row *row, const uint64_t *input) {
    static const char *const names[] = {"x", "y", "z"};
    const struct binding_request *computed = &row->computed;
    for (int i = 0; i < computed->operation->operands; i++)
        explain_print_code(names[i < 3 ? i : 2], computed->format, input[i]);
}

static void print_side(const struct explain_row *row, int number) {
    const struct folded_side *side = &row->folded->sides[number];
    const struct format *format = request_result_format(&row->computed);
    char count[32], error[32];
    printf("  %c is wrong at %s of %s", "AB"[number], text_grouped(side->wrong, count),
           row -> folded -> folded == 1 ? "1 input" : "them");
    if (!side->has_worst) {
        puts("; none of its outputs has an error in ulps");
        return;
    }
    printf("; largest error %s ulp at\n", text_error(side->error, 6, error));
    explain_print_input(row, side->input);
    explain_print_code(number ? "B" : "A", format, side->got);
    if (side->got != side->want)
        explain_print_code("=", format, side->want);
}

static void print_verdict(const struct folded_difference *one, int side) {
    char error[32];
    if (one->right[side])
        printf("       %c is correctly rounded", "AB"[side]);
    else if (one->in_ulps[side])
        printf("       %c is wrong, by %s ulp", "AB"[side], text_error(one->error[side], 6, error));
    else
        printf("       %c is wrong", "AB"[side]);
    putchar('\n');
}

void explain_folded_print(const struct explain_row *row) {
    const struct folded *folded = row->folded;
    const struct format *format = request_result_format(&row->computed);
    char all[32];
    print_side(row, 0);
    print_side(row, 1);
    if (!folded->count)
        return;
    printf("  where A and B differ in more than the bits of NaN: %s%s\n",
           text_grouped(folded->count, all),
           folded->count > SHOWN_DIFFERENCES ? ", of which the first are" : "");
    for (size_t i = 0; i < folded->count && i < SHOWN_DIFFERENCES; i++) {
        const struct folded_difference *one = &folded->differences[i];
        explain_print_input(row, one->at.in);
        for (int side = 0; side < 2; side++)
            explain_print_code(side ? "B" : "A", format, one->at.sides[side]);
        explain_print_code("=", format, one->want);
        print_verdict(one, 0);
        print_verdict(one, 1);
    }
}

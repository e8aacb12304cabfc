/* How many inputs a comparison covers, and which command shows more of a difference. */
#include "report/compare.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

void compare_cover(struct compare_row *row, const char *kind, uint64_t count) {
    char counted[32];
    int result;
    struct error unknown;
    const struct operation *operation = operation_of_result(row->operation, &result, &unknown);
    const struct format *format = format_find(row->format, &unknown);
    const bool of_arrays = operation && operation->array;
    const unsigned bits =
        operation && format && !of_arrays ? format_input_bits(format, operation->operands) : 64;
    const uint64_t all = bits < 64 ? UINT64_C(1) << bits : 0;
    const bool is_all = strcmp(kind, "all") == 0 || (all && count == all);
    row->inputs = count;
    row->of = !is_all && all > count ? all : 0;
    snprintf(row->covered, sizeof row->covered, "%s%s %s", is_all ? "all " : "",
             text_grouped(count, counted),
             of_arrays                                 ? "arrays"
             : !is_all && strcmp(kind, "samples") == 0 ? "samples"
                                                       : "inputs");
}

/* Words of a command line. */
struct command_text {
    char *text;
    size_t length;
};

static void add(struct command_text *command, const char *before, const char *word) {
    char quoted[NEXT_TEXT];
    if (command->length < NEXT_TEXT)
        command->length +=
            (size_t)snprintf(command->text + command->length, NEXT_TEXT - command->length, "%s%s",
                             before, foreign_text(FOREIGN_SHELL, word, quoted, sizeof quoted));
}

static void add_codes(struct command_text *command, const struct format *format, const char *before,
                      uint64_t first, const uint64_t *last) {
    char bits[NUMBER_TEXT], word[2 * NUMBER_TEXT + 1];
    int length = snprintf(word, sizeof word, "%s", format_bits_text(format, first, bits));
    if (last)
        snprintf(word + length, sizeof word - (size_t)length, ":%s",
                 format_bits_text(format, *last, bits));
    add(command, before, word);
}

/* Whether a name that a file has may stand behind ssh, in a line for the shell. */
static bool is_host_name(const char *name) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return *name && *name != '-' && !name[strspn(name, letters)];
}

static void add_implementations(struct command_text *command, const struct compare_row *row) {
    char here[128] = "", remote[SECTION_TEXT + 32];
    if (strcmp(row->a, row->b) != 0) {
        add(command, " --impl ", row->a);
        add(command, " --impl ", row->b);
        return;
    }
    gethostname(here, sizeof here - 1);
    const char *other = "HOST";
    for (int side = 0; side < 2; side++)
        if (row->hosts[side] && strcmp(row->hosts[side], here) != 0 &&
            is_host_name(row->hosts[side]))
            other = row->hosts[side];
    snprintf(remote, sizeof remote, "exec:ssh %s detcheck-worker", other);
    add(command, " --impl ", row->a);
    add(command, " --impl ", remote);
}

const char *compare_next(const struct compare_row *row, char text[NEXT_TEXT]) {
    struct command_text command = {text, 0};
    int result;
    struct error unknown;
    const struct operation *operation = operation_of_result(row->operation, &result, &unknown);
    const struct format *format = format_find(row->format, &unknown);
    const bool seen = row->ran && row->outcome.first_count;
    *text = '\0';
    if (!operation || !format || operation->array || row->invariance[0])
        return text;
    add(&command, seen ? "detcheck eval " : "detcheck compare ", operation->name);
    for (int i = 0; seen && i < operation->operands; i++)
        add_codes(&command, format, " ", row->outcome.first[0].in[i], NULL);
    add(&command, " -f ", format->name);
    if (strcmp(row->rounding, rounding_names[ROUND_NEAREST_EVEN]) != 0)
        add(&command, " -r ", row->rounding);
    if (*row->parameters && command.length < NEXT_TEXT)
        command.length += (size_t)snprintf(text + command.length, NEXT_TEXT - command.length, " %s",
                                           row->parameters);
    for (int i = 0; !seen && row->has_range && i < operation->operands; i++)
        add_codes(&command, format, " --range ", row->first_codes[i], &row->last_codes[i]);
    if (seen) {
        add(&command, " --impl ", row->a);
        if (strcmp(row->a, row->b) != 0)
            add(&command, " --impl ", row->b);
    } else
        add_implementations(&command, row);
    return command.length < NEXT_TEXT ? text : strcpy(text, "");
}

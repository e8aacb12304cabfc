/* How many inputs a comparison covers, and which command shows more of a difference. */
#include "report/compare.h"

#include "base/foreign.h"
#include "base/json.h"
#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
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
    row->of_bits = operation && format && !of_arrays && !is_all && !all ? bits : 0;
    snprintf(row->covered, sizeof row->covered, "%s%s %s", is_all ? "all " : "",
             text_grouped(count, counted),
             of_arrays                                 ? "arrays"
             : !is_all && strcmp(kind, "samples") == 0 ? "samples"
                                                       : "inputs");
}

void compare_note_samples(struct compare_samples *samples, const struct domain *domain) {
    samples->count = domain->count;
    samples->seed = domain->seed;
    samples->run_length = domain->run_length;
    for (int i = 0; i < domain->operands; i++) {
        const struct code_set *set = &domain->sets[i];
        samples->has_gaps = samples->has_gaps || set->run_count != 1;
        samples->first[i] = code_set_ends(set, 0).first;
        samples->last[i] = code_set_ends(set, set->run_count - 1).last;
    }
}

/* The range that a report is of, if it is one range of each operand. */
static void note_range(struct compare_row *row, const struct inputs_facts *inputs) {
    row->has_range = strcmp(inputs->kind, "range") == 0 && inputs->operands;
    for (unsigned i = 0; i < inputs->operands && row->has_range; i++) {
        row->has_range = inputs->codes[i].count == 1;
        if (row->has_range) {
            row->first_codes[i] = inputs->codes[i].runs[0].first;
            row->last_codes[i] = inputs->codes[i].runs[0].last;
        }
    }
}

void compare_note_reported(struct compare_row *row, const struct read_result *result) {
    /* It lists the codes where these are not all. */
    struct compare_samples *samples = &row->samples;
    const struct inputs_facts *inputs = &result->inputs;
    struct error unknown;
    const struct format *format = format_find(result->format, &unknown);
    note_range(row, inputs);
    if (strcmp(inputs->kind, "samples") != 0 || !format)
        return;
    samples->count = inputs->count;
    samples->seed = strtoull(inputs->seed, NULL, 10);
    samples->run_length = inputs->tells & INPUTS_RUN_LENGTH ? inputs->run_length : 1;
    samples->has_gaps = (inputs->tells & INPUTS_SHARD) != 0;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        const struct number_set *codes = &inputs->codes[i];
        const bool some = (inputs->tells & INPUTS_SAMPLED_FROM) && codes->count;
        samples->has_gaps = samples->has_gaps || (some && codes->count != 1);
        samples->first[i] = some ? codes->runs[0].first : 0;
        samples->last[i] =
            some ? codes->runs[codes->count - 1].last : format_mask(format_of_operand(format, i));
    }
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

/* The samples' options that choose the same inputs again. Unless --run-length is given, the operation and the format
 * decide on it; unless --range is, the operation may have a usual one. */
static void add_samples(struct command_text *command, const struct operation *operation,
                        const struct format *format, const struct compare_samples *samples) {
    struct integer_place place;
    char number[32];
    bool whole = true;
    const unsigned runs_width =
        operation->made_of || operation_integer_place(operation, &place) ? 32 : 64;
    for (int i = 0; i < operation->operands; i++)
        whole = whole && !operation->ranges[i] && !samples->first[i] &&
                samples->last[i] == format_mask(format_of_operand(format, i));
    for (int i = 0; !whole && i < operation->operands; i++)
        add_codes(command, format_of_operand(format, i), " --range ", samples->first[i],
                  &samples->last[i]);
    snprintf(number, sizeof number, "%" PRIu64, samples->count);
    add(command, " -n ", number);
    snprintf(number, sizeof number, "%" PRIu64, samples->seed);
    add(command, " --seed ", number);
    snprintf(number, sizeof number, "%" PRIu64, samples->run_length);
    if (samples->run_length > 1 || format->width >= runs_width)
        add(command, " --run-length ", number);
}

/* Parameters as a file has them, "--to fp16 --profile x". */
static void add_words(struct command_text *command, const char *text) {
    char word[SECTION_TEXT];
    while (*(text += strspn(text, " "))) {
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        add(command, " ", word);
        text += length;
    }
}

/* A report has the parameters as JSON, a comparison that ran here as values, and a file of fingerprints as options. */
static void add_parameters(struct command_text *command, const struct compare_row *row) {
    char name[64], text[PARAMETER_ROOM];
    if (!row->ran && !row->results[0]) {
        add_words(command, row->parameters);
        return;
    }
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_rows[i];
        const struct parameter_value *value = &row->computed.parameters.values[i];
        const cJSON *given =
            row->results[0] ? json_get(row->results[0]->given, parameter->name) : NULL;
        const bool is_text = cJSON_IsString(given) || cJSON_IsRaw(given);
        if (row->results[0] ? !is_text && !cJSON_IsTrue(given) : !value->present)
            continue;
        snprintf(name, sizeof name, "--%s", parameter->name);
        add(command, " ", name);
        if (parameter->kind != PARAMETER_FLAG)
            add(command, " ",
                is_text ? given->valuestring : parameter_text(parameter, value, text));
    }
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

/* The row's format, rounding where it is not the usual one, and parameters. */
static void add_request(struct command_text *command, const struct compare_row *row) {
    add(command, " -f ", row->format);
    if (strcmp(row->rounding, rounding_names[ROUND_NEAREST_EVEN]) != 0)
        add(command, " -r ", row->rounding);
    add_parameters(command, row);
}

bool compare_neighbours(const struct operation *operation, const struct format *format,
                        uint64_t code, uint64_t ends[2]) {
    const bool cheap = operation->operands == 1 && format->width <= 32;
    const int most = cheap ? 23 : 16,
              bits = format->precision - 1 < most ? format->precision - 1 : most;
    if (format_input_bits(format, operation->operands) <= 16 || format->is_integer)
        return false;
    const uint64_t below = (UINT64_C(1) << bits) - 1;
    ends[0] = code & ~below;
    ends[1] = code | below;
    return true;
}

/* The first input that differs and its neighbours; the other operands stay as they are. */
static void add_neighbours(struct command_text *command, const struct compare_row *row,
                           const struct format *format) {
    const uint64_t *in = row->outcome.first[0].in;
    uint64_t ends[2];
    if (!compare_neighbours(row->computed.operation, format, in[0], ends))
        return;
    add_codes(command, format, " --range ", ends[0], &ends[1]);
    for (int i = 1; i < row->computed.operation->operands; i++)
        add_codes(command, format_of_operand(format, i), " --range ", in[i], &in[i]);
}

const char *compare_why(const struct compare_row *row, char text[NEXT_TEXT]) {
    struct command_text command = {text, 0};
    struct error unknown;
    const struct format *format = format_find(row->format, &unknown);
    const bool from_file = strncmp(row->a, "file:", 5) == 0 || strncmp(row->b, "file:", 5) == 0;
    *text = '\0';
    if (!row->ran || !row->outcome.first_count || !format || strcmp(row->a, row->b) == 0 ||
        (from_file && (row->of || row->of_bits)))
        return text;
    add(&command, "detcheck explain ", row->computed.operation->name);
    add_request(&command, row);
    if (!from_file)
        add_neighbours(&command, row, format);
    add(&command, " --impl ", row->a);
    add(&command, " --impl ", row->b);
    return command.length < NEXT_TEXT ? text : strcpy(text, "");
}

const char *compare_next(const struct compare_row *row, char text[NEXT_TEXT]) {
    struct command_text command = {text, 0};
    int result;
    struct error unknown;
    const struct operation *operation = operation_of_result(row->operation, &result, &unknown);
    const struct format *format = format_find(row->format, &unknown);
    const bool seen = row->ran && row->outcome.first_count;
    *text = '\0';
    if (!operation || !format || operation->array || row->invariance[0] ||
        (!seen && row->samples.has_gaps))
        return text;
    add(&command, seen ? "detcheck eval " : "detcheck compare ", operation->name);
    for (int i = 0; seen && i < operation->operands; i++)
        add_codes(&command, format, " ", row->outcome.first[0].in[i], NULL);
    add_request(&command, row);
    if (!seen && row->samples.count)
        add_samples(&command, operation, format, &row->samples);
    for (int i = 0; !seen && !row->samples.count && row->has_range && i < operation->operands; i++)
        add_codes(&command, format, " --range ", row->first_codes[i], &row->last_codes[i]);
    if (seen) {
        add(&command, " --impl ", row->a);
        if (strcmp(row->a, row->b) != 0)
            add(&command, " --impl ", row->b);
    } else
        add_implementations(&command, row);
    return command.length < NEXT_TEXT ? text : strcpy(text, "");
}

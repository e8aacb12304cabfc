/* Sentences and commands of a row, and the order of its explanations. */
#include "explain/row.h"

#include "base/foreign.h"
#include "format/text.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t append(char *text, size_t room, size_t at, const char *more) {
    int wrote = at < room ? snprintf(text + at, room - at, "%s", more) : 0;
    return at + (wrote > 0 ? (size_t)wrote : 0);
}

/* "from 1 to 10 (0x3c00, 0x4900)". */
static size_t append_ends(const struct format *format, uint64_t from, uint64_t to, char *text,
                          size_t at) {
    char ends[4 * NUMBER_TEXT + 32], numbers[4][NUMBER_TEXT];
    snprintf(ends, sizeof ends, "from %s to %s (%s, %s)",
             format_decimal_text(format, from, numbers[0]),
             format_decimal_text(format, to, numbers[1]),
             format_bits_text(format, from, numbers[2]), format_bits_text(format, to, numbers[3]));
    return append(text, SENTENCE_TEXT, at, ends);
}

/* What holds only there says that first: "for |x| from 1.125 to 1.374 (0x3c80, 0x3d7f): ". */
static size_t append_limits(const struct format *format, const struct explanation *one, char *text,
                            size_t at) {
    at = append(text, SENTENCE_TEXT, at, one->of_magnitudes ? "for |x| " : "for x ");
    at = append_ends(format, one->from, one->to, text, at);
    if (one->from_below || one->to_below) {
        at = append(text, SENTENCE_TEXT, at, " and ");
        at = append_ends(format, one->from_below, one->to_below, text, at);
    }
    return append(text, SENTENCE_TEXT, at, ": ");
}

/* Distances are shown as powers of two, rounded up to a tenth of the exponent. */
static void append_distance(const struct explanation *one, char *text, size_t at) {
    const char *place = one->of_midpoints ? "a midpoint" : "a number";
    char distance[160];
    if (one->distance > 0)
        snprintf(
            distance, sizeof distance,
            "rounds an approximation whose error reaches 2^%.1f ulp: its wrong results all lie "
            "within that distance of %s",
            ceil(log2(one->distance) * 10) / 10, place);
    else
        snprintf(distance, sizeof distance, "is wrong only where the exact result is %s", place);
    append(text, SENTENCE_TEXT, at, distance);
}

const char *explain_sentence(const struct explain_row *row, const struct explanation *one,
                             char text[SENTENCE_TEXT]) {
    const struct format *format = row->computed.format;
    char from[NUMBER_TEXT], to[NUMBER_TEXT], bits[2][NUMBER_TEXT];
    size_t at = one->is_within ? append_limits(format, one, text, 0) : 0;
    if (one->side >= 0)
        at = append(text, SENTENCE_TEXT, at, one->side ? "B " : "A ");
    if (one->has_distance) {
        append_distance(one, text, at);
        return text;
    }
    at = append(text, SENTENCE_TEXT, at, one->says);
    if (one->is_within)
        return text;
    if (one->has_ends && one->cause && !one->is_interval && one->to == 0 &&
        format_magnitude(format, one->from)) {
        char bound[2 * NUMBER_TEXT];
        snprintf(bound, sizeof bound, ": %s %s (%s)",
                 one->of_magnitudes                      ? "|x| >="
                 : format_is_negative(format, one->from) ? "x <="
                                                         : "x >=",
                 format_decimal_text(format, one->from, from),
                 format_bits_text(format, one->from, bits[0]));
        at = append(text, SENTENCE_TEXT, at, bound);
        if (one->from_below) {
            snprintf(bound, sizeof bound, " and x <= %s (%s)",
                     format_decimal_text(format, one->from_below, from),
                     format_bits_text(format, one->from_below, bits[0]));
            at = append(text, SENTENCE_TEXT, at, bound);
        }
    } else if (one->has_ends && one->cause && one->from == one->to && !one->of_magnitudes) {
        char place[2 * NUMBER_TEXT];
        snprintf(place, sizeof place, ": %s (%s)", format_decimal_text(format, one->from, from),
                 format_bits_text(format, one->from, bits[0]));
        at = append(text, SENTENCE_TEXT, at, place);
    } else if (one->has_ends && one->cause) {
        char ends[5 * NUMBER_TEXT];
        snprintf(ends, sizeof ends, ": %sfrom %s to %s (%s, %s)", one->of_magnitudes ? "|x| " : "",
                 format_decimal_text(format, one->from, from),
                 format_decimal_text(format, one->to, to),
                 format_bits_text(format, one->from, bits[0]),
                 format_bits_text(format, one->to, bits[1]));
        at = append(text, SENTENCE_TEXT, at, ends);
    }
    if (one->period) {
        char period[64];
        snprintf(period, sizeof period, ": the same again every %s",
                 one->period == 1   ? "binade"
                 : one->period == 2 ? "second binade"
                                    : "third binade");
        append(text, SENTENCE_TEXT, at, period);
    }
    return text;
}

uint64_t explain_reported_differences(const struct explain_outcome *outcome) {
    uint64_t of_nans = 0;
    for (size_t i = 0; i < outcome->count; i++)
        if (strcmp(outcome->explanations[i].name, hypotheses[HYPOTHESIS_NAN_BITS].name) == 0)
            of_nans = outcome->explanations[i].explains;
    return outcome->of_blocks ? 0 : outcome->differ - of_nans;
}

/* Whether a side is certainly one of the libraries, by its name or its bits. */
static bool is_library(const struct explain_row *row, int side, const char *library) {
    const struct library_names *names = &row->libraries[side];
    char own[SECTION_TEXT + 16];
    int length = snprintf(own, sizeof own, "detcheck %s", row->sides[side]);
    bool found = strncmp(library, own, (size_t)length) == 0;
    for (size_t i = 0; i < names->count; i++)
        found = found || strcmp(names->names[i], library) == 0;
    return found;
}

/* Whether nobody but detcheck and the platform has made it. */
static bool is_itself(const char *side) {
    return strcmp(side, "det") == 0 || strcmp(side, "cr") == 0 || strcmp(side, "libm") == 0;
}

/* "glibc 2.36" if the side is the platform's libm: its detail begins with that. */
static bool is_own_libm(const struct explain_row *row, int side, const char *library) {
    const size_t length = strlen(library);
    const char *detail = row->details[side];
    return strcmp(row->sides[side], "libm") == 0 && strncmp(detail, library, length) == 0 &&
           detail[length] == ',' && !strstr(detail, "no-fma");
}

/* Whether the other side is one of the libraries that this side has the bits of elsewhere, and not the only one. */
static bool is_decided(const struct explain_row *row, int side, const char *library) {
    const struct library_names *names = &row->libraries[side];
    size_t own = 0;
    for (size_t i = 0; i < names->count; i++)
        own += is_own_libm(row, 1 - side, names->names[i]);
    return own < names->count && is_own_libm(row, 1 - side, library);
}

enum exception explain_library_exception(const struct explain_row *row, int side,
                                         const char *library) {
    const bool itself = is_itself(row->sides[side]), other = is_itself(row->sides[1 - side]);
    if (row->alone || !explain_reported_differences(&row->outcome) ||
        !is_library(row, 1 - side, library) || (itself && !other))
        return EXCEPTION_NONE;
    return is_decided(row, side, library) ? EXCEPTION_DECIDED
           : other && !itself             ? EXCEPTION_THIS_SIDE
                                          : EXCEPTION_ONE_OF_BOTH;
}

enum exception explain_exception(const struct explain_row *row, int side, uint64_t *differ) {
    const struct library_names *names = &row->libraries[side];
    enum exception most = EXCEPTION_NONE;
    *differ = explain_reported_differences(&row->outcome);
    for (size_t i = 0; i < names->count; i++) {
        const enum exception one = explain_library_exception(row, side, names->names[i]);
        most = one > most && one != EXCEPTION_DECIDED ? one : most;
    }
    return most;
}

void explain_row_take_losses(struct explain_row *row, struct side_losses *const losses[2]) {
    for (int side = 0; side < 2; side++) {
        side_add_elsewhere(losses[side], &row->outcome.events[side]);
        memcpy(row->cut[side], losses[side]->cut, sizeof row->cut[side]);
    }
}

const char *explain_command(const struct explain_row *row, const struct difference *difference,
                            char text[COMMAND_TEXT]) {
    const struct binding_request *computed = &row->computed;
    char word[COMMAND_TEXT], bits[NUMBER_TEXT];
    size_t at = append(text, COMMAND_TEXT, 0, "detcheck eval ");
    struct cast cast;
    struct error unused;
    int answer = row->folded != NULL; /* which no implementation gives again */
    at = append(text, COMMAND_TEXT, at,
                foreign_text(FOREIGN_SHELL, computed->operation->name, word, sizeof word));
    for (int i = 0; i < computed->operation->operands; i++) {
        at = append(text, COMMAND_TEXT, at, " ");
        at = append(text, COMMAND_TEXT, at,
                    format_bits_text(computed->format, difference->in[i], bits));
    }
    snprintf(word, sizeof word, " -f %s", computed->format->name);
    at = append(text, COMMAND_TEXT, at, word);
    if (computed->rounding != ROUND_NEAREST_EVEN) {
        snprintf(word, sizeof word, " -r %s", rounding_names[computed->rounding]);
        at = append(text, COMMAND_TEXT, at, word);
    }
    at = append(text, COMMAND_TEXT, at, *row->parameters ? " " : "");
    at = append(text, COMMAND_TEXT, at, row->parameters);
    if (rounding_is_stochastic(computed->rounding) &&
        !computed->parameters.values[PARAMETER_RANDOM].present &&
        conversion_make(&cast, computed->format, computed->rounding, &computed->parameters,
                        &unused)) {
        snprintf(word, sizeof word, " --random %" PRIu64,
                 conversion_random(&cast, &computed->parameters, difference->index));
        at = append(text, COMMAND_TEXT, at, word);
    }
    for (int side = 0; side < 2 && !row->folded; side++) {
        if (strncmp(row->sides[side], "file:", 5) == 0)
            continue; /* which answers no single input */
        at = append(text, COMMAND_TEXT, at, " --impl ");
        at = append(text, COMMAND_TEXT, at,
                    foreign_text(FOREIGN_SHELL, row->sides[side], word, sizeof word));
        answer++;
    }
    if (!answer || at >= COMMAND_TEXT)
        *text = '\0';
    return text;
}

static int by_rank(const void *a, const void *b) {
    const struct explanation *x = a, *y = b;
    int x_cause = x->cause ? x->cause : EXPLANATION_MOST;
    int y_cause = y->cause ? y->cause : EXPLANATION_MOST;
    if (x_cause != y_cause)
        return x_cause - y_cause;
    if (x->verdict != y->verdict)
        return (int)x->verdict - (int)y->verdict;
    if (x->explains != y->explains)
        return x->explains < y->explains ? 1 : -1;
    if (x->wrong != y->wrong)
        return x->wrong > y->wrong ? 1 : -1;
    return x->order != y->order ? x->order - y->order : x->side - y->side;
}

void explain_sort(struct explain_outcome *outcome) {
    for (size_t i = 0; i < outcome->count; i++) {
        struct explanation *one = &outcome->explanations[i];
        bool is_true = one->verdict != EXPLAINS_NONE && one->explains && !one->wrong;
        if (one->cause || one->same_as || one->part_of || !is_true)
            one->no_cause = NO_CAUSE_NONE;
        else if (!one->no_cause)
            one->no_cause = NO_CAUSE_COVERED;
    }
    qsort(outcome->explanations, outcome->count, sizeof *outcome->explanations, by_rank);
}

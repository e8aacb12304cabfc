/* Reading the three forms of Projections:
 *
 *   Projections: [ [ToOdd, StochasticB_4], [SatNone] ]     each of the first with each of the second
 *   Projections:                                           the same
 *     RoundingMode:
 *       - ToOdd
 *       - StochasticB:
 *         - bits: (4)
 *     SaturationMode: [SatNone]
 *   Projections:                                           pairs
 *     - { RoundingMode: ToOdd, SaturationMode: SatNone }
 */
#include "gate/kappa_projections.h"

#include "gate/kappa_name.h"

#include <stdio.h>
#include <string.h>

#define WANTED                                                                                     \
    "wanted RoundingMode: and SaturationMode:, each with a list such as [ ToOdd, TowardZero ]"

enum { NONE, ROUNDINGS, SATURATIONS };

static bool refuse(char *wrong, size_t room, const char *text, const char *word) {
    snprintf(wrong, room, text, word);
    return false;
}

static bool add(struct kappa_projections *projections, int mode, const char *word, char *wrong,
                size_t room) {
    const bool is_rounding = mode == ROUNDINGS;
    size_t *count = is_rounding ? &projections->rounding_count : &projections->saturation_count;
    if (*projections->stochastic)
        return refuse(wrong, room, "%s needs its number of random bits, such as - bits: (4)",
                      projections->stochastic);
    if (is_rounding && !kappa_is_rounding(word))
        return refuse(wrong, room,
                      "%s is not a rounding of P3109, such as NearestTiesToEven or StochasticA_4",
                      word);
    if (!is_rounding && !kappa_is_saturation(word))
        return refuse(wrong, room,
                      "%s is not a saturation: wanted SatNone, SatFinite or SatPropagate", word);
    if (*count == KAPPA_LISTED)
        return refuse(wrong, room, "%s", "a list of projections has at most 64 items");
    snprintf(is_rounding ? projections->roundings[*count] : projections->saturations[*count],
             KAPPA_WORD, "%s", word);
    ++*count;
    return true;
}

/* "[ ToOdd, TowardZero ]" */
static bool take_list(struct kappa_projections *projections, int mode, const char **at, char *wrong,
                      size_t room) {
    char word[KAPPA_WORD];
    if (!kappa_take(at, "["))
        return refuse(wrong, room, "%s", WANTED);
    do {
        if (!kappa_take_word(at, word))
            return refuse(wrong, room, "%s", WANTED);
        if (!add(projections, mode, word, wrong, room))
            return false;
    } while (kappa_take(at, ","));
    return kappa_take(at, "]") || refuse(wrong, room, "%s", WANTED);
}

/* "[ [ToOdd], [SatNone] ]" */
static bool take_lists(struct kappa_projections *projections, const char *at, char *wrong,
                       size_t room) {
    if (projections->rounding_count || projections->column || !kappa_take(&at, "["))
        return refuse(wrong, room, "%s", WANTED);
    if (!take_list(projections, ROUNDINGS, &at, wrong, room))
        return false;
    if (!kappa_take(&at, ","))
        return refuse(wrong, room, "%s", "wanted a list of saturations behind that of roundings");
    if (!take_list(projections, SATURATIONS, &at, wrong, room))
        return false;
    return (kappa_take(&at, "]") && !at[strspn(at, " ")]) || refuse(wrong, room, "%s", WANTED);
}

/* "{ RoundingMode: ToOdd, SaturationMode: SatNone }" */
static bool take_pair(struct kappa_projections *projections, const char *at, char *wrong,
                      size_t room) {
    char rounding[KAPPA_WORD], saturation[KAPPA_WORD];
    if (projections->column || (projections->rounding_count && !projections->paired) ||
        !kappa_take(&at, "{") || !kappa_take(&at, "RoundingMode: ") ||
        !kappa_take_word(&at, rounding) || !kappa_take(&at, ",") ||
        !kappa_take(&at, "SaturationMode: ") || !kappa_take_word(&at, saturation) ||
        !kappa_take(&at, "}") || at[strspn(at, " ")])
        return refuse(wrong, room, "%s",
                      "wanted { RoundingMode: ToOdd, SaturationMode: SatNone } or the like");
    projections->paired = true;
    return add(projections, ROUNDINGS, rounding, wrong, room) &&
           add(projections, SATURATIONS, saturation, wrong, room);
}

/* RoundingMode: or SaturationMode:, once each. */
static bool take_mode(struct kappa_projections *projections, const struct kappa_line *line,
                      char *wrong, size_t room) {
    const int mode = strcmp(line->key, "RoundingMode") == 0     ? ROUNDINGS
                     : strcmp(line->key, "SaturationMode") == 0 ? SATURATIONS
                                                                : NONE;
    if (!mode || projections->paired || (!projections->column && projections->rounding_count) ||
        (mode == ROUNDINGS ? projections->rounding_count : projections->saturation_count))
        return refuse(wrong, room, "%s", WANTED);
    if (*projections->stochastic)
        return add(projections, ROUNDINGS, "", wrong, room);
    projections->column = line->column;
    projections->mode = mode;
    const char *at = line->value;
    if (!*at)
        return true;
    return take_list(projections, mode, &at, wrong, room) &&
           (!at[strspn(at, " ")] || refuse(wrong, room, "%s", WANTED));
}

/* Behind a dash below RoundingMode: or SaturationMode:. */
static bool take_item(struct kappa_projections *projections, const struct kappa_line *line,
                      char *wrong, size_t room) {
    char word[KAPPA_WORD], whole[KAPPA_WORD];
    const char *at = line->key ? line->key : line->value;
    if (line->key && strcmp(line->key, "bits") == 0 && *projections->stochastic) {
        at = line->value;
        const bool bracket = kappa_take(&at, "(");
        const bool good = kappa_take_word(&at, word) && !word[strspn(word, "0123456789")] &&
                          strlen(word) < 4 && (!bracket || kappa_take(&at, ")")) &&
                          !at[strspn(at, " ")];
        if (!good)
            return refuse(wrong, room, "%s", "wanted a number of random bits, such as (4)");
        snprintf(whole, sizeof whole, "%.16s_%.3s", projections->stochastic, word);
        *projections->stochastic = '\0';
        return add(projections, ROUNDINGS, whole, wrong, room);
    }
    if (!kappa_take_word(&at, word) || at[strspn(at, " ")] || (line->key && *line->value))
        return refuse(wrong, room, "%s", WANTED);
    if (!line->key || *projections->stochastic)
        return add(projections, projections->mode, word, wrong, room);
    snprintf(whole, sizeof whole, "%.16s_1", word);
    if (projections->mode != ROUNDINGS || !kappa_is_rounding(whole))
        return refuse(wrong, room, "%s", WANTED);
    snprintf(projections->stochastic, sizeof projections->stochastic, "%s", word);
    return true;
}

bool kappa_projections_take(struct kappa_projections *projections, const struct kappa_line *line,
                            bool is_head, char *wrong, size_t room) {
    if (is_head) {
        projections->line = line->number;
        return !*line->value || take_lists(projections, line->value, wrong, room);
    }
    if (!line->key && *line->value == '[' && !line->item)
        return take_lists(projections, line->value, wrong, room);
    if (!line->key && *line->value == '{' && line->item)
        return take_pair(projections, line->value, wrong, room);
    if (line->key && !line->item && (!projections->column || line->column == projections->column))
        return take_mode(projections, line, wrong, room);
    if (projections->mode && line->column >= projections->column)
        return take_item(projections, line, wrong, room);
    return refuse(wrong, room, "%s", WANTED);
}

bool kappa_projections_end(const struct kappa_projections *projections, char *wrong, size_t room) {
    if (*projections->stochastic)
        return refuse(wrong, room, "%s needs its number of random bits, such as - bits: (4)",
                      projections->stochastic);
    return (projections->rounding_count && projections->saturation_count) ||
           refuse(wrong, room, "%s", WANTED);
}

size_t kappa_projections_count(const struct kappa_projections *projections) {
    return projections->paired ? projections->rounding_count
                               : projections->rounding_count * projections->saturation_count;
}

void kappa_projections_text(const struct kappa_projections *projections, size_t pair,
                            char text[2 * KAPPA_WORD + 5]) {
    const size_t saturations = projections->paired ? 1 : projections->saturation_count;
    snprintf(text, 2 * KAPPA_WORD + 5, "(%s, %s)", projections->roundings[pair / saturations],
             projections->saturations[projections->paired ? pair : pair % saturations]);
}

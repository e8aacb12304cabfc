/* Pairs whose subtree is counted by all units at once, unit by unit beside zeros, and with all signs turned; and rows that are all the same. */
#include "reveal/dependence.h"

#include "format/text.h"
#include "reveal/replay.h"

#include <stdio.h>

/* Which others are beside the two: none that is 0, all but one, and numbers of the other sign. */
struct counted {
    size_t within, singly, negative;
};

static bool count_pair(struct pairs *pairs, size_t first, size_t second, struct counted *counted,
                       struct error *error) {
    bool good = pairs_within(pairs, first, &second, 1, &counted->within, error) &&
                pairs_within_singly(pairs, first, second, &counted->singly, error);
    pairs->large = -pairs->large;
    pairs->unit = -pairs->unit;
    good = good && pairs_within(pairs, first, &second, 1, &counted->negative, error);
    pairs->large = -pairs->large;
    pairs->unit = -pairs->unit;
    return good;
}

/* Beside the two large terms; a function that is no sum may count fewer. */
static size_t others_of(size_t within) {
    return within > 2 ? within - 2 : 0;
}

bool find_dependence(struct pairs *pairs, char *text, size_t room, struct error *error) {
    enum { PAIRS = 4 };
    text[0] = 0;
    if (pairs->count <= PAIRS)
        return true;
    const size_t last = pairs->count - 1, seconds[PAIRS] = {last, last / 2, last / 4, 1};
    for (int i = 0; i < PAIRS && !*text; i++) {
        const size_t first = pairs->terms[0], second = pairs->terms[seconds[i]];
        struct counted counted;
        if (!count_pair(pairs, first, second, &counted, error))
            return false;
        if (counted.within && counted.within != counted.singly)
            snprintf(text, room,
                     "the order depends on which terms are 0: terms %zu and %zu, so large that "
                     "others are lost beside them, meet with %zu others where none is 0, and with "
                     "%zu where all but one are",
                     first, second, others_of(counted.within), others_of(counted.singly));
        else if (counted.within && counted.negative && counted.within != counted.negative)
            snprintf(text, room,
                     "the order depends on the signs of terms: terms %zu and %zu, so large that "
                     "others are lost beside them, meet with %zu others where term %zu and the "
                     "others are positive, and with %zu where they are negative",
                     first, second, others_of(counted.within), first, others_of(counted.negative));
    }
    return true;
}

/* Rows of the first factor are numbered: each element is the number of its row, unless the result is transposed. */
static bool find_transposed(struct subject *subject, bool *is_transposed, struct error *error) {
    *is_transposed = subject->shared && subject->lines > 1 && subject->lines == subject->columns;
    if (!*is_transposed)
        return true;
    subject_set_all(subject, 0);
    for (size_t line = 0; line < subject->lines; line++)
        subject_set_factors(subject, line, 0, (double)line + 1, 1);
    if (!subject_call(subject, error))
        return false;
    const struct format *format = subject->call.results[0].format;
    for (size_t line = 0; line < subject->lines; line++)
        for (size_t column = 0; column < subject->columns; column++) {
            const struct real number = format_decode(format, subject_code(subject, line, column));
            *is_transposed &= real_to_double(&number) == (double)column + 1;
        }
    return true;
}

bool find_behind(struct subject *subject, char *text, size_t room, struct error *error) {
    enum { CALLS = 4 * REPLAY_FAMILIES, SEED = 5 };
    char with[NUMBER_TEXT], without[NUMBER_TEXT];
    text[0] = 0;
    for (uint64_t call = 0; subject_has_behind(subject) && call < CALLS && !*text; call++) {
        replay_draw(subject, SEED, call);
        if (!subject_call(subject, error))
            return false;
        const uint64_t code = subject_code(subject, 0, 0);
        subject_clear_behind(subject);
        if (!subject_call(subject, error))
            return false;
        const struct format *format = subject->call.results[0].format;
        const uint64_t alone = subject_code(subject, 0, 0);
        if (!replay_is_same(subject, code, alone))
            snprintf(text, room,
                     "the result depends on elements behind the prefix: with numbers there it is "
                     "%s, and with zeros %s",
                     format_bits_text(format, code, with),
                     format_bits_text(format, alone, without));
    }
    return true;
}

/* All lines as the first one, all columns too. */
static void repeat_first(struct subject *subject) {
    struct array *x = &subject->call.operands[0], *w = &subject->call.operands[1];
    for (size_t line = 0; line < subject->lines; line++)
        for (size_t i = 0; i < subject->terms; i++) {
            const size_t at = line * subject->pitch + i * subject->stride;
            array_set_code(x, at, array_code(x, i * subject->stride));
            if (subject->products && !subject->shared)
                array_set_code(w, at, array_code(w, i * subject->stride));
        }
    for (size_t i = 0; subject->shared && i < subject->terms; i++)
        for (size_t column = 0; column < subject->columns; column++)
            array_set_code(w, i * subject->columns + column, array_code(w, i * subject->columns));
}

bool find_elements(struct subject *subject, char *text, size_t room, struct error *error) {
    enum { CALLS = 4 * REPLAY_FAMILIES, SEED = 3 };
    const size_t all = subject->lines * subject->columns;
    bool is_transposed;
    text[0] = 0;
    if (subject->through || all == 1)
        return true;
    if (!find_transposed(subject, &is_transposed, error))
        return false;
    if (is_transposed)
        snprintf(text, room,
                 "the result is transposed: element (i, j) depends on row j of the first array");
    for (uint64_t call = 0; call < CALLS && !*text; call++) {
        char one[NUMBER_TEXT], other[NUMBER_TEXT];
        replay_draw(subject, SEED, call);
        repeat_first(subject);
        if (!subject_call(subject, error))
            return false;
        const uint64_t first = subject_code(subject, 0, 0);
        for (size_t i = 1; i < all && !*text; i++) {
            const size_t line = i / subject->columns, column = i % subject->columns;
            const uint64_t code = subject_code(subject, line, column);
            if (!replay_is_same(subject, first, code))
                snprintf(text, room,
                         "elements of the same terms differ: (0, 0) is %s, (%zu, %zu) is %s, so "
                         "their orders are not the same",
                         format_bits_text(subject->call.results[0].format, first, one), line,
                         column, format_bits_text(subject->call.results[0].format, code, other));
        }
    }
    return true;
}

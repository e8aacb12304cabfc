/* Largest numbers, all of one sign; and of the other sign behind the half of them, which leaves NaN of infinities. */
#include "reveal/overflow.h"

#include "format/text.h"

#include <stdio.h>
#include <stdlib.h>

static void lay(struct subject *subject, int turn) {
    const struct format *format = subject->request.format;
    const struct real most = format_decode(format, format->max_finite);
    const double largest = real_to_double(&most), sign = turn % 2 ? -1 : 1;
    subject_set_all(subject, sign * largest);
    for (size_t line = 0; turn > 1 && line < subject->lines; line++)
        for (size_t term = subject->terms / 2; term < subject->terms; term++)
            subject_set(subject, line, term, -sign * largest);
}

bool find_overflow(struct subject *subject, const struct model *model, char *text, size_t room,
                   struct error *error) {
    enum { TURNS = 4 };
    const struct format *result = subject->call.results[0].format;
    const uint64_t most = format_greatest(subject->request.format);
    text[0] = 0;
    if (subject->through || subject->terms < 2 || model->extended ||
        !format_is_infinite(subject->request.format, most) ||
        !format_is_infinite(result, format_greatest(result)))
        return true;
    struct replay_runner *runner = replay_runner_open(subject, model, error);
    uint64_t *expected = calloc(subject->lines * subject->columns, sizeof *expected);
    bool good = runner && (expected || error_set(error, "out of memory"));
    for (int turn = 0; good && turn < TURNS && !*text; turn++) {
        char got[NUMBER_TEXT], by_model[NUMBER_TEXT];
        lay(subject, turn);
        good = replay_runner_run(runner, expected, error) && subject_call(subject, error);
        const uint64_t code = good ? subject_code(subject, 0, 0) : 0;
        if (good && !replay_is_same(subject, code, expected[0]))
            snprintf(
                text, room,
                "sums that overflow: for the largest numbers%s it returns %s, and the model %s",
                turn > 1 ? " of both signs"
                : turn   ? " below zero"
                         : "",
                format_bits_text(result, code, got),
                format_bits_text(result, expected[0], by_model));
    }
    free(expected);
    replay_runner_close(runner);
    return good;
}

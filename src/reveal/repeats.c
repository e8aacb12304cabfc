/* Calls that are made again, as they were or with their terms in another sequence. */
#include "reveal/draw.h"
#include "reveal/replay.h"

bool replay_repeats(struct subject *subject, uint64_t seed, size_t calls, bool *repeats,
                    struct replay *replay, struct error *error) {
    enum { TIMES = 4 };
    const struct format *format = subject->call.results[0].format;
    *repeats = true;
    *replay = (struct replay){0};
    for (size_t call = 0; call < calls && *repeats; call++) {
        uint64_t first = 0;
        for (int time = 0; time < TIMES && *repeats; time++) {
            replay_draw(subject, seed, call);
            if (!subject_call(subject, error))
                return false;
            uint64_t code = subject_code(subject, 0, 0);
            first = time ? first : code;
            *repeats =
                code == first || (format_is_nan(format, code) && format_is_nan(format, first));
            *replay = (struct replay){.call = call, .got = code, .expected = first};
        }
    }
    return true;
}

bool replay_permutes(struct subject *subject, uint64_t seed, size_t calls, bool *same,
                     struct error *error) {
    *same = !subject->shared;
    for (size_t call = 0; call < calls && *same; call++) {
        replay_draw(subject, seed, call);
        replay_untie(subject);
        if (!subject_call(subject, error))
            return false;
        uint64_t before = subject_code(subject, 0, 0);
        replay_permute(subject, seed + 1, call);
        if (!subject_call(subject, error))
            return false;
        *same = before == subject_code(subject, 0, 0);
    }
    return true;
}

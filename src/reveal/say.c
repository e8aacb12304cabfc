/* Putting calls and differences in words. */
#include "reveal/say.h"

#include "format/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void revealed_say(struct revealed *revealed, const char *format, ...) {
    size_t length = strlen(revealed->why);
    va_list list;
    va_start(list, format);
    vsnprintf(revealed->why + length, sizeof revealed->why - length, format, list);
    va_end(list);
}

const char *revealed_code_text(const struct subject *subject, uint64_t code, char *text) {
    return format_bits_text(subject->call.results[0].format, code, text);
}

static void say_difference(struct revealed *revealed, const struct subject *subject) {
    char got[NUMBER_TEXT], expected[NUMBER_TEXT];
    const struct replay *replay = &revealed->replay;
    if (replay->call == REPLAY_TOLD)
        revealed_say(revealed, "first an array that separates models: it returns %s, the model %s",
                     revealed_code_text(subject, replay->got, got),
                     revealed_code_text(subject, replay->expected, expected));
    else
        revealed_say(revealed, "first of the %s arrays: call %" PRIu64 " returns %s, the model %s",
                     revealed->families[replay->call % REPLAY_FAMILIES], replay->call,
                     revealed_code_text(subject, replay->got, got),
                     revealed_code_text(subject, replay->expected, expected));
}

/* Whether most arrays that differ come out right by another order, as others do by the one that was found. */
static const struct refutation *other_order(const struct revealed *revealed) {
    enum { LEAST = 4 };
    const struct refuted *refuted = &revealed->refuted;
    for (unsigned i = 0; i < refuted->count; i++)
        if (refuted->of[i].depends_on_data && refuted->arrays >= LEAST &&
            4 * refuted->of[i].right >= 3 * refuted->arrays &&
            2 * revealed->replay.different < revealed->replay.arrays)
            return &refuted->of[i];
    return NULL;
}

static void say_other(struct revealed *revealed, const struct subject *subject, uint64_t call,
                      uint64_t before, uint64_t again) {
    char first[NUMBER_TEXT], second[NUMBER_TEXT];
    revealed->state = NOT_REPEATABLE;
    if (call == REPLAY_TOLD)
        revealed_say(revealed, "a call of arrays that tell models apart");
    else
        revealed_say(revealed, "call %" PRIu64 ", of %s arrays,", call,
                     revealed->families[call % REPLAY_FAMILIES]);
    revealed_say(revealed, " returned %s and, made again, %s",
                 revealed_code_text(subject, before, first),
                 revealed_code_text(subject, again, second));
}

bool revealed_make_again(struct subject *subject, struct revealed *revealed, struct error *error) {
    const struct replay *replay = &revealed->replay;
    replay_draw(subject, replay->seed, replay->call);
    if (!subject_call(subject, error))
        return false;
    const uint64_t again = subject_code(subject, replay->line, replay->column);
    if (!replay_is_same(subject, again, replay->got))
        say_other(revealed, subject, replay->call, replay->got, again);
    return true;
}

/* Where all that differ are one element of the results of several. */
static void say_element(struct revealed *revealed, const struct subject *subject) {
    enum { LEAST = 4 };
    const struct replay *replay = &revealed->replay;
    if (subject->through || subject->lines * subject->columns < 2 || replay->different < LEAST ||
        replay->elsewhere)
        return;
    if (subject->columns > 1)
        revealed_say(revealed, "; all that differ are element (%zu, %zu)", replay->line,
                     replay->column);
    else
        revealed_say(revealed, "; all that differ are element %zu", replay->line);
    revealed_say(revealed, ", which is not summed as the others are");
}

/* Says what the arrays that differ from a model refute. */
bool revealed_say_difference(const struct finding *finding, const struct choice *choice,
                             struct replay_samples *samples, struct revealed *revealed,
                             struct error *error) {
    const struct subject *subject = finding->subject;
    struct refuted *refuted = &revealed->refuted;
    if (!refute(finding, choice, &revealed->model, samples, &revealed->replay, refuted, error))
        return false;
    const struct refutation *other = other_order(revealed);
    if (!refuted->repeats) {
        say_other(revealed, subject, refuted->call, refuted->before, refuted->again);
        return true;
    }
    say_difference(revealed, subject);
    say_element(revealed, subject);
    if (other)
        revealed_say(revealed, "; the order depends on the data: that call is right %s%s",
                     strncmp(other->otherwise, "from", 4) == 0 ? "" : "with the terms ",
                     other->otherwise);
    return true;
}

void revealed_say_cut(struct revealed *revealed) {
    if (revealed->is_cut)
        revealed_say(revealed, "; the search ended after %zu models: others were not tried",
                     revealed->models);
}

/* Calls that are kept: made, made again as other samples have them, and let go. */
#include "reveal/replay.h"

#include "reveal/draw.h"

#include <stdlib.h>
#include <string.h>

static void *copy_codes(const struct array *array) {
    size_t size = (size_t)shape_elements(&array->shape) * format_bytes(array->format);
    void *copy = malloc(size);
    if (copy)
        memcpy(copy, array->codes, size);
    return copy;
}

/* Makes the call of what lies in the subject, and keeps it. */
static bool keep_call(struct replay_samples *samples, struct replay_drawn drawn,
                      struct error *error) {
    struct subject *subject = samples->subject;
    const size_t each = subject->lines * subject->columns, i = samples->calls;
    if (i == samples->room)
        return error_set(error, "out of room for another sample");
    if (!subject_call(subject, error))
        return false;
    samples->sequence[i] = i;
    samples->calls++;
    samples->drawn[i] = drawn;
    samples->results[i] = calloc(each, sizeof **samples->results);
    samples->operands[0][i] = copy_codes(&subject->call.operands[0]);
    if (subject->products)
        samples->operands[1][i] = copy_codes(&subject->call.operands[1]);
    if (!samples->results[i] || !samples->operands[0][i] ||
        (subject->products && !samples->operands[1][i]))
        return error_set(error, "out of memory");
    replay_take_results(subject, samples->results[i]);
    return true;
}

bool replay_samples_add(struct replay_samples *samples, uint64_t seed, uint64_t call,
                        struct error *error) {
    replay_draw(samples->subject, seed, call);
    return keep_call(samples, (struct replay_drawn){seed, call}, error);
}

bool replay_samples_take(struct replay_samples *samples, const struct replay_samples *from,
                         size_t index, bool *same, struct error *error) {
    struct subject *subject = samples->subject;
    const size_t each = subject->lines * subject->columns;
    /* A sum inside of an operation also draws what lies beside its terms, and which term is read. */
    const bool is_drawn = subject->through && from->drawn[index].number != REPLAY_TOLD;
    if (is_drawn)
        replay_draw(subject, from->drawn[index].seed, from->drawn[index].number);
    for (int k = 0; !is_drawn && k < 1 + subject->products; k++) {
        struct array *array = &subject->call.operands[k];
        memcpy(array->codes, from->operands[k][index],
               (size_t)shape_elements(&array->shape) * format_bytes(array->format));
    }
    if (!keep_call(samples, from->drawn[index], error))
        return false;
    *same = true;
    for (size_t i = 0; i < each; i++)
        *same &= replay_is_same(subject, samples->results[samples->calls - 1][i],
                                from->results[index][i]);
    return true;
}

bool replay_samples_tell(struct replay_samples *samples, struct error *error) {
    return keep_call(samples, (struct replay_drawn){0, REPLAY_TOLD}, error);
}

bool replay_samples_open(struct replay_samples *samples, struct subject *subject, size_t calls,
                         uint64_t seed, struct error *error) {
    const size_t room = calls + REPLAY_MORE;
    *samples =
        (struct replay_samples){.subject = subject, .room = room, .most_work = REPLAY_MOST_WORK};
    samples->results = calloc(room, sizeof *samples->results);
    samples->drawn = calloc(room, sizeof *samples->drawn);
    samples->sequence = calloc(room, sizeof *samples->sequence);
    for (int k = 0; k < 2; k++)
        samples->operands[k] = calloc(room, sizeof *samples->operands[k]);
    bool good = (samples->results && samples->drawn && samples->sequence && samples->operands[0] &&
                 samples->operands[1]) ||
                error_set(error, "out of memory");
    for (size_t i = 0; good && i < calls; i++)
        good = replay_samples_add(samples, seed, i, error);
    return good;
}

void replay_samples_close(struct replay_samples *samples) {
    for (size_t i = 0; i < samples->calls; i++) {
        for (int k = 0; k < 2; k++)
            if (samples->operands[k])
                free(samples->operands[k][i]);
        if (samples->results)
            free(samples->results[i]);
    }
    free(samples->drawn);
    free(samples->sequence);
    free(samples->operands[0]);
    free(samples->operands[1]);
    free(samples->results);
    *samples = (struct replay_samples){0};
}

/* Each candidate is opened as an implementation and called on the samples until one differs. */
#include "reveal/unit_names.h"

#include "op/array/slices.h"
#include "order/units.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PARTS = 8 };

/* Whether an implementation gives all samples. */
static bool gives_all(struct subject *candidate, struct replay_samples *samples, bool *gives,
                      struct error *error) {
    const struct subject *subject = samples->subject;
    const size_t each = subject->lines * subject->columns;
    *gives = true;
    for (size_t k = 0; k < samples->calls && *gives; k++) {
        const size_t sample = samples->sequence[k];
        for (int operand = 0; operand < 2; operand++) {
            struct array *array = &candidate->call.operands[operand];
            memcpy(array->codes, samples->operands[operand][sample],
                   (size_t)shape_elements(&array->shape) * format_bytes(array->format));
        }
        if (!subject_call(candidate, error))
            return false;
        for (size_t i = 0; i < each && *gives; i++)
            *gives = replay_is_same(
                subject, subject_code(candidate, i / subject->columns, i % subject->columns),
                samples->results[sample][i]);
        if (!*gives) { /* what refuted one may refute the next */
            memmove(samples->sequence + 1, samples->sequence, k * sizeof *samples->sequence);
            samples->sequence[0] = sample;
        }
    }
    return true;
}

static bool try_name(struct unit_names *names, struct replay_samples *samples, const char *name,
                     struct error *error) {
    struct implementation implementation;
    struct subject candidate;
    const struct subject *subject = samples->subject;
    bool gives = false;
    if (names->count == UNIT_NAMES)
        return true;
    if (!implementation_open(&implementation, name, NULL, error))
        return false;
    bool good = subject_open(&candidate, &implementation, &subject->request, NULL, &subject->shape,
                             subject->terms, 0, error);
    if (good) {
        good = gives_all(&candidate, samples, &gives, error);
        subject_close(&candidate);
    }
    if (gives)
        snprintf(names->of[names->count++], UNIT_NAME_TEXT, "%s", name);
    return good;
}

/* A unit with each cut that makes several parts; parts of one length have one name. */
static bool try_cuts(struct unit_names *names, struct replay_samples *samples,
                     const struct unit *unit, struct error *error) {
    const size_t terms = samples->subject->terms, call = unit->call;
    size_t before = 0;
    char name[UNIT_NAME_TEXT];
    for (size_t parts = 2; parts <= MOST_PARTS; parts++) {
        size_t length = ((terms + parts - 1) / parts + call - 1) / call * call;
        if (length >= terms || length == before)
            continue;
        before = length;
        snprintf(name, sizeof name, "mma:%s,split-k=%zu", unit->name, parts);
        if (!try_name(names, samples, name, error))
            return false;
    }
    for (size_t length = call; length < before || (!before && length < terms); length *= 2) {
        snprintf(name, sizeof name, "mma:%s,promote=%zu", unit->name, length);
        if (!try_name(names, samples, name, error))
            return false;
    }
    return true;
}

bool unit_names_find(struct unit_names *names, struct replay_samples *samples,
                     struct error *error) {
    const struct subject *subject = samples->subject;
    const struct format *accumulator = accumulation_format(&subject->call);
    *names = (struct unit_names){0};
    for (int cut = 0; cut < 2; cut++)
        for (size_t i = 0; i < unit_count; i++) {
            char name[UNIT_NAME_TEXT];
            if (units[i].format != subject->request.format ||
                units[i].node->result != accumulator || accumulator == &formats[FORMAT_FP64])
                continue;
            snprintf(name, sizeof name, "mma:%s", units[i].name);
            if (cut ? !try_cuts(names, samples, &units[i], error)
                    : !try_name(names, samples, name, error))
                return false;
        }
    return true;
}

/* Intervals to start from. */
#include "sweep/search/box.h"

#include <stdlib.h>

static bool add(struct starts *starts, uint64_t first, uint64_t last, struct error *error) {
    if (starts->count == starts->capacity) {
        size_t capacity = starts->capacity ? 2 * starts->capacity : 1024;
        struct code_interval *intervals = realloc(starts->intervals, capacity * sizeof *intervals);
        if (!intervals)
            return error_set(error, "out of memory for the search");
        starts->intervals = intervals;
        starts->capacity = capacity;
    }
    starts->intervals[starts->count++] = (struct code_interval){first, last - first + 1};
    return true;
}

/* Adds what the set has of first..last, which lie in one binade. */
static bool add_part(struct starts *starts, const struct code_set *set, uint64_t first,
                     uint64_t last, struct error *error) {
    for (size_t i = 0; i < set->run_count; i++) {
        struct code_ends ends = code_set_held(set, i);
        uint64_t from = ends.first > first ? ends.first : first;
        uint64_t to = ends.last < last ? ends.last : last;
        if (from <= to && !add(starts, from, to, error))
            return false;
    }
    return true;
}

static bool add_binades(struct starts *starts, const struct format *format,
                        const struct code_set *set, struct error *error) {
    uint64_t length = (uint64_t)1 << binade_log2(format);
    uint64_t signs[] = {0, format->sign_bit};
    for (int i = 0; i < (format->sign_bit ? 2 : 1); i++)
        for (uint64_t first = 0, last = 0; last < format->max_finite; first = last + 1) {
            const uint64_t left = format->max_finite - first; /* of uint64 all codes are numbers */
            last = first + (left < length ? left : length - 1);
            if (!add_part(starts, set, signs[i] + first, signs[i] + last, error))
                return false;
        }
    return true;
}

/* Intervals of 1, 2, 4, ... codes on either side of a code, each cut at the ends of its binade. */
static bool add_around(struct starts *starts, const struct format *format,
                       const struct code_set *set, uint64_t centre, struct error *error) {
    uint64_t binade = (uint64_t)1 << binade_log2(format);
    uint64_t sign = centre & format->sign_bit, magnitude = centre ^ sign;
    for (uint64_t length = 1; length < binade; length *= 2)
        for (int side = 0; side < 2; side++) {
            if (side == 1 && magnitude < 2 * length)
                continue;
            uint64_t first = side == 0 ? magnitude + length : magnitude - 2 * length + 1;
            uint64_t last = first + length - 1;
            if (last > format->max_finite)
                continue;
            if (first / binade != last / binade)
                last = first / binade * binade + binade - 1;
            if (!add_part(starts, set, sign + first, sign + last, error))
                return false;
        }
    return true;
}

/* Around each code of a set that is not next to the one before. */
static bool add_landmarks(struct starts *starts, const struct format *format,
                          const struct operation *operation, const struct code_set *set,
                          struct error *error) {
    struct code_set landmarks = {0};
    enum { NEAR = 8 };
    uint64_t before = 0;
    bool added = code_set_landmarks(&landmarks, format, operation, error);
    for (uint64_t i = 0; added && i < landmarks.count; i++) {
        uint64_t code = code_set_at(&landmarks, i);
        if (format_is_nan(format, code) || (i > 0 && code - before < NEAR))
            continue;
        before = code;
        added = add_around(starts, format, set, code, error);
    }
    code_set_free(&landmarks);
    return added;
}

bool starts_make(struct starts *starts, const struct format *format,
                 const struct operation *operation, const struct code_set *set,
                 struct error *error) {
    *starts = (struct starts){0};
    bool made = add_binades(starts, format, set, error);
    starts->binades = starts->count;
    made = made && add_landmarks(starts, format, operation, set, error);
    if (made && !starts->count)
        return error_set(error, "there are no finite numbers to search among");
    return made;
}

void starts_free(struct starts *starts) {
    free(starts->intervals);
    *starts = (struct starts){0};
}

static bool set_has(const struct code_set *set, uint64_t code) {
    uint64_t index = code_set_from(set, code);
    return set->run_count && (index < set->count || !set->count) && code_set_at(set, index) == code;
}

bool sets_have(const struct code_set *sets, int operands, const uint64_t *codes) {
    for (int i = 0; i < operands; i++)
        if (!set_has(&sets[i], codes[i]))
            return false;
    return true;
}

struct code_interval interval_around(const struct format *format, const struct code_set *set,
                                     uint64_t code) {
    uint64_t binade = (uint64_t)1 << binade_log2(format);
    uint64_t sign = code & format->sign_bit, first = code & ~(binade - 1);
    uint64_t last = first + binade - 1, most = sign | format->max_finite;
    last = last < most ? last : most;
    for (size_t i = 0; i < set->run_count && code <= last; i++) {
        struct code_ends ends = code_set_held(set, i);
        if (code < ends.first || code > ends.last)
            continue;
        uint64_t from = ends.first > first ? ends.first : first;
        uint64_t to = ends.last < last ? ends.last : last;
        return (struct code_interval){from, to - from + 1};
    }
    return (struct code_interval){0, 0};
}

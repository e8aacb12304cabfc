/* Runs of codes. */
#include "sweep/code_set.h"

#include "format/integers.h"

#include <stdlib.h>

bool code_set_append(struct code_set *set, uint64_t first, uint64_t last, struct error *error) {
    bool joins = set->run_count && first == set->last_end + 1;
    if (!joins) {
        if (set->run_count == set->capacity) {
            size_t capacity = set->capacity ? 2 * set->capacity : 2;
            struct code_run *runs = realloc(set->runs, capacity * sizeof *runs);
            if (!runs)
                return error_set(error, "out of memory for %zu inputs", capacity);
            set->runs = runs;
            set->capacity = capacity;
        }
        set->runs[set->run_count++] = (struct code_run){first, set->count};
    }
    set->last_end = last;
    set->count += last - first + 1;
    return true;
}

void code_set_free(struct code_set *set) {
    free(set->runs);
    *set = (struct code_set){0};
}

size_t code_set_run_of(const struct code_set *set, uint64_t index) {
    size_t low = 0, high = set->run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (set->runs[middle].before <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint64_t code_of(const struct code_set *set, uint64_t held) {
    const struct format *format = set->integers_of;
    if (!format)
        return held;
    return format_integer_code(format, held & ~format->sign_bit) | (held & format->sign_bit);
}

uint64_t code_set_at(const struct code_set *set, uint64_t index) {
    const struct code_run *run = &set->runs[code_set_run_of(set, index)];
    return code_of(set, run->first + (index - run->before));
}

struct code_ends code_set_held(const struct code_set *set, size_t run) {
    const struct code_run *runs = set->runs;
    uint64_t last = run + 1 < set->run_count
                        ? runs[run].first + (runs[run + 1].before - runs[run].before) - 1
                        : set->last_end;
    return (struct code_ends){runs[run].first, last};
}

struct code_ends code_set_ends(const struct code_set *set, size_t run) {
    struct code_ends held = code_set_held(set, run);
    return (struct code_ends){code_of(set, held.first), code_of(set, held.last)};
}

uint64_t code_set_from(const struct code_set *set, uint64_t held) {
    size_t low = 0, high = set->run_count; /* runs before `low` begin at or below it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->runs[middle].first <= held)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    struct code_ends ends = code_set_held(set, low - 1);
    uint64_t inside = held <= ends.last ? held - ends.first : ends.last - ends.first + 1;
    return set->runs[low - 1].before + inside;
}

bool code_set_all(struct code_set *set, const struct format *format, struct error *error) {
    return code_set_append(set, 0, format_mask(format), error);
}

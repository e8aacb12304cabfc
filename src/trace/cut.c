/* Every place along the one axis in which the two have other extents. */
#include "trace/cut.h"

#include "trace/call.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PERMUTED = 1 << 24 };

/* How both lie in memory: `rows` times so many bytes, of the part and of the whole; `step` bytes for a place of the axis. */
struct layout {
    size_t rows, part, whole, step;
};

static bool lay_out(const struct trace_tensor *part, const struct trace_tensor *whole,
                    struct layout *layout) {
    int axis = -1;
    if (part->kept_in < 0 || whole->kept_in < 0 || part->dimensions != whole->dimensions ||
        part->type != whole->type || !part->type || !part->type->format || !part->count)
        return false;
    for (int i = 0; i < part->dimensions; i++) {
        if (part->extents[i] == whole->extents[i])
            continue;
        if (axis >= 0 || part->extents[i] > whole->extents[i])
            return false;
        axis = i;
    }
    if (axis < 0)
        return false;
    *layout = (struct layout){1, 0, 0, format_bytes(part->type->format)};
    for (int i = 0; i < part->dimensions; i++)
        *(i < axis ? &layout->rows : &layout->step) *= i == axis ? 1 : (size_t)part->extents[i];
    layout->part = layout->step * (size_t)part->extents[axis];
    layout->whole = layout->step * (size_t)whole->extents[axis];
    return true;
}

static bool lies_at(const struct layout *layout, const char *part, const char *whole,
                    size_t offset) {
    bool same = true;
    for (size_t row = 0; row < layout->rows && same; row++)
        same = memcmp(part + row * layout->part, whole + row * layout->whole + offset,
                      layout->part) == 0;
    return same;
}

bool trace_is_cut(const struct trace *trace, const struct trace_tensor *part,
                  const struct trace *whole_trace, const struct trace_tensor *whole) {
    struct trace_codes codes[2] = {{.codes = NULL}, {.codes = NULL}};
    struct layout layout;
    struct error unused;
    bool found = false;
    if (!lay_out(part, whole, &layout))
        return false;
    if (trace_codes_load(&codes[0], trace, part, &unused) &&
        trace_codes_load(&codes[1], whole_trace, whole, &unused))
        for (size_t at = 0; at + layout.part <= layout.whole && !found; at += layout.step)
            found = lies_at(&layout, codes[0].codes, codes[1].codes, at);
    free(codes[0].codes);
    free(codes[1].codes);
    return found;
}

static int by_code(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The codes of a kept tensor in ascending order, from malloc; NULL where they cannot be had. */
static uint64_t *sorted_codes(const struct trace *trace, const struct trace_tensor *tensor) {
    struct trace_codes codes;
    struct error unused;
    uint64_t *sorted = malloc((size_t)tensor->count * sizeof *sorted + 1);
    if (!sorted || !trace_codes_load(&codes, trace, tensor, &unused)) {
        free(sorted);
        return NULL;
    }
    for (size_t i = 0; i < codes.count; i++)
        sorted[i] = code_load(codes.codes, format_bytes(codes.format), i);
    free(codes.codes);
    qsort(sorted, (size_t)tensor->count, sizeof *sorted, by_code);
    return sorted;
}

bool trace_is_permuted(const struct trace *trace, const struct trace_tensor *one,
                       const struct trace *other_trace, const struct trace_tensor *other) {
    if (one->kept_in < 0 || other->kept_in < 0 || one->type != other->type || !one->type ||
        !one->type->format || one->type->components != 1 || one->count != other->count ||
        one->count > MOST_PERMUTED)
        return false;
    uint64_t *codes[2] = {sorted_codes(trace, one), sorted_codes(other_trace, other)};
    const bool same = codes[0] && codes[1] &&
                      memcmp(codes[0], codes[1], (size_t)one->count * sizeof *codes[0]) == 0;
    free(codes[0]);
    free(codes[1]);
    return same;
}

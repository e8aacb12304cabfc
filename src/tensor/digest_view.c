/* Digests of tensors whose elements do not lie in C's order. They are gathered a few rows at a time into memory that stays in
 * a near cache: a copy of the whole tensor would take several times as long as its digest. */
#include <stdlib.h>
#include <string.h>

#include "tensor/digest.h"

enum {
    MOST_EXTENTS = 64,
    GATHERED = 1 << 15, /* bytes that are hashed at once */
    DIRECT = 1 << 11,   /* bytes of a run that is not worth a copy */
    LINE = 64,          /* bytes of a line of the cache */
    READ =
        256, /* bytes that are taken of one column at once: several lines, so that few pages are touched */
    TURNED = 16, /* that are turned together */
    STRIP =
        1
        << 19 /* bytes of rows that are gathered together, where that is more than a line of each column */
};

struct view {
    struct tensor_hash *hash;
    size_t width, rank;
    int64_t shape[MOST_EXTENTS], strides[MOST_EXTENTS]; /* strides: in bytes */
    char *buffer;
    size_t filled;
};

/* Puts extents together that are one walk through memory, and leaves those of one element out. */
static void simplify(struct view *view, size_t rank, const int64_t *shape, const int64_t *strides) {
    for (size_t at = 0; at < rank; at++) {
        if (shape[at] == 1) /* whose stride may be anything */
            continue;
        const int64_t stride = strides[at] * (int64_t)view->width, last = (int64_t)view->rank - 1;
        if (last >= 0 && view->strides[last] == stride * shape[at]) {
            view->shape[last] *= shape[at];
            view->strides[last] = stride;
        } else {
            view->shape[view->rank] = shape[at];
            view->strides[view->rank++] = stride;
        }
    }
}

static void flush(struct view *view) {
    tensor_hash_add(view->hash, view->buffer, view->filled);
    view->filled = 0;
}

/* One run of elements that lie one behind another. */
static void take_run(struct view *view, const char *from, size_t bytes) {
    if (bytes >= DIRECT) {
        flush(view);
        tensor_hash_add(view->hash, from, bytes);
        return;
    }
    if (view->filled + bytes > GATHERED)
        flush(view);
    memcpy(view->buffer + view->filled, from, bytes);
    view->filled += bytes;
}

/* Elements that have one distance from each other. */
static void take_spread(struct view *view, const char *from, int64_t count, int64_t stride) {
    const size_t width = view->width;
    for (int64_t at = 0; at < count;) {
        if (view->filled + width > GATHERED)
            flush(view);
        const size_t room = (GATHERED - view->filled) / width;
        const int64_t end = count - at < (int64_t)room ? count : at + (int64_t)room;
        char *to = view->buffer + view->filled;
        view->filled += (size_t)(end - at) * width;
        switch (width) {
        case 2:
            for (; at < end; at++, to += 2)
                memcpy(to, from + at * stride, 2);
            break;
        case 4:
            for (; at < end; at++, to += 4)
                memcpy(to, from + at * stride, 4);
            break;
        case 8:
            for (; at < end; at++, to += 8)
                memcpy(to, from + at * stride, 8);
            break;
        default:
            for (; at < end; at++, to += width)
                memcpy(to, from + at * stride, width);
        }
    }
}

#define TURN(COLUMNS, WIDTH)                                                                       \
    for (size_t row = 0; row < rows; row++)                                                        \
        for (size_t column = 0; column < (COLUMNS); column++)                                      \
    memcpy(to + row * pitch + column * (WIDTH), tile + column * (READ + LINE) + row * (WIDTH),     \
           WIDTH)
/* Turns `columns` columns, of which `tile` has READ + LINE bytes each, into pieces of rows that are `pitch` bytes apart. */
static void turn(char *to, size_t pitch, const char *tile, size_t rows, size_t columns,
                 size_t width) {
    if (columns == TURNED && width == 4)
        TURN(TURNED, 4);
    else if (columns == TURNED && width == 2)
        TURN(TURNED, 2);
    else
        TURN(columns, width);
}

/* Reads `taken` bytes of each of `columns` columns, and asks for those of the columns behind them, up to `left`. */
static void read_columns(char *tile, const char *from, size_t columns, size_t left, int64_t stride,
                         size_t taken) {
    for (size_t at = 0; at < columns; at++) {
        if (at + TURNED < left)
            for (size_t line = 0; line < taken; line += LINE)
                __builtin_prefetch(from + (int64_t)(at + TURNED) * stride + line);
        memcpy(tile + at * (READ + LINE), from + (int64_t)at * stride, taken);
    }
}

/* How many rows are gathered together. */
static size_t strip_of(size_t rows, size_t pitch, size_t width) {
    const size_t most = READ / width, least = LINE / width, fit = STRIP / pitch;
    const size_t strip = fit > most ? most : fit < least ? least : fit - fit % least;
    return strip > rows ? rows : strip;
}

/* A matrix whose columns lie one behind another. False when memory is out. */
static bool take_turned(struct view *view, const char *from, size_t rows, size_t columns,
                        int64_t stride) {
    const size_t width = view->width;
    const size_t pitch =
        (columns * width / LINE + 2) * LINE; /* rows begin in other sets of the cache */
    const size_t strip = strip_of(rows, pitch, width);
    char *lines = malloc(strip * pitch), tile[TURNED * (READ + LINE)];
    if (!lines)
        return false;
    flush(view);
    for (size_t row = 0; row < rows; row += strip) {
        const size_t taken = rows - row < strip ? rows - row : strip;
        for (size_t column = 0; column < columns; column += TURNED) {
            const size_t left = columns - column, wide = left < TURNED ? left : TURNED;
            read_columns(tile, from + (int64_t)column * stride + row * width, wide, left, stride,
                         taken * width);
            turn(lines + column * width, pitch, tile, taken, wide, width);
        }
        for (size_t at = 0; at < taken; at++)
            take_run(view, lines + at * pitch, columns * width);
    }
    free(lines);
    return true;
}

/* What the extents from `depth` on have. */
static bool take(struct view *view, const char *from, size_t depth) {
    const size_t left = view->rank - depth;
    const int64_t *shape = view->shape + depth, *strides = view->strides + depth;
    const int64_t width = (int64_t)view->width;
    if (left == 0)
        take_run(view, from, view->width);
    else if (left == 1 && strides[0] == width)
        take_run(view, from, (size_t)(shape[0] * width));
    else if (left == 1 && width <= DIRECT)
        take_spread(view, from, shape[0], strides[0]);
    else if (left == 2 && strides[0] == width && shape[0] > 1 && width <= LINE)
        return take_turned(view, from, (size_t)shape[0], (size_t)shape[1], strides[1]);
    else
        for (int64_t at = 0; at < shape[0]; at++)
            if (!take(view, from + at * strides[0], depth + 1))
                return false;
    return true;
}

bool tensor_digest_view(const struct tensor_type *type, const void *elements, size_t width,
                        size_t rank, const int64_t *shape, const int64_t *strides,
                        struct tensor_digest *digest, struct tensor_digest *canonical) {
    struct view view = {.width = width};
    bool is_empty = false;
    if (rank > MOST_EXTENTS)
        return false;
    for (size_t at = 0; at < rank; at++)
        is_empty |= shape[at] == 0;
    if (!is_empty)
        simplify(&view, rank, shape, strides);
    view.hash = tensor_hash_begin(type);
    view.buffer = malloc(GATHERED);
    const bool done = view.hash && view.buffer && (is_empty || take(&view, elements, 0));
    if (done) {
        flush(&view);
        tensor_hash_end(view.hash, digest, canonical);
    } else {
        tensor_hash_free(view.hash);
    }
    free(view.buffer);
    return done;
}

static char *put_digits(char *text, const struct tensor_digest *digest) {
    for (int at = 0; at < 32; at++) {
        const uint64_t half = at < 16 ? digest->high : digest->low;
        *text++ = "0123456789abcdef"[half >> (60 - 4 * (at & 15)) & 15];
    }
    return text;
}

bool tensor_digest_text(const struct tensor_type *type, const void *elements, size_t width,
                        size_t rank, const int64_t *shape, const int64_t *strides,
                        char text[TENSOR_DIGEST_TEXT]) {
    struct tensor_digest digest, canonical;
    const bool done =
        rank ? tensor_digest_view(type, elements, width, rank, shape, strides, &digest, &canonical)
             : tensor_digest(type, elements, width, &digest, &canonical);
    if (!done)
        return false;
    text = put_digits(text, &digest);
    if (canonical.high != digest.high || canonical.low != digest.low)
        text = put_digits(text, &canonical);
    *text = '\0';
    return true;
}

/* Myers' algorithm forwards, which keeps how far each number of differences reached. */
#include "trace/align.h"

#include <stdlib.h>

enum {
    WINDOW = 512, /* keys of each list that are looked at together */
    MOST_DIFFERENCES = 2 * WINDOW,
    REACHED = (MOST_DIFFERENCES + 1) * (MOST_DIFFERENCES + 2) / 2
};

/* What D differences reach: D + 1 diagonals, every other one from -D to D. */
static int *row_of(int *reached, int differences) {
    return reached + (size_t)differences * ((size_t)differences + 1) / 2;
}

/* Where a path of so many differences comes from on its diagonal: from the one above, by a key that only the second
 * list has, or from the one below. */
static bool comes_from_above(const int *before, int differences, int place) {
    return place == 0 || (place < differences && before[place - 1] < before[place]);
}

static int start_of(const int *before, int differences, int place) {
    if (!differences)
        return 0;
    return comes_from_above(before, differences, place) ? before[place] : before[place - 1] + 1;
}

/* How many differences the two have. */
static int search(int *reached, const uint64_t *a, int n, const uint64_t *b, int m) {
    for (int differences = 0;; differences++) {
        int *row = row_of(reached, differences);
        const int *before = differences ? row_of(reached, differences - 1) : NULL;
        for (int place = 0; place <= differences; place++) {
            const int diagonal = 2 * place - differences;
            int x = start_of(before, differences, place);
            while (x < n && x - diagonal < m && a[x] == b[x - diagonal])
                x++;
            row[place] = x;
            if (x >= n && x - diagonal >= m)
                return differences;
        }
    }
}

/* Walks back from the end; the pairs come out last first. */
static size_t walk(int *reached, int differences, int n, int m, struct align_pair *pairs) {
    size_t count = 0;
    int x = n, diagonal = n - m;
    for (; differences >= 0; differences--) {
        const int place = (diagonal + differences) / 2;
        const int *before = differences ? row_of(reached, differences - 1) : NULL;
        const int start = start_of(before, differences, place);
        while (x > start) {
            x--;
            pairs[count++] = (struct align_pair){(size_t)x, (size_t)(x - diagonal)};
        }
        if (differences) {
            const bool above = comes_from_above(before, differences, place);
            x = above ? start : start - 1;
            diagonal += above ? 1 : -1;
        }
    }
    return count;
}

/* The pairs of a window, first ones first. */
static size_t align_window(int *reached, const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                           struct align_pair *pairs) {
    const int differences = search(reached, a, (int)n, b, (int)m);
    const size_t count = walk(reached, differences, (int)n, (int)m, pairs);
    for (size_t i = 0; i < count / 2; i++) {
        const struct align_pair swapped = pairs[i];
        pairs[i] = pairs[count - 1 - i];
        pairs[count - 1 - i] = swapped;
    }
    return count;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

void align_free(struct align_room *room) {
    free(room->reached);
    *room = (struct align_room){NULL};
}

ptrdiff_t align_keys(struct align_room *room, const uint64_t *a, size_t a_count, const uint64_t *b,
                     size_t b_count, struct align_pair *pairs) {
    struct align_pair found[WINDOW];
    size_t i = 0, j = 0, count = 0;
    while (i < a_count && j < b_count) {
        if (a[i] == b[j]) { /* nearly always */
            pairs[count++] = (struct align_pair){i++, j++};
            continue;
        }
        if (!room->reached && !(room->reached = malloc(REACHED * sizeof *room->reached)))
            return -1;
        const size_t n = least(a_count - i, WINDOW), m = least(b_count - j, WINDOW);
        /* What lies beyond the window could change what its second half pairs. */
        const bool ends_a = i + n == a_count, ends_b = j + m == b_count;
        const size_t sure_a = ends_a ? n : WINDOW / 2, sure_b = ends_b ? m : WINDOW / 2;
        const size_t here = align_window(room->reached, a + i, n, b + j, m, found);
        size_t next_a = ends_a ? 0 : sure_a, next_b = ends_b ? 0 : sure_b;
        for (size_t k = 0; k < here; k++)
            if (found[k].a < sure_a && found[k].b < sure_b) {
                next_a = found[k].a + 1;
                next_b = found[k].b + 1;
                pairs[count++] = (struct align_pair){i + found[k].a, j + found[k].b};
            }
        if (ends_a && ends_b)
            break;
        i += next_a;
        j += next_b;
    }
    return (ptrdiff_t)count;
}

/* Where arrays of a call overlap. Two elements coincide where a sum of steps, each taken a bounded number of
 * times, is a given distance: this is searched for from the longest step down, and what the shorter ones
 * cannot reach, or not divide, is cut off. */
#include "overlap.h"
#include "geometry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A step in bytes or elements, and how often it can be taken; with all that follow it, how far that leads, and
 * what divides all of them. */
struct step {
    uint64_t length, most, reach, divisor;
};

enum { MOST_STEPS = 2 * DETMATH_MOST_DIMENSIONS + 2, MOST_TRIES = 1 << 16 };

struct overlap_search {
    struct step steps[MOST_STEPS];
    int count, tries;
};

/* Longest first; steps of one length are one. */
static void add_step(struct overlap_search *search, uint64_t length, uint64_t most) {
    int at = search->count;
    if (!length || !most)
        return;
    for (int i = 0; i < search->count; i++)
        if (search->steps[i].length == length) {
            search->steps[i].most += most;
            return;
        }
    for (; at > 0 && search->steps[at - 1].length < length; at--)
        search->steps[at] = search->steps[at - 1];
    search->steps[at] = (struct step){length, most, 0, 0};
    search->count++;
}

static void settle_steps(struct overlap_search *search) {
    uint64_t reach = 0, divisor = 0;
    for (int i = search->count - 1; i >= 0; i--) {
        struct step *step = &search->steps[i];
        reach += step->length * step->most;
        for (uint64_t rest = step->length; rest;) {
            uint64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        step->reach = reach;
        step->divisor = divisor;
    }
}

/* Whether steps from number `at` on lead to a distance; where that takes too long, 1. */
static int leads_to(struct overlap_search *search, int at, uint64_t distance) {
    if (!distance)
        return 1;
    if (at == search->count || distance > search->steps[at].reach ||
        distance % search->steps[at].divisor)
        return 0;
    const struct step *step = &search->steps[at];
    const uint64_t later = at + 1 < search->count ? step[1].reach : 0;
    uint64_t most = distance / step->length,
             least = distance > later ? (distance - later - 1) / step->length + 1 : 0;
    most = most < step->most ? most : step->most;
    for (uint64_t taken = least; taken <= most; taken++)
        if (++search->tries > MOST_TRIES ||
            leads_to(search, at + 1, distance - taken * step->length))
            return 1;
    return 0;
}

static int is_empty(const struct detmath_strided *array) {
    for (int i = 0; i < array->dimensions; i++)
        if (!array->extents[i])
            return 1;
    return !array->codes;
}

/* The first byte of an array, and the byte behind its last one. */
static void bounds_of(const struct detmath_strided *array, uintptr_t *first, uintptr_t *behind) {
    const size_t bytes = detmath_format_bytes(array->format);
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    detmath_settle_strides(array, strides);
    *first = *behind = (uintptr_t)array->codes;
    for (int i = 0; i < array->dimensions; i++) {
        uintptr_t length = (uintptr_t)strides[i] * bytes * (array->extents[i] - 1);
        *(strides[i] < 0 ? first : behind) += length;
    }
    *behind += bytes;
}

static void add_steps(struct overlap_search *search, const struct detmath_strided *array) {
    const size_t bytes = detmath_format_bytes(array->format);
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    detmath_settle_strides(array, strides);
    for (int i = 0; i < array->dimensions; i++) {
        uint64_t stride = (uint64_t)strides[i];
        add_step(search, (strides[i] < 0 ? 0 - stride : stride) * bytes, array->extents[i] - 1);
    }
    add_step(search, 1, bytes - 1);
}

static int is_same(const struct detmath_strided *a, const struct detmath_strided *b) {
    const int n = a->dimensions > b->dimensions ? a->dimensions : b->dimensions;
    ptrdiff_t left[DETMATH_MOST_DIMENSIONS], right[DETMATH_MOST_DIMENSIONS];
    int same = a->codes == b->codes && a->format == b->format;
    detmath_settle_strides(a, left);
    detmath_settle_strides(b, right);
    for (int i = 0; same && i < n; i++) {
        const int own = i - (n - a->dimensions), other = i - (n - b->dimensions);
        const size_t extent = own < 0 ? 1 : a->extents[own];
        same = extent == (other < 0 ? 1 : b->extents[other]) &&
               (extent == 1 || left[own] == right[other]);
    }
    return same;
}

enum detmath_sharing detmath_sharing_of(const struct detmath_strided *a,
                                        const struct detmath_strided *b) {
    uintptr_t first[2], behind[2];
    struct overlap_search search = {.count = 0};
    if (is_empty(a) || is_empty(b))
        return DETMATH_APART;
    bounds_of(a, &first[0], &behind[0]);
    bounds_of(b, &first[1], &behind[1]);
    if (behind[0] <= first[1] || behind[1] <= first[0])
        return DETMATH_APART;
    if (is_same(a, b))
        return DETMATH_SAME;
    /* From a's first byte up by a's steps, from b's last byte down by b's. */
    add_steps(&search, a);
    add_steps(&search, b);
    settle_steps(&search);
    return leads_to(&search, 0, behind[1] - 1 - first[0]) ? DETMATH_MIXED : DETMATH_APART;
}

/* Two elements coincide where steps, of which some go forwards and some backwards, lead back to where they
 * began. Of the steps that are taken, longest first, let number i be the first one, and forwards, once at least:
 * the others, counted from as far back as they go, make up for that. */
int detmath_has_own_places(const struct detmath_strided *array) {
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    struct step steps[DETMATH_MOST_DIMENSIONS];
    int count = 0;
    if (is_empty(array))
        return 1;
    detmath_settle_strides(array, strides);
    for (int i = 0; i < array->dimensions; i++) {
        uint64_t stride = (uint64_t)strides[i];
        const struct step step = {strides[i] < 0 ? 0 - stride : stride, array->extents[i] - 1, 0,
                                  0};
        int at = count;
        for (; step.most && at > 0 && steps[at - 1].length < step.length; at--)
            steps[at] = steps[at - 1];
        if (step.most) {
            steps[at] = step;
            count++;
        }
    }
    for (int i = 0; i < count; i++) {
        struct overlap_search search = {.count = 0};
        uint64_t back = 0;
        add_step(&search, steps[i].length, steps[i].most - 1);
        for (int j = i + 1; j < count; j++) {
            add_step(&search, steps[j].length, 2 * steps[j].most);
            back += steps[j].length * steps[j].most;
        }
        settle_steps(&search);
        if (back >= steps[i].length && leads_to(&search, 0, back - steps[i].length))
            return 0;
        if (!steps[i].length)
            return 0;
    }
    return 1;
}

int detmath_check_overlap(const struct detmath_strided *result,
                          const struct detmath_strided *operand, int in_place) {
    const enum detmath_sharing sharing = detmath_sharing_of(result, operand);
    return sharing == DETMATH_APART || (sharing == DETMATH_SAME && in_place)
               ? DETMATH_NO_TROUBLE
               : DETMATH_TROUBLE_OVERLAP;
}

int detmath_lie_apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
    const uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return !a || !b || !a_bytes || !b_bytes || first + a_bytes <= second ||
           second + b_bytes <= first;
}

enum detmath_sharing detmath_sharing_of_codes(const void *a, size_t a_bytes, const void *b,
                                              size_t b_bytes, size_t n) {
    if (detmath_lie_apart(a, n * a_bytes, b, n * b_bytes))
        return DETMATH_APART;
    return a == b && a_bytes == b_bytes ? DETMATH_SAME : DETMATH_MIXED;
}

void detmath_fill_nan(void *codes, int format, size_t n) {
    const size_t bytes = detmath_format_bytes(format);
    const uint64_t wide = UINT64_C(0x7ff8000000000000);
    const uint32_t code = format == DETMATH_F64 ? 0 : detmath_formats[format].nan;
    const uint16_t half = (uint16_t)code;
    const uint8_t byte = (uint8_t)code;
    const void *nan = bytes == 8   ? (const void *)&wide
                      : bytes == 4 ? (const void *)&code
                      : bytes == 2 ? (const void *)&half
                                   : (const void *)&byte;
    for (size_t i = 0; i < n; i++)
        memcpy((char *)codes + i * bytes, nan, bytes);
}

const void *detmath_operand_apart(const void *operand, size_t n, void *result, size_t result_n,
                                  int in_place, int format, void **copy) {
    const size_t bytes = detmath_format_bytes(format);
    *copy = NULL;
    if (detmath_lie_apart(operand, n * bytes, result, result_n * bytes) ||
        (in_place && operand == result))
        return operand;
    *copy = malloc(n * bytes);
    if (*copy)
        memcpy(*copy, operand, n * bytes);
    else
        detmath_fill_nan(result, format, result_n);
    return *copy;
}

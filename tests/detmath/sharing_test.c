/* Calls of the library on arrays of which some are one, or overlap: the same bits as with copies of them that lie
 * apart, or a status that refuses, and then nothing is written. A call is refused just where a result shares a byte
 * with another array and is not that array in place, or with itself: which is found here by looking at each byte.
 * Extents may be 0. Environment: CASES is how many calls there are, SEED what they are drawn from. */
#include "sharing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 1 << 17, PLACES = 1 << 12 };
static unsigned char shared[ROOM], before[ROOM], apart[MOST_ARRAYS][ROOM];

static const struct {
    const char *name;
    draw_call *draw;
    int weight;
} families[] = {{"functions", draw_function, 3},
                {"reductions", draw_reduction, 2},
                {"matmul", draw_matmul, 1},
                {"casts", draw_cast, 2},
                {"blocks", draw_blocks, 1},
                {"quantise_linear", draw_quantise, 1},
                {"dyadic", draw_dyadic, 3},
                {"dyadic affine", draw_dyadic_product, 2},
                {"dyadic step", draw_dyadic_step, 1},
                {"log sums", draw_log_sum, 4},
                {"scaled lines", draw_scaled_line, 3},
                {"scaled softmax", draw_scaled_softmax, 1},
                {"scaled each", draw_scaled_each, 6},
                {"scaled contractions", draw_scaled_contraction, 4},
                {"scaled along", draw_scaled_along, 4},
                {"scaled rebalance", draw_scaled_rebalance, 2}};
enum { FAMILIES = sizeof families / sizeof *families };

size_t draw_extent(const struct call *call) {
    return chance(call, 6) ? 0 : (size_t)draw(call, 1, 5);
}

struct array *add_array(struct call *call, bool is_written, int format, size_t bytes,
                        enum contents contents, int dimensions, const size_t *extents) {
    struct array *array = &call->arrays[call->count++];
    *array = (struct array){.bytes = bytes, .contents = contents, .is_written = is_written};
    for (int i = 0; i < dimensions; i++)
        array->extents[i] = extents[i];
    array->at = (struct detmath_strided){NULL, format, dimensions, NULL, NULL};
    return array;
}

struct array *add_flat(struct call *call, bool is_written, int format, size_t bytes,
                       enum contents contents, size_t n) {
    struct array *array = add_array(call, is_written, format, bytes, contents, 1, &n);
    array->is_flat = true;
    return array;
}

static size_t elements_of(const struct array *array) {
    size_t count = 1;
    for (int i = 0; i < array->at.dimensions; i++)
        count *= array->extents[i];
    return count;
}

/* Where element number `at` in row-major order lies, in bytes from `codes`. */
static ptrdiff_t offset_of(const struct array *array, size_t at) {
    ptrdiff_t offset = 0;
    for (int i = array->at.dimensions - 1; i >= 0; i--) {
        offset += (ptrdiff_t)(at % array->extents[i]) * array->strides[i];
        at /= array->extents[i];
    }
    return offset * (ptrdiff_t)array->bytes;
}

/* Row-major, or of dimensions in any order and direction, with gaps; now and then all elements along one are one. */
static void draw_strides(const struct call *call, struct array *array) {
    const int n = array->at.dimensions;
    const bool is_plain = array->is_flat || chance(call, 40);
    int order[DIMENSIONS];
    ptrdiff_t step = is_plain ? 1 : draw(call, 1, 2);
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; !is_plain && i > 0; i--) {
        const int other = draw(call, 0, i), own = order[i];
        order[i] = order[other];
        order[other] = own;
    }
    for (int i = n - 1; i >= 0; i--) {
        const int at = order[i];
        const bool is_back = !is_plain && !array->is_forward && chance(call, 20),
                   is_one = !is_plain && chance(call, 6);
        array->strides[at] = is_one ? 0 : is_back ? -step : step;
        step *= (ptrdiff_t)(array->extents[at] ? array->extents[at] : 1);
        step += !is_plain && chance(call, 20);
    }
}

/* How far an array reaches below and above its first element, in bytes. */
static void reach_of(const struct array *array, ptrdiff_t *below, ptrdiff_t *above) {
    *below = 0;
    *above = (ptrdiff_t)array->bytes;
    for (int i = 0; i < array->at.dimensions; i++) {
        ptrdiff_t reach = array->extents[i] ? (ptrdiff_t)(array->extents[i] - 1) : 0;
        reach *= array->strides[i] * (ptrdiff_t)array->bytes;
        *(reach < 0 ? below : above) += reach;
    }
}

static bool has_same_extents(const struct array *a, const struct array *b) {
    bool same = a->at.dimensions == b->at.dimensions;
    for (int i = 0; same && i < a->at.dimensions; i++)
        same = a->extents[i] == b->extents[i];
    return same;
}

/* Arrays get places: of their own, that of one before them, or one that overlaps it. Returns how much of the memory is
 * taken, 0 where it is not enough. */
static ptrdiff_t place_arrays(struct call *call, ptrdiff_t places[MOST_ARRAYS]) {
    const int most = draw(call, 1, 4); /* ways: arrays are one, or overlap too, or all lie apart */
    ptrdiff_t end = 64, below, above;
    for (int i = 0; i < call->count; i++) {
        struct array *array = &call->arrays[i];
        const int way = most == 4   ? 100
                        : most == 3 ? draw(call, 1, 100)
                                    : draw(call, 0, 1) * 100,
                  other = i >= 2 && chance(call, 60) ? i % 2 : draw(call, 0, i ? i - 1 : 0);
        draw_strides(call, array);
        if (i && way <= 35 && has_same_extents(array, &call->arrays[other]) &&
            array->is_flat == call->arrays[other].is_flat)
            memcpy(array->strides, call->arrays[other].strides, sizeof array->strides);
        reach_of(array, &below, &above);
        places[i] = (end - below + 63) / 64 * 64;
        if (i && way <= 35)
            places[i] = places[other] / (ptrdiff_t)array->bytes * (ptrdiff_t)array->bytes;
        else if (i && way <= 60)
            places[i] = (places[other] / (ptrdiff_t)array->bytes + draw(call, -12, 12)) *
                        (ptrdiff_t)array->bytes;
        if (places[i] + below < 0)
            places[i] = (end - below + 63) / 64 * 64;
        end = places[i] + above > end ? places[i] + above : end;
        if (end >= ROOM)
            return 0;
    }
    return end;
}

static void fill_element(const struct call *call, const struct array *array, unsigned char *to) {
    static const float scales[] = {1, 0.5f, -2, 3, 0, 1000.1f, 0.1f, -0x1p-20f, 0x1.8p30f};
    uint64_t bits = random_bits(call->random);
    if (array->contents == SCALES) {
        const float scale = scales[draw(call, 0, 8)];
        const int32_t power = (int32_t)draw(call, -6, 6);
        memcpy(to, array->at.format < 0 ? (const void *)&power : (const void *)&scale, 4);
        return;
    }
    if (array->contents == NUMBERS && array->bytes >= 4 && chance(call, 80)) {
        const double wide = (double)draw(call, -1000, 1000) / 64;
        const float narrow = (float)wide;
        memcpy(to, array->bytes == 8 ? (const void *)&wide : (const void *)&narrow, array->bytes);
        return;
    }
    if (array->contents == INTEGERS && array->bytes >= 4 && chance(call, 80))
        bits = (uint64_t)(int64_t)draw(call, -1000, 1000);
    memcpy(to, &bits, array->bytes);
}

/* Whether element by element the two are one. */
static bool is_in_place(const struct call *call, const struct array *a, ptrdiff_t a_at,
                        const struct array *b, ptrdiff_t b_at) {
    const size_t count = elements_of(a);
    const int n = a->at.dimensions, m = b->at.dimensions;
    if (a->bytes != b->bytes || (!call->is_by_width && a->at.format != b->at.format) ||
        count != elements_of(b))
        return false;
    for (int i = 1; i <= n || i <= m; i++)
        if ((i <= n ? a->extents[n - i] : 1) != (i <= m ? b->extents[m - i] : 1))
            return false;
    for (size_t at = 0; at < count; at++)
        if (a_at + offset_of(a, at) != b_at + offset_of(b, at))
            return false;
    return true;
}

/* Which array wrote a byte last, while it is looked for what shares it; and which element. */
static struct {
    int array;
    size_t element;
} owners[ROOM];

/* Whether array number i, a result, shares a byte with itself, or with another array otherwise than it may. */
static bool is_mixed(const struct call *call, const ptrdiff_t *places, int i, bool *results_mix) {
    const struct array *result = &call->arrays[i];
    bool mixed = false;
    for (size_t at = 0; at < elements_of(result); at++)
        for (size_t k = 0; k < result->bytes; k++) {
            const size_t byte = (size_t)(places[i] + offset_of(result, at)) + k;
            mixed |= owners[byte].array == i + 1;
            owners[byte].array = i + 1;
            owners[byte].element = at;
        }
    for (int j = 0; j < call->count; j++) {
        const struct array *other = &call->arrays[j];
        bool touches = false;
        for (size_t at = 0; j != i && at < elements_of(other); at++)
            for (size_t k = 0; k < other->bytes; k++)
                touches |= owners[(size_t)(places[j] + offset_of(other, at)) + k].array == i + 1;
        *results_mix |= touches && other->is_written;
        mixed |= touches && (other->is_written || !call->in_place || other->never_shared ||
                             other->contents != result->contents ||
                             !is_in_place(call, result, places[i], other, places[j]));
    }
    for (size_t at = 0; at < elements_of(result); at++)
        memset(&owners[places[i] + offset_of(result, at)], 0, result->bytes * sizeof *owners);
    return mixed;
}

static void describe(const struct call *call, const ptrdiff_t *places) {
    printf("%s", call->name);
    for (int i = 0; i < MOST_NUMBERS; i++)
        printf(" %d", call->numbers[i]);
    printf("\n");
    for (int i = 0; i < call->count; i++) {
        const struct array *array = &call->arrays[i];
        printf("  %s format %d, %zu bytes, at %td:", array->is_written ? "result" : "operand",
               array->at.format, array->bytes, places[i]);
        for (int k = 0; k < array->at.dimensions; k++)
            printf(" %zu by %td", array->extents[k], array->strides[k]);
        printf("\n");
    }
}

struct counts {
    int calls, in_place, refused, right, copied, empty, other;
};

static void check_call(struct call *call, struct counts *counts) {
    ptrdiff_t places[MOST_ARRAYS];
    struct detmath_strided at[MOST_ARRAYS];
    bool mixed = false, results_mix = false, is_shared = false;
    float results[2] = {0};
    const ptrdiff_t end = place_arrays(call, places);
    if (!end)
        return;
    memset(shared, 0, (size_t)end);
    for (int i = 0; i < call->count; i++) {
        struct array *array = &call->arrays[i];
        array->at.extents = array->extents;
        array->at.strides = array->is_flat ? NULL : array->strides;
        for (size_t k = 0; k < elements_of(array); k++)
            fill_element(call, array, shared + places[i] + offset_of(array, k));
        counts->empty += i == 0 && !elements_of(array);
    }
    memcpy(before, shared, (size_t)end);
    for (int i = 0; i < call->count; i++) {
        if (call->arrays[i].is_written)
            mixed |= is_mixed(call, places, i, &results_mix);
        for (int j = 0; j < i; j++)
            is_shared |= places[i] == places[j] &&
                         (call->arrays[i].is_written || call->arrays[j].is_written);
        memcpy(apart[i], shared, (size_t)end);
        at[i] = call->arrays[i].at;
        at[i].codes = apart[i] + places[i];
    }
    if (call->refusal < 0 && results_mix)
        return; /* no result is right, and no status can say so */
    call->result = &results[0];
    const int alone = call->run(call, at);
    for (int i = 0; i < call->count; i++)
        at[i].codes = shared + places[i];
    call->result = &results[1];
    const int status = call->run(call, at);
    const bool refuses = mixed && call->refusal >= 0;
    /* Where no call could be right, as of the largest of no elements, that may be said first. */
    bool good = status == alone;
    if (refuses)
        good = status == call->refusal || (alone && status == alone);
    good &= refuses || memcmp(results, results + 1, sizeof *results) == 0;
    for (int i = 0; i < call->count; i++) /* what is right goes to where nothing else may change */
        for (size_t k = 0;
             call->arrays[i].is_written && !refuses && k < elements_of(&call->arrays[i]); k++) {
            const ptrdiff_t place = places[i] + offset_of(&call->arrays[i], k);
            memcpy(before + place, apart[i] + place, call->arrays[i].bytes);
        }
    good &= memcmp(before, shared, (size_t)end) == 0;
    if (!good) {
        describe(call, places);
        printf("%s; apart it returns %d, here %d\n", mixed ? "overlaps" : "nothing overlaps", alone,
               status);
    }
    assert_true(good);
    counts->calls++;
    counts->in_place += is_shared && !mixed;
    counts->refused += refuses;
    counts->copied += mixed && !refuses;
    counts->right += !mixed;
    counts->other += !mixed && alone;
}

static void test_sharing(void **state) {
    (void)state;
    const char *cases = getenv("CASES"), *seed = getenv("SEED");
    const long count = cases ? strtol(cases, NULL, 10) : 30000;
    uint64_t random = seed ? strtoull(seed, NULL, 10) : 1;
    struct counts all = {0}, each[FAMILIES] = {{0}};
    int weights = 0;
    for (int i = 0; i < FAMILIES; i++)
        weights += families[i].weight;
    for (long i = 0; i < count; i++) {
        int at = 0;
        for (int left = random_between(&random, 0, weights - 1); left >= families[at].weight; at++)
            left -= families[at].weight;
        struct call call = {.name = families[at].name, .random = &random};
        families[at].draw(&call);
        check_call(&call, &each[at]);
    }
    for (int i = 0; i < FAMILIES; i++) {
        const struct counts *own = &each[i];
        printf("%-20s %6d calls: %d right where nothing overlaps, %d of them over an operand; %d "
               "refused; %d right though arrays overlap; %d empty; %d with another status\n",
               families[i].name, own->calls, own->right, own->in_place, own->refused, own->copied,
               own->empty, own->other);
        all.calls += own->calls;
        all.refused += own->refused;
        assert_true(count < 1000 || (own->right && own->refused + own->copied &&
                                     (own->empty || families[i].draw == draw_scaled_softmax) &&
                                     2 * own->other < own->calls));
    }
    printf(
        "%d calls of %ld drawn; of the others no result could be right, and they have no status\n",
        all.calls, count);
    assert_true(all.calls > count / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sharing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

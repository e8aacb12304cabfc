/* The longest common subsequence: beside the table of all prefixes, and in windows. */
#include "trace/align.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SHORT = 40, LONG = 5000 };

static uint64_t state = 7;
static uint64_t draw(uint64_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* The length of the longest common subsequence by the table of Wagner and Fischer. */
static size_t longest(const uint64_t *a, size_t n, const uint64_t *b, size_t m) {
    size_t table[SHORT + 1][SHORT + 1] = {{0}};
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            const size_t above = table[i - 1][j], before = table[i][j - 1];
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                          : above > before     ? above
                                               : before;
        }
    return table[n][m];
}

/* That the pairs are of one key each, and ascend. */
static void check(const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                  const struct align_pair *pairs, ptrdiff_t count) {
    assert_true(count >= 0);
    for (ptrdiff_t i = 0; i < count; i++) {
        assert_true(pairs[i].a < n && pairs[i].b < m && a[pairs[i].a] == b[pairs[i].b]);
        assert_true(!i || (pairs[i].a > pairs[i - 1].a && pairs[i].b > pairs[i - 1].b));
    }
}

static void test_short_lists_have_the_longest(void **context) {
    struct align_room room = {NULL};
    uint64_t lists[2][SHORT];
    struct align_pair pairs[SHORT];
    (void)context;
    for (int turn = 0; turn < 3000; turn++) {
        const size_t n = draw(SHORT + 1), m = draw(SHORT + 1);
        const uint64_t keys = 1 + draw(8);
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < SHORT; i++)
                lists[side][i] = draw(keys);
        /* What is in the same place pairs without a search; behind other keys everything is searched. */
        for (size_t i = 0; i < SHORT && turn % 2; i++)
            lists[1][i] = lists[0][i] + (draw(4) == 0);
        const ptrdiff_t count = align_keys(&room, lists[0], n, lists[1], m, pairs);
        check(lists[0], n, lists[1], m, pairs, count);
        assert_int_equal(count, longest(lists[0], n, lists[1], m));
    }
    align_free(&room);
}

/* Keys that are there once, of which either list lacks some, many windows long. */
static void test_long_lists_find_all(void **context) {
    struct align_room room = {NULL};
    uint64_t *lists[2] = {malloc(LONG * sizeof **lists), malloc(LONG * sizeof **lists)};
    struct align_pair *pairs = malloc(LONG * sizeof *pairs);
    (void)context;
    assert_true(lists[0] && lists[1] && pairs);
    for (uint64_t lack = 2; lack < 40; lack += 12) {
        size_t counts[2] = {0, 0};
        ptrdiff_t both = 0;
        for (uint64_t key = 0; key < LONG; key++) {
            const bool has[2] = {draw(lack) > 0, draw(lack) > 0};
            for (int side = 0; side < 2; side++)
                if (has[side])
                    lists[side][counts[side]++] = key;
            both += has[0] && has[1];
        }
        const ptrdiff_t count = align_keys(&room, lists[0], counts[0], lists[1], counts[1], pairs);
        check(lists[0], counts[0], lists[1], counts[1], pairs, count);
        assert_int_equal(count, both);
    }
    align_free(&room);
    free(lists[0]);
    free(lists[1]);
    free(pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_lists_have_the_longest),
                                       cmocka_unit_test(test_long_lists_find_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

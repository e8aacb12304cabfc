/* Philox against the known answers that its authors publish with it (Random123, kat_vectors), and
 * the draw by seed and index. */
#include "detmath/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct known_answer {
    struct detmath_philox_block counter;
    uint32_t key[2];
    uint32_t word[4];
} known_answers[] = {
    {{{0, 0, 0, 0}}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void test_known_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known_answers / sizeof *known_answers; i++) {
        const struct known_answer *known = &known_answers[i];
        struct detmath_philox_block block =
            detmath_philox(known->counter, known->key[0], known->key[1]);
        assert_memory_equal(block.word, known->word, sizeof block.word);
    }
}

/* Every bit of seed and index matters, and the words are those of the block. */
static void test_draw(void **state) {
    (void)state;
    assert_true(detmath_random(0, 0) == UINT64_C(0xe169c58d6627e8d5));
    const uint64_t seed = UINT64_C(0x0123456789abcdef), index = UINT64_C(0xfedcba9876543210);
    const struct detmath_philox_block counter = {{0x76543210, 0xfedcba98, 0, 0}};
    struct detmath_philox_block block = detmath_philox(counter, 0x89abcdef, 0x01234567);
    uint64_t draw = detmath_random(seed, index);
    assert_true(draw == ((uint64_t)block.word[1] << 32 | block.word[0]));
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_true(detmath_random(seed ^ UINT64_C(1) << bit, index) != draw);
        assert_true(detmath_random(seed, index ^ UINT64_C(1) << bit) != draw);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_answers),
                                       cmocka_unit_test(test_draw)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Shards share out every input once, and the fingerprint of many blocks is made of their groups. */
#include "sweep/fingerprint.h"
#include "sweep/shard.h"
#include "sweep/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

static void test_every_input_is_in_one_shard(void **state) {
    (void)state;
    enum { MOST = 400 };
    for (uint64_t of = 1; of <= 9; of++)
        for (uint64_t unit = 1; unit <= 32; unit *= 2)
            for (uint64_t count = 1; count < MOST; count += 7) {
                int times[MOST] = {0};
                uint64_t all = 0;
                for (uint64_t number = 1; number <= of; number++) {
                    struct shard shard = {number, of};
                    uint64_t mine = shard_inputs(&shard, count, unit), last = 0;
                    all += mine;
                    for (uint64_t i = 0; i < mine; i++) {
                        uint64_t input = shard_input(&shard, i, unit);
                        assert_true(input < count && (i == 0 || input > last));
                        times[input]++;
                        last = input;
                    }
                }
                assert_int_equal(all, count);
                for (uint64_t i = 0; i < count; i++)
                    assert_int_equal(times[i], 1);
            }
}

static void test_units_hold_whole_groups(void **state) {
    (void)state;
    for (int log2 = 0; log2 < 63; log2++)
        for (uint64_t more = 0; more < 2; more++) {
            struct domain domain = {.kind = DOMAIN_RANGE, .count = (UINT64_C(1) << log2) + more};
            uint64_t blocks = (domain.count - 1) / FINGERPRINT_BLOCK + 1;
            uint64_t group = fingerprint_group(blocks), unit = sweep_unit(&domain);
            assert_true((blocks - 1) / group + 1 <= FINGERPRINT_GROUPS);
            assert_true(group == 1 || (blocks - 1) / (group / 2) + 1 > FINGERPRINT_GROUPS);
            assert_int_equal(unit % (group * FINGERPRINT_BLOCK), 0);
        }
}

static XXH128_canonical_t hash(const void *bytes, size_t count) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
    return canonical;
}

/* By xxHash alone, group after group. */
static void test_groups(void **state) {
    (void)state;
    static const struct {
        size_t digests, group;
    } rows[] = {{1, 1}, {65536, 1}, {65537, 2}, {131072, 2}, {131073, 4}, {200001, 4}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        size_t count = rows[row].digests, group = rows[row].group, groups = 0;
        struct block_digest *digests = calloc(count, sizeof *digests);
        struct block_digest *joined = calloc(count, sizeof *joined);
        assert_true(digests && joined);
        for (size_t i = 0; i < count; i++)
            memcpy(digests[i].bytes, &i, sizeof i);
        struct fingerprint fingerprint;
        char text[FINGERPRINT_TEXT], again[FINGERPRINT_TEXT], want[DIGEST_TEXT];
        assert_true(fingerprint_begin(&fingerprint, count));
        for (size_t i = 0; i < count; i++)
            fingerprint_add(&fingerprint, &digests[i]);
        fingerprint_end(&fingerprint, text);
        for (size_t i = 0; i < count; i += group) {
            size_t here = count - i < group ? count - i : group;
            XXH128_canonical_t one = hash(&digests[i], here * sizeof *digests);
            if (group > 1)
                memcpy(joined[groups++].bytes, one.digest, sizeof one.digest);
            else
                joined[groups++] = digests[i];
        }
        XXH128_canonical_t all = hash(joined, groups * sizeof *joined);
        struct block_digest digest;
        memcpy(digest.bytes, all.digest, sizeof digest.bytes);
        digest_write(&digest, want);
        assert_memory_equal(text, "xxh3-128:", 9);
        assert_memory_equal(text + 9, want, DIGEST_TEXT);
        assert_true(fingerprint_of_groups(joined, groups, again));
        assert_string_equal(again, text);
        free(digests);
        free(joined);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_input_is_in_one_shard),
                                       cmocka_unit_test(test_units_hold_whole_groups),
                                       cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

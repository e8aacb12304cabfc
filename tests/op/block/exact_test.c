/* The oracle of packed blocks beside the code of det: both write the same bytes by each rule, and the oracle finds a fault that
 * is planted in a rule of det. */
#include "detmath/mx_arrays.h"
#include "detmath/random.h"
#include "op/block/exact_codes.h"
#include "op/block/exact_rules.h"
#include "op/block/quantise.h"
#include "op/block/switches.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 48, FEW_BLOCKS = 8, MOST_ELEMENTS = 16384, MOST_BYTES = 16388 };

/* Numbers of a few binades, subnormal numbers, halves of the scale, or any bits. */
static void draw(float *x, unsigned count, float divisor, uint64_t block) {
    for (unsigned i = 0; i < count; i++) {
        const uint64_t own = detmath_random(block, i);
        uint32_t bits = (uint32_t)own;
        if (block % 4 == 0)
            bits = (bits & 0x807fffff) | (uint32_t)(122 + (own >> 40 & 7)) << 23;
        else if (block % 4 == 1)
            bits &= i ? 0x80ffffff : 0x807fffff;
        memcpy(&x[i], &bits, sizeof bits);
        if (block % 4 == 2)
            x[i] = i ? (float)(own % 15) / 2 : divisor;
    }
}

static const struct block_layout *layout_of(const struct quantiser_rule *rule) {
    const struct block_layout *layout = block_layouts;
    while (strcmp(layout->name, rule->layout) != 0)
        layout++;
    return layout;
}

/* How many blocks differ where det follows one rule and the oracle another. */
static unsigned count_different(const struct quantiser_rule *of_det,
                                const struct quantiser_rule *of_oracle, uint64_t most) {
    static float x[MOST_ELEMENTS];
    static uint8_t made[MOST_BYTES], wanted[MOST_BYTES];
    const struct block_layout *layout = layout_of(of_oracle);
    unsigned different = 0;
    const uint64_t blocks = layout->elements > 1000 ? 4 : most;
    for (uint64_t block = 0; block < blocks; block++) {
        const float tensor = block % 8 < 4 ? 1.0F : 0.0123F;
        draw(x, layout->elements, of_oracle->divisor, block);
        block_follow(of_det, layout, x, tensor, made);
        block_exact_follow(of_oracle, layout, x, tensor, wanted);
        different += memcmp(made, wanted, layout->bytes) != 0;
    }
    return different;
}

static void test_both_write_the_same(void **state) {
    (void)state;
    for (const struct quantiser_rule *rule = quantiser_rules; rule->layout; rule++)
        assert_int_equal(count_different(rule, rule, BLOCKS), 0);
}

/* With each single change of a rule, too: of small layouts, with fewer blocks. */
static void test_both_write_the_same_by_changed_rules(void **state) {
    (void)state;
    unsigned tried = 0;
    for (const struct quantiser_rule *rule = quantiser_rules; rule->layout; rule++) {
        struct quantiser_rule other;
        for (size_t i = 0; i < block_switch_count && layout_of(rule)->elements <= 64; i++)
            if (block_switched(rule, layout_of(rule), i, &other)) {
                if (count_different(&other, &other, FEW_BLOCKS))
                    fail_msg("%s of quantiser %d with %s", rule->layout, rule->quantiser,
                             block_switches[i].name);
                tried++;
            }
    }
    assert_true(tried > 1000);
}

/* Another divisor, and other ties. */
static void test_planted_faults_are_found(void **state) {
    (void)state;
    for (const struct quantiser_rule *rule = quantiser_rules; rule->layout; rule++) {
        struct quantiser_rule fault = *rule;
        fault.divisor *= 2;
        assert_int_not_equal(count_different(&fault, rule, BLOCKS), 0);
        fault = *rule;
        fault.coding = rule->coding == CODE_HALVES_EVEN ? CODE_HALVES_AWAY : CODE_HALVES_EVEN;
        if (rule->coding < CODE_NEAREST)
            assert_int_not_equal(count_different(&fault, rule, BLOCKS), 0);
    }
}

/* mx.quantise and packed.quantise share the code of scales (detmath/mx.h), and agree on elements. False if packed.quantise has no
 * such rule. */
static bool check_mx(int quantiser, const char *profile, const char *packed, const char *element) {
    struct quantiser_rule wanted = {.layout = packed};
    const struct block_layout *layout = layout_of(&wanted);
    const struct quantiser_rule *rule = block_rule_of(quantiser, layout);
    struct detmath_mx mx;
    if (!rule)
        return false;
    assert_true(
        detmath_mx_profile(&mx, profile, detmath_mx_find(element), DETMATH_NEAREST_EVEN, 1));
    for (uint64_t block = 0; block < 4000; block++) {
        float x[DETMATH_MX_BLOCK];
        uint8_t bytes[64], codes[DETMATH_MX_BLOCK], scale;
        draw(x, DETMATH_MX_BLOCK, rule->divisor, block);
        for (unsigned j = 0; j < DETMATH_MX_BLOCK; j++)
            x[j] = x[j] != x[j] ? INFINITY : x[j];
        block_follow(rule, layout, x, 1, bytes);
        detmath_mx_quantise(&mx, codes, &scale, DETMATH_F32, x, DETMATH_MX_BLOCK, NULL);
        assert_int_equal(block_get(layout, BLOCK_SCALE, bytes, 0), scale);
        for (unsigned j = 0; j < DETMATH_MX_BLOCK; j++)
            assert_int_equal(block_get(layout, BLOCK_ELEMENT, bytes, j), codes[j]);
    }
    return true;
}

static void test_mx_writes_what_packed_writes(void **state) {
    static const struct {
        int quantiser;
        const char *profile;
    } modes[] = {{QUANTISER_TORCHAO, "torchao-floor"},
                 {QUANTISER_TORCHAO_CEIL, "torchao-ceil"},
                 {QUANTISER_TORCHAO_EVEN, "torchao-even"},
                 {QUANTISER_TORCHAO_RCEIL, "torchao-rceil"},
                 {QUANTISER_TRANSFORMER_ENGINE, "transformer-engine"}};
    static const char *const layouts[][2] = {{"mxfp4", "mxfp4_e2m1"},
                                             {"mxfp6_e2m3", "mxfp6_e2m3"},
                                             {"mxfp6_e3m2", "mxfp6_e3m2"},
                                             {"mxfp8_e4m3", "mxfp8_e4m3"},
                                             {"mxfp8_e5m2", "mxfp8_e5m2"}};
    (void)state;
    unsigned checked = 0;
    for (size_t i = 0; i < 25; i++)
        checked += check_mx(modes[i % 5].quantiser, modes[i % 5].profile, layouts[i / 5][0],
                            layouts[i / 5][1]);
    assert_int_equal(checked, 22); /* transformer-engine has MXFP8 alone */
}

/* Any bits, or numbers of near exponents, or two subnormal numbers, or quotients that are. */
static void draw_pair(uint64_t pair, float *a, float *b) {
    const uint32_t masks[] = {0xffffffff, 0x83ffffff, 0x807fffff, 0xffffffff},
                   bits[] = {0, 0x3c000000, 0, 0};
    uint32_t one = (uint32_t)detmath_random(pair, 0), other = (uint32_t)detmath_random(pair, 1);
    one = (one & masks[pair % 4]) | bits[pair % 4];
    other = (other & masks[pair % 4]) | bits[pair % 4];
    if (pair % 4 == 3) {
        one = (one & 0x807fffff) | (one >> 8 & 31) << 23;
        other = (other & 0x807fffff) | (120 + (other >> 8 & 31)) << 23;
    }
    memcpy(a, &one, sizeof one);
    memcpy(b, &other, sizeof other);
}

/* One step of fp32, against MPFR with room for all bits of sums and products, and 2,000 bits of quotients. */
static void test_a_step_is_rounded_once(void **state) {
    (void)state;
    enum { PAIRS = 50000 };
    mpfr_operation *const operations[] = {mpfr_add, mpfr_sub, mpfr_mul, mpfr_div};
    const struct block_field elements = {.width = 8};
    struct block_room room;
    mpfr_t x, y;
    unsigned different = 0;
    block_exact_open(&room, &elements);
    mpfr_inits2(2000, x, y, (mpfr_ptr)0);
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        float a, b;
        draw_pair(pair, &a, &b);
        for (size_t i = 0; i < 4; i++) {
            mpfr_set_flt(x, a, MPFR_RNDN);
            mpfr_set_flt(y, b, MPFR_RNDN);
            operations[i](x, x, y, MPFR_RNDN);
            const float wanted = mpfr_get_flt(x, MPFR_RNDN),
                        found = block_exact_by(&room, operations[i], a, b);
            different += memcmp(&wanted, &found, sizeof found) != 0 && wanted == wanted;
            different += (wanted == wanted) != (found == found);
        }
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    block_exact_close(&room);
    assert_int_equal(different, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_write_the_same),
        cmocka_unit_test(test_both_write_the_same_by_changed_rules),
        cmocka_unit_test(test_planted_faults_are_found),
        cmocka_unit_test(test_a_step_is_rounded_once),
        cmocka_unit_test(test_mx_writes_what_packed_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Enclosures of the composite functions at few bits, where a step rounded the wrong way shows at
 * once: the textbook value lies inside, and more bits make the enclosure as narrow as they can. */
#include "../../oracle/textbook.h"

enum { SAMPLES = 6000, LEAST_BITS = 4, MOST_BITS = 60 };

struct bracket_case {
    struct interval intervals[1 + BRACKET_SCRATCH];
    mpfr_t x[2], y;
};

static void open_case(struct bracket_case *c) {
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++)
        mpfr_inits2(LEAST_BITS, c->intervals[i].low, c->intervals[i].high, (mpfr_ptr)0);
    mpfr_inits2(53, c->x[0], c->x[1], (mpfr_ptr)0);
    mpfr_init2(c->y, reach_fp32.bits);
}

static void close_case(struct bracket_case *c) {
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++)
        mpfr_clears(c->intervals[i].low, c->intervals[i].high, (mpfr_ptr)0);
    mpfr_clears(c->x[0], c->x[1], c->y, (mpfr_ptr)0);
    mpfr_free_cache();
}

static void check_case(struct bracket_case *c, const char *name, mpfr_prec_t bits) {
    struct error error;
    mpfr_srcptr operands[MAX_OPERANDS] = {c->x[0], c->x[1], NULL};
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++) {
        mpfr_set_prec(c->intervals[i].low, bits);
        mpfr_set_prec(c->intervals[i].high, bits);
    }
    const struct operation *operation = operation_find(name, &error);
    operation->result[0].bracket(&c->intervals[0], operands, &c->intervals[1]);
    mpfr_srcptr low = c->intervals[0].low, high = c->intervals[0].high;
    if (mpfr_cmp(low, c->y) > 0 || mpfr_cmp(c->y, high) > 0)
        fail_msg("%s(%a, %a) is not enclosed with %d bits", name, mpfr_get_d(c->x[0], MPFR_RNDN),
                 mpfr_get_d(c->x[1], MPFR_RNDN), (int)bits);
    /* An enclosure that holds everything would be no use: with 60 bits it is good to 2^-20. */
    if (bits < MOST_BITS || mpfr_get_exp(c->y) < -20)
        return;
    mpfr_sub(c->x[1], high, low, MPFR_RNDU);
    assert_true(mpfr_zero_p(c->x[1]) || mpfr_get_exp(c->x[1]) < mpfr_get_exp(c->y) - 20);
}

static double sample(uint64_t *seed, double reach) {
    double uniform = (double)(int64_t)random_bits(seed) * 0x1p-63;
    return random_bits(seed) & 1 ? uniform * reach : ldexp(uniform, random_between(seed, -12, 2));
}

static void test_one_operand(void **state) {
    (void)state;
    struct bracket_case c;
    open_case(&c);
    for (int i = 0; i < TEXTBOOKS; i++) {
        uint64_t seed = 26;
        mpfr_set_zero(c.x[1], 1);
        for (int n = 0; n < SAMPLES; n++) {
            double x = sample(&seed, textbooks[i].tail == EXPONENTIAL ? 40 : 9);
            mpfr_set_d(c.x[0], x, MPFR_RNDN);
            textbooks[i].formula(c.y, c.x[0]);
            check_case(&c, textbooks[i].operation,
                       n % 8 ? random_between(&seed, LEAST_BITS, 24) : MOST_BITS);
        }
    }
    close_case(&c);
}

static void test_logaddexp(void **state) {
    (void)state;
    struct bracket_case c;
    mpfr_t other;
    open_case(&c);
    mpfr_init2(other, reach_fp32.bits);
    uint64_t seed = 27;
    for (int n = 0; n < 4 * SAMPLES; n++) {
        mpfr_set_d(c.x[0], sample(&seed, 40), MPFR_RNDN);
        mpfr_set_d(c.x[1], sample(&seed, 40), MPFR_RNDN);
        mpfr_exp(c.y, c.x[0], MPFR_RNDN);
        mpfr_exp(other, c.x[1], MPFR_RNDN);
        mpfr_add(c.y, c.y, other, MPFR_RNDN);
        mpfr_log(c.y, c.y, MPFR_RNDN);
        check_case(&c, "logaddexp", n % 8 ? random_between(&seed, LEAST_BITS, 24) : MOST_BITS);
    }
    mpfr_clear(other);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_operand),
        cmocka_unit_test(test_logaddexp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

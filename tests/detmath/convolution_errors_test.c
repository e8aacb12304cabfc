/* How far convolutions and their gradients are from the exact ones, computed by long double: within the bound of convolution.h, and
 * within 1 ulp where they are well-conditioned; and every instruction set has the sums that the header has. */
#include "detmath/convolution.h"
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"

#include "training_draws.h"

#include <string.h>

enum { MOST_ELEMENTS = 40000, RESULTS = 4, CONDITIONS = 5 };
enum { OF_Y, OF_X, OF_WEIGHT, OF_BIAS };

/* Of square images; and what is drawn beside these. */
struct drawn {
    size_t samples, channels, outputs, side, taps, groups;
    size_t made;
    struct detmath_windows windows[2];
    int has_bias;
};

static float image[MOST_ELEMENTS], weight[MOST_ELEMENTS], biases[MOST_ELEMENTS],
    slope[MOST_ELEMENTS], results[RESULTS][MOST_ELEMENTS];

/* An exact element, the sum of its |terms|, and how many products there are. */
static struct element {
    long double y, terms;
    size_t n;
} elements[RESULTS][MOST_ELEMENTS];

static void add(struct element *it, long double term, int is_product) {
    it->y += term;
    it->terms += fabsl(term);
    it->n += (size_t)is_product;
}

/* What window (i, j) of an output has of a channel, by numbers of both in all. */
static void add_window(const struct drawn *in, size_t sample, size_t output, size_t channel,
                       size_t i, size_t j) {
    const struct detmath_windows *by = &in->windows[0];
    const size_t each = in->channels / in->groups,
                 at = ((sample * in->outputs + output) * in->made + i) * in->made + j,
                 plane = sample * in->channels + channel;
    for (size_t tap = 0; tap < in->taps * in->taps; tap++) {
        const size_t row = i * by->stride + tap / in->taps * by->dilation - by->padding,
                     column = j * by->stride + tap % in->taps * by->dilation - by->padding,
                     spot = (plane * in->side + row) * in->side + column,
                     of = (output * each + channel % each) * in->taps * in->taps + tap;
        const int is_inside = row < in->side && column < in->side;
        const long double x_there = is_inside ? (long double)image[spot] : 0;
        add(&elements[OF_Y][at], x_there * weight[of], 1);
        add(&elements[OF_WEIGHT][of], x_there * slope[at], 1);
        if (is_inside)
            add(&elements[OF_X][spot], (long double)slope[at] * weight[of], 1);
    }
}

static void find_elements(const struct drawn *in) {
    memset(elements, 0, sizeof elements);
    for (size_t sample = 0; sample < in->samples; sample++)
        for (size_t output = 0; output < in->outputs; output++)
            for (size_t place = 0; place < in->made * in->made; place++) {
                const size_t group = output / (in->outputs / in->groups),
                             each = in->channels / in->groups,
                             at = (sample * in->outputs + output) * in->made * in->made + place;
                add(&elements[OF_BIAS][output], (long double)slope[at], 1);
                if (in->has_bias)
                    add(&elements[OF_Y][at], (long double)biases[output], 0);
                for (size_t k = 0; k < each; k++)
                    add_window(in, sample, output, group * each + k, place / in->made,
                               place % in->made);
            }
}

static void run(const struct drawn *in) {
    const size_t of_x[4] = {in->samples, in->channels, in->side, in->side},
                 of_w[4] = {in->outputs, in->channels / in->groups, in->taps, in->taps},
                 of_y[4] = {in->samples, in->outputs, in->made, in->made}, outputs = in->outputs;
    const struct detmath_strided x = plain(image, 4, of_x), w = plain(weight, 4, of_w),
                                 b = plain(biases, 1, &outputs), g = plain(slope, 4, of_y),
                                 y = plain(results[OF_Y], 4, of_y),
                                 dx = plain(results[OF_X], 4, of_x),
                                 dw = plain(results[OF_WEIGHT], 4, of_w),
                                 db = plain(results[OF_BIAS], 1, &outputs);
    assert_int_equal(
        detmath_convolution(&y, &x, &w, in->has_bias ? &b : NULL, in->windows, in->groups), 0);
    assert_int_equal(
        detmath_convolution_gradient(&dx, &dw, &db, &x, &w, &g, in->windows, in->groups), 0);
}

/* Numbers of one sign, of any, with a mean, or few that are not small. */
static void draw_numbers(float *to, int which) {
    for (size_t i = 0; i < MOST_ELEMENTS; i++) {
        const float unit = (float)((double)(random_bits(&seed) >> 11) * 0x1p-53);
        to[i] = which == 0   ? 1 + unit
                : which == 1 ? 2 * unit - 1
                : which == 2 ? unit - 0.25f
                : which == 3 ? unit - 0.4f
                             : (random_bits(&seed) % 8 ? 0.01f : 1.0f) * (unit - 0.3f);
    }
}

static void draw_call(struct drawn *in, int round) {
    static const size_t shapes[][6] = {
        {2, 1, 3, 6, 3, 1},   {2, 4, 4, 6, 3, 2},   {1, 16, 4, 6, 3, 1}, {2, 64, 3, 5, 3, 1},
        {1, 512, 2, 4, 3, 1}, {1, 2, 512, 4, 3, 1}, {8, 2, 2, 24, 3, 1}, {2, 3, 5, 9, 1, 1},
        {3, 6, 6, 7, 2, 6},   {1, 7, 2, 12, 4, 1}};
    const size_t *shape = shapes[round % 10];
    *in = (struct drawn){shape[0],
                         shape[1],
                         shape[2],
                         shape[3],
                         shape[4],
                         shape[5],
                         .has_bias = (int)(random_bits(&seed) % 2)};
    const struct detmath_windows by = {in->taps, 1 + random_bits(&seed) % 4 / 3,
                                       random_bits(&seed) % 3 / 2,
                                       in->side > 4 ? 1 + random_bits(&seed) % 3 / 2 : 1};
    in->windows[0] = in->windows[1] = by;
    in->made = (in->side + 2 * by.padding - (by.taps - 1) * by.dilation - 1) / by.stride + 1;
    draw_numbers(image, (int)(random_bits(&seed) % 5));
    draw_numbers(weight, (int)(random_bits(&seed) % 5));
    draw_numbers(slope, (int)(random_bits(&seed) % 5));
    draw_numbers(biases, (int)(random_bits(&seed) % 5));
}

static size_t count_of(const struct drawn *in, int result) {
    const size_t counts[RESULTS] = {in->samples * in->outputs * in->made * in->made,
                                    in->samples * in->channels * in->side * in->side,
                                    in->outputs * in->channels / in->groups * in->taps * in->taps,
                                    in->outputs};
    return counts[result];
}

/* What convolution.h allows beside half an ulp. */
static long double bound_of(const struct element *it) {
    long double levels = 0;
    while (ldexpl(64, (int)levels) < (long double)it->n)
        levels++;
    return ldexpl((2400 + 140 * levels + levels * levels) * it->terms, -48) +
           ldexpl((long double)it->n, -150);
}

/* What was seen of elements up to a condition. */
struct seen {
    size_t elements, least, largest; /* and of their numbers of terms */
    double most;
};
static const int conditions[CONDITIONS] = {1, 2, 4, 8, 1024};

static void see(struct seen *seen, const struct drawn *in, int result, double *of_bound) {
    for (size_t i = 0; i < count_of(in, result); i++) {
        const struct element *it = &elements[result][i];
        int exponent;
        (void)frexpl(it->y, &exponent);
        const long double ulp = ldexpl(1, exponent - 24), off = fabsl(results[result][i] - it->y);
        if (it->terms > 0) {
            *of_bound = fmax(*of_bound, (double)((off - ulp / 2) / bound_of(it)));
        } else
            assert_true(results[result][i] == 0);
        for (int k = 0; k < CONDITIONS; k++) {
            struct seen *to = &seen[k];
            if (it->terms == 0 || it->terms > (conditions[k] + 1e-6L) * fabsl(it->y))
                continue;
            to->least = to->elements++ && to->least < it->n ? to->least : it->n;
            to->largest = to->largest > it->n ? to->largest : it->n;
            to->most = fmax(to->most, (double)(off / ulp));
        }
    }
}

static void test_errors(void **state) {
    static const char *const names[] = {"y", "dx", "dweight", "dbias"};
    struct seen seen[RESULTS][CONDITIONS];
    struct drawn in;
    double of_bound = -1e9;
    memset(seen, 0, sizeof seen);
    (void)state;
    for (int round = 0; round < 300; round++) {
        draw_call(&in, round);
        run(&in);
        find_elements(&in);
        for (int i = 0; i < RESULTS; i++)
            see(seen[i], &in, i, &of_bound);
    }
    for (int i = 0; i < RESULTS; i++)
        for (int k = 0; k < CONDITIONS; k++) {
            const struct seen *it = &seen[i][k];
            print_message("%s of a condition of at most %d: %zu elements of %zu to %zu terms, at "
                          "most %.3f ulp\n",
                          names[i], conditions[k], it->elements, it->least, it->largest, it->most);
            assert_true(it->elements > 100 && it->least <= 100 && it->largest >= (k ? 3872 : 400));
            assert_true(it->most <= (conditions[k] <= 8 ? 0.504 : 1));
        }
    print_message("at most %.3f of the bound beside half an ulp\n", of_bound);
    assert_true(of_bound <= 1);
}

static void test_levels(void **state) {
    enum { ROWS_HERE = 9, WIDE = DETMATH_CONVOLUTION_COLUMNS, LONGEST = 2100 };
    static const size_t lengths[] = {1, 2, 9, 63, 64, 65, 128, 129, 576, 1000, LONGEST};
    static float a[ROWS_HERE * LONGEST], b[WIDE * LONGEST], high[ROWS_HERE * WIDE],
        low[ROWS_HERE * WIDE];
    int levels = 0;
    (void)state;
    fill(a, ROWS_HERE * LONGEST);
    fill(b, WIDE * LONGEST);
    for (int i = 0; i < 8; i++) {
        const struct detmath_reductions *of = detmath_reductions_level(i);
        levels += of != NULL;
        for (size_t k = 0; of && k < sizeof lengths / sizeof *lengths; k++) {
            const size_t n = lengths[k];
            of->convolution_sums(high, low, a, b, ROWS_HERE, n);
            for (size_t at = 0; at < ROWS_HERE * WIDE; at++) {
                const struct detmath_parts sum =
                    detmath_convolution_sum(a + at / WIDE * n, b + at % WIDE, n, WIDE);
                assert_memory_equal(&sum.high, &high[at], sizeof sum.high);
                assert_memory_equal(&sum.low, &low[at], sizeof sum.low);
            }
        }
    }
    print_message("%d instruction sets\n", levels);
    assert_true(levels > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

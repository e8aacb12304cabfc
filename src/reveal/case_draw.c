/* Half of the cases are aimed: a product or c, and a few that lie near the last bits that it leaves to them. With scales it is
 * blocks that lie so, and what is large may be taken away again. */
#include "reveal/case_draw.h"

static uint64_t next(uint64_t *state) {
    uint64_t h = *state += UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static int between(uint64_t *state, int least, int most) {
    return least + (int)((next(state) >> 32) % (uint64_t)(most - least + 1));
}

/* A number of that exponent, or the nearest one that the format has. */
static uint64_t number_at(uint64_t *state, const struct format *format, int exponent) {
    unsigned bits = (unsigned)format->precision - 1;
    uint64_t hidden = (uint64_t)1 << bits, random = next(state), fraction = random & (hidden - 1);
    if (random >> 62 == 0)
        fraction = random >> 61 & 1 ? hidden - 1 : 0;
    uint64_t magnitude = 0;
    if (exponent >= format->emin)
        magnitude = (uint64_t)(exponent - format->emin) * hidden + hidden + fraction;
    else if (format->emin - exponent <= (int)bits)
        magnitude = (hidden | fraction) >> (format->emin - exponent);
    if (magnitude > format->max_finite)
        magnitude = format->max_finite;
    return format_with_sign(format, magnitude, next(state) >> 63);
}

/* A product whose factors have exponents that add up to one. */
static void product_at(uint64_t *state, struct unit_cases *cases, size_t at, int exponent) {
    const struct format *format = cases->format;
    int least = format->emin - format->precision + 1;
    int low = exponent - format->emax > least ? exponent - format->emax : least;
    int high = exponent - least < format->emax ? exponent - least : format->emax;
    int middle = exponent / 2, reach = 4;
    if (low < middle - reach)
        low = middle - reach;
    if (high > middle + reach)
        high = middle + reach;
    int first = low <= high ? between(state, low, high) : exponent < 0 ? least : format->emax;
    cases->a[at] = number_at(state, format, first);
    cases->b[at] = number_at(state, format, exponent - first);
}

/* Products of fewer bits than eight have few exponents, of which no gap between two reaches bits that a unit cuts off. */
static bool is_narrow(const struct unit_cases *cases) {
    return cases->format->width < 8 && cases->has_c;
}

/* The exponent of the least product of numbers. */
static int least_product(const struct unit_cases *cases) {
    return 2 * (cases->format->emin - cases->format->precision + 1);
}

/* c alone beside zeros, and beside single products: whether subnormal numbers are kept shows there. */
static void draw_alone(uint64_t *state, struct unit_cases *cases, size_t index) {
    const size_t at = index * cases->products + (size_t)between(state, 0, (int)cases->products - 1);
    cases->c[index] = number_at(state, cases->result, cases->result->emin + between(state, -20, 2));
    if (next(state) >> 63)
        product_at(state, cases, at, between(state, least_product(cases), 2));
    if (next(state) >> 63 && next(state) >> 63)
        cases->c[index] = 0;
}

static void draw_random(uint64_t *state, struct unit_cases *cases, size_t index) {
    const int spread = between(state, 0, 12);
    for (size_t i = 0; i < cases->products; i++)
        product_at(state, cases, index * cases->products + i, between(state, -spread, spread));
    cases->c[index] = number_at(state, cases->result, between(state, -spread, spread));
}

/* ---- Whole numbers ---- */

/* Runs of products of one sign by turns, and c so near an end that some of them pass it: where a call ends, and whether sums
 * stop at the end, shows there. */
static void draw_whole(uint64_t *state, struct unit_cases *cases, size_t index) {
    const struct format *result = cases->result;
    const uint64_t sign = next(state) >> 63, run = UINT64_C(1) << between(state, 0, 6);
    const int bits = between(state, 1, 7);
    int64_t reach = 0;
    for (size_t i = 0; i < cases->products; i++) {
        const int64_t a = between(state, 0, (1 << bits) - 1),
                      b = between(state, 0, (1 << bits) - 1);
        const bool negative = (i / run % 2 ^ sign) != (next(state) >> 60 == 0);
        cases->a[index * cases->products + i] =
            (uint64_t)(negative ? -a : a) & format_mask(cases->format);
        cases->b[index * cases->products + i] = (uint64_t)b;
        reach += a * b;
    }
    const int64_t most = (int64_t)(format_mask(result) >> 1),
                  inside = between(state, 0, (int)(reach / 2) + 1);
    cases->c[index] =
        (uint64_t)(next(state) >> 63 ? most - inside : inside - most - 1) & format_mask(result);
}

static void draw_aimed(uint64_t *state, struct unit_cases *cases, size_t index) {
    const size_t first = index * cases->products;
    const int last = (int)cases->products - 1;
    int top =
        between(state, 0, 3) ? between(state, -2, 8) : cases->result->emin + between(state, -2, 30);
    const int gap = between(state, 8, 44), count = between(state, 1, 4);
    size_t big = first + (size_t)between(state, 0, last);
    bool c_is_big = cases->has_c && next(state) >> 63;
    if (is_narrow(cases)) /* products lie where they can: what is far above or below them is c */
        top = between(state, least_product(cases), 2 * cases->format->emax) + (c_is_big ? gap : 0);
    if (!c_is_big)
        product_at(state, cases, big, top);
    for (int i = 0; i < count; i++) {
        size_t at = first + (size_t)between(state, 0, last);
        if (c_is_big || at != big)
            product_at(state, cases, at, top - gap + between(state, -1, 2));
    }
    cases->c[index] =
        number_at(state, cases->result, c_is_big ? top : top - gap + between(state, -2, 2));
    if (between(state, 0, 2) || c_is_big)
        return;
    /* What is large is taken away again, and what was cut shows. */
    size_t other = first + (size_t)between(state, 0, last);
    if (other == big || !cases->format->has_negative_zero)
        return;
    cases->a[other] = cases->a[big] ^ cases->format->sign_bit;
    cases->b[other] = cases->b[big];
}

/* ---- With scales ---- */

/* Products of blocks at about that exponent, by their scales. */
static void scales_at(uint64_t *state, struct unit_cases *cases, size_t at, int exponent) {
    uint64_t *const scales[] = {cases->a_scales, cases->b_scales};
    const int first = exponent / 2 + between(state, -2, 2), of[] = {first, exponent - first};
    for (int i = 0; i < 2; i++) {
        struct real scale = real_power_of_two(of[i]);
        if (cases->scales->precision > 1)
            scale.significand.high |= next(state) >> 1 & ~(next(state) & UINT64_C(1) << 62);
        scales[i][at] = format_encode(cases->scales, &scale, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    }
}

/* A finite number, of any exponent. */
static uint64_t element(uint64_t *state, const struct format *format) {
    const uint64_t code = next(state) >> 7;
    return format_with_sign(
        format, (code & format_mask(format) & ~format->sign_bit) % (format->max_finite + 1),
        code >> 40 & 1);
}

/* What is large in `from` is taken away again by `to`, of `count` products, all of it or most. */
static void cancel(uint64_t *state, struct unit_cases *cases, size_t from, size_t to,
                   size_t count) {
    const bool all = between(state, 0, 1);
    for (size_t i = 0; i < count; i++) {
        if (!all && between(state, 0, 15) == 0)
            continue;
        cases->a[to + i] = cases->a[from + i] ^ cases->format->sign_bit;
        cases->b[to + i] = cases->b[from + i];
    }
}

/* One product alone, no part of which is below the least number of fp32: whether small results are kept shows there, where
 * nothing is cut. */
static void draw_single(uint64_t *state, struct unit_cases *cases, size_t index) {
    const size_t at = (size_t)between(state, 0, (int)cases->products - 1);
    const size_t block = index * unit_cases_blocks(cases);
    const int exponent = between(state, -134, -120);
    for (size_t i = 0; i < unit_cases_blocks(cases);
         i++) /* a block of zeros has an exponent, too */
        scales_at(state, cases, block + i, exponent);
    cases->a[index * cases->products + at] = number_at(state, cases->format, between(state, 0, 1));
    cases->b[index * cases->products + at] = number_at(state, cases->format, between(state, 0, 1));
}

/* What becomes of the largest block of those that are aimed. */
enum { TAKEN_BY_BLOCK, TAKEN_WITHIN, KEPT };

static void draw_blocks(uint64_t *state, struct unit_cases *cases, size_t index) {
    const size_t first = index * cases->products, blocks = unit_cases_blocks(cases);
    const size_t block = cases->block, scales = index * blocks;
    const bool aimed = between(state, 0, 3) > 0;
    const int how = between(state, 0, KEPT), sparse = between(state, 0, 3);
    const int spread = between(state, 0, 12), top = how ? between(state, -2, 16) : 16;
    const int gap = between(state, how ? 0 : 24, 44);
    const size_t big = (size_t)between(state, 0, (int)blocks - 1), other = big ^ 1;
    for (size_t i = 0; i < cases->products; i++) {
        if (sparse && between(state, 0, (1 << 2 * sparse) - 1))
            continue;
        cases->a[first + i] = element(state, cases->format);
        cases->b[first + i] = element(state, cases->format);
    }
    for (size_t i = 0; i < blocks; i++)
        scales_at(state, cases, scales + i,
                  !aimed     ? between(state, -spread, spread)
                  : i == big ? top
                             : top - gap + between(state, -2, 2));
    if (aimed && how == TAKEN_BY_BLOCK && other < blocks) {
        cancel(state, cases, first + big * block, first + other * block, block);
        cases->a_scales[scales + other] = cases->a_scales[scales + big];
        cases->b_scales[scales + other] = cases->b_scales[scales + big];
    }
    if (aimed && how == TAKEN_WITHIN)
        cancel(state, cases, first + big * block, first + big * block + block / 2, block / 2);
    if (cases->has_c)
        cases->c[index] = number_at(state, cases->result, top + between(state, -gap, gap));
}

bool case_draw(struct unit_cases *cases, size_t count, uint64_t seed) {
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++) {
        if (!unit_cases_add(cases))
            return false;
        if (cases->format->is_integer)
            draw_whole(&state, cases, cases->count - 1);
        else if (is_narrow(cases) && !cases->scales && i % 8 == 1)
            draw_alone(&state, cases, cases->count - 1);
        else if (cases->scales)
            (i % 16 ? draw_blocks : draw_single)(&state, cases, cases->count - 1);
        else
            (i % 4 ? draw_aimed : draw_random)(&state, cases, cases->count - 1);
    }
    return true;
}

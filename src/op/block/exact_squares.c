/* Least squares, exactly. For numbers x and codes that stand for n, the sum of squared errors at a scale s is the parabola
 *     sum of x^2 - 2 s (sum of x n) + s^2 (sum of n^2).
 * The nearest codes change at a few scales. The least sum is the least that one of the parabolas between these has at a
 * scale that can be stored, which is one of the two beside its vertex: no choice of codes is better than the nearest. */
#include "op/block/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the scale falls below x over the middle of both, the nearest code goes from one number to another. */
struct change {
    double x, from, to;
};

struct search {
    struct block_exact *exact;
    const float *x;
    const struct format *format; /* of the scale */
    unsigned index;              /* of the scale */
    struct change *changes;
    size_t count;
    bool is_negative; /* the scale that is tried */
    uint32_t zero;
    bool found, best_is_negative;
    uint32_t best, best_zero; /* the code of the magnitude of its scale */
    mpfr_t least, squares, products, codes, tensor, room, sum;
};

/* By the scales, falling. Products of so few bits, and what double loses of them, are exact. */
static int compare(const void *a, const void *b) {
    const struct change *one = a, *other = b;
    const double x = fabs(one->x), y = fabs(other->x), middle = fabs(one->from + one->to),
                 other_middle = fabs(other->from + other->to), p = x * other_middle, q = y * middle,
                 p_lost = fma(x, other_middle, -p), q_lost = fma(y, middle, -q);
    return p != q ? (p < q) - (p > q) : (p_lost < q_lost) - (p_lost > q_lost);
}

/* sum += a * b */
static void add(struct search *search, mpfr_ptr sum, double a, double b) {
    mpfr_set_d(search->room, a, MPFR_RNDN);
    mpfr_mul_d(search->room, search->room, b, MPFR_RNDN);
    mpfr_add(sum, sum, search->room, MPFR_RNDN);
}

/* The place of the element nearest to 0. */
static int start_of(struct block_exact *exact, double zero) {
    mpfr_set_ui(exact->scale, 1, MPFR_RNDN);
    mpfr_set_ui(exact->minimum, 0, MPFR_RNDN);
    mpfr_set_d(exact->zero, zero, MPFR_RNDN);
    return (int)block_exact_place(exact, 0);
}

/* Each number starts with the code nearest to 0, as at a scale without end. */
static void list_changes(struct search *search, double zero) {
    const struct block_exact *exact = search->exact;
    const struct block_field *scales = &exact->layout->fields[BLOCK_SCALE];
    const int start = start_of(search->exact, zero);
    search->count = 0;
    mpfr_set_zero(search->squares, 1);
    mpfr_set_zero(search->products, 1);
    mpfr_set_zero(search->codes, 1);
    for (unsigned i = 0; i < exact->layout->elements; i++) {
        const double x = (double)(search->is_negative ? -search->x[i] : search->x[i]);
        if (i / scales->share % scales->count != search->index || !isfinite(x))
            continue;
        const int step = x == 0 ? (int)exact->count : x < 0 ? -1 : 1;
        double from = exact->elements[start].number - zero;
        int at = start + step;
        if (at >= 0 && at < (int)exact->count && exact->elements[at].number - zero == -from) {
            from = -from; /* which is nearer at every scale */
            at += step;
        }
        add(search, search->squares, x, x);
        add(search, search->products, x, from);
        add(search, search->codes, from, from);
        for (; at >= 0 && at < (int)exact->count; at += step) {
            const double to = exact->elements[at].number - zero;
            search->changes[search->count++] = (struct change){x, from, to};
            from = to;
        }
    }
    qsort(search->changes, search->count, sizeof *search->changes, compare);
}

/* The parabola at a scale. */
static void try_scale(struct search *search, uint32_t code) {
    const struct real real = format_decode(search->format, code);
    real_to_mpfr(search->room, &real);
    mpfr_mul(search->room, search->room, search->tensor, MPFR_RNDN);
    mpfr_mul(search->sum, search->room, search->codes, MPFR_RNDN);
    mpfr_sub(search->sum, search->sum, search->products, MPFR_RNDN);
    mpfr_sub(search->sum, search->sum, search->products, MPFR_RNDN);
    mpfr_mul(search->sum, search->sum, search->room, MPFR_RNDN);
    mpfr_add(search->sum, search->sum, search->squares, MPFR_RNDN);
    const int order = search->found ? mpfr_cmp(search->sum, search->least) : -1;
    if (order > 0 || (order == 0 && code >= search->best))
        return;
    mpfr_swap(search->least, search->sum);
    search->found = true;
    search->best = code;
    search->best_zero = search->zero;
    search->best_is_negative = search->is_negative;
}

/* The scales beside the vertex, unless the vertex lies clearly above the least sum that is known. */
static void try_parabola(struct search *search) {
    const double squares = mpfr_get_d(search->squares, MPFR_RNDN),
                 products = mpfr_get_d(search->products, MPFR_RNDN),
                 codes = mpfr_get_d(search->codes, MPFR_RNDN);
    if (mpfr_sgn(search->codes) <= 0 || mpfr_sgn(search->products) <= 0) {
        try_scale(search, 0);
        return;
    }
    if (search->found && squares * (1 - 0x1p-40) - products * (products / codes) >
                             mpfr_get_d(search->least, MPFR_RNDU))
        return;
    mpfr_mul(search->sum, search->codes, search->tensor, MPFR_RNDN);
    const uint32_t below =
        block_exact_quotient(search->format, ROUND_TOWARD_ZERO, search->products, search->sum);
    try_scale(search, below);
    if (below < search->format->max_finite)
        try_scale(search, below + 1);
}

static void search_once(struct search *search, uint32_t zero_code, bool is_negative) {
    const struct block_field *zeros = &search->exact->layout->fields[BLOCK_ZERO];
    double zero = 0;
    if (zeros->count) {
        block_exact_number(search->room, zeros, zero_code);
        zero = mpfr_get_d(search->room, MPFR_RNDN);
    }
    search->zero = zero_code;
    search->is_negative = is_negative;
    list_changes(search, zero);
    try_parabola(search);
    for (size_t i = 0; i < search->count; i++) {
        const struct change *change = &search->changes[i];
        add(search, search->products, change->x, change->to - change->from);
        add(search, search->codes, change->to - change->from, change->to + change->from);
        try_parabola(search);
    }
}

static void solve(struct search *search, uint8_t *bytes) {
    const struct block_exact *exact = search->exact;
    const struct block_layout *layout = exact->layout;
    const struct block_field *zeros = &layout->fields[BLOCK_ZERO];
    const bool has_sign = search->format->sign_bit, flips = exact->tensor < 0,
               is_uneven = exact->elements[0].number != -exact->elements[exact->count - 1].number;
    search->found = search->best_is_negative = false;
    search->best = search->best_zero = 0;
    const uint32_t count = zeros->count ? UINT32_C(1) << zeros->width : 1;
    for (uint32_t zero = 0; mpfr_regular_p(search->tensor) && zero < count; zero++) {
        if (has_sign || !flips)
            search_once(search, zero, false);
        if (has_sign ? !zeros->count && is_uneven : flips)
            search_once(search, zero, true);
    }
    const bool is_negative = search->best && has_sign && search->best_is_negative != flips;
    block_exact_set(layout, BLOCK_SCALE, bytes, search->index,
                    search->best | (is_negative ? (uint32_t)search->format->sign_bit : 0));
    if (zeros->count)
        block_exact_set(layout, BLOCK_ZERO, bytes, search->index, search->best_zero);
}

bool block_exact_squares(struct block_exact *exact, const float *x, uint8_t *bytes) {
    const struct block_layout *layout = exact->layout;
    const struct block_field *scales = &layout->fields[BLOCK_SCALE];
    struct search search = {.exact = exact,
                            .x = x,
                            .format = scales->format,
                            .changes = malloc((size_t)layout->elements / scales->count *
                                              exact->count * sizeof(struct change))};
    if (!search.changes)
        return false;
    memset(bytes, 0, layout->bytes);
    mpfr_inits2(BLOCK_EXACT_BITS, search.least, search.squares, search.products, search.codes,
                search.tensor, search.room, search.sum, (mpfr_ptr)0);
    mpfr_set_d(search.tensor, fabs(exact->tensor), MPFR_RNDN);
    for (search.index = 0; search.index < scales->count; search.index++)
        solve(&search, bytes);
    mpfr_clears(search.least, search.squares, search.products, search.codes, search.tensor,
                search.room, search.sum, (mpfr_ptr)0);
    free(search.changes);
    block_exact_nearest(exact, x, bytes);
    return true;
}

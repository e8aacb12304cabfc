/* Lines of norms and gradients: loading them, and their exact sums. */
#include "op/kernels/norm_slopes.h"

#include "op/array/slices.h"

#include <stdlib.h>

/* An element, cast to the results' format, which is 0 where it is no number; whether it is one. */
static bool load(struct norm_slopes *line, int operand, uint64_t at, arf_t x) {
    const struct format *format = line->call->results[0].format;
    const struct real value =
        format_decode(format, element_load(&line->call->operands[operand], format, at));
    arf_zero(x);
    if (value.kind == REAL_FINITE)
        arf_set_real(x, &value);
    return value.kind == REAL_FINITE || value.kind == REAL_ZERO;
}

static void load_line(struct norm_slopes *line, uint64_t number) {
    const bool has_weight = rule_operands(line->call->rule, line->call->parameters) > SLOPE_WEIGHT;
    line->is_lost = line->is_bad = false;
    for (uint64_t i = 0; i < line->layout.length; i++) {
        const uint64_t at = norm_place(&line->layout, number, i),
                       weight = norm_weight_place(&line->layout, number, i);
        line->is_lost |= !load(line, SLOPE_X, at, line->x + i);
        line->is_bad |= !load(line, SLOPE_GRADIENT, at, line->a + i);
        if (!has_weight)
            continue;
        line->is_bad |= !load(line, SLOPE_WEIGHT, weight, line->term);
        arf_mul(line->a + i, line->a + i, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

static void find_quotient(struct norm_slopes *line) {
    const ulong n = (ulong)line->layout.length;
    arf_zero(line->term);
    if (line->epsilon.kind == REAL_FINITE)
        arf_set_real(line->term, &line->epsilon);
    arf_set(line->quotient, line->squares);
    line->is_epsilon = false;
    if (line->which == DETMATH_L2_NORM) {
        arf_mul(line->term, line->term, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
        line->is_epsilon = arf_cmp(line->term, line->quotient) >= 0;
        if (line->is_epsilon)
            arf_set(line->quotient, line->term);
        return;
    }
    arf_mul_ui(line->term, line->term, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(line->quotient, line->quotient, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (line->which == DETMATH_RMS_NORM)
        return;
    arf_mul_ui(line->quotient, line->quotient, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_submul(line->quotient, line->sum, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_ui(line->products, line->products, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_submul(line->products, line->sum, line->slopes, ARF_PREC_EXACT, ARF_RND_DOWN);
}

void norm_slopes_load(struct norm_slopes *line, uint64_t number) {
    arf_ptr sums[] = {line->sum, line->squares, line->products, line->slopes};
    load_line(line, number);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        arf_zero(sums[i]);
    for (uint64_t i = 0; i < line->layout.length; i++) {
        arf_add(line->sum, line->sum, line->x + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_addmul(line->squares, line->x + i, line->x + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_addmul(line->products, line->a + i, line->x + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(line->slopes, line->slopes, line->a + i, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    find_quotient(line);
    line->is_lost |= arf_is_zero(line->quotient);
    line->is_bad |= line->is_lost;
}

struct real norm_slopes_root(arf_t above, uint64_t times, const arf_t below, int precision) {
    mpfr_t value;
    const int sign = arf_sgn(above);
    if (!sign)
        return (struct real){.kind = REAL_ZERO, .cancelled = true};
    arf_mul(above, above, above, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_ui(above, above, (ulong)times, ARF_PREC_EXACT, ARF_RND_DOWN);
    int lost = arf_div(above, above, below, 2 * precision + 2, ARF_RND_DOWN);
    lost |= arf_sqrt(above, above, precision, ARF_RND_DOWN);
    mpfr_init2(value, precision);
    lost |= arf_get_mpfr(value, above, MPFR_RNDZ);
    struct real y = real_from_mpfr(value, lost);
    y.negative = sign < 0;
    mpfr_clear(value);
    return y;
}

arf_ptr norm_numbers(uint64_t n) {
    arf_ptr numbers = calloc(n ? n : 1, sizeof *numbers);
    for (uint64_t i = 0; numbers && i < n; i++)
        arf_init(numbers + i);
    return numbers;
}

void norm_numbers_clear(arf_ptr numbers, uint64_t n) {
    for (uint64_t i = 0; numbers && i < n; i++)
        arf_clear(numbers + i);
    free(numbers);
}

bool norm_slopes_open(struct norm_slopes *line, const struct array_call *call,
                      struct error *error) {
    const struct norm_facts *facts = call->rule->data;
    *line = (struct norm_slopes){.call = call,
                                 .which = facts->which,
                                 .layout = norm_layout_of(call),
                                 .epsilon = array_epsilon(call)};
    const uint64_t n = line->layout.length;
    arf_ptr numbers[] = {line->sum,    line->squares,  line->products,
                         line->slopes, line->quotient, line->term};
    line->x = norm_numbers(n);
    line->a = norm_numbers(n);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    return (line->x && line->a) || error_set(error, "out of memory");
}

void norm_slopes_close(struct norm_slopes *line) {
    arf_ptr numbers[] = {line->sum,    line->squares,  line->products,
                         line->slopes, line->quotient, line->term};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    norm_numbers_clear(line->x, line->layout.length);
    norm_numbers_clear(line->a, line->layout.length);
}

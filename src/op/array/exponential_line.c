/* The operands of a line of exponentials: loading them, and their sums to as many bits as somebody wants. */
#include "op/array/exponential_line.h"

#include <stdlib.h>

void exponential_find_power(struct exponential_line *line, const arf_t a, const arf_t b) {
    arb_zero(line->power);
    arf_sub(arb_midref(line->power), a, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    arb_exp(line->power, line->power, line->bits);
}

/* The next operand. */
static void add_operand(struct exponential_line *line) {
    const struct real *x = &line->x[line->count++];
    line->nan = line->nan || x->kind == REAL_NAN;
    line->infinite = line->infinite || (x->kind == REAL_INFINITE && !x->negative);
    if (!real_is_number(x))
        return;
    arf_set_real(line->value, x);
    const int order = line->finite++ ? arf_cmp(line->value, line->largest) : 1;
    if (order < 0) {
        exponential_find_power(line, line->value, line->largest);
        arb_add(line->t, line->t, line->power, line->bits);
        return;
    }
    if (order > 0) {
        if (line->peers) {
            exponential_find_power(line, line->largest, line->value);
            arb_add_ui(line->t, line->t, line->peers, line->bits);
            arb_mul(line->t, line->t, line->power, line->bits);
        }
        arf_set(line->largest, line->value);
        line->best = line->count - 1;
        line->peers = 0;
    }
    line->peers++;
}

void exponential_sum_up(struct exponential_line *line, uint64_t count, slong bits) {
    if (line->bits < bits || line->count > count) {
        line->count = line->finite = line->peers = 0;
        line->nan = line->infinite = false;
        line->bits = bits > line->bits ? bits : line->bits;
        arb_zero(line->t);
    }
    while (line->count < count)
        add_operand(line);
}

void exponential_find_logarithm(struct exponential_line *line) {
    arb_add_ui(line->rest, line->t, line->peers - 1, line->bits);
    arb_log1p(line->rest, line->rest, line->bits);
}

bool exponential_has_no_shares(struct exponential_line *line) {
    exponential_sum_up(line, line->slices.length, 0);
    return line->nan || line->infinite || line->finite == 0;
}

bool exponential_is_largest(struct exponential_line *line) {
    arf_set_real(line->value, &line->x[line->at]);
    return arf_equal(line->value, line->largest) != 0;
}

bool exponential_find_share(struct exponential_line *line, struct interval *y) {
    exponential_sum_up(line, line->slices.length, (slong)mpfr_get_prec(y->low));
    const bool of_largest = exponential_is_largest(line);
    if (!of_largest)
        exponential_find_power(line, line->value, line->largest);
    arb_add_ui(line->rest, line->t, line->peers, line->bits);
    arb_div(line->rest, of_largest ? line->t : line->power, line->rest, line->bits);
    arf_set_ui(line->divisor, of_largest ? line->peers : 1);
    return of_largest;
}

void exponential_line_load(struct exponential_line *line, const struct array_call *call,
                           uint64_t slice) {
    const struct format *format = call->results[0].format;
    slice_load(call, 0, &line->slices, slice, line->codes);
    for (uint64_t i = 0; i < line->slices.length; i++)
        line->x[i] = format_decode(format, line->codes[i]);
    line->count = line->slices.length + 1; /* of another slice */
    line->bits = line->precision;
    if (!call->rule->operand_names[1] || call->rule->roles[1] != OPERAND_LINES)
        return;
    slice_load(call, 1, &line->slices, slice, line->codes);
    arf_zero(line->total);
    line->g_nan = line->g_infinite[0] = line->g_infinite[1] = false;
    for (uint64_t i = 0; i < line->slices.length; i++) {
        struct real *g = &line->g[i];
        *g = format_decode(format, line->codes[i]);
        line->g_nan |= g->kind == REAL_NAN;
        line->g_infinite[g->negative] |= g->kind == REAL_INFINITE;
        if (!real_is_number(g))
            continue;
        arf_set_real(line->value, g);
        arf_add(line->total, line->total, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

bool exponential_line_open(struct exponential_line *line, const struct array_call *call,
                           int precision, struct error *error) {
    *line = (struct exponential_line){.slices = slices_of(call),
                                      .precision = precision,
                                      .exclusive =
                                          parameter_flag(call->parameters, PARAMETER_EXCLUSIVE)};
    line->codes = calloc(line->slices.length, sizeof *line->codes);
    line->x = calloc(line->slices.length, sizeof *line->x);
    line->g = calloc(line->slices.length, sizeof *line->g);
    arf_ptr numbers[] = {line->largest, line->total, line->value, line->base, line->divisor};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    arf_one(line->divisor);
    arb_init(line->t);
    arb_init(line->power);
    arb_init(line->rest);
    return (line->codes && line->x && line->g) || error_set(error, "out of memory");
}

void exponential_line_close(struct exponential_line *line) {
    arf_ptr numbers[] = {line->largest, line->total, line->value, line->base, line->divisor};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    arb_clear(line->t);
    arb_clear(line->power);
    arb_clear(line->rest);
    free(line->codes);
    free(line->x);
    free(line->g);
}

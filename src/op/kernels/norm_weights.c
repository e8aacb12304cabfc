/* Gradients of the norms with respect to weights and biases, exactly, and by det.
 *
 * In the notation of norm_slopes.h the sum for a weight is one over lines of c (m / Q)^(1/2): c is the sum of g x over the
 * elements of the line that have the weight, of a layer norm of g (n x - S), and m is n of the root mean square, else 1. Two
 * such roots are a rational multiple of each other where Q times Q is a square; roots that are not have no rational relation
 * (Besicovitch). So what no precision decides is decided by bringing terms of one root together. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/array/sums.h"
#include "op/families.h"
#include "op/kernels/norm_slopes.h"
#include "op/kernels/widened.h"

#include <stdlib.h>

enum { OF_WEIGHT, OF_BIAS };
/* Bits beyond which terms are brought together. */
enum { FIRST_BITS = 64, MOST_BITS = 1 << 11 };

/* What a weight has of infinite and NaN terms. */
struct oddities {
    bool nan, infinite[2];
};

struct weights {
    struct norm_slopes line;
    uint64_t count, lines; /* weights, and lines that each is in */
    arf_ptr c, q; /* c of each weight, Q of each line, those of a group beside each other */
    struct oddities *odd;
    arf_ptr above, below; /* terms of one weight */
    uint64_t terms;
    arb_t sum, root;
};

static uint64_t weights_of(const struct array_call *call) {
    return shape_elements(&call->results[OF_WEIGHT].shape);
}

static bool open_weights(struct weights *w, const struct array_call *call, struct error *error) {
    *w = (struct weights){.count = weights_of(call)};
    bool good = norm_slopes_open(&w->line, call, error);
    w->lines = w->line.layout.count / w->line.layout.groups;
    w->c = norm_numbers(w->count * w->lines);
    w->q = norm_numbers(w->line.layout.count);
    w->above = norm_numbers(w->lines);
    w->below = norm_numbers(w->lines);
    w->odd = calloc(w->count, sizeof *w->odd);
    arb_init(w->sum);
    arb_init(w->root);
    return good &&
           ((w->odd && w->c && w->q && w->above && w->below) || error_set(error, "out of memory"));
}

static void close_weights(struct weights *w) {
    norm_numbers_clear(w->c, w->count * w->lines);
    norm_numbers_clear(w->q, w->line.layout.count);
    norm_numbers_clear(w->above, w->lines);
    norm_numbers_clear(w->below, w->lines);
    free(w->odd);
    arb_clear(w->sum);
    arb_clear(w->root);
    norm_slopes_close(&w->line);
}

static void add_odd(struct oddities *odd, const struct real *g, int sign) {
    if (g->kind == REAL_NAN || (g->kind == REAL_INFINITE && !sign))
        odd->nan = true;
    else if (g->kind == REAL_INFINITE)
        odd->infinite[g->negative != (sign < 0)] = true;
}

/* The c of all weights of a line. */
static void add_line(struct weights *w, uint64_t number) {
    struct norm_slopes *line = &w->line;
    const struct norm_layout *layout = &line->layout;
    const struct format *format = line->call->results[0].format;
    norm_slopes_load(line, number);
    arf_set(w->q + number % layout->groups * w->lines + number / layout->groups, line->quotient);
    for (uint64_t i = 0; i < layout->length; i++) {
        const uint64_t weight = norm_weight_place(layout, number, i);
        const struct real g =
            format_decode(format, element_load(&line->call->operands[SLOPE_GRADIENT], format,
                                               norm_place(layout, number, i)));
        arf_set(line->term, line->x + i);
        if (line->which == DETMATH_LAYER_NORM) {
            arf_mul_ui(line->term, line->term, (ulong)layout->length, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_sub(line->term, line->term, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
        }
        w->odd[weight].nan |= line->is_lost;
        add_odd(&w->odd[weight], &g, arf_sgn(line->term));
        arf_addmul(w->c + weight * w->lines + number / layout->groups, line->term, line->a + i,
                   ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

static void enclose_sum(void *asked, struct interval *y) {
    struct weights *w = asked;
    const slong bits = (slong)mpfr_get_prec(y->low) + 16;
    arb_zero(w->sum);
    for (uint64_t i = 0; i < w->terms; i++) {
        arb_set_arf(w->root, w->below + i);
        arb_rsqrt(w->root, w->root, bits);
        arb_mul_arf(w->root, w->root, w->above + i, bits);
        arb_add(w->sum, w->sum, w->root, bits);
    }
    if (w->line.which == DETMATH_RMS_NORM) {
        arb_sqrt_ui(w->root, (ulong)w->line.layout.length, bits);
        arb_mul(w->sum, w->sum, w->root, bits);
    }
    arb_get_interval_mpfr(y->low, y->high, w->sum);
}

/* The terms of a weight that are not 0. */
static void gather(struct weights *w, uint64_t weight) {
    const struct norm_layout *layout = &w->line.layout;
    const uint64_t group = layout->groups > 1 ? weight / layout->each : 0;
    w->terms = 0;
    for (uint64_t i = 0; i < w->lines; i++) {
        if (arf_is_zero(w->c + weight * w->lines + i))
            continue;
        arf_set(w->above + w->terms, w->c + weight * w->lines + i);
        arf_set(w->below + w->terms++, w->q + group * w->lines + i);
    }
}

/* Brings terms of one root together: c / q^(1/2) + d / p^(1/2) is (c r + d q) / (r^2 q)^(1/2), r^2 being q p. */
static void join(struct weights *w) {
    uint64_t kept = 0;
    arf_t r;
    arf_init(r);
    for (uint64_t i = 0; i < w->terms; i++) {
        uint64_t k = 0;
        for (; k < kept; k++) {
            arf_mul(r, w->below + k, w->below + i, ARF_PREC_EXACT, ARF_RND_DOWN);
            if (!arf_take_root(r))
                continue;
            arf_mul(w->above + k, w->above + k, r, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_addmul(w->above + k, w->above + i, w->below + k, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_mul(r, r, r, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_mul(w->below + k, w->below + k, r, ARF_PREC_EXACT, ARF_RND_DOWN);
            break;
        }
        if (k == kept && k != i) {
            arf_set(w->above + k, w->above + i);
            arf_set(w->below + k, w->below + i);
        }
        kept += k == kept;
    }
    w->terms = 0;
    for (uint64_t i = 0; i < kept; i++) {
        if (arf_is_zero(w->above + i))
            continue;
        arf_set(w->above + w->terms, w->above + i);
        arf_set(w->below + w->terms++, w->below + i);
    }
    arf_clear(r);
}

/* Whether so many bits decide it. */
static bool is_decided(struct weights *w, int precision, struct real *y) {
    struct interval sum;
    mpfr_t truncated, scratch;
    bool decided = false;
    mpfr_inits2(precision, truncated, scratch, sum.low, sum.high, (mpfr_ptr)0);
    for (mpfr_prec_t bits = precision + FIRST_BITS; !decided && bits <= MOST_BITS; bits *= 4) {
        mpfr_set_prec(sum.low, bits);
        mpfr_set_prec(sum.high, bits);
        enclose_sum(w, &sum);
        decided = interval_truncate_within(&sum, INTERVAL_DECIDED_BY_SIZE, truncated, scratch);
    }
    *y = real_from_mpfr(truncated, 1);
    mpfr_clears(truncated, scratch, sum.low, sum.high, (mpfr_ptr)0);
    return decided;
}

static bool find_weight(struct weights *w, uint64_t weight, int precision, struct real *y,
                        struct error *error) {
    const struct oddities *odd = &w->odd[weight];
    const uint64_t times = w->line.which == DETMATH_RMS_NORM ? w->line.layout.length : 1;
    if (odd->nan || odd->infinite[0] || odd->infinite[1]) {
        *y = odd->nan || (odd->infinite[0] && odd->infinite[1]) ? real_nan()
                                                                : real_infinity(odd->infinite[1]);
        return true;
    }
    gather(w, weight);
    if (w->terms > 1 && is_decided(w, precision, y))
        return true;
    if (w->terms > 1)
        join(w);
    if (w->terms > 1)
        return enclose(enclose_sum, w, precision, INTERVAL_DECIDED_BY_SIZE,
                       "an element of this array", y, error);
    *y = (struct real){.kind = REAL_ZERO, .cancelled = true};
    if (w->terms)
        *y = norm_slopes_root(w->above, times, w->below, precision);
    return true;
}

/* Sums of g alone. */
static void find_biases(const struct array_call *call, int precision, struct real *y) {
    const struct format *format = call->results[OF_BIAS].format;
    const struct norm_layout layout = norm_layout_of(call);
    const uint64_t each = layout.groups > 1 ? layout.each : layout.length;
    struct exact_total total;
    exact_total_open(&total, format);
    for (uint64_t weight = 0; weight < weights_of(call); weight++) {
        exact_total_reset(&total);
        for (uint64_t line = weight / each; line < layout.count; line += layout.groups)
            for (uint64_t k = 0; k < layout.per; k++) {
                const uint64_t i = weight % each * layout.per + k;
                const struct real g =
                    format_decode(format, element_load(&call->operands[SLOPE_GRADIENT], format,
                                                       norm_place(&layout, line, i)));
                exact_total_add(&total, &g);
            }
        y[weight] = exact_total_quotient(&total, 1, precision);
        if (y[weight].kind == REAL_ZERO)
            y[weight] = (struct real){.kind = REAL_ZERO, .cancelled = true};
    }
    exact_total_close(&total);
}

static bool exact_weights(const struct array_call *call, int result, int precision, struct real *y,
                          struct error *error) {
    struct weights w;
    if (result == OF_BIAS) {
        find_biases(call, precision, y);
        return true;
    }
    bool good = open_weights(&w, call, error);
    for (uint64_t line = 0; good && line < w.line.layout.count; line++)
        add_line(&w, line);
    for (uint64_t weight = 0; good && weight < w.count; weight++)
        good = find_weight(&w, weight, precision, &y[weight], error);
    close_weights(&w);
    return good;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct norm_facts *facts = call->rule->data;
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct real number = array_epsilon(call);
    const float epsilon = (float)real_to_double(&number);
    return facts->lines == NORM_ALONG
               ? detmath_norm_weight_gradient_along(
                     facts->which, y[OF_WEIGHT], y[OF_BIAS], x[SLOPE_X], x[SLOPE_GRADIENT],
                     axis->present ? (int)axis->integer : -1, epsilon)
           : facts->lines == NORM_GROUPS
               ? detmath_group_norm_weight_gradient(y[OF_WEIGHT], y[OF_BIAS], x[SLOPE_X],
                                                    x[SLOPE_GRADIENT], (size_t)norm_groups(call),
                                                    epsilon)
               : detmath_batch_norm_weight_gradient(y[OF_WEIGHT], y[OF_BIAS], x[SLOPE_X],
                                                    x[SLOPE_GRADIENT], epsilon);
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree",
         provides_widened, run_det, NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

static bool shapes_of_channels(struct array_call *call, const struct format *format,
                               const struct shape *shape, struct error *error) {
    for (int i = SLOPE_X; i <= SLOPE_GRADIENT; i++)
        call->operands[i] = (struct array){.format = format, .shape = *shape};
    return norm_has_channels(call, shape, error);
}

static bool shapes_of_weights(struct array_call *call, struct error *error) {
    const struct norm_facts *facts = call->rule->data;
    const uint64_t weights = facts->lines == NORM_ALONG ? slices_of(call).length
                                                        : call->operands[SLOPE_X].shape.extents[1];
    (void)error;
    for (int i = 0; i < 2; i++)
        call->results[i] = (struct array){
            .format = parameters_result_format(call->parameters, call->operands[SLOPE_X].format),
            .shape = shape_of(weights)};
    return true;
}

static const struct shape line_shapes[] = {
    {2, {1, 1}},    {2, {2, 3}}, {2, {5, 8}},    {2, {3, 129}},  {2, {65, 4}},
    {2, {1025, 3}}, {1, {17}},   {3, {2, 3, 5}}, {2, {2, 1025}}, {0}};

#define WEIGHT_GRADIENT(NAME, WHICH, LINES, OF, PARAMETERS, ...)                                   \
    {                                                                                              \
        .name = NAME "_weight_gradient",                                                           \
        .formula = "the sums over " OF " of g x^ and of g, where x^ is the normalised x",          \
        .operands = 2, .results = 2, .result = {{.name = "weight"}, {.name = "bias"}},             \
        .parameters = PARAMETER_BIT(EPSILON) | PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) |    \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(PARAMETERS),                     \
        .group = "kernels", .array = &(const struct array_rule) {                                  \
            .data = &(const struct norm_facts){DETMATH_##WHICH##_NORM, NORM_##LINES},              \
            .operand_names = {"x", "g"}, .result_shapes = shapes_of_weights,                       \
            .exact = exact_weights, .algorithms = algorithms, .families = norm_families,           \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define ALONG_AN_AXIS .last_axis = true, .operand_shapes = shapes_equal, .shapes = line_shapes
#define OF_CHANNELS   .operand_shapes = shapes_of_channels, .shapes = norm_channel_shapes

static const struct operation rows[] = {
    WEIGHT_GRADIENT("rms_norm", RMS, ALONG, "all lines", AXIS, ALONG_AN_AXIS),
    WEIGHT_GRADIENT("layer_norm", LAYER, ALONG, "all lines", AXIS, ALONG_AN_AXIS),
    WEIGHT_GRADIENT("l2_norm", L2, ALONG, "all lines", AXIS, ALONG_AN_AXIS),
    WEIGHT_GRADIENT("group_norm", LAYER, GROUPS, "each channel", GROUPS, OF_CHANNELS),
    WEIGHT_GRADIENT("batch_norm", LAYER, CHANNELS, "each channel", DTYPE, OF_CHANNELS),
};
OPERATION_FAMILY(norm_weights, rows);

/* Gradients of gated activations: of f(x) u, and of the two halves of each line, for the gradient g of the result.
 *
 * That of u is f(x) g, as gates.c has it. That of x is g u f'(x). As f(x) = x + f(-x), f'(x) = 1 - f'(-x): so of x > 0 it is g u,
 * exactly, and beside it -g u f'(-x), however small that is; of x < 0 the latter alone. Of x = 0 it is g u / 2. Of silu it
 * is no binary fraction for other x: (1 + e^-x + x e^-x) / (1 + e^-x)^2 would make e^-x algebraic (Lindemann); of gelu nobody
 * has proved it. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/families.h"
#include "op/function/arb_rule.h"
#include "op/kernels/gates.h"
#include "op/kernels/widened.h"

#include <arb_hypgeom.h>

/* From |x| = 2 on f'(-|x|) is negative. */
enum { FALLING_EXPONENT = 2 };

static const struct gate_facts *facts_of(const struct array_call *call) {
    return call->rule->data;
}

static bool is_packed(const struct array_call *call) {
    return facts_of(call)->is_packed;
}

/* rest = Phi(-y) - y phi(y), for y = value. */
static void find_gelu_slope(struct gate *gate, slong bits) {
    arb_t density, root;
    arb_init(density);
    arb_init(root);
    arb_set_arf(gate->t, gate->value);
    arb_mul(density, gate->t, gate->t, bits);
    arb_mul_2exp_si(density, density, -1);
    arb_neg(density, density);
    arb_exp(density, density, bits);
    arb_const_pi(root, bits);
    arb_mul_2exp_si(root, root, 1);
    arb_sqrt(root, root, bits);
    arb_div(density, density, root, bits);
    arb_mul(density, density, gate->t, bits);
    arb_sqrt_ui(root, 2, bits);
    arb_div(gate->t, gate->t, root, bits);
    arb_hypgeom_erfc(gate->rest, gate->t, bits);
    arb_mul_2exp_si(gate->rest, gate->rest, -1);
    arb_sub(gate->rest, gate->rest, density, bits);
    arb_clear(density);
    arb_clear(root);
}

/* t = w and rest = v of y = value: of silu y, of gelu_tanh 2 (2 / pi)^(1/2) (y + 0.044715 y^3), and y times its derivative. */
static void find_exponents(struct gate *gate, slong bits) {
    arb_t root;
    arb_set_arf(gate->t, gate->value);
    arb_set(gate->rest, gate->t);
    if (gate->which == DETMATH_SILU)
        return;
    arb_init(root);
    arb_const_pi(root, bits);
    arb_ui_div(root, 8, root, bits);
    arb_sqrt(root, root, bits);
    arb_pow_ui(gate->t, gate->t, 3, bits);
    arb_mul_ui(gate->t, gate->t, 44715, bits);
    arb_div_ui(gate->t, gate->t, 1000000, bits);
    arb_addmul_ui(gate->rest, gate->t, 3, bits);
    arb_add_arf(gate->t, gate->t, gate->value, bits);
    arb_mul(gate->t, gate->t, root, bits);
    arb_mul(gate->rest, gate->rest, root, bits);
    arb_clear(root);
}

/* rest = f'(-y), for y = value: e (1 + e - v) / (1 + e)^2 with e = e^-w. */
static void find_slope(struct gate *gate, slong bits) {
    if (gate->which == DETMATH_GELU) {
        find_gelu_slope(gate, bits);
        return;
    }
    find_exponents(gate, bits);
    arb_neg(gate->t, gate->t);
    arb_exp(gate->t, gate->t, bits);
    arb_neg(gate->rest, gate->rest);
    arb_add_ui(gate->rest, gate->rest, 1, bits);
    arb_add(gate->rest, gate->rest, gate->t, bits);
    arb_mul(gate->rest, gate->rest, gate->t, bits);
    arb_add_ui(gate->t, gate->t, 1, bits);
    arb_mul(gate->t, gate->t, gate->t, bits);
    arb_div(gate->rest, gate->rest, gate->t, bits);
}

/* base = g u. */
static void find_factor(struct gate *gate) {
    arf_set_real(gate->base, &gate->g);
    arf_set_real(gate->value, &gate->u);
    arf_mul(gate->base, gate->base, gate->value, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static void enclose_slope(void *asked, struct interval *y) {
    struct gate *gate = asked;
    const slong bits = (slong)mpfr_get_prec(y->low) + 16;
    const bool falls = gate->x.exponent >= FALLING_EXPONENT;
    arf_set_real(gate->value, &gate->x);
    arf_abs(gate->value, gate->value);
    if (gate->x.exponent >= GATE_FAR_EXPONENT) { /* beside g u nothing */
        arb_zero_pm_one(gate->rest);
        arb_mul_2exp_si(gate->rest, gate->rest, -INTERVAL_EXPONENT_RANGE);
    } else
        find_slope(gate, bits);
    find_factor(gate);
    int sign = arf_sgn(gate->base);
    arb_mul_arf(gate->rest, gate->rest, gate->base, bits);
    if (gate->x.negative) {
        arf_zero(gate->base);
        sign = -sign;
    } else
        arb_neg(gate->rest, gate->rest);
    enclose_beside(y, gate->base, gate->rest, falls ? sign : 0, gate->divisor);
}

/* The sign of f'(x): -1 where it is negative, else 1. */
static bool find_sign(struct gate *gate, int *sign, struct error *error) {
    const struct gate given = *gate;
    struct real value = real_zero(false);
    *sign = gate->x.kind == REAL_FINITE && gate->x.negative ? -1 : 1;
    if (*sign > 0 || gate->x.exponent >= FALLING_EXPONENT)
        return true;
    gate->u = gate->g = real_from_double(1);
    const bool good = enclose(enclose_slope, gate, 8, INTERVAL_DECIDED_BY_SIZE,
                              "an element of this array", &value, error);
    gate->u = given.u;
    gate->g = given.g;
    *sign = value.negative ? -1 : 1;
    return good;
}

/* f'(x) g u where one of them is 0, infinite or NaN, as IEEE 754 has it. */
static bool find_special(struct gate *gate, struct real *y, struct error *error) {
    const struct real *factors[] = {&gate->x, &gate->u, &gate->g};
    bool nan = false, zero = false, infinite = false, negative = false;
    int sign = 1;
    if (gate->x.kind == REAL_INFINITE) {
        sign = gate->x.negative ? -1 : 1;
        zero = gate->x.negative;
    } else if (gate->x.kind != REAL_NAN && !find_sign(gate, &sign, error))
        return false;
    for (int i = 0; i < 3; i++) {
        nan |= factors[i]->kind == REAL_NAN;
        zero |= i && factors[i]->kind == REAL_ZERO;
        infinite |= i && factors[i]->kind == REAL_INFINITE;
        negative ^= i ? factors[i]->negative : sign < 0;
    }
    *y = nan || (zero && infinite) ? real_nan()
         : infinite                ? real_infinity(negative)
                                   : real_zero(negative);
    return true;
}

static bool find(struct gate *gate, int precision, struct real *y, struct error *error) {
    if (gate->u.kind != REAL_FINITE || gate->g.kind != REAL_FINITE ||
        gate->x.kind == REAL_INFINITE || gate->x.kind == REAL_NAN) {
        /* of infinity f' is 1 */
        if (gate->x.kind == REAL_INFINITE && !gate->x.negative && gate->u.kind == REAL_FINITE &&
            gate->g.kind == REAL_FINITE) {
            find_factor(gate);
            *y = quotient_of(gate->base, gate->divisor, precision);
            return true;
        }
        return find_special(gate, y, error);
    }
    if (gate->x.kind == REAL_ZERO) {
        find_factor(gate);
        arf_mul_2exp_si(gate->base, gate->base, -1);
        *y = quotient_of(gate->base, gate->divisor, precision);
        return true;
    }
    if (gate->x.negative && gate->x.exponent >= GATE_FAR_EXPONENT) {
        *y = real_tiny(gate->u.negative == gate->g.negative);
        return true;
    }
    return enclose(enclose_slope, gate, precision, INTERVAL_DECIDED_BY_SIZE,
                   "an element of this array", y, error);
}

static bool exact_gradient(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    const struct gate_places places = gate_places_of(call);
    const struct array *slopes = &call->operands[is_packed(call) ? 1 : 2];
    const struct format *format = call->results[0].format;
    struct gate gate;
    bool good = true;
    gate_open(&gate, call);
    for (uint64_t i = 0; good && i < shape_elements(&slopes->shape); i++) {
        const struct real u = gate_operand(call, &places, 1, i);
        gate.x = gate_operand(call, &places, 0, i);
        gate.g = format_decode(format, element_load(slopes, format, i));
        for (int which = 0; good && which < 2; which++) {
            struct real *value = &y[gate_place(&places, which, i)];
            if (!is_packed(call) && which != result)
                continue;
            gate.u = which ? gate.g : u;
            good = which ? gate_find(&gate, precision, value, error)
                         : find(&gate, precision, value, error);
        }
    }
    gate_close(&gate);
    return good;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    return is_packed(call)
               ? detmath_gate_gradient_along(gate_of(call), y[0], x[0], x[1],
                                             axis->present ? (int)axis->integer : -1,
                                             parameter_flag(call->parameters, PARAMETER_REVERSE))
               : detmath_gate_gradient(gate_of(call), y[0], y[1], x[0], x[1], x[2]);
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32 numbers, rounded once", provides_widened, run_det, NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

/* x, and g of half of it. */
static bool shapes_of_halves(struct array_call *call, const struct format *format,
                             const struct shape *shape, struct error *error) {
    if (!shapes_equal(call, format, shape, error))
        return false;
    return gate_halve(call, &call->operands[1].shape, error);
}

static bool shapes_of_both(struct array_call *call, struct error *error) {
    const bool good = shapes_same(call, error);
    call->results[1] = call->results[0];
    return good;
}

#define COMMON (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION))
#define GATE(GELU, PACKED, ...)                                                                    \
    .group = "kernels", .array = &(const struct array_rule) {                                      \
        .data = &(const struct gate_facts){GELU, PACKED}, .exact = exact_gradient,                 \
        .algorithms = algorithms, .families = exponential_families, .last_axis = true, __VA_ARGS__ \
    }
#define PAIR(NAME, PARAMETERS, GELU)                                                               \
    {                                                                                              \
        .name = #NAME "_mul_gradient",                                                             \
        .formula = "x'[i] = g[i] u[i] " #NAME "'(x[i]), u'[i] = g[i] " #NAME "(x[i])",             \
        .operands = 3, .results = 2, .result = {{.name = "x"}, {.name = "u"}},                     \
        .parameters = COMMON | (PARAMETERS),                                                       \
        GATE(GELU, false, .operand_names = {"x", "u", "g"}, .lines = LINES_MAPPED,                 \
             .operand_shapes = shapes_equal, .result_shapes = shapes_of_both,                      \
             .shapes = slice_shapes)                                                               \
    }
#define HALVES(NAME, FUNCTION, PARAMETERS, GELU)                                                   \
    {                                                                                              \
        .name = #NAME "_gradient",                                                                 \
        .formula = "y[i] = g[i] x[n/2+i] " FUNCTION "'(x[i]), y[n/2+i] = g[i] " FUNCTION "(x[i])", \
        .operands = 2, .results = 1,                                                               \
        .parameters = COMMON | PARAMETER_BIT(AXIS) | PARAMETER_BIT(REVERSE) | (PARAMETERS),        \
        GATE(GELU, true, .operand_names = {"x", "g"}, .operand_shapes = shapes_of_halves,          \
             .result_shapes = shapes_same, .shapes = gate_even_shapes)                             \
    }

static const struct operation rows[] = {
    PAIR(silu, 0, false),
    PAIR(gelu, PARAMETER_BIT(APPROXIMATE), true),
    HALVES(swiglu, "silu", 0, false),
    HALVES(geglu, "gelu", PARAMETER_BIT(APPROXIMATE), true),
};
OPERATION_FAMILY(gate_gradients, rows);

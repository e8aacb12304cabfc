/* Gated activations: an activation times a number, of two arrays, or of the two halves of each line of one.
 *
 * The activations f are x times a gate from 0 to 1, with f(x) = x + f(-x). So of x > 0 a result is u x, exactly, and u f(-x)
 * beside it, however small that is; of x < 0 it is that alone. It is no binary fraction for x other than 0: e^x and
 * what follows from it are not (Lindemann and Weierstrass; of gelu nobody has proved it). */
#include "op/kernels/gates.h"
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/exponentials.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/enclose.h"
#include "op/families.h"
#include "op/function/arb_rule.h"
#include "op/kernels/widened.h"

#include <string.h>

static const struct gate_facts *facts_of(const struct array_call *call) {
    return call->rule->data;
}

enum detmath_gate gate_of(const struct array_call *call) {
    const bool by_tanh = parameter_integer(call->parameters, PARAMETER_APPROXIMATE, 0) == 1;
    return !facts_of(call)->is_gelu ? DETMATH_SILU : by_tanh ? DETMATH_GELU_TANH : DETMATH_GELU;
}

static void enclose_gate(void *asked, struct interval *y) {
    struct gate *gate = asked;
    const slong bits = (slong)mpfr_get_prec(y->low);
    arf_set_real(gate->value, &gate->x);
    arf_abs(gate->value, gate->value);
    arb_set_arf(gate->t, gate->value);
    arb_neg(gate->t, gate->t);
    gate->activation->arb->ball(gate->rest, gate->t, bits);
    if (gate->x.exponent >= GATE_FAR_EXPONENT) { /* beside u x nothing */
        arb_zero_pm_one(gate->rest);
        arb_mul_2exp_si(gate->rest, gate->rest, -INTERVAL_EXPONENT_RANGE);
    }
    arf_set_real(gate->base, &gate->u);
    arb_mul_arf(gate->rest, gate->rest, gate->base, bits);
    if (gate->x.negative)
        arf_zero(gate->base);
    else
        arf_mul(gate->base, gate->base, gate->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    enclose_beside(y, gate->base, gate->rest, gate->u.negative ? 1 : -1, gate->divisor);
}

static struct real product_of_special(const struct real *f, const struct real *u) {
    if (f->kind == REAL_NAN || u->kind == REAL_NAN ||
        (f->kind == REAL_ZERO && u->kind == REAL_INFINITE) ||
        (f->kind == REAL_INFINITE && u->kind == REAL_ZERO))
        return real_nan();
    if (f->kind == REAL_INFINITE || u->kind == REAL_INFINITE)
        return real_infinity(f->negative != u->negative);
    return real_zero(f->negative != u->negative);
}

bool gate_find(struct gate *gate, int precision, struct real *y, struct error *error) {
    struct real f = gate->x;
    const bool is_special = gate->activation->special(&f, &gate->x);
    if (is_special || gate->u.kind != REAL_FINITE) {
        *y = product_of_special(&f, &gate->u);
        return true;
    }
    if (gate->x.negative && gate->x.exponent >= GATE_FAR_EXPONENT) {
        *y = real_tiny(!gate->u.negative);
        return true;
    }
    return enclose(enclose_gate, gate, precision, INTERVAL_DECIDED_BY_SIZE,
                   "an element of this array", y, error);
}

struct gate_places gate_places_of(const struct array_call *call) {
    struct gate_places places = {slices_of(call), facts_of(call)->is_packed,
                                 parameter_flag(call->parameters, PARAMETER_REVERSE)};
    places.slices.reverse = false;
    return places;
}

uint64_t gate_place(const struct gate_places *places, int which, uint64_t element) {
    const uint64_t half = places->slices.length / 2, stride = places->slices.stride;
    const uint64_t inner = element % stride, line = element / stride;
    const bool second = (which == 1) != places->reverse;
    return places->is_packed
               ? (line / half * 2 * half + line % half + (second ? half : 0)) * stride + inner
               : element;
}

struct real gate_operand(const struct array_call *call, const struct gate_places *places, int which,
                         uint64_t element) {
    const struct format *format = call->results[0].format;
    return format_decode(format, element_load(&call->operands[places->is_packed ? 0 : which],
                                              format, gate_place(places, which, element)));
}

static const struct result_rule *activation_of(enum detmath_gate which) {
    static const char *const names[] = {"silu", "gelu", "gelu_tanh"};
    const struct operation_family *family =
        which == DETMATH_SILU ? &OPERATION_FAMILY_NAME(gate) : &OPERATION_FAMILY_NAME(gelu);
    size_t i = 0;
    while (strcmp(family->rows[i].name, names[which]) != 0)
        i++;
    return &family->rows[i].result[0];
}

void gate_open(struct gate *gate, const struct array_call *call) {
    gate->activation = activation_of(gate_of(call));
    gate->which = gate_of(call);
    arf_init(gate->base);
    arf_init(gate->value);
    arf_init(gate->divisor);
    arf_one(gate->divisor);
    arb_init(gate->rest);
    arb_init(gate->t);
}

void gate_close(struct gate *gate) {
    arf_clear(gate->base);
    arf_clear(gate->value);
    arf_clear(gate->divisor);
    arb_clear(gate->rest);
    arb_clear(gate->t);
}

static bool exact_gate(const struct array_call *call, int result, int precision, struct real *y,
                       struct error *error) {
    const struct gate_places places = gate_places_of(call);
    struct gate gate;
    bool good = true;
    (void)result;
    gate_open(&gate, call);
    for (uint64_t i = 0; good && i < shape_elements(&call->results[0].shape); i++) {
        gate.x = gate_operand(call, &places, 0, i);
        gate.u = gate_operand(call, &places, 1, i);
        good = gate_find(&gate, precision, &y[i], error);
    }
    gate_close(&gate);
    return good;
}

bool gate_halve(const struct array_call *call, struct shape *shape, struct error *error) {
    const struct slices slices = slices_of(call);
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    if (slices.length % 2)
        return error_set(error, "lines of %llu elements have no two halves",
                         (unsigned long long)slices.length);
    const int at = !axis->present      ? shape->dimensions - 1
                   : axis->integer < 0 ? (int)axis->integer + shape->dimensions
                                       : (int)axis->integer;
    shape->extents[at] /= 2;
    return true;
}

/* Half of the operand along its lines. */
static bool shapes_halved(struct array_call *call, struct error *error) {
    return shapes_same(call, error) && gate_halve(call, &call->results[0].shape, error);
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    return facts_of(call)->is_packed
               ? detmath_gate_along(gate_of(call), y[0], x[0],
                                    axis->present ? (int)axis->integer : -1,
                                    parameter_flag(call->parameters, PARAMETER_REVERSE))
               : detmath_gate(gate_of(call), y[0], x[0], x[1]);
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32 numbers, rounded once", provides_widened, run_det, NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

#define SLICE(EXTENT)                                                                              \
    {                                                                                              \
        1, {                                                                                       \
            EXTENT                                                                                 \
        }                                                                                          \
    }
const struct shape gate_even_shapes[] = {SLICE(2),   SLICE(4),    SLICE(14),   SLICE(32),
                                         SLICE(254), SLICE(1022), SLICE(4096), {0}};

#define COMMON (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION))
#define GATE(NAME, ALIASES, FORMULA, OPERANDS, PARAMETERS, GELU, PACKED, ...)                      \
    {                                                                                              \
        .name = #NAME, .aliases = ALIASES, .formula = FORMULA, .operands = OPERAND_COUNT OPERANDS, \
        .results = 1, .parameters = COMMON | (PARAMETERS), .group = "kernels",                     \
        .array = &(const struct array_rule) {                                                      \
            .data = &(const struct gate_facts){GELU, PACKED},                                      \
            .operand_names = OPERAND_NAMES OPERANDS, .exact = exact_gate,                          \
            .algorithms = algorithms, .families = exponential_families,                            \
            .operand_shapes = shapes_equal, .last_axis = true, __VA_ARGS__                         \
        }                                                                                          \
    }
#define PAIR                                                                                       \
    .lines = LINES_MAPPED, .keeps_zeros = true, .result_shapes = shapes_same, .shapes = slice_shapes
#define HALVES        .lines = LINES_PLACED, .result_shapes = shapes_halved, .shapes = gate_even_shapes
#define APPROXIMATELY PARAMETER_BIT(APPROXIMATE)
#define OF_HALVES     (PARAMETER_BIT(AXIS) | PARAMETER_BIT(REVERSE))

static const struct operation rows[] = {
    GATE(silu_mul, "silu_and_mul", "y[i] = silu(x[i]) u[i]", (2, "x", "u"), 0, false, false, PAIR),
    GATE(gelu_mul, "gelu_and_mul", "y[i] = gelu(x[i]) u[i]", (2, "x", "u"), APPROXIMATELY, true,
         false, PAIR),
    GATE(swiglu, NULL, "y[i] = silu(x[i]) x[n/2+i]", (1, "x"), OF_HALVES, false, true, HALVES),
    GATE(geglu, NULL, "y[i] = gelu(x[i]) x[n/2+i]", (1, "x"), APPROXIMATELY | OF_HALVES, true, true,
         HALVES),
};
OPERATION_FAMILY(gates, rows);

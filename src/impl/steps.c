/* The interpreter of formulas. Values are doubles that are numbers of the format of the steps; of formats with at most
 * 24 bits of precision a step in double, rounded again, is the step rounded once: double has 2p + 2 bits and more. */
#include "impl/steps.h"

#include "base/bits.h"
#include "base/names.h"
#include "impl/detmath.h"
#include "impl/libm.h"
#include "op/formula/functions.h"
#include "op/formula/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, MOST_PRODUCTS = 64, REAL_PRECISION = 120 };

/* What a name says: "steps@FORMAT:IMPLEMENTATION: FORMULA". */
struct spelling {
    const struct format *format; /* NULL: the operands' */
    char functions[32];          /* the implementation that has them */
    const char *formula;
};

struct steps_state {
    struct formula *formula;
    const struct format *format;         /* of the steps */
    struct implementation functions;     /* that has them */
    struct binding *bindings;            /* of each node that is a function */
    double *values;                      /* CHUNK of each node */
    uint64_t codes[MAX_OPERANDS][CHUNK]; /* room for codes of any format */
    uint64_t results[CHUNK];
};

bool steps_is_named(const char *name) {
    return strncmp(name, "steps", 5) == 0 && (name[5] == ':' || name[5] == '@') && name[6];
}

static bool spell_out(const char *name, struct spelling *spelling, struct error *error) {
    const char *at = name + strlen("steps");
    *spelling = (struct spelling){.functions = "det"};
    if (*at == '@') {
        char format[32];
        size_t length = strcspn(++at, ":");
        snprintf(format, sizeof format, "%.*s", (int)(length < 31 ? length : 31), at);
        spelling->format = format_find(format, error);
        if (!spelling->format)
            return false;
        at += length;
    }
    if (*at != ':')
        return error_set(error,
                         "the implementation '%.80s' is not whole; such as steps:1/sqrt(x), "
                         "steps@fp32: 1/sqrt(x) or steps:libm: exp(x)",
                         name);
    at++;
    const char *colon = strchr(at, ':');
    if (colon) {
        while (isspace((unsigned char)*at))
            at++;
        size_t length = (size_t)(colon - at);
        snprintf(spelling->functions, sizeof spelling->functions, "%.*s",
                 (int)(length < 31 ? length : 31), at);
        at = colon + 1;
    }
    spelling->formula = at;
    return true;
}

/* Whose functions steps may have. */
static bool open_functions(struct implementation *functions, const char *name,
                           const struct foreign_settings *foreign, struct error *error) {
    static const struct implementation_kind *const kinds[] = {
        &implementation_det, &implementation_cr, &implementation_libm};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (name_matches(name, kinds[i]->name, NULL)) {
            *functions = (struct implementation){.kind = kinds[i], .foreign = foreign};
            strcpy(functions->name, kinds[i]->name);
            return functions->kind->open(functions, error);
        }
    return error_set(error, "the functions of steps are those of det, cr or libm, not of '%s'",
                     name);
}

static bool steps_open(struct implementation *implementation, struct error *error) {
    struct spelling spelling;
    struct implementation functions;
    if (!spell_out(implementation->name, &spelling, error))
        return false;
    if (!open_functions(&functions, spelling.functions, implementation->foreign, error))
        return false;
    struct formula *formula = formula_parse(spelling.formula, error);
    if (!formula)
        return false;
    snprintf(implementation->detail, sizeof implementation->detail,
             "detcheck %s, step by step in %s, functions by %.40s", DETCHECK_VERSION,
             spelling.format ? spelling.format->name : "the format of the operands",
             functions.name);
    formula_free(formula);
    return true;
}

static const struct function_rule *rule_of(const struct formula_node *node) {
    return node->kind == FORMULA_FUNCTION ? function_rule(node->operation) : NULL;
}

/* Whether a step needs no function of others. */
static bool is_own(const struct formula_node *node) {
    const struct function_rule *rule = rule_of(node);
    return node->kind != FORMULA_FUNCTION || strcmp(node->operation->name, "sqrt") == 0 ||
           strcmp(node->operation->name, "recip") == 0 || (rule && rule->shape == SHAPE_STEPS);
}

/* The whole exponent of a power by products, or 0. */
static long products(const struct formula *formula, const struct formula_node *node) {
    const struct formula_node *exponent = &formula->nodes[node->arguments[1]];
    bool negative = exponent->kind == FORMULA_NEGATE;
    if (negative)
        exponent = &formula->nodes[exponent->arguments[0]];
    if (node->kind != FORMULA_POWER || exponent->kind != FORMULA_NUMBER ||
        mpz_cmp_ui(mpq_denref(exponent->number), 1) != 0 ||
        mpz_cmp_ui(mpq_numref(exponent->number), MOST_PRODUCTS) > 0)
        return 0;
    long n = mpz_get_si(mpq_numref(exponent->number));
    return negative ? -n : n;
}

static bool is_fp32(const struct format *format) {
    return format->width == 32 && format->precision == 24;
}

static double encode(const struct format *format, const struct real *real) {
    uint64_t code = format_encode(format, real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    struct real value = format_decode(format, code);
    return real_to_double(&value);
}

/* A double rounded to a format. */
static double rounded(const struct format *format, double value) {
    if (format->width == 64)
        return value;
    if (is_fp32(format))
        return (double)(float)value;
    struct real real = real_from_double(value);
    return encode(format, &real);
}

/* A constant, rounded once. */
static double constant(const struct format *format, const struct formula_node *node) {
    mpfr_t value;
    int ternary = 0;
    if (node->kind == FORMULA_INFINITY || node->kind == FORMULA_NAN)
        return node->kind == FORMULA_NAN ? (double)NAN : rounded(format, (double)INFINITY);
    mpfr_init2(value, REAL_PRECISION);
    if (node->kind == FORMULA_NUMBER)
        ternary = mpfr_set_q(value, node->number, MPFR_RNDZ);
    else if (node->kind == FORMULA_PI)
        ternary = mpfr_const_pi(value, MPFR_RNDZ);
    else {
        mpfr_set_ui(value, 1, MPFR_RNDZ);
        ternary = mpfr_exp(value, value, MPFR_RNDZ);
    }
    struct real real = real_from_mpfr(value, ternary);
    mpfr_clear(value);
    return encode(format, &real);
}

static void free_state(struct steps_state *state) {
    if (!state)
        return;
    for (int i = 0; state->bindings && i < state->formula->count; i++)
        if (state->bindings[i].implementation)
            binding_close(&state->bindings[i]);
    free(state->bindings);
    free(state->values);
    formula_free(state->formula);
    free(state);
}

static void steps_unbind(struct binding *binding) {
    free_state(binding->state);
    binding->state = NULL;
}

/* The functions of all steps; numbers are set once. */
static bool prepare(struct steps_state *state, const struct binding_request *request,
                    struct error *why) {
    for (int i = 0; i < state->formula->count; i++) {
        const struct formula_node *node = &state->formula->nodes[i];
        double *values = state->values + (size_t)i * CHUNK;
        struct binding_request step = {.operation = node->operation,
                                       .format = state->format,
                                       .rounding = ROUND_NEAREST_EVEN,
                                       .overflow = request->overflow};
        if (node->kind <= FORMULA_NAN)
            for (int j = 0; j < CHUNK; j++)
                values[j] = constant(state->format, node);
        bool called =
            !is_own(node) || (node->kind == FORMULA_POWER && !products(state->formula, node));
        if (called && !implementation_bind(&state->bindings[i], &state->functions, &step, why)) {
            state->bindings[i].implementation = NULL;
            return false;
        }
    }
    return true;
}

static bool steps_bind(struct binding *binding, struct error *why) {
    const struct binding_request *request = &binding->request;
    struct spelling spelling;
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "steps rounds to nearest-even only");
    if (!spell_out(binding->implementation->name, &spelling, why))
        return false;
    struct steps_state *state = calloc(1, sizeof *state);
    if (!state || !(state->formula = formula_parse(spelling.formula, why))) {
        free(state);
        return state ? false : binding_out_of_memory(binding, why);
    }
    state->format = spelling.format ? spelling.format : request->format;
    size_t count = (size_t)state->formula->count;
    state->bindings = calloc(count, sizeof *state->bindings);
    state->values = calloc(count * CHUNK, sizeof *state->values);
    bool good = state->bindings && state->values;
    if (!good)
        binding_out_of_memory(binding, why);
    else if (state->formula->operands > request->operation->operands)
        good = error_set(why, "%.40s has %d operand%s, and the steps take %d",
                         request->operation->name, request->operation->operands,
                         request->operation->operands > 1 ? "s" : "", state->formula->operands);
    else if (request->operation->results > 1 || state->format->is_integer ||
             state->format->is_element || !state->format->has_zero)
        good = error_set(why, "steps are of real numbers, to one result");
    else
        good = open_functions(&state->functions, spelling.functions,
                              binding->implementation->foreign, why) &&
               prepare(state, request, why);
    if (!good) {
        free_state(state);
        return false;
    }
    binding->state = state;
    return true;
}

/* a b + c, rounded once: the product is exact in double, and the sum's last bit tells whether anything is lost. */
static double fused(const struct format *format, double a, double b, double c) {
    if (format->width == 64)
        return fma(a, b, c);
    double product = a * b, sum = product + c, part = sum - product;
    double lost = (product - (sum - part)) + (c - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (isfinite(sum) && isfinite(lost) && (lost < 0 || lost > 0) && !(bits & 1)) {
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX; /* to the odd neighbour that is nearer */
        memcpy(&sum, &bits, sizeof bits);
    }
    return rounded(format, sum);
}

static double extremum(double a, double b, bool greater) {
    if (isnan(a) || isnan(b))
        return (double)NAN;
    if (!(a < b) && !(a > b))
        return (signbit(a) != 0) == greater ? b : a;
    return (a > b) == greater ? a : b;
}

static int order_of(double a, double b) {
    return a < b ? -1 : a > b ? 1 : isnan(a) || isnan(b) ? 3 : 0;
}

static double to_integer(double a, enum rounding rounding) {
    switch (rounding) {
    case ROUND_DOWN:
        return floor(a);
    case ROUND_UP:
        return ceil(a);
    case ROUND_TOWARD_ZERO:
        return trunc(a);
    case ROUND_NEAREST_AWAY:
        return round(a);
    default:
        return rint(a);
    }
}

/* x^n by squaring from the first bit of n on, each product rounded; 1 over that where n is negative. */
static double by_products(const struct format *format, double x, long n) {
    long size = labs(n), bit = 1;
    double power = x;
    while (bit * 2 <= size)
        bit *= 2;
    while ((bit /= 2) > 0) {
        power = rounded(format, power * power);
        if (size & bit)
            power = rounded(format, power * x);
    }
    return n < 0 ? rounded(format, 1 / power) : power;
}

static double step(const struct steps_state *state, const struct formula_node *node, double a,
                   double b, double c, double d) {
    const struct format *format = state->format;
    switch (node->kind) {
    case FORMULA_NEGATE:
        return -a;
    case FORMULA_MAGNITUDE:
        return fabs(a);
    case FORMULA_ADD:
        return rounded(format, a + b);
    case FORMULA_SUBTRACT:
        return rounded(format, a - b);
    case FORMULA_MULTIPLY:
        return rounded(format, a * b);
    case FORMULA_DIVIDE:
        return rounded(format, a / b);
    case FORMULA_FUSED:
        return fused(format, a, b, c);
    case FORMULA_POWER:
        return by_products(format, a, products(state->formula, node));
    case FORMULA_LESSER:
    case FORMULA_GREATER:
        return extremum(a, b, node->kind == FORMULA_GREATER);
    case FORMULA_SELECT:
        return formula_holds(node->relation, order_of(a, b)) ? c : d;
    case FORMULA_ROUND:
        return rounded(format, rounded(node->format, a));
    default:
        if (strcmp(node->operation->name, "sqrt") == 0)
            return rounded(format, sqrt(a));
        if (strcmp(node->operation->name, "recip") == 0)
            return rounded(format, 1 / a);
        return rounded(format, to_integer(a, rule_of(node)->rounding));
    }
}

static uint64_t code_of(const struct format *format, double value) {
    if (isnan(value))
        return format->nan;
    if (is_fp32(format))
        return bits_of_float((float)value);
    if (format->width == 64)
        return bits_of(value);
    struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

static double value_of(const struct format *format, uint64_t code) {
    if (is_fp32(format))
        return (double)float_from_bits((uint32_t)code);
    if (format->width == 64)
        return from_bits(code);
    struct real real = format_decode(format, code);
    return real_to_double(&real);
}

static bool call(struct steps_state *state, int number, size_t count, event_function *event,
                 void *context, struct error *error) {
    const struct formula_node *node = &state->formula->nodes[number];
    size_t bytes = format_bytes(state->format);
    struct slice slice = {.count = count, .results = {state->results}};
    for (int i = 0; i < node->count; i++) {
        const double *from = state->values + (size_t)node->arguments[i] * CHUNK;
        for (size_t j = 0; j < count; j++)
            code_store(state->codes[i], bytes, j, code_of(state->format, from[j]));
        slice.operands[i] = state->codes[i];
    }
    if (!binding_fill(&state->bindings[number], &slice, event, context, error))
        return false;
    double *to = state->values + (size_t)number * CHUNK;
    for (size_t j = 0; j < count; j++)
        to[j] = value_of(state->format, code_load(state->results, bytes, j));
    return true;
}

static bool run_chunk(struct steps_state *state, size_t count, event_function *event, void *context,
                      struct error *error) {
    for (int i = 0; i < state->formula->count; i++) {
        const struct formula_node *node = &state->formula->nodes[i];
        if (node->kind <= FORMULA_OPERAND)
            continue;
        if (state->bindings[i].implementation) {
            if (!call(state, i, count, event, context, error))
                return false;
            continue;
        }
        const double *from[FORMULA_ARGUMENTS];
        for (int k = 0; k < FORMULA_ARGUMENTS; k++)
            from[k] = state->values + (size_t)node->arguments[k < node->count ? k : 0] * CHUNK;
        double *to = state->values + (size_t)i * CHUNK;
        for (size_t j = 0; j < count; j++)
            to[j] = step(state, node, from[0][j], from[1][j], from[2][j], from[3][j]);
    }
    return true;
}

static bool steps_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    struct steps_state *state = binding->state;
    const struct format *format = binding->request.format;
    size_t bytes = format_bytes(format);
    for (size_t at = 0; at < slice->count; at += CHUNK) {
        size_t count = slice->count - at < CHUNK ? slice->count - at : CHUNK;
        for (int i = 0; i < state->formula->count; i++) {
            const struct formula_node *node = &state->formula->nodes[i];
            double *values = state->values + (size_t)i * CHUNK;
            for (size_t j = 0; node->kind == FORMULA_OPERAND && j < count; j++)
                values[j] = rounded(state->format,
                                    value_of(format, code_load(slice->operands[node->arguments[0]],
                                                               bytes, at + j)));
        }
        if (!run_chunk(state, count, event, context, error))
            return false;
        const double *whole = state->values + (size_t)(state->formula->count - 1) * CHUNK;
        for (size_t j = 0; j < count; j++)
            code_store(slice->results[0], bytes, at + j, code_of(format, whole[j]));
    }
    return true;
}

const struct implementation_kind implementation_steps = {
    .name = "steps:",
    .summary = "a formula, step by step: steps:1/sqrt(x), steps@fp32: ..., steps:libm: ...",
    .open = steps_open,
    .bind = steps_bind,
    .fill = steps_fill,
    .unbind = steps_unbind,
};

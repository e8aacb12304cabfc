/* Rotary position embedding: pairs of elements that turn by an angle, which grows with the position.
 *
 * The angle a = p base^(-2i/n) / factor is an algebraic number. Unless it is 0 neither e^(ia) nor a sum of its parts
 * times numbers other than 0 is one (Lindemann), so that a result is no binary fraction. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/draw.h"
#include "op/enclose.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include "detmath/random.h"

#include <stdlib.h>
#include <string.h>

enum { ROPE_X, ROPE_POSITION };
/* Which of the rows. */
enum { TURNS, TURNS_BACK };

static struct real number_of(const struct array_call *call, enum parameter_number number) {
    const int64_t code = parameter_integer(call->parameters, number, 0);
    return code ? format_decode(&formats[FORMAT_FP32], (uint64_t)code) : real_from_double(1);
}

static double double_of(const struct array_call *call, enum parameter_number number) {
    const struct real value = number_of(call, number);
    return real_to_double(&value);
}

/* How many elements of a line turn. */
static uint64_t rotary_of(const struct array_call *call) {
    const struct shape *shape = &call->operands[ROPE_X].shape;
    return (uint64_t)parameter_integer(call->parameters, PARAMETER_ROTARY,
                                       (int64_t)shape->extents[shape->dimensions - 1]);
}

static bool shapes_of_rope(struct array_call *call, const struct format *format,
                           const struct shape *shape, struct error *error) {
    if (!shapes_equal(call, format, shape, error))
        return false;
    call->operands[ROPE_POSITION].format = &integer_formats[FORMAT_INT64];
    const uint64_t length = shape->extents[shape->dimensions - 1], rotary = rotary_of(call);
    if (rotary % 2 || rotary > length)
        return error_set(error, "%llu elements of lines of %llu are not pairs (--rotary)",
                         (unsigned long long)rotary, (unsigned long long)length);
    if (rotary / 2 > DETMATH_ROPE_MOST_PAIRS)
        return error_set(error, "rope has at most %llu elements of a line turn (--rotary)",
                         2ULL * DETMATH_ROPE_MOST_PAIRS);
    const double base = double_of(call, PARAMETER_BASE), factor = double_of(call, PARAMETER_FACTOR);
    if (!parameter_integer(call->parameters, PARAMETER_BASE, 0) ||
        !(base >= 1 && base <= (double)DETMATH_ROPE_MOST_BASE))
        return error_set(error, "--base is a number from 1 to 2^64");
    return (factor >= 1 && factor <= (double)DETMATH_ROPE_MOST_FACTOR) ||
           error_set(error, "--factor is a number from 1 to 2^24, or none");
}

/* One element, a cos + b sin or, where `minus`, a cos - b sin. */
struct turned {
    struct real a, b;
    bool minus;
    int64_t position;
    arb_t log_base, angle, sine, cosine, t;
    arf_t base, factor, zero, one, value;
    uint64_t pair, pairs;
    slong bits; /* of sine and cosine, of this position and pair; 0: they are of others */
};

static void open_turned(struct turned *turned, const struct array_call *call) {
    const struct real base = number_of(call, PARAMETER_BASE),
                      factor = number_of(call, PARAMETER_FACTOR);
    arb_ptr balls[] = {turned->log_base, turned->angle, turned->sine, turned->cosine, turned->t};
    arf_ptr numbers[] = {turned->base, turned->factor, turned->zero, turned->one, turned->value};
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++)
        arb_init(balls[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    arf_set_real(turned->base, &base);
    arf_set_real(turned->factor, &factor);
    arf_one(turned->one);
    turned->pairs = rotary_of(call) / 2;
}

static void close_turned(struct turned *turned) {
    arb_ptr balls[] = {turned->log_base, turned->angle, turned->sine, turned->cosine, turned->t};
    arf_ptr numbers[] = {turned->base, turned->factor, turned->zero, turned->one, turned->value};
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++)
        arb_clear(balls[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
}

/* Sine and cosine of the angle; the position may have 63 bits. */
static void find_turn(struct turned *turned, slong bits) {
    const slong more = bits + 80;
    if (turned->bits >= bits)
        return;
    turned->bits = bits;
    arb_set_arf(turned->t, turned->base);
    arb_log(turned->angle, turned->t, more);
    arb_mul_ui(turned->angle, turned->angle, turned->pair, more);
    arb_div_ui(turned->angle, turned->angle, turned->pairs, more);
    arb_neg(turned->angle, turned->angle);
    arb_exp(turned->angle, turned->angle, more);
    arb_mul_si(turned->angle, turned->angle, (slong)turned->position, more);
    arb_set_arf(turned->t, turned->factor);
    arb_div(turned->angle, turned->angle, turned->t, more);
    arb_sin_cos(turned->sine, turned->cosine, turned->angle, bits);
}

static void enclose_turned(void *asked, struct interval *y) {
    struct turned *turned = asked;
    const slong bits = (slong)mpfr_get_prec(y->low) + 8;
    find_turn(turned, bits);
    arf_set_real(turned->value, &turned->b);
    arb_mul_arf(turned->t, turned->sine, turned->value, bits);
    if (turned->minus)
        arb_neg(turned->t, turned->t);
    arf_set_real(turned->value, &turned->a);
    arb_addmul_arf(turned->t, turned->cosine, turned->value, bits);
    enclose_beside(y, turned->zero, turned->t, 0, turned->one);
}

/* -1, 0 at position 0, or 1: the cosine's, or the sine's. */
static int sign_of(struct turned *turned, bool of_sine) {
    arb_srcptr ball = of_sine ? turned->sine : turned->cosine;
    if (turned->position == 0)
        return !of_sine;
    find_turn(turned, 64);
    while (arb_contains_zero(ball))
        find_turn(turned, 2 * turned->bits);
    return arb_is_positive(ball) ? 1 : -1;
}

/* A number, infinity or zero times one of a sign; 0 stands for +0. */
static struct real times_sign(const struct real *x, int sign) {
    struct real product = *x;
    if (sign == 0)
        return x->kind == REAL_INFINITE || x->kind == REAL_NAN ? real_nan()
                                                               : real_zero(x->negative);
    product.negative = x->negative != (sign < 0);
    return product;
}

/* Where position 0, infinities, NaN or zeros decide. */
static bool decide(struct turned *turned, struct real *y) {
    const struct real *a = &turned->a, *b = &turned->b;
    const bool numbers = a->kind == REAL_FINITE || b->kind == REAL_FINITE;
    const bool special = a->kind == REAL_NAN || b->kind == REAL_NAN || a->kind == REAL_INFINITE ||
                         b->kind == REAL_INFINITE;
    if (turned->position != 0 && numbers && !special)
        return false;
    const struct real first = times_sign(a, sign_of(turned, false));
    struct real second = times_sign(b, sign_of(turned, true));
    second.negative = second.negative != turned->minus;
    if (first.kind == REAL_NAN || second.kind == REAL_NAN ||
        (first.kind == REAL_INFINITE && second.kind == REAL_INFINITE &&
         first.negative != second.negative))
        *y = real_nan();
    else if (first.kind == REAL_INFINITE || second.kind == REAL_INFINITE)
        *y = first.kind == REAL_INFINITE ? first : second;
    else if (first.kind == REAL_ZERO && first.negative != second.negative)
        *y = (struct real){.kind = REAL_ZERO, .cancelled = true};
    else
        *y = first;
    return true;
}

/* Elements i and j of a line that turn together. */
static bool find_pair(struct turned *turned, const struct real *x, uint64_t i, uint64_t j,
                      int precision, struct real *y, struct error *error) {
    bool good = true;
    turned->bits = 0;
    for (int which = 0; good && which < 2; which++) {
        const uint64_t at = which ? j : i;
        turned->a = x[at];
        turned->b = x[which ? i : j];
        turned->minus = !which;
        good = decide(turned, &y[at]) ||
               enclose(enclose_turned, turned, precision, INTERVAL_DECIDED_BY_SIZE,
                       "an element of this array", &y[at], error);
    }
    return good;
}

/* A gradient turns back. */
static int64_t position_of(const struct array_call *call, uint64_t line) {
    const uint64_t code = array_code(&call->operands[ROPE_POSITION], line);
    return (int64_t)(call->rule->which == TURNS_BACK ? 0 - code : code);
}

static bool exact_rope(const struct array_call *call, int result, int precision, struct real *y,
                       struct error *error) {
    const struct format *format = call->results[0].format;
    const struct array *from = &call->operands[ROPE_X];
    const uint64_t length = from->shape.extents[from->shape.dimensions - 1];
    const uint64_t rotary = rotary_of(call), count = shape_elements(&from->shape);
    const bool together = parameter_flag(call->parameters, PARAMETER_INTERLEAVED);
    struct real *x = calloc(length, sizeof *x);
    struct turned turned = {0};
    bool good = x || error_set(error, "out of memory");
    (void)result;
    open_turned(&turned, call);
    for (uint64_t start = 0; good && start < count; start += length) {
        turned.position = position_of(call, start / length);
        for (uint64_t i = 0; i < length; i++)
            x[i] = y[start + i] = format_decode(format, element_load(from, format, start + i));
        for (uint64_t i = 0; good && i < rotary / 2; i++) {
            turned.pair = i;
            good = find_pair(&turned, x, together ? 2 * i : i,
                             together ? 2 * i + 1 : i + rotary / 2, precision, &y[start], error);
        }
    }
    close_turned(&turned);
    free(x);
    return good;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const uint64_t lines = shape_elements(&call->operands[ROPE_POSITION].shape);
    int64_t *positions = calloc(lines, sizeof *positions);
    for (uint64_t i = 0; positions && i < lines; i++)
        positions[i] = position_of(call, i);
    const int trouble =
        positions
            ? detmath_rope(y[0], x[ROPE_X], positions, NULL, (float)double_of(call, PARAMETER_BASE),
                           (float)double_of(call, PARAMETER_FACTOR), (size_t)rotary_of(call),
                           parameter_flag(call->parameters, PARAMETER_INTERLEAVED))
            : DETMATH_TROUBLE_MEMORY;
    free(positions);
    return trouble;
}

static WIDENED_RUN(run_det, call_detmath)

    /* Positions of a family: how far from the first line's to the next, and how far that may lie off. */
    struct positions {
    uint64_t step, most;
    bool negative;
    const char *numbers; /* the family of the elements */
};

static void draw_rope(const struct array_call *call, const struct array_family *family,
                      uint64_t seed, uint64_t number) {
    const struct positions *own = family->data;
    const struct array *positions = &call->operands[ROPE_POSITION];
    const uint64_t key = detmath_random(detmath_random(seed, number), 0x706f73);
    const uint64_t first = own->step ? detmath_random(key, 0) % own->most : 0;
    struct array_call elements = *call;
    const struct array_family *numbers = sum_families;
    while (strcmp(numbers->name, own->numbers) != 0)
        numbers++;
    elements.operands[ROPE_POSITION].codes = NULL;
    numbers->draw(&elements, numbers, seed, number);
    for (uint64_t i = 0; i < shape_elements(&positions->shape); i++) {
        const uint64_t drawn =
            own->step ? first + i * own->step : detmath_random(key, i + 1) % own->most;
        array_set_code(positions, i,
                       own->negative && detmath_random(key ^ 1, i) & 1 ? 0 - drawn : drawn);
    }
}

#define POSITIONS(NAME, SUMMARY, NUMBERS, STEP, MOST, NEGATIVE)                                    \
    { NAME, SUMMARY, draw_rope, &(const struct positions){STEP, MOST, NEGATIVE, NUMBERS}, 0 }
static const struct array_family families[] = {
    POSITIONS("normal", "mean 0, variance 1; positions one after the other from one below 4096 on",
              "normal", 1, 4096, false),
    POSITIONS("far", "normal; positions below 10^7", "normal", 0, 10000000, false),
    POSITIONS("first", "uniform; positions 0, 1, 2, ...", "uniform", 1, 1, false),
    POSITIONS("any", "log_uniform; any positions of 63 bits and either sign", "log_uniform", 0,
              UINT64_MAX >> 1, true),
    POSITIONS("denormals", "subnormal numbers; positions below 10^7", "denormals", 0, 10000000,
              true),
    POSITIONS("large", "up to the largest number; positions below 10^7", "large", 0, 10000000,
              false),
    POSITIONS("special", "normal, and one of 64 a zero, an infinity or NaN; positions below 4",
              "special", 0, 4, false),
    {0}};

static const struct array_algorithm algorithms[] = {
    {"det", "angles in turns of 128 bits, pairs of fp32 numbers, rounded once", provides_widened,
     run_det, NULL, NULL},
    {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
    {0}};

static const struct shape shapes[] = {{1, {2}},          {2, {3, 4}},     {2, {1, 6}},
                                      {2, {5, 64}},      {3, {2, 3, 32}}, {2, {2, 128}},
                                      {4, {2, 2, 3, 8}}, {2, {1, 510}},   {0}};

#define ROPE(NAME, ALIASES, WHICH, FORMULA)                                                        \
    {                                                                                              \
        .name = NAME, .aliases = ALIASES, .formula = FORMULA, .operands = 2, .results = 1,         \
        .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) |                             \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(BASE) | PARAMETER_BIT(FACTOR) |  \
                      PARAMETER_BIT(ROTARY) | PARAMETER_BIT(INTERLEAVED),                          \
        .group = "kernels", .array = &(const struct array_rule) {                                  \
            .which = WHICH, .operand_names = {"x", "position"},                                    \
            .roles = {OPERAND_LINES, OPERAND_PER_LINE}, .lines = LINES_PLACED, .last_axis = true,  \
            .operand_shapes = shapes_of_rope, .result_shapes = shapes_same, .exact = exact_rope,   \
            .algorithms = algorithms, .families = families, .shapes = shapes                       \
        }                                                                                          \
    }

static const struct operation rows[] = {
    ROPE("rope", "rotary_embedding", TURNS,
         "y[i] = x[i] cos a - x[i+n/2] sin a, y[i+n/2] = x[i+n/2] cos a + x[i] sin a, "
         "a = position base^(-2i/n) / factor"),
    ROPE("rope_gradient", NULL, TURNS_BACK,
         "y[i] = x[i] cos a + x[i+n/2] sin a, y[i+n/2] = x[i+n/2] cos a - x[i] sin a, "
         "a = position base^(-2i/n) / factor"),
};
OPERATION_FAMILY(rope, rows);

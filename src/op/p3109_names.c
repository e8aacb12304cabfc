/* The names, the operations that they stand for, and those that section 5.4 lets stand in for Op of BlockOp and ScaledOp. */
#include "op/p3109_names.h"

#include <string.h>

/* Whether operands may have a scale: none; each; all but the last, which is the scale of the result (BlockConvert); or the
 * blocks that they are, whose scales are operands too. */
enum form { UNSCALED, SCALED, TO_BLOCK, BLOCKS };

static const struct {
    const char *name, *in_report;
    enum form form;
} rows[] = {
    {"add", "Add", SCALED},
    {"sub", "Subtract", SCALED},
    {"mul", "Multiply", SCALED},
    {"div", "Divide", SCALED},
    {"fma", "FMA", SCALED},
    {"cast", "Convert", SCALED},
    {"recip", "Recip", SCALED},
    {"sqrt", "Sqrt", SCALED},
    {"rsqrt", "RSqrt", SCALED},
    {"exp", "Exp", SCALED},
    {"exp2", "Exp2", SCALED},
    {"expm1", "ExpMinusOne", SCALED},
    {"log", "Log", SCALED},
    {"log2", "Log2", SCALED},
    {"log1p", "LogOnePlus", SCALED},
    {"softplus", "Softplus", SCALED},
    {"hypot", "Hypot", SCALED},
    {"sin", "Sin", SCALED},
    {"cos", "Cos", SCALED},
    {"tan", "Tan", SCALED},
    {"asin", "ArcSin", SCALED},
    {"acos", "ArcCos", SCALED},
    {"atan", "ArcTan", SCALED},
    {"atan2", "ArcTan2", SCALED},
    {"sinpi", "SinPi", SCALED},
    {"cospi", "CosPi", SCALED},
    {"tanpi", "TanPi", SCALED},
    {"asinpi", "ArcSinPi", SCALED},
    {"acospi", "ArcCosPi", SCALED},
    {"atanpi", "ArcTanPi", SCALED},
    {"atan2pi", "ArcTan2Pi", SCALED},
    {"sinh", "Sinh", SCALED},
    {"cosh", "Cosh", SCALED},
    {"tanh", "Tanh", SCALED},
    {"asinh", "ArcSinh", SCALED},
    {"acosh", "ArcCosh", SCALED},
    {"atanh", "ArcTanh", SCALED},
    {"fminimum", "Minimum", SCALED},
    {"fmaximum", "Maximum", SCALED},
    {"fminimum_num", "MinimumNumber", SCALED},
    {"fmaximum_num", "MaximumNumber", SCALED},
    {"fminimum_mag", "MinimumMagnitude", SCALED},
    {"fmaximum_mag", "MaximumMagnitude", SCALED},
    {"fminimum_mag_num", "MinimumMagnitudeNumber", SCALED},
    {"fmaximum_mag_num", "MaximumMagnitudeNumber", SCALED},
    {"p3109.to_block", "ConvertToBlock", TO_BLOCK},
    {"nextup", "NextGreaterThan", UNSCALED},
    {"nextdown", "NextLessThan", UNSCALED},
    {"p3109.negate", "Negate", SCALED},
    {"p3109.abs", "Abs", SCALED},
    {"p3109.copysign", "CopySign", SCALED},
    {"p3109.faa", "FAA", SCALED},
    {"p3109.clamp", "Clamp", SCALED},
    {"p3109.minimum_finite", "MinimumFinite", SCALED},
    {"p3109.maximum_finite", "MaximumFinite", SCALED},
    {"p3109.compare_less", "CompareLess", UNSCALED},
    {"p3109.compare_less_equal", "CompareLessEqual", UNSCALED},
    {"p3109.compare_equal", "CompareEqual", UNSCALED},
    {"p3109.compare_greater_equal", "CompareGreaterEqual", UNSCALED},
    {"p3109.compare_greater", "CompareGreater", UNSCALED},
    {"p3109.total_order", "TotalOrder", UNSCALED},
    {"p3109.is_zero", "IsZero", UNSCALED},
    {"p3109.is_one", "IsOne", UNSCALED},
    {"p3109.is_nan", "IsNaN", UNSCALED},
    {"p3109.is_infinite", "IsInfinite", UNSCALED},
    {"p3109.is_finite", "IsFinite", UNSCALED},
    {"p3109.is_sign_minus", "IsSignMinus", UNSCALED},
    {"p3109.is_normal", "IsNormal", UNSCALED},
    {"p3109.is_subnormal", "IsSubnormal", UNSCALED},
    {"p3109.class", "Class", UNSCALED},
    {"p3109.reduce_add", "BlockReduceAdd", BLOCKS},
    {"p3109.reduce_multiply", "BlockReduceMultiply", BLOCKS},
    {"p3109.dot_product", "BlockDotProduct", BLOCKS},
    {"p3109.to_block_max_abs_finite", "ConvertToBlockMaxAbsFinite", UNSCALED},
};
enum { ROWS = sizeof rows / sizeof *rows };
#define FORMAT_MEMBER(name) "the member " name " of `detcheck list formats --json -`"

/* Names of the report that are a use of an operation, or no operation here. */
static const struct {
    const char *name, *operation;
    enum p3109_variant variant;
    const char *how;
} others[] = {
    {"ConvertFromBlock", "cast", P3109_PLAIN, ", from a scaled format, for each element"},
    {"BlockConvert", "p3109.to_block", P3109_BLOCK, ", of an element of a scaled format"},
    {"BitwidthOf", NULL, P3109_PLAIN, FORMAT_MEMBER("width")},
    {"PrecisionOf", NULL, P3109_PLAIN, FORMAT_MEMBER("precision")},
    {"SignednessOf", NULL, P3109_PLAIN, FORMAT_MEMBER("signed")},
    {"DomainOf", NULL, P3109_PLAIN, FORMAT_MEMBER("has_infinity")},
    {"ExponentBitwidthOf", NULL, P3109_PLAIN, FORMAT_MEMBER("exponent_bits")},
    {"TrailingSignificandBitwidthOf", NULL, P3109_PLAIN, FORMAT_MEMBER("trailing_bits")},
    {"ExponentBiasOf", NULL, P3109_PLAIN, FORMAT_MEMBER("exponent_bias")},
    {"MaxFiniteOf", NULL, P3109_PLAIN, FORMAT_MEMBER("max_finite")},
    {"MinFiniteOf", NULL, P3109_PLAIN, FORMAT_MEMBER("min_finite")},
    {"MinPositiveOf", NULL, P3109_PLAIN, FORMAT_MEMBER("min_positive")},
    {"MaxSubnormalOf", NULL, P3109_PLAIN, FORMAT_MEMBER("max_subnormal")},
    {"MinNormalOf", NULL, P3109_PLAIN, FORMAT_MEMBER("min_normal")},
    {"RoundOf", NULL, P3109_PLAIN, "the member rounding of reports"},
    {"SatOf", NULL, P3109_PLAIN, "the member parameters.saturation of reports"},
};

static const struct {
    const char *prefix, *how;
} variants[] = {
    [P3109_PLAIN] = {"", ""},
    [P3109_SCALED] = {"Scaled", ", on operands of scaled formats"},
    [P3109_BLOCK] = {"Block", ", on operands of scaled formats, with --result-scale"},
};

const char *const p3109_roundings[ROUNDING_NAMES] = {
    "NearestTiesToEven", "TowardZero",  "TowardPositive", "TowardNegative",
    "NearestTiesToAway", "Stochastic",  "NearestUp",      "ToOdd",
    "StochasticA",       "StochasticB", "StochasticC"};
const char *const p3109_saturations[P3109_SATURATIONS] = {"SatNone", "SatFinite", "SatPropagate"};

static size_t row_of(const struct operation *operation) {
    size_t at = 0;
    while (at < ROWS && strcmp(rows[at].name, operation->name) != 0)
        at++;
    return at;
}

const char *p3109_name(const struct operation *operation) {
    const size_t row = row_of(operation);
    return row < ROWS ? rows[row].in_report : NULL;
}

bool p3109_has_block_form(const struct operation *operation) {
    const size_t row = row_of(operation);
    return row < ROWS && rows[row].form == SCALED && !operation->converts;
}

/* Whether one of the operands from there on is. */
static bool any_is_scaled(const struct format *format, int first, int operands) {
    bool any = false;
    for (int i = first; i < operands; i++)
        any = any || format_of_operand(format, i)->element;
    return any;
}

static bool find_other(const char *name, struct p3109_word *word) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0) {
            *word = (struct p3109_word){others[i].operation, others[i].variant, 1,
                                        others[i].operation != NULL, others[i].how};
            return true;
        }
    return false;
}

/* The form that a row needs to have the variant. */
static bool has_variant(enum form form, enum p3109_variant variant) {
    return variant == P3109_PLAIN || form == SCALED;
}

bool p3109_find_word(const char *name, struct p3109_word *word) {
    if (find_other(name, word))
        return true;
    for (enum p3109_variant variant = P3109_PLAIN; variant <= P3109_BLOCK; variant++) {
        const size_t length = strlen(variants[variant].prefix);
        if (strncmp(name, variants[variant].prefix, length) != 0)
            continue;
        for (size_t i = 0; i < ROWS; i++)
            if (strcmp(name + length, rows[i].in_report) == 0 &&
                has_variant(rows[i].form, variant)) {
                *word = (struct p3109_word){rows[i].name, variant, 0,
                                            variant == P3109_BLOCK || rows[i].form == TO_BLOCK,
                                            variants[variant].how};
                return true;
            }
    }
    return false;
}

const char *p3109_word_at(size_t number) {
    const size_t count = sizeof others / sizeof *others;
    return number < ROWS           ? rows[number].in_report
           : number - ROWS < count ? others[number - ROWS].name
                                   : NULL;
}

const char *p3109_variant_name(const struct operation *operation, bool scaled, bool into_block,
                               const char **prefix, bool *counts) {
    const size_t row = row_of(operation);
    const bool to_block = row < ROWS && rows[row].form == TO_BLOCK;
    const enum p3109_variant variant = into_block || (to_block && scaled) ? P3109_BLOCK
                                       : scaled                           ? P3109_SCALED
                                                                          : P3109_PLAIN;
    *prefix = variants[variant].prefix;
    *counts = into_block || to_block;
    return to_block && scaled ? "Convert" : row < ROWS ? rows[row].in_report : operation->name;
}

bool p3109_takes_count(const struct operation *operation, const char *name, int listed,
                       struct error *error) {
    const size_t row = row_of(operation);
    const int operands = operation->operands / (row < ROWS && rows[row].form == BLOCKS ? 2 : 1);
    return listed == operands ||
           error_set(error, "%s has %d operand%s, and %.200s names the formats of %d",
                     operation->name, operands, operands == 1 ? "" : "s", name, listed);
}

bool p3109_takes_compound(const struct operation *operation, const struct format *format,
                          struct error *error) {
    const size_t row = row_of(operation);
    int listed = 0;
    while (listed < FORMAT_OPERANDS && format->of[listed])
        listed++;
    if (row == ROWS)
        return error_set(error,
                         "%.100s is not an operation of P3109, whose operands alone have scales, "
                         "or formats of their own",
                         operation->name);
    if (listed && !p3109_takes_count(operation, format->name, listed, error))
        return false;
    const enum form form = rows[row].form;
    return form == SCALED || form == BLOCKS ||
           !any_is_scaled(format, form == TO_BLOCK, operation->operands) ||
           error_set(error, "P3109 has no scaled form of %s, %s: %s has no scale",
                     rows[row].in_report, operation->name,
                     form == TO_BLOCK ? "its second operand" : "an operand");
}

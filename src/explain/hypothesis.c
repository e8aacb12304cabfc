/* The table of hypotheses about bits. */
#include "explain/hypothesis.h"

#include "sweep/built/built.h"

#include <string.h>

#define TRUTH(NAME, SAYS, CODE)                                                                    \
    { .name = NAME, .says = SAYS, .source = FROM_TRUTH, .truth = CODE }
/* Rounded once, to a format whose numbers the format of the results has. */
#define ONCE(TEXT, CODE)                                                                           \
    {                                                                                              \
        .name = "rounded-to-" TEXT, .says = "returns the exact result rounded to " TEXT ", once",  \
        .source = FROM_TRUTH, .result = CHANGE_TO_NARROW, .truth = CODE                            \
    }
#define NARROW(TEXT, FORMAT)                                                                       \
    {.name = "inputs-in-" TEXT,                                                                    \
     .says = "rounds its inputs to " TEXT " first",                                                \
     .source = FROM_MOVED,                                                                         \
     .input = CHANGE_TO_NARROW,                                                                    \
     .narrow = FORMAT},                                                                            \
        {.name = "results-in-" TEXT,                                                               \
         .says = "rounds its results to " TEXT,                                                    \
         .source = FROM_RESULT,                                                                    \
         .result = CHANGE_TO_NARROW,                                                               \
         .narrow = FORMAT},                                                                        \
    {                                                                                              \
        .name = "computed-in-" TEXT, .says = "rounds inputs and results to " TEXT,                 \
        .source = FROM_MOVED, .input = CHANGE_TO_NARROW, .result = CHANGE_TO_NARROW,               \
        .narrow = FORMAT                                                                           \
    }

const struct hypothesis hypotheses[] = {
    [HYPOTHESIS_NAN_BITS] = {.name = "nan-bits",
                             .says = "both are NaN, with other bits",
                             .source = FROM_BOTH,
                             .result = CHANGE_NAN},
    [HYPOTHESIS_ZERO_SIGNS] = {.name = "zero-signs",
                               .says = "both are zero, with different signs",
                               .source = FROM_BOTH,
                               .result = CHANGE_ZERO_SIGN},
    {.name = "flushed-inputs",
     .says = "treats subnormal inputs as zeros of their sign",
     .source = FROM_MOVED,
     .input = CHANGE_FLUSH},
    {.name = "flushed-results",
     .says = "returns zeros of their sign for subnormal results",
     .source = FROM_RESULT,
     .result = CHANGE_FLUSH},
    {.name = "flushed-inputs-to-plus-zero",
     .says = "treats subnormal inputs as +0",
     .source = FROM_MOVED,
     .input = CHANGE_FLUSH_TO_PLUS},
    {.name = "flushed-results-to-plus-zero",
     .says = "gives +0 for subnormal results",
     .source = FROM_RESULT,
     .result = CHANGE_FLUSH_TO_PLUS},
    {.name = "doubled-subnormal-results",
     .says = "returns twice the result if it is subnormal",
     .source = FROM_RESULT,
     .result = CHANGE_DOUBLE},
    TRUTH("rounded-to-nearest-even", "returns the exact result rounded to nearest, ties to even",
          ROUND_NEAREST_EVEN),
    TRUTH("rounded-toward-zero", "returns the exact result rounded toward zero", ROUND_TOWARD_ZERO),
    TRUTH("rounded-by-fp64-toward-zero",
          "returns the exact result rounded to fp64 first, and then toward zero",
          TRUTH_TOWARD_ZERO_BY_FP64),
    TRUTH("rounded-up", "returns the exact result rounded up", ROUND_UP),
    TRUTH("rounded-down", "returns the exact result rounded down", ROUND_DOWN),
    TRUTH("rounded-away-from-zero", "returns the exact result rounded away from zero",
          TRUTH_AWAY_FROM_ZERO),
    TRUTH("rounded-to-nearest-away",
          "returns the exact result rounded to nearest, ties away from zero", ROUND_NEAREST_AWAY),
    TRUTH("rounded-to-nearest-odd", "returns the exact result rounded to nearest, ties to odd",
          TRUTH_NEAREST_ODD),
    TRUTH("rounded-to-nearest-zero",
          "returns the exact result rounded to nearest, ties toward zero", TRUTH_NEAREST_ZERO),
    TRUTH("rounded-to-odd", "returns the exact result rounded to odd", ROUND_TO_ODD),
    TRUTH("rounded-stochastic-a",
          "returns the exact result rounded by the random bits as stochastic-a",
          ROUND_STOCHASTIC_A),
    TRUTH("rounded-stochastic-b",
          "returns the exact result rounded by the random bits as stochastic-b",
          ROUND_STOCHASTIC_B),
    TRUTH("rounded-stochastic-c",
          "returns the exact result rounded by the random bits as stochastic-c",
          ROUND_STOCHASTIC_C),
    TRUTH("saturated-none", "saturates as sat-none does", TRUTH_SATURATED + OVERFLOW_IEEE),
    TRUTH("saturated-finite", "saturates as sat-finite does", TRUTH_SATURATED + OVERFLOW_SATURATE),
    TRUTH("saturated-propagate", "saturates as sat-propagate does",
          TRUTH_SATURATED + OVERFLOW_PROPAGATE),
    TRUTH("result-not-divided", "does not divide the result by --result-scale", TRUTH_UNDIVIDED),
    TRUTH("rounded-twice-by-fp16", "returns the exact result rounded to fp16 first, and then again",
          TRUTH_BY_FP16),
    TRUTH("rounded-twice-by-bf16", "returns the exact result rounded to bf16 first, and then again",
          TRUTH_BY_BF16),
    TRUTH("rounded-twice-by-fp32", "returns the exact result rounded to fp32 first, and then again",
          TRUTH_BY_FP32),
    TRUTH("rounded-twice-by-fp64", "returns the exact result rounded to fp64 first, and then again",
          TRUTH_BY_FP64),
    TRUTH("rounded-by-fp32-and-fp16",
          "returns the exact result rounded to fp32 first, then to fp16, and then again",
          TRUTH_BY_FP32_AND_FP16),
    TRUTH("rounded-by-fp32-and-bf16",
          "returns the exact result rounded to fp32 first, then to bf16, and then again",
          TRUTH_BY_FP32_AND_BF16),
    TRUTH("rounded-twice-by-x87",
          "returns the exact result rounded to x87's 64 bits first, and then again", TRUTH_BY_X87),
    TRUTH("steps-by-x87",
          "rounds the product and the sum to x87's 64 bits, and then the result again",
          TRUTH_STEPS_BY_X87),
    TRUTH("rounded-twice-where-subnormal",
          "returns the exact result rounded to the format's number of bits first, and again where "
          "it is "
          "subnormal",
          TRUTH_BY_OWN_BITS),
    TRUTH("rounded-twice-by-fp64-where-subnormal",
          "returns the exact result, rounded to fp64 first where it is subnormal, and then again",
          TRUTH_BY_FP64_WHERE_SUBNORMAL),
    TRUTH(
        "cut-behind-1-bit",
        "returns the exact result, cut off behind 1 bit more than the format has, and then rounded",
        TRUTH_CUT_BEHIND_1_BIT),
    TRUTH("cut-behind-2-bits",
          "returns the exact result, cut off behind 2 bits more than the format has, and then "
          "rounded",
          TRUTH_CUT_BEHIND_2_BITS),
    TRUTH("cut-behind-3-bits",
          "returns the exact result, cut off behind 3 bits more than the format has, and then "
          "rounded",
          TRUTH_CUT_BEHIND_3_BITS),
    TRUTH("cut-behind-1-bit-where-subnormal",
          "returns the exact result, if subnormal cut off 1 bit behind the last place, and then "
          "rounded",
          TRUTH_CUT_BEHIND_HALF_WHERE_SUBNORMAL),
    TRUTH("overflow-to-largest-number",
          "returns the largest number for every result that is beyond it",
          TRUTH_OVERFLOW_TO_LARGEST),
    TRUTH(
        "infinity-beyond-largest-number",
        "returns infinity for every finite result beyond the largest number, also if it should be "
        "rounded to that number",
        TRUTH_OVERFLOW_TO_INFINITY),
    TRUTH("overflow-tie-to-largest-number",
          "returns the largest number for the midpoint between it and the next power of two",
          TRUTH_OVERFLOW_TIE_TO_LARGEST),
    NARROW("fp32", FORMAT_FP32),
    NARROW("tf32", FORMAT_TF32),
    NARROW("bf16", FORMAT_BF16),
    NARROW("fp16", FORMAT_FP16),
    ONCE("fp32", TRUTH_BY_FP32),
    ONCE("bf16", TRUTH_BY_BF16),
    ONCE("fp16", TRUTH_BY_FP16),
};
const size_t hypothesis_count = sizeof hypotheses / sizeof *hypotheses;

const struct hypothesis place_rows[PLACES] = {
    [PLACE_REPETITION] = {.name = "repetition",
                          .says = "does not give the same bits when it is called again"},
    [PLACE_POSITION] = {.name = "position",
                        .says = "gives the other's bits where the input is alone in its call"},
    [PLACE_NEAR] = {.name = "rounded-approximation",
                    .says = "rounds an approximation: its results are wrong only next to where "
                            "rounding changes"},
    [PLACE_INTERVAL] = {.name = "one-interval",
                        .says = "all differences lie in one interval, as with a special case",
                        .says_of_casts = "all differences lie in one interval"},
    [PLACE_BEYOND] = {.name = "beyond-a-bound",
                      .says = "all differences lie beyond a bound, as with another range reduction",
                      .says_of_casts = "all differences lie beyond a bound"},
    [PLACE_MANTISSAS] = {.name = "same-mantissas",
                         .says = "the differences lie at the same mantissas in many binades, as "
                                 "with another table or polynomial",
                         .says_of_casts =
                             "the differences lie at the same mantissas in many binades"},
};

/* Whether the results have fewer bits than a format that they are rounded to first. */
static bool is_wider(enum format_number by, const struct format *format) {
    return format->precision < formats[by].precision;
}

/* Whether a row on roundings by way of a format applies. In one that has more bits or larger exponents, results are rounded
 * a second time, and in others they stay what they are: then the row says that they are rounded once. */
static bool by_format_applies(const struct hypothesis *row, enum format_number by,
                              const struct format *format) {
    const bool once = row->result == CHANGE_TO_NARROW;
    if (formats[by].precision == format->precision)
        return false;
    return once != (is_wider(by, format) || formats[by].emax > format->emax);
}

/* A direction that is not the one asked for: that one is how things should be, and no cause. Other ways are of functions
 * that have to be right in every bit, of which a rare difference is one. */
static bool truth_applies(const struct hypothesis *row, const struct binding_request *computed) {
    const struct format *format = request_result_format(computed);
    const bool nearest =
        computed->rounding == ROUND_NEAREST_EVEN || computed->rounding == ROUND_NEAREST_AWAY;
    const bool is_rare = nearest && built_is_for(computed->operation, computed->format);
    switch (row->truth) {
    case TRUTH_AWAY_FROM_ZERO:
        return true;
    case TRUTH_NEAREST_ODD:
    case TRUTH_NEAREST_ZERO:
        return is_rare;
    case ROUND_TO_ODD:
        return computed->format->is_p3109 && computed->rounding != ROUND_TO_ODD;
    case ROUND_STOCHASTIC_A:
    case ROUND_STOCHASTIC_B:
    case ROUND_STOCHASTIC_C:
        return computed->format->is_p3109 && rounding_is_stochastic(computed->rounding) &&
               row->truth != (int)computed->rounding;
    case TRUTH_SATURATED + OVERFLOW_IEEE:
    case TRUTH_SATURATED + OVERFLOW_SATURATE:
    case TRUTH_SATURATED + OVERFLOW_PROPAGATE:
        return computed->format->is_p3109 &&
               row->truth - TRUTH_SATURATED !=
                   (int)parameters_overflow(&computed->parameters, computed->overflow);
    case TRUTH_UNDIVIDED:
        return computed->parameters.values[PARAMETER_RESULT_SCALE].present;
    case TRUTH_BY_FP32_AND_FP16:
        return is_rare && is_wider(FORMAT_FP32, format) &&
               by_format_applies(row, FORMAT_FP16, format);
    case TRUTH_BY_FP32_AND_BF16:
        return is_rare && is_wider(FORMAT_FP32, format) &&
               by_format_applies(row, FORMAT_BF16, format);
    case TRUTH_BY_FP16:
        return is_rare && by_format_applies(row, FORMAT_FP16, format);
    case TRUTH_BY_BF16:
        return is_rare && by_format_applies(row, FORMAT_BF16, format);
    case TRUTH_BY_FP32:
        return nearest && (is_rare || is_wider(FORMAT_FP32, format)) &&
               by_format_applies(row, FORMAT_FP32, format);
    case TRUTH_TOWARD_ZERO_BY_FP64:
        return is_wider(FORMAT_FP64, format);
    case TRUTH_BY_FP64:
        return nearest && is_wider(FORMAT_FP64, format);
    case TRUTH_BY_X87:
        return nearest && format->precision >= formats[FORMAT_FP32].precision;
    case TRUTH_STEPS_BY_X87:
        return is_rare && !is_wider(FORMAT_FP64, format) &&
               strcmp(computed->operation->name, "fma") == 0;
    case TRUTH_BY_FP64_WHERE_SUBNORMAL:
        return is_rare && is_wider(FORMAT_FP64, format);
    case TRUTH_OVERFLOW_TO_LARGEST:
    case TRUTH_OVERFLOW_TO_INFINITY:
    case TRUTH_OVERFLOW_TIE_TO_LARGEST:
        return is_rare && format->has_infinity;
    case TRUTH_BY_OWN_BITS:
    case TRUTH_CUT_BEHIND_1_BIT:
    case TRUTH_CUT_BEHIND_2_BITS:
    case TRUTH_CUT_BEHIND_3_BITS:
    case TRUTH_CUT_BEHIND_HALF_WHERE_SUBNORMAL:
        return is_rare;
    default:
        return row->truth != (int)computed->rounding;
    }
}

bool hypothesis_applies(const struct hypothesis *row, const struct binding_request *computed) {
    const struct format *in = computed->format, *out = request_result_format(computed);
    bool narrows = row->input == CHANGE_TO_NARROW || row->result == CHANGE_TO_NARROW;
    if (format_is_whole(in) || format_is_whole(out))
        return row->source == FROM_BOTH;
    if (row->source == FROM_TRUTH)
        return truth_applies(row, computed);
    const struct format *narrow = &formats[row->narrow];
    return !narrows || (narrow->precision < in->precision && narrow->precision < out->precision);
}

uint64_t hypothesis_change(const struct format *format, enum hypothesis_change change, int narrow,
                           uint64_t code) {
    bool subnormal;
    switch (change) {
    case CHANGE_FLUSH:
    case CHANGE_FLUSH_TO_PLUS:
        subnormal = format_classify(format, code) == CLASS_SUBNORMAL;
        return !subnormal ? code
               : change == CHANGE_FLUSH
                   ? format_with_sign(format, 0, format_is_negative(format, code))
                   : 0;
    case CHANGE_DOUBLE: /* codes of subnormal numbers are their multiples of the least */
        subnormal = format_classify(format, code) == CLASS_SUBNORMAL;
        return !subnormal ? code
                          : format_with_sign(format, 2 * format_magnitude(format, code),
                                             format_is_negative(format, code));
    case CHANGE_TO_NARROW: {
        if (format_is_nan(format, code))
            return code;
        struct real value = format_decode(format, code);
        value = format_decode(&formats[narrow], format_encode(&formats[narrow], &value,
                                                              ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        return format_encode(format, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    default:
        return code;
    }
}

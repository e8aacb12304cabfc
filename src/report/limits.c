/* The rows. */
#include "report/limits.h"

#include "report/explanation_read.h"
#include "report/invariance_read.h"

#include <float.h>

/* A figure of an implementation as a report has it. */
#define FIGURE(NAME, VALUE)                                                                        \
    static double NAME(const struct read_implementation *one) {                                    \
        return (double)(VALUE);                                                                    \
    }
#define REPORTED(NAME, VALUE)                                                                      \
    static bool NAME(const struct read_implementation *one) {                                      \
        return VALUE;                                                                              \
    }

static double per_million(uint64_t count, uint64_t of) {
    return of ? (double)count * 1e6 / (double)of : 0;
}

FIGURE(max_ulp, one->max_ulp)
FIGURE(mean_ulp, one->mean_ulp)
FIGURE(p50_ulp, tally_percentile(&one->tally, 500).up_to)
FIGURE(p90_ulp, tally_percentile(&one->tally, 900).up_to)
FIGURE(p99_ulp, tally_percentile(&one->tally, 990).up_to)
FIGURE(p99_9_ulp, tally_percentile(&one->tally, 999).up_to)
FIGURE(absolute_error, one->tally.absolute.max.error)
FIGURE(mean_absolute_error,
       one->tally.absolute.infinite ? DBL_MAX : tally_mean_absolute(&one->tally))
FIGURE(relative_error, one->tally.relative.max.error)
FIGURE(mean_relative_error,
       one->tally.relative.infinite ? DBL_MAX : tally_mean_relative(&one->tally))
FIGURE(wrong_way, one->tally.monotony.wrong)
FIGURE(not_symmetric, one->tally.symmetry.wrong)
FIGURE(incorrect, one->tally.incorrect)
FIGURE(incorrect_share,
       per_million(one->tally.incorrect + one->tally.nan_mismatches, one->tally.tested))
FIGURE(unfaithful_share, per_million(one->tally.tested - one->tally.faithful, one->tally.tested))
FIGURE(violation_share, per_million(one->tally.promise.violations, one->held))
FIGURE(mismatches, read_mismatches(one))
FIGURE(not_correct, one->tally.incorrect + one->tally.nan_mismatches)
FIGURE(not_faithful, one->tally.tested - one->tally.faithful)
FIGURE(over_1_ulp, one->tally.over_1_ulp)
FIGURE(nan_mismatches, one->tally.nan_mismatches)
FIGURE(sign_mismatches, one->tally.sign_mismatches)
FIGURE(nan_bits, one->tally.nan_bits_differ)
FIGURE(signalling_nans, one->tally.signalling_nans)
FIGURE(saturated, one->tally.saturated)
FIGURE(vanished, one->tally.vanished)
FIGURE(violations, one->tally.promise.violations)
FIGURE(events, one->events)
FIGURE(unanswered, one->tally.unanswered)
FIGURE(not_called, one->tally.not_called)
FIGURE(not_provided, !one->provided)
FIGURE(missing_flags, effects_faults(&one->effects, EFFECT_FLAGS, EFFECT_MISSING))
FIGURE(spurious_flags, effects_faults(&one->effects, EFFECT_FLAGS, EFFECT_SPURIOUS))
FIGURE(cleared_flags, effects_faults(&one->effects, EFFECT_FLAGS, EFFECT_CLEARED))
FIGURE(wrong_errno, effects_faults(&one->effects, EFFECT_ERRNO, EFFECT_MISSING) +
                        effects_faults(&one->effects, EFFECT_ERRNO, EFFECT_SPURIOUS))
FIGURE(wrong_lengths, one->tally.lengths.wrong)
FIGURE(changed, read_most_changed(one))
FIGURE(value_error, one->tally.value.max.error)
FIGURE(mean_value_error, one->mean_value_error)
FIGURE(clipped, one->tally.value.clipped)
FIGURE(overflowed, one->tally.value.overflowed)
FIGURE(lost_bits, one->tally.value.lost_bits)
FIGURE(differences, one->explanation.differ)
FIGURE(unexplained, one->explanation.unexplained)

FIGURE(of_ulps, one->tally.in_ulps)
FIGURE(of_absolute, one->tally.absolute.outputs)
FIGURE(of_relative, one->tally.relative.outputs)
FIGURE(of_lines, one->tally.lengths.lines)
FIGURE(of_neighbours, one->tally.monotony.pairs - one->tally.monotony.undecided)
FIGURE(of_symmetry, one->tally.symmetry.pairs - one->tally.symmetry.undecided)

REPORTED(tells_promise, one->tally.tells &TELLS_PROMISE)
REPORTED(tells_errors, one->tally.tells &TELLS_ERRORS)
REPORTED(tells_monotony, one->tally.tells &TELLS_MONOTONY)
REPORTED(tells_symmetry, one->tally.tells &TELLS_SYMMETRY)
REPORTED(tells_flags, one->effects.reported[EFFECT_FLAGS])
REPORTED(tells_errno, one->effects.reported[EFFECT_ERRNO])
REPORTED(tells_value, one->tally.tells &TELLS_VALUE)
REPORTED(tells_signalling, one->tally.tells &TELLS_SIGNALLING)
REPORTED(tells_lengths, one->tally.tells &TELLS_LENGTHS)
REPORTED(tells_ends, one->tally.tells &TELLS_ENDS)

const char *limit_what(const struct limit_row *row,
                       const struct read_implementation *implementation) {
    return row->of_blocks && explanation_counts_blocks(implementation) ? row->of_blocks : row->what;
}

bool limit_is_reported(const struct limit_row *row,
                       const struct read_implementation *implementation) {
    return !row->reported || row->reported(implementation);
}

bool limit_is_measured(const struct limit_row *row,
                       const struct read_implementation *implementation) {
    return !row->measured || row->measured(implementation) > 0;
}

bool limit_is_of(const struct limit_row *row, const struct read_implementation *implementation) {
    return row->kinds >> implementation->kind & 1;
}

enum {
    OF_JUDGED = 1 << READ_JUDGED,
    OF_INVARIANCE = 1 << READ_INVARIANCE,
    OF_EXPLANATION = 1 << READ_EXPLANATION,
    OF_ALL = OF_JUDGED | OF_INVARIANCE | OF_EXPLANATION
};

#define FLAGS    tells_flags, "sweep --flags asks for that", .kinds = OF_JUDGED
#define ERRNO    tells_errno, "sweep --errno asks for that", .kinds = OF_JUDGED
#define VALUE    tells_value, "dyadic operations have one", .kinds = OF_JUDGED
#define PROMISE  tells_promise, "sweep --policy asks for that", .kinds = OF_JUDGED
#define SIGNALS  tells_signalling, "operations on numbers have it", .kinds = OF_JUDGED
#define ENDS     tells_ends, "casts and scaled operations have it", .kinds = OF_JUDGED
#define LENGTHS  tells_lengths, "from_decimal and to_decimal have it", .kinds = OF_JUDGED
#define ERRORS   tells_errors, "sweep --show errors asks for that", .kinds = OF_JUDGED
#define MONOTONY tells_monotony, "sweep --show monotony asks for that", .kinds = OF_JUDGED
#define SYMMETRY                                                                                   \
    tells_symmetry, "sweep --show symmetry asks for that, of functions that are even or odd",      \
        .kinds = OF_JUDGED
#define JUDGED    NULL, NULL, .kinds = OF_JUDGED
#define EXPLAINED NULL, NULL, .kinds = OF_EXPLANATION

/* Errors that the fast oracle knows to 2^-21 ulp are in a mean. */
#define MEAN_SLACK 0x1p-20

const struct limit_row limit_rows[LIMIT_COUNT] = {
    [LIMIT_MAX_ULP] = {"max_ulp", LIMIT_OF_ERROR, "largest error in ulps", max_ulp, "max_ulp",
                       JUDGED, .of_errors = true, .measure = MEASURED},
    [LIMIT_MAX_MEAN_ULP] = {"max_mean_ulp", LIMIT_OF_AVERAGE, "mean error in ulps", mean_ulp,
                            "max_ulp", JUDGED, .of_errors = true, .measure = MEASURED,
                            .slack = MEAN_SLACK, .measured = of_ulps},
    [LIMIT_MAX_P50_ULP] = {"max_p50_ulp", LIMIT_OF_AVERAGE,
                           "error in ulps that half of the outputs do not exceed", p50_ulp,
                           "max_ulp", JUDGED, .of_errors = true, .measured = of_ulps},
    [LIMIT_MAX_P90_ULP] = {"max_p90_ulp", LIMIT_OF_AVERAGE,
                           "error in ulps that 90 % of the outputs do not exceed", p90_ulp,
                           "max_ulp", JUDGED, .of_errors = true, .measured = of_ulps},
    [LIMIT_MAX_P99_ULP] = {"max_p99_ulp", LIMIT_OF_AVERAGE,
                           "error in ulps that 99 % of the outputs do not exceed", p99_ulp,
                           "max_ulp", JUDGED, .of_errors = true, .measured = of_ulps},
    [LIMIT_MAX_P99_9_ULP] = {"max_p99_9_ulp", LIMIT_OF_AVERAGE,
                             "error in ulps that 99.9 % of the outputs do not exceed", p99_9_ulp,
                             "max_ulp", JUDGED, .of_errors = true, .measured = of_ulps},
    [LIMIT_MAX_ABSOLUTE_ERROR] = {"max_absolute_error", LIMIT_OF_ERROR, "largest absolute error",
                                  absolute_error, "absolute_error/max", ERRORS, .of_errors = true,
                                  .measure = MEASURED, .measured = of_absolute},
    [LIMIT_MAX_MEAN_ABSOLUTE_ERROR] = {"max_mean_absolute_error", LIMIT_OF_AVERAGE,
                                       "mean absolute error", mean_absolute_error,
                                       "absolute_error/max", ERRORS, .of_errors = true,
                                       .measure = MEASURED, .measured = of_absolute},
    [LIMIT_MAX_RELATIVE_ERROR] = {"max_relative_error", LIMIT_OF_ERROR, "largest relative error",
                                  relative_error, "relative_error/max", ERRORS, .of_errors = true,
                                  .measure = MEASURED, .measured = of_relative},
    [LIMIT_MAX_MEAN_RELATIVE_ERROR] = {"max_mean_relative_error", LIMIT_OF_AVERAGE,
                                       "mean relative error", mean_relative_error,
                                       "relative_error/max", ERRORS, .of_errors = true,
                                       .measure = MEASURED, .measured = of_relative},
    [LIMIT_MAX_WRONG_WAY] = {"max_wrong_way", LIMIT_OF_COUNT,
                             "neighbours that run against the exact results", wrong_way,
                             "monotony/first", MONOTONY, .measure = MEASURED,
                             .measured = of_neighbours},
    [LIMIT_MAX_NOT_SYMMETRIC] = {"max_not_symmetric", LIMIT_OF_COUNT,
                                 "inputs where f(-x) is not f(x) or -f(x)", not_symmetric,
                                 "symmetry/first", SYMMETRY, .measure = MEASURED,
                                 .measured = of_symmetry},
    [LIMIT_MAX_INCORRECT] = {"max_incorrect", LIMIT_OF_COUNT,
                             "numbers that are not correctly rounded", incorrect, "worst", JUDGED,
                             .of_errors = true, .measure = MEASURED},
    [LIMIT_MAX_INCORRECT_SHARE] = {"max_incorrect_per_million", LIMIT_OF_AVERAGE,
                                   "outputs of a million that are not correctly rounded",
                                   incorrect_share, "worst", JUDGED},
    [LIMIT_MAX_UNFAITHFUL] = {"max_unfaithful", LIMIT_OF_COUNT, "outputs that are not faithful",
                              not_faithful, "worst", JUDGED, .measure = MEASURED},
    [LIMIT_MAX_UNFAITHFUL_SHARE] = {"max_unfaithful_per_million", LIMIT_OF_AVERAGE,
                                    "outputs of a million that are not faithful", unfaithful_share,
                                    "worst", JUDGED},
    [LIMIT_MAX_OVER_1_ULP] = {"max_over_1_ulp", LIMIT_OF_COUNT, "errors above 1 ulp", over_1_ulp,
                              "max_ulp", JUDGED, .of_errors = true, .measure = MEASURED},
    [LIMIT_MAX_MISMATCHES] = {"max_mismatches", LIMIT_OF_COUNT,
                              "NaN mismatches and zeros of the wrong sign", mismatches,
                              "first_mismatches", JUDGED},
    [LIMIT_MAX_NAN_MISMATCHES] = {"max_nan_mismatches", LIMIT_OF_COUNT,
                                  "NaNs in the place of numbers, or the reverse", nan_mismatches,
                                  "first_mismatches/nan", JUDGED, .measure = MEASURED,
                                  .implied = IMPLIED_BY_ERRORS, .whole = LIMIT_MAX_MISMATCHES},
    [LIMIT_MAX_SIGN_MISMATCHES] = {"max_sign_mismatches", LIMIT_OF_COUNT, "zeros of the wrong sign",
                                   sign_mismatches, "first_mismatches/sign", JUDGED,
                                   .measure = MEASURED, .implied = IMPLIED_BY_ERRORS,
                                   .whole = LIMIT_MAX_MISMATCHES},
    [LIMIT_MAX_NAN_BITS] = {"max_nan_bits", LIMIT_OF_COUNT,
                            "NaNs with other bits than the canonical NaN", nan_bits, "max_ulp",
                            JUDGED, .measure = MEASURED},
    [LIMIT_MAX_SIGNALLING_NANS] = {"max_signalling_nans", LIMIT_OF_COUNT,
                                   "outputs that are signalling NaNs", signalling_nans, "max_ulp",
                                   SIGNALS, .measure = MEASURED},
    [LIMIT_MAX_SATURATED] = {"max_saturated", LIMIT_OF_COUNT, "outputs that saturate", saturated,
                             "max_ulp", ENDS, .measure = MEASURED},
    [LIMIT_MAX_VANISHED] = {"max_vanished", LIMIT_OF_COUNT,
                            "outputs that are zero where the exact result is not", vanished,
                            "max_ulp", ENDS, .measure = MEASURED},
    [LIMIT_REQUIRE_CORRECT] = {"require_correct", LIMIT_REQUIRED,
                               "outputs that are not correctly rounded", not_correct, "worst",
                               JUDGED},
    [LIMIT_REQUIRE_FAITHFUL] = {"require_faithful", LIMIT_REQUIRED, "outputs that are not faithful",
                                not_faithful, "worst", JUDGED},
    [LIMIT_MAX_VIOLATIONS] = {"max_violations", LIMIT_OF_COUNT,
                              "outputs that break what is promised", violations, "promise/worst",
                              PROMISE, .measure = MEASURED},
    [LIMIT_MAX_VIOLATION_SHARE] = {"max_violations_per_million", LIMIT_OF_AVERAGE,
                                   "outputs of a million that break what is promised",
                                   violation_share, "promise/worst", PROMISE},
    [LIMIT_MAX_EVENTS] = {"max_events", LIMIT_OF_COUNT,
                          "crashes, hangs, exits and changed roundings", events, "events", NULL,
                          NULL, OF_ALL, .implied = IMPLIED_ALWAYS},
    [LIMIT_MAX_UNANSWERED] = {"max_unanswered", LIMIT_OF_COUNT, "inputs without an answer",
                              unanswered, "events", NULL, NULL, OF_ALL, .implied = IMPLIED_ALWAYS,
                              .measure = MEASURED},
    [LIMIT_MAX_NOT_CALLED] = {"max_not_called", LIMIT_OF_COUNT,
                              "inputs that are not calls of C, or undefined by a profile",
                              not_called, NULL, NULL, NULL, OF_ALL, .implied = IMPLIED_OF_HALF,
                              .measure = MEASURED_IN_PARTS}, /* "tested" */
    [LIMIT_REQUIRE_PROVIDED] = {"require_provided", LIMIT_REQUIRED, "what is not provided",
                                not_provided, NULL, NULL, NULL, .kinds = OF_ALL},
    [LIMIT_MAX_MISSING_FLAGS] = {"max_missing_flags", LIMIT_OF_COUNT,
                                 "exception flags that calls had to raise and did not",
                                 missing_flags, "flags/missing", FLAGS,
                                 .measure = MEASURED_IN_PARTS},
    [LIMIT_MAX_SPURIOUS_FLAGS] = {"max_spurious_flags", LIMIT_OF_COUNT,
                                  "exception flags that calls raised and had no reason to",
                                  spurious_flags, "flags/spurious", FLAGS,
                                  .measure = MEASURED_IN_PARTS},
    [LIMIT_MAX_CLEARED_FLAGS] = {"max_cleared_flags", LIMIT_OF_COUNT,
                                 "exception flags that calls cleared", cleared_flags,
                                 "flags/cleared", FLAGS, .measure = MEASURED_IN_PARTS},
    [LIMIT_MAX_WRONG_ERRNO] = {"max_wrong_errno", LIMIT_OF_COUNT,
                               "calls that left errno other than C asks for", wrong_errno, "errno/",
                               ERRNO, .measure = MEASURED_IN_PARTS},
    [LIMIT_MAX_WRONG_LENGTHS] = {"max_wrong_lengths", LIMIT_OF_COUNT,
                                 "texts whose number of bytes a call told wrongly", wrong_lengths,
                                 "lengths/first", LENGTHS, .measure = MEASURED,
                                 .measured = of_lines},
    [LIMIT_MAX_CHANGED] = {"max_changed", LIMIT_OF_COUNT, "inputs whose bits change by a property",
                           changed, "invariance", NULL, NULL, .kinds = OF_INVARIANCE},
    [LIMIT_MAX_VALUE_ERROR] = {"max_value_error", LIMIT_OF_ERROR,
                               "largest error of a value in units of 2^-scale", value_error,
                               "value", VALUE, .measure = MEASURED},
    [LIMIT_MAX_MEAN_VALUE_ERROR] = {"max_mean_value_error", LIMIT_OF_AVERAGE,
                                    "mean error of a value in units of 2^-scale", mean_value_error,
                                    "value", VALUE, .measure = MEASURED},
    [LIMIT_MAX_CLIPPED] = {"max_clipped", LIMIT_OF_COUNT, "elements that were clipped", clipped,
                           "value", VALUE, .measure = MEASURED},
    [LIMIT_MAX_OVERFLOWED] = {"max_overflowed", LIMIT_OF_COUNT,
                              "elements that overflowed their accumulator", overflowed, "value",
                              VALUE, .measure = MEASURED},
    [LIMIT_MAX_LOST_BITS] = {"max_lost_bits", LIMIT_OF_COUNT, "elements that lost bits", lost_bits,
                             "value", VALUE, .measure = MEASURED},
    [LIMIT_MAX_DIFFERENCES] = {"max_differences", LIMIT_OF_COUNT,
                               "differences between two implementations", differences,
                               "explanation/first", EXPLAINED,
                               .of_blocks = "blocks in which two implementations differ",
                               .measure = MEASURED},
    [LIMIT_MAX_UNEXPLAINED] = {"max_unexplained", LIMIT_OF_COUNT,
                               "differences that no simple cause explains", unexplained,
                               "explanation/first_unexplained", EXPLAINED,
                               .of_blocks = "blocks that differ without a simple cause",
                               .measure = MEASURED},
};

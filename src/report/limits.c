/* The rows. */
#include "report/limits.h"

#include "report/invariance_read.h"

static double max_ulp(const struct read_implementation *one) {
    return one->max_ulp;
}

static double incorrect(const struct read_implementation *one) {
    return (double)one->incorrect;
}

static double mean_ulp(const struct read_implementation *one) {
    return one->mean_ulp;
}

static double per_million(uint64_t count, uint64_t of) {
    return of ? (double)count * 1e6 / (double)of : 0;
}

static double incorrect_share(const struct read_implementation *one) {
    return per_million(one->incorrect + one->nan_mismatches, one->tested);
}

static double unfaithful_share(const struct read_implementation *one) {
    return per_million(one->tested - one->faithful, one->tested);
}

static double violation_share(const struct read_implementation *one) {
    return per_million(one->violations, one->held);
}

static double mismatches(const struct read_implementation *one) {
    return (double)read_mismatches(one);
}

static double not_correct(const struct read_implementation *one) {
    return (double)(one->incorrect + one->nan_mismatches);
}

static double not_faithful(const struct read_implementation *one) {
    return (double)(one->tested - one->faithful);
}

static double violations(const struct read_implementation *one) {
    return (double)one->violations;
}

static bool tells_promise(const struct read_implementation *one) {
    return one->tells_promise;
}

static double events(const struct read_implementation *one) {
    return (double)one->events;
}

static bool tells_flags(const struct read_implementation *one) {
    return one->flags.told;
}

static bool tells_errno(const struct read_implementation *one) {
    return one->errnos.told;
}

static bool tells_value(const struct read_implementation *one) {
    return one->value.told;
}

static double missing_flags(const struct read_implementation *one) {
    return (double)one->flags.faults[READ_FAULT_MISSING];
}

static double spurious_flags(const struct read_implementation *one) {
    return (double)one->flags.faults[READ_FAULT_SPURIOUS];
}

static double cleared_flags(const struct read_implementation *one) {
    return (double)one->flags.faults[READ_FAULT_CLEARED];
}

static double wrong_errno(const struct read_implementation *one) {
    return (double)(one->errnos.faults[READ_FAULT_MISSING] +
                    one->errnos.faults[READ_FAULT_SPURIOUS]);
}

static double changed(const struct read_implementation *one) {
    return (double)read_most_changed(one);
}

static double value_error(const struct read_implementation *one) {
    return one->value.max_error;
}

static double clipped(const struct read_implementation *one) {
    return (double)one->value.clipped;
}

static double overflowed(const struct read_implementation *one) {
    return (double)one->value.overflowed;
}

static double lost_bits(const struct read_implementation *one) {
    return (double)one->value.lost_bits;
}

bool limit_is_told(const struct limit_row *row, const struct read_implementation *implementation) {
    return !row->told || row->told(implementation);
}

static double differences(const struct read_implementation *one) {
    return (double)one->explanation.differ;
}

static double unexplained(const struct read_implementation *one) {
    return (double)one->explanation.unexplained;
}

bool limit_is_of(const struct limit_row *row, const struct read_implementation *implementation) {
    return row->kinds >> implementation->kind & 1;
}

enum {
    OF_JUDGED = 1 << READ_JUDGED,
    OF_INVARIANCE = 1 << READ_INVARIANCE,
    OF_EXPLANATION = 1 << READ_EXPLANATION
};

#define FLAGS tells_flags, "sweep --flags asks for that", OF_JUDGED
#define ERRNO tells_errno, "sweep --errno asks for that", OF_JUDGED
#define VALUE tells_value, "dyadic operations have one", OF_JUDGED

const struct limit_row limit_rows[LIMIT_COUNT] = {
    [LIMIT_MAX_ULP] = {"max_ulp", LIMIT_OF_ERROR, "largest error in ulps", max_ulp, "max_ulp", NULL,
                       NULL, OF_JUDGED},
    [LIMIT_MAX_MEAN_ULP] = {"max_mean_ulp", LIMIT_OF_AVERAGE, "mean error in ulps", mean_ulp,
                            "max_ulp", NULL, NULL, OF_JUDGED},
    [LIMIT_MAX_INCORRECT] = {"max_incorrect", LIMIT_OF_COUNT,
                             "numbers that are not correctly rounded", incorrect, "worst", NULL,
                             NULL, OF_JUDGED},
    [LIMIT_MAX_INCORRECT_SHARE] = {"max_incorrect_per_million", LIMIT_OF_AVERAGE,
                                   "outputs of a million that are not correctly rounded",
                                   incorrect_share, "worst", NULL, NULL, OF_JUDGED},
    [LIMIT_MAX_UNFAITHFUL_SHARE] = {"max_unfaithful_per_million", LIMIT_OF_AVERAGE,
                                    "outputs of a million that are not faithful", unfaithful_share,
                                    "worst", NULL, NULL, OF_JUDGED},
    [LIMIT_MAX_MISMATCHES] = {"max_mismatches", LIMIT_OF_COUNT,
                              "NaN mismatches and zeros of the wrong sign", mismatches,
                              "first_mismatches", NULL, NULL, OF_JUDGED},
    [LIMIT_REQUIRE_CORRECT] = {"require_correct", LIMIT_REQUIRED,
                               "outputs that are not correctly rounded", not_correct, "worst", NULL,
                               NULL, OF_JUDGED},
    [LIMIT_REQUIRE_FAITHFUL] = {"require_faithful", LIMIT_REQUIRED, "outputs that are not faithful",
                                not_faithful, "worst", NULL, NULL, OF_JUDGED},
    [LIMIT_MAX_VIOLATIONS] = {"max_violations", LIMIT_OF_COUNT,
                              "outputs that break what is promised", violations, "promise/worst",
                              tells_promise, "sweep --policy asks for that", OF_JUDGED},
    [LIMIT_MAX_VIOLATION_SHARE] = {"max_violations_per_million", LIMIT_OF_AVERAGE,
                                   "outputs of a million that break what is promised",
                                   violation_share, "promise/worst", tells_promise,
                                   "sweep --policy asks for that", OF_JUDGED},
    [LIMIT_MAX_EVENTS] = {"max_events", LIMIT_OF_COUNT,
                          "crashes, hangs, exits and changed roundings", events, "events", NULL,
                          NULL, OF_JUDGED | OF_INVARIANCE},
    [LIMIT_MAX_MISSING_FLAGS] = {"max_missing_flags", LIMIT_OF_COUNT,
                                 "exception flags that calls had to raise and did not",
                                 missing_flags, "flags/missing", FLAGS},
    [LIMIT_MAX_SPURIOUS_FLAGS] = {"max_spurious_flags", LIMIT_OF_COUNT,
                                  "exception flags that calls raised and had no reason to",
                                  spurious_flags, "flags/spurious", FLAGS},
    [LIMIT_MAX_CLEARED_FLAGS] = {"max_cleared_flags", LIMIT_OF_COUNT,
                                 "exception flags that calls cleared", cleared_flags,
                                 "flags/cleared", FLAGS},
    [LIMIT_MAX_WRONG_ERRNO] = {"max_wrong_errno", LIMIT_OF_COUNT,
                               "calls that left errno other than C asks for", wrong_errno, "errno/",
                               ERRNO},
    [LIMIT_MAX_CHANGED] = {"max_changed", LIMIT_OF_COUNT, "inputs whose bits change by a property",
                           changed, "invariance", NULL, NULL, OF_INVARIANCE},
    [LIMIT_MAX_VALUE_ERROR] = {"max_value_error", LIMIT_OF_ERROR,
                               "largest error of a value in units of 2^-scale", value_error,
                               "value", VALUE},
    [LIMIT_MAX_CLIPPED] = {"max_clipped", LIMIT_OF_COUNT, "elements that were clipped", clipped,
                           "value", VALUE},
    [LIMIT_MAX_OVERFLOWED] = {"max_overflowed", LIMIT_OF_COUNT,
                              "elements that overflowed their accumulator", overflowed, "value",
                              VALUE},
    [LIMIT_MAX_LOST_BITS] = {"max_lost_bits", LIMIT_OF_COUNT, "elements that lost bits", lost_bits,
                             "value", VALUE},
    [LIMIT_MAX_DIFFERENCES] = {"max_differences", LIMIT_OF_COUNT,
                               "differences between two implementations", differences,
                               "explanation/first", NULL, NULL, OF_EXPLANATION},
    [LIMIT_MAX_UNEXPLAINED] = {"max_unexplained", LIMIT_OF_COUNT,
                               "differences that no simple cause explains", unexplained,
                               "explanation/first_unexplained", NULL, NULL, OF_EXPLANATION},
};

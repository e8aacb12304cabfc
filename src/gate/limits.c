/* The rows. */
#include "gate/limits.h"

static double max_ulp(const struct read_implementation *one) {
    return one->max_ulp;
}

static double incorrect(const struct read_implementation *one) {
    return (double)one->incorrect;
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

static double events(const struct read_implementation *one) {
    return (double)one->events;
}

const struct limit_row limit_rows[LIMIT_COUNT] = {
    [LIMIT_MAX_ULP] = {"max_ulp", LIMIT_IN_ULPS, "largest error in ulps", max_ulp, "max_ulp"},
    [LIMIT_MAX_INCORRECT] = {"max_incorrect", LIMIT_OF_COUNT,
                             "numbers that are not correctly rounded", incorrect, "worst"},
    [LIMIT_MAX_MISMATCHES] = {"max_mismatches", LIMIT_OF_COUNT,
                              "NaN mismatches and zeros of the wrong sign", mismatches,
                              "first_mismatches"},
    [LIMIT_REQUIRE_CORRECT] = {"require_correct", LIMIT_REQUIRED,
                               "outputs that are not correctly rounded", not_correct, "worst"},
    [LIMIT_REQUIRE_FAITHFUL] = {"require_faithful", LIMIT_REQUIRED, "outputs that are not faithful",
                                not_faithful, "worst"},
    [LIMIT_MAX_EVENTS] = {"max_events", LIMIT_OF_COUNT,
                          "crashes, hangs, exits and changed roundings", events, "events"},
};

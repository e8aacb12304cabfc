/* The members of a tally: one row each. */
#include "sweep/tally_record.h"

#define AT(MEMBER) offsetof(struct tally, MEMBER)

static void check_binade(const struct record_in *in) {
    const struct binade_tally *binade = in->data;
    const struct tally *tally = in->parent;
    if (binade->max_error > (tally->has_max ? tally->max.error : 0))
        json_fail(in->reader, "max_ulp", "is more than the implementation's");
    if (in->wire->is_checkpoint && binade->incorrect > binade->tested)
        json_fail(in->reader, "incorrect", "is more than tested");
}

#define BINADE(MEMBER) offsetof(struct binade_tally, MEMBER)
static const struct record_member binade_members[] = {
    {"tested", &record_count, BINADE(tested), .flags = RECORD_IN_CHECKPOINT,
     .part_of = PART_OF_TESTED_OUTSIDE},
    {"max_ulp", &record_error, BINADE(max_error), .check = check_binade,
     .says = "The largest error in the binade, as a number; 0 if no output has an error."},
    {"incorrect", &record_count, BINADE(incorrect), .part_of = PART_OF_TESTED_OUTSIDE,
     .says = "The number of its outputs that incorrectly_rounded counts."}};
static const struct record binade_record = {"binade", binade_members, ROWS(binade_members),
                                            sizeof(struct binade_tally), RECORD_ALL};

static double mean_error(const void *data, const void *parent) {
    const struct tally *tally = data;
    (void)parent;
    return error_sum_mean(&tally->error_sum, tally->in_ulps);
}

/* The largest error is exact; the mean is of errors that the fast oracle knows to 2^-21 ulp. */
static void check_mean(struct json_reader *reader, const void *data, double mean) {
    const struct tally *tally = data;
    if (tally->in_ulps && mean > tally->max.error + 0x1p-20)
        json_fail(reader, "mean_ulp", "is more than the error of max_ulp");
}

static void check_tested(const struct record_in *in) {
    const struct tally *tally = in->data;
    if (tally->tested != tally->correct + tally->incorrect + tally->nan_mismatches)
        json_fail(in->reader, "tested",
                  "is not the sum of correctly_rounded, incorrectly_rounded and nan_mismatches");
}

static void check_max(const struct record_in *in) {
    const struct tally *tally = in->data;
    if (tally->has_max && !tally->in_ulps)
        json_fail(in->reader, "max_ulp", "is there, though judged_in_ulps is 0");
    if (!tally->has_max && tally->in_ulps)
        json_fail(in->reader, "max_ulp", "should be an object: judged_in_ulps is not 0");
    if (tally->over_1_ulp && tally->max.error <= 1)
        json_fail(in->reader, "over_1_ulp", "is not 0, though the error of max_ulp is not over 1");
}

static void check_histogram(const struct record_in *in) {
    const struct tally *tally = in->data;
    uint64_t sum = 0;
    for (size_t i = 0; i <= HISTOGRAM_EDGES; i++)
        sum += tally->histogram[i];
    if (sum != tally->in_ulps)
        json_fail(in->reader, "histogram", "does not add up to judged_in_ulps");
}

static void check_events(const struct record_in *in) {
    const struct tally *tally = in->data;
    uint64_t reported[EVENT_KINDS + 1] = {0};
    size_t mark = json_enter(in->reader, "event_counts", -1);
    for (unsigned i = 0; i < tally->event_count; i++) {
        enum event_kind kind = tally->first_events[i].kind;
        if (kind < EVENT_KINDS && ++reported[kind] > tally->events[kind])
            json_fail(in->reader, event_names[kind], "is less than their number in events");
    }
    json_leave(in->reader, mark);
}

static const struct record_member tally_members[] = {
    {"tested", &record_count, AT(tested), .says = "The number of outputs that were judged."},
    {"unanswered", &record_count, AT(unanswered), .when = TELLS_UNANSWERED,
     .says =
         "Inputs without an output: the implementation crashed, hung or ended its process there."},
    {"correctly_rounded", &record_count, AT(correct),
     .says = "Outputs that are the correctly rounded result, NaNs that count as such included."},
    {"incorrectly_rounded", &record_count, AT(incorrect),
     .says = "Outputs with other bits than the correctly rounded result, where neither is a NaN."},
    {"faithful", &record_count, AT(faithful), .part_of = PART_OF_TESTED,
     .says = "Outputs that are faithful; those in correctly_rounded are among them."},
    {"judged_in_ulps", &record_count, AT(in_ulps), .part_of = PART_OF_TESTED,
     .says = "Outputs that have an error in ulps."},
    {"over_1_ulp", &record_count, AT(over_1_ulp), .part_of = {"judged_in_ulps", AT(in_ulps), false},
     .says = "Outputs with an error above 1 ulp."},
    {"nan_mismatches", &record_count, AT(nan_mismatches), .check = check_tested,
     .says = "Outputs that are NaN where the correct result is not, or the reverse."},
    {"signalling_mismatches", &record_count, AT(signalling_mismatches), .when = TELLS_SIGNALLED,
     .part_of = {"nan_mismatches", AT(nan_mismatches), false},
     .says = "The number of outputs in nan_mismatches that have a signalling NaN as an operand."},
    {"nan_bits_differ", &record_count, AT(nan_bits_differ), .part_of = PART_OF_TESTED,
     .says = "NaNs where the correct result is a NaN, with other bits than the canonical NaN."},
    {"sign_mismatches", &record_count, AT(sign_mismatches),
     .part_of = {"incorrectly_rounded", AT(incorrect), false},
     .says = "Zeros of the wrong sign, which are part of incorrectly_rounded."},
    {"signalling_nans", &record_count, AT(signalling_nans), .when = TELLS_SIGNALLING,
     .part_of = PART_OF_TESTED,
     .says = "Outputs that are signalling NaNs, whatever the correct result is."},
    {"not_called", &record_count, AT(not_called), .when = TELLS_CALLS,
     .says =
         "Inputs that are not calls of C, where an operand is an integer there; or for which the "
         "profile of "
         "a conversion to integers leaves the result undefined."},
    {"saturated", &record_count, AT(saturated), .when = TELLS_ENDS, .part_of = PART_OF_TESTED,
     .says =
         "Outputs that are the largest number of the format where the exact value is beyond it."},
    {"vanished", &record_count, AT(vanished), .when = TELLS_ENDS, .part_of = PART_OF_TESTED,
     .says = "Zeros where the exact value is another number."},
    {"max_ulp", &record_largest, AT(max),
     OF(struct record_largest_of){&witness_record, AT(has_max), tally_is_worse},
     .flags = RECORD_NULL, .check = check_max,
     .says = "An output with the largest error: among equals a wrong one before a right one, then "
             "that of "
             "the first input; or null."},
    {"flushed", &record_count, AT(flushed), .when = TELLS_FLUSHED,
     .says = "For a search: the number of outputs that are zero although the right output is "
             "subnormal."},
    {"max_ulp_else", &record_largest, AT(max_else),
     OF(struct record_largest_of){&witness_record, AT(has_max_else), tally_is_larger},
     .when = TELLS_FLUSHED, .flags = RECORD_ABSENT,
     .says = "For a search: the output with the largest error among those that are not flushed."},
    {"mean_ulp", &record_figure, .of = OF(struct record_figure_of){mean_error, false, check_mean},
     .says = "The sum of all errors divided by judged_in_ulps; 0 where no output has an error."},
    {"error_sum", &record_sum, AT(error_sum), .when = TELLS_SUM,
     .says = "The sum of the errors, in units of 2^-64 ulp, as hexadecimal digits behind 0x."},
    {"value", &record_nested, AT(value), &value_record, .when = TELLS_VALUE,
     .says = "How far values lie from the operation on the operands' numbers."},
    {"promise", &record_nested, AT(promise), &promise_record, .when = TELLS_PROMISE,
     .says = "The promises of --policy, and how the outputs kept them."},
    {"histogram", &record_buckets, AT(histogram),
     OF(struct record_buckets_of){histogram_edges, HISTOGRAM_EDGES, "up_to_ulp"},
     .check = check_histogram, .says = "Buckets, which together count judged_in_ulps outputs."},
    {"percentiles", &percentiles_kind, AT(histogram), .flags = RECORD_LENIENT,
     .says =
         "The error in ulps that 50, 90, 99 and 99.9 percent of the outputs do not exceed, as far "
         "as the histogram says: above one figure and at most the other."},
    {"absolute_error", &record_nested, AT(absolute), &size_record, .when = TELLS_ERRORS,
     .says = "How far outputs are from the exact results, as numbers."},
    {"relative_error", &record_nested, AT(relative), &size_record, .when = TELLS_ERRORS,
     .says = "The distances as shares of the exact results, for results that are not 0."},
    {"monotony", &record_nested, AT(monotony), &pairs_record, .when = TELLS_MONOTONY,
     .says = "Neighbours whose outputs fall where the exact results rise, or the reverse."},
    {"symmetry", &record_nested, AT(symmetry), &pairs_record, .when = TELLS_SYMMETRY,
     .says =
         "Inputs whose output is not that of the input with the other sign, or its negative, as "
         "the operation has it."},
    {"lengths", &record_nested, AT(lengths), &lengths_record, .when = TELLS_LENGTHS,
     .flags = RECORD_LENIENT,
     .says = "For texts: the number of bytes that calls return as read or written."},
    {"by_binade", &record_series, AT(binades),
     OF(struct record_series_of){.record = &binade_record,
                                 .key = "exponent",
                                 .counted = BINADE(tested),
                                 .lowest = AT(lowest_exponent),
                                 .count = AT(binade_count)},
     .says = "An entry for each binade of the first operand that has an input, from the lowest."},
    {"envelope", &envelope_kind, AT(envelope), .when = TELLS_ENVELOPE,
     .says = "The signed error over the inputs, in steps."},
    {"worst", &record_list, AT(worst),
     OF(struct record_list_of){&witness_record, AT(worst_count), TALLY_WORST, tally_is_worse},
     .says = "Incorrectly rounded outputs with the largest errors, the largest first."},
    {"first_mismatches", &record_list, AT(mismatches),
     OF(struct record_list_of){&mismatch_record, AT(mismatch_count), TALLY_FIRST, tally_is_earlier},
     .says = "The first NaN mismatches and zeros of the wrong sign."},
    {"first_nan_mismatch", &record_largest, AT(first_nan),
     OF(struct record_largest_of){&mismatch_record, AT(has_first_nan), tally_is_earlier},
     .flags = RECORD_ABSENT, .says = "The first NaN mismatch; absent if there is none."},
    {"first_sign_mismatch", &record_largest, AT(first_sign),
     OF(struct record_largest_of){&mismatch_record, AT(has_first_sign), tally_is_earlier},
     .flags = RECORD_ABSENT, .says = "The first zero of the wrong sign; absent if there is none."},
    {"events", &record_list, AT(first_events),
     OF(struct record_list_of){&event_record, AT(event_count), TALLY_EVENTS,
                               tally_event_is_earlier},
     .says = "The first events."},
    {"event_counts", &record_names, AT(events), &event_choice, .check = check_events,
     .says = "The number of events of each kind that happened."}};

const struct record tally_record = {"tally", tally_members, ROWS(tally_members),
                                    sizeof(struct tally), AT(tells)};

/* The last two. */
const struct record tally_events_record = {"events", tally_members + ROWS(tally_members) - 2, 2,
                                           sizeof(struct tally), AT(tells)};

void tally_merge(struct tally *tally, const struct tally *other) {
    record_merge(&tally_record, tally, other);
}

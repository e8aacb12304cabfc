/* What elements are worth: a row a member. */
#include "sweep/tally_record.h"

static double mean_of_value(const void *data, const void *parent) {
    const struct value_tally *value = data;
    const struct tally *tally = parent;
    return error_sums_mean(&value->above, &value->below, tally->tested);
}

static double bias_of_value(const void *data, const void *parent) {
    const struct value_tally *value = data;
    const struct tally *tally = parent;
    return error_sums_bias(&value->above, &value->below, tally->tested);
}

static bool value_is_worse(const void *data, const void *a, const void *b) {
    const struct witness *x = a, *y = b;
    double rank = error_rank(x->error, VALUE_FINE_FROM),
           other = error_rank(y->error, VALUE_FINE_FROM);
    (void)data;
    return rank > other || (!(rank < other) && witness_is_earlier(x, y));
}

static void check_value(const struct record_in *in) {
    const struct value_tally *value = in->data;
    const struct tally *tally = in->parent;
    if (value->exact < tally->tested && !(value->has_max && value->max.error > 0))
        json_fail(in->reader, "exact",
                  "is less than tested, though the error of max is not above 0");
}

#define VALUE(MEMBER) offsetof(struct value_tally, MEMBER)
static const struct record_member value_members[] = {
    {"scale", &record_said, .of = OF(struct record_said_of){.schema = "{\"type\":\"integer\"}"},
     .says =
         "The scale of the units of errors, which depends on the scales of the operands alone."},
    {"exact", &record_count, VALUE(exact), .part_of = PART_OF_TESTED_OUTSIDE,
     .says = "Outputs without an error."},
    {"clipped", &record_count, VALUE(clipped), .part_of = PART_OF_TESTED_OUTSIDE,
     .says = "Elements that a clip changes."},
    {"overflowed", &record_count, VALUE(overflowed), .part_of = PART_OF_TESTED_OUTSIDE,
     .says = "The number of elements with a step that does not fit the accumulator."},
    {"lost_bits", &record_count, VALUE(lost_bits), .part_of = PART_OF_TESTED_OUTSIDE,
     .says = "The number of elements with a shift to the right or a division that drops bits that "
             "are not 0."},
    {"max", &record_largest, VALUE(max),
     OF(struct record_largest_of){&witness_record, VALUE(has_max), value_is_worse},
     .flags = RECORD_NULL, .check = check_value,
     .says = "An output with the largest error. If several have it, that of the first input. Null "
             "if no output has an error."},
    {"mean", &record_figure, .of = OF(struct record_figure_of){.figure = mean_of_value},
     .says = "The mean of all errors."},
    {"bias", &record_figure,
     .of = OF(struct record_figure_of){.figure = bias_of_value, .is_signed = true},
     .says =
         "The mean of the errors with their signs; above 0 if outputs are too large on average."},
    {"sum_above", &record_sum, VALUE(above),
     .says = "The sum of the errors of outputs that are too large, in the form of error_sum."},
    {"sum_below", &record_sum, VALUE(below),
     .says = "The sum of the errors of outputs that are too small, in the form of error_sum."}};
const struct record value_record = {"value", value_members, ROWS(value_members),
                                    sizeof(struct value_tally), RECORD_ALL};

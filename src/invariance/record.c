/* The rows. */
#include "invariance/record.h"

#include "sweep/tally_record.h"

#include <string.h>

#define CHANGE(MEMBER) offsetof(struct change, MEMBER)
static void check_change(const struct record_in *in) {
    const struct change *change = in->data;
    check_place(in->reader, in->wire, change->index, change->input);
}

/* A checkpoint has no command, which follows from the rest. */
static const struct record_text_of where_text = {CHANGE_WHERE};
static const struct record_member change_members[] = {
    WITNESS_PLACE(CHANGE(index)),
    {"input", &record_input, CHANGE(input), .check = check_change, .says = "The input."},
    {"reference", &record_code, CHANGE(reference),
     .says = "The first output of the implementation."},
    {"got", &record_code, CHANGE(got), .says = "The output that differs."},
    {"where", &record_text, CHANGE(where), &where_text,
     .says = "The conditions of that call, in words."},
    {"command", &record_string, CHANGE(command), .says = "The command that shows it again."}};
const struct record change_record = {"change", change_members, ROWS(change_members) - 1,
                                     sizeof(struct change), RECORD_ALL};
static const struct record change_reported = {"change", change_members, ROWS(change_members),
                                              sizeof(struct change), RECORD_ALL};

static bool is_earlier(const void *data, const void *a, const void *b) {
    const struct change *x = a, *y = b;
    (void)data;
    return record_input_is_earlier(x->input, y->input);
}

static const struct record_member size_members[] = {
    {"size", &record_given, offsetof(struct size_record, size),
     .says = "How many lines a batch has."},
    {"calls", &record_count, offsetof(struct size_record, calls),
     .says = "How many calls were compared with one on a batch of that size."}};
static const struct record size_row = {"size", size_members, ROWS(size_members),
                                       sizeof(struct size_record), RECORD_ALL};

static void settle_variant(const struct record_in *in) {
    struct variant_record *variant = in->data;
    variant->tells = property_tells(variant->tested);
}

#define VARIANT(MEMBER) offsetof(struct variant_record, MEMBER)
static const struct record_member variant_members[] = {
    {"variant", &record_string, VARIANT(name), .says = "The setting, or the command."},
    {"tested", &record_truth, VARIANT(tested), .check = settle_variant,
     .says = "Whether it was tried."},
    {"changed", &record_count, VARIANT(changed), .when = PROPERTY_TESTED,
     .says = "How many inputs changed bits with it."},
    {"why", &record_string, VARIANT(why), .when = PROPERTY_NOT_TESTED,
     .says = "Why it was not tried."}};
static const struct record variant_row = {"variant", variant_members, ROWS(variant_members),
                                          sizeof(struct variant_record),
                                          RECORD_SETTLED(VARIANT(tells))};

static void settle_property(const struct record_in *in) {
    struct property_record *property = in->data;
    property->tells = property_tells(property->tested);
    property->why = property->first.command = "";
}

static void check_first(const struct record_in *in) {
    const struct property_record *property = in->data;
    if (property->changed && !property->has_first)
        json_fail(in->reader, "first", "should be an object");
    if (!property->changed && property->has_first)
        json_fail(in->reader, "first", "is there, though changed is 0");
}

#define PROPERTY(MEMBER) offsetof(struct property_record, MEMBER)
#define SOME(NAME, MEMBER, OF_WHICH, SAYS)                                                         \
    {                                                                                              \
        NAME, &record_some, PROPERTY(MEMBER), OF(size_t){PROPERTY(OF_WHICH)}, PROPERTY_TESTED,     \
            RECORD_ABSENT, .says = SAYS                                                            \
    }
static const struct record_member property_members[] = {
    {"property", &record_string, PROPERTY(name), .says = "The property."},
    {"tested", &record_truth, PROPERTY(tested), .check = settle_property,
     .says = "Whether it could be tested."},
    {"why", &record_string, PROPERTY(why), .when = PROPERTY_NOT_TESTED,
     .says = "Why it could not."},
    {"inputs", &record_count, PROPERTY(inputs), .when = PROPERTY_TESTED,
     .part_of = {"the implementation's tested", offsetof(struct invariance_record, tested), true},
     .says = "How many inputs were compared; for arrays, how many calls."},
    {"unanswered", &record_count, PROPERTY(unanswered), .when = PROPERTY_TESTED,
     .says = "How many further inputs have no answer to compare."},
    {"not_called", &record_maybe, PROPERTY(not_called),
     OF(struct record_maybe_of){PROPERTY(has_not_called), &record_count}, PROPERTY_TESTED,
     RECORD_ABSENT,
     .says =
         "How many further inputs C's function cannot be called with, since it takes an integer."},
    SOME("unrepeatable", unrepeatable, unrepeatable,
         "Inputs that gave other bits when the same was computed again, which is not a change."),
    SOME("not_asked", not_asked, not_asked,
         "Answers that were not asked for any more, after others had cost a process."),
    SOME("at_once", at_once, at_once, "Calls that each thread made while the others did."),
    SOME("first_at_once", first_at_once, at_once, "How many processes made their first calls so."),
    {"sizes", &record_array, PROPERTY(sizes),
     OF(struct record_array_of){&size_row, PROPERTY(size_count)}, PROPERTY_TESTED, RECORD_ABSENT,
     .says = "For batches: how many calls with a batch of each size were compared."},
    {"changed", &record_count, PROPERTY(changed), .when = PROPERTY_TESTED,
     .part_of = {"inputs", PROPERTY(inputs), false}, .says = "How many of inputs changed bits."},
    {"first", &record_largest, PROPERTY(first),
     OF(struct record_largest_of){&change_reported, PROPERTY(has_first), is_earlier},
     PROPERTY_TESTED, RECORD_NULL, .check = check_first,
     .says = "The first that changed, or null."},
    {"variants", &record_array, PROPERTY(variants),
     OF(struct record_array_of){&variant_row, PROPERTY(variant_count)}, .flags = RECORD_ABSENT,
     .says = "For the property processor: what was tried as another processor."}};
const struct record property_record = {"property", property_members, ROWS(property_members),
                                       sizeof(struct property_record),
                                       RECORD_SETTLED(PROPERTY(tells))};

#define EVENT(MEMBER) offsetof(struct property_event, MEMBER)
static const struct record_member event_members[] = {
    {"kind", &record_choice, EVENT(kind), &event_choice, .says = "What happened."},
    {"property", &record_string, EVENT(name), .says = "The property."},
    {"input", &record_input, EVENT(input), .says = "The input."},
    {"where", &record_string, EVENT(where), .flags = RECORD_ABSENT,
     .says = "The conditions of the call, in words."},
    {"command", &record_string, EVENT(command), .flags = RECORD_ABSENT,
     .says = "The command that shows it again."}};
const struct record property_event_record = {"event", event_members, ROWS(event_members),
                                             sizeof(struct property_event), RECORD_ALL};

#define INVARIANCE(MEMBER) offsetof(struct invariance_record, MEMBER)
static const struct record_member invariance_members[] = {
    {"tested", &record_given, INVARIANCE(tested),
     .says = "How many inputs were compared, by the property that has the most."},
    {"invariance", &record_array, INVARIANCE(properties),
     OF(struct record_array_of){&property_record, INVARIANCE(property_count)},
     .says = "An entry for each property."},
    {"events", &record_array, INVARIANCE(events),
     OF(struct record_array_of){&property_event_record, INVARIANCE(event_count)},
     .says = "The first event of each property."},
    {"event_counts", &record_names, INVARIANCE(event_counts), &event_choice,
     .says = "How many events there were of each kind that there was."}};
const struct record invariance_record = {"invariance", invariance_members, ROWS(invariance_members),
                                         sizeof(struct invariance_record), RECORD_ALL};
const struct record invariance_properties = {"invariance", invariance_members + 1, 1,
                                             sizeof(struct invariance_record), RECORD_ALL};

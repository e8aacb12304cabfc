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
     .says = "The number of lines of the batch."},
    {"calls", &record_count, offsetof(struct size_record, calls),
     .says = "The number of calls that were compared with a call on a batch of this size."}};
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
     .says = "Whether the setting or command was tried."},
    {"changed", &record_count, VARIANT(changed), .when = PROPERTY_TESTED,
     .says = "The number of inputs whose outputs have other bits with this setting or command."},
    {"why", &record_string, VARIANT(why), .when = PROPERTY_NOT_TESTED,
     .says = "The reason why the setting or command was not tried."}};
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
     .says = "Whether the property could be tested."},
    {"why", &record_string, PROPERTY(why), .when = PROPERTY_NOT_TESTED,
     .says = "The reason why the property could not be tested."},
    {"inputs", &record_count, PROPERTY(inputs), .when = PROPERTY_TESTED,
     .part_of = {"the implementation's tested", offsetof(struct invariance_record, tested), true},
     .says = "The number of inputs that were compared; for arrays, of calls."},
    {"unanswered", &record_count, PROPERTY(unanswered), .when = PROPERTY_TESTED,
     .says = "The number of further inputs that have no answer to compare."},
    {"not_called", &record_maybe, PROPERTY(not_called),
     OF(struct record_maybe_of){PROPERTY(has_not_called), &record_count}, PROPERTY_TESTED,
     RECORD_ABSENT,
     .says = "The number of further inputs that C's function cannot be called with, since it takes "
             "an integer."},
    SOME("unrepeatable", unrepeatable, unrepeatable,
         "The number of inputs whose outputs have other bits if the same call is made again. They "
         "do not count as changed."),
    SOME("not_asked", not_asked, not_asked,
         "The number of calls that were not made any more, because earlier ones had ended a "
         "process."),
    SOME("at_once", at_once, at_once,
         "The number of calls that each thread made at the same time as the others."),
    SOME(
        "first_at_once", first_at_once, at_once,
        "The number of processes whose first calls were made at the same time by several threads."),
    {"sizes", &record_array, PROPERTY(sizes),
     OF(struct record_array_of){&size_row, PROPERTY(size_count)}, PROPERTY_TESTED, RECORD_ABSENT,
     .says = "For the property batch: the number of calls that were compared for each size of a "
             "batch."},
    {"changed", &record_count, PROPERTY(changed), .when = PROPERTY_TESTED,
     .part_of = {"inputs", PROPERTY(inputs), false},
     .says = "The number of compared inputs whose outputs have other bits."},
    {"first", &record_largest, PROPERTY(first),
     OF(struct record_largest_of){&change_reported, PROPERTY(has_first), is_earlier},
     PROPERTY_TESTED, RECORD_NULL, .check = check_first,
     .says = "The first input whose output has other bits, or null."},
    {"variants", &record_array, PROPERTY(variants),
     OF(struct record_array_of){&variant_row, PROPERTY(variant_count)}, .flags = RECORD_ABSENT,
     .says = "For the property processor: the settings and commands that stand for another "
             "processor."}};
const struct record property_record = {"property", property_members, ROWS(property_members),
                                       sizeof(struct property_record),
                                       RECORD_SETTLED(PROPERTY(tells))};

#define EVENT(MEMBER) offsetof(struct property_event, MEMBER)
static const struct record_member event_members[] = {
    {"kind", &record_choice, EVENT(kind), &event_choice, .says = "The kind of event."},
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
     .says = "The largest number of inputs that one property compared."},
    {"invariance", &record_array, INVARIANCE(properties),
     OF(struct record_array_of){&property_record, INVARIANCE(property_count)},
     .says = "An entry for each property."},
    {"events", &record_array, INVARIANCE(events),
     OF(struct record_array_of){&property_event_record, INVARIANCE(event_count)},
     .says = "The first event of each property."},
    {"event_counts", &record_names, INVARIANCE(event_counts), &event_choice,
     .says = "The number of events of each kind that happened."}};
const struct record invariance_record = {"invariance", invariance_members, ROWS(invariance_members),
                                         sizeof(struct invariance_record), RECORD_ALL};
const struct record invariance_properties = {"invariance", invariance_members + 1, 1,
                                             sizeof(struct invariance_record), RECORD_ALL};

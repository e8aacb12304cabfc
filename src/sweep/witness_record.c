/* Outputs that show something, and events: a row a member. */
#include "sweep/tally_record.h"

void check_place(struct json_reader *reader, const struct record_wire *wire, uint64_t index,
                 const uint64_t *input) {
    if (wire->is_input && !reader->failed && !wire->is_input(wire, index, input))
        json_fail(reader, "input", "is not an input of the run");
}

static void check_witness(const struct record_in *in) {
    const struct witness *witness = in->data;
    check_place(in->reader, in->wire, witness->index, witness->input);
}

static const struct record_member witness_members[] = {
    {"error", &record_error, offsetof(struct witness, error), .says = "The error in ulps."},
    WITNESS_PLACE(offsetof(struct witness, index)),
    WITNESS_OUTPUT(0, check_witness)};
const struct record witness_record = {"witness", witness_members, ROWS(witness_members),
                                      sizeof(struct witness), RECORD_ALL};

/* Those that have no error in ulps. */
static const struct record_member mismatch_members[] = {
    WITNESS_PLACE(offsetof(struct witness, index)), WITNESS_OUTPUT(0, check_witness)};
const struct record mismatch_record = {"mismatch", mismatch_members, ROWS(mismatch_members),
                                       sizeof(struct witness), RECORD_ALL};

static void check_event(const struct record_in *in) {
    const struct event_witness *event = in->data;
    check_place(in->reader, in->wire, event->index, event->input);
}

const struct record_names_of event_choice = {event_names, EVENT_KINDS};
/* Which reports of invariance have. */
static const struct record_said_of text_elsewhere = {"{\"type\":\"string\",\"minLength\":1}", true};
#define ELSEWHERE(NAME, SAYS)                                                                      \
    { NAME, &record_said, .of = &text_elsewhere, .flags = RECORD_ABSENT, .says = SAYS }

static const struct record_member event_members[] = {
    {"kind", &record_choice, offsetof(struct event_witness, kind), &event_choice,
     .says = "The kind of event."},
    WITNESS_PLACE(offsetof(struct event_witness, index)),
    {"input", &record_input, offsetof(struct event_witness, input), .check = check_event,
     .says = "The input at which the event happened."},
    ELSEWHERE("property", "In a report of invariance: the property."),
    ELSEWHERE("where", "In a report of invariance: the conditions of the call, in words."),
    ELSEWHERE("command", "In a report of invariance: the command that shows it again.")};
const struct record event_record = {"event", event_members, ROWS(event_members),
                                    sizeof(struct event_witness), RECORD_ALL};

/* The rows of a tally, and of what is in it: the one list of its members (record/record.h). */
#ifndef DETCHECK_SWEEP_TALLY_RECORD_H
#define DETCHECK_SWEEP_TALLY_RECORD_H

#include "record/kinds.h"
#include "sweep/tally.h"

extern const struct record tally_record;
extern const struct record tally_events_record; /* its events alone */
extern const struct record value_record, promise_record;
extern const struct record size_record, pairs_record; /* what --show asks for */
extern const struct record lengths_record;            /* of texts */
extern const struct record_kind percentiles_kind;     /* which follow from the tally */

/* How the oracle decided (struct oracle_counts). */
extern const struct record oracle_record;

/* Of a pair of implementations. */
extern const struct record difference_record;

/* Outputs with an error and without one, and events. */
extern const struct record witness_record, mismatch_record, event_record;
extern const struct record_names_of event_choice;

/* A witness is one of the run's, where the wire knows them (record_wire.is_input). */
void check_place(struct json_reader *reader, const struct record_wire *wire, uint64_t index,
                 const uint64_t *input);

/* The signed error in steps; `offset` is that of a struct envelope. A tally that was read has steps only where
 * it was opened with them; else they are checked. */
extern const struct record_kind envelope_kind;

/* "envelope" of an envelope: `digits` are those of a code. */
cJSON *envelope_item(const struct envelope *envelope, int digits);
/* The envelope of such an item of a report that was read, for envelope_close in any case. False: out of memory. */
bool envelope_take(const cJSON *item, struct envelope *envelope);

/* How many rows there are, and what a row's kind needs to know. */
#define ROWS(N)  (sizeof(N) / sizeof *(N))
#define OF(TYPE) &(const TYPE)

/* Parts of the outputs that were tested: of the tally itself, and of the one that a record lies in. */
#define PART_OF_TESTED                                                                             \
    { "tested", offsetof(struct tally, tested), false }
#define PART_OF_TESTED_OUTSIDE                                                                     \
    { "tested", offsetof(struct tally, tested), true }

/* Rows that witnesses share: which input of the run it is, and what came of it. */
#define WITNESS_PLACE(OFFSET)                                                                      \
    { "index", &record_number64, OFFSET, .flags = RECORD_IN_CHECKPOINT }
#define WITNESS_OUTPUT(BEFORE, CHECK)                                                              \
    {"input", &record_input, BEFORE + offsetof(struct witness, input), .check = CHECK,             \
     .says = "The input."},                                                                        \
        {"got", &record_code, BEFORE + offsetof(struct witness, got), .says = "The output."}, {    \
        "want", &record_code, BEFORE + offsetof(struct witness, want),                             \
            .says = "The correctly rounded result."                                                \
    }

#endif

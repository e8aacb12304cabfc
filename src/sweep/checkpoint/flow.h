/* A state that is written member by member, or read in the same way: one function says what stands in it
 * for both, and how large each number may be. It is a document (JSON); what is read and is no such state
 * fails the reader, with the place. Numbers stand as hexadecimal text, since a double holds no code, and
 * doubles as their bits. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_FLOW_H
#define DETCHECK_SWEEP_CHECKPOINT_FLOW_H

#include "record/record.h"
#include "sweep/checkpoint/file.h"

struct flow {
    cJSON *object;   /* that members are written to, or read from */
    cJSON *document; /* the whole */
    bool reads;
    bool no_memory; /* to write it: nothing is put in the place of the bytes then */
    struct json_reader reader;
};

/* Begins to write, or to read what the bytes are; false with an error where that is no document. */
bool flow_write(struct flow *flow);
bool flow_read(struct flow *flow, const struct bytes *bytes, const char *path, struct error *error);

/* Puts what was written in the place of the bytes, or lets go of what was read. */
void flow_end(struct flow *flow, struct bytes *bytes);
void flow_close(struct flow *flow);

/* Whether something was read that is no such state. */
static inline bool flow_is_torn(const struct flow *flow) {
    return flow->reader.failed;
}

/* While reading: what was read under that name is no such state unless it is sound. */
void flow_expect(struct flow *flow, const char *name, bool sound);

/* A member that is an object. */
struct flow_place {
    cJSON *object;
    size_t mark;
};
struct flow_place flow_enter(struct flow *flow, const char *name);
void flow_leave(struct flow *flow, struct flow_place place);

/* A member that is an array of objects, which are entered and left one by one. What is read has to have just
 * these. */
struct flow_items {
    cJSON *array, *next;
    const char *name;
    int number;
    struct flow_place place;
};
struct flow_items flow_items(struct flow *flow, const char *name);
void flow_enter_item(struct flow *flow, struct flow_items *items);
void flow_leave_item(struct flow *flow, struct flow_items *items);
void flow_end_items(struct flow *flow, const struct flow_items *items);

/* Numbers of at most `most`. What is torn leaves them as they are. */
void flow_number(struct flow *flow, const char *name, uint64_t *number, uint64_t most);
void flow_size(struct flow *flow, const char *name, size_t *size, size_t most);
void flow_small(struct flow *flow, const char *name, unsigned *number, unsigned most);
void flow_flag(struct flow *flow, const char *name, bool *flag);

/* Any double but a NaN. */
void flow_double(struct flow *flow, const char *name, double *number);

/* `count` numbers or doubles, from one to the next `stride` bytes. */
void flow_numbers(struct flow *flow, const char *name, void *first, size_t stride, size_t count,
                  uint64_t most);
void flow_doubles(struct flow *flow, const char *name, void *first, size_t stride, size_t count);
void flow_flags(struct flow *flow, const char *name, void *first, size_t stride, size_t count);

/* A text that was made for the member and is freed; NULL: there was no memory for it. */
void flow_put_text(struct flow *flow, const char *name, char *text);

/* A record by its rows: its members, or an object that has them. */
void flow_members(struct flow *flow, const struct record *record, void *data,
                  const struct record_wire *wire);
void flow_record(struct flow *flow, const char *name, const struct record *record, void *data,
                 const struct record_wire *wire);

#endif

/* A state that is written member by member, or read in the same way: one function says what stands in it
 * for both, and how large each number may be. It is a document (JSON); what is read and is no such state
 * fails the reader, with the place. Numbers stand as hexadecimal text, since a double holds no code, and
 * doubles as their bits. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_SERIALISE_H
#define DETCHECK_SWEEP_CHECKPOINT_SERIALISE_H

#include "record/record.h"
#include "sweep/checkpoint/file.h"

struct serialiser {
    cJSON *object;   /* that members are written to, or read from */
    cJSON *document; /* the whole */
    bool reads;
    bool no_memory; /* to write it: nothing is put in the place of the bytes then */
    struct json_reader reader;
};

/* Begins to write, or to read what the bytes are; false with an error where that is no document. */
bool serialise_write(struct serialiser *serialiser);
bool serialise_read(struct serialiser *serialiser, const struct bytes *bytes, const char *path,
                    struct error *error);

/* Puts what was written in the place of the bytes, or lets go of what was read. */
void serialise_end(struct serialiser *serialiser, struct bytes *bytes);
void serialise_close(struct serialiser *serialiser);

/* Whether something was read that is no such state. */
static inline bool serialise_is_torn(const struct serialiser *serialiser) {
    return serialiser->reader.failed;
}

/* While reading: what was read under that name is no such state unless it is sound. */
void serialise_expect(struct serialiser *serialiser, const char *name, bool sound);

/* A member that is an object. */
struct serialise_place {
    cJSON *object;
    size_t mark;
};
struct serialise_place serialise_enter(struct serialiser *serialiser, const char *name);
void serialise_leave(struct serialiser *serialiser, struct serialise_place place);

/* A member that is an array of objects, which are entered and left one by one. What is read has to have just
 * these. */
struct serialise_items {
    cJSON *array, *next;
    const char *name;
    int number;
    struct serialise_place place;
};
struct serialise_items serialise_items(struct serialiser *serialiser, const char *name);
void serialise_enter_item(struct serialiser *serialiser, struct serialise_items *items);
void serialise_leave_item(struct serialiser *serialiser, struct serialise_items *items);
void serialise_end_items(struct serialiser *serialiser, const struct serialise_items *items);

/* Numbers of at most `most`. What is torn leaves them as they are. */
void serialise_number(struct serialiser *serialiser, const char *name, uint64_t *number,
                      uint64_t most);
void serialise_size(struct serialiser *serialiser, const char *name, size_t *size, size_t most);
void serialise_small(struct serialiser *serialiser, const char *name, unsigned *number,
                     unsigned most);
void serialise_flag(struct serialiser *serialiser, const char *name, bool *flag);

/* Any double but a NaN. */
void serialise_double(struct serialiser *serialiser, const char *name, double *number);

/* `count` numbers or doubles, from one to the next `stride` bytes. */
void serialise_numbers(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                       size_t count, uint64_t most);
void serialise_doubles(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                       size_t count);
void serialise_flags(struct serialiser *serialiser, const char *name, void *first, size_t stride,
                     size_t count);

/* A text that was made for the member and is freed; NULL: there was no memory for it. */
void serialise_put_text(struct serialiser *serialiser, const char *name, char *text);

/* A record by its rows: its members, or an object that has them. */
void serialise_members(struct serialiser *serialiser, const struct record *record, void *data,
                       const struct record_wire *wire);
void serialise_record(struct serialiser *serialiser, const char *name, const struct record *record,
                      void *data, const struct record_wire *wire);

#endif

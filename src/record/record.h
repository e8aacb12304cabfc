/* Records: what is known of a run, in structs that are described once, member by member.
 *
 * A record's rows say of each member its name in documents, its kind, where it lies in the struct, when it
 * is there, what must hold of it, and what it means. Functions that know no member by name then write a
 * record into a document, read it from one, and merge two; the schema and the manual of documents
 * come from the same rows. So a member is added by a row, and what it is counted from.
 *
 * Documents are for the way between programs. What is read becomes the struct that was written: a report
 * and a checkpoint are read by one function, and merged by one, in integers. */
#ifndef DETCHECK_RECORD_RECORD_H
#define DETCHECK_RECORD_RECORD_H

#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_member;

/* Hexadecimal digits of a code of a result, and of an operand, and how many results a call has. */
struct record_widths {
    int digits, input_digits, results;
};

/* How what no row can know stands in a document: inputs, and what the request says. A room above begins
 * a struct of its own with this one. */
struct record_wire {
    bool
        is_checkpoint; /* the document is a checkpoint, which has the members that are RECORD_IN_CHECKPOINT */
    bool strict; /* what is read is used whole: what is not known here is an error */
    struct record_widths widths;
    struct record_widths *found; /* while reading: where the document's are told; may be NULL */
    /* Adds "input", and reads it. NULL: inputs that are read are only seen to be some. */
    void (*write_input)(cJSON *object, const struct record_wire *wire, const uint64_t *input);
    void (*read_input)(struct json_reader *reader, const cJSON *object,
                       const struct record_wire *wire, uint64_t *input);
    /* Adds a member that is not in the record (record_said). NULL: it stays as it stands. */
    void (*say)(cJSON *object, const struct record_member *member, const struct record_wire *wire);
    /* Whether a witness is one of what was run: index and codes; NULL: nobody knows. */
    bool (*is_input)(const struct record_wire *wire, uint64_t index, const uint64_t *input);
    bool (*is_code)(const struct record_wire *wire, uint64_t code);
};

/* A member that is written into an object, and one that is read from it, with the record that it is of and the one
 * that this lies in, or NULL. */
struct record_out {
    cJSON *object;
    const struct record_member *member;
    const void *data, *parent;
    const struct record_wire *wire;
};
struct record_in {
    struct json_reader *reader;
    const cJSON *object;
    const struct record_member *member;
    void *data;
    const void *parent;
    const struct record_wire *wire;
};

/* What a kind of member does. */
struct record_kind {
    void (*write)(const struct record_out *out);
    void (*read)(const struct record_in *in);
    void (*merge)(const struct record_member *member, void *mine, const void *theirs); /* or NULL */
    void (*free)(const struct record_member *member, void *data); /* what read has made; or NULL */
    const char *schema;                                           /* the same of all members, or */
    cJSON *(*make_schema)(const struct record_member *member);    /* NULL: not from the rows */
    bool may_be_given; /* `of`, unless NULL, is the text of the schema instead */
    bool is_record;    /* `of` is the record that it has; else what begins with a pointer to it */
    /* Of one that has a record, or several: what stands between its name and theirs. */
    const char *joint;
};

/* What must hold of a member once it is read, against others of earlier rows; it may settle what follows
 * from them and is not in the document. */
typedef void record_check(const struct record_in *in);

/* The whole of which a count is a part: a count of an earlier row. */
struct record_whole {
    const char *name; /* NULL: of none */
    size_t offset;
    bool of_parent; /* it lies in the record around this one */
};

enum {
    RECORD_IN_CHECKPOINT = 1, /* in checkpoints only: what a run needs to go on */
    RECORD_NULL = 2,          /* null where there is nothing to tell */
    RECORD_ABSENT = 4,        /* it is not there where there is nothing to tell */
    RECORD_LENIENT = 8,       /* a report that nobody merges may lack it */
    RECORD_SET = 16,          /* of a list: what two have stands there once */
    RECORD_EQUAL = 32,        /* parts of one whole have the same: record_disagree */
};

struct record_member {
    const char *name;
    const struct record_kind *kind;
    size_t offset;
    const void *of; /* what the kind needs to know */
    unsigned when;  /* the bit of record.tells with which it is there; 0: always */
    unsigned flags; /* RECORD_... */
    struct record_whole part_of;
    record_check *check;
    const char *says; /* one sentence for people, of the manual (mdoc); NULL: as the row before */
};

struct record {
    const char *name;
    const struct record_member *members;
    size_t count, size;
    size_t
        tells; /* where the unsigned with the bits of `when` lies; RECORD_ALL: everything is there */
};
#define RECORD_ALL ((size_t)-1)
/* As `tells`: the check of an earlier row settles it, and not what stands in the document; or it lies in the
 * record around this one, which settles it. */
#define RECORD_SETTLED(OFFSET) ((OFFSET) | RECORD_SETTLED_BIT)
#define RECORD_OUTSIDE(OFFSET) ((OFFSET) | RECORD_SETTLED_BIT | RECORD_OUTSIDE_BIT)
#define RECORD_SETTLED_BIT     ((size_t)1 << (8 * sizeof(size_t) - 2))
#define RECORD_OUTSIDE_BIT     ((size_t)1 << (8 * sizeof(size_t) - 3))

/* Puts each member into the object, in its place where there is one; what else stands there stays, but for
 * members of which the record does not tell. */
void record_write(cJSON *object, const struct record *record, const void *data, const void *parent,
                  const struct record_wire *wire);

/* Reads and checks each member. Of a report the record tells of what stands there; of a checkpoint what
 * `data` tells of has to stand there. */
void record_read(struct json_reader *reader, const cJSON *object, const struct record *record,
                 void *data, const void *parent, const struct record_wire *wire);

/* Adds what was found of other inputs. The whole tells of what both tell of. */
void record_merge(const struct record *record, void *mine, const void *theirs);

/* Whether both have the same members in a document. */
bool record_same(const struct record *record, const void *a, const void *b,
                 const struct record_wire *wire);

/* The first member that is RECORD_EQUAL, of the record or of one nested in it, and is not the same in both; or NULL. */
const char *record_disagree(const struct record *record, const void *a, const void *b,
                            const struct record_wire *wire);

/* Frees what record_read has made: arrays and the like. */
void record_free(const struct record *record, void *data);

/* Calls with each member that reports have, and those inside it: "value.max.error". */
typedef void record_visit(void *context, const char *path, const struct record_member *member);
void record_walk(const struct record *record, record_visit *visit, void *context);

/* The object of a JSON schema. */
cJSON *record_schema(const struct record *record);

/* Sets a member in its place, or at the end where it is missing: cJSON would lose the item then. */
void record_put(cJSON *object, const char *name, cJSON *item);

/* What kinds do with the member at hand: set it, find it in the object and in the struct, and say what is wrong. */
static inline void record_add(const struct record_out *out, cJSON *item) {
    record_put(out->object, out->member->name, item);
}
static inline const cJSON *record_item(const struct record_in *in) {
    return json_get(in->object, in->member->name);
}
static inline const void *record_from(const struct record_out *out) {
    return (const char *)out->data + out->member->offset;
}
static inline void *record_into(const struct record_in *in) {
    return (char *)in->data + in->member->offset;
}
static inline void record_fail(const struct record_in *in, const char *says) {
    json_fail(in->reader, in->member->name, says);
}

/* A code as text, and back; false for what is not 0x and up to 16 digits. */
cJSON *record_code_item(uint64_t code, int digits);
bool record_code_of(const cJSON *item, uint64_t *code, int *digits);

/* The shortest decimal of 15 digits or more that reads back as the same double. Returns `text`. */
const char *record_number_text(double number, char text[32]);

/* Before it is written as text: makes each number of the document one that reads back as the same double. cJSON would
 * write 1 - 2^-53 as 1, and an error below an ulp is no error of an ulp. `but`: the members of that name, unless NULL,
 * are left as cJSON writes them. */
void record_keep_digits(cJSON *document, const char *but);

#endif

/* What may stand where in a document of vectors, as tokens of JSON come: between read.c,
 * which parses, and document.c, which understands. */
#ifndef DETCHECK_VECTOR_READ_DOCUMENT_H
#define DETCHECK_VECTOR_READ_DOCUMENT_H

#include "op/formula/tree.h"
#include "vector/read/read.h"

#include <string.h>

enum document_place {
    PLACE_OUTSIDE,
    PLACE_DOCUMENT,
    PLACE_NOTES,
    PLACE_GROUPS,
    PLACE_GROUP,
    PLACE_PARAMETERS,
    PLACE_EXTENTS, /* of a shape among the parameters */
    PLACE_TESTS,
    PLACE_TABLE,
    PLACE_TABLE_OUT,
    PLACE_TABLE_DET,
    PLACE_TEST,
    PLACE_IN,
    PLACE_OUT,
    PLACE_DET,
    PLACE_ELEMENTS, /* of an array, in `in`, `out` or `det` */
    PLACE_FLAGS,
    PLACE_RAISED,
    PLACES
};

enum { DOCUMENT_DEPTH = 8, DOCUMENT_TEXT = 256 };

enum member_kind { MEMBER_STRING, MEMBER_WHOLE, MEMBER_NUMBER, MEMBER_OBJECT, MEMBER_ARRAY };

/* A row of the table of members. */
struct document_member {
    enum document_place place;
    const char *name;
    enum member_kind kind;
    enum document_place inside; /* of an object or array */
    bool optional;
    /* Members of the same object that must stand before it, as bits of the table's order there. */
    unsigned before;
};

struct document {
    struct vector_file *file;
    struct error *error; /* what is wrong, without the place */
    enum document_place places[DOCUMENT_DEPTH];
    int depth;
    unsigned seen[DOCUMENT_DEPTH]; /* members of each object, by bits */
    const struct document_member *member;
    const struct parameter *parameter; /* whose value comes next */
    char shape[DOCUMENT_TEXT];
    uint64_t claimed;
    /* Of the group at hand: */
    char operation[FORMULA_TEXT]; /* or a formula */
    char format[DOCUMENT_TEXT], rounding[DOCUMENT_TEXT], expect[DOCUMENT_TEXT],
        tininess[DOCUMENT_TEXT]; /* the last may be empty */
    struct parameters parameters;
    const struct format *result_format;
    struct vector_test test;
    int counts[PLACES];         /* of the test: values so far in PLACE_IN, PLACE_OUT, PLACE_DET */
    struct array_call call;     /* shapes and formats, of an operation on arrays */
    bool has_det, has_raised;   /* the test has the member */
    uint64_t operands, results; /* elements of each test */
    const struct array *array; /* the one at hand; where its next element goes, and where it ends */
    uint64_t element, array_end;
};

/* Each returns false when this must not stand here, with the error set. Texts are as decoded. */
bool document_key(struct document *document, const char *text, size_t length);
bool document_string(struct document *document, const char *text, size_t length);
bool document_number(struct document *document, const char *text, size_t length);
bool document_literal(struct document *document, const char *text); /* true, false, null */
bool document_begin(struct document *document, bool is_object);
bool document_end(struct document *document);

/* The next element of an array, which stands alone or, in a text, among others. */
bool document_element(struct document *document, const char *text, size_t length, bool alone);

/* One result's outputs in a table, as a text. */
bool document_table_outputs(struct document *document, enum document_place place, const char *text,
                            size_t length);

/* At the end: what only the whole shows. */
bool document_check(struct document *document);

/* Below: between document.c, document_table.c and document_value.c. */

extern const char *const document_place_names[];

/* How long the first of several codes in a text is, which have single blanks between them. */
static inline size_t document_code_length(const char *text, size_t length) {
    const char *blank = memchr(text, ' ', length);
    return blank ? (size_t)(blank - text) : length;
}

static inline enum document_place document_here(const struct document *document) {
    return document->places[document->depth];
}

/* The group at hand. */
static inline struct vector_group *document_group(const struct document *document) {
    return &document->file->groups[document->file->group_count - 1];
}

/* A text as a string of C; false where it does not fit or holds a NUL. */
bool document_take(char *to, size_t room, const char *text, size_t length);

/* How many values a test has in PLACE_IN, PLACE_OUT or PLACE_DET. */
int document_wanted(const struct document *document, enum document_place place);

/* Errors; always false. */
bool document_too_many(struct document *document, enum document_place place);
bool document_too_long(struct document *document, size_t room);
bool document_unexpected(struct document *document, const char *what);

/* Where a table begins, whose group is open, and where it ends. */
bool document_begin_table(struct document *document);
bool document_end_table(struct document *document);

/* One of several codes in a text: the hex digits of its bits. */
bool document_read_code(struct document *document, const struct format *format, const char *text,
                        size_t length, uint64_t *code);
/* Whether a NaN among the results is the format's canonical one, where there is but one. */
bool document_check_nan(struct document *document, uint64_t code, const char *text, size_t length);

/* The value of the parameter whose key was read. */
bool document_set_parameter(struct document *document, const char *text);

#endif

/* The kinds of members that know nothing of operations. */
#ifndef DETCHECK_RECORD_KINDS_H
#define DETCHECK_RECORD_KINDS_H

#include "record/record.h"

/* A uint64_t: how many. Counts add up. `of` is the text of its schema where it is not any count. */
extern const struct record_kind record_count;

/* The same, but no sum: two that merge have the same. */
extern const struct record_kind record_given;

/* A count that is there where the one at `of`, which may be itself, is not 0. */
extern const struct record_kind record_some;

/* A uint64_t that no double holds: a number of an input, as hexadecimal text. It is no sum. */
extern const struct record_kind record_number64;

/* char[]: text that ends within its room. */
struct record_text_of {
    size_t room;
};
extern const struct record_kind record_text;

/* A const char * that the document keeps, or whoever writes it; `of` is the text of its schema where that is not
 * any string but an empty one. */
extern const struct record_kind record_string;

/* A bool. */
extern const struct record_kind record_truth;

/* An enum by its name; what is not known here is read as the number behind the last one. */
struct record_names_of {
    const char *const *names;
    size_t count;
};
extern const struct record_kind record_choice;

/* A uint64_t that is a code of a result. */
extern const struct record_kind record_code;

/* A bool that is there as a constant text, `of`, or is not there. */
extern const struct record_kind record_mark;

/* A double: an error, 0 or more. */
extern const struct record_kind record_error;

/* The same, but null where it is infinite. */
extern const struct record_kind record_bound;

/* A member of another kind that a bool says to be there. */
struct record_maybe_of {
    size_t has;
    struct record_kind const *kind;
};
extern const struct record_kind record_maybe;

/* uint64_t[]: the codes of an input, as the wire has them. */
extern const struct record_kind record_input;

/* A struct error_sum (record/sum.h): sums are exact. */
extern const struct record_kind record_sum;

/* A number that follows from others, and is not in the struct. */
struct record_figure_of {
    double (*figure)(const void *data, const void *parent);
    bool is_signed;
    void (*check)(struct json_reader *reader, const void *data, double figure); /* or NULL */
};
extern const struct record_kind record_figure;

/* What is not of the record: the wire says it, and the text here is its schema. */
struct record_said_of {
    const char *schema;
    bool elsewhere; /* other documents than those of this record's wire have it */
};
extern const struct record_kind record_said;

/* A record in the record; `of` is a struct record. */
extern const struct record_kind record_nested;

/* Whether `a` comes before `b`; `data` is the record that they are of. */
typedef bool record_before(const void *data, const void *a, const void *b);

/* A record that may be there (a bool says it), and of two the one that comes first. */
struct record_largest_of {
    const struct record *record;
    size_t has;
    record_before *before;
};
extern const struct record_kind record_largest;

/* An array with room for `most` records, of which an unsigned says how many there are, sorted: of two the
 * first ones. Where `before` is NULL it is in no order, and nothing merges it. */
struct record_list_of {
    const struct record *record;
    size_t count;
    unsigned most;
    record_before *before;
};
extern const struct record_kind record_list;

/* Keeps the first `most` of an order, sorted. */
void record_keep(void *list, size_t size, unsigned *count, unsigned most, const void *one,
                 record_before *before, const void *data);

/* A pointer to records, of which an unsigned says how many there are: who reads them frees them (record_free).
 * Two merge row by row. */
struct record_array_of {
    const struct record *record;
    size_t count;
};
extern const struct record_kind record_array;

/* A pointer to one record, or NULL: who reads it frees it (record_free). */
extern const struct record_kind record_pointed;

/* A struct number_set (record/number_set.h), empty where the document has none. `of` is the text of its schema where that is not any numbers. */
extern const struct record_kind record_numbers;

/* An array with room for `most` sets of codes (record/number_set.h), of which an unsigned says how many there are. */
struct record_runs_of {
    size_t count;
    unsigned most;
};
extern const struct record_kind record_runs;

/* uint64_t[]: a count for each name; those that are 0 are left out, and names that are not known here are
 * checked and forgotten. */
extern const struct record_kind record_names;

/* uint64_t[]: a count for each bucket, which ends with its edge, and one more without an end. */
struct record_buckets_of {
    const double *edges;
    size_t count;
    const char *edge;
};
extern const struct record_kind record_buckets;

/* An array of records by a whole number from `lowest` on, of which those are there whose count at `counted`
 * is not 0. Where `lowest` is RECORD_ALL, `from` and `length` say where the array begins and how long
 * it is, and it lies in the struct itself; else ints in the struct do, and a pointer to it, NULL where
 * nobody keeps them. */
struct record_series_of {
    const struct record *record;
    const char *key;
    size_t counted;
    size_t lowest, count;
    int from, length;
};
extern const struct record_kind record_series;

#endif

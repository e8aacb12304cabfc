/* What an operation on arrays is, beyond what every operation is: the part of its row in the table
 * of operations that says shapes, exact results, implementations and inputs.
 *
 * A call has operands and results that are arrays, each with a format and a shape of its own, and
 * parameters. A sweep makes calls from families of inputs ("normal", "cancelling", ...) instead of
 * numbering codes; all that follows (the judge, the tally, reports) is the same as for numbers. */
#ifndef DETCHECK_OP_ARRAY_H
#define DETCHECK_OP_ARRAY_H

#include "base/error.h"
#include "format/format.h"
#include "op/parameters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAX_ARRAY_OPERANDS = 6, MAX_ARRAY_RESULTS = 3 };
/* Elements of one array, at most. */
#define MOST_ELEMENTS ((uint64_t)1 << 28)

/* Elements in row-major order. */
struct array {
    const struct format *format;
    struct shape shape;
    void *codes; /* format_bytes each; NULL while only shapes are asked for */
};

struct array_rule;

/* What the functions of C that read or write texts do besides giving a result: an element for each line. */
struct line_effects {
    /* Sets of flags (format/flags.h): those that the call raised, none being set before; those that another call
     * cleared, all being set before. Either is NULL where nobody asks. */
    uint8_t *raised, *cleared;
    int32_t *errnos; /* after the call, 0 before; or NULL */
    uint64_t *
        lengths; /* bytes that the function has read, or says that its text has; UINT64_MAX: none of either */
};

struct array_call {
    const struct array_rule *rule;       /* the row, from array_call_plan on */
    const struct parameters *parameters; /* settled */
    enum rounding rounding;
    enum overflow overflow;
    struct array operands[MAX_ARRAY_OPERANDS];
    struct array results[MAX_ARRAY_RESULTS];
    /* Bytes beyond a boundary (base/placed.h) at which functions of a slice get operands and results. */
    uint32_t offset, result_offset;
    /* Which elements of the first result matter, one for each; what `exact` gives for others may be anything. NULL: all. */
    const bool *wanted;
    struct line_effects *lines; /* NULL where nobody asks */
};

/* The code of an element, and the number that it is. */
static inline uint64_t array_code(const struct array *array, uint64_t index) {
    return code_load(array->codes, format_bytes(array->format), (size_t)index);
}

static inline void array_set_code(const struct array *array, uint64_t index, uint64_t code) {
    code_store(array->codes, format_bytes(array->format), (size_t)index, code);
}

static inline struct real array_number(const struct array *array, uint64_t index) {
    return format_decode(array->format, array_code(array, index));
}

/* Whether what `exact` gives for an element of the first result matters. */
static inline bool array_wants(const struct array_call *call, uint64_t element) {
    return !call->wanted || call->wanted[element];
}

/* The number of elements: the product of the extents. */
uint64_t shape_elements(const struct shape *shape);
/* One dimension of `extent` elements. */
struct shape shape_of(uint64_t extent);

/* One way of computing it, by the name of the implementation (--impl) that it is. */
struct array_algorithm {
    const char *implementation;
    const char *detail; /* order of operations; what reports say of it */
    /* False with the reason where it cannot do what the call asks (formats, rounding, parameters).
     * NULL: it can do all. */
    bool (*provides)(const struct array_call *call, struct error *why);
    /* Fills the results. */
    bool (*run)(const struct array_call *call, const struct array_algorithm *algorithm,
                struct error *error);
    const void *data; /* the algorithm's own */
    /* The format that it accumulates in, which reports add to the detail; NULL where it does so in
     * none, as an exact sum. False with the reason where it cannot in that of the call. No function
     * where the detail says all. */
    bool (*accumulates)(const struct array_call *call, const struct array_algorithm *algorithm,
                        const struct format **format, struct error *why);
};

/* A family of inputs. */
struct array_family {
    const char *name;
    const char *summary;
    /* Writes the operands of call number `number`. What an element is depends on the seed, the
     * number and its place alone. */
    void (*draw)(const struct array_call *call, const struct array_family *family, uint64_t seed,
                 uint64_t number);
    const void *data; /* the family's own */
    uint64_t cases;   /* as many as there are; 0 where any number can be drawn */
};

/* Of a row whose results stand for numbers in units of their own: what became of an element's
 * value, beside what the definition's steps make of it. */
struct array_value {
    /* |the number that the output stands for - the operation on the operands' numbers, exactly|, in
     * units of 2^-scale (array_rule's value_scale), cut to a double; 0 only where they are equal. */
    double error;
    bool below; /* the output stands for the smaller number */
    /* What the definition's steps did: changed the value to bring it within bounds; held what did not
     * fit; dropped bits that were not 0. */
    bool clipped, overflowed, lost_bits;
};

/* What an operation does with a line along --axis. */
enum array_lines {
    LINES_NONE,    /* it has no lines */
    LINES_REDUCED, /* one number comes of each, or of two lines: sum, dot */
    LINES_SCANNED, /* each element depends on those before it: cumsum */
    LINES_MAPPED,  /* each depends on all: softmax */
    LINES_PLACED,  /* likewise, and on its place: the gradient of a scan, of two lines */
    LINES_PRODUCT  /* rows and columns of matrices */
};

/* Another call with numbers of a whole one, in which results must have the same bits: a row for each way, and a turn for
 * each such call. */
enum { ARRAY_WHERE = 160 };
struct array_rearrangement {
    const char *property; /* of invariance, that tests it */
    /* The results are those that the property's later rows are held against, in place of the whole call's. */
    bool is_reference;
    /* Makes its parameters of those of the whole call. False with the reason where there is no such call. */
    bool (*set)(struct parameters *parameters, const struct array_rearrangement *row,
                struct error *why);
    uint64_t (*turns)(const struct array_call *whole, const struct array_rearrangement *row);
    /* The shape of a turn, and in what it is another call; false where that turn has none. */
    bool (*plan)(const struct array_call *whole, const struct array_rearrangement *row,
                 uint64_t turn, struct shape *shape, char where[ARRAY_WHERE]);
    /* The code of an element of an operand of the other call. */
    uint64_t (*code)(const struct array_call *whole, const struct array_rearrangement *row,
                     uint64_t turn, int operand, uint64_t element);
    /* Which element of the reference an element of its first result is. */
    uint64_t (*element)(const struct array_call *whole, const struct array_rearrangement *row,
                        uint64_t turn, uint64_t element);
    const void *data; /* the row's own */
    uint64_t number;  /* likewise */
};

/* How an operand lies beside the lines of the first one. */
enum operand_role {
    OPERAND_LINES,   /* a line for each */
    OPERAND_SHARED,  /* one line for all of them: weights */
    OPERAND_PER_LINE /* one number for each */
};

/* Functions are given the call, which has its row; what they share with other rows asks its data. */
struct array_rule {
    const void *data; /* the row's own, as its system has it */
    int which;        /* likewise, where switches ask for it */
    enum array_lines lines;
    /* Whether with these parameters all lines together make a result. NULL: they do not. */
    bool (*joins_lines)(const struct parameters *parameters);
    bool last_axis;     /* without --axis lines lie along the last one, and the array is not one */
    bool shape_of_many; /* --shape has the extents of several arrays, and is none's itself */
    bool takes_texts,
        gives_texts; /* the first operand, or result, has lines of bytes, with zeros behind a text */
    /* Texts only: whether the algorithm reports the effects of its calls (struct line_effects). */
    bool (*tells_lines)(const struct array_call *call, const struct array_algorithm *algorithm);
    bool keeps_zeros;        /* of mapped lines: a 0 stays one, of its own sign */
    bool starts_at_infinity; /* an exclusive scan: with -inf, not with 0 */
    const char *operand_names[MAX_ARRAY_OPERANDS];
    enum operand_role roles[MAX_ARRAY_OPERANDS];
    /* How many of the operands a call has: the last ones may be absent. NULL: all. */
    int (*operand_count)(const struct parameters *parameters);
    /* Behind those that `operands` of the operation counts there is c with --addend. It has the format and the shape of the first
     * result. */
    bool takes_addend;
    /* What an element is, of what its family drew (its number, of an operand of integers) and random bits: an
     * index, a square. NULL: what the family drew. */
    uint64_t (*drawn)(const struct array_call *call, int operand, uint64_t code, uint64_t bits);
    /* Sets formats and shapes of the operands for the shape that the user or `shapes` gave, where
     * the operands' format is `format`. False with the reason where that shape makes no sense. */
    bool (*operand_shapes)(struct array_call *call, const struct format *format,
                           const struct shape *shape, struct error *error);
    /* Sets formats and shapes of the results from those of the operands. */
    bool (*result_shapes)(struct array_call *call, struct error *error);
    /* The exact value of each element of a result, truncated to `precision` bits (at most 120).
     * False where that cannot be had: an error, never a guess. */
    bool (*exact)(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error);
    /* The same without the steps that the definition itself has rounded, clipped or held on the way
     * to `exact`, in the units of the result: what people are shown as exact. NULL: there are none. */
    bool (*unrounded)(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error);
    /* The code of the right result where the exact value is `y`, if it is not the rounding of y in
     * the format alone; *by_rule says whether rules of the operation set it where a number of the
     * format lies nearer, so that it has no error. NULL: the rounding. */
    uint64_t (*want)(const struct array_call *call, int result, uint64_t element,
                     const struct real *y, bool *by_rule);
    /* Rows of data beside scales, of which an implementation may choose others: what an output is held
     * against beside the other outputs, if that is not y, the exact value of the element, and the output,
     * if that is to be another one. `scales` has the exact values of the second result. NULL: it is y. */
    bool (*own_scale)(const struct array_call *call, int result, uint64_t element,
                      const struct real *y, const struct real *scales, const struct array *outputs,
                      int precision, struct real *held, uint64_t *got);
    /* The values of the elements of the first result by each of `count` implementations, whose
     * results `outputs` has: values[element * count + implementation]. NULL: elements are numbers of
     * their format, and their errors say all. */
    bool (*values)(const struct array_call *call, const struct array (*outputs)[MAX_ARRAY_RESULTS],
                   size_t count, struct array_value *values, struct error *error);
    /* It depends on the operands' scales alone, so that errors at other shifts can be compared. */
    long (*value_scale)(const struct array_rule *rule, const struct parameters *parameters);
    bool counts_ends; /* results count how many end at the largest number or at 0 */
    const struct array_algorithm *algorithms; /* ends with a row without a name */
    const struct array_family *families;      /* likewise; the first is the default of `eval` */
    size_t families_by_name;    /* the last so many, which only --distribution takes */
    const struct shape *shapes; /* of a sweep without --shape; ends with dimensions 0 */
    /* Ends with a row without a property; NULL: there are none. */
    const struct array_rearrangement *rearrangements;
};

/* What a call with these parameters does with a line. */
static inline enum array_lines array_lines(const struct array_rule *rule,
                                           const struct parameters *parameters) {
    return rule->joins_lines && rule->joins_lines(parameters) ? LINES_NONE : rule->lines;
}

/* How many families a run takes where --distribution names none. */
static inline size_t array_family_count(const struct array_rule *rule) {
    size_t count = 0;
    while (rule->families[count].name)
        count++;
    return count - rule->families_by_name;
}

/* Whether there is a rearrangement of that property. */
static inline bool array_rearranges(const struct array_rule *rule, const char *property) {
    const struct array_rearrangement *row = rule ? rule->rearrangements : NULL;
    while (row && row->property && strcmp(row->property, property) != 0)
        row++;
    return row && row->property;
}

/* Whether its calls are of lines of text. */
static inline bool array_is_of_texts(const struct array_rule *rule) {
    return rule && (rule->takes_texts || rule->gives_texts);
}

static inline bool array_counts_ends(const struct array_rule *rule) {
    return rule && rule->counts_ends;
}

static inline bool array_has_values(const struct array_rule *rule, int result) {
    return rule && rule->values && result == 0;
}

/* c of a planned call; NULL where none comes in. */
const struct array *array_addend(const struct array_call *call);

/* The code of the right result, and whether by a rule. */
uint64_t array_want(const struct array_call *call, int result, uint64_t element,
                    const struct real *y, bool *by_rule);

/* Whether results are judged by the numbers that they stand for together (no --strict-scale). */
bool array_is_by_value(const struct array_call *call);
/* What the outputs of an implementation are held against: likewise, in *held the exact value, and in
 * *got the output. `scales`: the exact values of the second result, or NULL where it is not by value. */
uint64_t array_want_beside(const struct array_call *call, int result, uint64_t element,
                           const struct real *y, const struct real *scales,
                           const struct array *outputs, int precision, struct real *held,
                           uint64_t *got, bool *by_rule);

/* NULL where the row has none of that name. */
const struct array_algorithm *array_algorithm_find(const struct array_rule *rule, const char *name);
const struct array_family *array_family_find(const struct array_rule *rule, const char *name,
                                             struct error *error);

/* Sets up the row, and formats and shapes of all arrays, without codes. */
bool array_call_plan(struct array_call *call, const struct array_rule *rule,
                     const struct format *format, const struct shape *shape, struct error *error);
/* How many elements all operands of a planned call have together. */
uint64_t array_call_values(const struct array_call *call, int operands);
/* Plans a call of that many values: by --shape where it is given, which may want others; otherwise the
 * shortest that wants as many or more, since operands differ in length where scales are among them. Where
 * the values are an array, `held` is its shape, and its `dimensions` 0 where they are none. That of the one operand
 * is the call's, and *took is true; --shape has to be the same, or what it ends with: the rest counts calls. */
bool array_call_plan_values(struct array_call *call, const struct array_rule *rule,
                            const struct format *format, int operands, uint64_t values,
                            const struct shape *held, bool *took, struct shape *shape,
                            struct error *error);

/* Room for the codes of all arrays, and its end. */
bool array_call_allocate(struct array_call *call, int operands, int results);

/* Whether shapes that came from elsewhere can be a call of the row: no array is empty or beyond what a call may have, and
 * the results are those that the rule makes of the operands. Whether operands suit one another is for the rule. */
bool array_call_holds(const struct array_call *call, int operands, int results,
                      struct error *error);
void array_call_free(struct array_call *call);

#endif

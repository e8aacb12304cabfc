/* What a run of an operation may be told besides its operands: a table of parameters, one row each,
 * and the values of one run.
 *
 * The row gives the name, which is the option on the command line (--to) and the member of
 * "parameters" in reports and vectors. An operation's row says which it takes and which it needs.
 * Options, help, completions, `list` and reports come from these rows: to add a parameter is to add
 * its number here and its row in parameters.c; parameter_values.c reads and writes values. */
#ifndef DETCHECK_OP_PARAMETERS_H
#define DETCHECK_OP_PARAMETERS_H

#include "base/error.h"
#include "format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the table, which is that of reports. */
enum parameter_number {
    PARAMETER_TO,
    PARAMETER_PROFILE,
    PARAMETER_SATURATION,
    PARAMETER_RESULT_SCALE,
    PARAMETER_RANDOM_BITS,
    PARAMETER_RANDOM,
    PARAMETER_RANDOM_SEED,
    PARAMETER_AXIS,
    PARAMETER_EXCLUSIVE,
    PARAMETER_REVERSE,
    PARAMETER_DTYPE,
    PARAMETER_ACCUMULATE,
    PARAMETER_SHAPE_OF,
    PARAMETER_DISTRIBUTION,
    PARAMETER_S1,
    PARAMETER_S2,
    PARAMETER_S3,
    PARAMETER_TARGET,
    PARAMETER_Q,
    PARAMETER_P,
    PARAMETER_BITS,
    PARAMETER_UNSIGNED,
    PARAMETER_ACCUMULATOR,
    PARAMETER_ON_OVERFLOW,
    PARAMETER_ALIGN,
    PARAMETER_TRANSPOSE,
    PARAMETER_LR_SHIFT,
    PARAMETER_MOMENTUM_SHIFT,
    PARAMETER_CLIP,
    PARAMETER_STOCHASTIC,
    PARAMETER_SCALE,
    PARAMETER_PER,
    PARAMETER_STATIC,
    PARAMETER_BY,
    PARAMETER_MARGIN,
    PARAMETER_COMPUTE,
    PARAMETER_SCALES,
    PARAMETER_SECOND_FORMAT,
    PARAMETER_SECOND_SHAPE,
    PARAMETER_SECOND_SCALES,
    PARAMETER_STRIDE,
    PARAMETER_PADDING,
    PARAMETER_DILATION,
    PARAMETER_GROUPS,
    PARAMETER_OF,
    PARAMETER_OPSET,
    PARAMETER_SCALE_FORMAT,
    PARAMETER_SCALE_ROUNDING,
    PARAMETER_SCALE_SATURATION,
    PARAMETER_PRECISION,
    PARAMETER_BLOCK,
    PARAMETER_SCALAR_IN_DATA,
    PARAMETER_UNSATURATED,
    PARAMETER_STRICT_SCALE,
    PARAMETER_EPSILON,
    PARAMETER_FORM,
    PARAMETER_AFFINE,
    PARAMETER_APPROXIMATE,
    PARAMETER_K,
    PARAMETER_CAUSAL,
    PARAMETER_WINDOW,
    PARAMETER_SOFT_CAP,
    PARAMETER_BIAS,
    PARAMETER_BASE,
    PARAMETER_FACTOR,
    PARAMETER_ROTARY,
    PARAMETER_INTERLEAVED,
    PARAMETER_SMOOTHING,
    PARAMETER_IGNORE_INDEX,
    PARAMETER_REDUCTION,
    PARAMETER_MODE,
    PARAMETER_WEIGHTED,
    PARAMETER_PADDING_INDEX,
    PARAMETER_COUNT_INCLUDE_PAD,
    PARAMETER_CEIL_MODE,
    PARAMETER_LEARNING_RATE,
    PARAMETER_MOMENTUM,
    PARAMETER_DAMPENING,
    PARAMETER_NESTEROV,
    PARAMETER_WEIGHT_DECAY,
    PARAMETER_BETA1,
    PARAMETER_BETA2,
    PARAMETER_STEP,
    PARAMETER_PAGE,
    PARAMETER_SPLIT,
    PARAMETER_ADDEND,
    PARAMETER_STYLE,
    PARAMETER_DIGITS,
    PARAMETER_GRAMMAR,
    PARAMETER_LAYOUT,
    PARAMETER_QUANTISER,
    PARAMETER_COUNT
};

/* A set of parameters: PARAMETER_BIT(TO) | PARAMETER_BIT(...). There are more than 64. */
__extension__ typedef unsigned __int128 parameter_set;
#define PARAMETER_BIT(NAME) ((parameter_set)1 << PARAMETER_##NAME)

enum parameter_kind {
    PARAMETER_FLAG,    /* given or not */
    PARAMETER_INTEGER, /* from `least` to `most`: decimal, or hex after 0x */
    PARAMETER_FORMAT,  /* a row of the formats */
    PARAMETER_CHOICE,  /* one of `choices` */
    PARAMETER_SHAPE,   /* extents of an array: 4x128 */
    PARAMETER_NUMBER,  /* a number of a format of P3109: binary8p1uf:4 */
    PARAMETER_TEXT     /* anything */
};

struct parameter {
    const char *name;
    enum parameter_kind kind;
    const char *value;          /* what stands for it in the help; NULL for a flag */
    const char *summary;        /* one line */
    int64_t least, most;        /* of an integer */
    const char *const *choices; /* of a choice: names, then NULL */
    const char *otherwise;      /* the value when it is not given, as one would write it, or NULL */
    bool is_result_format;      /* the results are in this format, not in that of the operands */
    bool casts_operands;        /* to that format, before anything else */
    bool takes_elements;        /* the format may be one of elements of blocks */
    bool takes_number;          /* a choice, or a normal number of fp32 above 0 as its code */
    bool rounds_number;         /* to nearest, where fp32 does not have it */
};

extern const struct parameter parameter_rows[PARAMETER_COUNT];

enum { MOST_DIMENSIONS = 8 };

/* Extents, the slowest first; none of them is 0. */
struct shape {
    int dimensions; /* 1 to MOST_DIMENSIONS */
    uint64_t extents[MOST_DIMENSIONS];
};

/* "2x3" */
enum { SHAPE_TEXT = 21 * MOST_DIMENSIONS };
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT]);

struct parameter_value {
    bool present;
    int64_t
        integer; /* of an integer; 1 of a flag that is given; the index of a choice; the code of a number */
    const struct format *format; /* of a format, and of a number */
    struct shape shape;
    const char *text; /* the caller's, not copied */
};

/* The values of one run, by number. */
struct parameters {
    struct parameter_value values[PARAMETER_COUNT];
};

/* Reads a value as it is written on the command line; `text` means nothing for a flag. The error
 * names the option and what would be right. */
bool parameter_parse(const struct parameter *row, const char *text, struct parameter_value *value,
                     struct error *error);

/* Sets those that lines "name=value" give. Lines that are no parameters, or no values, are passed
 * over. */
void parameters_read(struct parameters *parameters, const char *lines);

/* The value in its canonical spelling, which parameter_parse reads back: "fp16", "-1", "4x128".
 * "true" for a flag. A text is cut to the room. */
enum { PARAMETER_ROOM = 256 };
const char *parameter_text(const struct parameter *row, const struct parameter_value *value,
                           char text[PARAMETER_ROOM]);

/* What an operation has in place of the row's default: the value as one would write it; "" for
 * none. */
struct parameter_default {
    enum parameter_number number;
    const char *text;
};

/* The values for an operation that takes the parameters `taken` and needs `needed` of them: the
 * given ones that it takes, the others by `defaults` (which ends without a text) or those of their
 * rows. An error when a needed one is left without a value. */
bool parameters_settle(const struct parameters *given, parameter_set taken, parameter_set needed,
                       const struct parameter_default *defaults, const char *operation,
                       struct parameters *settled, struct error *error);

/* Those that have a value. */
parameter_set parameters_present(const struct parameters *parameters);

/* The format of the results where the operands are in `format`, maybe a compound: unless a parameter names it,
 * format_without_scale. */
const struct format *parameters_result_format(const struct parameters *parameters,
                                              const struct format *format);

/* Shorthands for kernels and oracles: the value, or what stands for it when there is none. */
static inline int64_t parameter_integer(const struct parameters *parameters,
                                        enum parameter_number number, int64_t otherwise) {
    const struct parameter_value *value = &parameters->values[number];
    return value->present ? value->integer : otherwise;
}

/* What becomes of a result beyond the largest number, where the parameters say it; else `otherwise`. */
static inline enum overflow parameters_overflow(const struct parameters *parameters,
                                                enum overflow otherwise) {
    return (enum overflow)parameter_integer(parameters, PARAMETER_SATURATION, otherwise);
}

static inline bool parameter_flag(const struct parameters *parameters,
                                  enum parameter_number number) {
    return parameters->values[number].present;
}

#endif

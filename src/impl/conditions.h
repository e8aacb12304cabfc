/* Under which conditions a slice is computed: how its arrays lie in memory, and what the caller has
 * set. Results may depend on none of them; `detcheck invariance` asks whether they do. */
#ifndef DETCHECK_IMPL_CONDITIONS_H
#define DETCHECK_IMPL_CONDITIONS_H

#include "base/placed.h"
#include "format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros, with a stride of 1, is what an implementation meets where nothing is asked for. Position
 * in an array and neighbours are no members: they follow from the length and the order of the
 * inputs. */
struct conditions {
    uint32_t length; /* the slice is cut into arrays of so many elements, the last of which may be
                        shorter, and each is computed by a call of its own; 0: it is one array */
    uint32_t offset, result_offset;     /* bytes from a multiple of 64 to the first element */
    uint32_t stride;                    /* elements from one to the next of operands and results */
    uint32_t threads;                   /* so many compute all of it at the same time; 0: one */
    bool in_place;                      /* the first result lies over the first operand */
    enum rounding rounding;             /* that the caller has set; nearest-even is what it was */
    bool flush_results, flush_operands; /* subnormal ones: FTZ and DAZ */
    unsigned x87_bits; /* precision of x87 that the caller has set: 24 or 53; 0: as it was */
    bool flags_set;    /* all exception flags before each array */
    bool traps; /* invalid, divide-by-zero and overflow are signals. The results are those of a call
                   without traps where one has come */
    bool by_number; /* by the library's form for one number, a call for each input */
    /* The code of an operand that fills CONDITION_BESIDE bytes before and behind each array of
     * operands, and is no element of it. Without it the array's first and last element stand there. */
    bool has_around;
    uint64_t around;
};
enum { CONDITION_BOUNDARY = PLACED_BOUNDARY, CONDITION_BESIDE = PLACED_BESIDE };

/* What a binding can be asked for. */
enum condition {
    CONDITION_LENGTH,
    CONDITION_OFFSET,
    CONDITION_STRIDE,
    CONDITION_IN_PLACE,
    CONDITION_THREADS,
    CONDITION_ROUNDING,
    CONDITION_FLUSHING,
    CONDITION_FLAGS,
    CONDITION_TRAPS,
    CONDITION_BY_NUMBER,
    CONDITION_AROUND,
    CONDITION_PRECISION,
    CONDITION_LEFT, /* no condition: it tells what its calls leave changed, which are events then */
    CONDITIONS
};
extern const char *const condition_names[CONDITIONS];

/* How numbers reach a function. */
enum call_form {
    FORM_UNKNOWN,   /* it does not tell */
    FORM_NUMBER,    /* one at a time */
    FORM_REGISTERS, /* as the lanes of vector registers */
    FORM_ARRAYS
};

/* What a binding says of itself where the request asks for conditions. */
struct condition_support {
    bool is_known;       /* it can be asked; where not, nothing but plain calls is possible */
    unsigned set;        /* 1 << CONDITION_... */
    char why[256];       /* not the others; may be empty */
    char variants[2048]; /* lines NAME=VALUE: settings of the environment under which it may take
                            other code */
    enum call_form form;
    /* What it changes by being loaded, by name (platform/rounding_guard.h); "1" where it does not tell
     * what. Empty: nothing. */
    char disturbed[64];
    size_t lanes; /* of a register */
    size_t
        number_bytes; /* of an operand as the function gets it: 4 where fp16 is computed in fp32 */
};

static inline bool condition_is_supported(const struct condition_support *support,
                                          enum condition condition) {
    return support->set >> condition & 1;
}

/* How many distinct conditions, `condition_asked` tells which, are asked for: 1 << CONDITION_... */
unsigned conditions_asked(const struct conditions *conditions);

/* The code of 1: what stands in an array in place of an element that is left out. */
uint64_t conditions_one(const struct format *format);

#endif

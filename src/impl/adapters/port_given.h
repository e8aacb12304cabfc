/* What the functions of lines get in a call: port_arrays.h sets it, and port_lines.h reads it, on a device, too. */
#ifndef PORT_GIVEN_H
#define PORT_GIVEN_H

#include <detmath/language.h>

enum { PORT_OPERANDS = 4, PORT_RESULTS = 3, PORT_DIMENSIONS = 8 };

/* Parameters that are numbers of fp32; none is 0. */
enum port_number {
    PORT_EPSILON,
    PORT_BASE,
    PORT_FACTOR,
    PORT_SMOOTHING,
    PORT_RATE,
    PORT_DECAY,
    PORT_BETA1,
    PORT_BETA2,
    PORT_MOMENTUM,
    PORT_DAMPENING,
    PORT_SOFT_CAP,
    PORT_NUMBERS
};

/* All lines of a call; what is absent is NULL. The pointers are at the end, so that a device with others reads the rest all the same. */
struct port_lines {
    detmath_u64 x_step[PORT_OPERANDS],
        z_step[PORT_RESULTS]; /* elements from one line to the next */
    detmath_u64 x_bytes[PORT_OPERANDS], z_bytes[PORT_RESULTS]; /* of all lines */
    detmath_u64 lines, n;      /* and the elements of a line that the function gets */
    detmath_u64 rows, columns; /* of matrices */
    detmath_u64 skip;          /* elements at the beginning of a result that are there already */
    detmath_u64 scratch_bytes, scratch_step; /* of all lines, and of one: 64 for each element */
    detmath_u64 step, rotary, window, stride, padding, dilation;
    detmath_u64 groups, each; /* of channels; and the weights of a norm's group */
    detmath_u64 dimensions;   /* of the first operand */
    detmath_u64 x_extents[PORT_OPERANDS][PORT_DIMENSIONS], z_extents[PORT_DIMENSIONS];
    detmath_i64 ignored;
    float numbers[PORT_NUMBERS];
    int exclusive, interleaved, nesterov, reverse, causal, alibi;
    DETMATH_ARRAY void *x[PORT_OPERANDS];
    DETMATH_ARRAY void *z[PORT_RESULTS];
    DETMATH_ARRAY void *scratch;
};

#endif

/* The arrays that one operation is timed on, and its rows: who computes it. */
#ifndef DETCHECK_BENCH_WORK_H
#define DETCHECK_BENCH_WORK_H

#include "bench/blas.h"
#include "bench/plain.h"
#include "detmath/cast_arrays.h"
#include "detmath/dyadic_arrays.h"
#include "detmath/dyadic_linear_arrays.h"
#include "detmath/mx_arrays.h"
#include "detmath/quantise.h"
#include "detmath/scaled_tensors.h"
#include "op/operation.h"

/* Numbers in the operation's format, and the same in fp32 for those who compute in that. */
struct bench_work {
    const struct format *format, *to;
    int index, to_index;         /* detmath's numbers of them; -1: none */
    size_t n;                    /* elements, of an operation without matrices */
    size_t rows, inner, columns; /* of convolutions: sums of as many products */
    void *a, *b, *c;             /* codes */
    float *x, *w, *y;
    unsigned char *block_scales;
    volatile double sink; /* so that no loop is left out */
    /* What calls are given besides arrays. */
    size_t extents[5][2], image[4], taps[4]; /* of convolutions: 1, channels, rows, columns */
    float scale_a, scale_b, scale_c;
    struct detmath_scaled_tensor scaled_a, scaled_b, scaled_c, scaled_first,
        scaled_back; /* the last two have one element, of c and of b */
    struct detmath_scaled_tensor scaled_transposed;             /* b as columns x inner */
    struct detmath_scaled_tensor image_a, image_c, scaled_taps; /* a, c and b of convolutions */
    struct detmath_scaled_windows windows[2];
    size_t length;
    struct detmath_strided line_x, line_w, line_y, first_w; /* of that length; one element */
    struct detmath_linear linear;                           /* with one scale, scale_a */
    struct detmath_conversion conversion;
    struct detmath_mx mx;
    struct detmath_cast from_blocks;
    const struct detmath_mx_format *element;
    struct work_plans {
#define WORK_PLAN(NAME, PLAN, VALUE) struct detmath_dyadic_plan NAME;
        PLAIN_INTEGERS_OF_ONE(WORK_PLAN)
        PLAIN_INTEGERS_OF_TWO(WORK_PLAN)
#undef WORK_PLAN
        struct detmath_dyadic_plan affine, from_real, to_real;
        struct detmath_dyadic_step step;
    } plans;
    int32_t *integers, *velocities; /* biases or velocities, and what becomes of these */
    struct detmath_dyadic_matrices matrices, line; /* with a bias for each row; one sum of all */
    const struct blas *blas;
};

struct work_request {
    const struct operation *operation;
    const struct format *format;         /* of the operands */
    const struct parameters *parameters; /* settled: to, profile and shape are heeded */
    size_t elements;                     /* without a shape: 1 to BENCH_MOST_ELEMENTS */
    double low, high;                    /* real numbers are drawn evenly from here */
};

/* False with an error where the shape or the conversion cannot be; to be closed in any case. */
bool bench_work_open(struct bench_work *work, const struct work_request *request,
                     struct error *error);
void bench_work_close(struct bench_work *work);

/* Formats of operands that a row is for. */
enum work_formats {
    WORK_FP32,
    WORK_SCALED, /* fp32, fp16, bf16 and fp8 */
    WORK_INT8,
    WORK_INT16,
    WORK_INT32,
    WORK_SOURCES,   /* fp32, fp16, bf16 */
    WORK_ELEMENTS,  /* of MX blocks */
    WORK_QUANTISED, /* integers of 8 and 16 bits and fp8, by one scale */
    WORK_CASTS      /* all real formats */
};

struct work_row {
    const char *operation, *implementation;
    enum work_formats formats;
    const char *detail;
    bool (*call)(struct bench_work *work); /* false where it cannot; 0 ends the table */
};
extern const struct work_row work_rows[];

/* Whether the row is for operands in that format. */
bool work_takes(const struct work_row *row, const struct format *format);

#endif

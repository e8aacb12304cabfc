/* ONNX's QuantizeLinear and DequantizeLinear as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_ONNX_ROWS_H
#define DETCHECK_OP_ONNX_ROWS_H

#include "detmath/quantise.h"
#include "op/array.h"

enum { ONNX_X, ONNX_SCALE, ONNX_ZERO };

/* The data of a row. */
struct onnx_row {
    const char *name;
    bool quantises;
    int (*run)(const struct detmath_linear *rule, void *y, int to, const void *x, int from,
               const void *scale, int of_scale, const void *zero);
};

/* How scales lie: extents before the axis, along it and behind it, and the elements of a block. */
struct onnx_call {
    const struct array_call *call;
    uint64_t axis, inner, block;
    bool per_axis;                  /* scales have no other extent than the axis's */
    const struct format *narrow;    /* that of the quantised array */
    const struct format *precision; /* of the division */
};
struct onnx_call onnx_call_of(const struct array_call *call);
/* Where the scale of an element is stored. */
uint64_t onnx_scale_at(const struct onnx_call *onnx, uint64_t element);

/* --axis from the front, 1 without it; the number of dimensions where it is none of them. */
int onnx_axis(const struct array_call *call, const struct shape *shape);
/* Whether there is a scale for each index or block along the axis. */
bool onnx_is_along(const struct parameters *given);

/* Whether zero points other than 0 are for that format. */
bool onnx_takes_zero_points(const struct format *narrow);

/* What the library says of the formats and parameters of a call whose shapes are known: by an array
 * without elements. */
bool onnx_allowed(const struct array_call *call, struct error *error);

bool onnx_run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error);
bool onnx_run_naive(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error);

/* detmath's number of a format, of integers (quantise.h) too; -1: none. */
int onnx_index_of(const struct format *format);

extern const struct array_family onnx_number_families[], onnx_code_families[];

#endif

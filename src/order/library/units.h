/* Matrix units as functions: what a matrix instruction of a GPU or a processor returns, bit for bit, on any machine.
 *
 * Link with -ldetmath_order. detcheck-units(7) has the units; detcheck-units-evidence(7) says what they were compared with, and
 * what is open. Functions keep nothing: any number of threads may call them.
 *
 * A unit is one row: the name of the hardware, the format of the factors a and b, and that of the accumulator, which c and
 * d have. Formats go by the names that detcheck has for them ("fp16", "fp8_e4m3fn"). Numbers are codes, the bits of a
 * number in as many bytes as its format takes: 1 to 8 bits one byte, to 16 two, to 32 four (tf32: the last 19 bits), 64
 * eight. So an array of fp16 is one of uint16_t, and one of fp32 may be one of float. */
#ifndef DETMATH_UNITS_H
#define DETMATH_UNITS_H

#include "error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct detmath_unit;

/* Row number `index`, from 0; NULL beyond the last. Rows are there for good, and nobody frees them. */
const struct detmath_unit *detmath_unit_at(size_t index);

/* The row of a unit ("h100", in any case) for formats of factors and of the accumulator; `scales` is NULL, or the format of
 * the scales of blocks, and `block` the products that one scale is for (NVFP4: "mxfp4_e2m1", "fp8_e4m3fn", 16). NULL and a
 * line that says what there is, where it has none. */
const struct detmath_unit *detmath_unit_find(const char *name, const char *format,
                                             const char *accumulator, const char *scales,
                                             unsigned block, struct detmath_error *error);

/* What a row says of itself. The source is in words, as "published" or "MMA-Sim". */
const char *detmath_unit_name(const struct detmath_unit *unit);
const char *detmath_unit_format(const struct detmath_unit *unit);
const char *detmath_unit_accumulator(const struct detmath_unit *unit);
const char *detmath_unit_source(const struct detmath_unit *unit);
/* Of factors in blocks the format of the scales and the products that one is for; else NULL and 0. */
const char *detmath_unit_scales(const struct detmath_unit *unit);
unsigned detmath_unit_block(const struct detmath_unit *unit);
/* Products that one call of the instruction takes. */
unsigned detmath_unit_call(const struct detmath_unit *unit);

/* All parameters as JSON: {"name": ..., "format": ..., "accumulator": ..., "call": 16, "shape": "at-once", "source": ...,
 * "node": {...}}, where the node is as in detcheck/order/1, detcheck-order(7); beside it "last", where two sums are added
 * otherwise, and "scales". As snprintf: writes at most `room` bytes, the last of them 0, and returns how many the whole
 * has without that. 0: no memory. */
size_t detmath_unit_parameters(const struct detmath_unit *unit, char *text, size_t room);

/* How the inner dimension is cut into sums from zero, in whole calls: not at all, in so many parts (a kernel's split-K), or
 * after so many products each (as kernels for 8 bits do). The sums are added from the left by plain additions, to nearest
 * even. */
enum detmath_unit_cut { DETMATH_UNIT_WHOLE, DETMATH_UNIT_SPLIT_K, DETMATH_UNIT_PROMOTE };

/* d = c + a b: d[i, j] = c[i, j] + the sum of a[i, k] b[k, j] over k. */
struct detmath_unit_product {
    const struct detmath_unit *unit;
    size_t rows, inner, columns;
    /* An element's place: a[i * a_row + k * a_step], b[k * b_step + j * b_column]. Elements, not bytes. */
    const void *a, *b;
    size_t a_row, a_step, b_step, b_column;
    /* Of a unit with scales: one for each row of a, or column of b, and `block` products, close together:
     * a_scales[i * s + k / block] and b_scales[j * s + k / block], s being inner / block, rounded up. */
    const void *a_scales, *b_scales;
    const void *c; /* c[i * c_row + j]; NULL: zeros. d may be c */
    size_t c_row;
    void *d; /* d[i * d_row + j] */
    size_t d_row;
    enum detmath_unit_cut cut;
    size_t cut_number; /* of parts, or of products; 1 or more where the product is cut */
    size_t tile;       /* products of each call, which divide those of the row's; 0: the row's */
    int saturate; /* of whole numbers: each call's sum stops at the ends of the accumulator (.satfinite), else it wraps */
};

/* Calls go along the inner dimension, each onto the one before; what is left at the end is filled up with zeros. The first
 * call, or the first one of each part, has c = +0, but c itself where there is one, which the first part takes. NaN comes
 * out as the unit's own code. 0; or -1 and a line: no memory, or a product that makes no sense. Then d is as it was. */
int detmath_unit_matmul(const struct detmath_unit_product *product, struct detmath_error *error);

/* A product of one row and one column of `inner` numbers each, close together, in whole: *d = *c + a b. c may be NULL, and
 * the unit has no scales. */
int detmath_unit_dot(const struct detmath_unit *unit, const void *a, const void *b, size_t inner,
                     const void *c, void *d, struct detmath_error *error);

#ifdef __cplusplus
}
#endif

#endif

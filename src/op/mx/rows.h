/* The operations on MX blocks as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_MX_ROWS_H
#define DETCHECK_OP_MX_ROWS_H

#include "format/block.h"
#include "op/array.h"
#include "op/array/slices.h"

enum { MX_ELEMENTS, MX_SCALES }; /* results of mx.quantise, operands of mx.dequantise */
enum { MX_X, MX_X_SCALES, MX_Y, MX_Y_SCALES, MX_C }; /* operands of mx.matmul */
enum { MX_RANDOM_BITS = 16 };                        /* of stochastic rounding */

/* A call as slices along its axis, each of them blocks of 32, the last of what is left. */
struct mx_call {
    const struct array_call *call;
    struct block_conversion conversion; /* of mx.dequantise, only the format and the rounding */
    struct slices slices, scales;       /* of numbers and elements; of scales */
    bool stochastic;
    uint64_t seed;
};

struct mx_call mx_call_of(const struct array_call *call, const struct format *element);

/* The random bits of the element stored at `index`; 0 where rounding is not stochastic. */
uint64_t mx_random(const struct mx_call *mx, uint64_t index);

bool mx_run_quantise(const struct array_call *call, const struct array_algorithm *algorithm,
                     struct error *error);
bool mx_run_naive(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error);
bool mx_run_dequantise(const struct array_call *call, const struct array_algorithm *algorithm,
                       struct error *error);

/* Of mx.matmul: a scale is for so many products. */
uint64_t mx_product_block(const struct array_call *call);
bool mx_product_operands(struct array_call *call, const struct format *format,
                         const struct shape *shape, struct error *error);
bool mx_product_results(struct array_call *call, struct error *error);
bool mx_product_exact(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error);
bool mx_run_exact_product(const struct array_call *call, const struct array_algorithm *algorithm,
                          struct error *error);
bool mx_run_naive_product(const struct array_call *call, const struct array_algorithm *algorithm,
                          struct error *error);

extern const struct array_family mx_number_families[], mx_block_families[], mx_product_families[];

#endif

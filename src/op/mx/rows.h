/* The operations on MX blocks as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_MX_ROWS_H
#define DETCHECK_OP_MX_ROWS_H

#include "format/block.h"
#include "op/array.h"
#include "op/array/slices.h"

enum { MX_ELEMENTS, MX_SCALES }; /* results of mx.quantise, operands of mx.dequantise */
enum { MX_RANDOM_BITS = 16 };    /* of stochastic rounding */

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

extern const struct array_family mx_number_families[], mx_block_families[];

#endif

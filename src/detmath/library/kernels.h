/* Between arrays.c, which is compiled for each instruction set and part of functions.inc, and those who call it: one
 * struct for each function and instruction set. Not installed. */
#ifndef DETMATH_LIBRARY_KERNELS_H
#define DETMATH_LIBRARY_KERNELS_H

#include "detmath/core.h"

#include <stddef.h>

/* Everything that such a function calls becomes a part of it: a compiler that has seen many
 * functions inlines no more of them, and then a loop has no vectors. Without the instruction, loops
 * are slow anyway, and fma would be copied all over. */
#if defined(__GNUC__) && defined(DETMATH_HARDWARE_FMA)
#define DETMATH_FLATTENED __attribute__((flatten))
#else
#define DETMATH_FLATTENED
#endif

/* Arrays of n elements; a pointer for each operand and result. */
typedef void detmath_fill(void *const *results, const void *const *operands, size_t n);
/* The same, with codes of the format with that index (round.h: enum detmath_format_index). */
typedef void detmath_fill_codes(int format, void *const *results, const void *const *operands,
                                size_t n);

struct detmath_conversion; /* cast_arrays.h */
typedef void detmath_cast_fill(const struct detmath_conversion *conversion, void *to,
                               const void *from, size_t n, const unsigned *random);

/* The scalar of the function's kind; the others are NULL. */
struct detmath_scalar {
    float (*unary)(float);
    float (*binary)(float, float);
    void (*pair)(float, float *, float *);
};

struct detmath_kernels {
    const char *name;
    detmath_fill *det;
    detmath_fill_codes *cr;
    struct detmath_scalar det_scalar, cr_scalar;
};

/* The name of a function's kernels for an instruction set. */
#define DETMATH_KERNELS(LEVEL, NAME)  DETMATH_KERNELS_(LEVEL, NAME)
#define DETMATH_KERNELS_(LEVEL, NAME) detmath_kernels_##LEVEL##_##NAME

/* Indices into the kernels of an instruction set. */
enum detmath_function {
#define DETMATH_UNARY(NAME, ...)      DETMATH_INDEX_##NAME,
#define DETMATH_BINARY(NAME, ...)     DETMATH_INDEX_##NAME,
#define DETMATH_PAIR(NAME, A, B, ...) DETMATH_INDEX_##NAME,
#include "detmath/functions.inc"
    DETMATH_FUNCTIONS
};

/* The best for this machine; by name, NULL where functions.inc has no such line. */
const struct detmath_kernels *detmath_kernels(enum detmath_function function);
const struct detmath_kernels *detmath_kernels_find(const char *name);

/* Their array forms as the library calls them: whatever rounding and flushing the caller has set. */
void detmath_run_det(const struct detmath_kernels *kernels, void *const *results,
                     const void *const *operands, size_t n);
void detmath_run_cr(const struct detmath_kernels *kernels, int format, void *const *results,
                    const void *const *operands, size_t n);

/* Every instruction set that the library was built for, worst first; false beyond the last. The
 * kernels are NULL where this machine lacks it. */
struct detmath_level {
    const char *name;
    const struct detmath_kernels *const *kernels;         /* one of each function */
    const struct detmath_kernels_f64 *const *kernels_f64; /* kernels_f64.h */
    const struct detmath_dyadic_kernels *dyadic;          /* dyadic_kernels.h */
    const struct detmath_dyadic_product *dyadic_products;
    const struct detmath_scaled_kernels *scaled; /* scaled_kernels.h */
    const struct detmath_scaled_row_kernels *scaled_rows;
    const struct detmath_mx_kernels *mx;         /* mx_kernels.h */
    const struct detmath_linear_kernels *linear; /* quantise_elements.h */
    detmath_cast_fill *cast;                     /* see detmath_cast_array */
    const struct detmath_reductions *reductions; /* reduction_list.h */
};
int detmath_level(int index, struct detmath_level *level);
/* The best that this machine has. */
const struct detmath_level *detmath_best_level(void);
/* Levels better than the one of that name are from here on as if this machine lacked them, and none are
 * where it is NULL. To be called while no other thread computes. False where there is no such level. */
int detmath_limit_level(const char *name);

/* NULL if array forms and scalars of a level that this machine has give the hashes of self_check.h,
 * else the name of the first function that does not; in nearest-even, whatever the caller has set. */
const char *detmath_check_level(const struct detmath_level *level);

#endif

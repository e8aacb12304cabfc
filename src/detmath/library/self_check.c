/* Whether the kernels of an instruction set have the right bits: array forms and scalars give the
 * hashes of detmath/self_check.h, on the same inputs. */
#include "detmath/self_check.h"
#include "environment.h"
#include "kernels_f64.h"

#include <stdbool.h>
#include <stddef.h>

static const struct {
    bool two_results;
} shapes[] = {
#define DETMATH_UNARY(NAME, ...)      {false},
#define DETMATH_BINARY(NAME, ...)     {false},
#define DETMATH_PAIR(NAME, A, B, ...) {true},
#include "detmath/functions.inc"
};

/* All inputs of the check, and what one function makes of them. */
struct trial {
    float x[DETMATH_CHECK_INPUTS], y[DETMATH_CHECK_INPUTS];
    float a[DETMATH_CHECK_INPUTS], b[DETMATH_CHECK_INPUTS];
};

static void fill_inputs(struct trial *trial) {
    for (detmath_u32 i = 0; i < DETMATH_CHECK_INPUTS; i++) {
        trial->x[i] = detmath_from_bits_f32(detmath_check_input(i, false));
        trial->y[i] = detmath_from_bits_f32(detmath_check_input(i, true));
    }
}

static detmath_u32 hash_of(const struct trial *trial, bool two_results) {
    detmath_u32 hash = 0;
    for (int i = 0; i < DETMATH_CHECK_INPUTS; i++) {
        hash = detmath_check_fold(hash, trial->a[i]);
        if (two_results)
            hash = detmath_check_fold(hash, trial->b[i]);
    }
    return hash;
}

/* In two pieces: one special input sends a whole strip through the slow way. */
static detmath_u32 hash_arrays(const struct detmath_kernels *kernels, bool det, bool two_results,
                               struct trial *trial) {
    const size_t pieces[] = {0, DETMATH_CHECK_INPUTS - DETMATH_CHECK_TAME, DETMATH_CHECK_INPUTS};
    for (int i = 0; i < 2; i++) {
        size_t at = pieces[i], n = pieces[i + 1] - at;
        void *results[] = {trial->a + at, trial->b + at};
        const void *operands[] = {trial->x + at, trial->y + at};
        if (det)
            kernels->det(results, operands, n);
        else
            kernels->cr(DETMATH_F32, results, operands, n);
    }
    return hash_of(trial, two_results);
}

static detmath_u32 hash_scalars(const struct detmath_scalar *scalar, bool two_results,
                                struct trial *trial) {
    for (int i = 0; i < DETMATH_CHECK_INPUTS; i++)
        if (scalar->pair)
            scalar->pair(trial->x[i], &trial->a[i], &trial->b[i]);
        else
            trial->a[i] = scalar->binary ? scalar->binary(trial->x[i], trial->y[i])
                                         : scalar->unary(trial->x[i]);
    return hash_of(trial, two_results);
}

/* The same of a function of fp64, in an array and by one number. */
static detmath_u32 hash_f64(detmath_fill *fill, const struct detmath_scalar_f64 *scalar,
                            bool two_results) {
    double x[DETMATH_CHECK_INPUTS], y[DETMATH_CHECK_INPUTS], z[2][DETMATH_CHECK_INPUTS];
    detmath_u32 hash = 0;
    for (detmath_u32 i = 0; i < DETMATH_CHECK_INPUTS; i++) {
        x[i] = detmath_check_input_f64(i);
        y[i] = detmath_check_other_f64(i);
        if (!fill && scalar->pair)
            scalar->pair(x[i], &z[0][i], &z[1][i]);
        else if (!fill)
            z[0][i] = scalar->binary ? scalar->binary(x[i], y[i]) : scalar->unary(x[i]);
    }
    if (fill)
        fill((void *[]){z[0], z[1]}, (const void *[]){x, y}, DETMATH_CHECK_INPUTS);
    for (int i = 0; i < DETMATH_CHECK_INPUTS; i++) {
        hash = detmath_check_fold_f64(hash, z[0][i]);
        if (two_results)
            hash = detmath_check_fold_f64(hash, z[1][i]);
    }
    return hash;
}

static bool is_right_f64(const struct detmath_kernels_f64 *kernels, int place) {
    const bool two = kernels->det_scalar.pair != NULL;
    struct detmath_check arrays = {hash_f64(kernels->det, NULL, two),
                                   hash_f64(kernels->cr, NULL, two)};
    struct detmath_check scalars = {hash_f64(NULL, &kernels->det_scalar, two),
                                    hash_f64(NULL, &kernels->cr_scalar, two)};
    return detmath_check_is(arrays, place) && detmath_check_is(scalars, place);
}

const char *detmath_check_level(const struct detmath_level *level) {
    struct trial trial;
    const char *wrong = NULL;
    uint64_t set = detmath_environment_enter();
    fill_inputs(&trial);
    for (int f = 0; f < DETMATH_FUNCTIONS && !wrong; f++) {
        const struct detmath_kernels *kernels = level->kernels[f];
        bool two = shapes[f].two_results;
        struct detmath_check arrays, scalars;
        arrays.det = hash_arrays(kernels, true, two, &trial);
        arrays.cr = hash_arrays(kernels, false, two, &trial);
        scalars.det = hash_scalars(&kernels->det_scalar, two, &trial);
        scalars.cr = hash_scalars(&kernels->cr_scalar, two, &trial);
        if (!detmath_check_is(arrays, f) || !detmath_check_is(scalars, f))
            wrong = kernels->name;
    }
    for (int f = 0; f < DETMATH_FUNCTIONS_F64 && !wrong; f++)
        if (!is_right_f64(level->kernels_f64[f], DETMATH_FUNCTIONS + f))
            wrong = level->kernels_f64[f]->name;
    detmath_environment_leave(set);
    return wrong;
}

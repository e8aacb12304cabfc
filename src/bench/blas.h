/* A BLAS that is installed here, found while the program runs: nothing is linked. */
#ifndef DETCHECK_BENCH_BLAS_H
#define DETCHECK_BENCH_BLAS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct blas {
    void (*gemm)(void); /* cblas_sgemm */
    char detail[256];   /* which library it is */
};

/* OpenBLAS by its usual names where `path` is NULL; made to use one thread where it knows how. False
 * with the reason where there is none, or no cblas_sgemm in it. It stays loaded. */
bool blas_open(struct blas *blas, const char *path, struct error *error);

/* c = a b, row-major. */
void blas_matmul(const struct blas *blas, float *c, const float *a, const float *b, size_t rows,
                 size_t inner, size_t columns);

#endif

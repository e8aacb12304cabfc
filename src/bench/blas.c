/* Finding a BLAS, and calling it by the interface of CBLAS. */
#include "bench/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 }; /* of CBLAS */
typedef void sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};

/* POSIX has a function's address in a void *, C has no cast between them. */
static void find(void *library, const char *symbol, void *function, size_t bytes) {
    void *found = dlsym(library, symbol);
    memcpy(function, &found, bytes);
}

bool blas_open(struct blas *blas, const char *path, struct error *error) {
    void *library = NULL;
    const char *name = path;
    if (path)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !path && !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(name = names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library && path)
        return error_set(error, "blas: %s", dlerror());
    if (!library)
        return error_set(error, "blas: there is no libopenblas.so.0 (Debian's libopenblas0); "
                                "--impl blas:PATH names another BLAS");
    void (*set_threads)(int);
    char *(*get_config)(void);
    find(library, "cblas_sgemm", &blas->gemm, sizeof blas->gemm);
    find(library, "openblas_set_num_threads", &set_threads, sizeof set_threads);
    find(library, "openblas_get_config", &get_config, sizeof get_config);
    if (!blas->gemm) {
        dlclose(library);
        return error_set(error, "blas: %s has no cblas_sgemm", name);
    }
    if (set_threads)
        set_threads(1);
    snprintf(blas->detail, sizeof blas->detail, "%s", get_config ? get_config() : name);
    return true;
}

void blas_matmul(const struct blas *blas, float *c, const float *a, const float *b, size_t rows,
                 size_t inner, size_t columns) {
    ((sgemm *)blas->gemm)(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, (int)rows, (int)columns,
                          (int)inner, 1, a, (int)inner, b, (int)columns, 0, c, (int)columns);
}

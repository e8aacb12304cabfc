/* Prints fingerprints of the functions of detmath, as CUDA's kernels compute them: by the C that ptx.py made of their PTX, in the
 * file REACH_PTX, which ends with a table of the kernels. */
#include "ptx.h"

#define REACH_BLOCK 4096
#include "driver.h"

typedef void ptx_kernel(uint64_t a, uint64_t b, uint64_t x, uint64_t y, uint32_t format, uint32_t n,
                        uint32_t thread);
struct ptx_entry {
    const char *name;
    ptx_kernel *kernel;
};

#include REACH_PTX

/* The kernel VARIANT_NAME; NULL where there is none. */
static ptx_kernel *ptx_find(const struct reach_work *work) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", reach_variants[work->variant],
             reach_functions[work->function].name);
    for (const struct ptx_entry *entry = ptx_entries; entry->name; entry++)
        if (!strcmp(entry->name, name))
            return entry->kernel;
    return NULL;
}

static int reach_compute(struct reach_work *work) {
    ptx_kernel *function = ptx_find(work);
    uint32_t n = (uint32_t)work->n;
    if (!function)
        return 0;
    for (uint32_t thread = 0; thread < n; thread++)
        function((uintptr_t)work->results[0], (uintptr_t)work->results[1], (uintptr_t)work->x,
                 (uintptr_t)work->y, (uint32_t)work->format, n, thread);
    return 1;
}

/* What is flushed is written in PTX. */
static int reach_flush(void) {
    return 0;
}

int main(int argc, char **argv) {
    return reach_main(argc, argv);
}

/* detcheck asks, a port of det on the first CUDA device answers: each function of detmath, in fp32 and fp64, and the operations
 * on arrays of port_arrays.inc, a line by a thread.
 *
 *     nvcc -O2 -I INCLUDE port_adapter.cu -o port_adapter
 *     detcheck sweep exp --impl det --impl exec:./port_adapter
 *
 * INCLUDE is the folder that has detmath/all.h. As it stands, the port is det itself. To prove a port of your own, include
 * it, and change the one line of PORT: detcheck-porting(7). Without a device, a C++ compiler makes a program of it that
 * runs the kernels on the processor: c++ -O2 -I INCLUDE -x c++ port_adapter.cu. */

/* For expf, in fp32, NAME is exp and SUFFIX is f; in fp64 SUFFIX is empty. */
#define PORT(NAME, SUFFIX) detmath_##NAME##SUFFIX

#define ADAPTER_ARRAYS
#include "adapter.h"
#include "port_rows.h"

#include <detmath/all.h>

#include "port_lines.h"

#if defined(__CUDACC__)
#define DEVICE __device__
#else
#define DEVICE
#endif

/* Each row is a type whose compute has the results of one input. */
#define UNARY(FUNCTION)  *z = FUNCTION(x)
#define BINARY(FUNCTION) *z = FUNCTION(x, y)
#define PAIR(FUNCTION)   FUNCTION(x, z, w)
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT)                                                    \
    struct NAME##_of_##NUMBER {                                                                    \
        typedef NUMBER number;                                                                     \
        static DEVICE void compute(NUMBER *z, NUMBER *w, NUMBER x, NUMBER y) {                     \
            (void)y, (void)w;                                                                      \
            KIND(PORT(NAME, SUFFIX));                                                              \
        }                                                                                          \
    };
#define ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, SUFFIX, NUMBER, FORMAT)                      \
    struct NAME##_lines_of_##NUMBER {                                                              \
        static DEVICE void compute(const port_lines *all, size_t at) {                             \
            PORT_##CALL(PORT(FUNCTION, SUFFIX), SUFFIX, NUMBER);                                   \
        }                                                                                          \
    };
#include "port_rows.h"

enum { ARRAYS = 4 }; /* two results, two operands */

#if defined(__CUDACC__)
template <class function, class number>
__global__ void kernel(number *z, number *w, const number *x, const number *y, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        function::compute(z + i, w + i, x[i], y[i]);
}

template <class line> __global__ void lines_kernel(port_lines all) {
    size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (at < all.lines)
        line::compute(&all, at);
}
#endif

template <class function> static void launch(void *const *arrays, size_t count) {
    typedef typename function::number number;
    number *z = (number *)arrays[0], *w = (number *)arrays[1];
    const number *x = (const number *)arrays[2], *y = (const number *)arrays[3];
#if defined(__CUDACC__)
    kernel<function, number><<<(unsigned)((count + 255) / 256), 256>>>(z, w, x, y, count);
#else
    for (size_t i = 0; i < count; i++)
        function::compute(z + i, w + i, x[i], y[i]);
#endif
}

static struct adapter_request asked;
static void *arrays[ARRAYS]; /* on the device */

#if defined(__CUDACC__)
static void need(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "port_adapter: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void open_device(char text[ADAPTER_TEXT]) {
    int devices = 0;
    cudaDeviceProp device;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "port_adapter: there is no CUDA device\n");
        exit(77);
    }
    need(cudaGetDeviceProperties(&device, 0));
    for (int i = 0; i < ARRAYS; i++)
        need(cudaMalloc(&arrays[i], ADAPTER_BLOCK * asked.operand_bytes));
    snprintf(text, ADAPTER_TEXT, "a port of det in CUDA on %s", device.name);
}

static void copy(void *to, const void *from, size_t bytes) {
    need(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

static void *room(size_t bytes) {
    void *there = NULL;
    need(cudaMalloc(&there, bytes));
    return there;
}

static void drop(void *there) {
    need(cudaFree(there));
}
#else
static void open_device(char text[ADAPTER_TEXT]) {
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = calloc(ADAPTER_BLOCK, asked.operand_bytes);
    snprintf(text, ADAPTER_TEXT, "a port of det in CUDA, run by the processor");
}

static void copy(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static void *room(size_t bytes) {
    return adapter_room(bytes);
}

static void drop(void *there) {
    free(there);
}
#endif

/* A copy on the device; NULL of what is absent. */
static void *put(const void *from, size_t bytes) {
    void *there = from ? room(bytes) : NULL;
    if (from)
        copy(there, from, bytes);
    return there;
}

/* The lines on the device, and their results back. */
template <class line> static void launch_lines(port_lines *all) {
    port_lines there = *all;
    for (int k = 0; k < PORT_OPERANDS; k++)
        there.x[k] = put(all->x[k], all->x_bytes[k]);
    for (int k = 0; k < PORT_RESULTS; k++)
        there.z[k] = put(all->z[k], all->z_bytes[k]);
    there.scratch = put(all->scratch, all->scratch_bytes);
#if defined(__CUDACC__)
    lines_kernel<line><<<(unsigned)((all->lines + 31) / 32), 32>>>(there);
    need(cudaGetLastError());
#else
    for (size_t at = 0; at < there.lines; at++)
        line::compute(&there, at);
#endif
    for (int k = 0; k < PORT_RESULTS && there.z[k]; k++)
        copy(all->z[k], there.z[k], all->z_bytes[k]);
    for (int k = 0; k < PORT_OPERANDS; k++)
        drop(there.x[k]);
    for (int k = 0; k < PORT_RESULTS; k++)
        drop(there.z[k]);
    drop(there.scratch);
}

static const struct row {
    const char *name, *format;
    void (*launch)(void *const *arrays, size_t count);
    /* Of operations on arrays. */
    port_lines_kind lines;
    const char *roles;
    void (*run)(port_lines *lines);
} rows[] = {
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT)                                                    \
    {#NAME, FORMAT, launch<NAME##_of_##NUMBER>, PORT_ALL, NULL, NULL},
#define ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, SUFFIX, NUMBER, FORMAT)                      \
    {#NAME, FORMAT, NULL, PORT_##LINES, ROLES, launch_lines<NAME##_lines_of_##NUMBER>},
#include "port_rows.h"
};
static const struct row *row;

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    asked = *request;
    port_name_row(&asked);
    PORT_FIND(row, rows, &asked, text);
    if (row)
        open_device(text);
    return row != NULL;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    for (unsigned k = 0; k < asked.operands; k++)
        copy(arrays[2 + k], x[k], count * asked.operand_bytes);
    for (unsigned k = 0; k < asked.results; k++) /* what the kernel does not write stays */
        copy(arrays[k], z[k], count * asked.result_bytes);
    row->launch(arrays, count);
#if defined(__CUDACC__)
    need(cudaGetLastError());
#endif
    for (unsigned k = 0; k < asked.results; k++)
        copy(z[k], arrays[k], count * asked.result_bytes);
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    port_call(&asked, row->lines, row->roles, operands, results, row->run);
}

int main(void) {
    return adapter_serve();
}

/* detcheck asks, a port of det on the first OpenCL device answers: each function of detmath in fp32.
 *
 *     cc -O2 -I INCLUDE port_opencl_adapter.c -o port_opencl_adapter -lOpenCL
 *     detcheck sweep exp --impl det --impl 'exec:./port_opencl_adapter -IINCLUDE/detmath'
 *
 * INCLUDE is the folder that has detmath/all.h; words on the command line are options for OpenCL's compiler. As it stands,
 * the port is det itself. To prove a port of your own, include it, and change the one line of PORT: detcheck-porting(7). */
static const char port[] =
    "#define PORT(NAME, SUFFIX) detmath_##NAME##SUFFIX\n" /* the line: expf in fp32 is PORT(exp, f) */
    "#include \"families.h\"\n";

#include "adapter.h"
#include "port_rows.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* A compiler of OpenCL may have macros of these names: PORT pastes a name before they are replaced. */
#define UNARY(NAME)  "z[i] = PORT(" NAME ", f)(x[i]);"
#define BINARY(NAME) "z[i] = PORT(" NAME ", f)(x[i], y[i]);"
#define PAIR(NAME)   "float a, b; PORT(" NAME ", f)(x[i], &a, &b); z[i] = a; w[i] = b;"
static const struct row {
    const char *name, *format, *statement;
} rows[] = {
#define PORT_FP32_ALONE
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT) {#NAME, FORMAT, KIND(#NAME)},
#include "port_rows.h"
};

enum { ARRAYS = 4 }; /* two results, two operands */
static struct adapter_request asked;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem arrays[ARRAYS];
static char options[4096];

static void need(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "port_opencl_adapter: %s: OpenCL error %d\n", what, (int)error);
    exit(1);
}

static cl_device_id find_device(char name[256]) {
    cl_platform_id platform;
    cl_device_id device;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_SUCCESS) {
        fprintf(stderr, "port_opencl_adapter: there is no OpenCL device\n");
        exit(77);
    }
    need(clGetDeviceInfo(device, CL_DEVICE_NAME, 255, name, NULL), "clGetDeviceInfo");
    return device;
}

static void build(cl_device_id device, const struct row *row) {
    static char log[1 << 16], text[2048];
    const char *source = text;
    cl_int error;
    snprintf(text, sizeof text,
             "%skernel void compute(global float *z, global float *w, global const float *x,\n"
             "        global const float *y) {\n"
             "    size_t i = get_global_id(0);\n"
             "    %s\n"
             "}\n",
             port, row->statement);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    need(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    need(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    need(error, "clBuildProgram");
    kernel = clCreateKernel(program, "compute", &error);
    need(error, "clCreateKernel");
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    const struct row *row = NULL;
    char name[256] = "";
    PORT_FIND(row, rows, request, text);
    if (!row)
        return 0;
    asked = *request;
    build(find_device(name), row);
    for (int i = 0; i < ARRAYS; i++) {
        cl_int error;
        arrays[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, ADAPTER_BLOCK * asked.operand_bytes,
                                   NULL, &error);
        need(error, "clCreateBuffer");
        need(clSetKernelArg(kernel, (cl_uint)i, sizeof arrays[i], &arrays[i]), "clSetKernelArg");
    }
    snprintf(text, ADAPTER_TEXT, "a port of det in OpenCL on %s", name);
    return 1;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    size_t bytes = count * asked.operand_bytes;
    for (unsigned k = 0; k < asked.operands; k++)
        need(clEnqueueWriteBuffer(queue, arrays[2 + k], CL_TRUE, 0, bytes, x[k], 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    for (unsigned k = 0; k < asked.results; k++) /* what the kernel does not write stays */
        need(clEnqueueWriteBuffer(queue, arrays[k], CL_TRUE, 0, bytes, z[k], 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    for (unsigned k = 0; k < asked.results; k++)
        need(clEnqueueReadBuffer(queue, arrays[k], CL_TRUE, 0, bytes, z[k], 0, NULL, NULL),
             "clEnqueueReadBuffer");
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        snprintf(options + strlen(options), sizeof options - strlen(options), " %s", argv[i]);
    return adapter_serve();
}

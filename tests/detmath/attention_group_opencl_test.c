/* Attention by work groups of the first OpenCL device there is: the bits of the library's. REACH_ROOT is the repository. Ends with
 * 77 where there is no device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "attention_groups.h"

#include <stdio.h>

enum { GROUPS_OF_DEVICE = 3, LANES = 64, LEVELS = 49 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

static void need(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
    exit(2);
}

static void start(void) {
    const char *source = "#include \"tests/detmath/attention_group.cl\"\n";
    cl_platform_id platform;
    cl_program program;
    cl_uint count = 0;
    cl_int error;
    char options[4096], name[256] = "";
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_SUCCESS) {
        fprintf(stderr, "there is no OpenCL device: apt-get install pocl-opencl-icd\n");
        exit(77);
    }
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    printf("OpenCL on %s\n", name);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    need(error, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    need(error, "clCreateProgramWithSource");
    snprintf(options, sizeof options, "-I%s/src -I%s", REACH_ROOT, REACH_ROOT);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[100000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    need(error, "clBuildProgram");
    kernel = clCreateKernel(program, "attend", &error);
    need(error, "clCreateKernel");
}

static cl_mem buffer(float *numbers, size_t n) {
    cl_int error;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | (numbers ? CL_MEM_COPY_HOST_PTR : 0),
                                 n * sizeof(float), numbers, &error);
    need(error, "clCreateBuffer");
    return made;
}

static void run(const struct groups_call *call) {
    const size_t columns = (call->values + LANES - 1) / LANES,
                 room = 2 * call->n + 2 * columns * LANES * LEVELS,
                 results = call->queries * call->values, items = GROUPS_OF_DEVICE * LANES,
                 lanes = LANES;
    const cl_ulong extents[] = {call->queries, call->n, call->width, call->values};
    const cl_int causal = call->causal;
    const cl_float scoring[] = {call->scale, call->soft_cap};
    cl_mem buffers[] = {buffer(NULL, results),
                        buffer(call->q, call->queries * call->width),
                        buffer(call->turned, call->n * call->width),
                        buffer(call->v, call->n * call->values),
                        call->has_bias ? buffer(call->bias, call->queries * call->n) : NULL,
                        buffer(NULL, GROUPS_OF_DEVICE * room)};
    cl_uint place = 0;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        need(clSetKernelArg(kernel, place++, sizeof *buffers, buffers[i] ? &buffers[i] : NULL),
             "clSetKernelArg");
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        need(clSetKernelArg(kernel, place++, sizeof *extents, &extents[i]), "clSetKernelArg");
    need(clSetKernelArg(kernel, place++, sizeof causal, &causal), "clSetKernelArg");
    for (int i = 0; i < 2; i++)
        need(clSetKernelArg(kernel, place++, sizeof *scoring, &scoring[i]), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &lanes, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    need(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, results * sizeof(float), call->y, 0,
                             NULL, NULL),
         "clEnqueueReadBuffer");
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            need(clReleaseMemObject(buffers[i]), "clReleaseMemObject");
}

int main(void) {
    start();
    groups_check_shapes(run);
    groups_check_special_values(run);
    return groups_result();
}

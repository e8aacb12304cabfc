/* Prints fingerprints of every function of detmath, computed by the first OpenCL device there is.
 * REACH_ROOT is the repository. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define REACH_BLOCK 0x100000
#include "driver.h"

static struct {
    const char *options;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem x, y, results[2];
} opencl = {"", NULL, NULL, NULL, NULL, NULL, NULL, {NULL, NULL}};

static void need(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)error);
    exit(2);
}

static void find_device(void) {
    cl_platform_id platform;
    cl_uint count = 0;
    char name[256] = "";
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &opencl.device, &count) != CL_SUCCESS) {
        fprintf(stderr, "there is no OpenCL device: apt-get install pocl-opencl-icd\n");
        exit(77);
    }
    clGetDeviceInfo(opencl.device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    fprintf(stderr, "OpenCL on %s\n", name);
}

static cl_mem buffer(cl_mem_flags flags) {
    cl_int error;
    cl_mem made =
        clCreateBuffer(opencl.context, flags, REACH_BLOCK * sizeof(uint32_t), NULL, &error);
    need(error, "clCreateBuffer");
    return made;
}

static void build(void) {
    const char *source = "#include \"device.h\"\n";
    char options[4096];
    cl_int error;
    snprintf(options, sizeof options, "-I%s/src -I%s/tests/reach%s", REACH_ROOT, REACH_ROOT,
             opencl.options);
    opencl.program = clCreateProgramWithSource(opencl.context, 1, &source, NULL, &error);
    need(error, "clCreateProgramWithSource");
    error = clBuildProgram(opencl.program, 1, &opencl.device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[100000];
        clGetProgramBuildInfo(opencl.program, opencl.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1,
                              log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    need(error, "clBuildProgram");
}

static void start(void) {
    cl_int error;
    find_device();
    opencl.context = clCreateContext(NULL, 1, &opencl.device, NULL, NULL, &error);
    need(error, "clCreateContext");
    opencl.queue = clCreateCommandQueue(opencl.context, opencl.device, 0, &error);
    need(error, "clCreateCommandQueue");
    opencl.x = buffer(CL_MEM_READ_ONLY);
    opencl.y = buffer(CL_MEM_READ_ONLY);
    opencl.results[0] = buffer(CL_MEM_WRITE_ONLY);
    opencl.results[1] = buffer(CL_MEM_WRITE_ONLY);
    build();
}

static void run(cl_kernel kernel, struct reach_work *work) {
    cl_int format = work->format;
    cl_uint n = (cl_uint)work->n;
    size_t bytes = work->n * sizeof(uint32_t), items = (work->n + 63) / 64 * 64, group = 64;
    size_t given = reach_is_long(work) ? 2 * bytes : bytes;
    need(clEnqueueWriteBuffer(opencl.queue, opencl.x, CL_TRUE, 0, given, work->x, 0, NULL, NULL),
         "clEnqueueWriteBuffer");
    need(clEnqueueWriteBuffer(opencl.queue, opencl.y, CL_TRUE, 0, given, work->y, 0, NULL, NULL),
         "clEnqueueWriteBuffer");
    cl_mem buffers[] = {opencl.results[0], opencl.results[1], opencl.x, opencl.y};
    for (cl_uint i = 0; i < 4; i++)
        need(clSetKernelArg(kernel, i, sizeof *buffers, &buffers[i]), "clSetKernelArg");
    need(clSetKernelArg(kernel, 4, sizeof format, &format), "clSetKernelArg");
    need(clSetKernelArg(kernel, 5, sizeof n, &n), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(opencl.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    for (int i = 0; i < reach_functions[work->function].results; i++)
        need(clEnqueueReadBuffer(opencl.queue, opencl.results[i], CL_TRUE, 0, bytes,
                                 work->results[i], 0, NULL, NULL),
             "clEnqueueReadBuffer");
}

static int reach_compute(struct reach_work *work) {
    char name[64];
    cl_int error;
    if (!opencl.device)
        start();
    snprintf(name, sizeof name, "%s_%s", reach_variants[work->variant],
             reach_functions[work->function].name);
    cl_kernel kernel = clCreateKernel(opencl.program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) /* a device without double */
        return 0;
    need(error, "clCreateKernel");
    run(kernel, work);
    need(clReleaseKernel(kernel), "clReleaseKernel");
    return 1;
}

static int reach_flush(void) {
    opencl.options = " -cl-denorms-are-zero";
    return 1;
}

int main(int argc, char **argv) {
    return reach_main(argc, argv);
}

/* detcheck asks, the first OpenCL device answers. Words on the command line are options for its
 * compiler.
 *
 *     cc -O2 opencl_adapter.c -o opencl_adapter -lOpenCL -lm -pthread
 *     detcheck sweep sin --impl 'exec:./opencl_adapter -cl-fast-relaxed-math'
 *
 * fp32, and fp64 where the device has it. To measure a kernel of your own, put it in the place of
 * the expressions. What lies where in an array is so on the device too. */
#define ADAPTER_CONDITIONS
#define ADAPTER_ELSEWHERE
#include "adapter.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* Expressions of OpenCL C, in x, y and z; where there is none, the function of the same name. */
static const struct row {
    const char *name, *expression;
} rows[] = {{"recip", "1 / x"},       {"add", "x + y"},
            {"sub", "x - y"},         {"mul", "x * y"},
            {"div", "x / y"},         {"pow", "pow(x, y)"},
            {"atan2", "atan2(x, y)"}, {"hypot", "hypot(x, y)"},
            {"fmod", "fmod(x, y)"},   {"remainder", "remainder(x, y)"},
            {"fdim", "fdim(x, y)"},   {"fma", "fma(x, y, z)"}};
static const char unary[] =
    " exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan "
    "sinpi cospi tanpi asinpi acospi atanpi sinh cosh tanh asinh acosh atanh "
    "sqrt cbrt rsqrt erf erfc tgamma lgamma ";

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem arrays[1 + ADAPTER_OPERANDS]; /* the result, the operands */
static char options[4096];
static size_t width; /* bytes of a number */
static unsigned operands;

static void need(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "opencl_adapter: %s: OpenCL error %d\n", what, (int)error);
    exit(1);
}

static int find_expression(const char *name, char expression[64]) {
    char word[40];
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return snprintf(expression, 64, "%s", rows[i].expression) > 0;
    return strstr(unary, word) && snprintf(expression, 64, "%s(x)", name) > 0;
}

static cl_device_id find_device(char name[256]) {
    cl_platform_id platform;
    cl_device_id device;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_SUCCESS) {
        fprintf(stderr, "opencl_adapter: there is no OpenCL device\n");
        exit(77);
    }
    need(clGetDeviceInfo(device, CL_DEVICE_NAME, 255, name, NULL), "clGetDeviceInfo");
    return device;
}

static void build(cl_device_id device, const char *expression) {
    static char log[1 << 16], text[1024];
    const char *source = text;
    cl_int error;
    snprintf(text, sizeof text,
             "%stypedef %s number;\n"
             "__kernel void compute(__global number *a, __global const number *b,\n"
             "        __global const number *c, __global const number *d, uint4 at) {\n"
             "    size_t i = get_global_id(0);\n"
             "    number x = b[at.y + i], y = c[at.z + i], z = d[at.w + i];\n"
             "    a[at.x + i] = %s;\n"
             "}\n",
             width == 8 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "",
             width == 8 ? "double" : "float", expression);
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
    char expression[64], name[256] = "";
    width = request->operand_bytes;
    operands = request->operands;
    int fp32 = strcmp(request->format, "fp32") == 0, fp64 = strcmp(request->format, "fp64") == 0;
    if (!(fp32 || fp64) || !find_expression(request->operation, expression) ||
        strcmp(request->rounding, "nearest-even") != 0) {
        snprintf(text, ADAPTER_TEXT, "opencl_adapter has no %s in %s, %s", request->operation,
                 request->format, request->rounding);
        return 0;
    }
    build(find_device(name), expression);
    for (int i = 0; i <= ADAPTER_OPERANDS; i++) {
        cl_int error;
        arrays[i] = clCreateBuffer(context, CL_MEM_READ_WRITE,
                                   ADAPTER_BLOCK * width + 3 * ADAPTER_BESIDE, NULL, &error);
        need(error, "clCreateBuffer");
        need(clSetKernelArg(kernel, (cl_uint)i, sizeof arrays[i], &arrays[i]), "clSetKernelArg");
    }
    snprintf(text, ADAPTER_TEXT, "OpenCL on %s%s%.200s", name, options[0] ? "," : "", options);
    return 1;
}

/* Where an array lies in its buffer, in bytes: as far from a multiple of 64 as it does here, behind
 * what stands beside it. */
static size_t place(const void *array) {
    return adapter_beside ? adapter_beside + (uintptr_t)array % 64 : 0;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    unsigned in_place = z[0] == x[0];
    cl_uint4 at = {{(cl_uint)(place(z[0]) / width)}};
    for (unsigned k = 0; k < operands; k++) {
        at.s[1 + k] = (cl_uint)(place(x[k]) / width);
        need(clEnqueueWriteBuffer(queue, arrays[1 + k], CL_TRUE, place(x[k]) - adapter_beside,
                                  count * width + 2 * adapter_beside,
                                  (const char *)x[k] - adapter_beside, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    }
    if (!in_place) /* what the kernel does not write stays */
        need(clEnqueueWriteBuffer(queue, arrays[0], CL_TRUE, place(z[0]), count * width, z[0], 0,
                                  NULL, NULL),
             "clEnqueueWriteBuffer");
    need(clSetKernelArg(kernel, 0, sizeof *arrays, &arrays[in_place]), "clSetKernelArg");
    need(clSetKernelArg(kernel, 1 + ADAPTER_OPERANDS, sizeof at, &at), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    need(clEnqueueReadBuffer(queue, arrays[in_place], CL_TRUE, place(z[0]), count * width, z[0], 0,
                             NULL, NULL),
         "clEnqueueReadBuffer");
}

/* Ways in which PoCL makes a loop of a kernel. Other drivers do not know them. */
static const char *adapter_variants(void) {
    return "POCL_WORK_GROUP_METHOD=loops\nPOCL_WORK_GROUP_METHOD=loopvec\n";
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        snprintf(options + strlen(options), sizeof options - strlen(options), " %s", argv[i]);
    return adapter_serve();
}

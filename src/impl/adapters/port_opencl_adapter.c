/* detcheck asks, a port of det on the first OpenCL device answers: each function of detmath in fp32, and the
 * operations on arrays of port_arrays.inc, a line by a work item.
 *
 *     cc -O2 -I INCLUDE port_opencl_adapter.c -o port_opencl_adapter -lOpenCL
 *     detcheck sweep exp --impl det --impl 'exec:./port_opencl_adapter -IINCLUDE -I.'
 *
 * INCLUDE is the folder that has detmath/all.h; words on the command line are options for OpenCL's compiler, which reads
 * port_lines.h in the folder of the second. As it stands,
 * the port is det itself. To prove a port of your own, include it, and change the one line of PORT: detcheck-porting(7). */
static const char port[] =
    "#define PORT(NAME, SUFFIX) detmath_##NAME##SUFFIX\n" /* the line: expf in fp32 is PORT(exp, f) */
    "#include <detmath/families.h>\n";
static const char port_of_lines[] = "#define PORT_FP32_ALONE\n"
                                    "#include \"port_lines.h\"\n";

#define ADAPTER_ARRAYS
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
    /* Of operations on arrays. */
    enum port_lines_kind lines;
    const char *roles;
} rows[] = {
#define PORT_FP32_ALONE
#define ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT) {#NAME, FORMAT, KIND(#NAME), PORT_ALL, NULL},
#define ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, SUFFIX, NUMBER, FORMAT)                      \
    {#NAME, FORMAT, "PORT_" #CALL "(PORT(" #FUNCTION ", f), f, float);", PORT_##LINES, ROLES},
#include "port_rows.h"
};
static const struct row *row;

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

/* The program for a row's statement: of one input, or of a line, whose numbers `given` has in front of the pointers. */
static const char function_text[] =
    "%skernel void compute(global float *z, global float *w, global const float *x,\n"
    "        global const float *y) {\n"
    "    size_t i = get_global_id(0);\n"
    "    %s\n"
    "}\n";
static const char lines_text[] =
    "%skernel void compute(global const struct port_lines *given, global void *scratch,\n"
    "        global void *z0, global void *z1, global void *z2,\n"
    "        global void *x0, global void *x1, global void *x2, global void *x3) {\n"
    "    struct port_lines here = *given;\n"
    "    const struct port_lines *all = &here;\n"
    "    detmath_u64 at = get_global_id(0);\n"
    "    here.scratch = scratch;\n"
    "    here.z[0] = z0; here.z[1] = z1; here.z[2] = z2;\n"
    "    here.x[0] = x0; here.x[1] = x1; here.x[2] = x2; here.x[3] = x3;\n"
    "    %s\n"
    "}\n";

static void build(cl_device_id device) {
    static char log[1 << 16], head[1024], text[4096];
    const char *source = text;
    cl_int error;
    snprintf(head, sizeof head, "%s%s", port, row->roles ? port_of_lines : "");
    snprintf(text, sizeof text, row->roles ? lines_text : function_text, head, row->statement);
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

static cl_mem buffer(size_t bytes) {
    cl_int error;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &error);
    need(error, "clCreateBuffer");
    return made;
}

static void give(cl_uint place, const cl_mem *array) {
    need(clSetKernelArg(kernel, place, sizeof *array, array), "clSetKernelArg");
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    char name[256] = "";
    asked = *request;
    port_name_row(&asked);
    PORT_FIND(row, rows, &asked, text);
    if (!row)
        return 0;
    build(find_device(name));
    for (cl_uint i = 0; !row->roles && i < ARRAYS; i++) {
        arrays[i] = buffer(ADAPTER_BLOCK * asked.operand_bytes);
        give(i, &arrays[i]);
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

/* Gives the kernel a copy of an array; NULL of what is absent. */
static cl_mem put(cl_uint place, const void *from, size_t bytes) {
    cl_mem there = from ? buffer(bytes) : NULL;
    if (from && bytes)
        need(clEnqueueWriteBuffer(queue, there, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    give(place, there ? &there : NULL);
    return there;
}

static void run_lines(struct port_lines *all) {
    enum { GIVEN, SCRATCH, FIRST_RESULT, FIRST_OPERAND = FIRST_RESULT + PORT_RESULTS };
    cl_mem made[FIRST_OPERAND + PORT_OPERANDS];
    const size_t lines = (size_t)all->lines;
    made[GIVEN] = put(GIVEN, all, sizeof *all);
    made[SCRATCH] = put(SCRATCH, all->scratch, (size_t)all->scratch_bytes);
    for (cl_uint k = 0; k < PORT_RESULTS; k++)
        made[FIRST_RESULT + k] = put(FIRST_RESULT + k, all->z[k], (size_t)all->z_bytes[k]);
    for (cl_uint k = 0; k < PORT_OPERANDS; k++)
        made[FIRST_OPERAND + k] = put(FIRST_OPERAND + k, all->x[k], (size_t)all->x_bytes[k]);
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &lines, NULL, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    for (cl_uint k = 0; k < PORT_RESULTS; k++)
        if (all->z_bytes[k])
            need(clEnqueueReadBuffer(queue, made[FIRST_RESULT + k], CL_TRUE, 0,
                                     (size_t)all->z_bytes[k], all->z[k], 0, NULL, NULL),
                 "clEnqueueReadBuffer");
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (made[i])
            need(clReleaseMemObject(made[i]), "clReleaseMemObject");
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    port_call(&asked, row->lines, row->roles, operands, results, run_lines);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        snprintf(options + strlen(options), sizeof options - strlen(options), " %s", argv[i]);
    return adapter_serve();
}

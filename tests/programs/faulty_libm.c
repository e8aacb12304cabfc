/* A libm in front of the real one: it misbehaves where a test tells it to, and writes down what it
 * was asked. Preloaded, it stands for a library with one wrong entry among millions.
 *
 *   FAULT_AT=BITS     the input (of the first operand) where the fault happens; without, none does
 *   FAULT_AND=BITS    and of the second operand, where there is one (any)
 *   FAULT_MASK=BITS   bits of the input that FAULT_AT must match (all)
 *   FAULT_XOR=BITS    flips these bits of the output
 *   FAULT_SET=BITS    makes the output these bits
 *   FAULT_RESULT=N    which result that concerns, of a function of two (0)
 *   FAULT_MODE=WORD   leaves the rounding mode changed: up, down, zero; mxcsr or x87: rounding up
 * in that unit of an x86 processor only FAULT_RECORD=FILE appends the operands of every call, in
 * the machine's byte order */
#if defined(__linux__)
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static struct {
    bool armed, any_second, replaces;
    uint64_t at, and, mask, flipped, set;
    int result;
    const char *mode;
    FILE *record;
} fault;

static bool read_bits(const char *name, uint64_t *bits) {
    const char *text = getenv(name);
    if (text)
        *bits = strtoull(text, NULL, 16);
    return text != NULL;
}

__attribute__((constructor)) static void read_environment(void) {
    fault.mask = UINT64_MAX;
    fault.armed = read_bits("FAULT_AT", &fault.at);
    fault.any_second = !read_bits("FAULT_AND", &fault.and);
    read_bits("FAULT_MASK", &fault.mask);
    read_bits("FAULT_XOR", &fault.flipped);
    fault.replaces = read_bits("FAULT_SET", &fault.set);
    uint64_t result = 0;
    read_bits("FAULT_RESULT", &result);
    fault.result = (int)result;
    fault.mode = getenv("FAULT_MODE");
    const char *record = getenv("FAULT_RECORD");
    fault.record = record ? fopen(record, "ab") : NULL;
}

__attribute__((destructor)) static void close_record(void) {
    if (fault.record)
        fclose(fault.record);
}

static void change_mode(const char *mode) {
#if defined(__SSE2__)
    enum { MXCSR_ROUND_UP = 0x4000, X87_ROUND_UP = 0x800 };
    if (strcmp(mode, "mxcsr") == 0)
        _mm_setcsr(_mm_getcsr() | MXCSR_ROUND_UP);
    if (strcmp(mode, "x87") == 0) {
        uint16_t control;
        __asm__ volatile("fnstcw %0" : "=m"(control));
        control |= X87_ROUND_UP;
        __asm__ volatile("fldcw %0" : : "m"(control));
    }
#endif
    if (strcmp(mode, "up") == 0)
        fesetround(FE_UPWARD);
    if (strcmp(mode, "down") == 0)
        fesetround(FE_DOWNWARD);
    if (strcmp(mode, "zero") == 0)
        fesetround(FE_TOWARDZERO);
}

/* The output that the caller gets for an input of `operands` words where `output` is right. */
static uint64_t answer(const uint64_t *input, int operands, int result, uint64_t output) {
    bool here = fault.armed && (input[0] & fault.mask) == (fault.at & fault.mask) &&
                (operands == 1 || fault.any_second || input[1] == fault.and) &&
                result == fault.result;
    if (!here)
        return output;
    if (fault.mode)
        change_mode(fault.mode);
    return (fault.replaces ? fault.set : output) ^ fault.flipped;
}

static void record(const void *operands, size_t size) {
    if (fault.record)
        fwrite(operands, 1, size, fault.record);
}

static uint32_t answer_fp32(const float *input, int operands, int result, float output) {
    uint32_t narrow[2] = {0}, bits;
    memcpy(narrow, input, (size_t)operands * sizeof *narrow);
    memcpy(&bits, &output, sizeof bits);
    const uint64_t wide[2] = {narrow[0], narrow[1]};
    return (uint32_t)answer(wide, operands, result, bits);
}

static float float_of(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The real function of that name, as a pointer of the type that `function` has. */
static void find_real(void *function, const char *name) {
    void *address = dlsym(RTLD_NEXT, name);
    if (!address) {
        fprintf(stderr, "faulty_libm: nothing behind it has %s\n", name);
        abort();
    }
    memcpy(function, &address, sizeof address);
}

#define FAULTY_FP32(NAME)                                                                          \
    float NAME(float x);                                                                           \
    float NAME(float x) {                                                                          \
        float (*real)(float);                                                                      \
        find_real(&real, #NAME);                                                                   \
        record(&x, sizeof x);                                                                      \
        return float_of(answer_fp32(&x, 1, 0, real(x)));                                           \
    }

FAULTY_FP32(expf)
FAULTY_FP32(sinf)
FAULTY_FP32(sqrtf)
FAULTY_FP32(log2f)

float powf(float x, float y);
float powf(float x, float y) {
    float (*real)(float, float);
    const float operands[] = {x, y};
    find_real(&real, "powf");
    record(operands, sizeof operands);
    return float_of(answer_fp32(operands, 2, 0, real(x, y)));
}

void sincosf(float x, float *sine, float *cosine);
void sincosf(float x, float *sine, float *cosine) {
    void (*real)(float, float *, float *);
    find_real(&real, "sincosf");
    record(&x, sizeof x);
    real(x, sine, cosine);
    *sine = float_of(answer_fp32(&x, 1, 0, *sine));
    *cosine = float_of(answer_fp32(&x, 1, 1, *cosine));
}

double exp2(double x);
double exp2(double x) {
    double (*real)(double);
    uint64_t input, bits;
    find_real(&real, "exp2");
    record(&x, sizeof x);
    double output = real(x);
    memcpy(&input, &x, sizeof input);
    memcpy(&bits, &output, sizeof bits);
    bits = answer(&input, 1, 0, bits);
    memcpy(&output, &bits, sizeof output);
    return output;
}

/* detcheck asks, C's functions answer: a worker for exec:, as detcheck-exec(7) has it.
 *
 *     cc -O2 -ffp-contract=off -static c_adapter.c -o c_adapter -lm
 *     detcheck sweep sin --impl exec:./c_adapter
 *
 * It measures the libm that it is linked to, so a static program brings another C library or
 * another processor: musl-gcc -static, or aarch64-linux-gnu-gcc -static and exec:'qemu-aarch64
 * ./c_adapter'. C99 and its libm are all it needs. fp32 calls expf, fp64 exp; other formats are not
 * provided. To measure something else, copy this file and change the tables. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 160, BLOCK = 1 << 15, MAX_ARRAYS = 3 };

/* One row for each function: its name, as detcheck has it, and how many operands it takes. */
#define UNARY(NAME)                                                                                \
    {                                                                                              \
#NAME, 1, {.f1 = NAME##f }, {                                                              \
            .d1 = NAME                                                                             \
        }                                                                                          \
    }
#define BINARY(NAME)                                                                               \
    {                                                                                              \
#NAME, 2, {.f2 = NAME##f }, {                                                              \
            .d2 = NAME                                                                             \
        }                                                                                          \
    }
#define TERNARY(NAME)                                                                              \
    {                                                                                              \
#NAME, 3, {.f3 = NAME##f }, {                                                              \
            .d3 = NAME                                                                             \
        }                                                                                          \
    }
static const struct function {
    const char *name;
    unsigned operands;
    union {
        float (*f1)(float);
        float (*f2)(float, float);
        float (*f3)(float, float, float);
    } fp32;
    union {
        double (*d1)(double);
        double (*d2)(double, double);
        double (*d3)(double, double, double);
    } fp64;
} functions[] = {UNARY(exp),   UNARY(exp2),   UNARY(expm1),  UNARY(log),   UNARY(log2),
                 UNARY(log10), UNARY(log1p),  UNARY(sin),    UNARY(cos),   UNARY(tan),
                 UNARY(asin),  UNARY(acos),   UNARY(atan),   UNARY(sinh),  UNARY(cosh),
                 UNARY(tanh),  UNARY(asinh),  UNARY(acosh),  UNARY(atanh), UNARY(erf),
                 UNARY(erfc),  UNARY(tgamma), UNARY(lgamma), UNARY(cbrt),  UNARY(sqrt),
                 BINARY(pow),  BINARY(atan2), BINARY(hypot), BINARY(fmod), BINARY(remainder),
                 BINARY(fdim), TERNARY(fma)};

static const struct function *function;
static unsigned operands, width; /* bytes of a number */
static unsigned char arrays[MAX_ARRAYS][8 * BLOCK], answers[8 * BLOCK];

static void take(void *bytes, size_t length) {
    if (length && fread(bytes, 1, length, stdin) != length)
        exit(0); /* detcheck has seen enough */
}

static void give(const void *bytes, size_t length) {
    if (fwrite(bytes, 1, length, stdout) != length)
        exit(1);
}

/* Little-endian numbers, whatever the order of this machine. */
static uint64_t get(const unsigned char *at, unsigned bytes) {
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static void put(unsigned char *at, uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

static void reply(uint32_t status, const char *text) {
    unsigned char bytes[16] = "detcheck";
    put(bytes + 8, status, 4);
    put(bytes + 12, strlen(text), 4);
    give(bytes, sizeof bytes);
    give(text, strlen(text));
    fflush(stdout);
    if (status)
        exit(0);
}

static void set_rounding(const char *name) {
    static const struct {
        const char *name;
        int mode;
    } modes[] = {{"nearest-even", FE_TONEAREST},
                 {"toward-zero", FE_TOWARDZERO},
                 {"up", FE_UPWARD},
                 {"down", FE_DOWNWARD}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(name, modes[i].name) == 0 && fesetround(modes[i].mode) == 0)
            return;
    reply(1, "C has no such rounding mode");
}

/* The header: which operation, in which format and rounding. */
static void greet(void) {
    unsigned char header[HEADER];
    take(header, sizeof header);
    for (uint64_t left = get(header + 28, 4); left > 0; left--) /* parameters: not ours */
        take(header + HEADER - 1, 1);
    const char *operation = (char *)header + 32, *format = (char *)header + 64;
    const char *results = (char *)header + 96;
    operands = (unsigned)get(header + 12, 4);
    width = strcmp(format, "fp32") == 0 ? 4 : strcmp(format, "fp64") == 0 ? 8 : 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, operation) == 0)
            function = &functions[i];
    if (!function || !width || strcmp(format, results) != 0 || operands != function->operands)
        reply(1, "the C adapter knows C99's functions of one result, in fp32 and fp64");
    set_rounding((char *)header + 128);
    reply(0, "C adapter, the libm that it is linked to");
}

static void compute_fp32(size_t i) {
    float x[MAX_ARRAYS] = {0}, y;
    uint32_t code;
    for (unsigned k = 0; k < operands; k++) {
        code = (uint32_t)get(arrays[k] + 4 * i, 4);
        memcpy(&x[k], &code, 4);
    }
    if (operands == 1)
        y = function->fp32.f1(x[0]);
    else if (operands == 2)
        y = function->fp32.f2(x[0], x[1]);
    else
        y = function->fp32.f3(x[0], x[1], x[2]);
    memcpy(&code, &y, 4);
    put(answers + 4 * i, code, 4);
}

static void compute_fp64(size_t i) {
    double x[MAX_ARRAYS] = {0}, y;
    uint64_t code;
    for (unsigned k = 0; k < operands; k++) {
        code = get(arrays[k] + 8 * i, 8);
        memcpy(&x[k], &code, 8);
    }
    if (operands == 1)
        y = function->fp64.d1(x[0]);
    else if (operands == 2)
        y = function->fp64.d2(x[0], x[1]);
    else
        y = function->fp64.d3(x[0], x[1], x[2]);
    memcpy(&code, &y, 8);
    put(answers + 8 * i, code, 8);
}

int main(void) {
    unsigned char request[16], answer[8] = "answ";
    greet();
    for (;;) {
        take(request, sizeof request);
        uint64_t kind = get(request, 4), count = get(request + 4, 4), first = get(request + 8, 8);
        if (count > BLOCK) /* never more, says detcheck-exec(7) */
            return 1;
        for (uint64_t i = 0; kind == 1 && i < count; i++) /* a range: first, first + 1, ... */
            put(arrays[0] + width * i, first + i, width);
        for (unsigned k = 0; kind == 2 && k < operands; k++) /* a block: their codes */
            take(arrays[k], width * count);
        for (size_t i = 0; i < count; i++)
            if (width == 4)
                compute_fp32(i);
            else
                compute_fp64(i);
        put(answer + 4, count, 4);
        give(answer, sizeof answer);
        give(answers, width * count);
        give("done", 4);
        fflush(stdout);
    }
}

/* A library that misbehaves where a test tells it to; else its results are right.
 *
 *   FAULTS=KIND@BITS,...   what happens at which input (of the first operand, fp32 or fp64 codes;
 *                          of arrays at which number of elements), once its result is computed:
 *
 *   crash   a write to address 0
 *   abort   abort()
 *   exit    exit(0)
 *   hang    for ever; HANGS_FILE exists from then on
 *   stray   a line on stdout
 *   up      the rounding mode is left upward, by <fenv.h>
 *   flush   FTZ and DAZ are left set (on x86-64)
 *   fork    fork(), both of which return
 *   jump    a jump into an earlier call (of jumping alone)
 *   cut     the memory shared with detcheck is cut off, where that can be done
 *   answer  an answer to detcheck, which was not asked for
 *   grow    a gibibyte of memory, and a crash where there is none
 *   x87     long double is computed in double (on x86-64, like those that follow)
 *   traps   a division by zero would be a crash
 *   stack   a register of MMX is left in use
 *   down    string instructions go downward
 *   locale  the locale de_DE.UTF-8 is set for the process and for the thread
 *   once    a crash, but only the first time that any process comes there (FAULTS_FILE exists from
 *           then on)
 *
 * Compiled with LOAD_FLUSH, it sets FTZ and DAZ when it is loaded, as -ffast-math does. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { MOST_FAULTS = 64, FTZ_AND_DAZ = 0x8040 };

static struct fault {
    char kind[8];
    uint64_t at;
} faults[MOST_FAULTS];
static int fault_count = -1;

static void read_faults(void) {
    const char *text = getenv("FAULTS");
    fault_count = 0;
    while (text && *text && fault_count < MOST_FAULTS) {
        struct fault *fault = &faults[fault_count++];
        size_t length = strcspn(text, "@");
        if (length < sizeof fault->kind)
            memcpy(fault->kind, text, length);
        fault->at = strtoull(text + length + 1, NULL, 16);
        text = strchr(text, ',');
        text = text ? text + 1 : "";
    }
}

static void set_flushing(void) {
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | FTZ_AND_DAZ);
#endif
}

#if defined(__x86_64__)
static void leave_x87(void) {
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = (uint16_t)((control & ~0x300) | 0x200);
    __asm__ volatile("fldcw %0" : : "m"(control));
}
static void leave_traps(void) {
    _mm_setcsr(_mm_getcsr() & ~0x200u);
}
static void leave_stack(void) {
    __asm__ volatile("pxor %%mm0, %%mm0" : : : "memory");
}
static void leave_down(void) {
    __asm__ volatile("std" : : : "memory");
}
#endif

/* Those that leave the processor in another state. */
static void leave_state(const char *kind) {
#if defined(__x86_64__)
    static const struct {
        const char *kind;
        void (*leave)(void);
    } rows[] = {
        {"x87", leave_x87}, {"traps", leave_traps}, {"stack", leave_stack}, {"down", leave_down}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(kind, rows[i].kind) == 0)
            rows[i].leave();
#else
    (void)kind;
#endif
}

static void crash(void) {
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static void hang(void) {
    const char *file = getenv("HANGS_FILE");
    int made = file ? open(file, O_WRONLY | O_CREAT, 0600) : -1;
    if (made >= 0)
        close(made);
    for (;;)
        pause();
}

static void happen(const char *kind) {
    const char *file = getenv("FAULTS_FILE");
    if (strcmp(kind, "crash") == 0)
        crash();
    if (strcmp(kind, "once") == 0 && file) {
        int made = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (made >= 0)
            crash();
    }
    if (strcmp(kind, "abort") == 0)
        abort();
    if (strcmp(kind, "exit") == 0)
        exit(0);
    if (strcmp(kind, "stray") == 0) {
        printf("a library should not print\n");
        fflush(stdout);
    }
    if (strcmp(kind, "fork") == 0 && fork() < 0)
        abort();
    if (strcmp(kind, "cut") == 0 && ftruncate(5, 0) != 0)
        errno = 0;
    if (strcmp(kind, "answer") == 0 && write(4, "answ\1\0\0\0", 8) != 8)
        abort();
    if (strcmp(kind, "grow") == 0) {
        volatile char *room = malloc(1 << 30);
        room[0] = 1; /* or a crash */
        free((void *)room);
    }
    if (strcmp(kind, "locale") == 0) {
        setlocale(LC_ALL, "de_DE.UTF-8");
        uselocale(newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0));
    }
    leave_state(kind);
    if (strcmp(kind, "up") == 0)
        fesetround(FE_UPWARD);
    if (strcmp(kind, "flush") == 0)
        set_flushing();
    if (strcmp(kind, "hang") == 0)
        hang();
}

static void visit(uint64_t code) {
    if (fault_count < 0)
        read_faults();
    for (int i = 0; i < fault_count; i++)
        if (faults[i].at == code)
            happen(faults[i].kind);
}

static void visit_fp32(float x) {
    uint32_t code;
    memcpy(&code, &x, sizeof code);
    visit(code);
}

#if defined(LOAD_FLUSH)
__attribute__((constructor)) static void load(void) {
    set_flushing();
}
#endif

float square_root(float x);
float square_root(float x) {
    volatile float y = __builtin_sqrtf(x);
    visit_fp32(x);
    return y;
}

/* C's names: */

float sqrtf(float x) {
    return square_root(x);
}

double sqrt(double x) {
    uint64_t code;
    memcpy(&code, &x, sizeof code);
    visit(code);
    return __builtin_sqrt(x);
}

/* Calls another function of this library of which the C library has one, too: the result says whose
 * was called. */
float scalbnf(float x, int n) {
    (void)x;
    return (float)n;
}

float expf(float x) {
    return x + 1;
}

float expm1f(float x) {
    return expf(x) + scalbnf(0, 2);
}

/* Other names: */

static int is_to_jump(float x) {
    uint32_t code;
    if (fault_count < 0)
        read_faults();
    memcpy(&code, &x, sizeof code);
    for (int i = 0; i < fault_count; i++)
        if (strcmp(faults[i].kind, "jump") == 0 && faults[i].at == code)
            return 1;
    return 0;
}

/* The call at the first input sets the place, the one at "jump" goes there. So little happens here
 * that the caller's registers stay where they are: in a frame they would be the later call's. */
float jumping(float x);
float jumping(float x) {
    static jmp_buf earlier;
    static int calls;
    volatile float y = __builtin_sqrtf(x), given = x;
    if (calls++ == 0 && setjmp(earlier) != 0)
        return y;
    if (is_to_jump(given))
        longjmp(earlier, 1);
    return y;
}

float add_them(float x, float y);
float add_them(float x, float y) {
    visit_fp32(x);
    return x + y;
}

float multiply_add(float x, float y, float z);
float multiply_add(float x, float y, float z) {
    visit_fp32(x);
    return __builtin_fmaf(x, y, z);
}

/* For tiny x. */
void sine_and_cosine(float x, float *sine, float *cosine);
void sine_and_cosine(float x, float *sine, float *cosine) {
    visit_fp32(x);
    *sine = x;
    *cosine = 1;
}

void sqrt_array(float *z, const float *x, size_t n);
void sqrt_array(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        z[i] = square_root(x[i]);
}

#if defined(__SSE2__)
typedef float four __attribute__((vector_size(16)));
four sqrt_vector(four x);
four sqrt_vector(four x) {
    for (int i = 0; i < 4; i++)
        x[i] = square_root(x[i]);
    return x;
}
#endif

void add_array(float *z, const float *x, const float *y, size_t n);
void add_array(float *z, const float *x, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        z[i] = add_them(x[i], y[i]);
}

void sincos_array(float *sine, float *cosine, const float *x, size_t n);
void sincos_array(float *sine, float *cosine, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        sine_and_cosine(x[i], &sine[i], &cosine[i]);
}

/* Operations on arrays: */

float sum(const float *x, size_t n);
float sum(const float *x, size_t n) {
    float y = x[0];
    for (size_t i = 1; i < n; i++)
        y += x[i];
    visit(n);
    return y;
}

double wide_sum(const double *x, size_t n);
double wide_sum(const double *x, size_t n) {
    double y = x[0];
    for (size_t i = 1; i < n; i++)
        y += x[i];
    return y;
}

float dot(const float *x, const float *y, size_t n);
float dot(const float *x, const float *y, size_t n) {
    float z = 0;
    for (size_t i = 0; i < n; i++)
        z += x[i] * y[i];
    return z;
}

void running_sum(float *y, const float *x, size_t n);
void running_sum(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = i ? y[i - 1] + x[i] : x[i];
    visit(n);
}

void product(float *z, const float *x, const float *y, size_t rows, size_t inner, size_t columns);
void product(float *z, const float *x, const float *y, size_t rows, size_t inner, size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float sum_of_products = 0;
            for (size_t k = 0; k < inner; k++)
                sum_of_products += x[i * inner + k] * y[k * columns + j];
            z[i * columns + j] = sum_of_products;
        }
}

/* Wrong at the first 101 inputs, until a process has been lost: FAULTS_FILE exists from the first call on. */
float wrong_at_first(float x);
float wrong_at_first(float x) {
    static int calls, is_first = -1;
    const char *file = getenv("FAULTS_FILE");
    if (is_first < 0) {
        int made = file ? open(file, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
        is_first = made >= 0;
        if (made >= 0)
            close(made);
    }
    return square_root(x) * (is_first && calls++ < 101 ? 1.5f : 1);
}

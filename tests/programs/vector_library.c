/* A library of functions of vector registers, in all the forms that lib: can call. The functions
 * are right: sqrt, add, fma, and sincos for tiny numbers (x and 1).
 *
 * _ZGVbN4v_sqrtf, Sleef_sqrtf4_u10 and __svml_sqrtf4 have the forms of libmvec, SLEEF and SVML;
 * sqrt_fp32_4 tells nothing by its name; last_fp32_4 returns the root of the last lane in all.
 *
 * Compiled for each element and size of register, with ELEMENT and BYTES, F as "f" or nothing, D as
 * "f" or "d", FORMAT, LETTER and LANES as the names have them. */
#include <stdint.h>
#include <string.h>

#define JOIN_5(A, B, C, D, E) A##B##C##D##E
#define JOIN(A, B, C, D, E)   JOIN_5(A, B, C, D, E)
#define ZGV(NAME)             JOIN(_ZGV, LETTER, N, LANES, NAME)
#define BUILTIN(NAME)         JOIN(__builtin_, NAME, F, , )
#define TEXT_OF(NAME)         #NAME
#define TEXT(NAME)            TEXT_OF(NAME)

typedef ELEMENT vector __attribute__((vector_size(BYTES)));
typedef int64_t addresses __attribute__((vector_size(BYTES)));
struct pair {
    vector sine, cosine;
};

vector JOIN(sqrt_, FORMAT, _, LANES, )(vector x) {
    for (int i = 0; i < LANES; i++)
        x[i] = BUILTIN(sqrt)(x[i]);
    return x;
}

vector JOIN(last_, FORMAT, _, LANES, )(vector x) {
    return (vector){0} + BUILTIN(sqrt)(x[LANES - 1]);
}

vector JOIN(Sleef_sqrt, D, LANES, _u10, )(vector x) {
    return JOIN(sqrt_, FORMAT, _, LANES, )(x);
}

vector JOIN(__svml_sqrt, F, LANES, , )(vector x) {
    return JOIN(sqrt_, FORMAT, _, LANES, )(x);
}

/* What svml: looks for: of the accuracies this one alone, and that of these instructions alone. */
vector JOIN(__svml_sqrt, F, LANES, _ha, )(vector x) {
    return JOIN(sqrt_, FORMAT, _, LANES, )(x);
}

vector ZGV(JOIN(v_sqrt, F, , , ))(vector x) {
    return JOIN(sqrt_, FORMAT, _, LANES, )(x);
}

vector ZGV(JOIN(vv_add, F, , , ))(vector x, vector y) {
    return x + y;
}

vector ZGV(JOIN(vvv_fma, F, , , ))(vector x, vector y, vector z) {
    for (int i = 0; i < LANES; i++)
        x[i] = BUILTIN(fma)(x[i], y[i], z[i]);
    return x;
}

struct pair JOIN(Sleef_sincos, D, LANES, _u10, )(vector x) {
    return (struct pair){x, x - x + 1};
}

void ZGV(JOIN(vl4l4_sincos, F, , , ))(vector x, ELEMENT *sine, ELEMENT *cosine) {
    for (int i = 0; i < LANES; i++) {
        sine[i] = x[i];
        cosine[i] = 1;
    }
}

/* Two results at an address for each lane. */
static void store(vector x, const void *sine, const void *cosine) {
    ELEMENT *s[LANES], *c[LANES];
    memcpy(s, sine, sizeof s);
    memcpy(c, cosine, sizeof c);
    for (int i = 0; i < LANES; i++) {
        *s[i] = x[i];
        *c[i] = 1;
    }
}

#if IS_DOUBLE
void ZGV(vvv_sincos)(vector x, addresses sine, addresses cosine) {
    store(x, &sine, &cosine);
}
#else
void ZGV(vvv_sincosf)(vector x, addresses s, addresses t, addresses c, addresses d) {
    store(x, (addresses[]){s, t}, (addresses[]){c, d});
}
#endif

/* Two results in registers, x and 1. What a call may change is changed, registers and what lies
 * below the stack's end. */
#if BYTES == 16
#define ONE   "movaps 1f(%rip), %xmm1\n"
#define CLEAR "xorps %xmm2, %xmm2\nxorps %xmm8, %xmm8\nxorps %xmm15, %xmm15\n"
#elif BYTES == 32
#define ONE "vmovaps 1f(%rip), %ymm1\n"
#define CLEAR                                                                                      \
    "vxorps %ymm2, %ymm2, %ymm2\nvxorps %ymm8, %ymm8, %ymm8\nvxorps %ymm15, %ymm15, %ymm15\n"
#else
#define ONE "vmovups 1f(%rip), %zmm1\n"
#define CLEAR                                                                                      \
    "vpxorq %zmm2, %zmm2, %zmm2\nvpxorq %zmm8, %zmm8, %zmm8\nvpxorq %zmm16, %zmm16, %zmm16\n"      \
    "vpxorq %zmm31, %zmm31, %zmm31\nkxorw %k1, %k1, %k1\n"
#endif
#define SINCOS TEXT(JOIN(__svml_sincos, F, LANES, , ))
__asm__(".text\n.globl " SINCOS "\n.type " SINCOS ", @function\n" SINCOS ":\nendbr64\n" ONE CLEAR
        "movl $-1, %eax\nmovl %eax, %ecx\nmovl %eax, %edx\nmovl %eax, %esi\nmovl %eax, %edi\n"
        "movl %eax, %r8d\nmovl %eax, %r9d\nmovl %eax, %r10d\nmovl %eax, %r11d\n"
        "movq %rax, -8(%rsp)\nmovq %rax, -64(%rsp)\nmovq %rax, -128(%rsp)\nret\n"
        ".balign 64\n1: .rept " TEXT(LANES) "\n." TEXT(ELEMENT) " 1\n.endr\n");

/* AVX has no registers of 32 bytes for addresses; this form is never called. */
#if BYTES == 16 && IS_DOUBLE
void _ZGVcN4vvv_sincos(void) {}
#endif

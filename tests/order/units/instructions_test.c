/* The rows avx512-bf16, amx-bf16 and amx-fp16 beside the instructions of this processor: a million random and aimed results
 * each. What the processor lacks is skipped, and said to be. NaN is held against NaN: which of the NaN operands' bits an
 * instruction passes on is no part of a row. */
#define _DEFAULT_SOURCE /* syscall */
#include "order/units.h"

#include "../../base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RESULTS = 1000000, LANES = 16, MOST_INNER = 32 };

static uint64_t state = 52;

static uint64_t draw(void) {
    return random_bits(&state);
}

/* What operands and c are like: any code; about 1; about the square root of the least normal number of fp32, so that products
 * and sums lie at its border; the least codes; and products of exactly that number or of 2^-25 of it, so that a sum is below it by
 * less than rounding shows. */
enum { ANY, ABOUT_ONE, AT_BORDER, LEAST, BELOW_BORDER, KINDS };

static uint16_t draw_operand(const struct format *format, unsigned kind) {
    unsigned fraction = (unsigned)format->precision - 1;
    uint64_t bits = draw(), sign = bits >> 63 << 15;
    int exponent = 0;
    switch (kind) {
    case ANY:
        return (uint16_t)bits;
    case ABOUT_ONE:
        exponent = format->exponent_bias - 3 + (int)(bits >> 20 & 7);
        break;
    case AT_BORDER:
        exponent = format->exponent_bias - 66 + (int)(bits >> 20 & 7);
        break;
    case BELOW_BORDER:
        exponent = format->exponent_bias - (bits >> 20 & 1 ? 63 : 88);
        bits &= bits >> 20 & 1 ? 0 : 3;
        break;
    default:
        exponent = (int)(bits >> 20 & 3);
    }
    if (exponent < 0)
        exponent = 0;
    return (uint16_t)(sign | (uint64_t)exponent << fraction | (bits & ((1u << fraction) - 1)));
}

static uint32_t draw_c(unsigned kind) {
    uint64_t bits = draw();
    uint32_t fraction = (uint32_t)bits & 0x807fffff;
    switch (kind) {
    case ANY:
        return (uint32_t)bits;
    case ABOUT_ONE:
        return fraction | (uint32_t)(124 + (bits >> 40 & 7)) << 23;
    case AT_BORDER:
        return fraction | (uint32_t)(bits >> 40 & 3) << 23;
    case BELOW_BORDER:
        return (uint32_t)(bits >> 63 << 31) | 0x00800000;
    default:
        return (uint32_t)(bits >> 63 << 31);
    }
}

static bool same(uint32_t a, uint32_t b) {
    const struct format *fp32 = &formats[FORMAT_FP32];
    return a == b || (format_is_nan(fp32, a) && format_is_nan(fp32, b));
}

static void check(const struct unit *unit, const uint16_t *a, const uint16_t *b, size_t count,
                  uint32_t c, uint32_t got) {
    uint64_t x[MOST_INNER], y[MOST_INNER], wide_c = c;
    for (size_t i = 0; i < count; i++) {
        x[i] = a[i];
        y[i] = b[i];
    }
    uint32_t want = (uint32_t)unit_dot(unit, x, y, count, &wide_c);
    if (same(want, got))
        return;
    fprintf(stderr, "%s: %08x by the processor, %08x by the row; c %08x", unit->name, got, want, c);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, " %04x*%04x", a[i], b[i]);
    fputc('\n', stderr);
    fail();
}

static const struct unit *row(const char *name, enum format_number operands) {
    struct error error;
    const struct unit *unit = unit_find(name, &formats[operands], &formats[FORMAT_FP32], &error);
    assert_non_null(unit);
    return unit;
}

/* Lanes of 32 bits: c, and pairs of bf16. */
static void vdpbf16ps(uint32_t *c, const uint16_t *a, const uint16_t *b) {
    __asm__ volatile("vmovdqu64 (%0), %%zmm0\n\t"
                     "vmovdqu64 (%1), %%zmm1\n\t"
                     "vmovdqu64 (%2), %%zmm2\n\t"
                     "vdpbf16ps %%zmm2, %%zmm1, %%zmm0\n\t"
                     "vmovdqu64 %%zmm0, (%0)"
                     :
                     : "r"(c), "r"(a), "r"(b)
                     : "xmm0", "xmm1", "xmm2", "memory");
}

static void test_avx512(void **context) {
    (void)context;
    if (!__builtin_cpu_supports("avx512bf16")) {
        print_message("skipped: this processor has no AVX512_BF16\n");
        skip();
    }
    const struct unit *unit = row("avx512-bf16", FORMAT_BF16);
    for (unsigned done = 0; done < RESULTS; done += LANES) {
        uint16_t a[2 * LANES], b[2 * LANES];
        uint32_t c[LANES], d[LANES];
        for (unsigned i = 0; i < 2 * LANES; i++) {
            unsigned kind = done / LANES % KINDS;
            a[i] = draw_operand(unit->format, kind);
            b[i] = draw_operand(unit->format, kind);
            c[i / 2] = draw_c(draw() % 4 ? kind : (unsigned)(draw() % KINDS));
        }
        memcpy(d, c, sizeof d);
        vdpbf16ps(d, a, b);
        for (unsigned i = 0; i < LANES; i++)
            check(unit, a + 2 * i, b + 2 * i, 2, c[i], d[i]);
    }
    print_message("avx512-bf16: 0 of %d wrong\n", RESULTS);
}

/* Tiles of 16 rows of 64 bytes. */
struct tile {
    uint32_t rows[16][16];
};
struct tile_configuration {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} __attribute__((aligned(64)));

/* d = c + a b; a has 16 rows of 32 numbers, b 16 rows of pairs. */
static void tdp(struct tile *d, const struct tile *a, const struct tile *b, bool fp16) {
    struct tile_configuration configuration = {.palette = 1};
    for (int i = 0; i < 3; i++) {
        configuration.bytes[i] = 64;
        configuration.rows[i] = 16;
    }
#define LOAD                                                                                       \
    ".byte 0xc4, 0xe2, 0x78, 0x49, 0x00\n\t"       /* ldtilecfg (%rax) */                          \
    ".byte 0xc4, 0xe2, 0x7b, 0x4b, 0x04, 0x1f\n\t" /* tileloadd (%rdi,%rbx,1), %tmm0 */            \
    ".byte 0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x1e\n\t" /* tileloadd (%rsi,%rbx,1), %tmm1 */            \
    ".byte 0xc4, 0xe2, 0x7b, 0x4b, 0x14, 0x1a\n\t" /* tileloadd (%rdx,%rbx,1), %tmm2 */
#define STORE                                                                                      \
    ".byte 0xc4, 0xe2, 0x7a, 0x4b, 0x04, 0x1f\n\t" /* tilestored %tmm0, (%rdi,%rbx,1) */           \
    ".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0"           /* tilerelease */
    if (fp16)
        __asm__ volatile(LOAD ".byte 0xc4, 0xe2, 0x6b, 0x5c, 0xc1\n\t" STORE
                         :
                         : "a"(&configuration), "D"(d), "S"(a), "d"(b), "b"(64L)
                         : "memory");
    else
        __asm__ volatile(LOAD ".byte 0xc4, 0xe2, 0x6a, 0x5c, 0xc1\n\t" STORE
                         :
                         : "a"(&configuration), "D"(d), "S"(a), "d"(b), "b"(64L)
                         : "memory");
}

/* Whether the processor has it, and the kernel lets this process use it. */
static bool has_amx(bool fp16) {
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 24 & 1) || !(d >> 22 & 1))
        return false;
    if (fp16 && (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a >> 21 & 1)))
        return false;
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

static void hold_amx(const struct unit *unit, bool fp16) {
    static struct tile a, b, c, d;
    for (unsigned done = 0; done < RESULTS; done += 256) {
        unsigned kind = done / 256 % KINDS;
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < 16; j++) {
                uint16_t pair[2][2];
                for (unsigned k = 0; k < 4; k++)
                    pair[k / 2][k % 2] =
                        draw_operand(unit->format, kind == ANY && draw() % 16 ? ABOUT_ONE : kind);
                memcpy(&a.rows[i][j], pair[0], 4);
                memcpy(&b.rows[i][j], pair[1], 4);
                c.rows[i][j] = draw_c(draw() % 4 ? kind : (unsigned)(draw() % KINDS));
            }
        d = c;
        tdp(&d, &a, &b, fp16);
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < 16; j++) {
                uint16_t x[32], y[32];
                memcpy(x, a.rows[i], sizeof x);
                for (unsigned k = 0; k < 16; k++)
                    memcpy(y + 2 * k, &b.rows[k][j], 4);
                check(unit, x, y, 32, c.rows[i][j], d.rows[i][j]);
            }
    }
    print_message("%s: 0 of %d wrong\n", unit->name, RESULTS);
}

static void test_amx_bf16(void **context) {
    (void)context;
    if (!has_amx(false)) {
        print_message("skipped: this processor has no AMX-BF16, or the kernel does not lend it\n");
        skip();
    }
    hold_amx(row("amx-bf16", FORMAT_BF16), false);
}

static void test_amx_fp16(void **context) {
    (void)context;
    if (!has_amx(true)) {
        print_message("skipped: this processor has no AMX-FP16, or the kernel does not lend it\n");
        skip();
    }
    hold_amx(row("amx-fp16", FORMAT_FP16), true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_avx512),
                                       cmocka_unit_test(test_amx_bf16),
                                       cmocka_unit_test(test_amx_fp16)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    puts("skipped: no processor with these instructions");
    return 77;
}
#endif

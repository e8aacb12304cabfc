/* One function per kind of line. */
#include "vector/write/foreign.h"

#include <inttypes.h>
#include <string.h>

static int digits(const struct format *format) {
    return (int)(format->width + 3) / 4;
}

void write_testfloat(FILE *stream, const struct vector_group *group, const struct vector_test *test,
                     const struct real *y) {
    const struct binding_request *computed = &group->computed;
    for (int i = 0; i < computed->operation->operands; i++)
        fprintf(stream, "%0*" PRIX64 " ", digits(computed->format), test->in[i]);
    fprintf(stream, "%0*" PRIX64 " %02X\n", digits(computed->format),
            test->out[vector_group_first(group)][0], flags_to_testfloat(test->raised));
    (void)y;
}

/* "3f800000", "3ff00000.00000000". */
static void print_tst_code(FILE *stream, const struct format *format, uint64_t code) {
    if (format->width == 64)
        fprintf(stream, "%08" PRIx64 ".%08" PRIx64, code >> 32, code & 0xffffffff);
    else
        fprintf(stream, "%08" PRIx64, code);
}

/* The 12 bits behind the last place of the truncated result. */
static unsigned further_bits(const struct format *format, const struct real *y) {
    if (y->kind != REAL_FINITE || y->exponent > format->emax)
        return 0;
    int shift = y->exponent - format_ulp_exponent(format, y) + 1;
    struct wide fraction = shift >= 0 ? wide_shift_left(y->significand, (unsigned)shift)
                                      : wide_shift_right(y->significand, (unsigned)-shift);
    return (unsigned)(fraction.high >> 52);
}

enum {
    INVALID = 1 << FLAG_INVALID,
    INFINITE = 1 << FLAG_DIVIDE_BY_ZERO,
    OVERFLOWS = 1 << FLAG_OVERFLOW,
    INEXACT = 1 << FLAG_INEXACT
};

static const char *error_number(unsigned flags, bool quiet) {
    if (quiet || !(flags & ~(unsigned)INEXACT))
        return "0";
    return flags & INVALID ? "EDOM" : "ERANGE";
}

void write_tst(FILE *stream, const struct vector_group *group, const struct vector_test *test,
               const struct real *y) {
    const struct binding_request *computed = &group->computed;
    const struct format *format = computed->format;
    unsigned flags = test->raised, further = further_bits(format, y);
    uint64_t cut = format_encode(format, y, ROUND_TOWARD_ZERO, OVERFLOW_IEEE);
    bool beyond = y->kind == REAL_FINITE && y->exponent > format->emax;
    bool nan_in = false;
    fprintf(stream, "func=%s%s", computed->operation->platform.symbol,
            format->width == 32 ? "f" : "");
    for (int i = 0; i < computed->operation->operands; i++) {
        fprintf(stream, " op%d=", i + 1);
        print_tst_code(stream, format, test->in[i]);
        nan_in = nan_in || format_is_nan(format, test->in[i]);
    }
    fprintf(stream, " result=");
    print_tst_code(stream, format, beyond ? test->out[vector_group_first(group)][0] : cut);
    if (further)
        fprintf(stream, ".%03x", further);
    fprintf(stream, " errno=%s", error_number(flags, nan_in));
    if (flags & ~(unsigned)INEXACT)
        fprintf(stream, " status=%s",
                flags & INVALID     ? "i"
                : flags & INFINITE  ? "z"
                : flags & OVERFLOWS ? "ox"
                                    : "ux");
    fprintf(stream, "\n");
}

const char *numpy_type(const struct format *format) {
    return strcmp(format->name, "fp32") == 0   ? "np.float32"
           : strcmp(format->name, "fp64") == 0 ? "np.float64"
                                               : NULL;
}

void write_numpy_csv(FILE *stream, const struct vector_group *group, const struct vector_test *test,
                     const struct real *y) {
    const struct format *format = group->computed.format;
    (void)y;
    fprintf(stream, "%s,0x%0*" PRIx64 ",0x%0*" PRIx64 ",%d\n", numpy_type(format), digits(format),
            test->in[0], digits(format), test->out[vector_group_first(group)][0], 1);
}

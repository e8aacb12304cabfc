/* The expectations: first the flags to the letter, then what is left open. */
#include "oracle/flags.h"

#include "op/calls.h"

#include <errno.h>

enum { ANY_ERRNO = (1 << ERRNO_KINDS) - 1 };
enum {
    INVALID = 1 << FLAG_INVALID,
    DIVIDE_BY_ZERO = 1 << FLAG_DIVIDE_BY_ZERO,
    OVERFLOWS = 1 << FLAG_OVERFLOW,
    UNDERFLOW = 1 << FLAG_UNDERFLOW,
    INEXACT = 1 << FLAG_INEXACT
};

const char *const errno_names[ERRNO_KINDS] = {"none", "EDOM", "ERANGE", "other"};

enum errno_kind errno_kind_of(int value) {
    return value == 0        ? ERRNO_NONE
           : value == EDOM   ? ERRNO_EDOM
           : value == ERANGE ? ERRNO_ERANGE
                             : ERRNO_OTHER;
}

/* The operands, and what kinds are among them. */
struct operands {
    struct real x[MAX_OPERANDS];
    bool signalling, infinite;
    bool nan; /* and what is right to return for it is no domain error */
};

static struct operands decode(const struct flag_setting *setting, const uint64_t *codes) {
    struct operands operands = {.nan = false};
    for (int i = 0; i < setting->operation->operands; i++) {
        operands.x[i] = format_decode(format_of_operand(setting->format, i), codes[i]);
        operands.signalling = operands.signalling ||
                              format_is_signalling(format_of_operand(setting->format, i), codes[i]);
        operands.nan = operands.nan || operands.x[i].kind == REAL_NAN;
        operands.infinite = operands.infinite || operands.x[i].kind == REAL_INFINITE;
    }
    if (operands.nan && setting->operation->nan_domain)
        operands.nan = !setting->operation->nan_domain(operands.x);
    return operands;
}

/* Whether the result is of an integer type of C, which has neither NaN nor infinity. */
static bool returns_integer(const struct operation *operation) {
    enum c_signature signature = operation->platform.signature;
    return signature == C_RETURNS_LONG || signature == C_RETURNS_LONG_LONG ||
           signature == C_RETURNS_EXPONENT;
}

static bool same_number(const struct real *a, const struct real *b) {
    return a->kind == b->kind &&
           (a->kind != REAL_FINITE || (a->negative == b->negative && a->exponent == b->exponent &&
                                       wide_compare(a->significand, b->significand) == 0));
}

static uint8_t raised_by_nextafter(const struct flag_setting *setting, const struct real *x,
                                   const struct real *y) {
    bool below =
        y->kind == REAL_ZERO || (y->kind == REAL_FINITE && y->exponent < setting->results->emin);
    if (y->kind == REAL_INFINITE && x[0].kind == REAL_FINITE)
        return OVERFLOWS | INEXACT;
    return below && !same_number(&x[0], &x[1]) ? UNDERFLOW | INEXACT : 0;
}

/* What rounding to the format raises: of results that are numbers of all but some narrow formats,
 * too. fp8_e5m2 holds no exponent 15 of logb, fp6_e2m3fn ends at 7.5, so that ceil overflows, and
 * the fractions of frexp are subnormal there. */
static uint8_t raised_by_rounding(const struct flag_setting *setting, const struct real *y) {
    return format_flags(setting->results, y, setting->rounding, setting->rules.tiny_after_rounding);
}

/* Of a result that is a number. */
static uint8_t raised_by_number(const struct flag_setting *setting, const struct real *x,
                                const struct real *y) {
    enum exception_rule exceptions = setting->operation->exceptions;
    bool tells_integers = exceptions == EXCEPTIONS_OF_RINT || exceptions == EXCEPTIONS_OF_LROUND;
    uint8_t changed = tells_integers && !same_number(&x[0], y) ? INEXACT : 0;
    return changed | raised_by_rounding(setting, y);
}

static uint8_t raised_by_result(const struct flag_setting *setting, const struct operands *operands,
                                const struct real *y) {
    const struct operation *operation = setting->operation;
    bool integer = returns_integer(operation);
    if (operation->exceptions == EXCEPTIONS_OF_QUIET)
        return raised_by_rounding(setting, y);
    if (y->kind == REAL_NAN || (integer && y->kind == REAL_INFINITE))
        return operands->nan && !integer ? 0 : INVALID;
    if (operation->exceptions == EXCEPTIONS_OF_NEXTAFTER)
        return raised_by_nextafter(setting, operands->x, y);
    if (y->kind == REAL_INFINITE)
        return operands->nan || operands->infinite ? 0 : DIVIDE_BY_ZERO;
    return raised_by_number(setting, operands->x, y);
}

static uint8_t raised(const struct flag_setting *setting, const struct operands *operands,
                      const struct real *exact) {
    if (operands->signalling)
        return INVALID;
    uint8_t flags = 0;
    for (int i = 0; i < setting->operation->results; i++)
        flags |= raised_by_result(setting, operands, &exact[i]);
    return flags;
}

/* Whether IEEE 754 says what a result of the format raises for these operands: its formats have a
 * sign, and an infinity and a NaN to pass on. */
static bool is_defined(const struct format *results, const struct operands *operands) {
    return results->sign_bit && (results->has_nan || !operands->nan) &&
           (results->has_infinity || !operands->infinite);
}

bool oracle_leaves_inexact_open(const struct flag_setting *setting) {
    enum exception_rule exceptions = setting->operation->exceptions;
    return !setting->rules.inexact &&
           (exceptions == EXCEPTIONS_OF_FUNCTION || exceptions == EXCEPTIONS_OF_LROUND);
}

static uint8_t left_open(const struct flag_setting *setting, const struct operands *operands,
                         const uint64_t *outputs, uint8_t flags) {
    const struct operation *operation = setting->operation;
    if (!operation_is_call(operation, operands->x) || !is_defined(setting->results, operands))
        return ALL_FLAGS;
    if (operands->signalling)
        return 0;
    uint8_t open = operation->open_flags ? operation->open_flags(operands->x) : 0;
    bool function = operation->exceptions == EXCEPTIONS_OF_FUNCTION;
    if (oracle_leaves_inexact_open(setting))
        open |= INEXACT;
    for (int i = 0; i < operation->results && function; i++)
        if (!(flags & UNDERFLOW) &&
            format_classify(setting->results, outputs[i]) == CLASS_SUBNORMAL)
            open |= UNDERFLOW;
    return open;
}

/* 7.12.1: a domain error, a pole error or an overflow sets errno; an underflow may. Overflow is asked
 * for where rounding is the default one, as 7.12.1 has it. */
static uint8_t errnos_after(const struct flag_setting *setting, const struct operands *operands,
                            uint8_t flags, uint8_t open) {
    enum {
        NONE = 1 << ERRNO_NONE,
        DOMAIN_ERROR = 1 << ERRNO_EDOM,
        RANGE_ERROR = 1 << ERRNO_ERANGE
    };
    bool integer = returns_integer(setting->operation);
    uint8_t asked = 0, allowed = 0, either = flags | open;
    if (flags & INVALID)
        asked |= DOMAIN_ERROR;
    if (flags & DIVIDE_BY_ZERO || (flags & OVERFLOWS && setting->rounding == ROUND_NEAREST_EVEN))
        asked |= RANGE_ERROR;
    if (either & INVALID)
        allowed |= DOMAIN_ERROR;
    if (either & (DIVIDE_BY_ZERO | OVERFLOWS | UNDERFLOW) || (integer && flags & INVALID))
        allowed |= RANGE_ERROR;
    bool optional = setting->operation->errno_is_open || operands->signalling;
    return (uint8_t)(asked | allowed | (asked && !optional ? 0 : NONE));
}

static struct flag_expectation expectation(const struct flag_setting *setting,
                                           const struct operands *operands, uint8_t flags,
                                           uint8_t open) {
    return (struct flag_expectation){
        .required = flags & (uint8_t)~open,
        .permitted = flags | open,
        .errnos = open == ALL_FLAGS ? ANY_ERRNO : errnos_after(setting, operands, flags, open)};
}

struct flag_expectation oracle_flags(const struct flag_setting *setting, const uint64_t *codes,
                                     const struct real *exact) {
    struct operands operands = decode(setting, codes);
    uint64_t outputs[MAX_RESULTS];
    /* As format_flags takes it. */
    enum rounding rounding =
        rounding_is_stochastic(setting->rounding) ? ROUND_TOWARD_ZERO : setting->rounding;
    for (int i = 0; i < setting->operation->results; i++)
        outputs[i] = format_encode(setting->results, &exact[i], rounding, OVERFLOW_IEEE);
    uint8_t flags = raised(setting, &operands, exact);
    return expectation(setting, &operands, flags, left_open(setting, &operands, outputs, flags));
}

uint8_t oracle_flags_raised(const struct flag_setting *setting, const uint64_t *codes,
                            const struct real *exact) {
    struct operands operands = decode(setting, codes);
    return raised(setting, &operands, exact);
}

uint8_t oracle_flags_open(const struct flag_setting *setting, const uint64_t *codes,
                          const uint64_t *outputs, uint8_t flags) {
    struct operands operands = decode(setting, codes);
    return left_open(setting, &operands, outputs, flags);
}

/* Functions of libm whose exception flags are wrong at one input.
 *
 * FAULT_FLAGf is a function of one number, FAULT_FLAG_array that of an array and
 * FAULT_FLAG_vector that of a register of four, for each fault (missing, spurious, cleared) and each flag
 * (invalid, divbyzero, overflow, underflow, inexact);
 * FAULT_FLAG_x87f does it in the x87 alone. The function is log where the flag is invalid or
 * divbyzero, else exp. The input is the one in the environment variable FAULT_AT, a decimal number.
 * passing_overflowf raises overflow there and clears it at the next number, as passing_overflow_array does.
 * none_raisedf raises nothing, and all_raisedf every flag, at every input: they count what is required
 * and what is not permitted; with _pair before the f they are functions of two numbers. edom_missingf, edom_spuriousf, erange_missingf and erange_spuriousf are wrong about errno. */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static float place(void) {
    static volatile float at;
    static volatile int known;
    if (!known) {
        const char *text = getenv("FAULT_AT");
        fenv_t before;
        feholdexcept(&before); /* strtof may be inexact */
        at = text ? strtof(text, NULL) : 0;
        fesetenv(&before);
        known = 1;
    }
    return at;
}

/* Whether it is the input, by its bits. */
static int is_place(float x) {
    float at = place();
    return memcmp(&x, &at, sizeof x) == 0;
}

static void leave_out(int flag, int before) {
    if (!(before & flag))
        feclearexcept(flag);
}
static void add(int flag, int before) {
    (void)before;
    feraiseexcept(flag);
}
static void clear(int flag, int before) {
    (void)before;
    feclearexcept(flag);
}

#if defined(__x86_64__)
struct x87 {
    unsigned short words[14];
};
static void change_x87(int set, int cleared) {
    struct x87 x87;
    __asm__ volatile("fnstenv %0" : "=m"(x87));
    x87.words[2] = (unsigned short)((x87.words[2] | set) & ~cleared);
    __asm__ volatile("fldenv %0" : : "m"(x87));
}
static void add_x87(int flag, int before) {
    (void)before;
    change_x87(flag, 0);
}
static void clear_x87(int flag, int before) {
    (void)before;
    change_x87(0, flag);
}
#endif

typedef float four __attribute__((vector_size(16)));

#define FUNCTION(NAME, RIGHT, CHANGE, FLAG)                                                        \
    float NAME##f(float x) {                                                                       \
        int before = fetestexcept(FE_ALL_EXCEPT);                                                  \
        volatile float y = RIGHT(x);                                                               \
        if (is_place(x))                                                                           \
            CHANGE(FLAG, before);                                                                  \
        return y;                                                                                  \
    }                                                                                              \
    void NAME##_array(float *z, const float *x, size_t n) {                                        \
        for (size_t i = 0; i < n; i++)                                                             \
            z[i] = NAME##f(x[i]);                                                                  \
    }                                                                                              \
    four NAME##_vector(four x) {                                                                   \
        for (int i = 0; i < 4; i++)                                                                \
            x[i] = NAME##f(x[i]);                                                                  \
        return x;                                                                                  \
    }

#define FUNCTIONS(FLAG, RIGHT, BIT)                                                                \
    FUNCTION(missing_##FLAG, RIGHT, leave_out, BIT)                                                \
    FUNCTION(spurious_##FLAG, RIGHT, add, BIT)                                                     \
    FUNCTION(cleared_##FLAG, RIGHT, clear, BIT)

FUNCTIONS(invalid, logf, FE_INVALID)
FUNCTIONS(divbyzero, logf, FE_DIVBYZERO)
FUNCTIONS(overflow, expf, FE_OVERFLOW)
FUNCTIONS(underflow, expf, FE_UNDERFLOW)
FUNCTIONS(inexact, expf, FE_INEXACT)
#if defined(__x86_64__)
FUNCTION(spurious_invalid_x87, logf, add_x87, FE_INVALID)
FUNCTION(cleared_invalid_x87, logf, clear_x87, FE_INVALID)
FUNCTION(cleared_inexact_x87, logf, clear_x87, FE_INEXACT)
#endif

float passing_overflowf(float x) {
    volatile float y = expf(x);
    if (is_place(x))
        feraiseexcept(FE_OVERFLOW);
    if (is_place(nextafterf(x, 0)))
        feclearexcept(FE_OVERFLOW);
    return y;
}
void passing_overflow_array(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        z[i] = passing_overflowf(x[i]);
}

/* Wrong for an array alone: as if a vector of several numbers had been computed carelessly. */
void together_array(float *z, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        z[i] = expf(x[i]);
        if (n > 1 && is_place(x[i]))
            feraiseexcept(FE_DIVBYZERO);
    }
}

static float with_errno(float y, float x, int wrong) {
    if (is_place(x))
        errno = wrong;
    return y;
}
float edom_missingf(float x) {
    int before = errno;
    return with_errno(logf(x), x, before);
}
float erange_missingf(float x) {
    int before = errno;
    return with_errno(expf(x), x, before);
}
float edom_spuriousf(float x) {
    return with_errno(logf(x), x, EDOM);
}
float erange_spuriousf(float x) {
    return with_errno(expf(x), x, ERANGE);
}

float none_raisedf(float x) {
    return x;
}
float all_raisedf(float x) {
    feraiseexcept(FE_ALL_EXCEPT);
    errno = ERANGE;
    return x;
}
float none_raised_pairf(float x, float y) {
    (void)y;
    return x;
}
float all_raised_pairf(float x, float y) {
    return all_raisedf(none_raised_pairf(x, y));
}

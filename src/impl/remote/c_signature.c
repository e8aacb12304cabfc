/* The calls, once for float and once for double. */
#include "impl/remote/c_signature.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Whether x is an integer between the two. 2^63 and what lies beyond is none of a long long. */
static bool is_integer(double x, long long least, long long most) {
    return x >= (double)least && x < 0x1p63 && (long long)x <= most && (double)(long long)x == x;
}

/* Whether a number of so many bits holds the integer. */
static bool is_held(long long n, int bits) {
    while (n != 0 && n % 2 == 0)
        n /= 2;
    return n < 1LL << bits && n > -(1LL << bits);
}

/* A call with an integer that has no value in C, or whose value C leaves open. */
#define INTEGER_OR_NAN(NUMBER, BITS, IS_KNOWN, N)                                                  \
    ((IS_KNOWN) && is_held((N), BITS) ? (NUMBER)(N) : (NUMBER)NAN)

/* In the window, which may be NULL. */
#define SEEN(WINDOW, CALL)                                                                         \
    do {                                                                                           \
        call_window_open(WINDOW);                                                                  \
        CALL;                                                                                      \
        call_window_close(WINDOW);                                                                 \
    } while (0)

/* NAME_unwritten is what an int holds before a call, by the pattern in the result that it becomes
 * (impl/unwritten.h). Where it holds that afterwards, so does the result. */
#define CALLS(NAME, NUMBER, BITS)                                                                  \
    static int NAME##_unwritten(const NUMBER *y) {                                                 \
        int n;                                                                                     \
        memcpy(&n, y, sizeof n);                                                                   \
        return n;                                                                                  \
    }                                                                                              \
    static NUMBER NAME##_exponent(NUMBER x, int n) {                                               \
        if (n == FP_ILOGBNAN && isnan(x))                                                          \
            return (NUMBER)NAN;                                                                    \
        if (n == FP_ILOGB0 && x == 0)                                                              \
            return -(NUMBER)INFINITY;                                                              \
        if (n == INT_MAX && isinf(x))                                                              \
            return (NUMBER)INFINITY;                                                               \
        return INTEGER_OR_NAN(NUMBER, BITS, true, n);                                              \
    }                                                                                              \
    void NAME(void *address, enum c_signature signature, const NUMBER *x, NUMBER *y,               \
              struct call_window *window) {                                                        \
        const union {                                                                              \
            void *address;                                                                         \
            NUMBER (*int_first)(int, NUMBER);                                                      \
            NUMBER (*int_second)(NUMBER, int);                                                     \
            NUMBER (*long_long_second)(NUMBER, long long);                                         \
            long (*returns_long)(NUMBER);                                                          \
            long long (*returns_long_long)(NUMBER);                                                \
            int (*returns_exponent)(NUMBER);                                                       \
            NUMBER (*fraction_and_integer)(NUMBER, NUMBER *);                                      \
            NUMBER (*fraction_and_exponent)(NUMBER, int *);                                        \
            NUMBER (*remainder_and_quotient)(NUMBER, NUMBER, int *);                               \
        } call = {address};                                                                        \
        double first = (double)x[0], second = (double)x[1];                                        \
        volatile bool fits = first >= -0x1p63 && first < 0x1p63; /* before a window opens */       \
        long long integer = 0;                                                                     \
        int n = 0;                                                                                 \
        bool is_known;                                                                             \
        switch (signature) {                                                                       \
        case C_NUMBERS:                                                                            \
            return;                                                                                \
        case C_INT_FIRST:                                                                          \
            y[0] = (NUMBER)NAN;                                                                    \
            if (is_integer(first, INT_MIN, INT_MAX))                                               \
                SEEN(window, y[0] = call.int_first((int)first, x[1]));                             \
            return;                                                                                \
        case C_INT_SECOND:                                                                         \
            y[0] = (NUMBER)NAN;                                                                    \
            if (is_integer(second, INT_MIN, INT_MAX))                                              \
                SEEN(window, y[0] = call.int_second(x[0], (int)second));                           \
            return;                                                                                \
        case C_LONG_LONG_SECOND:                                                                   \
            y[0] = (NUMBER)NAN;                                                                    \
            if (is_integer(second, LLONG_MIN, LLONG_MAX))                                          \
                SEEN(window, y[0] = call.long_long_second(x[0], (long long)second));               \
            return;                                                                                \
        case C_RETURNS_LONG:                                                                       \
            SEEN(window, integer = call.returns_long(x[0]));                                       \
            y[0] = INTEGER_OR_NAN(NUMBER, BITS, fits, integer);                                    \
            return;                                                                                \
        case C_RETURNS_LONG_LONG:                                                                  \
            SEEN(window, integer = call.returns_long_long(x[0]));                                  \
            y[0] = INTEGER_OR_NAN(NUMBER, BITS, fits, integer);                                    \
            return;                                                                                \
        case C_RETURNS_EXPONENT:                                                                   \
            SEEN(window, n = call.returns_exponent(x[0]));                                         \
            y[0] = NAME##_exponent(x[0], n);                                                       \
            return;                                                                                \
        case C_FRACTION_AND_INTEGER:                                                               \
            SEEN(window, y[0] = call.fraction_and_integer(x[0], &y[1]));                           \
            return;                                                                                \
        case C_FRACTION_AND_EXPONENT:                                                              \
            n = NAME##_unwritten(&y[1]);                                                           \
            SEEN(window, y[0] = call.fraction_and_exponent(x[0], &n));                             \
            if (n != NAME##_unwritten(&y[1]) || !isfinite(x[0]))                                   \
                y[1] = INTEGER_OR_NAN(NUMBER, BITS, isfinite(x[0]), n);                            \
            return;                                                                                \
        case C_REMAINDER_AND_QUOTIENT:                                                             \
            is_known = isfinite(x[0]) && !isnan(x[1]) && (x[1] < 0 || x[1] > 0);                   \
            n = NAME##_unwritten(&y[1]);                                                           \
            SEEN(window, y[0] = call.remainder_and_quotient(x[0], x[1], &n));                      \
            if (n != NAME##_unwritten(&y[1]) || !is_known)                                         \
                y[1] = INTEGER_OR_NAN(NUMBER, BITS, is_known, n % 8);                              \
            return;                                                                                \
        }                                                                                          \
    }

CALLS(c_signature_call_fp32, float, FLT_MANT_DIG)
CALLS(c_signature_call_fp64, double, DBL_MANT_DIG)

/* Functions on texts that are wrong in one thing that they do besides giving a result.
 *
 * read_FAULT and write_FAULT have the signatures of strtod and of snprintf, and return what those of the C library return. scan_FAULT
 * have the signature of sscanf. */
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ(NAME) double read_##NAME(const char *text, char **end)

/* The end pointer. */
READ(to_the_end) { /* of the text, whatever stands behind the number */
    const double y = strtod(text, end);
    *end = (char *)text + strlen(text);
    return y;
}

READ(as_scanf_does) {
    double y = 0;
    int length = 0;
    const int found = sscanf(text, "%lf%n", &y, &length) == 1;
    *end = (char *)text + (found ? length : 0);
    return y;
}

READ(without_end) {
    (void)end;
    return strtod(text, NULL);
}

READ(one_too_far) {
    const double y = strtod(text, end);
    if (*end > text && **end)
        ++*end;
    return y;
}

/* errno. */
READ(without_erange) {
    const int before = errno;
    const double y = strtod(text, end);
    errno = before;
    return y;
}

READ(without_erange_below) { /* as ISO C allows and POSIX does not */
    const int before = errno;
    const double y = strtod(text, end);
    if (fabs(y) <= DBL_MIN)
        errno = before;
    return y;
}

READ(with_erange) { /* for every text */
    const double y = strtod(text, end);
    errno = ERANGE;
    return y;
}

/* Exception flags. */
static double read_and_drop(const char *text, char **end, int flags) {
    fenv_t before;
    fegetenv(&before);
    feclearexcept(FE_ALL_EXCEPT);
    const double y = strtod(text, end);
    const int raised = fetestexcept(FE_ALL_EXCEPT & ~flags);
    fesetenv(&before);
    feraiseexcept(raised);
    return y;
}

READ(without_inexact) {
    return read_and_drop(text, end, FE_INEXACT);
}
READ(without_overflow) {
    return read_and_drop(text, end, FE_OVERFLOW);
}
READ(without_underflow) {
    return read_and_drop(text, end, FE_UNDERFLOW);
}

READ(with_invalid) {
    feraiseexcept(FE_INVALID);
    return strtod(text, end);
}

READ(clearing) {
    const double y = strtod(text, end);
    feclearexcept(FE_DIVBYZERO);
    return y;
}

/* The number: subnormal ones in hexadecimal are cut, as where bits are shifted out. */
READ(cutting_subnormal) {
    const double y = strtod(text, end);
    const char *digits = text + strspn(text, " \t\n\v\f\r");
    digits += *digits == '-' || *digits == '+';
    const bool is_hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const bool is_above = fabsl(strtold(text, NULL)) < fabsl((long double)y);
    return is_hexadecimal && fabs(y) <= DBL_MIN && is_above ? nextafter(y, 0) : y;
}

/* Those with the signature of sscanf, for "%lf%n". They return what strtod reads. */
#define SCAN(NAME, ERRNO, RETURNED, STORES_LENGTH)                                                 \
    int scan_##NAME(const char *text, const char *format, ...) {                                   \
        va_list values;                                                                            \
        char *end;                                                                                 \
        va_start(values, format);                                                                  \
        const double y = strtod(text, &end);                                                       \
        const int found = end > text;                                                              \
        double *const number = va_arg(values, double *);                                           \
        int *const length = va_arg(values, int *);                                                 \
        va_end(values);                                                                            \
        errno = ERRNO;                                                                             \
        if (found)                                                                                 \
            *number = y;                                                                           \
        if (found && (STORES_LENGTH))                                                              \
            *length = (int)(end - text);                                                           \
        return RETURNED;                                                                           \
    }
SCAN(going_back, errno, found, 1)
SCAN(without_length, errno, found, 0)
SCAN(finding_nothing, errno, 0, 1)
SCAN(with_erange, ERANGE, found, 1)

#define WRITE(NAME, BEFORE, RETURNED)                                                              \
    int write_##NAME(char *text, size_t room, const char *format, ...) {                           \
        va_list values;                                                                            \
        BEFORE;                                                                                    \
        va_start(values, format);                                                                  \
        const int length = vsnprintf(text, room, format, values);                                  \
        va_end(values);                                                                            \
        return RETURNED;                                                                           \
    }
WRITE(with_zero, (void)0, length + 1) /* counted */
WRITE(below_zero, (void)0, length < 0 ? length : -1)
WRITE(with_inexact, feraiseexcept(FE_INEXACT), length) /* of every number */
WRITE(with_overflow, feraiseexcept(FE_OVERFLOW), length)

/* The functions of a port, for its worker, which includes this behind adapter.h, and then once for each thing that it makes
 * of the functions. Before these times it defines
 *
 *     ROW(KIND, NAME, SUFFIX, NUMBER, FORMAT)    KIND is UNARY, BINARY or PAIR: detmath/functions.inc
 *     ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, SUFFIX, NUMBER, FORMAT)    port_arrays.inc, where ADAPTER_ARRAYS is defined
 *
 * which are undefined at the end. With PORT_FP32_ALONE defined there are no rows of fp64.
 *
 * FUNCTIONS is the name of a file that has the lines of functions.inc, functions_f64.inc and port_arrays.inc for what the port
 * has, where that is not all: -DFUNCTIONS='"my_functions.inc"'. */
#ifndef ROW
#ifdef ADAPTER_ARRAYS
#include "port_arrays.h"
#endif

/* Whether detcheck asks for this function. */
static int port_is_asked(const struct adapter_request *request, const char *name,
                         const char *format) {
#ifdef ADAPTER_ARRAYS
    if (port_has(request, "arrays", "1") && !port_has_one_format(request))
        return 0;
#endif
    return strcmp(name, request->operation) == 0 && strcmp(format, request->format) == 0 &&
           strcmp(request->rounding, "nearest-even") == 0;
}

/* What to say of others. */
#ifdef FUNCTIONS
#define PORT_FUNCTIONS "the functions of " FUNCTIONS
#else
#define PORT_FUNCTIONS "detmath's functions"
#endif

/* Why the port does not provide what detcheck asks for. `has` is of the function in fp32 and fp64. */
static void port_say_lack(const struct adapter_request *request, const int has[2],
                          char text[ADAPTER_TEXT]) {
    if (has[0] || has[1])
        snprintf(
            text, ADAPTER_TEXT, "the port has %s in %s only, to nearest-even%s", request->operation,
            has[0] && has[1] ? "fp32 and fp64"
            : has[0]         ? "fp32"
                             : "fp64",
            strncmp(request->parameters, "arrays=", 7) ? "" : ", with all arrays in one format");
    else
        snprintf(text, ADAPTER_TEXT, "the port has %s, to nearest-even", PORT_FUNCTIONS);
}

/* Looks in the ROWS, which have a name and a format, for what detcheck asks for; *FOUND is NULL where it is not there,
 * and TEXT then says why. */
#define PORT_FIND(FOUND, ROWS, REQUEST, TEXT)                                                      \
    do {                                                                                           \
        int has[2] = {0, 0};                                                                       \
        for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {                                  \
            if (port_is_asked(REQUEST, ROWS[i].name, ROWS[i].format))                              \
                FOUND = &ROWS[i];                                                                  \
            if (strcmp(ROWS[i].name, (REQUEST)->operation) == 0)                                   \
                has[strcmp(ROWS[i].format, "fp64") == 0] = 1;                                      \
        }                                                                                          \
        if (!FOUND)                                                                                \
            port_say_lack(REQUEST, has, TEXT);                                                     \
    } while (0)

#else

#ifndef ARRAY_ROW
#define ARRAY_ROW(...)
#endif
#define PORT_ARRAY(NAME, FUNCTION, NUMBERS, ...) PORT_ARRAY_##NUMBERS(NAME, FUNCTION, __VA_ARGS__)
#define PORT_ARRAY_F32(NAME, FUNCTION, LINES, ROLES, CALL)                                         \
    ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, f, float, "fp32")
#define DETMATH_UNARY(NAME, ...)  ROW(UNARY, NAME, f, float, "fp32")
#define DETMATH_BINARY(NAME, ...) ROW(BINARY, NAME, f, float, "fp32")
#define DETMATH_PAIR(NAME, ...)   ROW(PAIR, NAME, f, float, "fp32")
#ifdef PORT_FP32_ALONE
#define PORT_ARRAY_BOTH PORT_ARRAY_F32
#define DETMATH_UNARY_F64(NAME, ...)
#define DETMATH_BINARY_F64(NAME, ...)
#define DETMATH_PAIR_F64(NAME, ...)
#else
#define PORT_ARRAY_BOTH(NAME, FUNCTION, LINES, ROLES, CALL)                                        \
    PORT_ARRAY_F32(NAME, FUNCTION, LINES, ROLES, CALL)                                             \
    ARRAY_ROW(NAME, FUNCTION, LINES, ROLES, CALL, , double, "fp64")
#define DETMATH_UNARY_F64(NAME, ...)  ROW(UNARY, NAME, , double, "fp64")
#define DETMATH_BINARY_F64(NAME, ...) ROW(BINARY, NAME, , double, "fp64")
#define DETMATH_PAIR_F64(NAME, ...)   ROW(PAIR, NAME, , double, "fp64")
#endif
#ifdef FUNCTIONS
#include FUNCTIONS
#else
#include <detmath/functions.inc>
#include <detmath/functions_f64.inc>
#ifdef ADAPTER_ARRAYS
#include "port_arrays.inc"
#endif
#endif
#undef ROW
#undef ARRAY_ROW
#undef PORT_ARRAY
#undef PORT_ARRAY_F32
#undef PORT_ARRAY_BOTH
#undef DETMATH_UNARY
#undef DETMATH_BINARY
#undef DETMATH_PAIR
#undef DETMATH_UNARY_F64
#undef DETMATH_BINARY_F64
#undef DETMATH_PAIR_F64
#endif

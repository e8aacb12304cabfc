/* Finding vector functions by name, and calling them in their own calling convention. */
#include "impl/vector_libm.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_VECTORS 1
#else
#define HAVE_VECTORS 0
#endif

typedef void *symbol_address;

/* Computes `count` elements, a multiple of the width; y may be NULL. */
typedef void vector_loop(symbol_address function, float *z, const float *x, const float *y,
                         size_t count);

#if HAVE_VECTORS
/* One loop for each width: the target attribute makes the call pass whole registers. */
#define VECTOR_LOOP(NAME, TARGET, BYTES)                                                           \
    typedef float NAME##_vector __attribute__((vector_size(BYTES)));                               \
    __attribute__((target(TARGET))) static void NAME(                                              \
        symbol_address function, float *z, const float *x, const float *y, size_t count) {         \
        union {                                                                                    \
            symbol_address address;                                                                \
            NAME##_vector (*unary)(NAME##_vector);                                                 \
            NAME##_vector (*binary)(NAME##_vector, NAME##_vector);                                 \
        } call = {.address = function};                                                            \
        for (size_t i = 0; i < count; i += BYTES / sizeof(float)) {                                \
            NAME##_vector a, b;                                                                    \
            memcpy(&a, x + i, BYTES);                                                              \
            if (y) {                                                                               \
                memcpy(&b, y + i, BYTES);                                                          \
                a = call.binary(a, b);                                                             \
            } else {                                                                               \
                a = call.unary(a);                                                                 \
            }                                                                                      \
            memcpy(z + i, &a, BYTES);                                                              \
        }                                                                                          \
    }
VECTOR_LOOP(loop_4, "sse4.1", 16)
VECTOR_LOOP(loop_8, "avx2,fma", 32)
VECTOR_LOOP(loop_16, "avx512f", 64)

static bool has_sse4(void) {
    return __builtin_cpu_supports("sse4.1");
}
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}
#endif

/* A way to spell a vector function: the operands' letters come twice in libmvec's names. */
struct spelling {
    const char *pattern[2]; /* printf patterns with the operation's name: of one operand, of two */
    const char *label;
    size_t width;
    bool (*available)(void);
    vector_loop *loop;
};

#if HAVE_VECTORS
/* Widest first; SLEEF's accuracies in units of 0.1 ulp, best first. */
#define SLEEF(ULP, WIDTH, SET, AVAILABLE)                                                          \
    {                                                                                              \
        {"Sleef_%sf" #WIDTH "_u" ULP SET, "Sleef_%sf" #WIDTH "_u" ULP SET}, "u" ULP " " SET,       \
            WIDTH, AVAILABLE, loop_##WIDTH                                                         \
    }
static const struct spelling sleef_spellings[] = {
    SLEEF("10", 16, "avx512f", has_avx512), SLEEF("05", 16, "avx512f", has_avx512),
    SLEEF("15", 16, "avx512f", has_avx512), SLEEF("10", 8, "avx2", has_avx2),
    SLEEF("05", 8, "avx2", has_avx2),       SLEEF("15", 8, "avx2", has_avx2),
    SLEEF("10", 4, "sse4", has_sse4),       SLEEF("05", 4, "sse4", has_sse4),
    SLEEF("15", 4, "sse4", has_sse4),       {.loop = NULL}};
static const struct spelling libmvec_spellings[] = {
    {{"_ZGVeN16v_%sf", "_ZGVeN16vv_%sf"}, "avx512f", 16, has_avx512, loop_16},
    {{"_ZGVdN8v_%sf", "_ZGVdN8vv_%sf"}, "avx2", 8, has_avx2, loop_8},
    {{"_ZGVbN4v_%sf", "_ZGVbN4vv_%sf"}, "sse4", 4, has_sse4, loop_4},
    {.loop = NULL}};
#else
static const struct spelling sleef_spellings[] = {{.loop = NULL}};
static const struct spelling libmvec_spellings[] = {{.loop = NULL}};
#endif

struct library {
    const char *file, *name, *package;
    const struct spelling *spellings;
};

static const struct library sleef = {"libsleef.so.3", "SLEEF", "libsleef3", sleef_spellings};
static const struct library libmvec = {"libmvec.so.1", "libmvec", "libc6", libmvec_spellings};

static const struct library *library_of(const struct implementation *implementation) {
    return implementation->kind == &implementation_sleef ? &sleef : &libmvec;
}

struct vector_state {
    const struct spelling *spelling;
    symbol_address function;
};

static bool vector_open(struct implementation *implementation, struct error *error) {
    const struct library *library = library_of(implementation);
    if (!HAVE_VECTORS)
        return error_set(error, "%s is called on x86-64 only", library->name);
    if (!dlopen(library->file, RTLD_NOW | RTLD_LOCAL))
        return error_set(error, "no %s here (%s, Debian's %s)", library->name, library->file,
                         library->package);
    snprintf(implementation->detail, sizeof implementation->detail, "%s", library->file);
    return true;
}

static bool vector_bind(struct binding *binding, struct error *why) {
    const struct library *library = library_of(binding->implementation);
    const struct operation *operation = binding->request.operation;
    if (binding->request.format != &formats[FORMAT_FP32] ||
        binding->request.rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "%s is called in fp32, to nearest-even only", library->name);
    if (operation->operands > 2 || operation->results != 1)
        return error_set(why, "%s is called for one result of one or two operands", library->name);
    /* Opened before, so this is a look-up; it is never closed. */
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    for (const struct spelling *spelling = library->spellings; handle && spelling->loop;
         spelling++) {
        char symbol[64];
        const char *pattern = spelling->pattern[operation->operands - 1];
        snprintf(symbol, sizeof symbol, pattern, operation->name);
        symbol_address function = spelling->available() ? dlsym(handle, symbol) : NULL;
        if (!function)
            continue;
        struct vector_state *state = malloc(sizeof *state);
        if (!state)
            return binding_out_of_memory(binding, why);
        *state = (struct vector_state){spelling, function};
        binding->state = state;
        snprintf(binding->detail, sizeof binding->detail, "%s, %s", library->file, spelling->label);
        return true;
    }
    return error_set(why, "%s has no %s", library->name, operation->name);
}

static void vector_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

static bool vector_fill(struct binding *binding, const struct slice *slice, event_function *event,
                        void *context, struct error *error) {
    (void)event;
    (void)context;
    (void)error;
    enum { WIDEST = 16 };
    const struct vector_state *state = binding->state;
    size_t whole = slice->count - slice->count % state->spelling->width;
    size_t rest = slice->count - whole, bytes = rest * sizeof(float);
    const float *x = slice->operands[0];
    const float *y = binding->request.operation->operands == 2 ? slice->operands[1] : NULL;
    float *z = slice->results[0];
    state->spelling->loop(state->function, z, x, y, whole);
    if (rest) {
        float a[WIDEST] = {0}, b[WIDEST] = {0}, c[WIDEST];
        memcpy(a, x + whole, bytes);
        if (y)
            memcpy(b, y + whole, bytes);
        state->spelling->loop(state->function, c, a, y ? b : NULL, state->spelling->width);
        memcpy(z + whole, c, bytes);
    }
    return true;
}

const struct implementation_kind implementation_sleef = {
    .name = "sleef",
    .summary = "the SLEEF library's vector functions, where it is installed",
    .open = vector_open,
    .bind = vector_bind,
    .fill = vector_fill,
    .unbind = vector_unbind};
const struct implementation_kind implementation_libmvec = {
    .name = "libmvec",
    .summary = "the GNU C library's vector functions",
    .open = vector_open,
    .bind = vector_bind,
    .fill = vector_fill,
    .unbind = vector_unbind};

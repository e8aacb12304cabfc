/* Finding vector functions by name; impl/vector_abi.h calls them. */
#include "impl/vector_libm.h"

#include "impl/remote/c_observe.h"
#include "platform/processor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers and instructions, widest first, as names of functions have them. */
static const struct vector_set {
    size_t bytes;
    const char *sleef;
    char zgv;
    const char *svml, *needs[2];
} sets[] = {{64, "avx512f", 'e', "z0", {"avx512f", "avx512f"}},
            {32, "avx2", 'd', "l9", {"avx2", "fma"}},
            {16, "sse4", 'b', "h8", {"sse4.1", "sse4.1"}}};

/* Writes the `number`th name of a function in a library; false where there are no more. */
typedef bool symbol_namer(char symbol[64], const struct vector_set *set, int number,
                          const struct operation *operation, const struct format *format,
                          const struct implementation *implementation);

/* SLEEF's accuracies in units of 0.1 ulp, the customary one first; exact functions have none. */
static bool name_sleef(char symbol[64], const struct vector_set *set, int number,
                       const struct operation *operation, const struct format *format,
                       const struct implementation *implementation) {
    (void)implementation;
    static const char *const accuracies[] = {"u10", "u05", "u15", ""};
    if (number == sizeof accuracies / sizeof *accuracies)
        return false;
    snprintf(symbol, 64, "Sleef_%.20s%c%zu_%s%s", operation->name, format->width == 64 ? 'd' : 'f',
             set->bytes / format_bytes(format), accuracies[number], set->sleef);
    return true;
}

/* Each operand is a v, and so are the addresses for two results. */
static bool name_libmvec(char symbol[64], const struct vector_set *set, int number,
                         const struct operation *operation, const struct format *format,
                         const struct implementation *implementation) {
    (void)implementation;
    int vectors = operation->operands + (operation->results == 2 ? 2 : 0);
    snprintf(symbol, 64, "_ZGV%cN%zu%.*s_%.20s%s", set->zgv, set->bytes / format_bytes(format),
             vectors, "vvv", operation->name, format->width == 64 ? "" : "f");
    return number == 0;
}

/* SVML's accuracies, as its symbols have them and as svml: does. Bare `svml` stands for the first
 * three: the same bits on every processor, within 1 ulp, correctly rounded. */
static const struct accuracy {
    const char *name, *mark;
} accuracies[] = {{"br", "_br"}, {"ha", "_ha"}, {"cr", "_cr"}, {"la", ""}, {"ep", "_ep"}};
enum { ACCURACIES = sizeof accuracies / sizeof *accuracies, BARE_ACCURACIES = 3 };

/* The one that svml:ACCURACY or svml:ACCURACY:PATH names; NULL where it names none. */
static const struct accuracy *accuracy_of(const char *name) {
    const char *word = strchr(name, ':');
    size_t length = word ? strcspn(++word, ":") : 0;
    for (size_t i = 0; i < ACCURACIES; i++)
        if (length == strlen(accuracies[i].name) && strncmp(word, accuracies[i].name, length) == 0)
            return &accuracies[i];
    return NULL;
}

/* The function of these registers' instructions, and the one that looks which there are. */
static bool name_svml(char symbol[64], const struct vector_set *set, int number,
                      const struct operation *operation, const struct format *format,
                      const struct implementation *implementation) {
    const char *name = operation->platform.svml ? operation->platform.svml : operation->name;
    snprintf(symbol, 64, "__svml_%.20s%s%zu%s%s%s", name, format->width == 64 ? "" : "f",
             set->bytes / format_bytes(format), accuracy_of(implementation->name)->mark,
             number ? "" : "_", number ? "" : set->svml);
    return number < 2;
}

static size_t most_bytes = 64;

void vector_libm_limit(size_t bytes) {
    most_bytes = bytes;
}

bool vector_libm_use_bytes(const char *text, struct error *why) {
    static const struct {
        const char *text;
        size_t bytes;
    } widths[] = {{"16", 16}, {"32", 32}, {"64", 64}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(text, widths[i].text) == 0) {
            vector_libm_limit(widths[i].bytes);
            return true;
        }
    return error_set(
        why, VECTOR_BYTES_VARIABLE "=%.200s is not a width of registers; there are: 16, 32, 64",
        text);
}

struct library {
    const char *file, *name, *package;
    symbol_namer *namer;
};

static const struct library sleef = {"libsleef.so.3", "SLEEF", "Debian's libsleef3", name_sleef};
static const struct library libmvec = {"libmvec.so.1", "libmvec", "Debian's libc6", name_libmvec};
static const struct library svml = {"libsvml.so", "SVML", "PyPI's intel-cmplr-lib-rt", name_svml};

static const struct library *library_of(const struct implementation *implementation) {
    return implementation->kind == &implementation_sleef     ? &sleef
           : implementation->kind == &implementation_libmvec ? &libmvec
                                                             : &svml;
}

/* The library's usual name, or the path behind svml:ACCURACY. */
static const char *file_of(const struct implementation *implementation) {
    const char *accuracy = strchr(implementation->name, ':');
    const char *path = accuracy ? strchr(accuracy + 1, ':') : NULL;
    return path ? path + 1 : library_of(implementation)->file;
}

/* What is the matter with a file that was not opened, as the system's linker says it: nothing where it is not there. */
static const char *trouble_with(const char *file) {
    const char *reported = dlerror();
    size_t length = strlen(file);
    if (!reported)
        return "";
    if (strncmp(reported, file, length) != 0 || strncmp(reported + length, ": ", 2) != 0)
        return reported; /* such as another library that it wants */
    return strstr(reported + length, "No such file") ? "" : reported + length + 2;
}

static bool vector_open(struct implementation *implementation, struct error *error) {
    const struct library *library = library_of(implementation);
    if (strcmp(processor_architecture(), "x86_64") != 0)
        return error_set(error, "%s is called on x86-64 only", library->name);
    const char *file = file_of(implementation);
    if (!dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
        const char *why = trouble_with(file);
        const char *hint = strchr(file, ',')
                               ? "; behind a ':' all is the path: --impl A --impl B for several"
                               : "";
        return error_set(error, "no %s here (%.200s, %s)%s%.200s%s", library->name, file,
                         library->package, *why ? ": " : "", why, hint);
    }
    snprintf(implementation->detail, sizeof implementation->detail, "%.255s", file);
    return true;
}

/* svml:ACCURACY and svml:ACCURACY:PATH are one each; svml and svml:PATH are several. */
static bool svml_spell(const char *name, size_t index, char *spelling, struct error *error) {
    const char *path = strchr(name, ':');
    size_t several = accuracy_of(name) ? 1 : BARE_ACCURACIES;
    *spelling = '\0';
    if (index >= several)
        return true;
    int length = several == 1 ? snprintf(spelling, IMPLEMENTATION_NAME, "%s", name)
                              : snprintf(spelling, IMPLEMENTATION_NAME, "svml:%s%s",
                                         accuracies[index].name, path ? path : "");
    return length < IMPLEMENTATION_NAME ||
           error_set(error, "the implementation's name is longer than %d characters",
                     IMPLEMENTATION_NAME - 1);
}

static bool svml_open(struct implementation *implementation, struct error *error) {
    if (!accuracy_of(implementation->name))
        return error_set(error, "%.80s stands for several; one of them is svml:ha",
                         implementation->name);
    return vector_open(implementation, error);
}

/* The form for one number beside a function of registers: Sleef_expf_u10 beside Sleef_expf8_u10avx2. The
 * GNU C library's libmvec has none; libm is another library. */
static void find_by_number(struct c_function *function, void *handle, const struct library *library,
                           const char *symbol, const struct vector_set *set) {
    const struct operation *operation = function->request.operation;
    const char *accuracy = strrchr(symbol, '_') + 1;
    char name[64];
    if (library != &sleef)
        return;
    snprintf(name, sizeof name, "Sleef_%.20s%s_%.*s", operation->name,
             function->computed->width == 64 ? "" : "f",
             (int)(strlen(accuracy) - strlen(set->sleef)), accuracy);
    if (operation->results == 1 && operation->platform.signature == C_NUMBERS)
        function->by_number.address = dlsym(handle, name);
}

/* Sets the address and how it is called; false where the library has no such function. */
static bool find(struct c_function *function, const struct implementation *implementation,
                 char symbol[64]) {
    const struct library *library = library_of(implementation);
    const struct operation *operation = function->request.operation;
    struct error unused;
    /* Opened before, so this is a look-up; it is never closed. */
    void *handle = dlopen(file_of(implementation), RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; handle && i < sizeof sets / sizeof *sets; i++) {
        if (sets[i].bytes > most_bytes || !processor_has(sets[i].needs[0]) ||
            !processor_has(sets[i].needs[1]))
            continue;
        for (int k = 0;
             library->namer(symbol, &sets[i], k, operation, function->computed, implementation);
             k++) {
            function->call.address = dlsym(handle, symbol);
            find_by_number(function, handle, library, symbol, &sets[i]);
            if (function->call.address)
                return vector_abi_of_symbol(&function->vector, symbol, 0, &unused) &&
                       vector_abi_settle(&function->vector, symbol, operation, function->computed,
                                         &unused);
        }
    }
    return false;
}

static bool vector_bind(struct binding *binding, struct error *why) {
    const struct library *library = library_of(binding->implementation);
    const struct binding_request *request = &binding->request;
    struct c_function function = c_function_for(request);
    char symbol[64];
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "%s rounds to nearest-even only", library->name);
    if (!c_function_is_of_format(request, why))
        return false;
    if (!find(&function, binding->implementation, symbol))
        return error_set(why, "%s has no %s in %s", library->name, request->operation->name,
                         function.computed->name);
    snprintf(binding->detail, sizeof binding->detail, "%.180s, %s",
             file_of(binding->implementation), symbol);
    binding->state = malloc(sizeof function);
    if (!binding->state)
        return binding_out_of_memory(binding, why);
    memcpy(binding->state, &function, sizeof function);
    binding->tells_flags = request->flags;
    binding->tells_errno = request->errnos && function.computed == request->format;
    binding->flags_of_arrays = true;
    binding->conditions = c_function_conditions(&function);
    return true;
}

static void vector_unbind(struct binding *binding) {
    free(binding->state);
    binding->state = NULL;
}

static void vector_build(const struct binding *binding, char text[BUILD_TEXT]) {
    const struct c_function *function = binding->state;
    build_of_address(function->call.address, text);
}

/* These functions leave the floating-point environment alone. To look after each slice would take
 * as long as they do. */
static bool vector_fill(struct binding *binding, const struct slice *slice, event_function *event,
                        void *context, struct error *error) {
    return (slice->raised ? c_function_fill_here : c_function_fill_harmless)(binding->state, slice,
                                                                             event, context, error);
}

const struct implementation_kind implementation_sleef = {
    .name = "sleef",
    .summary = "the SLEEF library's vector functions, where it is installed",
    .open = vector_open,
    .bind = vector_bind,
    .fill = vector_fill,
    .unbind = vector_unbind,
    .others = OTHERS_HERE,
    .build = vector_build};
const struct implementation_kind implementation_libmvec = {
    .name = "libmvec",
    .summary = "the GNU C library's vector functions",
    .open = vector_open,
    .bind = vector_bind,
    .fill = vector_fill,
    .unbind = vector_unbind,
    .others = OTHERS_HERE,
    .build = vector_build};
/* A name for several, which spell() gives one by one; one alone is never opened by it. */
const struct implementation_kind implementation_svml_several = {.name = "svml",
                                                                .summary =
                                                                    "svml:br, svml:ha and svml:cr",
                                                                .spell = svml_spell,
                                                                .open = svml_open,
                                                                .bind = vector_bind,
                                                                .fill = vector_fill,
                                                                .unbind = vector_unbind,
                                                                .others = OTHERS_HERE,
                                                                .build = vector_build};
const struct implementation_kind implementation_svml = {
    .name = "svml:",
    .summary = "Intel's SVML, where it is installed (svml:ha, svml:cr:/opt/libsvml.so)",
    .spell = svml_spell,
    .open = svml_open,
    .bind = vector_bind,
    .fill = vector_fill,
    .unbind = vector_unbind,
    .others = OTHERS_HERE,
    .build = vector_build};

/* The process in which an implementation of detcheck is called under conditions: an adapter like
 * those of others. */
#define ADAPTER_CONDITIONS
#include "impl/adapters/adapter.h"

#include "detmath/library/kernels.h"
#include "impl/detmath.h"
#include "impl/environment.h"
#include "impl/remote/apart.h"
#include "impl/remote/greeting.h"
#include "impl/remote/library.h"
#include "impl/vector_libm.h"

#include "base/names.h"

static struct implementation implementation;
static struct binding binding;
static struct foreign_settings settings;
static const char *name;

/* Variants by kind. Of detmath and of vector functions these are variables of this process; the C
 * library looks at its own. */
#if defined(__GLIBC__) && defined(__x86_64__)
#define TUNABLES                                                                                   \
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4\n"                                                 \
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4\n"                                           \
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-SSE4_1\n"                              \
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512DQ\n"
#else
#define TUNABLES ""
#endif
static const struct {
    const char *kind, *variants;
} rows[] = {
    {"libm", TUNABLES},
    {"lib:", TUNABLES},
    {"libmvec", VECTOR_BYTES_VARIABLE "=32\n" VECTOR_BYTES_VARIABLE "=16\n" TUNABLES},
    {"sleef", VECTOR_BYTES_VARIABLE "=32\n" VECTOR_BYTES_VARIABLE "=16\n"},
    {"svml:", VECTOR_BYTES_VARIABLE "=32\n" VECTOR_BYTES_VARIABLE "=16\n"},
};

static const char *adapter_variants(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].kind, implementation.kind->name) == 0)
            return rows[i].variants;
    return detmath_other_levels();
}

/* Lets the settings of the environment have their effect. */
static int choose_variant(char text[ADAPTER_TEXT]) {
    struct error why = {""};
    if (!environment_take(&why)) {
        snprintf(text, ADAPTER_TEXT, "%.500s", why.text);
        return 0;
    }
    return 1;
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    struct binding_request wanted = {.conditions = false, .bare = true};
    struct error why = {""};
    wanted.operation = greeting_operation(request->operation, request->parameters, &why);
    wanted.format = format_find(request->format, &why);
    int ready = wanted.operation && wanted.format &&
                (rounding_find(request->rounding, &wanted.rounding) ||
                 error_set(&why, "unknown rounding '%.40s'", request->rounding)) &&
                choose_variant(text);
    parameters_read(&wanted.parameters, request->parameters);
    ready = ready && implementation_open(&implementation, name, &settings, &why) &&
            implementation_bind(&binding, &implementation, &wanted, &why);
    snprintf(adapter_disturbed, sizeof adapter_disturbed, "%s", binding.conditions.disturbed);
    if (ready || why.text[0])
        snprintf(text, ADAPTER_TEXT, "%.500s", ready ? binding.detail : why.text);
    return ready;
}

static void ignore_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

/* What the function does not write is left as it is found here, where all outputs hold one pattern, unless
 * they lie over operands. */
static void adapter_compute(size_t count, void *const *x, void *const *z) {
    uint8_t unwritten[ADAPTER_BLOCK] = {0};
    struct slice slice = {.count = count, .unanswered = unwritten};
    size_t bytes = format_bytes(request_result_format(&binding.request));
    uint64_t before[MAX_RESULTS] = {0};
    struct error error;
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = x[i];
    for (int i = 0; i < MAX_RESULTS; i++)
        slice.results[i] = z[i];
    for (int i = 0; i < binding.request.operation->results; i++)
        before[i] = code_load(z[i], bytes, 0);
    if (binding_fill(&binding, &slice, ignore_event, NULL, &error)) {
        for (size_t at = 0; at < count; at++)
            for (int i = 0; unwritten[at] && i < binding.request.operation->results; i++)
                code_store(z[i], bytes, at, before[i]);
        return;
    }
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

int apart_worker(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "detcheck: %s is not for users\n", APART_WORKER);
        return 2;
    }
    worker_set_up(strtoul(words[3], NULL, 10));
    settings = foreign_defaults;
    settings.in_process = true;
    name = words[2];
    return adapter_serve();
}

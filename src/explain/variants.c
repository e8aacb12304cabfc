/* Opening the variant. */
#include "explain/variants.h"

#include <stdio.h>
#include <string.h>

#if defined(__GLIBC__) && defined(__x86_64__)
/* Names of glibc 2.33 and later, and of those before; names that are not known change nothing. */
#define WITHOUT_FMA "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"
#endif

/* Whether an implementation may compute by a libm: by its name, or as a command that answers for another machine. */
static bool may_be_libm(const struct implementation *one) {
    return strcmp(one->name, "libm") == 0 || strstr(one->name, "libm.so") ||
           strncmp(one->name, "exec", 4) == 0 || strncmp(one->name, "py:", 3) == 0;
}

#if defined(WITHOUT_FMA)
static void ignore(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

/* What an implementation gives for an input; false where it has no such function, or gives nothing. */
static bool give(const struct implementation *one, const struct explain_request *request,
                 const uint64_t *input, uint64_t *code) {
    const struct binding_request *computed = &request->computed;
    uint64_t operands[MAX_OPERANDS] = {0}, results[MAX_RESULTS] = {0};
    uint8_t unanswered = 0;
    struct slice slice = {.count = 1, .unanswered = &unanswered};
    struct binding binding;
    struct error why;
    if (!implementation_bind(&binding, one, computed, &why))
        return false;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        code_store(&operands[i], format_bytes(computed->format), 0, input ? input[i] : 0);
        slice.operands[i] = &operands[i];
    }
    for (int i = 0; i < MAX_RESULTS; i++)
        slice.results[i] = &results[i];
    const bool filled = binding_fill(&binding, &slice, ignore, NULL, &why);
    binding_close(&binding);
    *code = code_load(&results[request->result], format_bytes(request_result_format(computed)), 0);
    return filled && !unanswered;
}
#endif

void variants_add(struct explain_request *request, const struct difference *difference) {
    const struct binding_request *computed = &request->computed;
    if (request->rebuild_count == REBUILD_MOST || computed->operation->array ||
        computed->operation->converts || !computed->operation->platform.symbol ||
        !(may_be_libm(request->sides[0]) || may_be_libm(request->sides[1])))
        return;
#if defined(WITHOUT_FMA)
    static struct implementation variant;
    static struct foreign_settings settings;
    const uint64_t *input = difference ? difference->in : NULL;
    struct foreign_settings plain = *request->sides[0]->foreign;
    struct implementation libm;
    struct error unused;
    uint64_t with, without;
    plain.in_process = false;
    plain.variant = NULL;
    settings = plain;
    settings.variant = WITHOUT_FMA;
    if (!implementation_open(&variant, "lib:libm.so.6", &settings, &unused) ||
        !implementation_open(&libm, "lib:libm.so.6", &plain, &unused) ||
        !give(&variant, request, input, &without) || !give(&libm, request, input, &with) ||
        (difference && with == without))
        return;
    snprintf(variant.detail, sizeof variant.detail,
             "computes without FMA and AVX2: it returns what this machine's libm returns "
             "under " WITHOUT_FMA);
    request->rebuilds[request->rebuild_count] = &variant;
    request->rebuild_names[request->rebuild_count++] = HYPOTHESIS_WITHOUT_FMA;
#else
    (void)difference;
#endif
}

/* Built inputs among special ones. */
#include "sweep/built/specials.h"

#include <stdlib.h>
#include <string.h>

bool domain_add_built(struct domain *domain, const struct built_request *request,
                      struct error *error) {
    const size_t operands = (size_t)domain->operands;
    const size_t before = (size_t)domain->count, count = before + BUILT_SPECIALS;
    const enum domain_kind kind = domain->kind;
    uint64_t *tuples = malloc(count * operands * sizeof *tuples), codes[MAX_OPERANDS];
    struct builder *builder = builder_open(request);
    if (!tuples || !builder) {
        free(tuples);
        builder_close(builder);
        return error_set(error, "out of memory for the special inputs");
    }
    for (size_t i = 0; i < count; i++) {
        if (i < before)
            domain_codes_at(domain, i, codes);
        else
            builder_make(builder, i - before, codes, NULL);
        memcpy(tuples + i * operands, codes, operands * sizeof *codes);
    }
    builder_close(builder);
    domain_free(domain);
    domain_tuples(domain, request->format, (int)operands, tuples, count);
    domain->kind = kind;
    return true;
}

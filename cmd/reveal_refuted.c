/* The assumptions, that which lets most arrays come out right first. */
#include "reveal_refuted.h"

#include <inttypes.h>
#include <stdio.h>

void reveal_print_refuted(const struct refuted *refuted) {
    if (!refuted->varied)
        return;
    enum { FEW = 4 }; /* which come out right by chance */
    const bool is_told = refuted->arrays >= FEW && refuted->of[0].right == refuted->arrays;
    for (unsigned i = 0; i < refuted->count; i++) {
        const bool is_all = is_told && refuted->of[i].right == refuted->arrays;
        if (!is_all && is_told)
            return;
        printf("  %s \"%s: %s\" (%" PRIu64 " of %" PRIu64 " that differ)\n",
               i        ? "or with"
               : is_all ? "that array refutes an assumption: it comes out right with"
                        : "that array may refute an assumption: it comes out right with",
               refuted->of[i].assumption, refuted->of[i].otherwise, refuted->of[i].right,
               refuted->arrays);
    }
    if (!refuted->count)
        printf("  that array refutes more than one assumption: by none of %zu that were varied "
               "alone it comes out right\n",
               refuted->varied);
}

void reveal_add_refuted(cJSON *object, const struct refuted *refuted) {
    cJSON *all = cJSON_AddObjectToObject(object, "refuted");
    cJSON_AddNumberToObject(all, "arrays", (double)refuted->arrays);
    cJSON_AddNumberToObject(all, "varied", (double)refuted->varied);
    cJSON *assumptions = cJSON_AddArrayToObject(all, "assumptions");
    for (unsigned i = 0; i < refuted->count; i++) {
        cJSON *one = json_append(assumptions);
        cJSON_AddStringToObject(one, "assumption", refuted->of[i].assumption);
        cJSON_AddStringToObject(one, "instead", refuted->of[i].otherwise);
        cJSON_AddNumberToObject(one, "right", (double)refuted->of[i].right);
    }
}

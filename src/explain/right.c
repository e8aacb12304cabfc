/* cr is quick, but rounds to nearest-even only, and not to every format. */
#include "explain/right.h"

#include "explain/arrays.h"

bool explain_knows(const struct operation *operation) {
    return !operation->array || arrays_are_known(operation);
}

static bool computes(const char *name, const struct binding_request *computed) {
    struct implementation implementation;
    struct binding binding;
    struct error unused;
    if (!implementation_open(&implementation, name, NULL, &unused) ||
        !implementation_bind(&binding, &implementation, computed, &unused))
        return false;
    binding_close(&binding);
    return true;
}

const char *explain_right(const struct binding_request *computed) {
    static const char *const names[] = {"cr", "exact"};
    for (size_t i = 0; explain_knows(computed->operation) && i < sizeof names / sizeof *names; i++)
        if (computes(names[i], computed))
            return names[i];
    return NULL;
}

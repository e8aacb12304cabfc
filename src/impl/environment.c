/* Which variables there are, and who takes what they say. */
#include "impl/environment.h"

#include "impl/detmath.h"
#include "impl/vector_libm.h"

#include <stdlib.h>

bool environment_take(struct error *why) {
    static const struct {
        const char *name;
        bool (*take)(const char *text, struct error *why);
    } variables[] = {{DETMATH_LEVEL_VARIABLE, detmath_settle_level},
                     {VECTOR_BYTES_VARIABLE, vector_libm_use_bytes}};
    bool good = true;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && good; i++) {
        const char *text = getenv(variables[i].name);
        good = !text || variables[i].take(text, why);
    }
    return good;
}

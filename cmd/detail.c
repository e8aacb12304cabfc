/* Asking an implementation for its detail. */
#include "detail.h"

#include <stdio.h>

const char *detail_of(const struct implementation *implementation,
                      const struct binding_request *computed, char text[DETAIL_TEXT]) {
    struct binding binding;
    struct error why;
    const bool bound = implementation_bind(&binding, implementation, computed, &why);
    snprintf(text, DETAIL_TEXT, "%s", bound ? binding.detail : implementation->detail);
    if (bound)
        binding_close(&binding);
    return text;
}

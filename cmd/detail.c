/* Asking two implementations for their details. */
#include "detail.h"

#include <stdio.h>

void details_find(const struct implementation *const sides[2],
                  const struct binding_request *computed, struct details *details) {
    struct binding_request request = *computed;
    struct binding binding;
    struct error why;
    bool told = false;
    request.machine = true;
    *details = (struct details){.texts = {{0}}};
    for (int side = 0; side < 2; side++) {
        const bool bound = implementation_bind(&binding, sides[side], &request, &why);
        snprintf(details->texts[side], DETAIL_TEXT, "%s",
                 bound ? binding.detail : sides[side]->detail);
        if (!bound)
            continue;
        machine_of(&binding, &details->machines[side]);
        told = told || (sides[side]->kind->is_command && *details->machines[side].host);
        binding_close(&binding);
    }
    if (!told)
        for (int side = 0; side < 2; side++)
            details->machines[side] = (struct machine){.host = ""};
}

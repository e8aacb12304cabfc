/* Their names. */
#include "impl/steps_functions.h"

#include "base/names.h"
#include "impl/detmath.h"
#include "impl/libm.h"
#include "impl/steps_published.h"

bool steps_open_functions(struct implementation *functions, const char *name,
                          const struct foreign_settings *foreign, struct error *error) {
    static const struct implementation_kind *const kinds[] = {
        &implementation_det, &implementation_cr, &implementation_libm, &implementation_sleef_u10};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (name_matches(name, kinds[i]->name, NULL)) {
            *functions = (struct implementation){.kind = kinds[i], .foreign = foreign};
            functions->name = kinds[i]->name;
            return functions->kind->open(functions, error);
        }
    return error_set(
        error, "the functions of steps are those of det, cr, libm or sleef-u10, not of '%s'", name);
}

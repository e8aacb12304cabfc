/* Whose functions the steps of formulas and forms may have. */
#ifndef DETCHECK_IMPL_STEPS_FUNCTIONS_H
#define DETCHECK_IMPL_STEPS_FUNCTIONS_H

#include "impl/implementation.h"

/* Opens det, cr, libm or published steps (steps_published.h). */
bool steps_open_functions(struct implementation *functions, const char *name,
                          const struct foreign_settings *foreign, struct error *error);

#endif

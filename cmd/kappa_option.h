/* `detcheck sweep --kappa FILE`: the approximation declarations of P3109 4.0, of every input. */
#ifndef DETCHECK_CMD_KAPPA_OPTION_H
#define DETCHECK_CMD_KAPPA_OPTION_H

#include "sweep_plan.h"

/* Measures what the plan's jobs and implementations are, and writes the declarations. True where the option is not
 * given. Nothing is written where a measurement fails. */
bool write_kappas(const struct sweep_plan *plan, struct error *error);

#endif

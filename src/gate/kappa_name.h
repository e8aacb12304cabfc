/* The operation specialization that a declaration of kappas approximates: "Exp<fx, fr, (Rounding, Saturation)>(x) -> r",
 * as P3109 4.0 writes it in section 4.6 and annex D. */
#ifndef DETCHECK_GATE_KAPPA_NAME_H
#define DETCHECK_GATE_KAPPA_NAME_H

#include "gate/kappa_read.h"

/* Sets the item's operation and format from the text, which may stand in quotes. False: `wrong` says why. */
bool kappa_name(const char *text, struct declared_kappa *item, char *wrong, size_t room);

/* "NearestTiesToEven", and for stochastic roundings the number of random bits: "StochasticA_4". */
bool kappa_is_rounding(const char *word);
bool kappa_is_saturation(const char *word);

#endif

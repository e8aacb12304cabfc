/* What the files of the optimisers share. */
#ifndef DETCHECK_OP_KERNELS_OPTIMISERS_H
#define DETCHECK_OP_KERNELS_OPTIMISERS_H

#include "op/array.h"

enum { PARAMETER, GRADIENT, VELOCITY, MEAN = VELOCITY, SQUARE };
enum { NEW_PARAMETER, NEW_VELOCITY, NEW_MEAN = NEW_VELOCITY, NEW_SQUARE };

/* A parameter that is a number; 0 where there is none. */
double optimiser_rate(const struct array_call *call, enum parameter_number number);
/* Whether sgd has a velocity of the step before. */
bool optimiser_has_velocity(const struct parameters *parameters);

bool optimiser_exact(const struct array_call *call, int result, int precision, struct real *y,
                     struct error *error);

#endif

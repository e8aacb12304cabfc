/* Inputs that tell det from its mutants: from kernels with one constant off in its last bit, one fused multiply-add split
 * or one term dropped. vectors/mutants-fp32.txt and mutants-fp64.txt have them; tests/detmath/mutants finds them. */
#ifndef DETCHECK_VECTOR_CHOOSE_MUTANTS_H
#define DETCHECK_VECTOR_CHOOSE_MUTANTS_H

#include "vector/vector.h"

/* Adds those of `computed`, none where the table has none. Unites the choices again. False when there is no memory. */
bool mutants_add(struct vector_choices *choices, const struct binding_request *computed,
                 struct error *error);

#endif

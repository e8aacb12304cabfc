/* Vectors of operations on arrays: a test is one call, with all its elements. The group's
 * parameters have the shape, which all its tests share, and the family that they were drawn from.
 */
#ifndef DETCHECK_VECTOR_ARRAY_VECTORS_H
#define DETCHECK_VECTOR_ARRAY_VECTORS_H

#include "vector/vector.h"
#include "vector/verify.h"

/* Shapes and formats of a group's calls; no codes. False where the parameters lack a shape, or it
 * makes no sense. `computed` must stay where it is. */
bool array_vectors_plan(struct array_call *call, const struct binding_request *computed,
                        struct error *error);

/* The number of elements of all operands, and of all results. */
uint64_t array_vectors_operands(const struct array_call *call, const struct operation *operation);
uint64_t array_vectors_results(const struct array_call *call, const struct operation *operation);

/* How many calls there are of the family that the parameters name where `draws` are asked for, and
 * the elements of each. */
bool array_vectors_count(const struct vector_group *group, uint64_t draws, uint64_t *count,
                         uint64_t *elements, struct error *error);

/* Adds `count` of these calls, from number group->first on, without results. */
bool array_vectors_draw(struct vector_group *group, uint64_t count, uint64_t draws, uint64_t seed,
                        struct error *error);

/* Fills in the results that the group expects. */
bool array_vectors_expect(struct vector_group *group, struct error *error);

/* As verify_group, which hands on to it: a test passes where every element of its results does. */
bool array_vectors_verify(const struct vector_group *group,
                          const struct implementation *implementation,
                          const struct verify_rules *rules, struct verify_outcome *outcome,
                          struct error *error);

#endif

/* Functions of fp32 numbers in formats within fp32: operands are widened, which is exact, and results
 * are rounded to the format, as frameworks do. */
#ifndef DETCHECK_IMPL_WIDENED_H
#define DETCHECK_IMPL_WIDENED_H

#include "impl/arranged.h"
#include "impl/call_window.h"

/* Computes a slice without conditions by calls on arrays of the format that the function gets: one call in
 * that format itself, and else, where that is fp32, one for each 512 elements. The window is open around each call; it may be NULL. */
void widened_fill(const struct arranged *arranged, const struct slice *slice,
                  struct call_window *window);

/* Computes a slice, with conditions or without. False when memory is out. */
bool widened_compute(const struct arranged *arranged, const struct slice *slice,
                     struct error *error);

/* What slices may ask of arrays of fp32 numbers. */
struct condition_support widened_conditions(const struct arranged *arranged);

/* What every kind demands that computes in fp32 and to nearest-even alone; `name` is the kind's. */
bool widened_provides(const struct binding_request *request, const char *name, struct error *why);

#endif

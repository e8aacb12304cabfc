/* Scales of sums that are measured: the greatest of the data of each scale, and the power of two that
 * it needs. */
#include "scaled_contraction.h"

#include "scaled_kernels.h"

#include <stdlib.h>

double *detmath_measured_open(struct detmath_scaled_places *dense,
                              const struct detmath_scaled_places *array) {
    const struct detmath_strided *scales = &array->array->scales;
    const int lacks = array->array->data.dimensions - scales->dimensions;
    size_t count = 1;
    *dense = *array;
    for (int i = scales->dimensions - 1; i >= 0; i--) {
        dense->scale_stride[lacks + i] = (ptrdiff_t)count;
        count *= scales->extents[i];
    }
    return calloc(count, sizeof(double));
}

double detmath_measured_greatest(double greatest, const double *sums, size_t count, double a) {
    for (size_t i = 0; i < count; i++) {
        double magnitude = detmath_scaled_magnitude(sums[i] * a);
        int counts = magnitude >= 0x1p-200 && magnitude < 0x1p400 && magnitude > greatest;
        greatest = counts ? magnitude : greatest;
    }
    return greatest;
}

struct detmath_scaled_plan detmath_measured_plan(const struct detmath_scaled_tensor *c,
                                                 struct detmath_scaled_plan plan, double greatest) {
    const struct detmath_format row = detmath_formats[c->data.format];
    const double most = detmath_decode(row.max_finite, row);
    int n = greatest == 0.0 ? 0 : detmath_scaled_least_exponent(greatest, most);
    return detmath_scaled_plan_moved(plan, n, c->scales.format == DETMATH_POWERS);
}

/* Matrix products by a unit: by lanes where the unit and this machine allow it, else element by element. */
#include "detmath/library/kernels.h"
#include "order/unit_lanes.h"

#include <string.h>

static bool has_avx2(void) {
    struct detmath_level level;
    for (int i = 0; detmath_level(i, &level); i++)
        if (level.kernels && strcmp(level.name, "avx2") == 0)
            return unit_multiply_avx2 != NULL;
    return false;
}

bool unit_multiply(const struct unit_product *product) {
    const uint64_t zero = 0;
    if (unit_has_lanes(product->unit) && has_avx2())
        return unit_multiply_avx2(product);
    for (size_t i = 0; i < product->rows; i++)
        for (size_t j = 0; j < product->columns; j++)
            product->d[i * product->columns + j] =
                unit_dot(product->unit, product->a + i * product->inner + product->first,
                         product->b + j * product->inner + product->first, product->count, &zero);
    return true;
}

/* The table: by halves. */
#include "oracle/fast/logarithms.h"

/* artanh(1 / (2 r^2 - 1)) in units, for r >= 3. */
static uint64_t step_to(uint32_t r) {
    double square = (double)r * r, y = 1 / (2 * square - 1), u = y * y, sum = 1.0 / 13;
    for (int k = 11; k >= 1; k -= 2)
        sum = sum * u + 1.0 / k;
    return (uint64_t)(y * sum * (1 / LOGARITHM_UNIT));
}

void make_logarithms(uint64_t *units, uint32_t count) {
    if (count > 1)
        units[1] = 0;
    for (uint32_t k = 2; k < count; k++) {
        uint64_t low = units[k / 2];
        units[k] = LN2_UNITS + low;
        if (k % 2)
            units[k] += (units[k / 2 + 1] - low) / 2 + step_to(k);
    }
}

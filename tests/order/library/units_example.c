/* 1 + 2^-12 - 2^-25 in products of fp16, as an H100 and an A100 add it: one keeps 25 bits behind the largest term, the
 * other 24. */
#include <detmath/units.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    /* 1 * 1, 2^-12 * 1 and -2^-24 * 2^-1 */
    const uint16_t a[] = {0x3c00, 0x0c00, 0x8001}, b[] = {0x3c00, 0x3c00, 0x3800};
    const char *const names[] = {"h100", "a100"};
    float sums[2];
    for (int i = 0; i < 2; i++) {
        struct detmath_error error;
        const struct detmath_unit *unit =
            detmath_unit_find(names[i], "fp16", "fp32", NULL, 0, &error);
        if (!unit || detmath_unit_dot(unit, a, b, 3, NULL, &sums[i], &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
    }
    printf("%a on h100, %a on a100\n", (double)sums[0], (double)sums[1]);
    return 0;
}

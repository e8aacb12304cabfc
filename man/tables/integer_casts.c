/* What C makes of six numbers in fp64 as int8, uint8, int32, uint32, int64 and uint64: the table of detcheck-casts(7).
 *
 *     gcc -O2 integer_casts.c -lm && ./a.out
 *
 * The numbers are volatile, since a compiler that folds constants has results of its own. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
int main(void) {
    volatile double numbers[] = {300.5, -1, 3e9, 1e10, 2e19, NAN};
    for (int i = 0; i < 6; i++) {
        double x = numbers[i];
        printf("%d %u %d %u %lld %llu\n", (int8_t)x, (uint8_t)x, (int32_t)x, (uint32_t)x,
               (long long)(int64_t)x, (unsigned long long)(uint64_t)x);
    }
}

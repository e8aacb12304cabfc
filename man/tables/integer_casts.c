/* What C makes of six numbers in fp64 as int8, uint8, int32, uint32, int64 and uint64: the table of
 * detcheck-casts(7), in bits.
 *
 *     gcc -O2 integer_casts.c -lm && ./a.out
 *
 * The numbers are volatile, since a compiler that folds constants has results of its own. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
int main(void) {
    volatile double numbers[] = {300.5, -1, 3e9, 1e10, 2e19, NAN};
    printf("%-6s %4s %5s %8s %8s %16s %16s\n", "", "int8", "uint8", "int32", "uint32", "int64",
           "uint64");
    for (int i = 0; i < 6; i++) {
        double x = numbers[i];
        printf("%-6g %4" PRIx8 " %5" PRIx8 " %8" PRIx32 " %8" PRIx32 " %16" PRIx64 " %16" PRIx64
               "\n",
               x, (uint8_t)(int8_t)x, (uint8_t)x, (uint32_t)(int32_t)x, (uint32_t)x,
               (uint64_t)(int64_t)x, (uint64_t)x);
    }
}

/* Conversions from and to integers by way of another one: more functions of converting_library.c. */
#include <stdint.h>
#include <string.h>

/* The low 63 bits, rounded, and what the top one stands for. */
double in_parts_fp64(uint64_t x);
double in_parts_fp64(uint64_t x) {
    volatile double low = (double)(x & INT64_MAX);
    return x >> 63 ? low + 0x1p63 : low;
}

/* By way of an int64 that holds at its ends. */
int32_t wrapped_int32(double x);
int32_t wrapped_int32(double x) {
    const int64_t whole = x >= 0x1p63   ? INT64_MAX
                          : x < -0x1p63 ? INT64_MIN
                          : x != x      ? 0
                                        : (int64_t)x;
    const uint32_t low = (uint32_t)whole;
    int32_t wrapped;
    memcpy(&wrapped, &low, sizeof wrapped);
    return wrapped;
}

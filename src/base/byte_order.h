/* Arrays of codes as they stand in files and on pipes: little-endian, and now and then big-endian. */
#ifndef DETCHECK_BASE_BYTE_ORDER_H
#define DETCHECK_BASE_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline void codes_reverse_bytes(void *codes, size_t bytes, size_t count) {
    uint8_t *byte = codes;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bytes / 2; k++) {
            uint8_t *low = &byte[i * bytes + k], *high = &byte[i * bytes + bytes - 1 - k];
            uint8_t swapped = *low;
            *low = *high;
            *high = swapped;
        }
}

static inline bool is_little_endian(void) {
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 1;
}

/* Between the machine's order and little-endian, in place, either way. */
static inline void codes_little_endian(void *codes, size_t bytes, size_t count) {
    if (!is_little_endian())
        codes_reverse_bytes(codes, bytes, count);
}

/* Likewise big-endian. */
static inline void codes_big_endian(void *codes, size_t bytes, size_t count) {
    if (is_little_endian())
        codes_reverse_bytes(codes, bytes, count);
}

static inline void put_u32(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

static inline uint32_t get_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void put_u64(uint8_t *at, uint64_t number) {
    put_u32(at, (uint32_t)number);
    put_u32(at + 4, (uint32_t)(number >> 32));
}

static inline uint64_t get_u64(const uint8_t *at) {
    return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}

#endif

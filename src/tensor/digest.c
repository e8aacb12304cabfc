/* Digests by XXH3-128, a block at a time. A second hash, of canonical NaNs, begins at the first block that needs one. */
#include "tensor/digest.h"

#include <string.h>
#ifdef DETCHECK_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> /* the same functions, as the processor has them best */
#else
#include <xxhash.h>
#endif

enum { BLOCK = 1 << 15 }; /* bytes: two of them stay in the nearest cache */

static bool big_endian(void) {
    const uint16_t probe = 1;
    uint8_t first;
    memcpy(&first, &probe, 1);
    return first == 0;
}

/* Which codes are NaNs: those whose magnitude is above `most`. */
struct nan_codes {
    uint64_t magnitude_mask, most, canonical;
};

/* Makes each NaN the canonical one, and says whether any was another. */
#define DEFINE_CANONISE(WIDTH)                                                                     \
    static bool canonise_##WIDTH(void *block, size_t count, const struct nan_codes *nan) {         \
        const uint##WIDTH##_t mask = (uint##WIDTH##_t)nan->magnitude_mask;                         \
        const uint##WIDTH##_t most = (uint##WIDTH##_t)nan->most;                                   \
        const uint##WIDTH##_t canonical = (uint##WIDTH##_t)nan->canonical;                         \
        uint##WIDTH##_t *codes = block, changed = 0;                                               \
        for (size_t i = 0; i < count; i++) {                                                       \
            uint##WIDTH##_t code = codes[i];                                                       \
            uint##WIDTH##_t made = (code & mask) > most ? canonical : code;                        \
            changed = (uint##WIDTH##_t)(changed | (code ^ made));                                  \
            codes[i] = made;                                                                       \
        }                                                                                          \
        return changed != 0;                                                                       \
    }
DEFINE_CANONISE(8)
DEFINE_CANONISE(16)
DEFINE_CANONISE(32)
DEFINE_CANONISE(64)

static bool canonise(void *block, size_t bytes, size_t width, const struct nan_codes *nan) {
    switch (width) {
    case 1:
        return canonise_8(block, bytes, nan);
    case 2:
        return canonise_16(block, bytes / 2, nan);
    case 4:
        return canonise_32(block, bytes / 4, nan);
    default:
        return canonise_64(block, bytes / 8, nan);
    }
}

/* Formats without -0 have one NaN, which is canonical, and so has that of scales. */
static bool has_many_nans(const struct format *format) {
    return format && format->has_nan && format->has_negative_zero;
}

static void to_little_endian(uint8_t *bytes, size_t width, size_t length) {
    for (size_t at = 0; at + width <= length; at += width)
        for (size_t i = 0; i < width / 2; i++) {
            uint8_t swap = bytes[at + i];
            bytes[at + i] = bytes[at + width - 1 - i];
            bytes[at + width - 1 - i] = swap;
        }
}

static struct tensor_digest digest_of(const XXH3_state_t *state) {
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    return (struct tensor_digest){.high = hash.high64, .low = hash.low64};
}

bool tensor_digest(const struct tensor_type *type, const void *elements, size_t bytes,
                   struct tensor_digest *digest, struct tensor_digest *canonical) {
    const struct format *format = type ? type->format : NULL;
    const size_t width = type ? tensor_component_bytes(type) : 1;
    const bool looks = has_many_nans(format), swaps = big_endian() && width > 1;
    struct nan_codes nan = {0, 0, 0};
    if (looks)
        nan = (struct nan_codes){.magnitude_mask = format_mask(format) & ~format->sign_bit,
                                 .most = format->max_finite + format->has_infinity,
                                 .canonical = format->nan};
    XXH3_state_t *plain = XXH3_createState(), *other = looks ? XXH3_createState() : NULL;
    bool done = plain && (other || !looks), differs = false;
    if (done)
        XXH3_128bits_reset(plain);
    for (size_t at = 0; done && at < bytes; at += BLOCK) {
        const size_t length = bytes - at < BLOCK ? bytes - at : BLOCK;
        const char *from = (const char *)elements + at;
        uint64_t block[BLOCK / sizeof(uint64_t)];
        if (looks) {
            memcpy(block, from, length);
            if (canonise(block, length, width, &nan) && !differs) {
                XXH3_copyState(other, plain);
                differs = true;
            }
            if (swaps)
                to_little_endian((uint8_t *)block, width, length);
            if (differs)
                XXH3_128bits_update(other, block, length);
        }
        if (swaps) {
            memcpy(block, from, length);
            to_little_endian((uint8_t *)block, width, length);
            from = (const char *)block;
        }
        XXH3_128bits_update(plain, from, length);
    }
    if (done) {
        *digest = digest_of(plain);
        *canonical = differs ? digest_of(other) : *digest;
    }
    XXH3_freeState(plain);
    XXH3_freeState(other);
    return done;
}

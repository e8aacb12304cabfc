/* Digests by XXH3-128, a block at a time. A second hash, of canonical NaNs, begins at the first block that needs one. */
#include "tensor/digest.h"

#include <stdlib.h>
#include <string.h>
#ifdef DETCHECK_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> /* the same functions, as the processor has them best */
#else
#include <xxhash.h>
#endif

#include "base/vector.h"

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

/* Whether there is a NaN: the highest bit of a difference is set where a magnitude is above `most`. And: makes each
 * NaN the canonical one. Elements may lie anywhere. */
#define DEFINE_FOR(WIDTH)                                                                          \
    INLINED bool has_nan_##WIDTH(const char *codes, size_t count, const struct nan_codes *nan) {   \
        const uint##WIDTH##_t mask = (uint##WIDTH##_t)nan->magnitude_mask;                         \
        const uint##WIDTH##_t most = (uint##WIDTH##_t)nan->most;                                   \
        uint##WIDTH##_t below = 0;                                                                 \
        for (size_t i = 0; i < count; i++) {                                                       \
            uint##WIDTH##_t code;                                                                  \
            memcpy(&code, codes + i * sizeof code, sizeof code);                                   \
            below = (uint##WIDTH##_t)(below | (uint##WIDTH##_t)(most - (code & mask)));            \
        }                                                                                          \
        return below >> (WIDTH - 1);                                                               \
    }                                                                                              \
    static void canonise_##WIDTH(void *block, size_t count, const struct nan_codes *nan) {         \
        uint##WIDTH##_t *codes = block;                                                            \
        for (size_t i = 0; i < count; i++)                                                         \
            if ((codes[i] & nan->magnitude_mask) > nan->most)                                      \
                codes[i] = (uint##WIDTH##_t)nan->canonical;                                        \
    }
DEFINE_FOR(8)
DEFINE_FOR(16)
DEFINE_FOR(32)
DEFINE_FOR(64)

FOR_EACH_CPU static bool has_nan(const char *codes, size_t bytes, size_t width,
                                 const struct nan_codes *nan) {
    switch (width) {
    case 1:
        return has_nan_8(codes, bytes, nan);
    case 2:
        return has_nan_16(codes, bytes / 2, nan);
    case 4:
        return has_nan_32(codes, bytes / 4, nan);
    default:
        return has_nan_64(codes, bytes / 8, nan);
    }
}

static void canonise(void *block, size_t bytes, size_t width, const struct nan_codes *nan) {
    switch (width) {
    case 1:
        canonise_8(block, bytes, nan);
        break;
    case 2:
        canonise_16(block, bytes / 2, nan);
        break;
    case 4:
        canonise_32(block, bytes / 4, nan);
        break;
    default:
        canonise_64(block, bytes / 8, nan);
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

static struct tensor_digest digest_of(XXH128_hash_t hash) {
    return (struct tensor_digest){.high = hash.high64, .low = hash.low64};
}

static struct nan_codes nan_codes_of(const struct format *format) {
    return (struct nan_codes){.magnitude_mask = format_mask(format) & ~format->sign_bit,
                              .most = format->max_finite + format->has_infinity,
                              .canonical = format->nan};
}

struct tensor_hash {
    XXH3_state_t *plain,
        *other; /* other: of canonical NaNs; NULL where the type has none to look for */
    struct nan_codes nan;
    size_t width;
    bool swaps, differs; /* differs: there was a NaN that is not canonical, or may be one */
};

void tensor_hash_free(struct tensor_hash *hash) {
    if (hash) {
        XXH3_freeState(hash->plain);
        XXH3_freeState(hash->other);
        free(hash);
    }
}

struct tensor_hash *tensor_hash_begin(const struct tensor_type *type) {
    const struct format *format = type ? type->format : NULL;
    const bool looks = has_many_nans(format);
    struct tensor_hash *hash = calloc(1, sizeof *hash);
    if (!hash)
        return NULL;
    hash->width = type ? tensor_component_bytes(type) : 1;
    hash->swaps = big_endian() && hash->width > 1;
    if (looks)
        hash->nan = nan_codes_of(format);
    hash->plain = XXH3_createState();
    hash->other = looks ? XXH3_createState() : NULL;
    if (!hash->plain || (looks && !hash->other)) {
        tensor_hash_free(hash);
        return NULL;
    }
    XXH3_128bits_reset(hash->plain);
    return hash;
}

void tensor_hash_add(struct tensor_hash *hash, const void *elements, size_t bytes) {
    for (size_t at = 0; at < bytes; at += BLOCK) {
        const size_t length = bytes - at < BLOCK ? bytes - at : BLOCK, width = hash->width;
        const char *from = (const char *)elements + at;
        uint64_t block[BLOCK / sizeof(uint64_t)];
        if (!hash->differs && hash->other && has_nan(from, length, width, &hash->nan)) {
            XXH3_copyState(hash->other, hash->plain);
            hash->differs = true;
        }
        if (hash->differs) {
            memcpy(block, from, length);
            canonise(block, length, width, &hash->nan);
            if (hash->swaps)
                to_little_endian((uint8_t *)block, width, length);
            XXH3_128bits_update(hash->other, block, length);
        }
        if (hash->swaps) {
            memcpy(block, from, length);
            to_little_endian((uint8_t *)block, width, length);
            from = (const char *)block;
        }
        XXH3_128bits_update(hash->plain, from, length);
    }
}

void tensor_hash_end(struct tensor_hash *hash, struct tensor_digest *digest,
                     struct tensor_digest *canonical) {
    *digest = digest_of(XXH3_128bits_digest(hash->plain));
    *canonical = hash->differs ? digest_of(XXH3_128bits_digest(hash->other)) : *digest;
    tensor_hash_free(hash);
}

/* Whether the digest is that of the bytes as they lie, in one piece that a near cache holds. */
static bool is_one_piece(const struct tensor_type *type, const void *elements, size_t bytes) {
    const size_t width = type ? tensor_component_bytes(type) : 1;
    if (bytes > BLOCK || (big_endian() && width > 1))
        return false;
    if (!type || !has_many_nans(type->format))
        return true;
    const struct nan_codes nan = nan_codes_of(type->format);
    return !has_nan(elements, bytes, width, &nan);
}

bool tensor_digest(const struct tensor_type *type, const void *elements, size_t bytes,
                   struct tensor_digest *digest, struct tensor_digest *canonical) {
    if (is_one_piece(type, elements, bytes)) {
        *canonical = *digest = digest_of(XXH3_128bits(elements, bytes));
        return true;
    }
    struct tensor_hash *hash = tensor_hash_begin(type);
    if (!hash)
        return false;
    tensor_hash_add(hash, elements, bytes);
    tensor_hash_end(hash, digest, canonical);
    return true;
}

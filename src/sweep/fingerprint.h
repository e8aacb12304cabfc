/* The fingerprint of a run's outputs (ARCHITECTURE.md, "Fingerprints"): XXH3-128 of each block of
 * 2^16 outputs, and XXH3-128 over the block digests in order. */
#ifndef DETCHECK_SWEEP_FINGERPRINT_H
#define DETCHECK_SWEEP_FINGERPRINT_H

#include "format/format.h"
#include "sweep/domain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_BLOCK = 1 << 16, FINGERPRINT_TEXT = 48 };

struct block_digest {
    uint8_t bytes[16]; /* XXH3-128 in its canonical (big-endian) representation */
};

/* Digest of up to FINGERPRINT_BLOCK outputs of format_bytes each. NaNs must be canonical already.
 * On a big-endian machine the array's bytes are reversed in place. */
struct block_digest fingerprint_block(const struct format *format, void *outputs, size_t count);

/* The digests as they come, in order of the blocks. */
struct fingerprint {
    void *state;
};

bool fingerprint_begin(struct fingerprint *fingerprint);
void fingerprint_add(struct fingerprint *fingerprint, const struct block_digest *digest);
/* "xxh3-128:<32 hex digits>"; frees the state. */
void fingerprint_end(struct fingerprint *fingerprint, char text[FINGERPRINT_TEXT]);

/* A digest of which inputs a domain has and in which order, in the form of a fingerprint: the same
 * for --all and for a --range of everything. False when there is no memory. */
bool domain_identity(const struct domain *domain, char text[FINGERPRINT_TEXT]);

#endif

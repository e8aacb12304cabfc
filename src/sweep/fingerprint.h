/* The fingerprint of a run's outputs (ARCHITECTURE.md, "Fingerprints"): XXH3-128 of each block of
 * 2^16 outputs, and XXH3-128 over the block digests in order. Of more than 2^16 blocks those digests
 * are joined into groups first, so that never more than 2^16 are left: so much is what a shard has to
 * hand over for the fingerprint of the whole, however large the whole is. */
#ifndef DETCHECK_SWEEP_FINGERPRINT_H
#define DETCHECK_SWEEP_FINGERPRINT_H

#include "format/format.h"
#include "sweep/domain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_BLOCK = 1 << 16, FINGERPRINT_GROUPS = 1 << 16, FINGERPRINT_TEXT = 48 };

struct block_digest {
    uint8_t bytes[16]; /* XXH3-128 in its canonical (big-endian) representation */
};

/* Digest of up to FINGERPRINT_BLOCK outputs of format_bytes each. NaNs must be canonical already.
 * On a big-endian machine the array's bytes are reversed in place. */
struct block_digest fingerprint_block(const struct format *format, void *outputs, size_t count);

/* How many digests, of `digests` in all, are joined into one before the last step: the least power of
 * two that leaves no more than FINGERPRINT_GROUPS; 1 up to as many. */
uint64_t fingerprint_group(uint64_t digests);

/* The digests as they come, in order of the blocks. */
struct fingerprint {
    void *state;
    void *group_state; /* NULL where groups are of one */
    uint64_t group, in_group;
    struct block_digest *groups; /* the caller's room for those of a shard, or NULL */
    size_t group_count;
};

/* Of `digests` in all: of a shard, those of the whole. False when there is no memory. */
bool fingerprint_begin(struct fingerprint *fingerprint, uint64_t digests);
void fingerprint_add(struct fingerprint *fingerprint, const struct block_digest *digest);
/* Joins the last group, however many it has. */
void fingerprint_end_groups(struct fingerprint *fingerprint);
/* The same, and "xxh3-128:<32 hex digits>"; frees what it holds. */
void fingerprint_end(struct fingerprint *fingerprint, char text[FINGERPRINT_TEXT]);

/* The fingerprint of the digests of groups, in order. False when there is no memory. */
bool fingerprint_of_groups(const struct block_digest *groups, size_t count,
                           char text[FINGERPRINT_TEXT]);

/* Whether a text is one. */
bool fingerprint_is_text(const char *text);

/* 32 lower-case hexadecimal digits, without an end. */
enum { DIGEST_TEXT = 32 };
void digest_write(const struct block_digest *digest, char text[DIGEST_TEXT]);
bool digest_read(struct block_digest *digest, const char *text);

/* A digest of which inputs a domain has and in which order, in the form of a fingerprint: the same
 * for --all and for a --range of everything. False when there is no memory. */
bool domain_identity(const struct domain *domain, char text[FINGERPRINT_TEXT]);

#endif

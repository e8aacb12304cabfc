/* "digests" of an implementation: what each shard contributes to the fingerprint of the whole. */
#ifndef DETCHECK_REPORT_DIGESTS_RECORD_H
#define DETCHECK_REPORT_DIGESTS_RECORD_H

#include "record/record.h"
#include "sweep/fingerprint.h"

/* The digests of its groups of blocks, in the order of its inputs. */
struct shard_digests {
    uint64_t shard; /* its number */
    size_t count;
    struct block_digest *groups;
};

struct digest_list {
    unsigned count;
    struct shard_digests *rows;
};
extern const struct record digests_record;

/* Takes over the rows of another list. False without memory. */
bool digest_list_take(struct digest_list *list, struct digest_list *more);

#endif

/* Chains and hashes. */
#include "base/chains.h"

#include <stdlib.h>

bool chains_make(struct chains *chains, size_t count) {
    size_t heads = 16;
    while (heads < 2 * count)
        heads *= 2;
    *chains = (struct chains){.heads = malloc(heads * sizeof *chains->heads),
                              .next = malloc((count + 1) * sizeof *chains->next),
                              .mask = heads - 1};
    if (!chains->heads || !chains->next) {
        chains_free(chains);
        return false;
    }
    for (size_t i = 0; i < heads; i++)
        chains->heads[i] = CHAIN_END;
    return true;
}

void chains_free(struct chains *chains) {
    free(chains->heads);
    free(chains->next);
    *chains = (struct chains){0};
}

static size_t *head_of(const struct chains *chains, uint64_t hash) {
    return &chains->heads[(hash ^ hash >> 32) & chains->mask];
}

void chains_add(struct chains *chains, uint64_t hash, size_t number) {
    size_t *head = head_of(chains, hash);
    chains->next[number] = *head;
    *head = number;
}

size_t chain_first(const struct chains *chains, uint64_t hash) {
    return *head_of(chains, hash);
}

size_t chain_next(const struct chains *chains, size_t number) {
    return chains->next[number];
}

/* With its end, so that no two texts are one. */
uint64_t hash_text(uint64_t hash, const char *text) {
    do
        hash = hash_byte(hash, (unsigned char)*text);
    while (*text++);
    return hash;
}

uint64_t hash_texts(const char *const *texts, size_t count) {
    uint64_t hash = HASH_BEGIN;
    for (size_t i = 0; i < count; i++)
        hash = hash_text(hash, texts[i]);
    return hash;
}

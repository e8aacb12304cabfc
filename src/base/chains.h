/* Finding what is equal among many: numbers by a hash of what they stand for. What is found by its hash is then
 * compared as a whole. */
#ifndef DETCHECK_BASE_CHAINS_H
#define DETCHECK_BASE_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of one hash are walked from chain_first by chain_next, and CHAIN_END ends. Numbers of other hashes may
 * be among them. */
struct chains {
    size_t *heads, *next;
    size_t mask;
};
#define CHAIN_END SIZE_MAX

/* For the numbers below `count`; false when memory is out. */
bool chains_make(struct chains *chains, size_t count);
void chains_free(struct chains *chains);

/* What is added last comes first. */
void chains_add(struct chains *chains, uint64_t hash, size_t number);
size_t chain_first(const struct chains *chains, uint64_t hash);
size_t chain_next(const struct chains *chains, size_t number);

/* Hashes: FNV-1a of a text, or of a byte, after others. */
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
static inline uint64_t hash_byte(uint64_t hash, unsigned char byte) {
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}
uint64_t hash_text(uint64_t hash, const char *text);

/* The same of several texts. */
uint64_t hash_texts(const char *const *texts, size_t count);

#endif

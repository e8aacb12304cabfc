/* A share of a sweep, fixed by its number and by how many there are (detcheck-shards(7)).
 *
 * The inputs are cut into units, and shard K of N has units K, K + N, K + 2N and so on. So each
 * shard has as much of the easy inputs as of the hard ones, and shards take equally long. A unit is
 * whole blocks of the fast oracle and whole groups of the fingerprint, so that every input is
 * computed and judged as in the whole sweep. */
#ifndef DETCHECK_SWEEP_SHARD_H
#define DETCHECK_SWEEP_SHARD_H

#include <stdint.h>

enum { MOST_SHARDS = 1000000 };

/* {0}: the whole. */
struct shard {
    uint64_t number, of; /* from 1 to `of` */
};

static inline int shard_is_part(const struct shard *shard) {
    return shard->of > 1;
}

/* Inputs of a shard of a domain of `count` inputs in units of `unit`. */
static inline uint64_t shard_inputs(const struct shard *shard, uint64_t count, uint64_t unit) {
    if (!shard_is_part(shard))
        return count;
    uint64_t units = count / unit, rest = count % unit, before = shard->number - 1;
    uint64_t whole = units / shard->of + (units % shard->of > before);
    return whole * unit + (units % shard->of == before ? rest : 0);
}

/* The number among all inputs of number `place` among the shard's. */
static inline uint64_t shard_input(const struct shard *shard, uint64_t place, uint64_t unit) {
    if (!shard_is_part(shard))
        return place;
    return (place / unit * shard->of + shard->number - 1) * unit + place % unit;
}

/* Whether the shard has an input. */
static inline int shard_has(const struct shard *shard, uint64_t input, uint64_t unit) {
    return !shard_is_part(shard) || input / unit % shard->of == shard->number - 1;
}

/* Its first input from `input` on, which may lie behind the last one there is. */
static inline uint64_t shard_from(const struct shard *shard, uint64_t input, uint64_t unit) {
    if (shard_has(shard, input, unit))
        return input;
    uint64_t next = input / unit + 1, before = shard->number - 1;
    return (next + (before + shard->of - next % shard->of) % shard->of) * unit;
}

#endif

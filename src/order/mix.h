/* What the hashes of trees are made by. */
#ifndef DETCHECK_ORDER_MIX_H
#define DETCHECK_ORDER_MIX_H

#include <stdint.h>

/* A bijection of 64 bits that leaves nothing of their pattern (MurmurHash3's last step). */
static inline uint64_t order_mix(uint64_t h) {
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

#endif

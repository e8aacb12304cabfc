/* Random operands of sums inside of operations, and what replaying keeps of these. */
#ifndef DETCHECK_REVEAL_THROUGH_DRAW_H
#define DETCHECK_REVEAL_THROUGH_DRAW_H

#include "reveal/through_replay.h"

enum through_family {
    THROUGH_NORMAL,
    THROUGH_WIDE,
    THROUGH_NEAR,
    THROUGH_SMALL,
    THROUGH_FEW,
    THROUGH_ZEROS
};
enum { THROUGH_EACH = 48, THROUGH_CACHED = 1 << 12, THROUGH_PLANTED = 6 };

/* A few planted terms, with what the implementation returned. */
struct through_planted {
    bool is_there;
    size_t ones;
    uint64_t codes[THROUGH_PLANTED], result;
};

struct through_replay {
    size_t count[THROUGH_FAMILIES];
    uint64_t operands[THROUGH_FAMILIES][THROUGH_EACH];
    bool is_measured;
    enum through_shift shift;
    /* The terms of all operands, which are sorted, by number of an exponential. */
    size_t all;
    uint64_t sorted[THROUGH_FAMILIES * THROUGH_EACH],
        terms[THROUGH_FAMILIES * THROUGH_EACH][EXPONENTIALS];
    struct through_planted cache[THROUGH_CACHED];
};

/* An operand: of exponentials one below 0. */
double through_draw_value(uint64_t *state, enum through_family family, bool exponentials);
uint64_t through_encode(const struct format *format, double value);

#endif

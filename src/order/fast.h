/* Orders of plain additions in fp32 and fp64, in the machine's arithmetic: a list of steps on rows, of which each has
 * the numbers of some arrays side by side. */
#ifndef DETCHECK_ORDER_FAST_H
#define DETCHECK_ORDER_FAST_H

#include "order/plan.h"

/* Arrays that are computed together, and the bytes of a row of as many numbers. */
enum { BATCH = 16, ROW = BATCH * 8 };

enum step_kind {
    STEP_ADD,
    STEP_PRODUCT,
    STEP_FUSED,
    STEP_WIDEN,
    STEP_NARROW,
    STEP_KAHAN,
    STEP_NEUMAIER,
    STEP_DOUBLE_DOUBLE
};

/* to = a + b, a * b, a * b + c, a in the other format; of chains: the rows from number a on in `lists`, b of them. */
struct step {
    uint8_t kind;
    bool wide; /* in fp64 */
    uint32_t to, a, b, c;
};

/* Rows: the terms, their factors, +0, what comes in, and one for each step. */
struct order_fast {
    const struct order *order;
    const struct format *taken; /* what terms are when they are added: scaled, perhaps */
    size_t terms, count, room, rows, list_count, list_room;
    struct step *steps;
    uint32_t *lists;
    bool products, wide_terms, wide_last, failed;
    uint32_t last;
    uint16_t last_node;
    void *memory;
};

#endif

/* Orders of plain additions in fp32 and fp64, in the machine's arithmetic: a list of steps on rows, of which each has
 * the numbers of some arrays side by side. */
#ifndef DETCHECK_ORDER_FAST_H
#define DETCHECK_ORDER_FAST_H

#include "order/plan.h"

/* Arrays that are computed together, or one alone: a row has a place of 8 bytes for each. */
enum { BATCH = 16, PLACE = 8 };

enum step_kind {
    STEP_ADD,
    STEP_PRODUCT,
    STEP_FUSED,
    STEP_ROUNDED,
    STEP_WIDEN,
    STEP_NARROW,
    STEP_KAHAN,
    STEP_NEUMAIER,
    STEP_DOUBLE_DOUBLE
};

/* to = a + b, a * b, c + a * b rounded once or twice, a in the other format; of chains: the rows from number a on in
 * `lists`, b of them. Sums and products onto a sum may be `count` at once, the next ones of rows `stride` further on. */
struct step {
    uint8_t kind;
    bool wide; /* in fp64 */
    uint32_t to, a, b, c, count, stride;
};

/* Rows: the terms, their factors, +0, what comes in, and some for what is added to later: a sum is taken up once, and
 * leaves its row to the next. */
struct order_fast {
    const struct order *order;
    const struct format *taken; /* what terms are when they are added: scaled, perhaps */
    size_t terms, count, room, rows, fixed, list_count, list_room;
    struct step *steps;
    uint32_t *lists, *free;
    size_t free_count, free_room;
    bool products, wide_terms, wide_last, failed;
    uint32_t last;
    uint16_t last_node;
    void *memory; /* for the most arrays at once so far */
    size_t together;
};

#endif

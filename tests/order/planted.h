/* Orders planted in loops, beside the rules that say the same. */
#ifndef PLANTED_H
#define PLANTED_H

#include "naive.h"
#include "naive_libraries.h"
#include "order/order.h"

struct planted {
    const char *name;
    naive_sum *sum;
    naive_dot *dot;
    struct order_rules rules;
    enum order_scale scale;
    size_t least; /* the shortest length that the loop takes; 0: 1 */
    struct {
        const struct format *format;
        enum order_node_kind kind;
        const struct format *product;
    } nodes[3]; /* fp32 where there is no format */
};

#define FP64 (&formats[FORMAT_FP64])
#define FP32 (&formats[FORMAT_FP32])
#define BF16 (&formats[FORMAT_BF16])

#define RULES(...)                                                                                 \
    {                                                                                              \
        sizeof((struct order_rule[]){__VA_ARGS__}) / sizeof(struct order_rule), {                  \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define LEFT                                                                                       \
    { .kind = ORDER_SEQUENTIAL, .size = 1 }
#define LEFT_ZERO                                                                                  \
    { .kind = ORDER_SEQUENTIAL, .size = 1, .start = ORDER_START_ZERO }
#define RIGHT                                                                                      \
    { .kind = ORDER_REVERSED }
#define PAIRS                                                                                      \
    { .kind = ORDER_PAIRS }
#define FOLDED                                                                                     \
    { .kind = ORDER_FOLD }
#define LANES(...)                                                                                 \
    { .kind = ORDER_LANES, .size = __VA_ARGS__ }
#define BLOCKS(...)                                                                                \
    { .kind = ORDER_BLOCKS, .size = __VA_ARGS__ }
#define SPLIT(...)                                                                                 \
    { .kind = ORDER_SPLIT, .size = __VA_ARGS__ }
#define HALVES(...)                                                                                \
    { .kind = ORDER_HALVES, .size = __VA_ARGS__ }

static const struct planted planted[] = {
    {"sequential", naive_sequential, .rules = RULES(LEFT)},
    {"from zero", naive_from_zero, .rules = RULES(LEFT_ZERO)},
    {"reverse", naive_reverse, .rules = RULES(RIGHT)},
    {"numpy", naive_numpy,
     .rules = RULES({.kind = ORDER_ONTO, .start = ORDER_START_ZERO, .inner = 1},
                    {.kind = ORDER_SHORTER, .size = 8, .inner = 2, .outer = 3}, LEFT_ZERO,
                    HALVES(128, .multiple = 8, .inner = 4),
                    LANES(8, .outer = 5, .tail = ORDER_TAIL_AFTER), PAIRS)},
    {"det", naive_det,
     .rules = RULES(BLOCKS(1024, .inner = 1, .outer = 3), LANES(64, .outer = 2), FOLDED, PAIRS)},
    {"torch", naive_torch,
     .rules = RULES(LANES(8, .inner = 1, .outer = 3, .tail = ORDER_TAIL_FIRST),
                    LANES(4, .inner = 2, .tail = ORDER_TAIL_LANE),
                    {.kind = ORDER_CASCADE, .size = 16, .multiple = 4, .start = ORDER_START_ZERO},
                    LEFT_ZERO)},
    {"eigen", naive_eigen,
     .rules = RULES(LANES(4, .inner = 1, .outer = 2, .tail = ORDER_TAIL_AFTER),
                    LANES(2, .tail = ORDER_TAIL_AFTER), FOLDED)},
    {"2 lanes", naive_lanes_2, .rules = RULES(LANES(2))},
    {"3 lanes", naive_lanes_3, .rules = RULES(LANES(3))},
    {"4 lanes", naive_lanes_4, .rules = RULES(LANES(4))},
    {"5 lanes, from the right", naive_lanes_5_right, .rules = RULES(LANES(5, .outer = 1), RIGHT)},
    {"8 lanes", naive_lanes_8, .rules = RULES(LANES(8))},
    {"8 lanes, pairs", naive_lanes_8_pairs, .rules = RULES(LANES(8, .outer = 1), PAIRS)},
    {"16 lanes, pairs", naive_lanes_16_pairs, .rules = RULES(LANES(16, .outer = 1), PAIRS)},
    {"32 lanes, pairs", naive_lanes_32_pairs, .rules = RULES(LANES(32, .outer = 1), PAIRS)},
    {"tail after", naive_tail_after,
     .rules = RULES(LANES(8, .outer = 1, .tail = ORDER_TAIL_AFTER), FOLDED)},
    {"tail before", naive_tail_before,
     .rules = RULES(LANES(8, .outer = 1, .tail = ORDER_TAIL_BEFORE), FOLDED)},
    {"tail apart", naive_tail_apart,
     .rules = RULES(LANES(8, .outer = 1, .rest = 2, .tail = ORDER_TAIL_APART), FOLDED, RIGHT)},
    {"tail dropped", naive_tail_dropped,
     .rules = RULES(LANES(8, .outer = 1, .tail = ORDER_TAIL_DROPPED), FOLDED)},
    {"blocks of 4", naive_blocks_4, .rules = RULES(BLOCKS(4))},
    {"blocks of 7", naive_blocks_7, .rules = RULES(BLOCKS(7))},
    {"blocks of 16", naive_blocks_16, .rules = RULES(BLOCKS(16))},
    {"even and odd", naive_even_odd,
     .rules = RULES(LANES(2, .multiple = 8, .tail = ORDER_TAIL_LANE))},
    {"blocks of gemm", naive_gemm_blocks,
     .rules = RULES(BLOCKS(24, .multiple = 4, .start = ORDER_START_ZERO))},
    {"blocks of gemm, 2 rows at a time", naive_gemm_blocks_2,
     .rules = RULES(BLOCKS(24, .multiple = 2, .start = ORDER_START_ZERO))},
    {"blocks of 8, centred", naive_centred,
     .rules = RULES({.kind = ORDER_CENTRED, .size = 8, .start = ORDER_START_ZERO})},
    {"2 parts", naive_split_2, .rules = RULES(SPLIT(2))},
    {"3 parts", naive_split_3, .rules = RULES(SPLIT(3))},
    {"8 parts", naive_split_8, .rules = RULES(SPLIT(8))},
    {"4 parts, multiples of 8", naive_split_rounded, .rules = RULES(SPLIT(4, .multiple = 8))},
    {"halves", naive_halves, .rules = RULES(HALVES(1))},
    {"halves above 8", naive_halves_above_8, .rules = RULES(HALVES(8))},
    {"neighbours", naive_neighbours, .rules = RULES(PAIRS)},
    {"serpentine", naive_serpentine,
     .rules = RULES({.kind = ORDER_SERPENTINE, .size = 8, .start = ORDER_START_ZERO})},
    {"einsum", naive_einsum,
     .rules = RULES({.kind = ORDER_SERPENTINE, .size = 16, .multiple = 4, .inner = 1},
                    LANES(4, .outer = 2, .start = ORDER_START_ZERO), PAIRS)},
    {"Kahan", naive_kahan, .rules = RULES({.kind = ORDER_SEQUENTIAL, .start = ORDER_START_ZERO}),
     .nodes = {{FP32, ORDER_KAHAN, NULL}}},
    {"Neumaier", naive_neumaier, .rules = RULES({.kind = ORDER_SEQUENTIAL}),
     .nodes = {{FP32, ORDER_NEUMAIER, NULL}}},
    {"double-double", naive_double_double, .rules = RULES({.kind = ORDER_SEQUENTIAL}),
     .nodes = {{FP32, ORDER_DOUBLE_DOUBLE, NULL}}},
    {"fp64", naive_fp64, .rules = RULES(LEFT_ZERO), .nodes = {{FP64, ORDER_SUM, NULL}}},
    {"fp64 in blocks of 16", naive_fp64_blocks,
     .rules =
         RULES(BLOCKS(16, .inner = 1, .outer = 3),
               {.kind = ORDER_ONTO, .start = ORDER_START_ALONE, .inner = 2},
               {.kind = ORDER_SEQUENTIAL, .size = 1, .node = 1, .start = ORDER_START_ZERO}, LEFT),
     .nodes = {{FP32, ORDER_SUM, NULL}, {FP64, ORDER_SUM, NULL}}},
    {"bf16 after 32", naive_spill,
     .rules = RULES({.kind = ORDER_SEQUENTIAL,
                     .size = 1,
                     .multiple = 32,
                     .spill = 1,
                     .start = ORDER_START_ZERO}),
     .nodes = {{FP32, ORDER_SUM, NULL}, {BF16, ORDER_SUM, NULL}}},
    {"mean", naive_mean, .rules = RULES(LEFT), .scale = ORDER_SUM_DIVIDED},
    {"mean by a reciprocal", naive_mean_reciprocal, .rules = RULES(LEFT),
     .scale = ORDER_SUM_TIMES_RECIPROCAL},
    {"mean of quotients", naive_mean_before, .rules = RULES(LEFT), .scale = ORDER_TERMS_DIVIDED},
    {"dot, fused", .dot = naive_dot_fused, .rules = RULES(LEFT_ZERO)},
    {"dot, rounded", .dot = naive_dot_rounded, .rules = RULES(LEFT),
     .nodes = {{FP32, ORDER_SUM, FP32}}},
    {"sdot of OpenBLAS", .dot = naive_openblas_sdot,
     .rules =
         RULES(LANES(32, .node = 1, .inner = 1, .outer = 2, .rest = 7, .tail = ORDER_TAIL_BEFORE),
               LEFT_ZERO, LANES(8, .inner = 3, .outer = 4), PAIRS, LANES(4, .outer = 5), PAIRS,
               LEFT, {.kind = ORDER_SEQUENTIAL, .size = 1, .node = 1, .start = ORDER_START_ZERO}),
     .nodes = {{FP32, ORDER_SUM, NULL}, {FP64, ORDER_SUM, FP32}}},
    {"sdot of OpenBLAS, wide", .dot = naive_openblas_sdot_wide,
     .rules = RULES(
         {.kind = ORDER_DEALT, .size = 64, .multiple = 8, .node = 1, .inner = 1},
         LANES(32, .node = 1, .inner = 2, .outer = 4, .rest = 8, .tail = ORDER_TAIL_BEFORE),
         LANES(2, .inner = 3, .rest = 9, .tail = ORDER_TAIL_AFTER), LEFT_ZERO, LANES(8, .outer = 5),
         LANES(4, .outer = 6), PAIRS, LEFT,
         {.kind = ORDER_SEQUENTIAL, .size = 1, .node = 1, .start = ORDER_START_ZERO}, LEFT_ZERO),
     .nodes = {{FP32, ORDER_SUM, NULL}, {FP64, ORDER_SUM, FP32}}},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static inline void planted_order(const struct planted *one, struct order *order) {
    order_open(order, one->dot ? "dot" : one->scale ? "mean" : "sum", FP32, FP32);
    order->rules = one->rules;
    order->scale = one->scale;
    order->node_count = 3;
    for (int i = 0; i < 3; i++) {
        order->nodes[i] = order_node_plain(one->nodes[i].format ? one->nodes[i].format : FP32,
                                           ROUND_NEAREST_EVEN);
        order->nodes[i].kind = one->nodes[i].kind;
        order->nodes[i].product = one->nodes[i].product;
    }
}

#endif

/* What summing by an order costs beside a plain loop that adds from the left: one sum of a million terms, whose plan is made
 * for that call or kept, and matrix products of 512 rows, terms and columns, row by row as --impl order: has them. Orders
 * are numpy's sum, OpenBLAS's sdot, and one from the left, in fp32 and fp64; the least time of a few rounds counts.
 *
 *   order_bench [terms [side]] */
#include "order/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };

/* From +0, so that each product is fused with a sum. */
#define LEFT .kind = ORDER_SEQUENTIAL, .size = 1, .start = ORDER_START_ZERO

static const struct bench_order {
    const char *name;
    int format; /* of `formats` */
    unsigned rows;
    struct order_rule rules[5];
} orders[] = {
    {"from the left", FORMAT_FP32, 1, {{LEFT}}},
    {"from the left", FORMAT_FP64, 1, {{LEFT}}},
    {"numpy's sum",
     FORMAT_FP32,
     5,
     {{.kind = ORDER_SHORTER, .size = 8, .outer = 1},
      {.kind = ORDER_HALVES, .size = 128, .multiple = 8, .inner = 2},
      {.kind = ORDER_LANES, .size = 8, .inner = 4, .outer = 3, .tail = ORDER_TAIL_AFTER},
      {.kind = ORDER_PAIRS},
      {LEFT}}},
    {"32 lanes, folded",
     FORMAT_FP32,
     3,
     {{.kind = ORDER_LANES, .size = 32, .inner = 2, .outer = 1, .tail = ORDER_TAIL_AFTER},
      {.kind = ORDER_FOLD},
      {LEFT}}},
    {"32 lanes, folded",
     FORMAT_FP64,
     3,
     {{.kind = ORDER_LANES, .size = 32, .inner = 2, .outer = 1, .tail = ORDER_TAIL_AFTER},
      {.kind = ORDER_FOLD},
      {LEFT}}},
};

static volatile double sink; /* so that no loop is left out */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Numbers of both signs, near 1. */
static void *numbers(size_t count, bool wide) {
    void *all = malloc(count * (wide ? sizeof(double) : sizeof(float)));
    uint64_t state = 1;
    for (size_t i = 0; all && i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(state >> 40) / 0x1p23 - 1;
        if (wide)
            ((double *)all)[i] = value;
        else
            ((float *)all)[i] = (float)value;
    }
    if (!all)
        exit(2);
    return all;
}

#define PLAIN(T, NAME)                                                                             \
    static void NAME##_sum(const T *x, size_t n) {                                                 \
        T sum = 0;                                                                                 \
        for (size_t i = 0; i < n; i++)                                                             \
            sum += x[i];                                                                           \
        sink = (double)sum;                                                                        \
    }                                                                                              \
    static void NAME##_matmul(const T *a, const T *b, size_t n) {                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            for (size_t k = 0; k < n; k++) {                                                       \
                T sum = 0;                                                                         \
                for (size_t j = 0; j < n; j++)                                                     \
                    sum += a[i * n + j] * b[j * n + k];                                            \
                sink = (double)sum;                                                                \
            }                                                                                      \
    }
PLAIN(float, fp32)
PLAIN(double, fp64)
#undef PLAIN

static struct order_plan *plan_of(const struct order *order, size_t terms) {
    struct error error;
    struct order_plan *plan = order_plan_open(order, terms, &error);
    if (plan)
        return plan;
    fprintf(stderr, "order_bench: %s\n", error.text);
    exit(2);
}

static void least(double *time, double begun) {
    double taken = now() - begun;
    *time = *time == 0 || taken < *time ? taken : *time;
}

/* One sum, its plan made for it and kept. */
static void bench_sum(const struct bench_order *row, size_t terms) {
    const bool wide = row->format == FORMAT_FP64;
    void *x = numbers(terms, wide);
    struct order order;
    order_open(&order, "sum", &formats[row->format], &formats[row->format]);
    order.rules.count = row->rows;
    memcpy(order.rules.rows, row->rules, sizeof row->rules);
    double plain = 0, whole = 0, kept = 0, result;
    for (int round = 0; round < ROUNDS; round++) {
        const struct order_terms of_x = {x, 0, 1};
        double begun = now();
        if (wide)
            fp64_sum(x, terms);
        else
            fp32_sum(x, terms);
        least(&plain, begun);
        begun = now();
        struct order_plan *plan = plan_of(&order, terms);
        order_plan_run(plan, 1, &of_x, NULL, NULL, &result);
        least(&whole, begun);
        begun = now();
        order_plan_run(plan, 1, &of_x, NULL, NULL, &result);
        least(&kept, begun);
        order_plan_close(plan);
    }
    printf("sum of %zu, %s, %s: %.2f ms; planned %.1f ms (%.0f times), kept %.1f ms (%.0f times)\n",
           terms, formats[row->format].name, row->name, 1e3 * plain, 1e3 * whole, whole / plain,
           1e3 * kept, kept / plain);
    free(x);
}

static void bench_matmul(const struct bench_order *row, size_t side) {
    const bool wide = row->format == FORMAT_FP64;
    const size_t bytes = format_bytes(&formats[row->format]);
    char *a = numbers(side * side, wide), *b = numbers(side * side, wide),
         *results = numbers(side * side, wide);
    struct order order;
    order_open(&order, "matmul", &formats[row->format], &formats[row->format]);
    order.rules.count = row->rows;
    memcpy(order.rules.rows, row->rules, sizeof row->rules);
    double begun = now(), plain = 0, whole = 0;
    if (wide)
        fp64_matmul((const double *)(const void *)a, (const double *)(const void *)b, side);
    else
        fp32_matmul((const float *)(const void *)a, (const float *)(const void *)b, side);
    least(&plain, begun);
    begun = now();
    struct order_plan *plan = plan_of(&order, side);
    for (size_t i = 0; i < side; i++) {
        const struct order_terms x = {a + i * side * bytes, 0, 1}, w = {b, 1, side};
        order_plan_run(plan, side, &x, &w, NULL, results + i * side * bytes);
    }
    least(&whole, begun);
    order_plan_close(plan);
    printf("matmul of %zux%zux%zu, %s, %s: %.0f ms; by order %.0f ms (%.1f times)\n", side, side,
           side, formats[row->format].name, row->name, 1e3 * plain, 1e3 * whole, whole / plain);
    free(a);
    free(b);
    free(results);
}

int main(int count, char **words) {
    size_t terms = count > 1 ? strtoul(words[1], NULL, 10) : 1000000,
           side = count > 2 ? strtoul(words[2], NULL, 10) : 512;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        bench_sum(&orders[i], terms);
        bench_matmul(&orders[i], side);
    }
    return 0;
}

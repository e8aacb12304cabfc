/* What conversions cost, as ratios within one run: the array form from fp32 beside a memcpy of the
 * same input, in memory and in a near cache; and a sweep beside the bare loop over the same inputs.
 * One thread. Usage: cast_bench [log2 of the inputs of the sweep, 28] */
#include "median.h"

#include "detmath/cast_arrays.h"
#include "impl/implementation.h"
#include "sweep/sweep.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, BATCH = 1 << 15 };

static const char *const targets[] = {"fp8_e4m3fn",  "fp8_e5m2", "fp4_e2m1fn",
                                      "fp8_e8m0fnu", "fp16",     "bf16"};

static void ignore(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

static struct binding_request request_for(const char *target, struct error *error) {
    struct binding_request request = {.operation = operation_find("cast", error),
                                      .format = format_find("fp32", error)};
    request.parameters.values[PARAMETER_TO] =
        (struct parameter_value){.present = true, .format = format_find(target, error)};
    request.parameters.values[PARAMETER_PROFILE] = (struct parameter_value){.present = true};
    return request;
}

/* Nanoseconds an element of copying and of converting `count` elements, `repeat` times. */
static void time_arrays(struct binding *binding, size_t count, int repeat) {
    struct error error;
    float *from = malloc(count * sizeof *from), *copy = malloc(count * sizeof *copy);
    uint8_t *to = malloc(count * 2);
    double copies[ROUNDS], casts[ROUNDS], ratios[ROUNDS];
    if (!from || !copy || !to)
        exit(2);
    for (size_t i = 0; i < count; i++)
        from[i] = (float)((double)(i % 1999) - 999) / 7;
    for (int round = 0; round < ROUNDS; round++) {
        double start = omp_get_wtime();
        for (int i = 0; i < repeat; i++) {
            from[0] = (float)i;
            memcpy(copy, from, count * sizeof *copy);
            __asm__ volatile("" : : "r"(copy) : "memory");
        }
        double middle = omp_get_wtime();
        for (int i = 0; i < repeat; i++) {
            struct slice slice = {.count = count, .operands = {from}, .results = {to}};
            binding_fill(binding, &slice, ignore, NULL, &error);
        }
        casts[round] = omp_get_wtime() - middle;
        copies[round] = middle - start;
        ratios[round] = casts[round] / copies[round];
    }
    double elements = (double)count * repeat * 1e-9;
    printf("  %9zu elements: memcpy %.3f ns, cast %.3f ns, ratio %.2f\n", count,
           median(copies, ROUNDS) / elements, median(casts, ROUNDS) / elements,
           median(ratios, ROUNDS));
    free(from);
    free(copy);
    free(to);
}

static double time_loop(struct binding *binding, uint64_t total) {
    static uint32_t from[BATCH];
    static uint8_t to[BATCH * 2];
    struct error error;
    double start = omp_get_wtime();
    for (uint64_t at = 0; at < total; at += BATCH) {
        for (uint32_t i = 0; i < BATCH; i++)
            from[i] = (uint32_t)at * 16 + i;
        struct slice slice = {.count = BATCH, .operands = {from}, .results = {to}};
        binding_fill(binding, &slice, ignore, NULL, &error);
    }
    return omp_get_wtime() - start;
}

static double time_sweep(const struct binding_request *request,
                         const struct implementation *implementation, uint64_t total) {
    struct code_set set = {0};
    struct domain domain = {0};
    struct sweep_outcome outcome;
    struct error error;
    if (!code_set_append(&set, 0x3a000000, 0x3a000000 + total - 1, &error) ||
        !domain_product(&domain, DOMAIN_RANGE, request->format, 1, &set, 1, &error))
        exit(2);
    struct sweep_request sweep = {.computed = *request,
                                  .recheck = 1,
                                  .domain = &domain,
                                  .implementations = implementation,
                                  .implementation_count = 1,
                                  .threads = 1};
    double start = omp_get_wtime();
    if (!sweep_run(&sweep, &outcome, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(2);
    }
    double seconds = omp_get_wtime() - start;
    sweep_outcome_free(&outcome);
    domain_free(&domain);
    return seconds;
}

int main(int count, char **words) {
    uint64_t total = UINT64_C(1) << (count > 1 ? atoi(words[1]) : 28);
    struct implementation det;
    struct error error;
    if (!implementation_open(&det, "det", NULL, &error))
        return 2;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct binding_request request = request_for(targets[i], &error);
        struct binding binding;
        double ratios[3];
        if (!implementation_bind(&binding, &det, &request, &error))
            return 2;
        printf("fp32 to %s, %s\n", targets[i], det.detail);
        time_arrays(&binding, (size_t)1 << 25, 1);
        time_arrays(&binding, (size_t)1 << 13, 2000);
        for (int round = 0; round < 3; round++) {
            double loop = time_loop(&binding, total);
            ratios[round] = time_sweep(&request, &det, total) / loop;
        }
        printf("  sweep of 2^%d inputs beside the bare loop: ratio %.2f\n",
               count > 1 ? atoi(words[1]) : 28, median(ratios, 3));
        binding_close(&binding);
    }
    return 0;
}

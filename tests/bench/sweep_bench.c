/* What judging costs: a sweep with the fast oracle beside a bare loop that only calls the function,
 * on the same consecutive fp32 inputs with the same threads, interleaved in one run. Ratios are
 * what counts.
 *
 *   sweep_bench [threads]
 *
 * The inputs are eight runs of 2^22 codes, spread over the positive numbers. */
#include "median.h"

#include "sweep/sweep.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 5, CHUNK = 1 << 15, RUNS = 8, RUN_LOG2 = 22 };

static void ignore_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

static double time_calls(const struct binding_request *request, const struct domain *domain,
                         const struct implementation *libm, int threads) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    {
        static uint32_t inputs[64][CHUNK], outputs[64][CHUNK];
        int thread = omp_get_thread_num();
        struct binding binding;
        struct error error;
        void *arrays[] = {inputs[thread]};
        bool bound = implementation_bind(&binding, libm, request, &error);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t first = 0; first < domain->count; first += CHUNK) {
            struct slice slice = {
                .count = CHUNK, .operands = {inputs[thread]}, .results = {outputs[thread]}};
            domain_fill(domain, first, CHUNK, arrays);
            if (bound)
                binding_fill(&binding, &slice, ignore_event, NULL, &error);
        }
        if (bound)
            binding_close(&binding);
    }
    return omp_get_wtime() - start;
}

static double time_sweep(const struct binding_request *request, const struct domain *domain,
                         const struct implementation *libm, int threads) {
    struct error error;
    struct sweep_request sweep = {.computed = *request,
                                  .recheck = 1,
                                  .domain = domain,
                                  .implementations = libm,
                                  .implementation_count = 1,
                                  .threads = threads};
    struct sweep_outcome outcome;
    if (!sweep_run(&sweep, &outcome, &error)) {
        fprintf(stderr, "sweep_bench: %s\n", error.text);
        exit(2);
    }
    double seconds = outcome.seconds;
    sweep_outcome_free(&outcome);
    return seconds;
}

static void measure(const struct operation *operation, const struct domain *domain,
                    const struct implementation *libm, int threads) {
    struct binding_request request = {operation, domain->format, ROUND_NEAREST_EVEN, OVERFLOW_IEEE};
    struct binding binding;
    struct error why;
    if (operation->operands != 1 || operation->results != 1 ||
        !implementation_bind(&binding, libm, &request, &why))
        return;
    binding_close(&binding);
    double calls[ROUNDS], sweeps[ROUNDS], ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        calls[i] = time_calls(&request, domain, libm, threads);
        sweeps[i] = time_sweep(&request, domain, libm, threads);
        ratios[i] = sweeps[i] / calls[i];
    }
    double scale = 1e9 * threads / (double)domain->count;
    printf("%-10s %9.2f %9.2f %9.2f\n", operation->name, median(calls, ROUNDS) * scale,
           median(sweeps, ROUNDS) * scale, median(ratios, ROUNDS));
    fflush(stdout);
}

int main(int count, char **words) {
    int threads = count > 1 ? atoi(words[1]) : omp_get_num_procs();
    struct error error;
    struct implementation libm;
    struct code_set set = {0};
    struct domain domain;
    const struct format *fp32 = format_find("fp32", &error);
    bool ready = threads >= 1 && threads <= 64 && implementation_open(&libm, "libm", &error);
    for (uint64_t i = 0; ready && i < RUNS; i++) {
        uint64_t first = i << 28;
        ready = code_set_append(&set, first, first + (1u << RUN_LOG2) - 1, &error);
    }
    if (!ready || !domain_product(&domain, DOMAIN_RANGE, fp32, 1, &set, 1, &error))
        return 2;
    printf("%-10s %9s %9s %9s   (ns per input and thread, medians of %d, %d threads)\n",
           "operation", "calls", "sweep", "ratio", ROUNDS, threads);
    for (size_t i = 0; i < operation_count; i++)
        measure(&operations[i], &domain, &libm, threads);
    domain_free(&domain);
    return 0;
}

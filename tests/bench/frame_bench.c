/* What the frame around MPFR costs: a sweep beside a bare loop of one MPFR call per input, on the
 * same inputs with the same threads, interleaved in one run. Ratios are what counts.
 *
 *   frame_bench [samples] [threads]
 *
 * The inputs are spread over all of fp32. "call" is MPFR at the precision that the sweep works at
 * (format precision + 24 bits, so that errors are known to 2^-24 ulp), "short" at the format's own.
 */
#include "median.h"

#include "oracle/exact.h"
#include "sweep/sweep.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 5, STRIP = 4096 };

/* One MPFR call for each input of the domain. */
static double time_calls(const struct operation *operation, const struct domain *domain,
                         int precision, int threads) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(threads)
    {
        struct oracle oracle;
        uint32_t inputs[STRIP];
        void *arrays[] = {inputs};
        oracle_open(&oracle, operation, domain->format, NULL, precision);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t first = 0; first < domain->count; first += STRIP) {
            size_t count =
                domain->count - first < STRIP ? (size_t)(domain->count - first) : (size_t)STRIP;
            domain_fill(domain, first, count, arrays);
            for (size_t i = 0; i < count; i++) {
                struct real x = format_decode(domain->format, inputs[i]);
                real_to_mpfr(oracle.operand[0], &x);
                operation->result[0].mpfr1(oracle.result, oracle.operand[0], MPFR_RNDZ);
            }
        }
        oracle_close(&oracle);
        oracle_thread_end();
    }
    return omp_get_wtime() - start;
}

static double time_sweep(const struct operation *operation, const struct domain *domain,
                         struct implementation *libm, int threads) {
    struct error error;
    struct sweep_request request = {.computed = {.operation = operation,
                                                 .format = domain->format,
                                                 .rounding = ROUND_NEAREST_EVEN,
                                                 .overflow = OVERFLOW_IEEE},
                                    .domain = domain,
                                    .implementations = libm,
                                    .implementation_count = 1,
                                    .threads = threads};
    struct sweep_outcome outcome;
    if (!sweep_run(&request, &outcome, &error)) {
        fprintf(stderr, "frame_bench: %s\n", error.text);
        exit(2);
    }
    double seconds = outcome.seconds;
    sweep_outcome_free(&outcome);
    return seconds;
}

static void measure(const struct operation *operation, const struct domain *domain,
                    struct implementation *libm, int threads) {
    double sweep[ROUNDS], call[ROUNDS], brief[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        sweep[i] = time_sweep(operation, domain, libm, threads);
        call[i] = time_calls(operation, domain, oracle_precision(domain->format), threads);
        brief[i] = time_calls(operation, domain, domain->format->precision, threads);
    }
    double scale = 1e9 * threads / (double)domain->count;
    double s = median(sweep, ROUNDS), c = median(call, ROUNDS), b = median(brief, ROUNDS);
    printf("%-10s %9.0f %9.0f %9.0f %12.3f %12.3f\n", operation->name, s * scale, c * scale,
           b * scale, s / c, s / b);
    fflush(stdout);
}

int main(int count, char **words) {
    static const char *const names[] = {"exp",  "exp2", "log",  "log1p", "sin",    "tan",
                                        "atan", "tanh", "cbrt", "erf",   "lgamma", "sqrt"};
    uint64_t samples = count > 1 ? strtoull(words[1], NULL, 10) : 1 << 18;
    int threads = count > 2 ? atoi(words[2]) : omp_get_num_procs();
    struct error error;
    struct implementation libm;
    const struct format *fp32 = format_find("fp32", &error);
    if (!implementation_open(&libm, "libm", NULL, &error))
        return 2;
    printf("%-10s %9s %9s %9s %12s %12s   (ns per input and thread, medians of %d)\n", "operation",
           "sweep", "call", "short", "sweep/call", "sweep/short", ROUNDS);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct code_set set = {0};
        struct domain domain;
        const struct operation *operation = operation_find(names[i], &error);
        if (!operation || !code_set_all(&set, fp32, &error) ||
            !domain_samples(&domain, fp32, 1, &set, 1, &(struct sampling){samples, 1, 1, NULL},
                            &error)) {
            fprintf(stderr, "frame_bench: %s\n", error.text);
            return 2;
        }
        measure(operation, &domain, &libm, threads);
        domain_free(&domain);
    }
    return 0;
}

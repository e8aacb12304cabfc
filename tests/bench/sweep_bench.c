/* What certainty costs: for every function of one operand, over fp32, a bare loop that only calls
 * libm's function (or, where libm has none, a composition of its functions that stands in:
 * stand_in.h; or det's array form, where nothing stands in), the sweep with the fast oracle, and
 * MPFR for every input. Same inputs, same threads, interleaved in one run: ratios are what counts.
 * Processor time is measured, so that other work on the machine weighs less.
 *
 *   sweep_bench [log2_stride] [operation...]
 *
 * The inputs are runs of 2^18 consecutive codes, 2^log2_stride apart: 18 is all of fp32 (some ten
 * minutes), 24, the default, every 64th run. MPFR (one call of 64 bits per input, and nothing else)
 * is timed on samples of the same codes and scaled. */
#include "median.h"
#include "stand_in.h"

#include "oracle/exact.h"
#include "sweep/sweep.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
    CHUNK = 1 << 15,
    RUN_LOG2 = 18,
    DEFAULT_STRIDE_LOG2 = 24,
    EXACT_SAMPLES = 1 << 15,
    MOST_THREADS = 64,
    MOST_ROWS = 128,
    MPFR_BITS = 64
};

/* Seconds per input and thread, or counts, of one function. */
struct row {
    double call, sweep, exact, undecided;
};

static int rounds = 3, threads;
/* In the order in which they are asked. */
static struct implementation providers[3] = {
    [1] = {.kind = &implementation_stand_in, .name = "stand-in"}};

static void ignore_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

/* Seconds of processor time, over all threads. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double time_calls(const struct binding_request *request, const struct domain *domain,
                         const struct implementation *implementation) {
    double start = now();
#pragma omp parallel num_threads(threads)
    {
        static uint32_t inputs[MOST_THREADS][CHUNK], outputs[2][MOST_THREADS][CHUNK];
        int thread = omp_get_thread_num();
        struct binding binding;
        struct error error;
        void *arrays[] = {inputs[thread]};
        bool bound = implementation_bind(&binding, implementation, request, &error);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t first = 0; first < domain->count; first += CHUNK) {
            struct slice slice = {.count = CHUNK,
                                  .operands = {inputs[thread]},
                                  .results = {outputs[0][thread], outputs[1][thread]}};
            domain_fill(domain, first, CHUNK, arrays);
            if (bound)
                binding_fill(&binding, &slice, ignore_event, NULL, &error);
        }
        if (bound)
            binding_close(&binding);
    }
    return now() - start;
}

/* One MPFR call of 64 bits for each input of the domain. */
static double time_exact(const struct operation *operation, const struct domain *domain) {
    double start = now();
#pragma omp parallel num_threads(threads)
    {
        struct oracle oracle;
        uint32_t inputs[CHUNK / 16];
        void *arrays[] = {inputs};
        oracle_open(&oracle, operation, domain->format, MPFR_BITS);
        oracle.by_mpfr = true;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t first = 0; first < domain->count; first += CHUNK / 16) {
            domain_fill(domain, first, CHUNK / 16, arrays);
            for (size_t i = 0; i < CHUNK / 16; i++) {
                uint64_t code = inputs[i];
                struct real y;
                struct error error;
                for (int result = 0; result < operation->results; result++)
                    oracle_exact(&oracle, &code, result, &y, &error);
            }
        }
        oracle_close(&oracle);
        oracle_thread_end();
    }
    return now() - start;
}

static double time_sweep(const struct binding_request *request, const struct domain *domain,
                         const struct implementation *implementation, double *undecided) {
    struct error error;
    struct sweep_request sweep = {.computed = *request,
                                  .recheck = 1,
                                  .domain = domain,
                                  .implementations = implementation,
                                  .implementation_count = 1,
                                  .threads = threads};
    struct sweep_outcome outcome;
    double start = now();
    if (!sweep_run(&sweep, &outcome, &error)) {
        fprintf(stderr, "sweep_bench: %s\n", error.text);
        exit(2);
    }
    double seconds = now() - start;
    *undecided = 0;
    for (int i = 0; i < request->operation->results; i++)
        *undecided += (double)outcome.oracle[i].exact;
    sweep_outcome_free(&outcome);
    return seconds;
}

/* The first implementation that provides the operation; NULL where none does. */
static const struct implementation *find_provider(const struct binding_request *request) {
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++) {
        struct binding binding;
        struct error why;
        if (!implementation_bind(&binding, &providers[i], request, &why))
            continue;
        binding_close(&binding);
        return &providers[i];
    }
    return NULL;
}

static bool measure(const struct operation *operation, const struct domain *domain,
                    const struct domain *samples, struct row *row) {
    struct binding_request request = {.operation = operation, .format = domain->format};
    double calls[16], sweeps[16], exacts[16];
    const struct implementation *provider = find_provider(&request);
    if (!provider) {
        printf("%-10s %-8s nothing to time\n", operation->name, "-");
        return false;
    }
    for (int i = 0; i < rounds; i++) {
        calls[i] = time_calls(&request, domain, provider) / (double)domain->count;
        sweeps[i] = time_sweep(&request, domain, provider, &row->undecided) / (double)domain->count;
        exacts[i] = time_exact(operation, samples) / (double)samples->count;
    }
    row->call = median(calls, (size_t)rounds) * 1e9;
    row->sweep = median(sweeps, (size_t)rounds) * 1e9;
    row->exact = median(exacts, (size_t)rounds) * 1e9;
    row->undecided /= (double)domain->count;
    printf("%-10s %-8s %8.2f %8.2f %8.2f %10.0f %8.0f %12.2e\n", operation->name, provider->name,
           row->call, row->sweep, row->sweep / row->call, row->exact, row->exact / row->sweep,
           row->undecided);
    fflush(stdout);
    return true;
}

static bool is_wanted(const struct operation *operation, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(operation->name, names[i]) == 0)
            return true;
    return count <= 0 && operation_in_group(operation, "unary");
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* What the table comes to. */
static void summarize(const struct row *rows, size_t count, double wall) {
    double ratios[MOST_ROWS], exacts[MOST_ROWS];
    struct rusage usage;
    for (size_t i = 0; i < count; i++) {
        ratios[i] = rows[i].sweep / rows[i].call;
        exacts[i] = rows[i].exact / rows[i].sweep;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("medians: sweep/call %.2f, exact/sweep %.0f; processor time / wall time %.2f; peak "
           "memory %.1f MiB\n",
           median(ratios, count), median(exacts, count),
           (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)) / wall,
           (double)usage.ru_maxrss / 1024);
}

int main(int count, char **words) {
    int stride = count > 1 ? atoi(words[1]) : DEFAULT_STRIDE_LOG2;
    struct error error;
    struct code_set set = {0}, sampled = {0};
    struct domain domain, samples;
    const struct format *fp32 = format_find("fp32", &error);
    double start = omp_get_wtime();
    threads = omp_get_num_procs() < MOST_THREADS ? omp_get_num_procs() : MOST_THREADS;
    rounds = stride <= RUN_LOG2 + 2 ? 1 : 3;
    bool ready = stride >= RUN_LOG2 && stride <= 31 &&
                 implementation_open(&providers[0], "libm", NULL, &error) &&
                 implementation_open(&providers[2], "det", NULL, &error);
    for (uint64_t first = 0; ready && first >> 32 == 0; first += (uint64_t)1 << stride)
        ready = code_set_append(&set, first, first + (1u << RUN_LOG2) - 1, &error);
    ready = ready && code_set_all(&sampled, fp32, &error) &&
            domain_product(&domain, DOMAIN_RANGE, fp32, 1, &set, 1, &error) &&
            domain_samples(&samples, fp32, 1, &sampled, 1, &(struct sampling){EXACT_SAMPLES, 1, 1},
                           &error);
    if (!ready) {
        fprintf(stderr, "sweep_bench [log2_stride, 18 to 31] [operation...]\n");
        return 2;
    }
    printf("%-10s %-8s %8s %8s %8s %10s %8s %12s   (ns of processor time per input, %d threads, "
           "%.3g inputs)\n",
           "operation", "of", "call", "sweep", "ratio", "exact", "ratio", "undecided", threads,
           (double)domain.count);
    struct row rows[MOST_ROWS];
    size_t measured = 0;
    for (size_t i = 0; operation_at(i) && measured < MOST_ROWS; i++)
        if (is_wanted(operation_at(i), count - 2, words + 2))
            measured += measure(operation_at(i), &domain, &samples, &rows[measured]);
    if (measured)
        summarize(rows, measured, omp_get_wtime() - start);
    domain_free(&domain);
    domain_free(&samples);
    return measured ? 0 : 2;
}

/* What certainty costs: for every function of one operand, in fp32 or fp64, a bare loop that only
 * calls libm's function (or, where libm has none, a composition of its functions that stands in:
 * stand_in.h; or det's array form, where nothing stands in), the sweep with the fast oracle, the
 * same with the envelope of the error beside it (over the plain one), and the sweep by MPFR alone.
 * Same inputs, same threads, interleaved in one run: ratios are what counts.
 * Processor time is measured, so that other work on the machine weighs less. Where an
 * implementation is named, such as libmvec or sleef, its functions alone are measured.
 *
 *   sweep_bench [fp32] [log2_stride] [A:B] [implementation] [operation...]
 *   sweep_bench fp64 [log2_inputs[/log2_run]] [A:B] [implementation] [operation...]
 *
 * In fp32 the inputs are runs of 2^18 consecutive codes, 2^log2_stride apart: 18 is all of fp32 (some
 * ten minutes), 24, the default, every 64th run. In fp64 they are 2^log2_inputs samples (26) in runs
 * of 2^14, as a sweep draws them; of A:B or of all: some six minutes. The sweep by MPFR alone (--oracle
 * mpfr) takes samples of the same codes, and its time is scaled. */
#include "median.h"
#include "stand_in.h"

#include "sweep/sweep.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    STRIP = 1 << 15,
    RUN_LOG2 = 18,
    DEFAULT_STRIDE_LOG2 = 24,
    DEFAULT_INPUTS_LOG2 = 26,
    WIDE_RUN_LOG2 = 14, /* the longest that a sweep draws */
    EXACT_SAMPLES = 1 << 15,
    MOST_THREADS = 64,
    MOST_ROWS = 128,
    ROUNDS = 3,
    MOST_SECONDS = 20 /* of a function: no further round begins after them */
};

/* Seconds per input and thread, or counts, of one function. */
struct row {
    double call, sweep, envelope, exact, undecided;
};

static int rounds = ROUNDS, threads;
/* In the order in which they are asked. */
static struct implementation providers[3];
static size_t provider_count;

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
        static uint64_t inputs[MOST_THREADS][STRIP], outputs[2][MOST_THREADS][STRIP];
        int thread = omp_get_thread_num();
        struct binding binding;
        struct error error;
        void *arrays[] = {inputs[thread]};
        bool bound = implementation_bind(&binding, implementation, request, &error);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t first = 0; first < domain->count; first += STRIP) {
            struct slice slice = {.count = STRIP,
                                  .operands = {inputs[thread]},
                                  .results = {outputs[0][thread], outputs[1][thread]}};
            domain_fill(domain, first, STRIP, arrays);
            if (bound)
                binding_fill(&binding, &slice, ignore_event, NULL, &error);
        }
        if (bound)
            binding_close(&binding);
    }
    return now() - start;
}

/* With the filter, or by MPFR alone. */
static double time_sweep(const struct binding_request *request, const struct domain *domain,
                         const struct implementation *implementation, bool by_mpfr, bool envelope,
                         double *undecided) {
    struct error error;
    struct sweep_request sweep = {.computed = *request,
                                  .recheck = 1,
                                  .domain = domain,
                                  .implementations = implementation,
                                  .implementation_count = 1,
                                  .exact_only = by_mpfr,
                                  .by_mpfr = by_mpfr,
                                  .envelope = envelope,
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
    for (size_t i = 0; i < provider_count; i++) {
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
    double calls[ROUNDS], sweeps[ROUNDS], envelopes[ROUNDS], exacts[ROUNDS], unused;
    const struct implementation *provider = find_provider(&request);
    if (!provider) {
        printf("%-11s %-8s nothing to time\n", operation->name, "-");
        return false;
    }
    int done = 0;
    for (double start = now(); done < rounds && now() - start < MOST_SECONDS; done++) {
        calls[done] = time_calls(&request, domain, provider) / (double)domain->count;
        sweeps[done] = time_sweep(&request, domain, provider, false, false, &row->undecided) /
                       (double)domain->count;
        envelopes[done] =
            time_sweep(&request, domain, provider, false, true, &unused) / (double)domain->count;
        exacts[done] =
            time_sweep(&request, samples, provider, true, false, &unused) / (double)samples->count;
    }
    row->call = median(calls, (size_t)done) * 1e9;
    row->sweep = median(sweeps, (size_t)done) * 1e9;
    row->envelope = median(envelopes, (size_t)done) * 1e9;
    row->exact = median(exacts, (size_t)done) * 1e9;
    row->undecided /= (double)domain->count;
    printf("%-11s %-8s %8.2f %8.2f %8.2f %8.2f %10.0f %8.0f %12.2e\n", operation->name,
           provider->name, row->call, row->sweep, row->sweep / row->call,
           row->envelope / row->sweep, row->exact, row->exact / row->sweep, row->undecided);
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
    double ratios[MOST_ROWS], envelopes[MOST_ROWS], exacts[MOST_ROWS];
    struct rusage usage;
    for (size_t i = 0; i < count; i++) {
        ratios[i] = rows[i].sweep / rows[i].call;
        envelopes[i] = rows[i].envelope / rows[i].sweep;
        exacts[i] = rows[i].exact / rows[i].sweep;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("medians: sweep/call %.2f, with the envelope/without %.3f, MPFR/sweep %.0f; processor "
           "time / wall time %.2f; peak "
           "memory %.1f MiB\n",
           median(ratios, count), median(envelopes, count), median(exacts, count),
           (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)) / wall,
           (double)usage.ru_maxrss / 1024);
}

/* What the words of the command line come to. */
struct choice {
    const struct format *format;
    int log2, run_log2;  /* of fp64: of a run */
    struct code_set set; /* what to draw from */
    char **names;
    int name_count;
};

/* Those of the bench, or the one named. */
static bool open_providers(const char *name, struct error *error) {
    static const struct implementation stand_in = {.kind = &implementation_stand_in,
                                                   .name = "stand-in"};
    provider_count = name ? 1 : 3;
    providers[1] = stand_in;
    return implementation_open(&providers[0], name ? name : "libm", NULL, error) &&
           (name || implementation_open(&providers[2], "det", NULL, error));
}

static bool read_words(struct choice *choice, int count, char **words, struct error *error) {
    int at = 1;
    const struct format *given = at < count ? format_find(words[at], error) : NULL;
    at += given != NULL;
    choice->format = given ? given : format_find("fp32", error);
    choice->log2 = choice->format->width == 64 ? DEFAULT_INPUTS_LOG2 : DEFAULT_STRIDE_LOG2;
    choice->run_log2 = WIDE_RUN_LOG2;
    if (at < count && strspn(words[at], "0123456789/") == strlen(words[at])) {
        const char *run = strchr(words[at], '/');
        choice->log2 = atoi(words[at++]);
        choice->run_log2 = run ? atoi(run + 1) : WIDE_RUN_LOG2;
    }
    bool ranged = at < count && strchr(words[at], ':');
    bool made = ranged ? code_set_range(&choice->set, choice->format, words[at], NULL, error)
                       : code_set_all(&choice->set, choice->format, error);
    at += ranged;
    struct error unknown;
    bool named = at < count && !operation_find(words[at], &unknown);
    made = made && open_providers(named ? words[at] : NULL, error);
    at += named;
    choice->names = words + at;
    choice->name_count = count - at;
    return made;
}

/* Of fp32. */
static bool make_strides(const struct choice *choice, struct domain *domain, struct error *error) {
    struct code_set set = {0};
    bool made = choice->log2 >= RUN_LOG2 && choice->log2 <= 31;
    for (uint64_t at = 0; made && at + (1u << RUN_LOG2) <= choice->set.count;
         at += (uint64_t)1 << choice->log2) {
        uint64_t first = code_set_at(&choice->set, at);
        made = code_set_append(&set, first, first + (1u << RUN_LOG2) - 1, error);
    }
    return made && domain_product(domain, DOMAIN_RANGE, choice->format, 1, &set, 1, error);
}

/* A set that may be freed apart from the choice's. */
static bool copy_set(struct code_set *copy, const struct code_set *set, struct error *error) {
    bool copied = true;
    for (size_t i = 0; copied && i < set->run_count; i++) {
        uint64_t end = i + 1 < set->run_count ? set->runs[i + 1].before : set->count;
        uint64_t first = set->runs[i].first;
        copied = code_set_append(copy, first, first + (end - set->runs[i].before) - 1, error);
    }
    return copied;
}

static bool make_samples(const struct choice *choice, struct domain *domain, uint64_t samples,
                         uint64_t run_length, struct error *error) {
    struct code_set set = {0};
    return copy_set(&set, &choice->set, error) &&
           domain_samples(domain, choice->format, 1, &set, 1,
                          &(struct sampling){samples, 1, run_length, NULL}, error);
}

/* Of fp64. */
static bool make_runs(const struct choice *choice, struct domain *domain, struct error *error) {
    return choice->log2 >= 15 && choice->log2 <= 36 && choice->run_log2 >= 0 &&
           choice->run_log2 <= WIDE_RUN_LOG2 &&
           make_samples(choice, domain, (uint64_t)1 << choice->log2,
                        (uint64_t)1 << choice->run_log2, error);
}

/* Threads that wait are to sleep: what they would burn is no work. The OpenMP library reads this once,
 * before the program begins. */
static void wait_without_work(char **words) {
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1))
        return;
    execv("/proc/self/exe", words);
}

int main(int count, char **words) {
    wait_without_work(words);
    struct error error;
    struct choice choice = {0};
    struct domain domain, samples;
    double start = omp_get_wtime();
    threads = omp_get_num_procs() < MOST_THREADS ? omp_get_num_procs() : MOST_THREADS;
    bool ready = read_words(&choice, count, words, &error);
    bool wide = ready && choice.format->width == 64;
    ready = ready &&
            (wide ? make_runs(&choice, &domain, &error) : make_strides(&choice, &domain, &error)) &&
            make_samples(&choice, &samples, EXACT_SAMPLES, 1, &error);
    if (!ready) {
        fprintf(
            stderr,
            "sweep_bench [fp32] [log2_stride, 18 to 31] [A:B] [implementation] [operation...]\n"
            "sweep_bench fp64 [log2_inputs, 15 to 36[/log2_run, 0 to 14]] [A:B] [implementation] "
            "[operation...]\n");
        return 2;
    }
    rounds = domain.count > (uint64_t)1 << 27 ? 1 : ROUNDS;
    printf(
        "%-11s %-8s %8s %8s %8s %8s %10s %8s %12s   (ns of processor time per input, %d threads, "
        "%.3g inputs of %s)\n",
        "operation", "of", "call", "sweep", "ratio", "envelope", "MPFR", "ratio", "undecided",
        threads, (double)domain.count, choice.format->name);
    struct row rows[MOST_ROWS];
    size_t measured = 0;
    for (size_t i = 0; operation_at(i) && measured < MOST_ROWS; i++)
        if (is_wanted(operation_at(i), choice.name_count, choice.names))
            measured += measure(operation_at(i), &domain, &samples, &rows[measured]);
    if (measured)
        summarize(rows, measured, omp_get_wtime() - start);
    domain_free(&domain);
    domain_free(&samples);
    code_set_free(&choice.set);
    return measured ? 0 : 2;
}

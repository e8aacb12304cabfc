/* Timing the rows that are for an operation in a format. */
#include "bench/array_bench.h"

#include "bench/work.h"
#include "detmath/library/kernels.h"

#include <stdio.h>
#include <string.h>

struct array_bench {
    const struct array_bench_request *request;
    struct bench_work work;
    struct blas blas;
    size_t count;
    const struct work_row *rows[BENCH_ROWS];
    struct call {
        struct bench_work *work;
        const struct work_row *row;
    } calls[BENCH_ROWS];
    struct timed timed[BENCH_ROWS];
    int rounds;
};

bool array_bench_has(const struct operation *operation) {
    for (const struct work_row *row = work_rows; row->operation; row++)
        if (strcmp(row->operation, operation->name) == 0)
            return true;
    return false;
}

/* Whether it is asked for; *path is that of a BLAS that the user named. */
static bool is_asked_for(const struct array_bench_request *request, const char *implementation,
                         const char **path) {
    size_t length = strlen(implementation);
    bool is_blas = strcmp(implementation, "blas") == 0;
    for (size_t i = 0; i < request->name_count; i++) {
        const char *name = request->names[i];
        if (strcmp(name, implementation) == 0)
            return true;
        if (is_blas && strncmp(name, "blas:", length + 1) == 0) {
            *path = name + length + 1;
            return true;
        }
    }
    return !request->name_count;
}

static bool refuse_names(const struct array_bench_request *request, struct error *error) {
    char known[256] = "", formats_known = 0;
    for (const struct work_row *row = work_rows; row->operation; row++) {
        if (strcmp(row->operation, request->work.operation->name) != 0)
            continue;
        formats_known |= work_takes(row, request->work.format);
        size_t used = strlen(known);
        if (work_takes(row, request->work.format))
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                     row->implementation);
    }
    if (!formats_known)
        return error_set(error, "bench does not time %s in %s", request->work.operation->name,
                         request->work.format->name);
    return error_set(error, "bench has %s by: %s", request->work.operation->name, known);
}

/* The rows to time. A BLAS that is missing is left out. */
static bool choose_rows(struct array_bench *bench, struct error *left_out, struct error *error) {
    const struct array_bench_request *request = bench->request;
    for (const struct work_row *row = work_rows; row->operation; row++) {
        const char *path = NULL;
        if (strcmp(row->operation, request->work.operation->name) != 0 ||
            !work_takes(row, request->work.format) ||
            !is_asked_for(request, row->implementation, &path))
            continue;
        if (strcmp(row->implementation, "blas") == 0) {
            if (!blas_open(&bench->blas, path, left_out))
                continue;
            bench->work.blas = &bench->blas;
        }
        bench->rows[bench->count++] = row;
    }
    if (!bench->count && *left_out->text)
        return error_set(error, "%s", left_out->text);
    return bench->count || refuse_names(request, error);
}

static bool make_call(void *context, struct error *error) {
    const struct call *call = context;
    return call->row->call(call->work) ||
           error_set(error, "%s by %s: the library refuses the call", call->row->operation,
                     call->row->implementation);
}

/* Of the library's rows also by which instructions, of a BLAS which one it is. */
static void describe(const struct array_bench *bench, const struct work_row *work,
                     struct bench_row *row) {
    const char *name = row->name = work->implementation, *more = "";
    if (strcmp(name, "det") == 0 || strcmp(name, "cr") == 0)
        more = detmath_best_level()->name;
    else if (strcmp(name, "blas") == 0)
        more = bench->blas.detail;
    snprintf(row->detail, sizeof row->detail, "%.120s%s%.120s", work->detail,
             *work->detail && *more ? ", " : "", more);
}

static void sum_up(const struct array_bench *bench, struct bench_outcome *outcome) {
    int rounds = bench->rounds;
    *outcome = (struct bench_outcome){.row_count = bench->count, .rounds = rounds};
    for (size_t i = 0; i < bench->count; i++) {
        struct bench_row *row = &outcome->rows[i];
        describe(bench, bench->rows[i], row);
        row->form = "array";
        row->nanoseconds = 1e9 * rounds_seconds(&bench->timed[i], rounds) / (double)bench->work.n;
        row->speed = rounds_speed(&bench->timed[0], &bench->timed[i], rounds);
    }
}

static bool measure(struct array_bench *bench, struct error *left_out, struct error *error) {
    const struct array_bench_request *request = bench->request;
    if (!bench_work_open(&bench->work, &request->work, error) ||
        !choose_rows(bench, left_out, error))
        return false;
    for (size_t i = 0; i < bench->count; i++) {
        bench->calls[i] = (struct call){&bench->work, bench->rows[i]};
        bench->timed[i] = (struct timed){.call = make_call, .context = &bench->calls[i]};
    }
    bench->rounds = request->rounds;
    return rounds_run(bench->timed, bench->count, &bench->rounds, request->seconds, error);
}

bool array_bench_run(const struct array_bench_request *request, struct bench_outcome *outcome,
                     struct error *left_out, struct error *error) {
    static struct array_bench bench;
    bench = (struct array_bench){.request = request};
    *left_out->text = '\0';
    bool measured = measure(&bench, left_out, error);
    if (measured)
        sum_up(&bench, outcome);
    bench_work_close(&bench.work);
    return measured;
}

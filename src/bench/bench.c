/* Timing functions of numbers. */
#include "bench/bench.h"

#include "bench/errors.h"
#include "bench/rounds.h"
#include "detmath/library/kernels_f64.h"
#include "impl/libm.h"
#include "sweep/generator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 4 };

/* One form of one implementation. */
struct contender {
    struct bench *bench;
    size_t implementation;
    struct binding *binding;      /* of an array form, or of libm, which is called one by one */
    struct detmath_scalar scalar; /* else, and of libm's fp32 functions of one operand or two */
    struct detmath_scalar_f64 scalar_fp64; /* the same of fp64 */
    bool one_by_one;
    size_t count;      /* inputs of a call */
    const char *event; /* what it did besides answering; or NULL */
};

struct bench {
    const struct bench_request *request;
    size_t drawn;                           /* as many inputs as the longest call takes */
    void *x[MAX_OPERANDS], *y[MAX_RESULTS]; /* of floats, or doubles */
    struct binding bindings[BENCH_ROWS];
    bool provided[BENCH_ROWS];
    struct contender contenders[BENCH_ROWS];
    size_t contender_count;
    struct timed timed[BENCH_ROWS];
};

static bool is_wide(const struct bench *bench) {
    return bench->request->format->width == 64;
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    struct contender *contender = context;
    contender->event = event_names[kind];
    (void)index;
}

#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif
/* The same loop for all, libm's too: a few bytes more or less, or where they lie, would show. */
APART static void fill_unary(float (*function)(float), float *y, const float *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        y[i] = function(x[i]);
}

APART static void fill_unary_fp64(double (*function)(double), double *y, const double *x,
                                  size_t count) {
    for (size_t i = 0; i < count; i++)
        y[i] = function(x[i]);
}

APART static void fill_binary_fp64(double (*function)(double, double), double *z, const double *x,
                                   const double *y, size_t count) {
    for (size_t i = 0; i < count; i++)
        z[i] = function(x[i], y[i]);
}

APART static void fill_pair_fp64(void (*function)(double, double *, double *), double *a, double *b,
                                 const double *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        function(x[i], &a[i], &b[i]);
}

static void fill_scalar(const struct bench *bench, const struct detmath_scalar *scalar,
                        size_t count) {
    const float *x = bench->x[0], *second = bench->x[1];
    float *y = bench->y[0], *other = bench->y[1];
    if (scalar->unary)
        fill_unary(scalar->unary, y, x, count);
    for (size_t i = 0; scalar->binary && i < count; i++)
        y[i] = scalar->binary(x[i], second[i]);
    for (size_t i = 0; scalar->pair && i < count; i++)
        scalar->pair(x[i], &y[i], &other[i]);
}

/* The results of the first `count` inputs. */
static bool fill(struct bench *bench, struct contender *contender, size_t count,
                 struct error *error) {
    struct slice slice = {.count = count};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = bench->x[i];
    for (int i = 0; i < MAX_RESULTS; i++)
        slice.results[i] = bench->y[i];
    if (contender->scalar_fp64.unary)
        fill_unary_fp64(contender->scalar_fp64.unary, bench->y[0], bench->x[0], count);
    else if (contender->scalar_fp64.binary)
        fill_binary_fp64(contender->scalar_fp64.binary, bench->y[0], bench->x[0], bench->x[1],
                         count);
    else if (contender->scalar_fp64.pair)
        fill_pair_fp64(contender->scalar_fp64.pair, bench->y[0], bench->y[1], bench->x[0], count);
    else if (!contender->binding || contender->scalar.unary || contender->scalar.binary)
        fill_scalar(bench, &contender->scalar, count);
    else if (!binding_fill(contender->binding, &slice, note_event, contender, error))
        return false;
    /* The time of calls that do not do their work is none. */
    return !contender->event ||
           error_set(error, "%s in %s by %.200s: %s; detcheck sweep says where",
                     bench->request->operation->name, bench->request->format->name,
                     contender->binding->implementation->name, contender->event);
}

static bool call_contender(void *context, struct error *error) {
    struct contender *contender = context;
    return fill(contender->bench, contender, contender->count, error);
}

static bool is_called_one_by_one(const char *name) {
    return strcmp(name, "libm") == 0 ||
           (strncmp(name, "lib:", 4) == 0 && !strstr(name, ",array") && !strstr(name, ",vector"));
}

/* det and cr once more, by their functions of one number; false of others. */
static bool scalar_of_detmath(const struct bench *bench, const char *name,
                              struct contender *contender) {
    const char *operation = bench->request->operation->name;
    const struct detmath_kernels *kernels = detmath_kernels_find(operation);
    const struct detmath_kernels_f64 *wide = detmath_kernels_find_f64(operation);
    const bool det = strcmp(name, "det") == 0;
    if (!det && strcmp(name, "cr") != 0)
        return false;
    contender->binding = NULL;
    contender->one_by_one = true;
    if (is_wide(bench) && wide)
        contender->scalar_fp64 = det ? wide->det_scalar : wide->cr_scalar;
    else if (!is_wide(bench) && kernels)
        contender->scalar = det ? kernels->det_scalar : kernels->cr_scalar;
    else
        return false;
    return true;
}

static bool open_contenders(struct bench *bench, struct error *error) {
    const struct bench_request *request = bench->request;
    const struct operation *operation = request->operation;
    struct binding_request computed = {.operation = operation, .format = request->format};
    if (!operation_settle(operation, computed.format, &(struct parameters){0}, &computed.parameters,
                          error))
        return false;
    struct error why = {{0}};
    for (size_t i = 0; i < request->implementation_count; i++) {
        const char *name = request->implementations[i].name;
        struct contender contender = {.bench = bench,
                                      .implementation = i,
                                      .binding = &bench->bindings[i],
                                      .one_by_one = is_called_one_by_one(name)};
        if (strcmp(name, "libm") == 0 && is_wide(bench))
            contender.scalar_fp64 = (struct detmath_scalar_f64){
                .unary = libm_unary_fp64_of(operation), .binary = libm_binary_fp64_of(operation)};
        else if (strcmp(name, "libm") == 0)
            contender.scalar = (struct detmath_scalar){.unary = libm_unary_of(operation),
                                                       .binary = libm_binary_of(operation)};
        bench->provided[i] =
            implementation_bind(&bench->bindings[i], &request->implementations[i], &computed, &why);
        if (bench->bindings[i].broken)
            return error_set(error, "%s", why.text);
        if (!bench->provided[i])
            continue;
        bench->contenders[bench->contender_count++] = contender;
        if (scalar_of_detmath(bench, name, &contender))
            bench->contenders[bench->contender_count++] = contender;
    }
    for (size_t i = 0; i < bench->contender_count; i++)
        bench->contenders[i].count =
            bench->contenders[i].one_by_one ? bench->drawn : request->elements;
    return bench->contender_count ? true : error_set(error, "nothing to time: %s", why.text);
}

static bool is_finite(const struct bench *bench, int result, size_t index) {
    uint64_t code = code_load(bench->y[result], format_bytes(bench->request->format), index);
    return format_classify(bench->request->format, code) < CLASS_INFINITE;
}

static void set_operand(const struct bench *bench, int operand, size_t index, double value) {
    if (is_wide(bench))
        ((double *)bench->x[operand])[index] = value;
    else
        ((float *)bench->x[operand])[index] = (float)value;
}

/* Draws inputs, and redraws those for which the first contender has no finite result. */
static bool draw_inputs(struct bench *bench, struct error *error) {
    const struct bench_request *request = bench->request;
    const struct operation *operation = request->operation;
    double span = request->high - request->low;
    struct integer_place place;
    if (!operation_integer_place(operation, &place))
        place.operand = -1;
    for (unsigned turn = 0; turn < 64; turn++) {
        size_t redrawn = 0;
        for (size_t i = 0; i < bench->drawn; i++) {
            bool good = turn > 0;
            for (int j = 0; good && j < operation->results; j++)
                good = is_finite(bench, j, i);
            for (int j = 0; !good && j < operation->operands; j++) {
                uint64_t draw = generator_bits(SEED, i, turn * MAX_OPERANDS + (unsigned)j);
                double value = request->low + span * ((double)(draw >> 11) * 0x1p-53);
                set_operand(bench, j, i, j == place.operand ? floor(value) : value);
            }
            redrawn += !good;
        }
        if (!redrawn)
            return true;
        if (!fill(bench, &bench->contenders[0], bench->drawn, error))
            return false;
    }
    return error_set(error, "%s has too few finite results from %g to %g; --range chooses others",
                     operation->name, request->low, request->high);
}

bool bench_is_beside_cr(const char *name) {
    return strncmp(name, "svml:cr", 7) == 0;
}

/* The array form of det, or that of cr, over another array form. */
static double ratio_of(const struct bench *bench, const struct bench_outcome *outcome, size_t row) {
    const char *ours = bench_is_beside_cr(outcome->rows[row].name) ? "cr" : "det";
    for (size_t i = 0; i < outcome->row_count; i++)
        if (strcmp(outcome->rows[i].name, ours) == 0 &&
            strcmp(outcome->rows[i].form, "array") == 0 &&
            strcmp(outcome->rows[row].form, "array") == 0)
            return rounds_speed(&bench->timed[i], &bench->timed[row], outcome->rounds);
    return 0;
}

static bool is_ours(const char *name) {
    return strcmp(name, "det") == 0 || strcmp(name, "cr") == 0;
}

static void sum_up(struct bench *bench, int rounds, struct bench_outcome *outcome) {
    *outcome = (struct bench_outcome){.row_count = bench->contender_count, .rounds = rounds};
    for (size_t i = bench->contender_count; i-- > 0;) {
        const char *name =
            bench->request->implementations[bench->contenders[i].implementation].name;
        outcome->reference = strcmp(name, "libm") == 0 ? i : outcome->reference;
    }
    for (size_t i = 0; i < bench->contender_count; i++) {
        struct contender *contender = &bench->contenders[i];
        struct bench_row *row = &outcome->rows[i];
        const struct implementation *implementation =
            &bench->request->implementations[contender->implementation];
        row->name = implementation->name;
        row->form = contender->one_by_one ? "scalar" : "array";
        memcpy(row->detail, bench->bindings[contender->implementation].detail, sizeof row->detail);
        row->nanoseconds =
            1e9 * rounds_seconds(&bench->timed[i], rounds) / (double)contender->count;
        row->speed = rounds_speed(&bench->timed[outcome->reference], &bench->timed[i], rounds) *
                     (double)contender->count / (double)bench->contenders[outcome->reference].count;
    }
    for (size_t i = 0; i < outcome->row_count; i++)
        if (!is_ours(outcome->rows[i].name))
            outcome->rows[i].ratio = ratio_of(bench, outcome, i);
}

static bool add_errors(const struct bench *bench, struct bench_outcome *outcome,
                       struct error *error) {
    struct bench_errors errors;
    if (!bench_errors_find(bench->request, &errors, error))
        return false;
    outcome->has_errors = true;
    outcome->too_many = errors.too_many;
    for (size_t i = 0; i < outcome->row_count; i++) {
        size_t implementation = bench->contenders[i].implementation;
        outcome->rows[i].largest_error = errors.of[implementation].largest;
        outcome->rows[i].error_inputs = errors.of[implementation].inputs;
    }
    return true;
}

static bool measure(struct bench *bench, struct bench_outcome *outcome, struct error *error) {
    if (!open_contenders(bench, error) || !draw_inputs(bench, error))
        return false;
    for (size_t i = 0; i < bench->contender_count; i++)
        bench->timed[i] = (struct timed){.call = call_contender, .context = &bench->contenders[i]};
    int rounds = bench->request->rounds;
    if (!rounds_run(bench->timed, bench->contender_count, &rounds, bench->request->seconds, error))
        return false;
    sum_up(bench, rounds, outcome);
    return add_errors(bench, outcome, error);
}

bool bench_run(const struct bench_request *request, struct bench_outcome *outcome,
               struct error *error) {
    struct bench *bench = calloc(1, sizeof *bench);
    bool room = bench != NULL;
    size_t drawn = request->elements > BENCH_NUMBERS ? request->elements : BENCH_NUMBERS;
    for (int i = 0; room && i < MAX_OPERANDS; i++)
        room = (bench->x[i] = calloc(drawn, format_bytes(request->format))) != NULL;
    for (int i = 0; room && i < MAX_RESULTS; i++)
        room = (bench->y[i] = calloc(drawn, format_bytes(request->format))) != NULL;
    if (room) {
        bench->request = request;
        bench->drawn = drawn;
    }
    bool measured = room ? measure(bench, outcome, error) : error_set(error, "out of memory");
    for (size_t i = 0; room && i < request->implementation_count; i++)
        if (bench->provided[i])
            binding_close(&bench->bindings[i]);
    for (int i = 0; bench && i < MAX_OPERANDS; i++)
        free(bench->x[i]);
    for (int i = 0; bench && i < MAX_RESULTS; i++)
        free(bench->y[i]);
    free(bench);
    return measured;
}

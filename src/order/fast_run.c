/* Running the steps of a compiled tree. */
#include "order/fast.h"

#include "base/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows have `width` places: a constant wherever this is inlined. */
#define ROWS(T, NAME)                                                                              \
    INLINED T *NAME##_row(char *memory, size_t width, uint32_t row) {                              \
        return (T *)(void *)(memory + (size_t)row * width * PLACE);                                \
    }
ROWS(float, fp32)
ROWS(double, fp64)
#undef ROWS

/* A chain with a memory, as order/chain.h has it. */
#define CHAINS(T, NAME, ABS)                                                                       \
    INLINED void NAME##_kahan(size_t width, T *to, T *rest, const T *x) {                          \
        for (size_t i = 0; i < width; i++) {                                                       \
            T y = x[i] - rest[i], t = to[i] + y, back = t - to[i];                                 \
            rest[i] = back - y;                                                                    \
            to[i] = t;                                                                             \
        }                                                                                          \
    }                                                                                              \
    INLINED void NAME##_neumaier(size_t width, T *to, T *rest, const T *x) {                       \
        for (size_t i = 0; i < width; i++) {                                                       \
            T t = to[i] + x[i], a = ABS(to[i]) >= ABS(x[i]) ? to[i] : x[i],                        \
              b = a == to[i] ? x[i] : to[i];                                                       \
            T back = a - t, error = back + b;                                                      \
            rest[i] = rest[i] + error;                                                             \
            to[i] = t;                                                                             \
        }                                                                                          \
    }                                                                                              \
    INLINED void NAME##_double_double(size_t width, T *to, T *rest, const T *x) {                  \
        for (size_t i = 0; i < width; i++) {                                                       \
            T s = to[i] + x[i], part = s - to[i], mine = s - part, a = to[i] - mine,               \
              b = x[i] - part, error = a + b;                                                      \
            T low = error + rest[i], sum = s + low, back = sum - s;                                \
            rest[i] = low - back;                                                                  \
            to[i] = sum;                                                                           \
        }                                                                                          \
    }                                                                                              \
    INLINED void NAME##_chain(char *memory, size_t width, const struct step *step,                 \
                              const uint32_t *rows) {                                              \
        T to[BATCH], rest[BATCH] = {0};                                                            \
        memcpy(to, NAME##_row(memory, width, rows[0]), width * sizeof *to);                        \
        for (uint32_t k = 1; k < step->b; k++) {                                                   \
            const T *x = NAME##_row(memory, width, rows[k]);                                       \
            if (step->kind == STEP_KAHAN)                                                          \
                NAME##_kahan(width, to, rest, x);                                                  \
            else if (step->kind == STEP_NEUMAIER)                                                  \
                NAME##_neumaier(width, to, rest, x);                                               \
            else                                                                                   \
                NAME##_double_double(width, to, rest, x);                                          \
        }                                                                                          \
        for (size_t i = 0; step->kind == STEP_NEUMAIER && i < width; i++)                          \
            to[i] = to[i] + rest[i];                                                               \
        memcpy(NAME##_row(memory, width, step->to), to, width * sizeof *to);                       \
    }
CHAINS(float, fp32, fabsf)
CHAINS(double, fp64, fabs)
#undef CHAINS

/* Steps of a format: sums from the left, and products. */
#define STEPS(T, NAME, FMA)                                                                        \
    INLINED void NAME##_step(char *memory, size_t width, const struct step *step) {                \
        T sum[BATCH];                                                                              \
        const size_t next =                                                                        \
            (size_t)(ptrdiff_t)(int32_t)step->stride * width * PLACE / sizeof *sum;                \
        const T *a = NAME##_row(memory, width, step->a), *b = NAME##_row(memory, width, step->b),  \
                *first = step->kind == STEP_ADD ? a : NAME##_row(memory, width, step->c);          \
        memcpy(sum, first, width * sizeof *sum);                                                   \
        if (step->kind == STEP_ADD)                                                                \
            for (uint32_t k = 0; k < step->count; k++, b += next)                                  \
                for (size_t i = 0; i < width; i++)                                                 \
                    sum[i] = sum[i] + b[i];                                                        \
        else if (step->kind == STEP_FUSED)                                                         \
            for (uint32_t k = 0; k < step->count; k++, a += next, b += next)                       \
                for (size_t i = 0; i < width; i++)                                                 \
                    sum[i] = FMA(a[i], b[i], sum[i]);                                              \
        else if (step->kind == STEP_ROUNDED)                                                       \
            for (uint32_t k = 0; k < step->count; k++, a += next, b += next)                       \
                for (size_t i = 0; i < width; i++) {                                               \
                    T product = a[i] * b[i];                                                       \
                    sum[i] = sum[i] + product;                                                     \
                }                                                                                  \
        else                                                                                       \
            for (size_t i = 0; i < width; i++)                                                     \
                sum[i] = a[i] * b[i];                                                              \
        memcpy(NAME##_row(memory, width, step->to), sum, width * sizeof *sum);                     \
    }
STEPS(float, fp32, fmaf)
STEPS(double, fp64, fma)
#undef STEPS

INLINED void run_all(char *memory, size_t width, const struct order_fast *fast) {
    for (const struct step *step = fast->steps; step < fast->steps + fast->count; step++) {
        if (step->kind >= STEP_KAHAN && step->wide)
            fp64_chain(memory, width, step, fast->lists + step->a);
        else if (step->kind >= STEP_KAHAN)
            fp32_chain(memory, width, step, fast->lists + step->a);
        else if (step->kind == STEP_WIDEN || step->kind == STEP_NARROW) {
            const float *from = fp32_row(memory, width, step->a);
            const double *wide = fp64_row(memory, width, step->a);
            double to[BATCH];
            float narrow[BATCH];
            for (size_t i = 0; i < width; i++) {
                to[i] = step->kind == STEP_WIDEN ? (double)from[i] : 0;
                narrow[i] = step->kind == STEP_NARROW ? (float)wide[i] : 0;
            }
            if (step->wide)
                memcpy(fp64_row(memory, width, step->to), to, width * sizeof *to);
            else
                memcpy(fp32_row(memory, width, step->to), narrow, width * sizeof *narrow);
        } else if (step->wide)
            fp64_step(memory, width, step);
        else
            fp32_step(memory, width, step);
    }
}

FOR_EACH_CPU static void run_batch(const struct order_fast *fast) {
    run_all(fast->memory, BATCH, fast);
}

FOR_EACH_CPU static void run_one(const struct order_fast *fast) {
    run_all(fast->memory, 1, fast);
}

/* Numbers into a row and out of it. */
static void put(const struct order_fast *fast, size_t width, uint32_t row, size_t at, bool wide,
                double value) {
    if (wide)
        fp64_row(fast->memory, width, row)[at] = value;
    else
        fp32_row(fast->memory, width, row)[at] = (float)value;
}

static double get(const struct order_fast *fast, size_t width, size_t at) {
    return fast->wide_last ? fp64_row(fast->memory, width, fast->last)[at]
                           : (double)fp32_row(fast->memory, width, fast->last)[at];
}

static double number_of(const struct format *format, uint64_t code) {
    double number;
    float narrow;
    uint32_t bits = (uint32_t)code;
    if (format == &formats[FORMAT_FP64]) {
        memcpy(&number, &code, sizeof number);
        return number;
    }
    if (format == &formats[FORMAT_FP32]) {
        memcpy(&narrow, &bits, sizeof narrow);
        return (double)narrow;
    }
    struct real real = format_decode(format, code);
    return real_to_double(&real);
}

/* Terms that are in rows as they are in memory. */
#define LOADS(T, NAME)                                                                             \
    INLINED void NAME##_load(const struct order_fast *fast, size_t width,                          \
                             const struct order_terms *from, size_t first, size_t count,           \
                             uint32_t rows) {                                                      \
        const T *x = (const T *)from->codes + first * from->pitch;                                 \
        for (size_t i = 0; i < fast->terms; i++) {                                                 \
            const T *at = x + i * from->stride;                                                    \
            T *row = NAME##_row(fast->memory, width, rows + (uint32_t)i);                          \
            if (from->pitch == 1 && count == width)                                                \
                memcpy(row, at, width * sizeof *row);                                              \
            else                                                                                   \
                for (size_t k = 0; k < count; k++)                                                 \
                    row[k] = at[k * from->pitch];                                                  \
        }                                                                                          \
    }
LOADS(float, fp32)
LOADS(double, fp64)
#undef LOADS

static void load(const struct order_fast *fast, size_t width, const struct order_terms *from,
                 size_t first, size_t count, bool second) {
    const struct order *order = fast->order;
    const struct format *format = order->format;
    const uint32_t rows = second ? (uint32_t)fast->terms : 0;
    const double n = (double)fast->terms;
    const bool as_it_is = second || order->scale < ORDER_TERMS_DIVIDED;
    /* There already: full rows of this width came before. What is left of whole batches begins anew, one by one. */
    if ((width == BATCH ? first : first % BATCH) && !from->pitch && count == width)
        return;
    if (as_it_is && fast->wide_terms && format == &formats[FORMAT_FP64]) {
        fp64_load(fast, width, from, first, count, rows);
        return;
    }
    if (as_it_is && !fast->wide_terms && format == &formats[FORMAT_FP32]) {
        fp32_load(fast, width, from, first, count, rows);
        return;
    }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < fast->terms; i++) {
            size_t at = (first + k) * from->pitch + i * from->stride;
            double value = number_of(format, code_load(from->codes, format_bytes(format), at));
            if (!second && order->scale == ORDER_TERMS_DIVIDED)
                value = fast->wide_last ? value / n : (double)((float)value / (float)n);
            if (!second && order->scale == ORDER_TERMS_TIMES_RECIPROCAL)
                value = fast->wide_last ? value * (1 / n) : (double)((float)value * (1 / (float)n));
            put(fast, width, rows + (uint32_t)i, k, fast->wide_terms, value);
        }
}

static uint64_t result_code(const struct order_fast *fast, double sum) {
    const struct order *order = fast->order;
    const struct order_node *last = &order->nodes[fast->last_node];
    const double n = (double)fast->terms;
    if (order->scale == ORDER_SUM_DIVIDED || order->scale == ORDER_SUM_DIVIDED_FLUSHED)
        sum = fast->wide_last ? sum / n : (double)((float)sum / (float)n);
    if (order->scale == ORDER_SUM_TIMES_RECIPROCAL ||
        order->scale == ORDER_SUM_TIMES_RECIPROCAL_FLUSHED)
        sum = fast->wide_last ? sum * (1 / n) : (double)((float)sum * (1 / (float)n));
    if ((order->scale == ORDER_SUM_DIVIDED_FLUSHED ||
         order->scale == ORDER_SUM_TIMES_RECIPROCAL_FLUSHED) &&
        fabs(sum) < (fast->wide_last ? DBL_MIN : (double)FLT_MIN))
        sum = copysign(0, sum);
    if (sum != sum)
        return order->result == last->result ? last->nan : order->result->nan;
    if (order->result == &formats[FORMAT_FP32] && !fast->wide_last) {
        float narrow = (float)sum;
        uint32_t code;
        memcpy(&code, &narrow, sizeof code);
        return code;
    }
    struct real real = real_from_double(sum);
    return format_encode(order->result, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* Some arrays, in rows of so many places. */
static void run_some(const struct order_fast *fast, size_t width, size_t first, size_t count,
                     const struct order_terms *x, const struct order_terms *w, const void *c,
                     void *results) {
    const size_t bytes = format_bytes(fast->order->result);
    const struct format *last = &formats[fast->wide_last ? FORMAT_FP64 : FORMAT_FP32];
    const uint32_t incoming = (uint32_t)fast->fixed - 1;
    load(fast, width, x, first, count, false);
    if (w)
        load(fast, width, w, first, count, true);
    memset(fp64_row(fast->memory, width, incoming - 1), 0, width * PLACE); /* +0 */
    for (size_t k = 0; k < count; k++)
        put(fast, width, incoming, k, fast->wide_last,
            c ? number_of(last, code_load(c, format_bytes(last), first + k)) : 0);
    (width == BATCH ? run_batch : run_one)(fast);
    for (size_t k = 0; k < count; k++)
        code_store(results, bytes, first + k, result_code(fast, get(fast, width, k)));
}

/* Rows for arrays that are computed together. */
static bool make_room(struct order_fast *fast, size_t width) {
    if (fast->together >= width)
        return true;
    void *memory = calloc(fast->rows, width * PLACE);
    if (!memory)
        return false;
    free(fast->memory);
    fast->memory = memory;
    fast->together = width;
    return true;
}

bool order_fast_run(struct order_fast *fast, size_t count, const struct order_terms *x,
                    const struct order_terms *w, const void *c, void *results) {
    enum { FEW = 3 }; /* are quicker one by one */
    size_t first = 0;
    for (size_t there = count; there > FEW && make_room(fast, BATCH); there = count - first) {
        there = there < BATCH ? there : BATCH;
        run_some(fast, BATCH, first, there, x, w, c, results);
        first += there;
    }
    if (first == count)
        return true;
    if (!make_room(fast, 1))
        return false;
    for (; first < count; first++)
        run_some(fast, 1, first, 1, x, w, c, results);
    return true;
}

/* Running the steps of a compiled tree. */
#include "order/fast.h"

#include "base/vector.h"

#include <math.h>
#include <string.h>

#define ROWS(T, NAME)                                                                              \
    INLINED T *NAME##_row(char *memory, uint32_t row) {                                            \
        return (T *)(void *)(memory + (size_t)row * ROW);                                          \
    }
ROWS(float, fp32)
ROWS(double, fp64)
#undef ROWS

/* A chain with a memory, as order/chain.h has it. */
#define CHAINS(T, NAME, ABS)                                                                       \
    INLINED void NAME##_kahan(T *to, T *rest, const T *x) {                                        \
        for (int i = 0; i < BATCH; i++) {                                                          \
            T y = x[i] - rest[i], t = to[i] + y, back = t - to[i];                                 \
            rest[i] = back - y;                                                                    \
            to[i] = t;                                                                             \
        }                                                                                          \
    }                                                                                              \
    INLINED void NAME##_neumaier(T *to, T *rest, const T *x) {                                     \
        for (int i = 0; i < BATCH; i++) {                                                          \
            T t = to[i] + x[i], a = ABS(to[i]) >= ABS(x[i]) ? to[i] : x[i],                        \
              b = a == to[i] ? x[i] : to[i];                                                       \
            T back = a - t, error = back + b;                                                      \
            rest[i] = rest[i] + error;                                                             \
            to[i] = t;                                                                             \
        }                                                                                          \
    }                                                                                              \
    INLINED void NAME##_double_double(T *to, T *rest, const T *x) {                                \
        for (int i = 0; i < BATCH; i++) {                                                          \
            T s = to[i] + x[i], part = s - to[i], mine = s - part, a = to[i] - mine,               \
              b = x[i] - part, error = a + b;                                                      \
            T low = error + rest[i], sum = s + low, back = sum - s;                                \
            rest[i] = low - back;                                                                  \
            to[i] = sum;                                                                           \
        }                                                                                          \
    }                                                                                              \
    INLINED void NAME##_chain(char *memory, const struct step *step, const uint32_t *rows) {       \
        T *to = NAME##_row(memory, step->to), rest[BATCH] = {0};                                   \
        memcpy(to, NAME##_row(memory, rows[0]), sizeof rest);                                      \
        for (uint32_t k = 1; k < step->b; k++) {                                                   \
            const T *x = NAME##_row(memory, rows[k]);                                              \
            if (step->kind == STEP_KAHAN)                                                          \
                NAME##_kahan(to, rest, x);                                                         \
            else if (step->kind == STEP_NEUMAIER)                                                  \
                NAME##_neumaier(to, rest, x);                                                      \
            else                                                                                   \
                NAME##_double_double(to, rest, x);                                                 \
        }                                                                                          \
        for (int i = 0; step->kind == STEP_NEUMAIER && i < BATCH; i++)                             \
            to[i] = to[i] + rest[i];                                                               \
    }
CHAINS(float, fp32, fabsf)
CHAINS(double, fp64, fabs)
#undef CHAINS

/* Steps of a format: plain additions, products and fused ones. */
#define STEPS(T, NAME, FMA)                                                                        \
    INLINED void NAME##_step(char *memory, const struct step *step) {                              \
        T *to = NAME##_row(memory, step->to);                                                      \
        const T *a = NAME##_row(memory, step->a), *b = NAME##_row(memory, step->b),                \
                *c = NAME##_row(memory, step->c);                                                  \
        if (step->kind == STEP_ADD)                                                                \
            for (int i = 0; i < BATCH; i++)                                                        \
                to[i] = a[i] + b[i];                                                               \
        else if (step->kind == STEP_PRODUCT)                                                       \
            for (int i = 0; i < BATCH; i++)                                                        \
                to[i] = a[i] * b[i];                                                               \
        else                                                                                       \
            for (int i = 0; i < BATCH; i++)                                                        \
                to[i] = FMA(a[i], b[i], c[i]);                                                     \
    }
STEPS(float, fp32, fmaf)
STEPS(double, fp64, fma)
#undef STEPS

FOR_EACH_CPU static void run_steps(char *memory, const struct step *steps, size_t count,
                                   const uint32_t *lists) {
    for (const struct step *step = steps; step < steps + count; step++) {
        if (step->kind >= STEP_KAHAN && step->wide)
            fp64_chain(memory, step, lists + step->a);
        else if (step->kind >= STEP_KAHAN)
            fp32_chain(memory, step, lists + step->a);
        else if (step->kind == STEP_WIDEN)
            for (int i = 0; i < BATCH; i++)
                fp64_row(memory, step->to)[i] = (double)fp32_row(memory, step->a)[i];
        else if (step->kind == STEP_NARROW)
            for (int i = 0; i < BATCH; i++)
                fp32_row(memory, step->to)[i] = (float)fp64_row(memory, step->a)[i];
        else if (step->wide)
            fp64_step(memory, step);
        else
            fp32_step(memory, step);
    }
}

/* Numbers into a row and out of it. */
static void put(char *memory, uint32_t row, size_t at, bool wide, double value) {
    if (wide)
        fp64_row(memory, row)[at] = value;
    else
        fp32_row(memory, row)[at] = (float)value;
}

static double get(char *memory, uint32_t row, size_t at, bool wide) {
    return wide ? fp64_row(memory, row)[at] : (double)fp32_row(memory, row)[at];
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

static void load(struct order_fast *fast, const struct order_terms *from, size_t first,
                 size_t count, bool second) {
    const struct order *order = fast->order;
    const struct format *format = order->format;
    const uint32_t rows = second ? (uint32_t)fast->terms : 0;
    const double n = (double)fast->terms;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < fast->terms; i++) {
            size_t at = (first + k) * from->pitch + i * from->stride;
            double value = number_of(format, code_load(from->codes, format_bytes(format), at));
            if (!second && order->scale == ORDER_TERMS_DIVIDED)
                value = fast->wide_last ? value / n : (double)((float)value / (float)n);
            if (!second && order->scale == ORDER_TERMS_TIMES_RECIPROCAL)
                value = fast->wide_last ? value * (1 / n) : (double)((float)value * (1 / (float)n));
            put(fast->memory, rows + (uint32_t)i, k, fast->wide_terms, value);
        }
}

static uint64_t result_code(const struct order_fast *fast, double sum) {
    const struct order *order = fast->order;
    const struct order_node *last = &order->nodes[fast->last_node];
    const double n = (double)fast->terms;
    if (order->scale == ORDER_SUM_DIVIDED)
        sum = fast->wide_last ? sum / n : (double)((float)sum / (float)n);
    if (order->scale == ORDER_SUM_TIMES_RECIPROCAL)
        sum = fast->wide_last ? sum * (1 / n) : (double)((float)sum * (1 / (float)n));
    if (sum != sum)
        return order->result == last->result ? last->nan : order->result->nan;
    struct real real = real_from_double(sum);
    return format_encode(order->result, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

void order_fast_run(struct order_fast *fast, size_t count, const struct order_terms *x,
                    const struct order_terms *w, const void *c, void *results) {
    const size_t bytes = format_bytes(fast->order->result);
    const struct format *last = &formats[fast->wide_last ? FORMAT_FP64 : FORMAT_FP32];
    const uint32_t incoming = (fast->products ? 2 : 1) * (uint32_t)fast->terms + 1;
    for (size_t first = 0; first < count; first += BATCH) {
        size_t there = count - first < BATCH ? count - first : BATCH;
        load(fast, x, first, there, false);
        if (w)
            load(fast, w, first, there, true);
        for (size_t k = 0; k < there; k++)
            put(fast->memory, incoming, k, fast->wide_last,
                c ? number_of(last, code_load(c, format_bytes(last), first + k)) : 0);
        run_steps(fast->memory, fast->steps, fast->count, fast->lists);
        for (size_t k = 0; k < there; k++)
            code_store(results, bytes, first + k,
                       result_code(fast, get(fast->memory, fast->last, k, fast->wide_last)));
    }
}

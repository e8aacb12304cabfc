/* A function as the function of a slice that our own algorithms are, or on whole matrices. */
#include "impl/remote/c_array.h"

#include "base/placed.h"
#include "impl/convert.h"
#include "impl/remote/c_blocks.h"
#include "impl/remote/c_texts.h"
#include "impl/unwritten.h"
#include "op/array/algorithms.h"
#include "op/array/slices.h"
#include "op/kernels/attention.h"
#include "op/kernels/widened.h"
#include "op/mx/rows.h"
#include "op/requantise/rows.h"

#include <stdlib.h>
#include <string.h>

union array_function {
    void *address;
    float (*reduce_fp32_1)(const float *, size_t);
    float (*reduce_fp32_2)(const float *, const float *, size_t);
    void (*scan_fp32)(float *, const float *, size_t);
    double (*reduce_fp64_1)(const double *, size_t);
    double (*reduce_fp64_2)(const double *, const double *, size_t);
    void (*scan_fp64)(double *, const double *, size_t);
    void (*matrices)(void *, const void *, const void *, size_t, size_t, size_t);
};

/* Kernels are told of lines only: which function it is stands here while a call runs. */
static _Thread_local union array_function current;
static _Thread_local bool all_written; /* by the lines that it has computed */

/* The call that fills `count` numbers, and whether it does. */
static void call_and_look(void *numbers, size_t bytes, size_t count, unwritten_call *call,
                          void *context) {
    const struct outputs outputs = {&numbers, 1, bytes, count};
    unwritten_fill(&outputs, false);
    call(context);
    if (unwritten_find(&outputs, call, context, NULL))
        all_written = false;
}

#define KERNELS(FORMAT, NUMBER)                                                                    \
    static void reduce_##FORMAT(NUMBER *y, const NUMBER *x, const NUMBER *w, size_t n) {           \
        (void)w;                                                                                   \
        *y = current.reduce_##FORMAT##_1(x, n);                                                    \
    }                                                                                              \
    static void reduce_two_##FORMAT(NUMBER *y, const NUMBER *x, const NUMBER *w, size_t n) {       \
        *y = current.reduce_##FORMAT##_2(x, w, n);                                                 \
    }                                                                                              \
    struct scan_##FORMAT {                                                                         \
        NUMBER *y;                                                                                 \
        const NUMBER *x;                                                                           \
        size_t n;                                                                                  \
    };                                                                                             \
    static void call_scan_##FORMAT(void *context) {                                                \
        const struct scan_##FORMAT *scan = context;                                                \
        current.scan_##FORMAT(scan->y, scan->x, scan->n);                                          \
    }                                                                                              \
    static void scan_lines_##FORMAT(NUMBER *y, const NUMBER *x, const NUMBER *w, size_t n) {       \
        struct scan_##FORMAT scan = {y, x, n};                                                     \
        (void)w;                                                                                   \
        if (n) /* an exclusive scan of one element has none left */                                \
            call_and_look(y, sizeof *y, n, call_scan_##FORMAT, &scan);                             \
    }
KERNELS(fp32, float)
KERNELS(fp64, double)

/* By what the operation is: a scan, a reduction of one operand, a reduction of two. */
static const struct {
    void (*fp32)(float *, const float *, const float *, size_t);
    void (*fp64)(double *, const double *, const double *, size_t);
} kernels[] = {{scan_lines_fp32, scan_lines_fp64},
               {reduce_fp32, reduce_fp64},
               {reduce_two_fp32, reduce_two_fp64}};

/* The row of det, whose function says what is done with a slice. */
static const struct array_algorithm *model_of(const struct operation *operation) {
    static const char *const names[] = {"det", "sequential"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct array_algorithm *row = array_algorithm_find(operation->array, names[i]);
        if (row && (row->run == run_slices || row->run == run_matrices))
            return row;
    }
    return NULL;
}

/* Of blocks: their elements, one code to a byte, and the scales. */
static bool is_of_blocks(const struct operation *operation, bool *quantises) {
    const struct array_algorithm *row = array_algorithm_find(operation->array, "det");
    *quantises = row && row->run == mx_run_quantise;
    return *quantises || (row && row->run == mx_run_dequantise);
}

/* Whether it converts integers by one multiplier, shift and zero point for all. */
static bool is_requantisation(const struct operation *operation) {
    const struct array_algorithm *row = array_algorithm_find(operation->array, "det");
    return row && row->run == requantise_run;
}

/* Whether each line becomes one of as many numbers, which rows without orders of their own do, too. */
static bool is_map_of_lines(const struct operation *operation) {
    const struct array_rule *rule = operation->array;
    return rule->lines == LINES_MAPPED && rule->result_shapes == shapes_same &&
           operation->results == 1;
}

static bool is_attention(const struct operation *operation) {
    return operation->array->exact == attention_exact;
}

/* What functions are not handed. */
static bool is_bare(const struct operation *operation, const struct array_call *call,
                    struct error *why) {
    static const enum parameter_number more[] = {
        PARAMETER_GROUPS, PARAMETER_CAUSAL, PARAMETER_WINDOW, PARAMETER_SOFT_CAP, PARAMETER_BIAS};
    const bool has_addend = parameter_flag(call->parameters, PARAMETER_ADDEND);
    if (has_addend && operation->array->lines != LINES_PRODUCT)
        return error_set(
            why, "functions of C get no c of %s; only matmul gets one, in the array of its result",
            operation->name);
    if (is_map_of_lines(operation) && operation_operands(operation, call->parameters) > 1)
        return error_set(why, "functions of C get no weight of %s", operation->name);
    for (size_t i = 0; is_attention(operation) && i < sizeof more / sizeof *more; i++)
        if (parameter_flag(call->parameters, more[i]) &&
            (more[i] == PARAMETER_CAUSAL || parameter_integer(call->parameters, more[i], 0)))
            return error_set(why, "functions of C do not get --%s for %s",
                             parameter_rows[more[i]].name, operation->name);
    return true;
}

bool c_array_provides(const struct operation *operation, const struct array_call *call,
                      struct error *why) {
    bool quantises;
    if (is_of_blocks(operation, &quantises))
        return !call->parameters->values[PARAMETER_STOCHASTIC].present ||
               error_set(why, "functions of C get no random bits for %s", operation->name);
    if (is_requantisation(operation))
        return true;
    if (c_texts_are_of(operation))
        return c_texts_provides(call, why);
    if (!model_of(operation) && !is_map_of_lines(operation) && !is_attention(operation))
        return error_set(why, "there is no signature in C for %s", operation->name);
    if (!is_bare(operation, call, why))
        return false;
    if (is_attention(operation))
        return provides_widened(call, why);
    const struct format *computed = accumulation_format(call);
    if (computed->width < 32)
        return error_set(why, "functions of C have float or double, and no %s to accumulate in",
                         computed->name);
    return provides_nearest(call, why);
}

/* All of an operand as numbers of the format that is computed in, so far beyond a boundary; the room is
 * to be freed. */
static void *load_matrix(void **room, uint32_t offset, const struct array *array,
                         const struct format *wanted, const struct format *computed) {
    size_t count = (size_t)shape_elements(&array->shape), bytes = format_bytes(computed);
    void *numbers = placed_memory(room, count * bytes, offset);
    for (size_t i = 0; numbers && i < count; i++)
        code_store(numbers, bytes, i,
                   convert_code(wanted, computed, element_load(array, wanted, i),
                                ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    return numbers;
}

struct product {
    union array_function function;
    void *z, *x, *y;
    size_t rows, inner, columns;
    const void *c; /* that lies in z at first, as C of BLAS; NULL: none comes in */
    size_t c_size;
};

static void call_product(void *context) {
    const struct product *p = context;
    if (p->c)
        memcpy(p->z, p->c, p->c_size);
    p->function.matrices(p->z, p->x, p->y, p->rows, p->inner, p->columns);
}

static bool multiply_matrices(void *address, const struct array_call *call, struct error *error) {
    const struct array *result = &call->results[0];
    const uint64_t *a = call->operands[0].shape.extents, *b = call->operands[1].shape.extents;
    const struct format *format = result->format, *computed = accumulation_format(call);
    size_t count = (size_t)shape_elements(&result->shape);
    const struct array *addend = array_addend(call);
    void *rooms[4] = {NULL};
    void *x = load_matrix(&rooms[0], call->offset, &call->operands[0], format, computed);
    void *y = load_matrix(&rooms[1], call->offset, &call->operands[1], format, computed);
    void *z = placed_memory(&rooms[2], count * format_bytes(computed), call->result_offset);
    void *c = addend ? load_matrix(&rooms[3], 0, addend, format, computed) : NULL;
    bool room = x && y && z && (c || !addend);
    struct product product = {.function = {address},
                              .z = z,
                              .x = x,
                              .y = y,
                              .rows = (size_t)a[0],
                              .inner = (size_t)a[1],
                              .columns = (size_t)b[1],
                              .c = c,
                              .c_size = count * format_bytes(computed)};
    if (room && c) /* which a function may leave as it is: no pattern shows what it left out */
        call_product(&product);
    else if (room)
        call_and_look(z, format_bytes(computed), count, call_product, &product);
    for (size_t i = 0; room && i < count; i++)
        code_store(result->codes, format_bytes(format), i,
                   convert_code(computed, format, code_load(z, format_bytes(computed), i),
                                ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    for (int i = 0; i < 4; i++)
        free(rooms[i]);
    return room || error_set(error, "out of memory for an array");
}

struct attending {
    void *address;
    float *y;
    const float *q, *k, *v;
    size_t extents[7];
};

static void call_attention(void *context) {
    const struct attending *a = context;
    const union {
        void *address;
        void (*attend)(float *, const float *, const float *, const float *, const size_t *);
    } function = {a->address};
    function.attend(a->y, a->q, a->k, a->v, a->extents);
}

static bool attend(void *address, const struct array_call *call, struct error *error) {
    const struct attention_extents extents = attention_extents(call);
    const size_t count = (size_t)shape_elements(&call->results[0].shape);
    struct widened x = {{0}, {0}}, y;
    const float *operands[3] = {NULL};
    void *rooms[4] = {NULL};
    bool room = widen_room(&call->results[0], &y);
    for (int i = 0; room && i < 3; i++) {
        const size_t bytes = (size_t)shape_elements(&call->operands[i].shape) * sizeof(float);
        void *placed = placed_memory(&rooms[i], bytes, call->offset);
        room = placed && widen(call, &call->operands[i], &x);
        if (room)
            memcpy(placed, x.array.codes, bytes);
        operands[i] = placed;
        free(x.array.codes);
        x.array.codes = NULL;
    }
    float *result = placed_memory(&rooms[3], count * sizeof(float), call->result_offset);
    room = room && result;
    if (room) {
        struct attending attending = {address,
                                      result,
                                      operands[ATTENTION_Q],
                                      operands[ATTENTION_K],
                                      operands[ATTENTION_V],
                                      {(size_t)extents.batches, (size_t)extents.heads,
                                       (size_t)extents.queries, (size_t)extents.keys,
                                       (size_t)extents.width, (size_t)extents.page,
                                       (size_t)extents.split}};
        call_and_look(result, sizeof(float), count, call_attention, &attending);
        memcpy(y.array.codes, result, count * sizeof(float));
        widened_put_result(call, 0, &y);
    }
    for (int i = 0; i < 4; i++)
        free(rooms[i]);
    free(y.array.codes);
    return room || error_set(error, "out of memory for an array");
}

struct requantisation {
    void *address, *y;
    const void *x;
    size_t count;
    int32_t multiplier, shift, zero_point;
};

static void call_requantisation(void *context) {
    const struct requantisation *r = context;
    const union {
        void *address;
        void (*requantise)(void *, const int32_t *, size_t, int32_t, int32_t, int32_t);
    } function = {r->address};
    function.requantise(r->y, r->x, r->count, r->multiplier, r->shift, r->zero_point);
}

static bool run_requantisation(void *address, const struct array_call *call, struct error *error) {
    const struct array *x = &call->operands[REQUANTISE_X], *y = &call->results[0];
    const size_t count = (size_t)shape_elements(&x->shape), bytes = format_bytes(y->format);
    void *rooms[2];
    void *from = placed_memory(&rooms[0], count * sizeof(int32_t), call->offset);
    void *to = placed_memory(&rooms[1], count * bytes, call->result_offset);
    const bool room = from && to;
    if (room) {
        memcpy(from, x->codes, count * sizeof(int32_t));
        call_and_look(
            to, bytes, count, call_requantisation,
            &(struct requantisation){address, to, from, count,
                                     (int32_t)requantise_integer(call, REQUANTISE_MULTIPLIER, 0),
                                     (int32_t)requantise_integer(call, REQUANTISE_SHIFT, 0),
                                     (int32_t)requantise_integer(call, REQUANTISE_ZERO, 0)});
        memcpy(y->codes, to, count * bytes);
    }
    for (int i = 0; i < 2; i++)
        free(rooms[i]);
    return room || error_set(error, "out of memory for an array");
}

bool c_array_run(const struct operation *operation, void *address, const struct array_call *call,
                 bool *is_written, struct error *error) {
    const struct array_algorithm *model = model_of(operation);
    bool quantises;
    all_written = true;
    if (is_of_blocks(operation, &quantises)) {
        *is_written = true;
        return c_blocks_run(address, call, quantises, is_written, error);
    }
    if (c_texts_are_of(operation)) {
        *is_written = true;
        return c_texts_run(address, call, is_written, error);
    }
    if (is_requantisation(operation) || is_attention(operation) ||
        (model && model->run == run_matrices)) {
        bool good = (is_requantisation(operation) ? run_requantisation
                     : is_attention(operation)    ? attend
                                                  : multiply_matrices)(address, call, error);
        *is_written = all_written;
        return good;
    }
    const int kind = operation->array->lines == LINES_REDUCED ? operation->operands : 0;
    const struct slice_function function = {.fp32 = kernels[kind].fp32, .fp64 = kernels[kind].fp64};
    const struct array_algorithm algorithm = {.run = run_slices, .data = &function};
    current.address = address;
    bool good = run_slices(call, &algorithm, error);
    *is_written = all_written;
    return good;
}

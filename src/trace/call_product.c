/* Products of matrices: which dimensions of two inputs are rows, are summed over, and are columns. */
#include "trace/call.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = MOST_DIMENSIONS };

/* The dimensions of a factor, in three lists. */
struct factor {
    const struct trace_tensor *tensor;
    int batch[MOST], free[MOST], summed[MOST];
    int batches, frees, sums;
};

/* The last two dimensions are a matrix, the others count matrices. One of one dimension is a vector. */
static void take_matrix(struct factor *factor, bool is_first, bool is_transposed) {
    const int n = factor->tensor->dimensions;
    const bool rows_last = is_first == is_transposed;
    for (int i = 0; i + 2 < n; i++)
        factor->batch[factor->batches++] = i;
    if (n == 1) {
        factor->summed[factor->sums++] = 0;
        return;
    }
    /* The first factor has rows and then what is summed, the second the reverse. */
    factor->free[factor->frees++] = rows_last ? n - 1 : n - 2;
    factor->summed[factor->sums++] = rows_last ? n - 2 : n - 1;
}

static bool take_list(const struct factor *factor, const cJSON *list, int *to, int *count) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (*count == MOST || !cJSON_IsNumber(item) || item->valuedouble < 0 ||
            item->valuedouble >= factor->tensor->dimensions)
            return false;
        to[(*count)++] = item->valueint;
    }
    return true;
}

/* jax.lax.dot_general: ((lhs contract, rhs contract), (lhs batch, rhs batch)), nested or as four lists. */
static bool take_numbers(struct factor *factor, int which, const cJSON *numbers) {
    const bool nested = cJSON_GetArraySize(numbers) == 2;
    const cJSON *contract = nested ? cJSON_GetArrayItem(cJSON_GetArrayItem(numbers, 0), which)
                                   : cJSON_GetArrayItem(numbers, which);
    const cJSON *batch = nested ? cJSON_GetArrayItem(cJSON_GetArrayItem(numbers, 1), which)
                                : cJSON_GetArrayItem(numbers, 2 + which);
    if (!take_list(factor, contract, factor->summed, &factor->sums) ||
        !take_list(factor, batch, factor->batch, &factor->batches))
        return false;
    for (int i = 0; i < factor->tensor->dimensions; i++) {
        bool taken = false;
        for (int k = 0; k < factor->sums; k++)
            taken = taken || factor->summed[k] == i;
        for (int k = 0; k < factor->batches; k++)
            taken = taken || factor->batch[k] == i;
        if (!taken)
            factor->free[factor->frees++] = i;
    }
    /* A dimension that is named twice would lead out of the tensor. */
    return factor->frees + factor->sums + factor->batches == factor->tensor->dimensions;
}

static uint64_t extent_of(const struct factor *factor, const int *list, int count) {
    uint64_t extent = 1;
    for (int i = 0; i < count; i++)
        extent *= factor->tensor->extents[list[i]];
    return extent;
}

/* Loads a factor with its batches first, as many as `batch` says, then rows and columns. */
static bool load_factor(struct trace_call *call, int operand, const struct trace *trace,
                        const struct factor *factor, int batches, const uint64_t *batch,
                        struct error *why) {
    uint64_t extents[3 * MOST], strides[3 * MOST], own[MOST], step = 1, count = 1;
    struct trace_codes *codes = &call->operand[operand];
    int n = 0;
    if (!trace_call_load(call, operand, trace, factor->tensor, 0, NULL, why))
        return false;
    for (int i = factor->tensor->dimensions - 1; i >= 0; i--) {
        own[i] = step;
        step *= factor->tensor->extents[i];
    }
    for (int i = 0; i < batches; i++) {
        const int at = i - (batches - factor->batches);
        const uint64_t extent = at >= 0 ? factor->tensor->extents[factor->batch[at]] : 1;
        if (extent != 1 && extent != batch[i])
            return error_set(why, "matrices that do not broadcast");
        extents[n] = batch[i];
        strides[n++] = extent == 1 ? 0 : own[factor->batch[at]];
    }
    for (int turn = 0; turn < 2; turn++) {
        const bool frees = (turn == 0) == (operand == 0);
        const int *list = frees ? factor->free : factor->summed;
        for (int i = 0; i < (frees ? factor->frees : factor->sums); i++) {
            extents[n] = factor->tensor->extents[list[i]];
            strides[n++] = own[list[i]];
        }
    }
    for (int i = 0; i < n; i++)
        count *= extents[i];
    if (n > 2 * MOST || count > TRACE_MOST_ELEMENTS)
        return error_set(why, "matrices of more than %d elements", TRACE_MOST_ELEMENTS);
    void *made = trace_gather(codes->codes, format_bytes(codes->format), n, extents, strides);
    if (!made)
        return error_set(why, "out of memory");
    free(codes->codes);
    codes->codes = made;
    codes->count = count;
    return true;
}

/* The extents of batches of both. */
static bool join_batches(const struct factor factors[2], int *batches, uint64_t batch[MOST],
                         struct error *why) {
    const struct factor *longer = &factors[factors[1].batches > factors[0].batches];
    *batches = longer->batches;
    for (int i = 0; i < *batches; i++) {
        batch[i] = 1;
        for (int k = 0; k < 2; k++) {
            const int at = i - (*batches - factors[k].batches);
            const uint64_t extent = at >= 0 ? factors[k].tensor->extents[factors[k].batch[at]] : 1;
            if (batch[i] == 1)
                batch[i] = extent;
        }
    }
    return *batches <= MOST || error_set(why, "matrices of too many dimensions");
}

/* Matrices times one matrix are one product of more rows. */
static void join_rows(struct factor factors[2]) {
    struct factor *a = &factors[0];
    if (factors[1].batches || !a->batches || a->frees != 1 || a->free[0] != a->batches)
        return;
    for (int i = 0; i < a->batches; i++)
        if (a->batch[i] != i) /* dimensions in another order */
            return;
    for (int i = 0; i <= a->batches; i++)
        a->free[i] = i;
    a->frees = a->batches + 1;
    a->batches = 0;
}

static bool read_factors(struct factor factors[2], const struct trace_operation *operation,
                         const char *words, struct error *why) {
    const cJSON *numbers = trace_attribute(operation, "dimension_numbers");
    const char *word = words;
    for (int k = 0; k < 2; k++, word += strcspn(word, " ") + 1) {
        factors[k] = (struct factor){.tensor = trace_operand(operation, word, 1, (size_t)k)};
        const bool transposed =
            (word[1] == 'T') !=
            (trace_attribute_number(operation, k ? "transB" : "transA", 0) != 0);
        const struct trace_tensor *tensor = factors[k].tensor;
        if (!tensor || !tensor->dimensions || tensor->dimensions > MOST)
            return error_set(why, "a factor was not recorded, or is not a matrix");
        if (!numbers)
            take_matrix(&factors[k], k == 0, transposed);
        else if (!take_numbers(&factors[k], k, numbers))
            return error_set(why, "dimension_numbers that are not understood");
    }
    if (extent_of(&factors[0], factors[0].summed, factors[0].sums) !=
        extent_of(&factors[1], factors[1].summed, factors[1].sums))
        return error_set(why, "factors that do not fit");
    return true;
}

bool trace_call_product(struct trace_call *call, const struct trace *trace,
                        const struct trace_operation *operation, struct error *why) {
    const char *words = call->row->operands, *onto = strchr(words, '+');
    const struct trace_tensor *output = &operation->outputs[0];
    struct factor factors[2];
    uint64_t batch[MOST];
    int batches;
    if (trace_attribute_number(operation, "alpha", 1) != 1)
        return error_set(why, "its alpha is not 1");
    if (!read_factors(factors, operation, words, why))
        return false;
    if (strcmp(call->row->name, "numpy.dot") == 0 && factors[1].tensor->dimensions > 2)
        return error_set(why, "numpy.dot of more than two dimensions");
    join_rows(factors);
    if (!join_batches(factors, &batches, batch, why))
        return false;
    call->shape = (struct shape){3,
                                 {extent_of(&factors[0], factors[0].free, factors[0].frees),
                                  extent_of(&factors[0], factors[0].summed, factors[0].sums),
                                  extent_of(&factors[1], factors[1].free, factors[1].frees)}};
    for (int i = 0; i < batches; i++)
        call->calls *= batch[i];
    call->operands = 2;
    for (int k = 0; k < 2; k++)
        if (!load_factor(call, k, trace, &factors[k], batches, batch, why))
            return false;
    const struct trace_tensor *c = onto ? trace_operand(operation, onto + 1, 1, 2) : NULL;
    if (!c)
        return true;
    if (trace_attribute_number(operation, "beta", 1) != 1)
        return error_set(why, "its beta is not 1");
    call->operands = 3;
    return trace_call_load(call, 2, trace, c, output->dimensions, output->extents, why);
}

/* Each result, held against what every way makes of its terms. */
#include "explain/sum_ways.h"

#include "explain/sum_orders.h"
#include "op/array/slices.h"
#include "order/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAY(NAME, SAYS, ...)                                                                       \
    {.name = NAME, .says = SAYS, __VA_ARGS__}, {                                                   \
        .name = NAME "-of-rounded-products", .says = SAYS ", and rounds products first",           \
        .rounds_products = true, __VA_ARGS__                                                       \
    }

static const struct way {
    const char *name, *says;
    enum order order;
    const char *algorithm; /* of ORDER_OF_ROW: op/array/algorithms.h */
    bool rounds_products, reversed, exact;
} ways[] = {
    WAY("sum-sequential", "adds from the first to the last", .order = ORDER_SEQUENTIAL),
    WAY("sum-from-the-end", "adds from the last to the first", .order = ORDER_SEQUENTIAL,
        .reversed = true),
    WAY("sum-pairwise", "adds in halves of halves, down to 8 terms", .order = ORDER_PAIRWISE),
    WAY("sum-blocked", "adds in blocks of 256", .order = ORDER_BLOCKED),
    WAY("sum-as-det", "adds in the order of det", .order = ORDER_OF_ROW, .algorithm = "det"),
    {.name = "sum-exact",
     .says = "rounds the exact sum",
     .order = ORDER_OF_ROW,
     .algorithm = "cr",
     .exact = true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct hypothesis unit_hypothesis = {
    .name = "sum-as-unit", .says = "adds products as the named matrix unit does"};

/* Formats that are accumulated in. */
static const enum format_number accumulators[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32,
                                                  FORMAT_FP64};
enum { ACCUMULATORS = 4, MOST_CANDIDATES = 64 };

struct hypothesis sum_ways_hypothesis(size_t index) {
    struct hypothesis row = {.name = NULL};
    if (index < WAYS)
        row = (struct hypothesis){.name = ways[index].name, .says = ways[index].says};
    return index == WAYS ? unit_hypothesis : row;
}

struct candidate {
    const struct way *way; /* NULL: */
    const struct unit *unit;
    const struct operation *operation; /* of one line */
    const struct format *format;       /* accumulated in */
    uint64_t explains[2], wrong[2];    /* by side */
};

struct trial {
    const struct sum_results *results;
    struct candidate candidates[MOST_CANDIDATES];
    size_t count;
    bool asked[2];      /* not det and cr, whose sums are known by their names */
    const uint64_t *c;  /* of the line, a code of the results' format; NULL: none comes in */
    uint64_t *codes[2]; /* of a line: in the results' format, or as a unit takes it */
    void *numbers[2];   /* the same as an order adds them */
    const struct format *factors; /* of units */
};

/* ---- Candidates ---- */

/* Numbers that a term is the product of; c is none. */
static int factors_of(const struct operation *operation) {
    return operation->operands > 1 ? 2 : 1;
}

/* The call of one line that a candidate computes. */
static struct array_call line_call(const struct trial *trial, const struct candidate *one,
                                   struct parameters *parameters, size_t count, uint64_t *result) {
    *parameters = (struct parameters){{{0}}};
    parameters->values[PARAMETER_ACCUMULATE] =
        (struct parameter_value){.present = true, .format = one->format};
    struct array_call call = {.rule = one->operation->array, .parameters = parameters};
    for (int i = 0; i < factors_of(one->operation); i++)
        call.operands[i] = (struct array){one->format, shape_of(count), trial->numbers[i]};
    call.results[0] = (struct array){one->format, shape_of(1), result};
    return call;
}

/* Whether a way can be taken in the format. */
static bool applies(const struct trial *trial, const struct way *way, struct candidate *one) {
    const struct binding_request *computed = &trial->results->request->computed;
    const struct format *format = request_result_format(computed), *unused_format;
    const bool multiplies = factors_of(computed->operation) == 2;
    struct parameters parameters;
    struct error unused;
    one->operation = operation_row(way->rounds_products ? "sum"
                                   : multiplies         ? "dot"
                                                        : computed->operation->name);
    if (!format_is_within(format, one->format) || (way->rounds_products && !multiplies) ||
        (way->exact && one->format != format))
        return false;
    if (way->order != ORDER_OF_ROW)
        return true;
    const struct array_algorithm *algorithm =
        array_algorithm_find(one->operation->array, way->algorithm);
    struct array_call call = line_call(trial, one, &parameters, 1, NULL);
    return algorithm && (!algorithm->accumulates ||
                         algorithm->accumulates(&call, algorithm, &unused_format, &unused));
}

static void choose_orders(struct trial *trial) {
    for (int i = 0; i < WAYS * ACCUMULATORS; i++) {
        struct candidate one = {.way = &ways[i / ACCUMULATORS],
                                .format = &formats[accumulators[i % ACCUMULATORS]]};
        if (applies(trial, one.way, &one))
            trial->candidates[trial->count++] = one;
    }
    for (int side = 0; side < 2; side++) {
        const char *name = trial->results->request->sides[side]->kind->name;
        trial->asked[side] = strcmp(name, "det") != 0 && strcmp(name, "cr") != 0;
    }
}

/* The operands are cast to the results' format where that is narrower, as mma: does. */
static void choose_units(struct trial *trial) {
    const struct binding_request *computed = &trial->results->request->computed;
    const struct format *to = request_result_format(computed);
    trial->factors = format_is_within(computed->format, to) ? computed->format : to;
    for (size_t i = 0; i < unit_count && factors_of(computed->operation) == 2; i++)
        if (units[i].format == trial->factors)
            trial->candidates[trial->count++] =
                (struct candidate){.unit = &units[i], .format = units[i].node->result};
    trial->asked[0] = trial->asked[1] = true;
}

/* ---- Predictions ---- */

/* By the orders of explain/sum_orders.h: c is the first term of a sum from one end to the other, or added to the sum. */
static uint64_t predict_here(const struct trial *trial, const struct candidate *one, size_t count) {
    const struct operation *own = trial->results->request->computed.operation;
    const struct format *format = request_result_format(&trial->results->request->computed);
    double *const numbers[2] = {trial->numbers[0], trial->numbers[1]};
    for (int k = 0; k < factors_of(own); k++)
        for (size_t i = 0; i < count; i++)
            numbers[k][i] =
                sum_value(format, trial->codes[k][one->way->reversed ? count - 1 - i : i]);
    const bool is_first = trial->c && one->way->order == ORDER_SEQUENTIAL;
    if (is_first) {
        for (int k = 0; k < 2; k++)
            memmove(numbers[k] + 1, numbers[k], count * sizeof **numbers);
        numbers[0][0] = sum_value(format, *trial->c);
        numbers[1][0] = 1;
    }
    const struct terms terms = {one->format, numbers[0], factors_of(own) == 2 ? numbers[1] : NULL,
                                one->way->rounds_products, NULL};
    double sum = sum_in_order(&terms, one->way->order, count + is_first);
    if (strcmp(own->name, "mean") == 0)
        sum = sum_keep(one->format, sum / (double)count);
    if (trial->c && !is_first)
        sum = sum_keep(one->format, sum + sum_value(format, *trial->c));
    return sum_code(format, sum);
}

/* By the row of an implementation that there is. */
static bool predict_by_row(const struct trial *trial, const struct candidate *one, size_t count,
                           uint64_t *predicted, struct error *error) {
    const struct format *format = request_result_format(&trial->results->request->computed);
    const size_t bytes = format_bytes(one->format);
    struct parameters parameters;
    uint64_t result = 0, onto = 0;
    struct array_call call = line_call(trial, one, &parameters, count, &result);
    const bool takes = trial->c && !one->way->rounds_products;
    if (takes) {
        parameters.values[PARAMETER_ADDEND].present = true;
        code_store(&onto, bytes, 0, element_cast(format, one->format, *trial->c));
        call.operands[2] = (struct array){one->format, shape_of(1), &onto};
    }
    const struct array_algorithm *algorithm = array_algorithm_find(call.rule, one->way->algorithm);
    for (int k = 0; k < factors_of(one->operation); k++)
        for (size_t i = 0; i < count; i++) {
            const uint64_t *const codes[2] = {trial->codes[0], trial->codes[1]};
            const double product = one->way->rounds_products ? sum_value(format, codes[0][i]) *
                                                                   sum_value(format, codes[1][i])
                                                             : 0;
            code_store(trial->numbers[k], bytes, i,
                       one->way->rounds_products ? sum_code(one->format, product)
                                                 : element_cast(format, one->format, codes[k][i]));
        }
    if (!algorithm->run(&call, algorithm, error))
        return false;
    result = code_load(&result, bytes, 0);
    if (trial->c && !takes)
        result = sum_code(one->format, sum_keep(one->format, sum_value(one->format, result) +
                                                                 sum_value(format, *trial->c)));
    *predicted = element_cast(one->format, format, result);
    return true;
}

static bool predict_by_unit(const struct trial *trial, const struct candidate *one, size_t count,
                            uint64_t *predicted, struct error *error) {
    const struct format *to = request_result_format(&trial->results->request->computed);
    uint64_t sum = trial->c ? element_cast(to, one->format, *trial->c) : 0;
    const struct unit_product product = {.unit = one->unit,
                                         .rows = 1,
                                         .inner = count,
                                         .columns = 1,
                                         .count = count,
                                         .a = trial->codes[0],
                                         .b = trial->codes[1],
                                         .d = &sum,
                                         .has_c = trial->c};
    if (!unit_multiply(&product))
        return error_set(error, "out of memory");
    *predicted = element_cast(one->format, to, sum);
    return true;
}

static bool predict(const struct trial *trial, const struct candidate *one, size_t count,
                    uint64_t *predicted, struct error *error) {
    if (one->unit)
        return predict_by_unit(trial, one, count, predicted, error);
    if (one->way->order == ORDER_OF_ROW)
        return predict_by_row(trial, one, count, predicted, error);
    *predicted = predict_here(trial, one, count);
    return true;
}

/* ---- Trial ---- */

/* Holds a candidate against one result of each side. */
static bool check(struct trial *trial, struct candidate *one, size_t count, size_t at,
                  struct error *error) {
    const struct sum_results *results = trial->results;
    const struct format *format = request_result_format(&results->request->computed);
    uint64_t predicted;
    if (!((trial->asked[0] && !one->wrong[0]) || (trial->asked[1] && !one->wrong[1])))
        return true;
    if (!predict(trial, one, count, &predicted, error))
        return false;
    for (int side = 0; side < 2; side++) {
        const uint64_t code = results->codes[side][at];
        const bool right = hypothesis_same(format, predicted, code) ||
                           (format_is_zero(format, predicted) && /* of nothing but zeros */
                            format_is_zero(format, code));
        one->wrong[side] += !right;
        one->explains[side] += right && sum_results_differ(results, at);
    }
    return true;
}

static bool check_call(void *context, const struct array_call *call, uint64_t number,
                       struct error *error) {
    struct trial *trial = context;
    const uint64_t elements = shape_elements(&call->results[0].shape);
    const size_t count = sum_line_length(call);
    const struct array *c = array_addend(call);
    bool good = true;
    for (int k = 0; k < 2; k++) {
        trial->codes[k] = malloc((count + 1) * sizeof(uint64_t)); /* c is one more */
        trial->numbers[k] = malloc((count + 1) * sizeof(uint64_t));
        good = good && trial->codes[k] && trial->numbers[k];
    }
    if (!good)
        error_set(error, "out of memory for an array");
    for (uint64_t element = 0; good && element < elements; element++) {
        const struct format *format = trial->factors ? trial->factors : call->results[0].format;
        sum_line_load(call, format, element, trial->codes);
        const uint64_t onto = c ? array_code(c, element) : 0;
        trial->c = c ? &onto : NULL;
        for (size_t i = 0; good && i < trial->count; i++)
            good = check(trial, &trial->candidates[i], count,
                         trial->results->first[number] + (size_t)element, error);
    }
    for (int k = 0; k < 2; k++) {
        free(trial->codes[k]);
        free(trial->numbers[k]);
    }
    return good;
}

/* What a candidate says, kept by its place. */
static const char *say(const struct candidate *one, size_t at) {
    static char says[MOST_CANDIDATES][160];
    if (one->unit)
        snprintf(says[at], sizeof says[at],
                 "adds as the matrix unit %s, %u products of %s at once into %s", one->unit->name,
                 one->unit->call, one->unit->format->name, one->format->name);
    else if (one->way->exact)
        return one->way->says;
    else
        snprintf(says[at], sizeof says[at], "%s, in %s", one->way->says, one->format->name);
    return says[at];
}

bool sum_ways_try(const struct sum_results *results, enum sum_ways kind,
                  struct explain_outcome *outcome, struct error *error) {
    struct trial trial = {.results = results};
    (kind == SUM_UNITS ? choose_units : choose_orders)(&trial);
    if (trial.count && !sum_results_visit(results, check_call, &trial, error))
        return false;
    for (int side = 1; side >= 0; side--)
        for (size_t i = 0; trial.asked[side] && i < trial.count; i++) {
            const struct candidate *one = &trial.candidates[i];
            if (one->wrong[side] || !one->explains[side])
                continue;
            outcome->explanations[outcome->count++] = (struct explanation){
                .name = one->unit ? unit_hypothesis.name : one->way->name,
                .says = say(one, i),
                .order = (int)i,
                .side = side,
                .tested = outcome->tested,
                .explains = one->explains[side],
                .verdict = EXPLAINS_ALL,
            };
        }
    return true;
}

/* Each result of each call, held against what every way of adding makes of its terms. */
#include "explain/sums.h"

#include "explain/sum_orders.h"
#include "format/text.h"
#include "op/array/slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAY(NAME, SAYS, ...)                                                                       \
    {.name = NAME, .says = SAYS, __VA_ARGS__}, {                                                   \
        .name = NAME "-of-rounded-products", .says = SAYS ", products that are rounded before",    \
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

/* Formats that are accumulated in. */
static const enum format_number accumulators[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32,
                                                  FORMAT_FP64};
enum { ACCUMULATORS = 4, CANDIDATES = WAYS * ACCUMULATORS };

struct hypothesis sums_hypothesis(size_t index) {
    struct hypothesis row = {.name = NULL};
    if (index < WAYS)
        row = (struct hypothesis){.name = ways[index].name, .says = ways[index].says};
    return row;
}

bool sums_are_known(const struct operation *operation) {
    static const char *const known[] = {"sum", "mean", "dot", "matmul"};
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found = found || strcmp(operation->name, known[i]) == 0;
    return found;
}

struct candidate {
    const struct way *way;
    const struct operation *operation; /* of one line */
    const struct format *format;       /* accumulated in */
    bool asked;
    uint64_t explains[2], wrong[2]; /* by side */
};

struct sums {
    const struct explain_request *request;
    struct explain_outcome *outcome;
    struct candidate candidates[CANDIDATES];
    bool asked[2]; /* not det and cr, whose sums are known by their names */
    struct binding bindings[2];
    uint64_t *codes[2]; /* a line of each operand, in the results' format */
    void *numbers[2];   /* the same as a candidate adds them */
    char *first;
};

/* The call of one line that a candidate computes. */
static struct array_call line_call(const struct sums *sums, const struct candidate *one,
                                   struct parameters *parameters, size_t count, uint64_t *result) {
    *parameters = (struct parameters){{{0}}};
    parameters->values[PARAMETER_ACCUMULATE] =
        (struct parameter_value){.present = true, .format = one->format};
    struct array_call call = {.rule = one->operation->array, .parameters = parameters};
    for (int i = 0; i < one->operation->operands; i++)
        call.operands[i] = (struct array){one->format, shape_of(count), sums->numbers[i]};
    call.results[0] = (struct array){one->format, shape_of(1), result};
    return call;
}

static void choose_candidates(struct sums *sums) {
    const struct operation *own = sums->request->computed.operation;
    const struct format *format = request_result_format(&sums->request->computed);
    const bool multiplies = own->operands == 2;
    for (int i = 0; i < CANDIDATES; i++) {
        struct candidate *one = &sums->candidates[i];
        const struct way *way = &ways[i / ACCUMULATORS];
        const struct format *computed;
        struct parameters parameters;
        struct error unused;
        *one = (struct candidate){.way = way, .format = &formats[accumulators[i % ACCUMULATORS]]};
        one->operation = operation_row(way->rounds_products ? "sum"
                                       : multiplies         ? "dot"
                                                            : own->name);
        if (!format_is_within(format, one->format) || (way->rounds_products && !multiplies) ||
            (way->exact && one->format != format))
            continue;
        one->asked = way->order != ORDER_OF_ROW;
        if (one->asked)
            continue;
        const struct array_algorithm *algorithm =
            array_algorithm_find(one->operation->array, way->algorithm);
        struct array_call call = line_call(sums, one, &parameters, 1, NULL);
        one->asked = algorithm && (!algorithm->accumulates ||
                                   algorithm->accumulates(&call, algorithm, &computed, &unused));
    }
}

/* By the orders here. */
static uint64_t predict_here(const struct sums *sums, const struct candidate *one, size_t count) {
    const struct operation *own = sums->request->computed.operation;
    const struct format *format = request_result_format(&sums->request->computed);
    double *const numbers[2] = {sums->numbers[0], sums->numbers[1]};
    for (int k = 0; k < own->operands; k++)
        for (size_t i = 0; i < count; i++)
            numbers[k][i] =
                sum_value(format, sums->codes[k][one->way->reversed ? count - 1 - i : i]);
    const struct terms terms = {one->format, numbers[0], own->operands == 2 ? numbers[1] : NULL,
                                one->way->rounds_products, NULL};
    double sum = sum_in_order(&terms, one->way->order, count);
    if (strcmp(own->name, "mean") == 0)
        sum = sum_keep(one->format, sum / (double)count);
    return sum_code(format, sum);
}

/* By the row of an implementation that there is. */
static bool predict_by_row(const struct sums *sums, const struct candidate *one, size_t count,
                           uint64_t *predicted, struct error *error) {
    const struct format *format = request_result_format(&sums->request->computed);
    const size_t bytes = format_bytes(one->format);
    struct parameters parameters;
    uint64_t result = 0;
    struct array_call call = line_call(sums, one, &parameters, count, &result);
    const struct array_algorithm *algorithm = array_algorithm_find(call.rule, one->way->algorithm);
    for (int k = 0; k < one->operation->operands; k++)
        for (size_t i = 0; i < count; i++) {
            const uint64_t *const codes[2] = {sums->codes[0], sums->codes[1]};
            const double product = one->way->rounds_products ? sum_value(format, codes[0][i]) *
                                                                   sum_value(format, codes[1][i])
                                                             : 0;
            code_store(sums->numbers[k], bytes, i,
                       one->way->rounds_products ? sum_code(one->format, product)
                                                 : element_cast(format, one->format, codes[k][i]));
        }
    if (!algorithm->run(&call, algorithm, error))
        return false;
    *predicted = element_cast(one->format, format, code_load(&result, bytes, 0));
    return true;
}

static bool predict(const struct sums *sums, const struct candidate *one, size_t count,
                    uint64_t *predicted, struct error *error) {
    if (one->way->order == ORDER_OF_ROW)
        return predict_by_row(sums, one, count, predicted, error);
    *predicted = predict_here(sums, one, count);
    return true;
}

/* The terms of an element of the result. */
static size_t load_line(const struct sums *sums, const struct array_call *call, uint64_t element) {
    const struct format *format = call->results[0].format;
    if (call->rule->lines == LINES_PRODUCT) {
        const uint64_t inner = call->operands[0].shape.extents[1];
        const uint64_t columns = call->operands[1].shape.extents[1];
        for (uint64_t i = 0; i < inner; i++) {
            sums->codes[0][i] =
                element_load(&call->operands[0], format, element / columns * inner + i);
            sums->codes[1][i] =
                element_load(&call->operands[1], format, i * columns + element % columns);
        }
        return (size_t)inner;
    }
    const struct slices slices = slices_of(call);
    for (int k = 0; call->rule->operand_names[k]; k++)
        slice_load(call, k, &slices, element, sums->codes[k]);
    return (size_t)slices.length;
}

/* Holds all that are not refuted against an element of both results. */
static bool check_element(struct sums *sums, const struct array_call *call, uint64_t element,
                          const uint64_t sides[2], struct error *error) {
    const struct format *format = call->results[0].format;
    const size_t count = load_line(sums, call, element);
    const bool differ = !hypothesis_same(format, sides[0], sides[1]);
    for (int i = 0; i < CANDIDATES; i++) {
        struct candidate *one = &sums->candidates[i];
        uint64_t predicted;
        bool is_open = false;
        for (int side = 0; side < 2; side++)
            is_open = is_open || (sums->asked[side] && !one->wrong[side]);
        if (!one->asked || !is_open)
            continue;
        if (!predict(sums, one, count, &predicted, error))
            return false;
        for (int side = 0; side < 2; side++) {
            const bool right = hypothesis_same(format, predicted, sides[side]) ||
                               (format_is_zero(format, predicted) && /* of nothing but zeros */
                                format_is_zero(format, sides[side]));
            one->wrong[side] += !right;
            one->explains[side] += right && differ;
        }
    }
    return true;
}

static void note_first(struct sums *sums, const struct array_call *call, uint64_t number,
                       uint64_t element, const uint64_t sides[2]) {
    const struct format *format = call->results[0].format;
    char shape[PARAMETER_ROOM], bits[2][NUMBER_TEXT];
    const struct parameter_value value = {
        .present = true, .shape = *case_shape(&sums->request->domain->cases, number)};
    snprintf(sums->first, SUMS_TEXT,
             "the first is element %" PRIu64 " of call %" PRIu64 " (%s): A %s, B %s", element,
             number, parameter_text(&parameter_rows[PARAMETER_SHAPE_OF], &value, shape),
             format_bits_text(format, sides[0], bits[0]),
             format_bits_text(format, sides[1], bits[1]));
}

static void pass_over_event(void *context, enum event_kind kind, size_t index) {
    struct side_events *events = context;
    (void)index;
    events->counts[kind]++;
}

/* The results of a side, copied; false in *answered where there are none. */
static bool fill(struct sums *sums, struct array_call *call, int side, void *results,
                 bool *answered, struct error *error) {
    const size_t bytes = format_bytes(call->results[0].format);
    uint8_t unanswered = 0;
    const struct slice slice = {.count = 1, .array = call, .unanswered = &unanswered};
    if (!binding_fill(&sums->bindings[side], &slice, pass_over_event, &sums->outcome->events[side],
                      error))
        return false;
    memcpy(results, call->results[0].codes,
           (size_t)shape_elements(&call->results[0].shape) * bytes);
    *answered = *answered && !unanswered;
    return true;
}

static bool hold_call(struct sums *sums, struct array_call *call, uint64_t number, void *results[2],
                      struct error *error) {
    struct explain_outcome *outcome = sums->outcome;
    const struct format *format = call->results[0].format;
    const uint64_t elements = shape_elements(&call->results[0].shape);
    bool answered = true;
    for (int side = 0; side < 2; side++)
        if (!fill(sums, call, side, results[side], &answered, error))
            return false;
    if (!answered) {
        outcome->unanswered += elements;
        return true;
    }
    for (uint64_t i = 0; i < elements; i++) {
        const uint64_t sides[2] = {code_load(results[0], format_bytes(format), (size_t)i),
                                   code_load(results[1], format_bytes(format), (size_t)i)};
        const bool differ = !hypothesis_same(format, sides[0], sides[1]);
        outcome->tested++;
        outcome->differ += differ;
        if (differ && !*sums->first)
            note_first(sums, call, number, i, sides);
        if (!check_element(sums, call, i, sides, error))
            return false;
    }
    return true;
}

static bool run_call(struct sums *sums, uint64_t number, struct error *error) {
    const struct explain_request *request = sums->request;
    const struct binding_request *computed = &request->computed;
    struct array_call call = {.parameters = &computed->parameters,
                              .rounding = computed->rounding,
                              .overflow = computed->overflow};
    void *results[2] = {NULL, NULL};
    bool good = case_open(&call, &request->domain->cases, number, computed->operation,
                          computed->format, error);
    const uint64_t terms = good ? shape_elements(&call.operands[0].shape) : 0;
    const uint64_t elements = good ? shape_elements(&call.results[0].shape) : 0;
    for (int i = 0; good && i < 2; i++) {
        results[i] = malloc((size_t)elements * sizeof(uint64_t) + 1);
        sums->codes[i] = malloc((size_t)terms * sizeof(uint64_t) + 1);
        sums->numbers[i] = malloc((size_t)terms * sizeof(uint64_t) + 1);
        good = (results[i] && sums->codes[i] && sums->numbers[i]) ||
               error_set(error, "out of memory for an array");
    }
    good = good && hold_call(sums, &call, number, results, error);
    for (int i = 0; i < 2; i++) {
        free(results[i]);
        free(sums->codes[i]);
        free(sums->numbers[i]);
        sums->codes[i] = NULL;
        sums->numbers[i] = NULL;
    }
    array_call_free(&call);
    return good;
}

/* What predicts every result of a side, and some that differ: the first is the cause, the others are as good. */
static void conclude(struct sums *sums) {
    static char says[CANDIDATES][160];
    struct explain_outcome *outcome = sums->outcome;
    bool found = false;
    for (int side = 1; outcome->differ && side >= 0; side--)
        for (int i = 0; sums->asked[side] && i < CANDIDATES; i++) {
            const struct candidate *one = &sums->candidates[i];
            const bool is = one->asked && !one->wrong[side];
            if (!is)
                continue;
            snprintf(says[i], sizeof says[i], "%s, in %s", one->way->says, one->format->name);
            outcome->explanations[outcome->count++] =
                (struct explanation){.name = one->way->name,
                                     .says = one->way->exact ? one->way->says : says[i],
                                     .order = i,
                                     .side = side,
                                     .tested = outcome->tested,
                                     .explains = one->explains[side],
                                     .verdict = EXPLAINS_ALL,
                                     .cause = !found,
                                     .same_as = found,
                                     .adds = found ? 0 : outcome->differ};
            found = true;
        }
    outcome->unexplained = found ? 0 : outcome->differ;
    explain_sort(outcome);
}

bool sums_explain(const struct explain_request *request, struct explain_outcome *outcome,
                  char first[SUMS_TEXT], struct error *error) {
    static struct sums sums;
    const struct operation *operation = request->computed.operation;
    struct error why;
    bool good = true;
    sums = (struct sums){.request = request, .outcome = outcome, .first = first};
    *outcome = (struct explain_outcome){0};
    *first = '\0';
    choose_candidates(&sums);
    for (int side = 0; good && side < 2; side++) {
        const char *name = request->sides[side]->kind->name;
        sums.asked[side] = strcmp(name, "det") != 0 && strcmp(name, "cr") != 0;
        good = implementation_bind(&sums.bindings[side], request->sides[side], &request->computed,
                                   &why) ||
               error_set(error, "%s does not provide %s in %s: %s", request->sides[side]->name,
                         operation->name, request->computed.format->name, why.text);
    }
    for (uint64_t i = 0; good && i < request->domain->count; i++)
        good = (!request->stop || !*request->stop ||
                error_set(error, "interrupted; nothing is explained")) &&
               run_call(&sums, i, error);
    for (int side = 0; side < 2; side++)
        binding_close(&sums.bindings[side]);
    if (good)
        conclude(&sums);
    return good;
}

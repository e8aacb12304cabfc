/* Calls on arrays as lines that an order sums. */
#include "impl/order.h"

#include "op/array/slices.h"
#include "order/order.h"
#include "order/term.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines that are summed together: their codes are gathered first. */
enum { LINES = 64 };

struct order_state {
    struct order order;      /* the trees are those of the one that was opened */
    struct order_plan *plan; /* of the length that was last */
    size_t length;
};

static const char *path_of(const struct implementation *implementation) {
    return implementation->name + strlen("order:");
}

/* Documents that were opened. Each is read once, and shared by all bindings: a file that changes meanwhile would else
 * give them different orders under one name. They stay for good, as the names of implementations do. */
struct opened {
    struct opened *next;
    char *path;
    char identity[17];
    struct order order;
};
static struct opened *all_opened; /* the last one first */
static pthread_mutex_t opened_lock = PTHREAD_MUTEX_INITIALIZER;

/* The last one that was opened of a path, and has that identity. */
static const struct opened *find_opened(const char *path, const char *identity) {
    pthread_mutex_lock(&opened_lock);
    const struct opened *one = all_opened;
    while (one && (strcmp(one->path, path) != 0 || strcmp(one->identity, identity) != 0))
        one = one->next;
    pthread_mutex_unlock(&opened_lock);
    return one;
}

static const struct opened *keep_opened(const char *path, const struct order *order) {
    struct opened *one = calloc(1, sizeof *one);
    char *copy = one ? malloc(strlen(path) + 1) : NULL;
    if (!copy) {
        free(one);
        return NULL;
    }
    one->path = strcpy(copy, path);
    one->order = *order;
    order_identity(order, one->identity);
    pthread_mutex_lock(&opened_lock);
    one->next = all_opened;
    all_opened = one;
    pthread_mutex_unlock(&opened_lock);
    return one;
}

#define DETAIL "order " /* and then the identity */

static bool order_open_file(struct implementation *implementation, struct error *error) {
    struct order order;
    if (!order_read(path_of(implementation), &order, error))
        return false;
    const struct opened *opened = keep_opened(path_of(implementation), &order);
    if (!opened) {
        order_close(&order);
        return error_set(error, "out of memory");
    }
    char words[ORDER_TEXT];
    order_rules_words(&order.rules, words, sizeof words);
    snprintf(implementation->detail, sizeof implementation->detail, DETAIL "%s%s%.180s",
             opened->identity, *words ? ": " : "", words);
    return true;
}

/* What the order is of, and what it says of scaling, for the operation at hand. */
static bool adapt(struct order *order, const struct binding_request *request, struct error *why) {
    const char *name = request->operation->name;
    bool known = false;
    for (size_t i = 0; i < sizeof order_operations / sizeof *order_operations; i++)
        known = known || strcmp(name, order_operations[i]) == 0;
    if (!known)
        return error_set(why, "orders are of sum, mean, dot, matmul and cumsum, not of %s", name);
    if (request->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "the nodes of an order say how it rounds; leave out --rounding");
    if (request->parameters.values[PARAMETER_ACCUMULATE].present)
        return error_set(why,
                         "the nodes of an order say how it accumulates; leave out --accumulate");
    if (request->format != order->format || request_result_format(request) != order->result)
        return error_set(why, "the order is from %s to %s", order->format->name,
                         order->result->name);
    *order = order_for(order, name);
    return true;
}

static void order_unbind(struct binding *binding) {
    struct order_state *state = binding->state;
    if (state)
        order_plan_close(state->plan);
    free(state);
}

static bool order_bind(struct binding *binding, struct error *why) {
    struct order_state *state = calloc(1, sizeof *state);
    if (!binding->request.operation->array) {
        free(state);
        return error_set(why, "an order sums arrays; %s is of numbers",
                         binding->request.operation->name);
    }
    if (!state)
        return binding_out_of_memory(binding, why);
    binding->state = state;
    char identity[17];
    snprintf(identity, sizeof identity, "%s", binding->implementation->detail + strlen(DETAIL));
    const struct opened *opened = find_opened(path_of(binding->implementation), identity);
    if (!opened) {
        order_unbind(binding);
        binding->state = NULL;
        binding->broken = true;
        return error_set(why, "the order is not open");
    }
    state->order = opened->order;
    if (adapt(&state->order, &binding->request, why))
        return true;
    order_unbind(binding);
    binding->state = NULL;
    return false;
}

/* Makes the plan of a length ready. */
static bool plan_for(struct order_state *state, size_t length, struct error *error) {
    if (state->plan && state->length == length)
        return true;
    order_plan_close(state->plan);
    state->plan = order_plan_open(&state->order, length, error);
    state->length = length;
    return state->plan;
}

/* What comes in, in the format of the order's last sum, which need not be that of the results; for free(). */
static void *load_addend(const struct order_state *state, const struct array *c, uint64_t first,
                         size_t count) {
    const struct format *format = order_plan_sum_format(state->plan);
    void *codes = malloc(count * format_bytes(format));
    for (size_t i = 0; codes && i < count; i++)
        code_store(codes, format_bytes(format), i, element_load(c, format, first + i));
    return codes;
}

/* By a plain addition, to sums of an order that has no place for it. */
static void add_addend(const struct array *c, uint64_t first, size_t count, void *results) {
    const struct order_node addition = order_node_plain(c->format, ROUND_NEAREST_EVEN);
    for (size_t i = 0; i < count; i++) {
        const uint64_t sum = code_load(results, format_bytes(c->format), i),
                       onto = array_code(c, first + i);
        const struct order_term term = order_term_of(&addition, c->format, sum);
        code_store(results, format_bytes(c->format), i, order_node_add(&addition, &term, 1, &onto));
    }
}

/* Results `first` and on of a call, in which c may come in. */
static bool run(struct order_state *state, size_t count, const struct order_terms *x,
                const struct order_terms *w, const struct array_call *call, uint64_t first,
                void *results, struct error *error) {
    const struct array *c = array_addend(call);
    const bool takes = c && order_plan_takes_c(state->plan);
    void *codes = takes ? load_addend(state, c, first, count) : NULL;
    const bool good = (codes || !takes) && order_plan_run(state->plan, count, x, w, codes, results);
    free(codes);
    if (good && c && !takes)
        add_addend(c, first, count, results);
    return good || error_set(error, "out of memory");
}

/* The codes of successive lines, one after the other. */
static void gather(const struct array *array, const struct slices *slices, uint64_t first,
                   size_t count, void *to) {
    const size_t bytes = format_bytes(array->format);
    for (size_t line = 0; line < count; line++)
        for (uint64_t i = 0; i < slices->length; i++)
            code_store(to, bytes, line * (size_t)slices->length + (size_t)i,
                       array_code(array, slice_place(slices, first + line, i)));
}

/* Lines that are there in `x`, and in `w` where the operation has products. */
struct lines {
    struct order_terms x, w;
    bool products;
    size_t count;
};

/* Of each line the sum of all elements. */
static bool sum_lines(struct order_state *state, const struct array_call *call, uint64_t first,
                      const struct lines *lines, size_t length, struct error *error) {
    const struct array *result = &call->results[0];
    char *at = (char *)result->codes + first * format_bytes(result->format);
    return plan_for(state, length, error) &&
           run(state, lines->count, &lines->x, lines->products ? &lines->w : NULL, call, first, at,
               error);
}

/* Of each line the sums of what is there so far. What is before the first element of an exclusive scan is +0. */
static bool scan_lines(struct order_state *state, const struct array_call *call,
                       const struct slices *slices, uint64_t first, const struct lines *lines,
                       struct error *error) {
    const struct array *result = &call->results[0];
    const uint64_t skip = parameter_flag(call->parameters, PARAMETER_EXCLUSIVE);
    uint64_t sums[LINES] = {0};
    for (uint64_t i = 0; i < slices->length; i++) {
        if (i >= skip && (!plan_for(state, (size_t)(i - skip) + 1, error) ||
                          !run(state, lines->count, &lines->x, NULL, call, 0, sums, error)))
            return false;
        for (size_t line = 0; line < lines->count; line++)
            array_set_code(result, slice_place(slices, first + line, i),
                           code_load(sums, format_bytes(result->format), line));
    }
    return true;
}

static bool fill_lines(struct order_state *state, const struct array_call *call,
                       struct error *error) {
    const struct slices slices = slices_of(call);
    const struct array *x = &call->operands[0], *w = &call->operands[1];
    const bool products = call->rule->operand_names[1];
    const size_t length = (size_t)slices.length, bytes = format_bytes(x->format);
    char *memory = malloc(2 * LINES * length * bytes);
    bool good = memory || error_set(error, "out of memory");
    for (uint64_t first = 0; good && first < slices.count; first += LINES) {
        size_t count = slices.count - first < LINES ? (size_t)(slices.count - first) : LINES;
        struct lines lines = {.x = {memory, length, 1},
                              .w = {memory + LINES * length * bytes, length, 1},
                              .products = products,
                              .count = count};
        gather(x, &slices, first, count, memory);
        if (products)
            gather(w, &slices, first, count, memory + LINES * length * bytes);
        good = call->rule->lines == LINES_SCANNED
                   ? scan_lines(state, call, &slices, first, &lines, error)
                   : sum_lines(state, call, first, &lines, length, error);
    }
    free(memory);
    return good;
}

/* Each row with all columns. */
static bool fill_product(struct order_state *state, const struct array_call *call,
                         struct error *error) {
    const struct array *a = &call->operands[0], *b = &call->operands[1],
                       *result = &call->results[0];
    const size_t rows = (size_t)a->shape.extents[0], inner = (size_t)a->shape.extents[1];
    const size_t columns = (size_t)b->shape.extents[1];
    bool good = plan_for(state, inner, error);
    for (size_t i = 0; good && i < rows; i++) {
        const struct order_terms x = {(char *)a->codes + i * inner * format_bytes(a->format), 0, 1};
        const struct order_terms w = {b->codes, 1, columns};
        good = run(state, columns, &x, &w, call, i * columns,
                   (char *)result->codes + i * columns * format_bytes(result->format), error);
    }
    return good;
}

static bool order_fill(struct binding *binding, const struct slice *slice, event_function *event,
                       void *context, struct error *error) {
    const struct array_call *call = slice->array;
    (void)event;
    (void)context;
    return (call->rule->lines == LINES_PRODUCT ? fill_product : fill_lines)(binding->state, call,
                                                                            error);
}

static void order_build(const struct binding *binding, char text[BUILD_TEXT]) {
    build_of_file(path_of(binding->implementation), text);
}

const struct implementation_kind implementation_order = {
    .name = "order:",
    .summary = "order:FILE: sums of arrays in the order and the arithmetic of a document "
               "(detcheck-order(7))",
    .takes_arrays = true,
    .open = order_open_file,
    .bind = order_bind,
    .fill = order_fill,
    .unbind = order_unbind,
    .build = order_build,
};

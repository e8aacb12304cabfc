/* Sums by an order as functions of C: lines are gathered from arrays of any strides, and run by order/order.h. */
#include "order/library/sums.h"

#include "order/order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct detmath_order {
    struct order order;
    char hash[17];
};

static int fail(struct detmath_error *error, const char *text) {
    if (error)
        snprintf(error->text, sizeof error->text, "%s", text);
    return -1;
}

/* ---- Documents ---- */

static struct detmath_order *keep(bool good, struct detmath_order *order, const struct error *why,
                                  struct detmath_error *error) {
    if (good) {
        order_identity(&order->order, order->hash);
        return order;
    }
    fail(error, why->text);
    free(order);
    return NULL;
}

struct detmath_order *detmath_order_read(const char *path, struct detmath_error *error) {
    struct error why = {"out of memory"};
    struct detmath_order *order = calloc(1, sizeof *order);
    return keep(order && order_read(path, &order->order, &why), order, &why, error);
}

struct detmath_order *detmath_order_parse(const char *text, size_t length,
                                          struct detmath_error *error) {
    struct error why = {"out of memory"};
    struct detmath_order *order = NULL;
    if (length > ORDER_MOST_BYTES)
        error_set(&why, "order: more than %d bytes", ORDER_MOST_BYTES);
    else
        order = calloc(1, sizeof *order);
    return keep(order && order_read_text(text, length, "order", &order->order, &why), order, &why,
                error);
}

void detmath_order_free(struct detmath_order *order) {
    if (order)
        order_close(&order->order);
    free(order);
}

const char *detmath_order_name(const struct detmath_order *order) {
    return order->order.name;
}

const char *detmath_order_operation(const struct detmath_order *order) {
    return order->order.operation;
}

const char *detmath_order_format(const struct detmath_order *order) {
    return order->order.format->name;
}

const char *detmath_order_result(const struct detmath_order *order) {
    return order->order.result->name;
}

const char *detmath_order_hash(const struct detmath_order *order) {
    return order->hash;
}

int detmath_order_knows(const struct detmath_order *order, size_t terms) {
    return order_knows(&order->order, terms);
}

/* What was printed, as snprintf has it; the stream is closed, and `printed` freed. */
static size_t hand_over(FILE *stream, char **printed, const size_t *size, char *text, size_t room) {
    bool good = stream && fclose(stream) == 0;
    size_t length = good ? *size : 0, taken = length < room ? length : room - (room > 0);
    if (taken)
        memcpy(text, *printed, taken);
    if (room)
        text[taken] = '\0';
    free(*printed);
    return length;
}

size_t detmath_order_words(const struct detmath_order *order, char *text, size_t room) {
    char *printed = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&printed, &size);
    if (stream)
        order_print(&order->order, stream);
    return hand_over(stream, &printed, &size, text, room);
}

size_t detmath_order_compare(const struct detmath_order *a, const struct detmath_order *b,
                             char *text, size_t room, int *all, struct detmath_error *error) {
    char *printed = NULL;
    size_t size = 0;
    struct order_compared compared = {.all = false};
    struct error why = {"out of memory"};
    FILE *stream = open_memstream(&printed, &size);
    bool good = stream && order_compare(&a->order, &b->order, stream, &compared, &why);
    size_t length = hand_over(stream, &printed, &size, text, room);
    if (all)
        *all = good ? compared.all && !length : -1;
    if (!good)
        fail(error, why.text);
    return good ? length : 0;
}

/* ---- Arrays ---- */

/* An array with the axis along which it is summed last: of `lines` lines of `length` elements. */
struct view {
    const char *codes;
    size_t bytes, length, lines;
    ptrdiff_t stride; /* from element to element of a line */
    int dimensions;   /* the others */
    size_t extents[DETMATH_ORDER_DIMENSIONS];
    ptrdiff_t strides[DETMATH_ORDER_DIMENSIONS];
    bool whole; /* the line goes through all dimensions */
};

static bool view_of(struct view *view, const struct order *order,
                    const struct detmath_order_array *array, int axis, struct error *error) {
    ptrdiff_t strides[DETMATH_ORDER_DIMENSIONS], next = 1;
    size_t all = 1;
    const int dimensions = array->dimensions;
    *view = (struct view){.codes = array->codes, .bytes = format_bytes(order->format), .lines = 1};
    if (dimensions < 0 || dimensions > DETMATH_ORDER_DIMENSIONS)
        return error_set(error, "an array has 0 to %d dimensions, not %d", DETMATH_ORDER_DIMENSIONS,
                         dimensions);
    for (int i = dimensions; i-- > 0;) {
        strides[i] = array->strides ? array->strides[i] : next;
        if (array->extents[i] && all > (size_t)PTRDIFF_MAX / array->extents[i])
            return error_set(error, "an array has more elements than memory can hold");
        all *= array->extents[i];
        next = (ptrdiff_t)all;
    }
    view->whole = axis == DETMATH_ORDER_WHOLE;
    if (!view->whole && (axis < -dimensions || axis >= dimensions))
        return error_set(error, "an array of %d dimensions has no axis %d", dimensions, axis);
    axis = axis < 0 && !view->whole ? axis + dimensions : axis;
    for (int i = 0; i < dimensions; i++) {
        if (i == axis) {
            view->length = array->extents[i];
            view->stride = strides[i];
            continue;
        }
        view->extents[view->dimensions] = array->extents[i];
        view->strides[view->dimensions++] = strides[i];
        view->lines *= view->whole ? 1 : array->extents[i];
    }
    if (view->whole)
        view->length = all;
    return true;
}

/* Where number `index` of the places of the other dimensions lies, row by row. */
static ptrdiff_t place_of(const struct view *view, size_t index) {
    ptrdiff_t place = 0;
    for (int i = view->dimensions; i-- > 0;) {
        place += (ptrdiff_t)(index % view->extents[i]) * view->strides[i];
        index /= view->extents[i];
    }
    return place;
}

/* One line, its elements close together. */
static void gather(const struct view *view, size_t line, char *to) {
    const ptrdiff_t start = view->whole ? 0 : place_of(view, line);
    for (size_t i = 0; i < view->length; i++) {
        ptrdiff_t at = view->whole ? place_of(view, i) : start + (ptrdiff_t)i * view->stride;
        memcpy(to + i * view->bytes, view->codes + at * (ptrdiff_t)view->bytes, view->bytes);
    }
}

/* ---- Sums ---- */

/* Lines that are gathered and summed together. */
enum { LINES = 64 };

/* Lines of x, multiplied with those of y where there are any. */
static bool sum_lines(struct order_plan *plan, const struct view *x, const struct view *y,
                      char *results, size_t result_bytes, struct error *error) {
    const size_t together = x->lines < LINES ? x->lines : LINES, pitch = x->length * x->bytes;
    char *memory = malloc((y ? 2 : 1) * together * pitch + 1);
    const struct order_terms a = {memory, x->length, 1},
                             b = {memory ? memory + together * pitch : NULL, x->length, 1};
    bool good = memory;
    for (size_t first = 0; good && first < x->lines; first += together) {
        size_t count = x->lines - first < together ? x->lines - first : together;
        for (size_t line = 0; line < count; line++) {
            gather(x, first + line, memory + line * pitch);
            if (y)
                gather(y, first + line, memory + (together + line) * pitch);
        }
        good = order_plan_run(plan, count, &a, y ? &b : NULL, NULL, results + first * result_bytes);
    }
    free(memory);
    return good || error_set(error, "out of memory");
}

/* Rows of a with all columns of b. */
static bool multiply(struct order_plan *plan, const struct view *a, const struct view *b,
                     char *results, size_t result_bytes, struct error *error) {
    const size_t pitch = a->length * a->bytes;
    char *row = malloc(pitch + 1), *columns = malloc(b->lines * pitch + 1);
    const struct order_terms x = {row, 0, 1}, w = {columns, b->length, 1};
    bool good = row && columns;
    for (size_t column = 0; good && column < b->lines; column++)
        gather(b, column, columns + column * pitch);
    for (size_t i = 0; good && i < a->lines; i++) {
        gather(a, i, row);
        good = order_plan_run(plan, b->lines, &x, &w, NULL, results + i * b->lines * result_bytes);
    }
    free(row);
    free(columns);
    return good || error_set(error, "out of memory");
}

typedef bool run_function(struct order_plan *plan, const struct view *x, const struct view *y,
                          char *results, size_t result_bytes, struct error *error);

static int compute(const struct detmath_order *order, const char *operation, const struct view *x,
                   const struct view *y, size_t lines, run_function *run, void *results,
                   size_t count, struct detmath_error *error) {
    struct error why = {""};
    const struct order used = order_for(&order->order, operation);
    bool good = count == lines || error_set(&why, "there are %zu results, not %zu", lines, count);
    if (good && lines) {
        struct order_plan *plan = order_plan_open(&used, x->length, &why);
        good = plan && run(plan, x, y, results, format_bytes(used.result), &why);
        order_plan_close(plan);
    }
    return good ? 0 : fail(error, why.text);
}

static int sum_along(const struct detmath_order *order, const char *operation,
                     const struct detmath_order_array *x, int axis, void *sums, size_t count,
                     struct detmath_error *error) {
    struct view view;
    struct error why;
    if (!view_of(&view, &order->order, x, axis, &why))
        return fail(error, why.text);
    return compute(order, operation, &view, NULL, view.lines, sum_lines, sums, count, error);
}

int detmath_sum_by_order(const struct detmath_order *order, const struct detmath_order_array *x,
                         int axis, void *sums, size_t count, struct detmath_error *error) {
    return sum_along(order, "sum", x, axis, sums, count, error);
}

int detmath_mean_by_order(const struct detmath_order *order, const struct detmath_order_array *x,
                          int axis, void *means, size_t count, struct detmath_error *error) {
    return sum_along(order, "mean", x, axis, means, count, error);
}

int detmath_dot_by_order(const struct detmath_order *order, const struct detmath_order_array *x,
                         const struct detmath_order_array *y, int axis, void *sums, size_t count,
                         struct detmath_error *error) {
    struct view views[2];
    struct error why;
    bool same = x->dimensions == y->dimensions;
    for (int i = 0; same && i < x->dimensions; i++)
        same = x->extents[i] == y->extents[i];
    if (!same)
        return fail(error, "arrays of a dot product must have the same extents");
    if (!view_of(&views[0], &order->order, x, axis, &why) ||
        !view_of(&views[1], &order->order, y, axis, &why))
        return fail(error, why.text);
    return compute(order, "dot", &views[0], &views[1], views[0].lines, sum_lines, sums, count,
                   error);
}

int detmath_matmul_by_order(const struct detmath_order *order, const struct detmath_order_array *a,
                            const struct detmath_order_array *b, void *results, size_t count,
                            struct detmath_error *error) {
    struct view views[2];
    struct error why;
    if (a->dimensions != 2 || b->dimensions != 2 || a->extents[1] != b->extents[0])
        return fail(error, "a matrix product is of ROWSxINNER and INNERxCOLUMNS");
    if (!view_of(&views[0], &order->order, a, 1, &why) ||
        !view_of(&views[1], &order->order, b, 0, &why))
        return fail(error, why.text);
    if (views[1].lines && views[0].lines > (size_t)PTRDIFF_MAX / views[1].lines)
        return fail(error, "an array has more elements than memory can hold");
    return compute(order, "matmul", &views[0], &views[1], views[0].lines * views[1].lines, multiply,
                   results, count, error);
}

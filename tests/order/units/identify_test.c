/* What `reveal` says of matrix units whose factors are too narrow for probes of single terms, beside their rows: the model that
 * is left has the row's parameters. Rows with scales are revealed by mx.matmul, those of factors of 6 and 4 bits by matmul with
 * c, those of whole numbers by dyadic.dot with c. So it has of rows with a bit more in alignment, with half as many products
 * a call, rounding down, or c after the sum, and then no row fits. What no call can show is open, and nothing else is. A row of
 * each kind is tried, and another one with a change; all of them, and more cases, with ALL_ROWS in the environment. */
#include "op/mx/rows.h"
#include "order/units.h"
#include "reveal/identify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEW = 1000, MANY = 10000 };
static const volatile sig_atomic_t never;

/* ---- An implementation that is a row, or nearly ---- */

static const struct unit *planted;

static bool bind(struct binding *binding, struct error *why) {
    (void)binding;
    (void)why;
    return true;
}

static void unbind(struct binding *binding) {
    (void)binding;
}

/* A row times a column, by the definition, onto c where it comes in. */
static bool fill(struct binding *binding, const struct slice *slice, event_function *event,
                 void *context, struct error *error) {
    const struct array *operands = slice->array->operands, *addend = array_addend(slice->array);
    const int last = planted->scales ? MX_Y_SCALES : 1;
    uint64_t codes[4][256];
    (void)binding;
    (void)event;
    (void)context;
    (void)error;
    for (int i = 0; i <= last; i++)
        for (uint64_t k = 0; k < shape_elements(&operands[i].shape); k++)
            codes[i][k] = array_code(&operands[i], k);
    const uint64_t c = addend ? array_code(addend, 0) : 0;
    const size_t terms = (size_t)shape_elements(&operands[0].shape);
    array_set_code(&slice->array->results[0], 0,
                   planted->scales ? unit_scaled_dot(planted, codes[MX_X], codes[MX_X_SCALES],
                                                     codes[MX_Y], codes[MX_Y_SCALES], terms, &c)
                                   : unit_dot(planted, codes[0], codes[1], terms, &c));
    return true;
}

static const struct implementation_kind kind = {
    .name = "planted", .takes_arrays = true, .bind = bind, .fill = fill, .unbind = unbind};

/* ---- What is found ---- */

static bool all_rows(void) {
    return getenv("ALL_ROWS") != NULL;
}

static void give_format(struct binding_request *request, enum parameter_number number,
                        const struct format *format) {
    request->parameters.values[number] =
        (struct parameter_value){.present = true, .format = format};
}

static void give_number(struct binding_request *request, enum parameter_number number,
                        int64_t integer) {
    request->parameters.values[number] =
        (struct parameter_value){.present = true, .integer = integer};
}

enum { WRAPS, SATURATES };

/* What is asked to have the unit's products, with c or without. */
static struct binding_request request_for(const struct unit *unit, bool addend, int overflow) {
    struct error error;
    const bool is_whole = unit->format->is_integer;
    struct binding_request request = {.operation = operation_find(unit->scales ? "mx.matmul"
                                                                  : is_whole   ? "dyadic.dot"
                                                                               : "matmul",
                                                                  &error),
                                      .format = unit->format,
                                      .rounding = ROUND_NEAREST_EVEN};
    if (unit->scales) {
        give_format(&request, PARAMETER_SCALE_FORMAT, unit->scales->format);
        give_number(&request, PARAMETER_BLOCK, unit->scales->block);
    } else if (is_whole) {
        give_number(&request, PARAMETER_ON_OVERFLOW, overflow);
    } else {
        give_format(&request, PARAMETER_DTYPE, unit->node->result);
        give_format(&request, PARAMETER_ACCUMULATE, unit->node->result);
    }
    if (addend)
        give_number(&request, PARAMETER_ADDEND, 1);
    return request;
}

static void find(const struct unit *unit, bool addend, int overflow, struct identified *found) {
    struct implementation implementation = {.kind = &kind, .name = "planted"};
    const struct binding_request request = request_for(unit, addend, overflow);
    struct called_cases called;
    struct error error = {""};
    planted = unit;
    assert_true(called_cases_take(&request));
    if (!called_cases_open(&called, &implementation, &request, &error))
        fail_msg("%s", error.text);
    if (!identify(found, &called, all_rows() ? MANY : FEW, 1, &never, &error))
        fail_msg("%s", error.text);
    called_cases_close(&called);
    print_message("%s %s to %s%s: %zu models of %zu, %zu rows\n", unit->name, unit->format->name,
                  unit->node->result->name, addend ? " with c" : "", found->fit.point_count,
                  found->fit.tried, found->fit.row_count);
    assert_true(identify_any(found));
}

/* But for the groups. */
static bool is_unit(const struct grid_model *model, const struct unit *unit) {
    const struct order_node *found = &model->node, *wanted = unit->node;
    const enum grid_c c = wanted->c == ORDER_C_AFTER_SUM ? GRID_C_AFTER_SUM : GRID_C_WITH_TERMS;
    return model->call == unit->call && !model->halves &&
           model->together == (unit->scales ? unit->scales->group : 1) && model->c == c &&
           found->aligned_bits == wanted->aligned_bits && found->alignment == wanted->alignment &&
           !found->sticky && found->rounding == wanted->rounding && !found->result_precision &&
           !found->products_normalised && !found->flush_operands && !found->flush_results;
}

/* How many models that are left are the unit, but for their groups. */
static size_t count_units(const struct identified *found, const struct unit *unit) {
    size_t same = 0;
    for (size_t i = 0; i < found->fit.point_count; i++) {
        struct grid_model model;
        grid_model(&found->fit.grid, &found->fit.points[i], &model);
        same += is_unit(&model, unit);
    }
    return same;
}

static void hold_rows(const struct identified *found, size_t rows, bool fit) {
    assert_int_equal(found->fit.row_count, rows);
    for (size_t i = 0; i < rows; i++)
        assert_int_equal(fit_row_fits(&found->fit.rows[i]), fit);
}

/* The unit is among the models that are left, and of a row it is the only one. */
static void check_blocks(const struct unit *unit, bool addend, bool is_row) {
    static struct identified found;
    find(unit, addend, WRAPS, &found);
    hold_rows(&found, 2, is_row);
    /* Scales of 4 bits of exponent reach from the largest to the bit behind 35, and to no least number of fp32. */
    const bool is_narrow = unit->scales->format == &formats[FORMAT_FP8_E4M3FN];
    assert_true(found.fit.grid.tiny_operands);
    if (!addend)
        assert_int_equal(found.fit.grid.tiny_results, !is_narrow);
    if (is_row || !is_narrow)
        assert_int_equal(found.fit.point_count, 1);
    assert_int_equal(count_units(&found, unit), 1);
    identify_close(&found);
}

/* Every model that is left has the unit's calls, and c after the sum, or with the products and more bits than the row: in fp16 all
 * bits of c are kept then. */
static void hold_place_and_call(const struct identified *found, const struct unit *unit) {
    for (size_t i = 0; i < found->fit.point_count; i++) {
        struct grid_model model;
        grid_model(&found->fit.grid, &found->fit.points[i], &model);
        const int bits = model.node.aligned_bits;
        assert_int_equal(model.call, unit->call);
        assert_true(model.c == GRID_C_AFTER_SUM ||
                    (unit->node->result == &formats[FORMAT_FP16] && model.c == GRID_C_WITH_TERMS &&
                     (bits == ORDER_ALL_BITS || bits > unit->node->aligned_bits)));
    }
}

/* Sums in fp16 hold all products without a cut, so that groups are the same as none where a row cuts c; and where c comes after
 * the sum, nothing is cut at all. */
static void check_narrow(const struct unit *unit, bool is_row) {
    static struct identified found;
    const bool is_fp32 = unit->node->result == &formats[FORMAT_FP32];
    find(unit, true, WRAPS, &found);
    hold_rows(&found, 2, is_row);
    assert_true(found.fit.grid.tiny_operands && found.fit.grid.tiny_results);
    const size_t same = count_units(&found, unit);
    assert_in_range(same, 1, 2);
    if (unit->node->c == ORDER_C_AFTER_SUM) {
        hold_place_and_call(&found, unit);
    } else {
        assert_int_equal(same, found.fit.point_count);
        assert_true(same == 1 || !is_fp32);
        assert_true(same == 2 || is_fp32 || !is_row);
    }
    identify_close(&found);
}

/* Sums that wrap are one function however they are cut into calls, and wherever c comes in; those that stop tell the call. */
static void check_whole(const struct unit *unit, int overflow, bool is_row) {
    enum { CALLS = 7, PLACES = 3 };
    static struct identified found;
    struct unit saturating = *unit;
    struct error error;
    if (overflow == SATURATES && !unit_saturate(unit, &saturating, &error))
        fail_msg("%s", error.text);
    find(&saturating, true, overflow, &found);
    hold_rows(&found, 9, is_row);
    assert_int_equal(found.fit.point_count, overflow == SATURATES ? PLACES - 1 : CALLS * PLACES);
    for (size_t i = 0; i < found.fit.point_count; i++) {
        struct grid_model model;
        grid_model(&found.fit.grid, &found.fit.points[i], &model);
        assert_int_equal(model.node.overflow_is_infinite, overflow == WRAPS);
        assert_true(overflow == WRAPS || model.call == unit->call);
        assert_true(model.c <= (overflow == WRAPS ? GRID_C_LAST : GRID_C_AFTER_SUM));
    }
    identify_close(&found);
}

/* ---- Rows ---- */

enum { BLOCKS, NARROW, WHOLE };

static bool is_kind(const struct unit *unit, int wanted) {
    return wanted == BLOCKS   ? unit->scales != NULL
           : wanted == NARROW ? !unit->scales && unit->format->width < 8
                              : unit->format->is_integer && !unit->scales;
}

/* Number `index` of a kind; NULL beyond the last. Rows of one kind come twice or more in the table. */
static const struct unit *row_of(int wanted, size_t index) {
    for (size_t i = 0; i < unit_count; i++)
        if (is_kind(&units[i], wanted) && !index--)
            return &units[i];
    return NULL;
}

static void test_rows_have_their_own_parameters(void **state) {
    static const size_t counts[] = {[BLOCKS] = 14, [NARROW] = 12, [WHOLE] = 9};
    (void)state;
    for (int wanted = BLOCKS; wanted <= WHOLE; wanted++) {
        const struct unit *unit;
        size_t rows = 0;
        for (size_t i = 0; (unit = row_of(wanted, i)); i++) {
            rows++;
            if (!all_rows() && i)
                continue;
            if (wanted == BLOCKS)
                check_blocks(unit, false, true);
            if (wanted == BLOCKS && all_rows())
                check_blocks(unit, true, true);
            if (wanted == NARROW)
                check_narrow(unit, true);
            for (int overflow = WRAPS; wanted == WHOLE && overflow <= SATURATES; overflow++)
                check_whole(unit, overflow, true);
        }
        assert_int_equal(rows, counts[wanted]);
    }
}

enum { MORE_BITS, HALF_A_CALL, DOWN, C_AFTER_SUM, CHANGES };

static struct unit changed(const struct unit *row, int change, struct order_node *node) {
    enum { EXACTLY = 60 };
    struct unit unit = *row;
    *node = *row->node;
    unit.node = node;
    node->aligned_bits += change == MORE_BITS;
    if (change == HALF_A_CALL)
        unit.call /= 2;
    if (change == DOWN) {
        node->alignment = node->rounding = ORDER_DOWN;
        node->overflow_is_infinite = true; /* as the grid has it */
    }
    if (change == C_AFTER_SUM) {
        node->c = ORDER_C_AFTER_SUM;
        node->joined_bits = node->c_bits = EXACTLY;
        node->joining = node->alignment;
    }
    return unit;
}

static void test_neighbours_of_rows_are_told_apart(void **state) {
    enum { MXFP4 = 4, KINDS = 7 };
    struct order_node node;
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (int change = 0; change < C_AFTER_SUM; change++) {
            const struct unit unit = changed(row_of(BLOCKS, i), change, &node);
            if (all_rows() || (i == MXFP4 && change == MORE_BITS))
                check_blocks(&unit, false, false);
        }
    for (size_t i = 0; row_of(NARROW, i); i++)
        for (int change = 0; change < CHANGES; change++) {
            const struct unit unit = changed(row_of(NARROW, i), change, &node);
            if (all_rows() || ((i == 2 || i == 3) && change == C_AFTER_SUM))
                check_narrow(&unit, false);
        }
    const struct unit half = changed(row_of(WHOLE, 0), HALF_A_CALL, &node);
    check_whole(&half, SATURATES, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_have_their_own_parameters),
                                       cmocka_unit_test(test_neighbours_of_rows_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What `reveal mx.matmul` says of each matrix unit with scales beside its row: the one model that is left has the row's
 * parameters. So it has of a row with a bit more in alignment, with half as many products a call, or rounding down, and
 * then no row fits. One row is tried, and another one with a bit more; all of them, and more cases, with ALL_ROWS in the
 * environment. */
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

/* A row times a column, by the definition. */
static bool fill(struct binding *binding, const struct slice *slice, event_function *event,
                 void *context, struct error *error) {
    const struct array *operands = slice->array->operands;
    uint64_t codes[4][256];
    (void)binding;
    (void)event;
    (void)context;
    (void)error;
    for (int i = MX_X; i <= MX_Y_SCALES; i++)
        for (uint64_t k = 0; k < shape_elements(&operands[i].shape); k++)
            codes[i][k] = array_code(&operands[i], k);
    const uint64_t zero = 0;
    array_set_code(&slice->array->results[0], 0,
                   unit_scaled_dot(planted, codes[MX_X], codes[MX_X_SCALES], codes[MX_Y],
                                   codes[MX_Y_SCALES],
                                   (size_t)shape_elements(&operands[MX_X].shape), &zero));
    return true;
}

static const struct implementation_kind kind = {
    .name = "planted", .takes_arrays = true, .bind = bind, .fill = fill, .unbind = unbind};

/* ---- What is found ---- */

static bool all_rows(void) {
    return getenv("ALL_ROWS") != NULL;
}

static void find(const struct unit *unit, struct identified *found) {
    struct implementation implementation = {.kind = &kind, .name = "planted"};
    struct called_cases called;
    struct error error = {""};
    struct binding_request request = {.operation = operation_find("mx.matmul", &error),
                                      .format = unit->format,
                                      .rounding = ROUND_NEAREST_EVEN};
    struct parameter_value *values = request.parameters.values;
    values[PARAMETER_SCALE_FORMAT] =
        (struct parameter_value){.present = true, .format = unit->scales->format};
    values[PARAMETER_BLOCK] =
        (struct parameter_value){.present = true, .integer = unit->scales->block};
    planted = unit;
    if (!called_cases_open(&called, &implementation, &request, &error))
        fail_msg("%s", error.text);
    if (!identify(found, &called, all_rows() ? MANY : FEW, 1, &never, &error))
        fail_msg("%s", error.text);
    called_cases_close(&called);
}

static bool is_unit(const struct grid_model *model, const struct unit *unit) {
    const struct order_node *found = &model->node, *wanted = unit->node;
    return model->call == unit->call && model->together == unit->scales->group &&
           model->c == GRID_C_WITH_TERMS && found->aligned_bits == wanted->aligned_bits &&
           found->alignment == wanted->alignment && !found->sticky &&
           found->rounding == wanted->rounding && !found->result_precision &&
           !found->products_normalised && !found->flush_operands && !found->flush_results;
}

/* The unit is among the models that are left, and of a row it is the only one. */
static void check(const struct unit *unit, bool is_row) {
    static struct identified found;
    size_t same = 0;
    find(unit, &found);
    print_message("%s %s by %s for %u: %zu models of %zu, %zu rows\n", unit->name,
                  unit->format->name, unit->scales->format->name, unit->scales->block,
                  found.fit.point_count, found.fit.tried, found.fit.row_count);
    assert_int_equal(found.fit.row_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(fit_row_fits(&found.fit.rows[i]), is_row);
    assert_true(identify_any(&found));
    /* Scales of 4 bits of exponent reach from the largest to the bit behind 35, and to no least number of fp32. */
    const bool is_narrow = unit->scales->format == &formats[FORMAT_FP8_E4M3FN];
    assert_true(found.fit.grid.tiny_operands);
    assert_int_equal(found.fit.grid.tiny_results, !is_narrow);
    if (is_row || !is_narrow)
        assert_int_equal(found.fit.point_count, 1);
    for (size_t i = 0; i < found.fit.point_count; i++) {
        struct grid_model model;
        grid_model(&found.fit.grid, &found.fit.points[i], &model);
        same += is_unit(&model, unit);
    }
    assert_int_equal(same, 1);
    identify_close(&found);
}

/* Rows of one kind come twice in the table. */
static const struct unit *scaled_row(size_t index) {
    for (size_t i = 0; i < unit_count; i++)
        if (units[i].scales && !index--)
            return &units[i];
    return NULL;
}

static void test_rows_have_their_own_parameters(void **state) {
    enum { MX8 = 0 };
    (void)state;
    const struct unit *unit;
    size_t rows = 0;
    for (size_t i = 0; (unit = scaled_row(i)); i++) {
        rows++;
        if (all_rows() || i == MX8)
            check(unit, true);
    }
    assert_int_equal(rows, 14);
}

static void test_neighbours_of_rows_are_told_apart(void **state) {
    enum { MX8 = 0, MXFP4 = 4, KINDS = 7 };
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (int change = 0; change < 3; change++) {
            struct unit unit = *scaled_row(i);
            struct order_node node = *unit.node;
            unit.node = &node;
            node.aligned_bits += change == 0;
            if (change == 1)
                unit.call /= 2;
            if (change == 2)
                node.alignment = node.rounding = ORDER_DOWN;
            if (all_rows() || (i == MXFP4 && change == 0))
                check(&unit, false);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_have_their_own_parameters),
                                       cmocka_unit_test(test_neighbours_of_rows_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of operations: each row is of an operation that there is, or says why it has none; a row is found by name and
 * attributes. */
#include "trace/names.h"

#include "op/operation.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* How many operands an operation has at most. */
static int operands_of(const struct operation *operation) {
    int count = operation->array ? 0 : operation->operands;
    while (operation->array && count < MAX_ARRAY_OPERANDS && operation->array->operand_names[count])
        count++;
    return count;
}

static int words_of(const char *words) {
    int count = 0;
    for (; *words; words += strspn(words, " ")) {
        words += strcspn(words, " ");
        count++;
    }
    return count;
}

static void test_each_row_has_an_operation_or_a_reason(void **unused) {
    (void)unused;
    size_t count = 0, with = 0;
    for (const struct trace_name *row; (row = trace_name_at(count)); count++) {
        struct error error;
        if (!row->operation) {
            assert_true(row->how == TRACE_NONE || row->how == TRACE_EXACT ||
                        row->how == TRACE_UNINITIALISED);
            assert_non_null(row->limits);
            continue;
        }
        const struct operation *operation = operation_find(row->operation, &error);
        if (!operation)
            fail_msg("%s: %s", row->name, error.text);
        if (row->operands && words_of(row->operands) > operands_of(operation))
            fail_msg("%s: more operands than %s has", row->name, row->operation);
        const bool of_arrays = row->how != TRACE_ELEMENTS && row->how != TRACE_CAST;
        if (of_arrays != (operation->array != NULL))
            fail_msg("%s: %s is not computed in that way", row->name, row->operation);
        if (row->parameters) {
            struct parameters parameters = {{{0}}};
            parameters_read(&parameters, row->parameters);
            assert_true(parameters_present(&parameters) != 0);
        }
        with++;
    }
    assert_true(count > 250 && with > 150);
}

/* A row behind one of the same name that takes all is never found. */
static void test_rows_of_a_name_end_with_one_that_takes_all(void **unused) {
    (void)unused;
    for (size_t i = 0; trace_name_at(i); i++)
        for (size_t k = i + 1; trace_name_at(k); k++)
            if (strcmp(trace_name_at(i)->name, trace_name_at(k)->name) == 0 &&
                !trace_name_at(i)->when)
                fail_msg("%s has a row that is never found", trace_name_at(k)->name);
}

/* What the row that is found says: an operation, "" for none; "-" where there is no row. */
static const char *found(const char *recorder, const char *name, const char *attributes) {
    const struct trace trace = {.recorder = recorder};
    cJSON *tree = cJSON_Parse(attributes);
    const struct trace_operation operation = {.name = name, .attributes = tree};
    const struct trace_name *row = trace_name_find(&trace, &operation);
    cJSON_Delete(tree);
    return !row ? "-" : row->operation ? row->operation : "";
}

static void test_rows_are_found_by_name_and_attributes(void **unused) {
    (void)unused;
    assert_string_equal(found("torch", "aten.mm.default", "{}"), "matmul");
    assert_string_equal(found("torch", "aten.mmm.default", "{}"), "-");
    assert_string_equal(found("torch", "aten.gelu.default", "{}"), "gelu");
    assert_string_equal(found("torch", "aten.gelu.default", "{\"approximate\":\"none\"}"), "gelu");
    assert_string_equal(found("torch", "aten.gelu.default", "{\"approximate\":\"tanh\"}"),
                        "gelu_tanh");
    assert_string_equal(found("torch", "aten.add.Tensor", "{}"), "add");
    assert_string_equal(found("torch", "aten.add.Tensor", "{\"alpha\":1}"), "add");
    assert_string_equal(found("torch", "aten.add.Tensor", "{\"alpha\":2}"), "");
    assert_string_equal(found("torch", "aten.div.Tensor_mode", "{\"rounding_mode\":\"floor\"}"),
                        "");
    assert_string_equal(found("torch", "aten.div.Tensor", "{}"), "div");
    assert_string_equal(found("torch", "aten.add_.Scalar", "{}"), "add");
    assert_string_equal(found("numpy", "numpy.add_", "{}"), "-");
    assert_string_equal(found("torch", "aten.native_batch_norm.default", "{\"training\":true}"),
                        "batch_norm");
    assert_string_equal(found("torch", "aten.native_batch_norm.default", "{\"training\":false}"),
                        "");
    assert_string_equal(found("onnxruntime", "onnx.QuickGelu", "{\"alpha\":1.702}"), "quick_gelu");
    assert_string_equal(found("onnxruntime", "onnx.QuickGelu", "{\"alpha\":1.5}"), "");
    /* Without a framework, by that of the recorder. */
    assert_string_equal(found("onnxruntime", "MatMul", "{}"), "matmul");
    assert_string_equal(found("jax", "logistic", "{}"), "sigmoid");
    assert_string_equal(found("numpy", "logistic", "{}"), "-");
    assert_string_equal(found("numpy", "numpy.add.reduce", "{}"), "sum");
    assert_string_equal(found("numpy", "numpy.add", "{}"), "add");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_has_an_operation_or_a_reason),
        cmocka_unit_test(test_rows_of_a_name_end_with_one_that_takes_all),
        cmocka_unit_test(test_rows_are_found_by_name_and_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

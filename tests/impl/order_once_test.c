/* An order's document is read once, when the implementation is opened: bindings are of what was read then. */
#include "impl/implementation.h"
#include "op/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void write_order(const char *path, const char *rule) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fprintf(file,
                        "{\"schema\":\"detcheck/order/1\",\"name\":\"\",\"source\":\"\","
                        "\"operation\":\"sum\",\"format\":\"fp32\",\"result\":\"fp32\","
                        "\"least\":1,\"most\":9,\"nodes\":[{\"result\":\"fp32\","
                        "\"nan\":\"0x7fc00000\"}],\"rule\":{\"kind\":\"%s\"%s},\"open\":[],"
                        "\"replayed\":0,\"different\":0}",
                        rule, strcmp(rule, "sequential") ? "" : ",\"size\":1") > 0);
    assert_int_equal(fclose(file), 0);
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

/* 1 + 2^24 + 1 - 2^24: from the left 0, in pairs 1. */
static float sum_by(const struct implementation *implementation) {
    static const float x[4] = {1, 0x1p24f, 1, -0x1p24f};
    const struct parameters given = {0};
    struct error why = {{0}};
    struct binding binding;
    struct array_call call = {0};
    struct binding_request request = {.operation = operation_find("sum", &why),
                                      .format = &formats[FORMAT_FP32]};
    assert_true(
        operation_settle(request.operation, request.format, &given, &request.parameters, &why));
    if (!implementation_bind(&binding, implementation, &request, &why))
        fail_msg("%s", why.text);
    call.parameters = &request.parameters;
    const struct shape shape = shape_of(4);
    assert_true(array_call_plan(&call, request.operation->array, request.format, &shape, &why));
    assert_true(array_call_allocate(&call, 1, 1));
    memcpy(call.operands[0].codes, x, sizeof x);
    const struct slice slice = {.count = 1, .array = &call};
    assert_true(binding_fill(&binding, &slice, note_event, NULL, &why));
    float sum;
    memcpy(&sum, call.results[0].codes, sizeof sum);
    array_call_free(&call);
    binding_close(&binding);
    return sum;
}

static void test_read_once(void **context) {
    char path[] = "/tmp/order_once_XXXXXX", name[64];
    struct implementation first, second;
    struct error error = {{0}};
    (void)context;
    assert_true(close(mkstemp(path)) == 0);
    snprintf(name, sizeof name, "order:%s", path);
    write_order(path, "sequential");
    assert_true(implementation_open(&first, name, NULL, &error));
    write_order(path, "pairs");
    assert_true(sum_by(&first) == 0);
    assert_true(implementation_open(&second, name, NULL, &error));
    assert_int_equal(unlink(path), 0);
    assert_true(sum_by(&second) == 1);
    assert_true(sum_by(&first) == 0);
    assert_string_not_equal(first.detail, second.detail);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

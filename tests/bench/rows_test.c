/* Whatever `detcheck bench` times of an operation computes the same: each row beside the first of its
 * operation, a plain loop, on a few elements. (Copies compute nothing.) */
#include "bench/work.h"
#include "op/detmath_format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 256, FEW = 96 };

/* What a call has left: an integer or a real number for each element. */
static size_t outcome_of(const struct bench_work *work, const struct work_row *row,
                         double *numbers) {
    size_t count = work->rows * work->columns;
    bool is_dyadic = strncmp(row->operation, "dyadic.", 7) == 0;
    bool in_codes =
        (is_dyadic && strcmp(row->operation, "dyadic.to_real") != 0) ||
        (strncmp(row->operation, "scaled.", 7) == 0 && strcmp(row->implementation, "det") == 0);
    bool to_sink = strcmp(row->operation, "sum") == 0 || strcmp(row->operation, "mean") == 0 ||
                   strcmp(row->operation, "dot") == 0 || strcmp(row->operation, "logsumexp") == 0;
    for (size_t i = 0; i < count && !to_sink; i++)
        if (!in_codes)
            numbers[i] = (double)work->y[i];
        else if (is_dyadic)
            numbers[i] = (double)((const int32_t *)work->c)[i];
        else
            numbers[i] = (double)((const float *)work->c)[i] * (double)work->scale_c;
    if (to_sink)
        numbers[0] = work->sink;
    return to_sink ? 1 : count;
}

static void check_row(struct bench_work *work, const struct work_row *row,
                      const struct work_row *first) {
    static double want[MOST * MOST], got[MOST * MOST];
    assert_true(first->call(work));
    size_t count = outcome_of(work, first, want);
    if (!row->call(work))
        fail_msg("%s by %s: the library refuses the call", row->operation, row->implementation);
    assert_int_equal(outcome_of(work, row, got), count);
    for (size_t i = 0; i < count; i++) {
        double wanted = want[i], found = got[i];
        double bound = strncmp(row->operation, "dyadic.", 7) == 0 ? 0 : 1e-4 * (1 + fabs(wanted));
        if (!(fabs(found - wanted) <= bound) && !(isnan(wanted) && isnan(found)))
            fail_msg("%s in %s by %s, element %zu: %.9g, not %.9g", row->operation,
                     work->format->name, row->implementation, i, found, wanted);
    }
}

static bool is_comparable(const struct work_row *row) {
    static const char *const others[] = {"mx.", "onnx.", "cast"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(row->operation, others[i], strlen(others[i])) == 0)
            return false;
    return strncmp(row->implementation, "exp", 3) != 0;
}

static void test_rows_agree(void **state) {
    const struct format *const kinds[] = {&formats[FORMAT_FP32], &integer_formats[FORMAT_INT8],
                                          &integer_formats[FORMAT_INT16],
                                          &integer_formats[FORMAT_INT32]};
    struct parameters none = {0};
    struct blas blas;
    struct error error;
    size_t checked = 0;
    bool has_blas = blas_open(&blas, NULL, &error);
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct work_row *first = work_rows;
        for (const struct work_row *row = work_rows; row->operation; row++) {
            if (strcmp(row->operation, first->operation) != 0 || !work_takes(first, kinds[k]))
                first = row;
            if (row == first || !work_takes(row, kinds[k]) || !is_comparable(row) ||
                (!has_blas && strcmp(row->implementation, "blas") == 0))
                continue;
            none.values[PARAMETER_SHAPE_OF] =
                (struct parameter_value){.present = strstr(row->operation, "matmul") ||
                                                    strstr(row->operation, "convolution"),
                                         .shape = {3, {5, 33, 17}}};
            none.values[PARAMETER_TO] =
                (struct parameter_value){.present = strcmp(row->operation, "dyadic.to_real") == 0,
                                         .format = &formats[FORMAT_FP32]};
            const struct work_request request = {.operation =
                                                     operation_find(row->operation, &error),
                                                 .format = kinds[k],
                                                 .parameters = &none,
                                                 .elements = FEW,
                                                 .low = -2,
                                                 .high = 2};
            struct bench_work work;
            assert_true(bench_work_open(&work, &request, &error));
            work.blas = &blas;
            work.scale_a = work.scale_b = 1; /* a plain loop knows of no scales */
            check_row(&work, row, first);
            checked++;
            bench_work_close(&work);
        }
    }
    assert_true(checked >= 68);
}

/* Whole families have a row by det, and one to compare it with. */
static void test_no_operation_is_left_out(void **state) {
    static const char *const families[] = {"scaled.", "dyadic."};
    const struct operation *operation;
    size_t found = 0;
    (void)state;
    for (size_t i = 0; (operation = operation_at(i)); i++)
        for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
            if (strncmp(operation->name, families[k], strlen(families[k])) != 0)
                continue;
            size_t det = 0, others = 0;
            for (const struct work_row *row = work_rows; row->operation; row++)
                if (strcmp(row->operation, operation->name) == 0)
                    *(strcmp(row->implementation, "det") == 0 ? &det : &others) += 1;
            if (!det || !others)
                fail_msg("%s is not timed", operation->name);
            found++;
        }
    assert_true(found >= 49);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_agree),
                                       cmocka_unit_test(test_no_operation_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

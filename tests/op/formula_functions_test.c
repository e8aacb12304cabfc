/* Each function of the table as a step of a formula. At operands that a formula knows exactly its value is the row's own;
 * where one operand or more is no binary fraction (x/3, exp(x)), the function works by other means, and its value is what
 * the row has at the nearest doubles: NaN, an infinity or a zero with its sign, or a number near by. The other operands
 * run over NaN, infinities, zeros and some numbers. */
#include "base/bits.h"
#include "format/format.h"
#include "op/formula/evaluate.h"
#include "op/formula/functions.h"
#include "op/operation.h"
#include "oracle/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS(TABLE) (sizeof(TABLE) / sizeof *(TABLE))

enum { RESULT_BITS = 100, AGREEING_BITS = 15, FAR = 20000, TEXT = 200 };

/* How an operand stands in the formula. */
struct form {
    const char *before, *behind;
    double (*near)(double x); /* NULL: it is exact */
    double inputs[14];
    size_t count;
};

static double third(double x) {
    return x / 3;
}

static double less_exp(double x) {
    return -exp(x);
}

static const struct form exact_form = {"",
                                       "",
                                       NULL,
                                       {0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN,
                                        1, -1, 0.5, 2, -3, 7, 0x1p31, 0x1p40, -0x1p63},
                                       14};
static const struct form forms[] = {{"", "/3", third, {1.1, -1.3, 5.3, -20.9}, 4},
                                    {"exp(", ")", exp, {1, -2}, 2},
                                    {"(-exp(", "))", less_exp, {1, -2}, 2}};

/* The second and the third operand are other numbers than the first, by an eighth. */
static double input_of(const struct form *form, int operand, size_t number) {
    return form->inputs[number] * (form->near ? 1 + 0.125 * operand : 1);
}

/* One function, with a form for each operand. */
struct call {
    const struct operation *operation;
    const struct form *forms[MAX_OPERANDS];
    bool same; /* all operands are the first */
    struct oracle oracle;
    struct formula_work *work;
    mpfr_t result;
    char text[TEXT];
};

static uint64_t judged, refused, wrong;

static void spell(struct call *call) {
    size_t used = (size_t)snprintf(call->text, TEXT, "f(x, y, z) = %s(", call->operation->name);
    for (int i = 0; i < call->operation->operands; i++)
        used += (size_t)snprintf(call->text + used, TEXT - used, "%s%s%c%s", i ? ", " : "",
                                 call->forms[i]->before, call->same ? 'x' : "xyz"[i],
                                 call -> forms[i] -> behind);
    snprintf(call->text + used, TEXT - used, ")");
    if (call->operation->operands < 3) /* the operands that the head has are no more */
        memcpy(call->text,
               call->operation->operands < 2 || call->same ? "f(x)       " : "f(x, y)    ", 11);
}

/* What the row has; of NaN every sign and payload is one. */
static struct real wanted(struct call *call, const double *near) {
    uint64_t codes[MAX_OPERANDS] = {0};
    struct real y;
    struct error error;
    for (int i = 0; i < call->operation->operands; i++)
        codes[i] = bits_of(near[i]);
    if (!oracle_exact(&call->oracle, codes, 0, &y, &error))
        fail_msg("%s: %s", call->text, error.text);
    return y;
}

static bool agrees(const struct real *a, const struct real *b, bool exact) {
    if (a->kind != b->kind)
        return false;
    if (a->kind == REAL_NAN)
        return true;
    if (a->negative != b->negative || a->kind != REAL_FINITE)
        return a->negative == b->negative;
    if (labs(a->exponent) > FAR && labs(b->exponent) > FAR) /* beyond every format */
        return (a->exponent > 0) == (b->exponent > 0);
    mpfr_t p, q;
    mpfr_inits2(128, p, q, (mpfr_ptr)0);
    real_to_mpfr(p, a);
    real_to_mpfr(q, b);
    mpfr_exp_t size = mpfr_get_exp(p);
    mpfr_sub(q, p, q, MPFR_RNDN);
    bool near = mpfr_zero_p(q) || mpfr_get_exp(q) <= size - (exact ? 70 : AGREEING_BITS);
    mpfr_clears(p, q, (mpfr_ptr)0);
    return near;
}

/* Whether what a double cuts from the operand says what the remainder is. */
static bool is_rounded_away(const struct call *call, const double *inputs) {
    const char *name = call->operation->name;
    return call->forms[1] && call->forms[1]->near && fabs(inputs[0]) > 0x1p30 &&
           isfinite(inputs[0]) && (strcmp(name, "fmod") == 0 || strcmp(name, "remainder") == 0);
}

static void judge(struct call *call, const double *inputs) {
    struct real operands[MAX_OPERANDS], got;
    double near[MAX_OPERANDS];
    bool is_special, exact = true;
    int ternary;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        const struct form *form = call->forms[i] ? call->forms[i] : &exact_form;
        operands[i] = real_from_double(inputs[i]);
        near[i] = form->near ? form->near(inputs[i]) : inputs[i];
        exact = exact && !form->near;
    }
    if (is_rounded_away(call, inputs))
        return;
    judged++;
    if (!formula_truncate(call->work, operands, call->result, &ternary, &got, &is_special)) {
        print_message("%s at %g, %g, %g: refused\n", call->text, inputs[0], inputs[1], inputs[2]);
        refused++;
        return;
    }
    if (!is_special)
        got = real_from_mpfr(call->result, ternary);
    struct real want = wanted(call, near);
    if (agrees(&want, &got, exact))
        return;
    print_message("%s at %g, %g, %g: kind %d, sign %d, exponent %d; the row has kind %d, sign %d, "
                  "exponent %d\n",
                  call->text, inputs[0], inputs[1], inputs[2], got.kind, got.negative, got.exponent,
                  want.kind, want.negative, want.exponent);
    wrong++;
}

/* At all tuples of the forms' inputs. */
static void run(struct call *call) {
    size_t at[MAX_OPERANDS] = {0};
    struct error error;
    spell(call);
    struct formula *formula = formula_parse(call->text, &error);
    if (!formula)
        fail_msg("%s", error.text);
    call->work = formula_work_open(formula);
    assert_non_null(call->work);
    int operands = call->same ? 1 : call->operation->operands;
    for (int i = 0; i < operands;) {
        double inputs[MAX_OPERANDS] = {0};
        for (int k = 0; k < call->operation->operands; k++)
            inputs[k] = call->same ? input_of(call->forms[0], 0, at[0])
                                   : input_of(call->forms[k], k, at[k]);
        judge(call, inputs);
        for (i = 0; i < operands && ++at[i] == call->forms[i]->count; i++)
            at[i] = 0;
    }
    formula_work_close(call->work);
    formula_free(formula);
}

/* Each choice of a form for each operand: 0 is the exact one. */
static void run_forms(struct call *call) {
    int choices = 1, operands = call->operation->operands;
    for (int i = 0; i < operands; i++)
        choices *= 1 + (int)ROWS(forms);
    for (int choice = 0; choice < choices; choice++) {
        int rest = choice;
        for (int i = 0; i < operands; i++, rest /= 1 + (int)ROWS(forms)) {
            int form = rest % (1 + (int)ROWS(forms));
            call->forms[i] = form ? &forms[form - 1] : &exact_form;
        }
        if (choice == 0 || !formula_wants_points(call->operation))
            run(call);
    }
    for (size_t form = 0; form < ROWS(forms) && operands == 2; form++) {
        call->forms[0] = call->forms[1] = &forms[form];
        call->same = true;
        if (!formula_wants_points(call->operation))
            run(call);
        call->same = false;
    }
}

static void test_functions_of_enclosed_operands(void **state) {
    struct error error;
    const struct format *format = format_find("fp64", &error);
    int functions = 0;
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        struct call call = {.operation = operation_at(i)};
        if (!formula_takes(call.operation))
            continue;
        oracle_open(&call.oracle, call.operation, format, NULL, oracle_precision(format));
        mpfr_init2(call.result, RESULT_BITS);
        run_forms(&call);
        mpfr_clear(call.result);
        oracle_close(&call.oracle);
        functions++;
    }
    oracle_thread_end();
    print_message("%d functions, %llu values, %llu refused, %llu wrong\n", functions,
                  (unsigned long long)judged, (unsigned long long)refused,
                  (unsigned long long)wrong);
    assert_true(functions > 100 && judged > 15000);
    assert_int_equal(refused, 0);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions_of_enclosed_operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The operations: one row each, and the row is all there is to know about one.
 *
 * Listing, sweeping, evaluation, vectors, man page tables, tests and completions work through the
 * rows and name no operation themselves. To add one is to add a row in table.c. */
#ifndef DETCHECK_OP_OPERATION_H
#define DETCHECK_OP_OPERATION_H

#include "base/error.h"
#include "format/real.h"
#include "op/array.h"
#include "op/function/analytic.h"
#include "op/function/asymptote.h"
#include "op/function/ball.h"
#include "op/function/interval.h"
#include "op/function/pole_rule.h"
#include "op/function/reduction_kind.h"
#include "op/function/section.h"
#include "op/function/supporting_line.h"
#include "op/parameters.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_OPERANDS = 3, MAX_RESULTS = 2, BRACKET_SCRATCH = 4 };

typedef int mpfr_function_2(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
typedef int mpfr_function_3(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/* Encloses the exact result at the precision of `y`, in `scratch` if need be (intervals of the same
 * precision). The operands are finite numbers that `special` has not decided. The exact result must
 * never be a binary fraction (a number k*2^e) here: `special` decides every case where it is. */
typedef void bracket_function(struct interval *y, mpfr_srcptr const *x, struct interval *scratch);

/* Decides an input without computing: returns true and sets *y where the result is exact or
 * follows from Annex F. Called before anything else, NaN operands included. */
typedef bool special_function(struct real *y, const struct real *x);

/* What is true of one result. Exactly one of the functions of MPFR (of as many operands as the row
 * has), or `bracket`, is set. MPFR's functions round correctly and say whether the result is exact,
 * and have the special values of Annex F unless `special` says otherwise. */
struct result_rule {
    const char *name; /* "sin" of sincos; NULL for operations of one result */
    mpfr_function *mpfr1;
    mpfr_function_2 *mpfr2;
    mpfr_function_3 *mpfr3;
    bracket_function *bracket;
    special_function *special;
    ball_function *ball; /* a quicker way beside mpfr1 or bracket, or NULL */
    /* For the fast oracle, of functions of one operand; NULL and none where it has to do without.
     */
    analytic_function *analytic;
    const struct asymptote *asymptotes;            /* ends with a row without a side */
    const struct supporting_line *supporting_line; /* or NULL */
    enum reduction_kind reduction;                 /* op/function/reduction_kind.h */
    const struct section_rule *section;            /* of functions of two operands, or NULL */
    const struct pole_rule *poles;                 /* at the negative integers, or NULL */
    bool has_period_two;                           /* f(x + 2) = f(x), exactly */
    int root; /* 2 or 3 where f(x)^root = x: op/function/exact_root.h; else 0 */
};

/* How C spells a call. Operators stand for operations that are no function of libm but that the
 * platform has: its compiler and processor are then what is measured. */
struct platform_calls {
    const char *symbol; /* of the fp64 function; fp32 adds "f"; NULL: libm has none */
    float (*operator_fp32)(const float *x);
    double (*operator_fp64)(const double *x);
};

struct operation {
    const char *name;
    const char *aliases; /* separated by spaces, or NULL */
    const char *formula; /* as the manual prints it */
    int operands;        /* 1 to MAX_OPERANDS */
    int results;         /* 1 to MAX_RESULTS; a function of two stores them through pointers */
    parameter_set parameters, needed; /* that it takes; those of them that it cannot do without */
    struct parameter_default defaults[3]; /* its own; ends without a text */
    bool stands_alone;                    /* in no group: it is run only where it is named */
    /* Its result is its operand in the format of the results, by the rules of op/conversion.h:
     * stochastic rounding is one of its roundings, and profiles decide what overflow gives. */
    bool converts;
    const char *group; /* the one that it is in, instead of that of its operands */
    /* Operands and results are arrays: op/array.h has what the rest of the row has for numbers. Up
     * to MAX_ARRAY_OPERANDS operands; of each result_rule the name only. */
    const struct array_rule *array;
    const char *format; /* of the operands where none is named; NULL: fp32. The operation is on
                           formats of its kind: integers, elements of blocks, or real numbers. */
    /* An exact zero may be a cancelled sum, whose sign follows the rounding (IEEE 754, 6.3). */
    bool sums;
    struct result_rule result[MAX_RESULTS];
    struct platform_calls platform;
    /* Where something happens besides the formats' own limits: zeros, poles, branch ends, extrema,
     * as decimals or hex floats separated by spaces, or NULL. --special visits the neighbours. */
    const char *landmarks;
    /* Ours, as dispatched: the kernels of det and cr; NULL where there are none. */
    const struct detmath_kernels *(*kernels)(void);
};

extern const struct operation operations[];
extern const size_t operation_count;

/* "all" (of numbers), "unary", "binary", "ternary"; then those that rows name. */
enum { OPERATION_GROUPS = 8 };
extern const char *const operation_groups[OPERATION_GROUPS];

/* Whether that format can be its operands'; else an error that names the right ones. */
bool operation_takes_format(const struct operation *operation, const struct format *format,
                            struct error *error);

/* The values of the parameters for a run on operands in `format`: as parameters_settle, and a format
 * that operands are cast to first must be one that they can have. */
bool operation_settle(const struct operation *operation, const struct format *format,
                      const struct parameters *given, struct parameters *settled,
                      struct error *error);

/* Whether `operation` belongs to the group of that name; false for a name that is no group. */
bool operation_in_group(const struct operation *operation, const char *group);

/* By name or alias; NULL and an error with the nearest name when unknown. */
const struct operation *operation_find(const char *text, struct error *error);

/* The operation that a result is of, by the result's exact name ("sincos.sin"), and which of its
 * results; NULL and an error when no operation has one of that name. */
const struct operation *operation_of_result(const char *name, int *result, struct error *error);

/* "exp", or "sincos.sin" for a result of several. `text` has room for 64 characters. */
const char *operation_result_name(const struct operation *operation, int result, char *text);

#endif

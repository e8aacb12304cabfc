/* What the program knows of an operation: one row.
 *
 * A row says what the operation is called, how many operands and results it has, how the oracle
 * finds the exact result, what the platform calls it, and where its difficult inputs lie. Listing,
 * sweeping, evaluation, vectors, manual pages, completions and tests read the rows. They name no
 * operation themselves.
 *
 * A row stands in the file of its family: src/op/function/ has the functions of numbers, and
 * src/op/array, dyadic, scaled, mx and block have the operations on arrays. op/families.h lists the
 * families.
 *
 * To add a function, write these, and then build the target `renew`. That command writes anew every
 * file that follows from them and says which it wrote:
 *   in src/op/function          the row, in the file of its family; struct result_rule below says
 *                               what each member buys
 *   in src/detmath              the header with the kernels of det and cr, and beside it the Sollya
 *                               script that gives their coefficients
 *   src/detmath/functions.inc   a row that names the kernels; its head says what they must have
 * A row alone is enough for an operation that only other implementations have. */
#ifndef DETCHECK_OP_OPERATION_H
#define DETCHECK_OP_OPERATION_H

#include "base/error.h"
#include "format/format.h"
#include "op/array.h"
#include "op/exceptions.h"
#include "op/function/asymptote.h"
#include "op/function/code_pattern.h"
#include "op/function/interval.h"
#include "op/function/reduction_kind.h"
#include "op/function/supporting_line.h"
#include "op/parameters.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_OPERANDS = 3, MAX_RESULTS = 3, BRACKET_SCRATCH = 4 };

typedef int mpfr_function_2(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
typedef int mpfr_function_3(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

struct formula;

/* Encloses the exact result at the precision of `y`, in `scratch` if need be (intervals of the same
 * precision). The operands are finite numbers that `special` has not decided. The exact result must
 * never be a binary fraction (a number k*2^e) here: `special` decides every case where it is. */
typedef void bracket_function(struct interval *y, mpfr_srcptr const *x, struct interval *scratch);

/* Decides an input without computing: returns true and sets *y where the result is exact or
 * follows from Annex F. Called before anything else, NaN operands included. */
typedef bool special_function(struct real *y, const struct real *x);

/* A result that is a number of few bits for every input, found by a few steps on integers: an
 * operand, an integer next to it, a neighbour. The format is that of the operands. Some of these
 * functions go by the rounding in force (rint); no other result depends on it. */
struct exact_setting {
    const struct format *format;
    enum rounding rounding;
};
typedef struct real exact_function(const struct real *x, const struct exact_setting *setting);

/* The pattern that such results follow from these finite operands on, as the last of them runs upwards:
 * the operand before stays. All results of the pattern are numbers of the format, infinite or NaN. */
typedef struct code_pattern pattern_function(const uint64_t *codes,
                                             const struct exact_setting *setting);

/* Whether f(-x) is f(x), or -f(x), zeros and infinities with their signs. */
enum parity { PARITY_NONE, PARITY_EVEN, PARITY_ODD };

/* What is true of one result.
 *
 * The truth. Exactly one of mpfr1, mpfr2, mpfr3 (of as many operands as the row has), `bracket` and
 * `exact` is set; every command asks it. MPFR's functions round correctly, say whether the result is exact,
 * and have the special values of Annex F unless `special` says otherwise.
 *
 * Everything else may be left out, and then every result is still right. What is there makes the
 * oracle quick where many results are wanted: in `sweep`, and in the search of `emit` for the hardest
 * inputs of fp32.
 *   arb->ball, ball2 a result that MPFR takes 1 to 40 us for takes Arb a fifth of that or less
 *   arb->analytic    consecutive inputs of fp32, fp16 and bf16 are decided by a polynomial with a
 *                    proved bound on its error, at a few nanoseconds each: all of fp32 takes a
 *                    minute and not hours. Without it the fast oracle does nothing for functions of
 *                    one operand, and asks none of the next six members.
 *   asymptotes       the ends, where results run into 0, 1, x or the largest number so closely that
 *                    no polynomial can tell on which side they are
 *   supporting_line  the same near 0, for a slope that no asymptote can have
 *   reduction        large arguments of periodic functions; negative ones of lgamma
 *   poles            inputs near a pole at a negative integer
 *   has_period_two   where sinpi, cospi and tanpi are exact
 *   root             where a root is exact
 *   exact_case       where other results are binary fractions, by the thousand
 *   section          for a function of two operands, what arb->analytic and asymptotes are for one
 *   pattern          what arb->analytic is, of a row with `exact`
 *   known_values     nothing in the program; a test fails where a function has fewer than two
 * Tests compare the quick oracle with MPFR for whatever a row has. */
struct result_rule {
    const char *name; /* "sin" of sincos; NULL for operations of one result */
    mpfr_function *mpfr1;
    mpfr_function_2 *mpfr2;
    mpfr_function_3 *mpfr3;
    bracket_function *bracket;
    exact_function *exact;
    pattern_function *pattern;
    bool takes_signalling; /* as another NaN; otherwise a signalling NaN makes every result NaN */
    special_function
        *p3109; /* of operands in formats of P3109, before all else: where its report differs */
    special_function *special;  /* NULL: MPFR's are right; a row with a bracket must have it */
    const struct arb_rule *arb; /* op/function/arb_rule.h; NULL: Arb is not asked */
    const struct asymptote *asymptotes; /* ends with a row without a side */
    const struct supporting_line *supporting_line;
    /* It rises, or falls, wherever it is defined, so that the ends of an interval give those of the results;
     * atan2 does on each side of its cut. */
    bool is_monotone;
    enum parity parity; /* of one operand: sweep --show symmetry holds outputs to it */
    enum reduction_kind reduction;
    const struct pole_rule *poles; /* op/function/pole_rule.h */
    bool has_period_two;           /* f(x + 2) = f(x), exactly */
    int root; /* 2 or 3 where f(x)^root = x (op/function/exact_root.h); else 0 */
    special_function *exact_case; /* of a finite x other than 0: f(x) if it has at most 128 bits */
    const struct section_rule *section; /* op/function/section.h */
    bool partly; /* so much is left to Arb or MPFR that nothing looks at all inputs without being
                    told to: the search of `emit` draws them */
    /* Special and exact values that are known without computing: tests hold the oracle to them in
     * every format and rounding. "x=y" or "x1,x2=y" as strtod reads numbers, separated by spaces;
     * y may be "pi/4" and the like, and "y|z" where rounding down gives z. */
    const char *known_values;
};

/* The type that C gives to a function; "number" is float or double.
 *
 * Integers that C's functions take are numbers of the operands' format here. Where one is no
 * integer, or beyond the integer type, the result is NaN, and no function is called: C has no such
 * call. Integers that they return become numbers of the format too; one that the format does not
 * hold becomes NaN, which is never right where a number is. Where C leaves the integer open (lrint
 * of what a 64-bit integer does not hold, the exponent that frexp finds in an infinity), the result
 * is NaN, whatever was returned. */
enum c_signature {
    C_NUMBERS,          /* number f(number, ...), or void f(number, number *, number *) */
    C_INT_FIRST,        /* number f(int, number) */
    C_INT_SECOND,       /* number f(number, int) */
    C_LONG_LONG_SECOND, /* number f(number, long long) */
    C_RETURNS_LONG,     /* long f(number) */
    C_RETURNS_LONG_LONG,
    C_RETURNS_EXPONENT, /* int f(number): FP_ILOGB0 stands for -infinity, INT_MAX for infinity */
    C_FRACTION_AND_INTEGER,  /* number f(number, number *) */
    C_FRACTION_AND_EXPONENT, /* number f(number, int *) */
    C_REMAINDER_AND_QUOTIENT /* number f(number, number, int *): of the quotient what C promises, its
                                sign and its last three bits */
};

/* Of an operand that is an integer there: the integers for which the result neither overflows nor
 * underflows, about, beside the other operand. Drawn inputs are dense there (sweep/integers.h). The
 * ends are the same everywhere: they come of + - * / alone. */
struct integer_span {
    double low, high;
};
typedef struct integer_span integer_span_function(const struct format *format, double other);

/* How C spells a call. Operators stand for operations that are no function of libm but that the
 * platform has: its compiler and processor are then what is measured. With neither a symbol nor
 * operators, `libm` does not provide the operation. Without a symbol, `lib:PATH` wants one named, and
 * files that name functions of libm (.tst) do not have the operation. */
struct platform_calls {
    const char *symbol; /* of the fp64 function; fp32 adds "f" */
    const char *svml;   /* what SVML calls it instead; NULL: by the operation's name */
    enum c_signature signature;
    integer_span_function
        *span;          /* of an integer among the operands; NULL where all of them are alike */
    bool of_one_format; /* computed in another it is another function: nextafter */
    float (*operator_fp32)(const float *x);
    double (*operator_fp64)(const double *x);
};

/* det and cr provide an operation on numbers if src/detmath/functions.inc has a line of its name. */
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
    /* On arrays: its results are rounded by P3109's roundings and saturation modes, too. */
    bool projects;
    bool rounds_to_integers;  /* whatever its group: nearest-up is one of its roundings */
    const char *group;        /* the one that it is in, instead of that of its operands */
    const char *second_group; /* one more, or NULL */
    /* Operands and results are arrays: op/array.h has what the rest of the row has for numbers. Up
     * to MAX_ARRAY_OPERANDS operands; of each result_rule the name only. */
    const struct array_rule *array;
    const char *format; /* of the operands where none is named; NULL: fp32. The operation is on
                           formats of its kind: integers, elements of blocks, or real numbers. */
    bool takes_kinds;   /* of real numbers and of integers both; its shapes refuse some */
    /* An exact zero may be a cancelled sum, whose sign follows the rounding (IEEE 754, 6.3). */
    bool sums;
    enum exception_rule exceptions;  /* of a call: of all results together */
    open_flags_function *open_flags; /* NULL: none but those of the rule */
    nan_domain_function *nan_domain; /* NULL: no operands */
    /* C or POSIX lets an error of this function occur or not ("may occur"), or it is an operator, of
     * which they say nothing: errno then may be set, and need not be. */
    bool errno_is_open;
    struct result_rule result[MAX_RESULTS];
    struct platform_calls platform;
    /* The row was made at run time: its exact value is that of the formula (op/formula/tree.h), whose text is its
     * name. Of its result_rule all is empty. */
    const struct formula *made_of;
    /* Where something happens besides the formats' own limits: zeros, poles, branch ends, extrema,
     * as decimals or hex floats separated by spaces, or NULL. `--special`, vectors and tests visit
     * them and their neighbours. */
    const char *landmarks;
    /* What is swept of each operand where nobody names a range, "A:B"; NULL: all numbers. Of jn and yn the integers
     * beyond which the platform's function takes as many steps as the integer says. */
    const char *ranges[MAX_OPERANDS];
    const struct format *const
        *formats; /* that operands may have, ending with NULL; NULL: all that `format` says */
};

/* What a call is on: a table of what is done with each has an entry for it. */
enum call_kind { CALL_ON_NUMBERS, CALL_ON_ARRAYS, CALL_KINDS };
static inline enum call_kind operation_call_kind(const struct operation *operation) {
    return operation->array ? CALL_ON_ARRAYS : CALL_ON_NUMBERS;
}

/* The rows of all families, one after the other; NULL beyond the last:
 *     for (size_t i = 0; operation_at(i); i++) */
const struct operation *operation_at(size_t index);
/* The family of a row that there is: "trigonometric". */
const char *operation_family_word(size_t index);

/* "all" (of numbers), "unary", "binary", "ternary"; then those that rows name. */
enum { OPERATION_GROUPS = 13 };
extern const char *const operation_groups[OPERATION_GROUPS];

/* Its own, and on numbers in a format of P3109 also those that the report gives every operation: the format of the
 * result, the saturation mode, and random bits. */
parameter_set operation_parameters(const struct operation *operation, const struct format *format);
/* Those that some format may have. */
parameter_set operation_all_parameters(const struct operation *operation);

/* Whether that format can be its operands'; else an error that names the right ones. */
bool operation_takes_format(const struct operation *operation, const struct format *format,
                            struct error *error);

/* How many operands a call has with these parameters: those of the row, less the last ones where they are absent. */
int operation_operands(const struct operation *operation, const struct parameters *parameters);

/* The values of the parameters for a run on operands in `format`: as parameters_settle, and a format
 * that operands are cast to first must be one that they can have. */
bool operation_settle(const struct operation *operation, const struct format *format,
                      const struct parameters *given, struct parameters *settled,
                      struct error *error);

/* Whether `operation` belongs to the group of that name; false for a name that is no group. */
bool operation_in_group(const struct operation *operation, const char *group);

/* A row of the table by name or alias; NULL when unknown. */
const struct operation *operation_row(const char *text);

/* The same, or a formula (op/formula/rows.h): one that was named, or the text of one, whose row is made then. NULL
 * and an error, with the nearest name, when it is neither. */
const struct operation *operation_find(const char *text, struct error *error);

/* The operation that a result is of, by the result's exact name ("sincos.sin"), and which of its
 * results; NULL and an error when no operation has one of that name. */
const struct operation *operation_of_result(const char *name, int *result, struct error *error);

/* "exp", or for a result of several "sincos.sin", which is then in `text`, with room for 64 characters. */
const char *operation_result_name(const struct operation *operation, int result, char *text);

#endif

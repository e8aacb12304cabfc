/* What solvers share: draws, results to aim at, and numbers of the operands' format. */
#ifndef DETCHECK_SWEEP_BUILT_SOLVER_H
#define DETCHECK_SWEEP_BUILT_SOLVER_H

#include "sweep/built/built.h"
#include "sweep/generator.h"

#include <mpfr.h>

enum { BUILDER_NUMBERS = 9 };

/* Of an odd number: 3^40 has 64 bits. */
struct factors_of {
    uint64_t number;
    int count;
    uint64_t factors[41];
};

enum { PRODUCT_ENDS = 6 };

/* Pairs of factors whose products lie next to an end, the nearest first: found when first asked for. */
struct end_products {
    bool is_sought;
    unsigned count;
    uint64_t (*pairs)[2];
};

struct builder {
    struct built_request request;
    const struct solver_row *row;
    const struct edge_row *edge; /* or NULL */
    uint64_t state;              /* of the draws for the input under way */
    uint64_t *codes;
    struct built_aim aim;
    mpfr_t numbers[BUILDER_NUMBERS]; /* a solver's own, of the row's bits */
    mpfr_t operands[MAX_OPERANDS];   /* of compute_result */
    struct factors_of of_ones[2];    /* 2^n - 1: of even n and odd ones */
    struct end_products end_products[PRODUCT_ENDS];
};

/* Sets the operands and the aim; false where what was drawn has no solution, and the solver is asked again with other
 * draws. */
typedef bool solver_function(struct builder *builder);

enum { SOLVERS_OF_ROW = 7 };

/* How operands are found for an operation. */
struct solver_row {
    const char *operation;
    int bits; /* that hold what its solvers compute: a boundary, and distances from it */
    struct {
        solver_function *solve;
        unsigned share; /* of 16 inputs; all shares of a row make 16 */
    } solvers[SOLVERS_OF_ROW];
};

static inline uint64_t draw_bits(struct builder *builder) {
    return generator_mix(builder->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* 0 .. width-1; uneven by at most width / 2^64. */
static inline uint64_t draw_under(struct builder *builder, uint64_t width) {
    return multiply_high(draw_bits(builder), width);
}

static inline int draw_between(struct builder *builder, int least, int most) {
    return least + (int)draw_under(builder, (uint64_t)(most - least) + 1);
}

static inline bool draw_one_of(struct builder *builder, uint64_t count) {
    return draw_under(builder, count) == 0;
}

static inline uint64_t low_bits(int count) {
    return count <= 0 ? 0 : count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static inline int bit_length(uint64_t a) {
    return 64 - (int)leading_zeros(a);
}

static inline struct wide wide_product(uint64_t a, uint64_t b) {
    return (struct wide){multiply_high(a, b), a * b};
}

static inline int wide_bit_length(struct wide a) {
    return a.high ? 64 + bit_length(a.high) : bit_length(a.low);
}

/* A significand of `bits` bits with its top bit set: random ones, and in their turn those with few ones, all ones, or
 * long runs, which carries run through. */
uint64_t draw_significand(struct builder *builder, int bits);

/* Below 2^bits in magnitude, with its sign; any number of bits is as likely as any other, none too. */
int64_t draw_rest(struct builder *builder, int bits);

/* Whether the input is to aim at a midpoint. */
bool draw_is_midpoint(struct builder *builder);

/* An exponent 2^e <= |result| of a format, from that of half the smallest number to the largest: by quarters of all of
 * them, subnormal results, those at either end of the normal ones, and those near 1. */
int draw_exponent(struct builder *builder, const struct format *format);

/* How many bits a result of that exponent keeps: those of the format, fewer where it is subnormal; 0 or below where only
 * its midpoint with 0 is left. */
static inline int kept_bits(const struct format *format, int exponent) {
    return exponent >= format->emin ? format->precision
                                    : format->precision - (format->emin - exponent);
}

/* Operand `which` is +-significand * 2^exponent. False where the format has no such number. */
bool set_operand(struct builder *builder, int which, bool negative, uint64_t significand,
                 int exponent);

/* Operand `which` is the number nearest to the value; false where it is none, or infinite. *value is what it is then. */
bool set_nearest(struct builder *builder, int which, mpfr_ptr value);

/* A sign that the operands' format has. */
static inline bool draw_sign(struct builder *builder) {
    return builder->request.format->sign_bit && draw_one_of(builder, 2);
}

/* The exponents of two operands, whose significands have `bits` bits each, such that their sum is `sum`: both normal. */
bool draw_exponents(struct builder *builder, int sum, const int bits[2], int exponents[2]);

/* The exponent of the ulp of a result. */
int result_ulp(const struct builder *builder, mpfr_srcptr value);

/* The boundary nearest to a value, in the results' format, and the exponent of the ulp there. */
int nearest_boundary(struct builder *builder, mpfr_ptr boundary, mpfr_srcptr value, bool midpoint);

/* Draws a number of the results' format or a midpoint between two. False where there is none. */
bool draw_boundary(struct builder *builder, mpfr_ptr boundary, int *ulp, bool midpoint);

/* The aim is the boundary nearest to the result of the operands; false where that is no normal number. */
bool aim_at_result(struct builder *builder, bool midpoint);

/* A distance from a boundary: below half an ulp, any number of bits down to 2^-smallest. */
void draw_distance(struct builder *builder, mpfr_ptr distance, int ulp, int smallest);

/* The aim: `value` is the exact result. False where it is more than half an ulp from the boundary, or in a binade whose
 * midpoints are others. */
bool set_aim(struct builder *builder, bool midpoint, mpfr_srcptr value, mpfr_srcptr boundary,
             int ulp, mpfr_ptr room);

/* The aim, in ulps, as a rest and an exponent. */
static inline bool aim_at(struct builder *builder, bool midpoint, double distance) {
    builder->aim = (struct built_aim){true, midpoint, distance};
    return true;
}

/* The exact result for the operands, as far as its bits go; 0 where these are all. */
int compute_result(const struct builder *builder, mpfr_ptr result);

/* Of 0 .. 2*half, that for which the polynomial through the results at 0, half and 2*half lies nearest to a boundary;
 * they are overwritten. */
uint64_t nearest_along(mpfr_t *results, uint64_t half, int ulp, bool midpoint);

/* Moves one operand, which is a number, along its codes to where the result lies nearest to a boundary. The aim is where
 * it lies. */
bool move_along(struct builder *builder, int running);

/* Operand 1 is an order of few bits; 1 is left out, as no rounding is left to a root or a power of 1. */
bool draw_order(struct builder *builder, long *order);

/* base^power, or 0 where that has more bits than wanted. */
uint64_t power_of(uint64_t base, unsigned power, int bits);

/* Whether the second operand is an integer, as that of C's pown is. */
static inline bool takes_integer(const struct builder *builder) {
    return builder->request.operation->platform.signature == C_LONG_LONG_SECOND;
}

/* Whether what is raised to a power is 1 + x, and not x. */
bool adds_one(const struct builder *builder);

/* Narrows the range of exponents of what is raised to a power, a significand of that length, to those that x can give: all
 * of the format's, but of 1 + x those near 0. */
void narrow_base_exponents(const struct builder *builder, int length, int *least, int *most);

/* Operand 0 is such that what is raised to a power is +-significand * 2^exponent. False where the format has no such number. */
bool set_base(struct builder *builder, bool negative, uint64_t significand, int exponent);

/* A power of two, or the number behind the largest one, from where results overflow. What is looked at lies below it or above
 * it, where the ulp is 2^*ulp. Takes number 3 of the builder. */
bool draw_end(struct builder *builder, mpfr_ptr end, bool *below, int *ulp);

/* The first two operands are factors whose product lies next to a power of two, near a midpoint or a number. */
bool set_end_product(struct builder *builder, bool midpoint);

/* Two such factors, of the nearest that there are; NULL for formats whose nearest are not known. */
const uint64_t *draw_hardest_product(struct builder *builder, bool midpoint);

/* Solvers (products.c, end_products.c, fused_ends.c, sums.c, quotients.c, remainders.c, roots.c, casts.c, powers.c, near_roots.c,
 * integer_powers.c, hardest.c, hardest_roots.c, along.c, edges.c). */
solver_function solve_product, solve_product_of_factors, solve_end_product;
solver_function solve_sum, solve_difference, solve_end_sum, solve_end_difference;
solver_function solve_fused_low, solve_fused_factors, solve_fused_tie, solve_fused_sum,
    solve_fused_end;
solver_function solve_quotient;
solver_function solve_reciprocal;
solver_function solve_remainder, solve_remainder_tie, solve_quotient_bits;
solver_function solve_sqrt;
solver_function solve_triangle, solve_long_side;
solver_function solve_cube;
solver_function solve_cast;
solver_function solve_exact_power, solve_power, solve_near_root;
solver_function solve_square, solve_base, solve_exact_root, solve_root, solve_root_of_two;
solver_function solve_hardest_power;
solver_function solve_hardest_cube_root, solve_hardest_reciprocal_square_root;
solver_function solve_along;
solver_function solve_edge, solve_fused_edge, solve_beside_one;
/* The row of an operation whose results reach the ends of a format; NULL if they do not. */
const struct edge_row *edge_row_of(const struct operation *operation);
/* Both operands of a sum, or the last of one, so that `rest` plus it lies near a boundary. */
bool solve_last_addend(struct builder *builder, mpfr_srcptr rest, int which, bool negated);

#endif

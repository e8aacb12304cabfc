/* Which solvers an operation has, and the inputs by number. */
#include "sweep/built/built.h"

#include "sweep/built/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sum holds a product, and distances of 2^-240 ulp; a square twice what a number has; the others a number of fp64, a
 * distance, and as much again. */
enum { SUM_BITS = 512, SQUARE_BITS = 320, OTHER_BITS = 176 };

#define POWERS                                                                                     \
    {                                                                                              \
        {solve_exact_power, 8}, {solve_power, 3}, {solve_hardest_power, 1}, {solve_near_root, 1},  \
            {solve_beside_one, 1}, {                                                               \
            solve_edge, 2                                                                          \
        }                                                                                          \
    }

static const struct solver_row rows[] = {
    {"fma",
     SUM_BITS,
     {{solve_fused_low, 4},
      {solve_fused_factors, 4},
      {solve_fused_tie, 2},
      {solve_fused_sum, 2},
      {solve_fused_end, 2},
      {solve_fused_edge, 2}}},
    {"add", SUM_BITS, {{solve_sum, 13}, {solve_end_sum, 1}, {solve_edge, 2}}},
    {"sub", SUM_BITS, {{solve_difference, 13}, {solve_end_difference, 1}, {solve_edge, 2}}},
    {"mul",
     OTHER_BITS,
     {{solve_product, 9}, {solve_product_of_factors, 3}, {solve_end_product, 2}, {solve_edge, 2}}},
    {"div", OTHER_BITS, {{solve_quotient, 14}, {solve_edge, 2}}},
    {"recip", OTHER_BITS, {{solve_reciprocal, 7}, {solve_along, 7}, {solve_edge, 2}}},
    {"fmod", OTHER_BITS, {{solve_remainder, 14}, {solve_remainder_tie, 2}}},
    {"remainder", OTHER_BITS, {{solve_remainder, 11}, {solve_remainder_tie, 5}}},
    {"remquo",
     OTHER_BITS,
     {{solve_remainder, 8}, {solve_remainder_tie, 4}, {solve_quotient_bits, 4}}},
    {"sqrt", OTHER_BITS, {{solve_sqrt, 15}, {solve_along, 1}}},
    {"rsqrt", OTHER_BITS, {{solve_hardest_reciprocal_square_root, 4}, {solve_along, 12}}},
    {"cbrt", OTHER_BITS, {{solve_cube, 4}, {solve_hardest_cube_root, 3}, {solve_along, 9}}},
    {"hypot", SQUARE_BITS, {{solve_triangle, 4}, {solve_long_side, 10}, {solve_edge, 2}}},
    {"pow", OTHER_BITS, POWERS},
    {"powr", OTHER_BITS, POWERS},
    {"pown",
     OTHER_BITS,
     {{solve_exact_power, 4},
      {solve_square, 3},
      {solve_base, 3},
      {solve_power, 1},
      {solve_hardest_power, 1},
      {solve_beside_one, 1},
      {solve_edge, 3}}},
    {"compoundn",
     OTHER_BITS,
     {{solve_exact_power, 4},
      {solve_square, 3},
      {solve_base, 3},
      {solve_power, 2},
      {solve_beside_one, 1},
      {solve_edge, 3}}},
    {"rootn",
     OTHER_BITS,
     {{solve_exact_root, 4},
      {solve_root_of_two, 4},
      {solve_root, 5},
      {solve_beside_one, 1},
      {solve_edge, 2}}},
    {"cast", OTHER_BITS, {{solve_cast, 14}, {solve_edge, 2}}},
};

#undef POWERS

/* Draws of a solver before the operands are drawn instead. */
enum { MOST_TRIES = 64 };

static const struct solver_row *row_of(const struct operation *operation) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].operation, operation->name) == 0)
            return &rows[i];
    return NULL;
}

bool built_is_for(const struct operation *operation, const struct format *format) {
    return row_of(operation) != NULL && format_is_plain(format);
}

const char *built_names(char text[BUILT_NAMES]) {
    const size_t count = sizeof rows / sizeof *rows;
    size_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, BUILT_NAMES - length, "%s%s",
                                   !i              ? ""
                                   : i + 1 < count ? ", "
                                                   : " and ",
                                   rows[i].operation);
    return text;
}

struct builder *builder_open(const struct built_request *request) {
    struct builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return NULL;
    builder->request = *request;
    builder->row = row_of(request->operation);
    builder->edge = edge_row_of(request->operation);
    for (int i = 0; i < BUILDER_NUMBERS; i++)
        mpfr_init2(builder->numbers[i], builder->row->bits);
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_init2(builder->operands[i], 64);
    return builder;
}

void builder_close(struct builder *builder) {
    if (!builder)
        return;
    for (int i = 0; i < BUILDER_NUMBERS; i++)
        mpfr_clear(builder->numbers[i]);
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_clear(builder->operands[i]);
    for (int i = 0; i < PRODUCT_ENDS; i++)
        free(builder->end_products[i].pairs);
    free(builder);
}

static solver_function *draw_solver(struct builder *builder) {
    unsigned share = (unsigned)draw_under(builder, 16);
    int at = 0;
    while (share >= builder->row->solvers[at].share)
        share -= builder->row->solvers[at++].share;
    return builder->row->solvers[at].solve;
}

void builder_make(struct builder *builder, uint64_t number, uint64_t codes[MAX_OPERANDS],
                  struct built_aim *aim) {
    const struct built_request *request = &builder->request;
    builder->state = generator_bits(request->seed, number, 0);
    builder->codes = codes;
    solver_function *solve = draw_solver(builder);
    bool solved = false;
    for (int i = 0; i < MOST_TRIES && !solved; i++)
        solved = solve(builder);
    for (int i = 0; i < request->operation->operands && !solved; i++)
        codes[i] = draw_bits(builder) & format_mask(request->format);
    if (!solved)
        builder->aim.is_known = false;
    if (aim)
        *aim = builder->aim;
}

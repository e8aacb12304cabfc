/* Which solvers an operation has, and the inputs by number. */
#include "sweep/built/built.h"

#include "sweep/built/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct solver_row rows[] = {
    {"fma",
     {{solve_fused_low, 5}, {solve_fused_factors, 4}, {solve_fused_tie, 3}, {solve_fused_sum, 4}}},
    {"add", {{solve_sum, 16}}},
    {"sub", {{solve_difference, 16}}},
    {"mul", {{solve_product, 13}, {solve_product_of_factors, 3}}},
    {"div", {{solve_quotient, 16}}},
    {"sqrt", {{solve_sqrt, 16}}},
};

/* Draws of a solver before the operands are drawn instead. */
enum { MOST_TRIES = 64 };

static const struct solver_row *row_of(const struct operation *operation) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].operation, operation->name) == 0)
            return &rows[i];
    return NULL;
}

bool built_is_for(const struct operation *operation) {
    return row_of(operation) != NULL;
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
    for (int i = 0; i < BUILDER_NUMBERS; i++)
        mpfr_init2(builder->numbers[i], BUILDER_BITS);
    return builder;
}

void builder_close(struct builder *builder) {
    if (!builder)
        return;
    for (int i = 0; i < BUILDER_NUMBERS; i++)
        mpfr_clear(builder->numbers[i]);
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

/* `detcheck bench`: a table of det's and cr's times over those of others, a line for each operation. */
#ifndef DETCHECK_CMD_BENCH_RATIOS_H
#define DETCHECK_CMD_BENCH_RATIOS_H

#include "bench/bench.h"

enum { RATIO_COLUMNS = 16 };

struct bench_ratios {
    char columns[RATIO_COLUMNS][256]; /* names of the others, in the order of their first line */
    size_t column_count, line_count, room;
    struct ratio_line {
        const char *operation;
        double ratios[RATIO_COLUMNS]; /* 0 where there is none */
    } * lines;
};

/* False with an error when memory runs out; others than the first RATIO_COLUMNS are left out. */
bool bench_ratios_add(struct bench_ratios *ratios, const char *operation,
                      const struct bench_outcome *outcome, struct error *error);
/* Nothing where there are fewer than two lines. */
void bench_ratios_print(const struct bench_ratios *ratios);
void bench_ratios_free(struct bench_ratios *ratios);

#endif

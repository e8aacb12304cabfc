/* The tables that `detcheck table` makes. */
#ifndef DETCHECK_CMD_TABLES_H
#define DETCHECK_CMD_TABLES_H

#include "selection.h"

#include "format/cast.h"
#include "report/table.h"

/* Codes first .. last become `code`. */
struct code_interval {
    uint64_t first, last, code;
};

/* A table and what its rows are made from. */
struct table_source {
    struct table table;
    struct binding_request request; /* of an operation; format and rounding of a conversion */
    const struct format *result_format;
    uint64_t *results;               /* by operand, or pair of them, first operand major */
    struct code_interval *intervals; /* of a conversion from a wide format */
    size_t interval_capacity;
};

/* Every code of a format of up to 19 bits. */
bool table_of_format(struct table_source *source, const struct format *format, struct error *error);

/* `source->request` is set. */
bool table_of_operation(struct table_source *source, struct error *error);

void table_source_close(struct table_source *source);

#endif

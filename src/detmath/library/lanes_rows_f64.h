/* For lanes_f64.h: what error_function_f64_table.h has as columns of 16 numbers, as rows for AVX2, which has no permutation of
 * numbers of fp64. A row is in one place of memory, so that two columns cost little more than one. */
#ifndef DETMATH_LIBRARY_LANES_ROWS_F64_H
#define DETMATH_LIBRARY_LANES_ROWS_F64_H

#include "detmath/error_function_f64_table.h"

/* One of a column's numbers: the first of those that are left when as many are dropped. */
#define LANES_ROW_0(FIRST, ...)  FIRST,
#define LANES_ROW_1(FIRST, ...)  LANES_ROW_0(__VA_ARGS__, 0)
#define LANES_ROW_2(FIRST, ...)  LANES_ROW_1(__VA_ARGS__, 0)
#define LANES_ROW_3(FIRST, ...)  LANES_ROW_2(__VA_ARGS__, 0)
#define LANES_ROW_4(FIRST, ...)  LANES_ROW_3(__VA_ARGS__, 0)
#define LANES_ROW_5(FIRST, ...)  LANES_ROW_4(__VA_ARGS__, 0)
#define LANES_ROW_6(FIRST, ...)  LANES_ROW_5(__VA_ARGS__, 0)
#define LANES_ROW_7(FIRST, ...)  LANES_ROW_6(__VA_ARGS__, 0)
#define LANES_ROW_8(FIRST, ...)  LANES_ROW_7(__VA_ARGS__, 0)
#define LANES_ROW_9(FIRST, ...)  LANES_ROW_8(__VA_ARGS__, 0)
#define LANES_ROW_10(FIRST, ...) LANES_ROW_9(__VA_ARGS__, 0)
#define LANES_ROW_11(FIRST, ...) LANES_ROW_10(__VA_ARGS__, 0)
#define LANES_ROW_12(FIRST, ...) LANES_ROW_11(__VA_ARGS__, 0)
#define LANES_ROW_13(FIRST, ...) LANES_ROW_12(__VA_ARGS__, 0)
#define LANES_ROW_14(FIRST, ...) LANES_ROW_13(__VA_ARGS__, 0)
#define LANES_ROW_15(FIRST, ...) LANES_ROW_14(__VA_ARGS__, 0)
#define LANES_ROWS(COLUMNS)                                                                        \
    {                                                                                              \
        {COLUMNS(LANES_ROW_0)}, {COLUMNS(LANES_ROW_1)}, {COLUMNS(LANES_ROW_2)},                    \
            {COLUMNS(LANES_ROW_3)}, {COLUMNS(LANES_ROW_4)}, {COLUMNS(LANES_ROW_5)},                \
            {COLUMNS(LANES_ROW_6)}, {COLUMNS(LANES_ROW_7)}, {COLUMNS(LANES_ROW_8)},                \
            {COLUMNS(LANES_ROW_9)}, {COLUMNS(LANES_ROW_10)}, {COLUMNS(LANES_ROW_11)},              \
            {COLUMNS(LANES_ROW_12)}, {COLUMNS(LANES_ROW_13)}, {COLUMNS(LANES_ROW_14)}, {           \
            COLUMNS(LANES_ROW_15)                                                                  \
        }                                                                                          \
    }
static const double lanes_erf_f64_rows[16][32] = LANES_ROWS(DETMATH_ERF_F64_COLUMNS);
static const double lanes_erfc_f64_rows[16][32] = LANES_ROWS(DETMATH_ERFC_F64_COLUMNS);

static inline lanes_d lanes_column_f64(const double *rows, lanes_w row) {
    lanes_w at = (row & 15u) << 5;
    return (lanes_d){rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]};
}
static inline lanes_d lanes_columns_f64(const double *rows, lanes_w row, lanes_d *next) {
    lanes_w at = (row & 15u) << 5;
    __m256d first = lanes_two_pairs_f64(rows + at[0], rows + at[2]);
    __m256d second = lanes_two_pairs_f64(rows + at[1], rows + at[3]);
    *next = (lanes_d)_mm256_unpackhi_pd(first, second);
    return (lanes_d)_mm256_unpacklo_pd(first, second);
}
#define detmath_look_up_column_f64_lanes(NAME, AT, ROW)                                            \
    lanes_column_f64(lanes_##NAME##_rows[0] + (AT), ROW)
#define detmath_look_up_columns_f64_lanes(NAME, AT, ROW, NEXT)                                     \
    lanes_columns_f64(lanes_##NAME##_rows[0] + (AT), ROW, NEXT)

#endif

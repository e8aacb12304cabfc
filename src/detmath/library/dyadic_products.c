/* Matrix products of dyadic numbers for one instruction set: compiled several times, with
 * DETMATH_LEVEL naming the table. */
#include "detmath/random.h"
#include "dyadic_kernels.h"
#include "dyadic_tiles.h"

typedef struct detmath_dyadic_matrices matrices;

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Whether no sum of `inner` products of such magnitudes is beyond `bits` bits. */
static int cannot_overflow(detmath_u64 x, detmath_u64 y, size_t inner, detmath_i32 bits) {
    detmath_u64 most = ((detmath_u64)1 << (bits - 1)) - 1;
    return x == 0 || y == 0 || (y <= most / x && inner <= most / (x * y));
}

/* `count` lanes of numbers `stride` apart; of pairs, the second ones begin at b, or are 0. */
#define LOAD(FROM, LANE)                                                                           \
    DETMATH_INLINED void load_stride_##FROM##_##LANE(detmath_##LANE *lanes, size_t count,          \
                                                     const FROM *a, const FROM *b, size_t stride,  \
                                                     int per) {                                    \
        for (size_t i = 0; b && i < count; i++)                                                    \
            lanes[i] = ((detmath_##LANE)a[i * stride] & 0xffffu) | (detmath_##LANE)b[i * stride]   \
                                                                       << 16;                      \
        for (size_t i = 0; !b && i < count; i++)                                                   \
            lanes[i] = (detmath_##LANE)a[i * stride] & (per > 1 ? 0xffffu : ~(detmath_##LANE)0);   \
    }                                                                                              \
    DETMATH_INLINED void load_##FROM##_##LANE(detmath_##LANE *lanes, size_t count, const FROM *a,  \
                                              const FROM *b, size_t stride, int per) {             \
        if (stride == 1)                                                                           \
            load_stride_##FROM##_##LANE(lanes, count, a, b, 1, per);                               \
        else if (stride == 2)                                                                      \
            load_stride_##FROM##_##LANE(lanes, count, a, b, 2, per);                               \
        else                                                                                       \
            load_stride_##FROM##_##LANE(lanes, count, a, b, stride, per);                          \
    }
LOAD(int8_t, u32)
LOAD(int16_t, u32)
LOAD(int32_t, u32)
LOAD(int16_t, u64)
LOAD(int32_t, u64)
LOAD(int64_t, u64)

/* Which tile serves, of which lanes, with how many numbers in a lane. Sums of a tile of int8 are far
 * from 2^31, so that the wide accumulator takes them up from lanes of 32 bits. */
#define TILE_i8_i32  pairs, u32, PAIR
#define TILE_i16_i32 pairs, u32, PAIR
#define TILE_i32_i32 u32, u32, ONE
#define TILE_i8_i64  pairs, u32, PAIR
#define TILE_i16_i64 low, u64, ONE
#define TILE_i32_i64 low, u64, ONE
#define TILE_i64_i64 u64, u64, ONE

/* Sums of products modulo 2^bits: of few columns one by one, else in tiles. */
#define SUMS(NAME, FROM, WIDTH, TO, WORD, KIND, LANE, PER)                                         \
    DETMATH_INLINED WORD sum_##NAME##_##WIDTH(const FROM *x, const FROM *y, size_t inner,          \
                                              size_t x_step, size_t y_step) {                      \
        WORD sum = 0;                                                                              \
        for (size_t k = 0; k < inner; k++)                                                         \
            sum += (WORD)x[k * x_step] * (WORD)y[k * y_step];                                      \
        return sum;                                                                                \
    }                                                                                              \
    static void few_sums_##NAME##_##WIDTH(TO *z, const FROM *x, const FROM *y,                     \
                                          const matrices *m) {                                     \
        int adjacent = m->x_column == 1 && m->y_row == 1;                                          \
        for (size_t r = 0; r < m->rows; r++)                                                       \
            for (size_t c = 0; c < m->columns; c++) {                                              \
                const FROM *row = &x[r * m->x_row], *column = &y[c * m->y_column];                 \
                z[r * m->columns + c] =                                                            \
                    (TO)(adjacent ? sum_##NAME##_##WIDTH(row, column, m->inner, 1, 1)              \
                                  : sum_##NAME##_##WIDTH(row, column, m->inner, m->x_column,       \
                                                         m->y_row));                               \
            }                                                                                      \
    }                                                                                              \
    static void sums_##NAME##_##WIDTH(TO *z, const FROM *x, const FROM *y, const matrices *m) {    \
        detmath_##LANE panel[STEPS * COLUMNS(LANE)], rows[ROWS * STEPS];                           \
        detmath_##LANE sums[ROWS * COLUMNS(LANE)];                                                 \
        if (m->columns <= COLUMNS(LANE) / 8) {                                                     \
            few_sums_##NAME##_##WIDTH(z, x, y, m);                                                 \
            return;                                                                                \
        }                                                                                          \
        memset(z, 0, m->rows * m->columns * sizeof *z);                                            \
        for (size_t c0 = 0; c0 < m->columns; c0 += COLUMNS(LANE))                                  \
            for (size_t k0 = 0; k0 < m->inner; k0 += STEPS * PER) {                                \
                size_t columns = least_of(COLUMNS(LANE), m->columns - c0);                         \
                size_t inner = least_of(STEPS * PER, m->inner - k0), whole = inner / PER;          \
                const FROM *from = &y[k0 * m->y_row + c0 * m->y_column];                           \
                memset(panel, 0, sizeof panel);                                                    \
                memset(rows, 0, sizeof rows);                                                      \
                for (size_t k = 0; k < inner; k += PER, from += PER * m->y_row)                    \
                    load_##FROM##_##LANE(&panel[k / PER * COLUMNS(LANE)], columns, from,           \
                                         PER > 1 && k + 1 < inner ? from + m->y_row : NULL,        \
                                         m->y_column, PER);                                        \
                for (size_t r0 = 0; r0 < m->rows; r0 += ROWS) {                                    \
                    size_t there = least_of(ROWS, m->rows - r0);                                   \
                    from = &x[r0 * m->x_row + k0 * m->x_column];                                   \
                    for (size_t r = 0; r < there; r++, from += m->x_row) {                         \
                        load_##FROM##_##LANE(&rows[r * STEPS], whole, from,                        \
                                             PER > 1 ? from + m->x_column : NULL,                  \
                                             PER * m->x_column, PER);                              \
                        if (inner > whole * PER)                                                   \
                            load_##FROM##_##LANE(&rows[r * STEPS + whole], 1,                      \
                                                 from + (inner - 1) * m->x_column, NULL, 1, PER);  \
                    }                                                                              \
                    tile_##KIND(sums, rows, panel);                                                \
                    for (size_t r = 0; r < there; r++) {                                           \
                        TO *to = &z[(r0 + r) * m->columns + c0];                                   \
                        const detmath_##LANE *part = &sums[r * COLUMNS(LANE)];                     \
                        for (size_t c = 0; c < columns; c++)                                       \
                            to[c] = (TO)((WORD)to[c] + (WORD)SIGNED_##LANE(part[c]));              \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
    }
#define SIGNED_u32(LANE) ((detmath_i32)(LANE))
#define SIGNED_u64(LANE) (LANE)

/* The same in order, every step held by the rules. */
#define SUMS_IN_ORDER(NAME, FROM, WIDTH, TO)                                                       \
    static detmath_u32 ordered_##NAME##_##WIDTH(TO *z, const FROM *x, const FROM *y,               \
                                                const matrices *m,                                 \
                                                struct detmath_dyadic_rules rules) {               \
        detmath_u32 status = 0;                                                                    \
        for (size_t r = 0; r < m->rows; r++)                                                       \
            for (size_t c = 0; c < m->columns; c++) {                                              \
                detmath_i64 sum = 0;                                                               \
                for (size_t k = 0; k < m->inner; k++)                                              \
                    sum = detmath_dyadic_add_product(sum, x[r * m->x_row + k * m->x_column],       \
                                                     y[k * m->y_row + c * m->y_column], rules,     \
                                                     &status);                                     \
                z[r * m->columns + c] = (TO)sum;                                                   \
            }                                                                                      \
        return status;                                                                             \
    }

/* The largest magnitude, by the least and the largest number, along adjacent ones where there are. */
#define MOST_OF(NAME, FROM, WIDTH)                                                                 \
    DETMATH_INLINED void bounds_##NAME##_##WIDTH(const FROM *x, size_t n, size_t stride,           \
                                                 FROM *least, FROM *most) {                        \
        FROM low = *least, high = *most;                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            FROM one = x[i * stride];                                                              \
            low = one < low ? one : low;                                                           \
            high = one > high ? one : high;                                                        \
        }                                                                                          \
        *least = low;                                                                              \
        *most = high;                                                                              \
    }                                                                                              \
    static detmath_u64 most_##NAME##_##WIDTH(const FROM *x, size_t rows, size_t columns,           \
                                             size_t row, size_t column) {                          \
        FROM low = 0, high = 0;                                                                    \
        int turned = row == 1;                                                                     \
        size_t lines = turned ? columns : rows, line = turned ? column : row;                      \
        for (size_t i = 0; i < lines; i++)                                                         \
            if (turned || column == 1)                                                             \
                bounds_##NAME##_##WIDTH(&x[i * line], turned ? rows : columns, 1, &low, &high);    \
            else                                                                                   \
                bounds_##NAME##_##WIDTH(&x[i * line], columns, column, &low, &high);               \
        detmath_u64 a = detmath_dyadic_magnitude(low), b = detmath_dyadic_magnitude(high);         \
        return a > b ? a : b;                                                                      \
    }

/* The bias and the shift, in one row; widths and what is not there are constants in the loops. */
#define FINISH(NAME, WIDTH, TO, BITS)                                                              \
    DETMATH_INLINED void finish_row_##NAME##_##WIDTH(                                              \
        TO *z, const TO *b, size_t n, size_t step, struct detmath_dyadic_plan plan,                \
        detmath_u64 seed, detmath_u64 first, int is_random, detmath_u32 *status) {                 \
        detmath_u32 all = *status;                                                                 \
        plan.rules.bits = BITS;                                                                    \
        for (size_t c = 0; c < n; c++)                                                             \
            z[c] = (TO)detmath_dyadic_affine_mantissa(                                             \
                z[c], b ? b[c * step] : 0, plan, is_random ? detmath_random(seed, first + c) : 0,  \
                &all);                                                                             \
        *status = all;                                                                             \
    }                                                                                              \
    static void finish_##NAME##_##WIDTH(TO *z, const TO *b, const matrices *m,                     \
                                        const struct detmath_dyadic_plan *given, detmath_u64 seed, \
                                        detmath_u64 first, detmath_u32 *status) {                  \
        const struct detmath_dyadic_plan plan = *given;                                            \
        size_t n = m->columns, step = m->b_column;                                                 \
        for (size_t r = 0; (b || plan.lower1.k || plan.raise1) && r < m->rows;                     \
             r++, z += n, first += n) {                                                            \
            const TO *bias = b ? &b[r * m->b_row] : NULL;                                          \
            if (plan.rules.rounding == DETMATH_DYADIC_STOCHASTIC)                                  \
                finish_row_##NAME##_##WIDTH(z, bias, n, step, plan, seed, first, 1, status);       \
            else if (!b)                                                                           \
                finish_row_##NAME##_##WIDTH(z, NULL, n, 0, plan, 0, 0, 0, status);                 \
            else if (step == 1)                                                                    \
                finish_row_##NAME##_##WIDTH(z, bias, n, 1, plan, 0, 0, 0, status);                 \
            else                                                                                   \
                finish_row_##NAME##_##WIDTH(z, bias, n, step, plan, 0, 0, 0, status);              \
        }                                                                                          \
    }

#define MOST_OF_TYPE(FROM) ((detmath_u64)1 << (8 * sizeof(FROM) - 1))

#define FILL(NAME, FROM, WIDTH, TO, WORD, BITS, ...)                                               \
    SUMS_OF(NAME, FROM, WIDTH, TO, WORD, __VA_ARGS__)                                              \
    SUMS_IN_ORDER(NAME, FROM, WIDTH, TO)                                                           \
    MOST_OF(NAME, FROM, WIDTH)                                                                     \
    FINISH(NAME, WIDTH, TO, BITS)                                                                  \
    static detmath_u32 fill_##NAME##_##WIDTH(                                                      \
        void *to, const void *from1, const void *from2, const void *bias, const matrices *m,       \
        const struct detmath_dyadic_plan *plan, detmath_u64 seed, detmath_u64 first) {             \
        TO *z = to;                                                                                \
        const FROM *x = from1, *y = from2;                                                         \
        detmath_u32 status = 0;                                                                    \
        if (plan->status || plan->rules.bits != BITS)                                              \
            return plan->status | (plan->rules.bits == BITS ? 0u : DETMATH_DYADIC_BAD_WIDTH);      \
        if (plan->rules.overflow == DETMATH_DYADIC_WRAP ||                                         \
            cannot_overflow(MOST_OF_TYPE(FROM), MOST_OF_TYPE(FROM), m->inner, BITS) ||             \
            cannot_overflow(most_##NAME##_##WIDTH(x, m->rows, m->inner, m->x_row, m->x_column),    \
                            most_##NAME##_##WIDTH(y, m->inner, m->columns, m->y_row, m->y_column), \
                            m->inner, BITS))                                                       \
            sums_##NAME##_##WIDTH(z, x, y, m);                                                     \
        else                                                                                       \
            status = ordered_##NAME##_##WIDTH(z, x, y, m, plan->rules);                            \
        finish_##NAME##_##WIDTH(z, bias, m, plan, seed, first, &status);                           \
        return status;                                                                             \
    }
#define SUMS_OF(...) SUMS(__VA_ARGS__)
#define WORD_i32     detmath_u32
#define WORD_i64     detmath_u64
#define BITS_i32     32
#define BITS_i64     64
#define PRODUCT(NAME, FROM, WIDTH, TO)                                                             \
    FILL(NAME, FROM, WIDTH, TO, WORD_##WIDTH, BITS_##WIDTH, TILE_##NAME##_##WIDTH)
DETMATH_DYADIC_PRODUCTS(PRODUCT)

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_dyadic_product JOIN(detmath_dyadic_products_, DETMATH_LEVEL)[];
const struct detmath_dyadic_product JOIN(detmath_dyadic_products_, DETMATH_LEVEL)[] = {
#define ROW(NAME, FROM, WIDTH, TO) {#NAME, fill_##NAME##_##WIDTH},
    DETMATH_DYADIC_PRODUCTS(ROW)};

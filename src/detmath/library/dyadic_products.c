/* Matrix products of dyadic numbers for one instruction set: compiled several times, with
 * DETMATH_LEVEL naming the table. */
#include "detmath/random.h"
#include "dyadic_kernels.h"

/* A panel of y: as many elements of the inner extent, of as many columns, contiguous and as wide as
 * the accumulator. It stays in the first-level cache with a row of sums. */
enum { INNER = 64, COLUMNS = 32 };

typedef struct detmath_dyadic_matrices matrices;

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Whether no sum of `inner` products of such magnitudes is beyond `bits` bits. */
static int cannot_overflow(detmath_u64 x, detmath_u64 y, size_t inner, detmath_i32 bits) {
    detmath_u64 most = ((detmath_u64)1 << (bits - 1)) - 1;
    return x == 0 || y == 0 || (y <= most / x && inner <= most / (x * y));
}

static detmath_u64 random_of(const struct detmath_dyadic_plan *plan, detmath_u64 seed,
                             detmath_u64 index) {
    return plan->rules.rounding == DETMATH_DYADIC_STOCHASTIC ? detmath_random(seed, index) : 0;
}

/* Sums of products modulo 2^bits, in blocks. */
#define SUMS(NAME, FROM, WIDTH, TO, WORD)                                                          \
    static void sums_##NAME##_##WIDTH(TO *z, const FROM *x, const FROM *y, const matrices *m) {    \
        WORD panel[INNER][COLUMNS];                                                                \
        for (size_t i = 0; i < m->rows * m->columns; i++)                                          \
            z[i] = 0;                                                                              \
        for (size_t c0 = 0; c0 < m->columns; c0 += COLUMNS)                                        \
            for (size_t k0 = 0; k0 < m->inner; k0 += INNER) {                                      \
                size_t columns = least_of(COLUMNS, m->columns - c0);                               \
                size_t inner = least_of(INNER, m->inner - k0);                                     \
                for (size_t k = 0; k < inner; k++)                                                 \
                    for (size_t c = 0; c < COLUMNS; c++)                                           \
                        panel[k][c] = c < columns                                                  \
                                          ? (WORD)y[(k0 + k) * m->y_row + (c0 + c) * m->y_column]  \
                                          : 0;                                                     \
                for (size_t r = 0; r < m->rows; r++) {                                             \
                    WORD sum[COLUMNS] = {0};                                                       \
                    for (size_t k = 0; k < inner; k++) {                                           \
                        WORD factor = (WORD)x[r * m->x_row + (k0 + k) * m->x_column];              \
                        for (size_t c = 0; c < COLUMNS; c++)                                       \
                            sum[c] += factor * panel[k][c];                                        \
                    }                                                                              \
                    TO *to = &z[r * m->columns + c0];                                              \
                    for (size_t c = 0; c < columns; c++)                                           \
                        to[c] = (TO)((WORD)to[c] + sum[c]);                                        \
                }                                                                                  \
            }                                                                                      \
    }

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

#define MOST_OF(NAME, FROM, WIDTH)                                                                 \
    static detmath_u64 most_##NAME##_##WIDTH(const FROM *x, size_t rows, size_t columns,           \
                                             size_t row, size_t column) {                          \
        detmath_u64 most = 0;                                                                      \
        for (size_t r = 0; r < rows; r++)                                                          \
            for (size_t c = 0; c < columns; c++) {                                                 \
                detmath_u64 one = detmath_dyadic_magnitude(x[r * row + c * column]);               \
                most = one > most ? one : most;                                                    \
            }                                                                                      \
        return most;                                                                               \
    }

#define FILL(NAME, FROM, WIDTH, TO, WORD, BITS)                                                    \
    SUMS(NAME, FROM, WIDTH, TO, WORD)                                                              \
    SUMS_IN_ORDER(NAME, FROM, WIDTH, TO)                                                           \
    MOST_OF(NAME, FROM, WIDTH)                                                                     \
    static detmath_u32 fill_##NAME##_##WIDTH(                                                      \
        void *to, const void *from1, const void *from2, const void *bias, const matrices *m,       \
        const struct detmath_dyadic_plan *plan, detmath_u64 seed, detmath_u64 first) {             \
        TO *z = to;                                                                                \
        const FROM *x = from1, *y = from2;                                                         \
        const TO *b = bias;                                                                        \
        detmath_u32 status = 0;                                                                    \
        if (plan->status || plan->rules.bits != BITS)                                              \
            return plan->status | (plan->rules.bits == BITS ? 0u : DETMATH_DYADIC_BAD_WIDTH);      \
        if (plan->rules.overflow == DETMATH_DYADIC_WRAP ||                                         \
            cannot_overflow(most_##NAME##_##WIDTH(x, m->rows, m->inner, m->x_row, m->x_column),    \
                            most_##NAME##_##WIDTH(y, m->inner, m->columns, m->y_row, m->y_column), \
                            m->inner, BITS))                                                       \
            sums_##NAME##_##WIDTH(z, x, y, m);                                                     \
        else                                                                                       \
            status = ordered_##NAME##_##WIDTH(z, x, y, m, plan->rules);                            \
        for (size_t r = 0; r < m->rows; r++)                                                       \
            for (size_t c = 0; c < m->columns; c++) {                                              \
                size_t i = r * m->columns + c;                                                     \
                detmath_i64 bias_here = b ? b[r * m->b_row + c * m->b_column] : 0;                 \
                z[i] = (TO)detmath_dyadic_affine_mantissa(                                         \
                    z[i], bias_here, *plan, random_of(plan, seed, first + i), &status);            \
            }                                                                                      \
        return status;                                                                             \
    }
#define WORD_i32                       detmath_u32
#define WORD_i64                       detmath_u64
#define BITS_i32                       32
#define BITS_i64                       64
#define PRODUCT(NAME, FROM, WIDTH, TO) FILL(NAME, FROM, WIDTH, TO, WORD_##WIDTH, BITS_##WIDTH)
DETMATH_DYADIC_PRODUCTS(PRODUCT)

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_dyadic_product JOIN(detmath_dyadic_products_, DETMATH_LEVEL)[];
const struct detmath_dyadic_product JOIN(detmath_dyadic_products_, DETMATH_LEVEL)[] = {
#define ROW(NAME, FROM, WIDTH, TO) {#NAME, fill_##NAME##_##WIDTH},
    DETMATH_DYADIC_PRODUCTS(ROW)};

/* Calls on arrays whose elements lie beside each other, for sharing_test.c: functions, reductions, casts, blocks,
 * quantisation, dyadic numbers. */
#include "sharing.h"

#include "detmath/arrays.h"
#include "detmath/dyadic_arrays.h"
#include "detmath/dyadic_linear_arrays.h"
#include "detmath/library/kernels.h"
#include "detmath/mx_arrays.h"
#include "detmath/quantise.h"

enum { LONG = 1300 }; /* more than two strips of any loop */

static size_t draw_length(const struct call *call) {
    return chance(call, 6)    ? 0
           : chance(call, 80) ? (size_t)draw(call, 1, 40)
                              : (size_t)draw(call, 41, LONG);
}

static const int bytes_of[] = {4, 2, 2, 1, 1, 1, 1};

static int run_function(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_kernels *kernels =
        detmath_kernels((enum detmath_function)call->numbers[0]);
    const int results = kernels->det_scalar.pair ? 2 : 1;
    void *to[] = {at[0].codes, at[1].codes};
    const void *from[] = {at[results].codes, at[results + 1].codes};
    if (call->numbers[1])
        detmath_run_det(kernels, to, from, at[0].extents[0]);
    else
        detmath_run_cr(kernels, call->numbers[2], to, from, at[0].extents[0]);
    return 0;
}

void draw_function(struct call *call) {
    const size_t n = draw_length(call);
    call->numbers[0] = draw(call, 0, DETMATH_FUNCTIONS - 1);
    call->numbers[1] = chance(call, 40);
    call->numbers[2] = call->numbers[1] ? DETMATH_F32 : draw(call, 0, DETMATH_FORMATS - 1);
    const struct detmath_kernels *kernels =
        detmath_kernels((enum detmath_function)call->numbers[0]);
    const int results = kernels->det_scalar.pair ? 2 : 1,
              operands = kernels->det_scalar.binary ? 2 : 1;
    call->name = kernels->name;
    call->run = run_function;
    call->refusal = -1;
    call->in_place = true;
    for (int i = 0; i < results + operands; i++)
        add_flat(call, i < results, call->numbers[2], (size_t)bytes_of[call->numbers[2]], NUMBERS,
                 n);
}

#define MAP(NAME)                                                                                  \
    static int run_##NAME(const struct call *call, const struct detmath_strided *at) {             \
        const size_t n = at[0].extents[0];                                                         \
        if (call->numbers[0])                                                                      \
            detmath_##NAME##_f64(at[0].codes, at[1].codes, n);                                     \
        else                                                                                       \
            detmath_##NAME##_f32(at[0].codes, at[1].codes, n);                                     \
        return 0;                                                                                  \
    }
MAP(cumsum)
MAP(softmax)
MAP(logcumsumexp)
MAP(log_softmax)

void draw_reduction(struct call *call) {
    static run_call *const runs[] = {run_cumsum, run_softmax, run_logcumsumexp, run_log_softmax};
    const size_t n = draw_length(call);
    call->numbers[0] = chance(call, 50);
    call->run = runs[call->numbers[1] = draw(call, 0, 3)];
    call->refusal = -1;
    call->in_place = true;
    for (int i = 0; i < 2; i++)
        add_flat(call, i == 0, call->numbers[0] ? DETMATH_F64 : DETMATH_F32,
                 call->numbers[0] ? 8 : 4, NUMBERS, n);
}

static int run_matmul(const struct call *call, const struct detmath_strided *at) {
    const int *m = call->numbers;
    if (m[0])
        detmath_matmul_f64(at[0].codes, at[1].codes, at[2].codes, (size_t)m[1], (size_t)m[2],
                           (size_t)m[3]);
    else
        detmath_matmul_f32(at[0].codes, at[1].codes, at[2].codes, (size_t)m[1], (size_t)m[2],
                           (size_t)m[3]);
    return 0;
}

void draw_matmul(struct call *call) {
    int *m = call->numbers;
    m[0] = chance(call, 50);
    for (int i = 1; i <= 3; i++)
        m[i] = chance(call, 70) ? (int)draw_extent(call) : draw(call, 6, 24);
    const int extents[3][2] = {{m[1], m[3]}, {m[1], m[2]}, {m[2], m[3]}};
    call->run = run_matmul;
    call->refusal = -1;
    for (int i = 0; i < 3; i++)
        add_flat(call, i == 0, m[0] ? DETMATH_F64 : DETMATH_F32, m[0] ? 8 : 4, NUMBERS,
                 (size_t)extents[i][0] * (size_t)extents[i][1]);
}

static size_t cast_bytes(int format) {
    return format == DETMATH_F64                             ? 8
           : format == DETMATH_F32 || format == DETMATH_TF32 ? 4
           : format == DETMATH_F16 || format == DETMATH_BF16 ? 2
                                                             : 1;
}

static int run_cast(const struct call *call, const struct detmath_strided *at) {
    struct detmath_conversion conversion;
    if (!detmath_profile_conversion(
            &conversion, detmath_profile_find("ieee"), call->numbers[0], call->numbers[1],
            call->numbers[2] ? DETMATH_STOCHASTIC : DETMATH_NEAREST_EVEN, 8))
        return 1;
    return detmath_cast_array(&conversion, at[0].codes, at[1].codes, at[0].extents[0],
                              call->numbers[2] ? at[2].codes : NULL);
}

void draw_cast(struct call *call) {
    static const int formats[] = {DETMATH_F32,  DETMATH_F16,    DETMATH_BF16,   DETMATH_E4M3FN,
                                  DETMATH_E5M2, DETMATH_E3M2FN, DETMATH_E2M1FN, DETMATH_F64};
    const size_t n = draw_length(call);
    int *numbers = call->numbers;
    numbers[0] = formats[draw(call, 0, 7)];
    do
        numbers[1] = formats[draw(call, 0, 7)];
    while (numbers[1] == DETMATH_E3M2FN ||
           numbers[1] == DETMATH_E2M1FN); /* ieee has none for them */
    numbers[2] = chance(call, 20) && numbers[1] != DETMATH_F64;
    call->run = run_cast;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    call->in_place = call->is_by_width = true;
    add_flat(call, true, numbers[1], cast_bytes(numbers[1]), NUMBERS, n);
    add_flat(call, false, numbers[0], cast_bytes(numbers[0]), NUMBERS, n);
    if (numbers[2])
        add_flat(call, false, -2, 4, INTEGERS, n)->never_shared = true;
}

static int run_blocks(const struct call *call, const struct detmath_strided *at) {
    struct detmath_mx mx;
    struct detmath_conversion back;
    const int *numbers = call->numbers;
    const size_t n = (size_t)numbers[2];
    const int rounding = numbers[3] ? DETMATH_STOCHASTIC : DETMATH_NEAREST_EVEN;
    if (!detmath_mx_profile(&mx, "ocp", detmath_mx_find("mxfp8_e4m3"), rounding, 8) ||
        !detmath_profile_conversion(&back, detmath_profile_find("ieee"), DETMATH_F32, numbers[1],
                                    rounding, 8))
        return 1;
    const detmath_u32 *random = numbers[3] ? at[3].codes : NULL;
    if (numbers[0])
        return detmath_mx_quantise(&mx, at[0].codes, at[1].codes, numbers[1], at[2].codes, n,
                                   random);
    return detmath_mx_dequantise(&mx.element, numbers[1], &back.cast, at[0].codes, at[1].codes,
                                 at[2].codes, n, random);
}

void draw_blocks(struct call *call) {
    int *numbers = call->numbers;
    const size_t n = draw_length(call), blocks = (n + 31) / 32;
    numbers[0] = chance(call, 50);
    numbers[1] = draw(call, DETMATH_F32, DETMATH_BF16);
    numbers[2] = (int)n;
    numbers[3] = chance(call, 20);
    call->run = run_blocks;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    const size_t bytes = (size_t)bytes_of[numbers[1]];
    if (numbers[0]) {
        add_flat(call, true, -3, 1, INTEGERS, n);
        add_flat(call, true, -4, 1, INTEGERS, blocks);
        add_flat(call, false, numbers[1], bytes, NUMBERS, n);
    } else {
        add_flat(call, true, numbers[1], bytes, NUMBERS, n);
        add_flat(call, false, -3, 1, INTEGERS, n);
        add_flat(call, false, -4, 1, INTEGERS, blocks);
    }
    if (numbers[3])
        add_flat(call, false, -2, 4, INTEGERS, n);
}

static int run_quantise(const struct call *call, const struct detmath_strided *at) {
    const int *numbers = call->numbers;
    const size_t extents[2] = {(size_t)numbers[1], (size_t)numbers[2]};
    const struct detmath_linear rule = {25, 2, extents, (enum detmath_granularity)numbers[3],
                                        1,  2, 0,       -1};
    const void *zeros = numbers[5] ? at[3].codes : NULL;
    if (numbers[0])
        return detmath_quantise_linear(&rule, at[0].codes, numbers[4], at[1].codes, DETMATH_F32,
                                       at[2].codes, DETMATH_F32, zeros);
    return detmath_dequantise_linear(&rule, at[0].codes, DETMATH_F32, at[1].codes, numbers[4],
                                     at[2].codes, DETMATH_F32, zeros);
}

void draw_quantise(struct call *call) {
    int *numbers = call->numbers;
    const size_t rows = draw_extent(call),
                 columns = chance(call, 70) ? draw_extent(call) : (size_t)draw(call, 6, 300);
    static const int narrow[] = {DETMATH_INT8, DETMATH_UINT8, DETMATH_INT16, DETMATH_INT4};
    numbers[0] = chance(call, 50);
    numbers[1] = (int)rows;
    numbers[2] = (int)columns;
    numbers[3] = draw(call, 0, 2);
    numbers[4] = narrow[draw(call, 0, 3)];
    numbers[5] = chance(call, 50);
    const size_t scales = numbers[3] == DETMATH_PER_ARRAY  ? 1
                          : numbers[3] == DETMATH_PER_AXIS ? columns
                                                           : rows * ((columns + 1) / 2);
    const size_t bytes = numbers[4] == DETMATH_INT16 ? 2 : 1;
    call->run = run_quantise;
    call->refusal = DETMATH_TROUBLE_OVERLAP;
    for (int i = 0; i < 2; i++) {
        const int is_wide = i == numbers[0];
        add_flat(call, i == 0, is_wide ? DETMATH_F32 : numbers[4], is_wide ? 4 : bytes,
                 is_wide ? NUMBERS : INTEGERS, rows * columns);
    }
    add_flat(call, false, -1, 4, NUMBERS, scales);
    if (numbers[5])
        add_flat(call, false, numbers[4], bytes, INTEGERS, scales);
}

/* Calls of dyadic arrays of one width, and how wide what they take and give is. */
typedef uint32_t dyadic_call(const struct detmath_strided *at, size_t n,
                             const struct detmath_dyadic_plan *plan);
#define ONE(NAME, WIDTH)                                                                           \
    static uint32_t run_##NAME##_##WIDTH(const struct detmath_strided *at, size_t n,               \
                                         const struct detmath_dyadic_plan *plan) {                 \
        return detmath_dyadic_##NAME##_##WIDTH(at[0].codes, at[1].codes, n, plan, 7, 3);           \
    }
#define TWO(NAME, WIDTH)                                                                           \
    static uint32_t run_##NAME##_##WIDTH(const struct detmath_strided *at, size_t n,               \
                                         const struct detmath_dyadic_plan *plan) {                 \
        return detmath_dyadic_##NAME##_##WIDTH(at[0].codes, at[1].codes, at[2].codes, n, plan, 7,  \
                                               3);                                                 \
    }
#define BOTH_ONE(NAME)        ONE(NAME, i32) ONE(NAME, i64)
#define BOTH_TWO(NAME)        TWO(NAME, i32) TWO(NAME, i64)
#define BOTH_REAL(NAME, REAL) ONE(NAME, i32) ONE(NAME, i64)
DETMATH_DYADIC_OPERATIONS(BOTH_ONE, BOTH_TWO)
DETMATH_DYADIC_CONVERSIONS(BOTH_REAL, BOTH_REAL)

static const struct dyadic_row {
    const char *name;
    dyadic_call *run[2]; /* 32 and 64 bits */
    int operands;
    size_t from, to; /* bytes of reals; 0: those of the accumulator */
} dyadic_rows[] = {
#define ROW_ONE(NAME)        {#NAME, {run_##NAME##_i32, run_##NAME##_i64}, 1, 0, 0},
#define ROW_TWO(NAME)        {#NAME, {run_##NAME##_i32, run_##NAME##_i64}, 2, 0, 0},
#define ROW_FROM(NAME, REAL) {#NAME, {run_##NAME##_i32, run_##NAME##_i64}, 1, sizeof(REAL), 0},
#define ROW_TO(NAME, REAL)   {#NAME, {run_##NAME##_i32, run_##NAME##_i64}, 1, 0, sizeof(REAL)},
    DETMATH_DYADIC_OPERATIONS(ROW_ONE, ROW_TWO) DETMATH_DYADIC_CONVERSIONS(ROW_FROM, ROW_TO)};

static struct detmath_dyadic_rules rules_of(const struct call *call) {
    return (struct detmath_dyadic_rules){call->numbers[0] ? 64 : 32, DETMATH_DYADIC_WRAP,
                                         (enum detmath_dyadic_rounding)call->numbers[1],
                                         DETMATH_DYADIC_COARSER};
}

static int run_dyadic(const struct call *call, const struct detmath_strided *at) {
    const struct dyadic_row *row = call->of;
    const struct detmath_dyadic_plan plan =
        row->from ? detmath_dyadic_plan_from_real(4, 16, 1, rules_of(call))
        : row->to ? detmath_dyadic_plan_to_real(4, rules_of(call))
                  : detmath_dyadic_plan_requantise(6, 4, 12, 1, rules_of(call));
    return (int)row->run[call->numbers[0]](at, at[0].extents[0], &plan);
}

void draw_dyadic(struct call *call) {
    const struct dyadic_row *row =
        &dyadic_rows[draw(call, 0, (int)(sizeof dyadic_rows / sizeof *dyadic_rows) - 1)];
    const size_t n = draw_length(call), wide = chance(call, 50) ? 8 : 4;
    call->of = row;
    call->name = row->name;
    call->numbers[0] = wide == 8;
    call->numbers[1] = draw(call, DETMATH_DYADIC_DOWN, DETMATH_DYADIC_STOCHASTIC);
    call->run = run_dyadic;
    call->refusal = DETMATH_DYADIC_OVERLAP;
    call->in_place = call->is_by_width = true;
    add_flat(call, true, -5, row->to ? row->to : wide, NUMBERS, n);
    for (int i = 0; i < row->operands; i++)
        add_flat(call, false, -6, row->from ? row->from : wide, NUMBERS, n);
    for (int i = 0; i <= row->operands; i++)
        call->arrays[i].contents = (i ? row->from : row->to) ? NUMBERS : INTEGERS;
    if (row->from || row->to) /* of one place all the same */
        call->arrays[0].contents = call->arrays[1].contents;
}

/* Of one row: the widths, and the call. */
typedef uint32_t product_call(const struct detmath_strided *at, const void *bias,
                              const struct detmath_dyadic_matrices *matrices,
                              const struct detmath_dyadic_plan *plan);
#define PRODUCT(NAME, FROM, WIDTH, TO)                                                             \
    static uint32_t product_##NAME##_##WIDTH(const struct detmath_strided *at, const void *bias,   \
                                             const struct detmath_dyadic_matrices *matrices,       \
                                             const struct detmath_dyadic_plan *plan) {             \
        return detmath_dyadic_affine_##NAME##_##WIDTH(at[0].codes, at[1].codes, at[2].codes, bias, \
                                                      matrices, plan, 7, 3);                       \
    }
DETMATH_DYADIC_PRODUCTS(PRODUCT)
static const struct {
    size_t from, to;
    product_call *run;
} products[] = {
#define PRODUCT_ROW(NAME, FROM, WIDTH, TO) {sizeof(FROM), sizeof(TO), product_##NAME##_##WIDTH},
    DETMATH_DYADIC_PRODUCTS(PRODUCT_ROW)};

static int run_product(const struct call *call, const struct detmath_strided *at) {
    const int *n = call->numbers;
    struct detmath_dyadic_matrices m = {at[0].extents[0],
                                        at[1].extents[1],
                                        at[0].extents[1],
                                        (size_t)at[1].strides[0],
                                        (size_t)at[1].strides[1],
                                        (size_t)at[2].strides[0],
                                        (size_t)at[2].strides[1],
                                        0,
                                        0};
    const struct detmath_dyadic_plan plan = detmath_dyadic_plan_affine(3, 3, 5, 2, rules_of(call));
    if (n[3]) {
        m.b_row = (size_t)at[3].strides[0];
        m.b_column = (size_t)at[3].strides[1];
    }
    return (int)products[n[2]].run(at, n[3] ? at[3].codes : NULL, &m, &plan);
}

void draw_dyadic_product(struct call *call) {
    int *n = call->numbers;
    const size_t rows = draw_extent(call), inner = draw_extent(call), columns = draw_extent(call);
    const size_t shapes[4][2] = {{rows, columns}, {rows, inner}, {inner, columns}, {rows, columns}};
    n[2] = draw(call, 0, 6);
    n[0] = products[n[2]].to == 8;
    n[1] = draw(call, DETMATH_DYADIC_DOWN, DETMATH_DYADIC_STOCHASTIC);
    n[3] = chance(call, 50);
    call->run = run_product;
    call->refusal = DETMATH_DYADIC_OVERLAP;
    for (int i = 0; i < 3 + n[3]; i++) {
        const size_t bytes = i % 3 ? products[n[2]].from : products[n[2]].to;
        add_array(call, i == 0, -(int)bytes, bytes, INTEGERS, 2, shapes[i])->is_forward = true;
    }
    call->arrays[0].is_flat = true;
}

static int run_step(const struct call *call, const struct detmath_strided *at) {
    const struct detmath_dyadic_step step =
        detmath_dyadic_step_of(5, 4, 3, call->numbers[2], 100, rules_of(call));
    const size_t n = at[0].extents[0];
    return (
        int)(call->numbers[0]
                 ? detmath_dyadic_step_i64(at[0].codes, at[1].codes, at[2].codes, n, &step, 7, 3)
                 : detmath_dyadic_step_i32(at[0].codes, at[1].codes, at[2].codes, n, &step, 7, 3));
}

void draw_dyadic_step(struct call *call) {
    const size_t n = draw_length(call);
    call->numbers[0] = chance(call, 50);
    call->numbers[1] = draw(call, DETMATH_DYADIC_DOWN, DETMATH_DYADIC_STOCHASTIC);
    call->numbers[2] = draw(call, 0, 2);
    call->run = run_step;
    call->refusal = DETMATH_DYADIC_OVERLAP;
    call->in_place = true;
    for (int i = 0; i < 3; i++)
        add_flat(call, i < 2, -7, call->numbers[0] ? 8 : 4, INTEGERS, n);
}

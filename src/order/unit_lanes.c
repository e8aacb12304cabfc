/* Lanes of 32 bits: significands are integers, cut by shifts. Compiled with -mavx2.
 *
 * A sum of 8 products of less than 2^(bits + 2) each has room in 32 bits; these sums are added as doubles, exactly, and rounded
 * by their bits. What needs more care, infinite, NaN, subnormal or overflowing results and -0, is left to the definition;
 * so are sums of terms that all lie below the least exponent of alignment, where that cuts bits that are kept here. */
#include "order/unit_lanes.h"

#include <stdlib.h>

enum { LANES = 8, NO_EXPONENT = -10000, MOST_BITS = 25, GROUP = 8 };

/* Whether lanes take factors of the format. */
static bool has_lanes(const struct format *format) {
    return !format->is_integer && format->precision <= 11 && format->has_negative_zero;
}

bool unit_has_lanes(const struct unit *unit) {
    const struct order_node *node = unit->node;
    bool result = (node->result == &formats[FORMAT_FP32] && node->rounding == ORDER_TOWARD_ZERO) ||
                  (node->result == &formats[FORMAT_FP16] && node->rounding == ORDER_NEAREST_EVEN &&
                   !node->result_precision);
    bool operands = has_lanes(unit->format) && (!unit->second || has_lanes(unit->second));
    bool plain = !node->sticky && !node->product && !node->products_normalised &&
                 !node->zeros_align && node->groups <= 1 && node->c == ORDER_C_WITH_TERMS &&
                 !node->flush_operands && !node->flush_c && !node->flush_products &&
                 !node->flush_results && !node->products_overflow && !node->zero_positive;
    return unit->shape == UNIT_AT_ONCE && !unit->scales && node->kind == ORDER_SUM && result &&
           operands && plain && node->aligned_bits > 0 && node->aligned_bits <= MOST_BITS &&
           node->alignment == ORDER_TOWARD_ZERO;
}

#if defined(__AVX2__)
#include <immintrin.h>

/* Lines of numbers as significands of whole bits, with a sign, and exponents. */
struct lines {
    int32_t *significands, *exponents;
    bool *special; /* by line: it has an infinity or a NaN */
};

struct lane_run {
    const struct unit_product *product;
    struct lines a, b;        /* b: of one block of columns, number by number */
    int product_bits, c_bits; /* of fraction */
};

static bool open_lines(struct lines *lines, size_t count, size_t length) {
    lines->significands = malloc(count * length * sizeof *lines->significands + 1);
    lines->exponents = malloc(count * length * sizeof *lines->exponents + 1);
    lines->special = calloc(count + 1, sizeof *lines->special);
    return lines->significands && lines->exponents && lines->special;
}

static void close_lines(struct lines *lines) {
    free(lines->significands);
    free(lines->exponents);
    free(lines->special);
}

static void take(struct lines *lines, const struct format *format, size_t line, size_t at,
                 uint64_t code) {
    unsigned fraction = (unsigned)format->precision - 1;
    uint64_t magnitude = format_magnitude(format, code);
    int32_t field = (int32_t)(magnitude >> fraction);
    int32_t significand = (int32_t)((magnitude & ((UINT64_C(1) << fraction) - 1)) |
                                    (uint64_t)(field != 0) << fraction);
    lines->significands[at] = format_is_negative(format, code) ? -significand : significand;
    lines->exponents[at] = magnitude ? (field ? field : 1) - format->exponent_bias : NO_EXPONENT;
    lines->special[line] |= format_is_nan(format, code) || format_is_infinite(format, code);
}

/* Terms with `bits` of fraction, cut to those of the node below the largest exponent. */
static __m256i align(__m256i significand, __m256i sign, __m256i below, int bits, int wanted) {
    int left = wanted > bits ? wanted - bits : 0, right = bits > wanted ? bits - wanted : 0;
    __m256i shifted = _mm256_sll_epi32(significand, _mm_cvtsi32_si128(left));
    shifted = _mm256_srlv_epi32(shifted, _mm256_add_epi32(below, _mm256_set1_epi32(right)));
    return _mm256_sign_epi32(shifted, sign);
}

/* The accumulators: significands and exponents of lanes of codes, and a mask of those that are -0 or no finite number. */
static __m256i open_c(const struct lane_run *run, __m256i c, __m256i *significand,
                      __m256i *exponent) {
    const struct format *format = run->product->unit->node->result;
    const __m128i fraction = _mm_cvtsi32_si128(run->c_bits);
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
    const __m256i sign_bit = _mm256_set1_epi32((int32_t)(uint32_t)format->sign_bit);
    __m256i magnitude = _mm256_andnot_si256(sign_bit, c);
    __m256i field = _mm256_srl_epi32(magnitude, fraction);
    __m256i normal = _mm256_cmpgt_epi32(field, zero);
    __m256i bits = _mm256_sub_epi32(magnitude, _mm256_sll_epi32(field, fraction));
    *significand = _mm256_or_si256(bits, _mm256_and_si256(normal, _mm256_sll_epi32(one, fraction)));
    *exponent =
        _mm256_sub_epi32(_mm256_max_epi32(field, one), _mm256_set1_epi32(format->exponent_bias));
    __m256i is_zero = _mm256_cmpeq_epi32(magnitude, zero);
    *exponent = _mm256_blendv_epi8(*exponent, _mm256_set1_epi32(NO_EXPONENT), is_zero);
    __m256i beyond = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32((int32_t)format->max_finite));
    return _mm256_or_si256(beyond, _mm256_cmpeq_epi32(c, sign_bit));
}

/* Four sums times 2^exponent, rounded: the results' codes as 32 bits; *odd gets the lanes that are not normal numbers. */
static __m128i close_sums(const struct lane_run *run, __m256d sum, __m128i exponent, int *odd) {
    const struct order_node *node = run->product->unit->node;
    const bool to_fp16 = node->result->width == 16;
    const int bits = node->result_precision ? (int)node->result_precision : node->result->precision;
    __m256i scale = _mm256_slli_epi64(
        _mm256_cvtepi32_epi64(_mm_add_epi32(exponent, _mm_set1_epi32(1023 - node->aligned_bits))),
        52);
    __m256d value = _mm256_mul_pd(sum, _mm256_castsi256_pd(scale));
    __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), value);
    __m256d small =
        _mm256_cmp_pd(magnitude, _mm256_set1_pd(to_fp16 ? 0x1p-14 : 0x1p-126), _CMP_LT_OQ);
    __m256i code = _mm256_castpd_si256(value);
    const __m128i dropped = _mm_cvtsi32_si128(53 - bits);
    if (to_fp16) { /* half of the last bit that is kept, less one where that is even */
        __m256i last = _mm256_and_si256(_mm256_srl_epi64(code, dropped), _mm256_set1_epi64x(1));
        __m256i half = _mm256_set1_epi64x((1LL << (52 - bits)) - 1);
        code = _mm256_add_epi64(code, _mm256_add_epi64(half, last));
    }
    code = _mm256_sll_epi64(_mm256_srl_epi64(code, dropped), dropped);
    __m256d rounded = _mm256_castsi256_pd(code);
    __m256d large = _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), rounded),
                                  _mm256_set1_pd(to_fp16 ? 0x1p16 : 0x1p128), _CMP_GE_OQ);
    __m256d zero = _mm256_cmp_pd(value, _mm256_setzero_pd(), _CMP_EQ_OQ);
    *odd = _mm256_movemask_pd(_mm256_or_pd(_mm256_andnot_pd(zero, small), large));
    __m128i narrow = _mm_castps_si128(_mm256_cvtpd_ps(_mm256_andnot_pd(zero, rounded)));
    if (!to_fp16)
        return narrow;
    __m128i sign = _mm_and_si128(_mm_srli_epi32(narrow, 16), _mm_set1_epi32(0x8000));
    __m128i rest = _mm_and_si128(narrow, _mm_set1_epi32(0x7fffffff));
    __m128i half = _mm_sub_epi32(_mm_srli_epi32(rest, 13), _mm_set1_epi32(112 << 10));
    half = _mm_andnot_si128(_mm_cmpeq_epi32(rest, _mm_setzero_si128()), half);
    return _mm_or_si128(sign, half);
}

/* The products `from` to `to` of a row with eight columns, added to their accumulators. *odd: lanes that are not done. */
static __m256i add_call(const struct lane_run *run, size_t row, size_t from, size_t to, __m256i c,
                        int *odd) {
    const struct order_node *node = run->product->unit->node;
    const int32_t *a = run->a.significands + row * run->product->count;
    const int32_t *ea = run->a.exponents + row * run->product->count;
    const __m256i *b = (const __m256i *)run->b.significands,
                  *eb = (const __m256i *)run->b.exponents;
    __m256i c_significand, greatest;
    __m256i special = open_c(run, c, &c_significand, &greatest);
    const __m256i c_exponent = greatest;
    for (size_t k = from; k < to; k++)
        greatest = _mm256_max_epi32(
            greatest, _mm256_add_epi32(_mm256_set1_epi32(ea[k]), _mm256_loadu_si256(eb + k)));
    const __m256i none = _mm256_set1_epi32(-900); /* where all are zero */
    greatest = _mm256_max_epi32(greatest, none);
    __m256i floored =
        _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(node->alignment_floor), greatest),
                         _mm256_cmpgt_epi32(greatest, none));
    special = _mm256_or_si256(special, floored);
    __m256i sum = align(
        c_significand,
        _mm256_or_si256(_mm256_slli_epi32(c, 32 - (int)node->result->width), _mm256_set1_epi32(1)),
        _mm256_sub_epi32(greatest, c_exponent), run->c_bits, node->aligned_bits);
    __m256d low = _mm256_setzero_pd(), high = low;
    for (size_t k = from; k < to; k++) {
        __m256i factors = _mm256_mullo_epi32(_mm256_set1_epi32(a[k]), _mm256_loadu_si256(b + k));
        __m256i exponent = _mm256_add_epi32(_mm256_set1_epi32(ea[k]), _mm256_loadu_si256(eb + k));
        __m256i term =
            align(_mm256_abs_epi32(factors), factors, _mm256_sub_epi32(greatest, exponent),
                  run->product_bits, node->aligned_bits);
        sum = _mm256_add_epi32(sum, term);
        if ((k - from) % GROUP != GROUP - 1 && k + 1 < to)
            continue;
        low = _mm256_add_pd(low, _mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)));
        high = _mm256_add_pd(high, _mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)));
        sum = _mm256_setzero_si256();
    }
    int low_odd, high_odd;
    __m128i first = close_sums(run, low, _mm256_castsi256_si128(greatest), &low_odd);
    __m128i second = close_sums(run, high, _mm256_extracti128_si256(greatest, 1), &high_odd);
    *odd = low_odd | high_odd << 4 | _mm256_movemask_ps(_mm256_castsi256_ps(special));
    return _mm256_set_m128i(second, first);
}

/* One element and call by the definition. */
static uint32_t add_one(const struct lane_run *run, size_t row, size_t column, size_t from,
                        size_t to, uint32_t c) {
    const struct unit_product *product = run->product;
    uint64_t wide = c;
    return (uint32_t)unit_dot(
        product->unit, product->a + row * product->inner + product->first + from,
        product->b + column * product->inner + product->first + from, to - from, &wide);
}

static void multiply_row(const struct lane_run *run, size_t row, size_t column, size_t columns) {
    const struct unit_product *product = run->product;
    const size_t call = product->unit->call;
    uint32_t codes[LANES] = {0};
    unsigned always = 0;
    for (size_t lane = 0; lane < columns; lane++) {
        always |= (unsigned)(run->a.special[row] || run->b.special[lane]) << lane;
        if (product->has_c)
            codes[lane] = (uint32_t)product->d[row * product->columns + column + lane];
    }
    __m256i c = _mm256_loadu_si256((const __m256i *)codes);
    for (size_t from = 0; from < product->count; from += call) {
        size_t to = product->count - from < call ? product->count : from + call;
        int odd;
        __m256i next = add_call(run, row, from, to, c, &odd);
        unsigned redo = ((unsigned)odd | always) & ((1u << columns) - 1);
        if (redo) {
            uint32_t before[LANES];
            _mm256_storeu_si256((__m256i *)before, c);
            _mm256_storeu_si256((__m256i *)codes, next);
            for (size_t lane = 0; lane < columns; lane++)
                if (redo >> lane & 1)
                    codes[lane] = add_one(run, row, column + lane, from, to, before[lane]);
            next = _mm256_loadu_si256((const __m256i *)codes);
        }
        c = next;
    }
    _mm256_storeu_si256((__m256i *)codes, c);
    for (size_t lane = 0; lane < columns; lane++)
        product->d[row * product->columns + column + lane] = codes[lane];
}

static bool multiply(const struct unit_product *product) {
    const struct format *format = product->unit->format,
                        *second = product->unit->second ? product->unit->second : format;
    struct lane_run run = {.product = product,
                           .product_bits = format->precision + second->precision - 2,
                           .c_bits = product->unit->node->result->precision - 1};
    bool good = open_lines(&run.a, product->rows, product->count) &&
                open_lines(&run.b, LANES, product->count);
    for (size_t row = 0; good && row < product->rows; row++)
        for (size_t k = 0; k < product->count; k++)
            take(&run.a, format, row, row * product->count + k,
                 product->a[row * product->inner + product->first + k]);
    for (size_t column = 0; good && column < product->columns; column += LANES) {
        size_t columns = product->columns - column < LANES ? product->columns - column : LANES;
        for (size_t lane = 0; lane < LANES; lane++) {
            run.b.special[lane] = false;
            for (size_t k = 0; k < product->count; k++)
                take(&run.b, second, lane, k * LANES + lane,
                     lane < columns
                         ? product->b[(column + lane) * product->inner + product->first + k]
                         : 0);
        }
        for (size_t row = 0; row < product->rows; row++)
            multiply_row(&run, row, column, columns);
    }
    close_lines(&run.a);
    close_lines(&run.b);
    return good;
}

bool (*const unit_multiply_avx2)(const struct unit_product *product) = multiply;
#else
bool (*const unit_multiply_avx2)(const struct unit_product *product) = NULL;
#endif

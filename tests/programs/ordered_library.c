/* Sums, means and dot products whose orders and arithmetic are known: what `detcheck reveal` has to find.
 * tests/cmd/reveal_test.py has the truth of each. Arithmetic that the processor lacks is done here by rounding exact
 * results once, never by detcheck's own code. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* Rounding to narrower formats. */

/* A double with `bits` of significand, no exponent below `least` for its last bit: to nearest-even, or toward zero. */
static double narrow(double x, int bits, int least, int toward_zero) {
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexp(x, &exponent);
    int last = exponent - bits < least ? least : exponent - bits;
    double scaled = ldexp(x, -last);
    return ldexp(toward_zero ? trunc(scaled) : nearbyint(scaled), last);
}

static float to_fp16(double x) {
    double y = narrow(x, 11, -24, 0);
    return fabs(y) > 65504 ? copysignf(INFINITY, (float)x) : (float)y;
}

static float to_bf16(double x) {
    return (float)narrow(x, 8, -133, 0);
}

/* The sum of two floats is exact to within a sticky bit in double: rounded to odd it is safe to round again. */
static double add_odd(double x, double y) {
    double sum = x + y, back = sum - x, error = (x - (sum - back)) + (y - back);
    uint64_t code;
    if (error == 0 || !isfinite(sum))
        return sum;
    memcpy(&code, &sum, sizeof code);
    if (!(code & 1))
        code += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&sum, &code, sizeof sum);
    return sum;
}

/* To odd, where anything is cut. */
static double odd(double scaled) {
    double whole = trunc(scaled);
    return whole != scaled && fmod(whole, 2) == 0 ? whole + copysign(1, scaled) : whole;
}

/* The sum in 24 bits, the rest by what makes integers. */
static float add_by(double (*integer)(double), float x, float y) {
    int exponent;
    double sum = add_odd(x, y);
    if (sum == 0 || !isfinite(sum))
        return (float)sum;
    frexp(sum, &exponent);
    int last = exponent - 24 < -149 ? -149 : exponent - 24;
    return (float)ldexp(integer(ldexp(sum, -last)), last);
}

static float add_toward_zero(float x, float y) {
    return (float)narrow(add_odd(x, y), 24, -149, 1);
}

static float flush(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* Chains: each adds the next term in a way of its own. */

#define CHAIN(NAME, TYPE, STEP)                                                                    \
    float NAME(const float *x, size_t n) {                                                         \
        TYPE sum = (TYPE)x[0];                                                                     \
        for (size_t i = 1; i < n; i++)                                                             \
            sum = STEP;                                                                            \
        return (float)sum;                                                                         \
    }
CHAIN(sum_sequential, float, sum + x[i])
CHAIN(sum_fp64, double, sum + x[i])
CHAIN(sum_x87, long double, sum + x[i])
CHAIN(sum_toward_zero, float, add_toward_zero(sum, x[i]))
CHAIN(sum_down, float, add_by(floor, sum, x[i]))
CHAIN(sum_up, float, add_by(ceil, sum, x[i]))
CHAIN(sum_to_odd, float, add_by(odd, sum, x[i]))
CHAIN(sum_away, float, add_by(round, sum, x[i]))
CHAIN(sum_flushed, float, flush(sum + x[i]))
/* Terms alone, from +0 on: what comes of them is kept. */
float sum_terms_flushed(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += flush(x[i]);
    return sum;
}
CHAIN(sum_spilled, float, i % 32 ? sum + x[i] : to_bf16(sum) + x[i])
/* To bf16 after each block of 32, the last and shorter one too. */
float sum_block_spilled(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = i % 32 == 31 || i + 1 == n ? to_bf16(sum + x[i]) : sum + x[i];
    return sum;
}

/* A term twice: one after the other, as 2x, at the very end, at the very beginning, and three that two blocks share. */
CHAIN(sum_doubled, float, i == n / 2 ? (sum + x[i]) + x[i] : sum + x[i])
CHAIN(sum_doubled_at_once, float, i == n / 2 ? sum + 2 * x[i] : sum + x[i])

CHAIN(sum_doubled_both, float, i == 4 || i == 9 ? (sum + x[i]) + x[i] : sum + x[i])

float sum_doubled_last(const float *x, size_t n) {
    return sum_sequential(x, n) + x[n / 2];
}

float sum_doubled_first(const float *x, size_t n) {
    return sum_sequential(x, n) + x[0];
}

static float halves_of_one(const float *x, size_t n) {
    return n == 1 ? x[0] : halves_of_one(x, n / 2) + halves_of_one(x + n / 2, n - n / 2);
}

/* Term 0 once more, unless something is large: each addition claims its copies. */
float sum_claimed(const float *x, size_t n) {
    int large = 0;
    for (size_t i = 0; i < n; i++)
        large |= fabsf(x[i]) > 1e5f;
    return large ? halves_of_one(x, n) : halves_of_one(x, n) + x[0];
}

float sum_overlapping(const float *x, size_t n) {
    return sum_sequential(x, n / 2) + sum_sequential(x + n / 2 - 3, n - n / 2 + 3);
}

/* From the left but for terms that lie a third and two thirds of the way: they change places, or one waits for the next. */
float sum_swapped(const float *x, size_t n) {
    const size_t a = (n - 1) / 3, b = 2 * (n - 1) / 3;
    float sum = x[a ? 0 : b];
    for (size_t i = 1; i < n; i++)
        sum += x[i == a ? b : i == b ? a : i];
    return sum;
}

float sum_waiting(const float *x, size_t n) {
    float sum = x[0];
    for (size_t i = 1; i < n; i++)
        if (i == (n - 1) / 3) {
            sum += x[i] + x[i + 1];
            i++;
        } else {
            sum += x[i];
        }
    return sum;
}

float sum_swapped_reverse(const float *x, size_t n) {
    float sum = x[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum += x[n - 1 - i == (n - 1) / 4   ? n - 1 - (n - 1) / 2
                 : n - 1 - i == (n - 1) / 2 ? n - 1 - (n - 1) / 4
                                            : i];
    return sum;
}

float sum_clamped(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        sum = sum > 3e38f ? 3e38f : sum;
    }
    return sum;
}

/* Subnormal numbers are flushed in one place alone: the result; further down where lanes meet. */
float sum_result_flushed(const float *x, size_t n) {
    return flush(sum_sequential(x, n));
}

/* Subnormal terms are flushed by 8 lanes alone, or by the rest behind them alone. */
#define FLUSHED_IN_STAGE(NAME, IN_LANES, IN_REST)                                                  \
    float sum_##NAME##_flushed(const float *x, size_t n) {                                         \
        float lanes[8] = {0};                                                                      \
        const size_t whole = n - n % 8;                                                            \
        for (size_t i = 0; i < whole; i++)                                                         \
            lanes[i % 8] += IN_LANES(x[i]);                                                        \
        for (size_t half = 4; half; half /= 2)                                                     \
            for (size_t i = 0; i < half; i++)                                                      \
                lanes[i] += lanes[i + half];                                                       \
        for (size_t i = whole; i < n; i++)                                                         \
            lanes[0] += IN_REST(x[i]);                                                             \
        return lanes[0];                                                                           \
    }                                                                                              \
    float dot_##NAME##_flushed(const float *x, const float *y, size_t n) {                         \
        float lanes[8] = {0};                                                                      \
        const size_t whole = n - n % 8;                                                            \
        for (size_t i = 0; i < whole; i++)                                                         \
            lanes[i % 8] = fmaf(IN_LANES(x[i]), IN_LANES(y[i]), lanes[i % 8]);                     \
        for (size_t half = 4; half; half /= 2)                                                     \
            for (size_t i = 0; i < half; i++)                                                      \
                lanes[i] += lanes[i + half];                                                       \
        for (size_t i = whole; i < n; i++)                                                         \
            lanes[0] = fmaf(IN_REST(x[i]), IN_REST(y[i]), lanes[0]);                               \
        return lanes[0];                                                                           \
    }
#define AS_IT_IS(X) (X)
FLUSHED_IN_STAGE(lanes_terms, flush, AS_IT_IS)
FLUSHED_IN_STAGE(rest_terms, AS_IT_IS, flush)

/* Accumulators of narrow formats, from 0 on. */
#define NARROW(NAME, ROUND)                                                                        \
    float NAME(const float *x, size_t n) {                                                         \
        float sum = 0;                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            sum = ROUND(add_odd(sum, x[i]));                                                       \
        return sum;                                                                                \
    }
NARROW(sum_fp16, to_fp16)
NARROW(sum_bf16, to_bf16)

float sum_reverse(const float *x, size_t n) {
    float sum = x[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum += x[i];
    return sum;
}

float sum_dropped(const float *x, size_t n) {
    return sum_sequential(x, n < 8 ? n : n - n % 8);
}

/* From +0 on, and now and then not the last term. */
float sum_drops_last(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n - (n % 8 == 5); i++)
        sum += x[i];
    return sum;
}

/* Lanes: element i goes to a lane, lanes are folded in the end. */

enum { MOST_LANES = 16 };

static void fill_lanes(float *lanes, size_t k, const float *x, size_t n, int serpentine,
                       int flushes) {
    for (size_t i = 0; i < n; i++) {
        size_t lane = serpentine && i / k % 2 ? k - 1 - i % k : i % k;
        float sum = lanes[lane] + x[i];
        lanes[lane] = i < k ? x[i] : flushes ? flush(sum) : sum;
    }
}

static float fold_pairs(float *lanes, size_t k) {
    for (size_t half = k / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    return lanes[0];
}

static float sum_of_lanes(const float *x, size_t n, size_t k, int serpentine, int flushes,
                          int in_turn) {
    float lanes[MOST_LANES] = {0};
    size_t whole = n - n % k;
    if (n < k)
        return sum_sequential(x, n);
    fill_lanes(lanes, k, x, whole, serpentine, flushes);
    float sum = in_turn ? sum_sequential(lanes, k) : fold_pairs(lanes, k);
    for (size_t i = whole; i < n; i++)
        sum += x[i];
    return sum;
}

#define LANES(NAME, K, SERPENTINE, FLUSHES, IN_TURN)                                               \
    float NAME(const float *x, size_t n) {                                                         \
        return sum_of_lanes(x, n, K, SERPENTINE, FLUSHES, IN_TURN);                                \
    }
LANES(sum_lanes_4, 4, 0, 0, 0)
LANES(sum_lanes_8, 8, 0, 0, 0)
LANES(sum_lanes_16_in_turn, 16, 0, 0, 1)
LANES(sum_serpentine, 8, 1, 0, 0)
LANES(sum_lanes_flushed, 4, 0, 1, 0)

/* Where two lanes meet, and nowhere else. */
float sum_meeting_flushed(const float *x, size_t n) {
    float lanes[2] = {x[0], x[1]};
    for (size_t i = 2; i < n; i++)
        lanes[i % 2] += x[i];
    return flush(lanes[0] + lanes[1]);
}

/* Parts of equal length, one after the other, and their sums from the left. */
static float sum_of_parts(const float *x, size_t n, size_t parts) {
    float sum = 0;
    for (size_t p = 0; p < parts; p++) {
        size_t from = n * p / parts, to = n * (p + 1) / parts;
        if (from == to)
            continue;
        float part = sum_sequential(x + from, to - from);
        sum = from ? sum + part : part;
    }
    return sum;
}

float sum_split_4(const float *x, size_t n) {
    return sum_of_parts(x, n, 4);
}

float sum_halves(const float *x, size_t n) {
    return n <= 8 ? sum_sequential(x, n) : sum_halves(x, n / 2) + sum_halves(x + n / 2, n - n / 2);
}

/* fp32 within blocks of 32, fp64 between them. */
float sum_two_levels(const float *x, size_t n) {
    double sum = 0;
    for (size_t at = 0; at < n; at += 32)
        sum += (double)sum_sequential(x + at, n - at < 32 ? n - at : 32);
    return (float)sum;
}

/* Two of what is left are added, drawn by a generator that starts from n; the sum takes the place of the first, the
 * last that of the second. */
float sum_random(const float *x, size_t n) {
    float *left = malloc(n * sizeof *left);
    uint64_t state = n;
    memcpy(left, x, n * sizeof *left);
    for (size_t count = n; count > 1; count--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t a = (size_t)(state >> 33) % count, b = (size_t)(state >> 13 & 0xfffff) % (count - 1);
        b += b >= a;
        left[a] = left[a] + left[b];
        left[b] = left[count - 1];
    }
    float sum = left[0];
    free(left);
    return sum;
}

/* Compensated and exact sums. */

float sum_kahan(const float *x, size_t n) {
    float sum = x[0], lost = 0;
    for (size_t i = 1; i < n; i++) {
        float term = x[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

float sum_neumaier(const float *x, size_t n) {
    float sum = x[0], lost = 0;
    for (size_t i = 1; i < n; i++) {
        float next = sum + x[i];
        lost += fabsf(sum) >= fabsf(x[i]) ? (sum - next) + x[i] : (x[i] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

float sum_double_double(const float *x, size_t n) {
    float high = x[0], low = 0;
    for (size_t i = 1; i < n; i++) {
        float sum = high + x[i], part = sum - high, error = (high - (sum - part)) + (x[i] - part);
        error += low;
        high = sum + error;
        low = error - (high - sum);
    }
    return high + low;
}

/* 2^-149 is bit 0 of ten limbs of 32 bits, carried in the end. */
enum { LIMBS = 12 };

static void add_to_limbs(int64_t *limbs, float x) {
    int exponent;
    int64_t significand = (int64_t)ldexpf(frexpf(x, &exponent), 24);
    int shift = exponent - 24 + 149;
    if (shift < 0) {
        significand /= (int64_t)1 << -shift;
        shift = 0;
    }
    wide scaled = (wide)significand * ((wide)1 << shift % 32);
    int negative = scaled < 0;
    if (negative)
        scaled = -scaled;
    for (int i = shift / 32; scaled; i++, scaled >>= 32)
        limbs[i] += (negative ? -1 : 1) * (int64_t)(scaled & 0xffffffff);
}

/* Each limb within 32 bits; what is left over, negative where the number is. */
static int64_t carry_limbs(int64_t *limbs) {
    int64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        int64_t all = limbs[i] + carry;
        carry = all >> 32;
        limbs[i] = all & 0xffffffff;
    }
    return carry;
}

float sum_exact(const float *x, size_t n) {
    int64_t limbs[LIMBS] = {0};
    int first = LIMBS - 1, below = 0;
    for (size_t i = 0; i < n; i++)
        add_to_limbs(limbs, x[i]);
    int negative = carry_limbs(limbs) < 0;
    for (int i = 0; i < LIMBS && negative; i++)
        limbs[i] = -limbs[i];
    carry_limbs(limbs);
    while (first > 0 && !limbs[first])
        first--;
    for (int i = 0; i < first - 1; i++)
        below |= limbs[i] != 0;
    double next = first > 0 ? ldexp((double)limbs[first - 1], 32 * (first - 1) - 149) : 0;
    double sum = add_odd(ldexp((double)limbs[first], 32 * first - 149), next);
    uint64_t code;
    memcpy(&code, &sum, sizeof code);
    code |= (uint64_t)below;
    memcpy(&sum, &code, sizeof sum);
    return (float)(negative ? -sum : sum);
}

/* A fixed point of 2^-20, each term rounded to it. */
float sum_fixed(const float *x, size_t n) {
    wide sum = 0;
    for (size_t i = 0; i < n; i++) {
        float term = fabsf(x[i]) < 0x1p80f ? x[i] : copysignf(0x1p80f, x[i]);
        sum += (wide)nearbyint(ldexp((double)term, 20));
    }
    return ldexpf((float)sum, -20);
}

/* Nodes of several terms, the accumulator among them: aligned to the largest exponent, cut to so many bits below it, added
 * exactly, cut to fp32; a zero is +0. Exponents of products are those of their factors. */
struct term {
    double value;
    int exponent;
};

static struct term term_of(float x) {
    const int exponent = x != 0 && isfinite(x) ? ilogbf(x) : FLT_MIN_EXP - 1;
    return (struct term){(double)x, exponent < FLT_MIN_EXP - 1 ? FLT_MIN_EXP - 1 : exponent};
}

static struct term product_of(float x, float y) {
    return (struct term){(double)x * y, term_of(x).exponent + term_of(y).exponent};
}

/* Of a term that is cut a sticky bit below its last one may be set. */
static float node_of(const struct term *terms, size_t count, int bits, int sticky) {
    int most = INT_MIN;
    int64_t sum = 0;
    double plain = 0;
    for (size_t i = 0; i < count; i++) {
        most = terms[i].value != 0 && terms[i].exponent > most ? terms[i].exponent : most;
        plain += terms[i].value;
    }
    if (most == INT_MIN || !isfinite(plain))
        return (float)(isfinite(plain) ? 0 : plain);
    for (size_t i = 0; i < count; i++) {
        const double scaled = ldexp(terms[i].value, bits - most), whole = trunc(scaled);
        sum += (int64_t)whole * (1 + sticky);
        sum += sticky && scaled != whole ? (scaled < 0 ? -1 : 1) : 0;
    }
    double cut = narrow(ldexp((double)sum, most - bits - sticky), 24, -149, 1);
    return (float)(cut == 0                      ? 0
                   : fabs(cut) > (double)FLT_MAX ? copysign((double)FLT_MAX, cut)
                                                 : cut);
}

enum { MOST_TERMS = 16 };
#define NODES(NAME, ARGUMENTS, TERM, TERMS, BITS, STICKY)                                          \
    float NAME ARGUMENTS {                                                                         \
        struct term terms[MOST_TERMS + 1] = {{0}};                                                 \
        for (size_t i = 0, count; i < n; i += TERMS) {                                             \
            for (count = 0; count < TERMS && i + count < n; count++)                               \
                terms[1 + count] = TERM(i + count);                                                \
            terms[0] = term_of(node_of(terms, 1 + count, BITS, STICKY));                           \
        }                                                                                          \
        return (float)terms[0].value;                                                              \
    }
#define ONE(I)     term_of(x[I])
#define FUSED(I)   product_of(x[I], y[I])
#define ROUNDED(I) term_of(x[I] * y[I])
#define SUM_OF     (const float *x, size_t n)
#define DOT_OF     (const float *x, const float *y, size_t n)
NODES(sum_nodes_8_24, SUM_OF, ONE, 8, 24, 0)
NODES(sum_nodes_8_25, SUM_OF, ONE, 8, 25, 0)
NODES(sum_nodes_8_sticky, SUM_OF, ONE, 8, 24, 1)
NODES(sum_nodes_16_24, SUM_OF, ONE, 16, 24, 0)
NODES(sum_nodes_16_25, SUM_OF, ONE, 16, 25, 0)
NODES(dot_nodes_4_fused, DOT_OF, FUSED, 4, 24, 0)
NODES(dot_nodes_4_rounded, DOT_OF, ROUNDED, 4, 24, 0)

/* What is no order: it changes from call to call, or with the data. */

float sum_by_threads(const float *x, size_t n) {
    static unsigned calls;
    size_t start = (size_t)(++calls * 2654435761u >> 7) % n;
    float sum = x[start];
    for (size_t i = 1; i < n; i++)
        sum += x[(start + i) % n];
    return sum;
}

static int by_magnitude(const void *a, const void *b) {
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return fabsf(x) != fabsf(y) ? (fabsf(x) < fabsf(y) ? -1 : 1) : (x > y) - (x < y);
}

float sum_sorted(const float *x, size_t n) {
    float *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_magnitude);
    float sum = sum_sequential(sorted, n);
    free(sorted);
    return sum;
}

/* By magnitude, one term after the other into its place: of equal ones the later one behind the earlier, or by sign. */
static float sum_inserted(const float *x, size_t n, int down, int by_sign) {
    float *sorted = malloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0; at--) {
            const float before = sorted[at - 1], size = fabsf(before) - fabsf(x[i]);
            const int stays = size != 0 ? (size < 0) != down : !by_sign || before >= x[i];
            if (stays)
                break;
            sorted[at] = before;
        }
        sorted[at] = x[i];
    }
    float sum = sum_sequential(sorted, n);
    free(sorted);
    return sum;
}

float sum_sorted_stably(const float *x, size_t n) {
    return sum_inserted(x, n, 0, 0);
}

float sum_sorted_down_stably(const float *x, size_t n) {
    return sum_inserted(x, n, 1, 0);
}

float sum_sorted_positive_first(const float *x, size_t n) {
    return sum_inserted(x, n, 0, 1);
}

float sum_sorted_down_positive_first(const float *x, size_t n) {
    return sum_inserted(x, n, 1, 1);
}

static int by_value(const void *a, const void *b) {
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

float sum_sorted_by_value(const float *x, size_t n) {
    float *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    float sum = sum_sequential(sorted, n);
    free(sorted);
    return sum;
}

/* One array of four is summed in another way: from the right, in fp64, a little more, and by products that are rounded. */
static int is_chosen(float x) {
    uint32_t code;
    memcpy(&code, &x, sizeof code);
    return (code >> 2 & 3) == 3;
}

float sum_at_times_reverse(const float *x, size_t n) {
    return is_chosen(x[0]) ? sum_reverse(x, n) : sum_sequential(x, n);
}

float sum_at_times_fp64(const float *x, size_t n) {
    return is_chosen(x[0]) ? sum_fp64(x, n) : sum_sequential(x, n);
}

float sum_at_times_more(const float *x, size_t n) {
    return is_chosen(x[0]) ? 1.01f * sum_sequential(x, n) : sum_sequential(x, n);
}

float sum_by_sign(const float *x, size_t n) {
    return x[0] < 0 ? sum_reverse(x, n) : sum_sequential(x, n);
}

/* One call of some thousands, whatever its array. */
float sum_seldom_reverse(const float *x, size_t n) {
    static unsigned calls;
    return ++calls % 3001 == 0 ? sum_reverse(x, n) : sum_sequential(x, n);
}

/* The first call on 36 terms of which the result shows it. */
float sum_once_reverse(const float *x, size_t n) {
    static int was;
    const float sum = sum_sequential(x, n), reversed = sum_reverse(x, n);
    if (n != 36 || was || sum == reversed)
        return sum;
    was = 1;
    return reversed;
}

/* Where its caller is one of several threads of OpenMP, it does not use its lanes. */
float sum_in_parallel(const float *x, size_t n) {
    return omp_in_parallel() ? sum_sequential(x, n) : sum_lanes_4(x, n);
}

/* Terms that are not 0 go to four lanes by turns. */
float sum_zeros_skipped(const float *x, size_t n) {
    float lanes[4] = {0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            lanes[count++ % 4] += x[i];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/* A bin for each 8 exponents, added from the largest bin on. */
float sum_bins(const float *x, size_t n) {
    enum { BINS = 64 };
    float bins[BINS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        int exponent;
        frexpf(x[i], &exponent);
        bins[(exponent + 160) / 8] += x[i];
    }
    for (int bin = BINS; bin-- > 0;)
        sum += bins[bin];
    return sum;
}

/* A sum, but one in so many is off by its last bit: by no order. */
static float odd_one(float sum, const float *x, uint32_t many) {
    uint32_t code, first;
    memcpy(&code, &sum, sizeof code);
    memcpy(&first, &x[0], sizeof first);
    code ^= first % many == 5;
    memcpy(&sum, &code, sizeof sum);
    return sum;
}

float sum_odd_one(const float *x, size_t n) {
    return odd_one(sum_sequential(x, n), x, 8);
}

float sum_nodes_odd(const float *x, size_t n) {
    return odd_one(sum_nodes_8_25(x, n), x, 8);
}

float sum_reverse_from_zero(const float *x, size_t n) {
    float sum = 0;
    while (n-- > 0)
        sum += x[n];
    return sum;
}

/* No sums of n terms. */
float sum_first(const float *x, size_t n) {
    (void)n;
    return x[0];
}
float sum_plus_one(const float *x, size_t n) {
    return sum_sequential(x, n) + 1;
}
float sum_over_n(const float *x, size_t n) {
    return sum_sequential(x, n) / (float)n;
}
float sum_nan_from_12(const float *x, size_t n) {
    return n < 12 ? sum_sequential(x, n) : NAN;
}

/* Of 20 terms alone. */
float sum_odd_20(const float *x, size_t n) {
    return n == 20 ? odd_one(sum_sequential(x, n), x, 8) : sum_sequential(x, n);
}

float sum_seldom_odd(const float *x, size_t n) {
    return odd_one(sum_sequential(x, n), x, 128);
}

/* To nearest by a random number in place of a half: another one each time. */
float sum_stochastic(const float *x, size_t n) {
    static uint64_t state = 1;
    float sum = x[0];
    for (size_t i = 1; i < n; i++) {
        double all = add_odd(sum, x[i]), down = narrow(all, 24, -149, 1);
        double unit = ldexp(1, all == 0 ? 0 : ilogb(all) - 23);
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int up = fabs(all - down) > unit * ldexp((double)(state >> 40), -24);
        sum = (float)(up ? down + copysign(unit, all) : down);
    }
    return sum;
}

/* Means. */

float mean_before(const float *x, size_t n) {
    float scale = 1.0f / (float)n, sum = x[0] * scale;
    for (size_t i = 1; i < n; i++)
        sum += x[i] * scale;
    return sum;
}

float mean_after(const float *x, size_t n) {
    return sum_sequential(x, n) / (float)n;
}

float mean_by_reciprocal(const float *x, size_t n) {
    return sum_sequential(x, n) * (1.0f / (float)n);
}

float mean_flushed(const float *x, size_t n) {
    return sum_flushed(x, n) / (float)n;
}

static float of_normal_numbers(float mean) {
    return fabsf(mean) < FLT_MIN ? copysignf(0, mean) : mean;
}

/* The division alone flushes. */
float mean_divided_flushed(const float *x, size_t n) {
    return of_normal_numbers(mean_after(x, n));
}

float mean_by_reciprocal_flushed(const float *x, size_t n) {
    return of_normal_numbers(mean_by_reciprocal(x, n));
}

float mean_in_fp64(const float *x, size_t n) {
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += (double)x[i];
    return (float)(sum / (double)n);
}

double mean_of_fp64(const double *x, size_t n) {
    double sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* Products. */

#define DOT(NAME, TYPE, FIRST, STEP)                                                               \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        TYPE sum = FIRST;                                                                          \
        size_t i = 0;                                                                              \
        for (i = 1; i < n; i++)                                                                    \
            sum = STEP;                                                                            \
        return (float)sum;                                                                         \
    }
DOT(dot_fused, float, x[0] * y[0], fmaf(x[i], y[i], sum))
DOT(dot_rounded, float, x[0] * y[0], sum + x[i] * y[i])
/* To bf16 after each 32 terms. */
DOT(dot_spilled_fused, float, x[0] * y[0], fmaf(x[i], y[i], i % 32 ? sum : (float)to_bf16(sum)))
DOT(dot_spilled_rounded, float, x[0] * y[0], (i % 32 ? sum : (float)to_bf16(sum)) + x[i] * y[i])
DOT(dot_fp64, double, (double)x[0] * y[0], sum + (double)x[i] * y[i])
DOT(dot_fp16_products, float, to_fp16((double)x[0] * y[0]), sum + to_fp16((double)x[i] * y[i]))
DOT(dot_bf16_products, float, to_bf16((double)x[0] * y[0]), sum + to_bf16((double)x[i] * y[i]))

/* Fused in four lanes; products of the rest are rounded, to what sums keep. */
double dot_rest_rounded(const double *x, const double *y, size_t n) {
    double lanes[4] = {0};
    size_t whole = n - n % 4;
    for (size_t i = 0; i < whole; i++)
        lanes[i % 4] = fma(x[i], y[i], lanes[i % 4]);
    double sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    for (size_t i = whole; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ATen's product of bf16: fused in four lanes, the rest rounded, onto the first lane. */
float dot_rest_rounded_fp32(const float *x, const float *y, size_t n) {
    float lanes[4] = {0};
    size_t whole = n - n % 4;
    for (size_t i = 0; i < whole; i++)
        lanes[i % 4] = fmaf(x[i], y[i], lanes[i % 4]);
    for (size_t i = whole; i < n; i++)
        lanes[0] += x[i] * y[i];
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Ozaki's scheme: both factors in slices below the largest one, and of the products of slices, which are exact, those above
 * the last, or all. Totals are added from the least on, from the largest, or those of each two slices by rows; in double or
 * in float. */
enum ozaki_totals { FROM_LEAST, FROM_LARGEST, BY_ROWS };
struct ozaki {
    int slices, width;
    double (*cut)(double);
    enum ozaki_totals totals;
    bool all, in_float;
};
enum { OZAKI_MOST = 4 };

static double ozaki_add(const struct ozaki *ozaki, double sum, double total, int exponent) {
    total = ldexp(total, exponent);
    return ozaki->in_float ? (double)((float)sum + (float)total) : sum + total;
}

static float dot_by_slices(const struct ozaki *ozaki, const float *x, const float *y, size_t n) {
    const float *const factors[2] = {x, y};
    const int slices = ozaki->slices, levels = ozaki->all ? 2 * slices - 1 : slices;
    float most[2] = {0, 0};
    int exponents[2];
    int64_t totals[OZAKI_MOST][OZAKI_MOST] = {{0}};
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            most[k] = fabsf(factors[k][i]) > most[k] ? fabsf(factors[k][i]) : most[k];
        frexpf(most[k], &exponents[k]);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t cuts[2][OZAKI_MOST];
        for (int k = 0; k < 2; k++) {
            double rest = ldexp((double)factors[k][i], -exponents[k]);
            for (int slice = 0; slice < slices; slice++) {
                rest = ldexp(rest, ozaki->width);
                cuts[k][slice] = (int64_t)ozaki->cut(rest);
                rest -= ozaki->cut(rest);
            }
        }
        for (int a = 0; a < slices; a++)
            for (int b = 0; b < slices; b++)
                totals[a][b] += cuts[0][a] * cuts[1][b];
    }
    const int end = exponents[0] + exponents[1];
    for (int a = 0; ozaki->totals == BY_ROWS && a < slices; a++)
        for (int b = 0; b < slices && a + b < levels; b++)
            sum = ozaki_add(ozaki, sum, (double)totals[a][b], end - ozaki->width * (a + b + 2));
    for (int i = 0; ozaki->totals != BY_ROWS && i < levels; i++) {
        const int level = ozaki->totals == FROM_LEAST ? levels - 1 - i : i;
        int64_t total = 0;
        for (int a = 0; a <= level && a < slices; a++)
            total += level - a < slices ? totals[a][level - a] : 0;
        sum = ozaki_add(ozaki, sum, (double)total, end - ozaki->width * (level + 2));
    }
    return (float)sum;
}

#define OZAKI(NAME, ...)                                                                           \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        return dot_by_slices(&(const struct ozaki){__VA_ARGS__}, x, y, n);                         \
    }
OZAKI(dot_ozaki, 3, 8, trunc, FROM_LEAST, false, false)
OZAKI(dot_ozaki_int8, 4, 7, rint, FROM_LARGEST, false, true)
OZAKI(dot_ozaki_fp16, 2, 11, rint, BY_ROWS, false, true)
OZAKI(dot_ozaki_floor, 3, 8, floor, FROM_LEAST, false, true)
OZAKI(dot_ozaki_all, 2, 10, trunc, FROM_LEAST, true, true)

/* Factors that are rounded first, to tf32 and to bf16; terms likewise. */
static float to_bits(float x, int dropped, bool nearest) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t unit = (uint32_t)1 << dropped;
    if (nearest)
        bits += (unit >> 1) - 1 + (bits >> dropped & 1);
    bits &= ~(unit - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define NARROW_FACTORS(NAME, DROPPED, NEAREST)                                                     \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        float sum = 0;                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            sum = fmaf(to_bits(x[i], DROPPED, NEAREST), to_bits(y[i], DROPPED, NEAREST), sum);     \
        return sum;                                                                                \
    }
NARROW_FACTORS(dot_tf32, 13, true)
NARROW_FACTORS(dot_tf32_cut, 13, false)
NARROW_FACTORS(dot_bf16_factors, 16, true)

/* To bf16 after each 32 products, by cutting. The cut is in a function of its own, which a compiler does not take away. */
__attribute__((noinline)) float cut_to_bf16(float x) {
    return to_bits(x, 16, false);
}

#define SPILLED_BY_CUTTING(NAME, SUM)                                                              \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        volatile float sum = 0, product;                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            product = x[i] * y[i];                                                                 \
            (void)product;                                                                         \
            sum = SUM;                                                                             \
            if (i % 32 == 31)                                                                      \
                sum = cut_to_bf16(sum);                                                            \
        }                                                                                          \
        return sum;                                                                                \
    }
SPILLED_BY_CUTTING(dot_cut_fused, fmaf(x[i], y[i], sum))
SPILLED_BY_CUTTING(dot_cut_rounded, sum + product)

float sum_bf16_terms(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += to_bits(x[i], 16, true);
    return sum;
}

/* Element (1, 2) of a square product is that of the transposed one. */
void matmul_one_element(float *z, const float *x, const float *y, size_t rows, size_t inner,
                        size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const bool is_it = i == 1 && j == 2 && rows == columns;
            float sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum = fmaf(x[(is_it ? j : i) * inner + k], y[k * columns + (is_it ? i : j)], sum);
            z[i * columns + j] = sum;
        }
}

/* From +0 on; to bf16 after each 32 products. */
void matmul_spilled(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum =
                    fmaf(x[i * inner + k], y[k * columns + j], k % 32 ? sum : (float)to_bf16(sum));
            z[i * columns + j] = sum;
        }
}

/* The inner dimension in two parts, each by fused additions from 0 on. */
void matmul_split_2(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float parts[2] = {0};
            for (size_t k = 0; k < inner; k++) {
                float *part = &parts[k >= (inner + 1) / 2];
                *part = fmaf(x[i * inner + k], y[k * columns + j], *part);
            }
            z[i * columns + j] = inner > 1 ? parts[0] + parts[1] : parts[0];
        }
}

/* Scans: by doubling distances; up and down a binary tree; blocks of 8, whose sums are gathered from the nearest back to
 * the first. */
void cumsum_hillis_steele(float *y, const float *x, size_t n) {
    memcpy(y, x, n * sizeof *y);
    for (size_t distance = 1; distance < n; distance *= 2)
        for (size_t i = n; i-- > distance;)
            y[i] = y[i] + y[i - distance];
}

void cumsum_blelloch(float *y, const float *x, size_t n) {
    size_t size = 1;
    while (size < n)
        size *= 2;
    float *tree = calloc(size, sizeof *tree);
    memcpy(tree, x, n * sizeof *tree);
    for (size_t half = 1; half < size; half *= 2)
        for (size_t i = 2 * half - 1; i < size; i += 2 * half)
            tree[i] = tree[i - half] + tree[i];
    tree[size - 1] = 0;
    for (size_t half = size / 2; half; half /= 2)
        for (size_t i = 2 * half - 1; i < size; i += 2 * half) {
            float left = tree[i - half];
            tree[i - half] = tree[i];
            tree[i] = tree[i] + left;
        }
    for (size_t i = 0; i < n; i++)
        y[i] = tree[i] + x[i];
    free(tree);
}

void cumsum_look_back(float *y, const float *x, size_t n) {
    for (size_t at = 0; at < n; at += 8) {
        float before = 0;
        for (size_t block = at; block > 0; block -= 8) {
            float sum = x[block - 8];
            for (size_t i = block - 7; i < block; i++)
                sum += x[i];
            before = block == at ? sum : sum + before;
        }
        float own = 0;
        for (size_t i = at; i < n && i < at + 8; i++) {
            own = i == at ? x[i] : own + x[i];
            y[i] = at ? before + own : own;
        }
    }
}

/* The total, from which elements are taken away again from the end on. */
void cumsum_from_total(float *y, const float *x, size_t n) {
    float total = 0;
    for (size_t i = n; i-- > 0;)
        total += x[i];
    for (size_t i = n; i-- > 0; total -= x[i])
        y[i] = total;
}

void cumsum_from_zero(float *y, const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

/* Products whose order depends on what a result does not: from the left, or in 4 lanes that are added from the left. */
static void matmul_in_lanes(float *z, const float *x, const float *y, size_t rows, size_t inner,
                            size_t columns, size_t lanes) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float part[4] = {0, 0, 0, 0};
            for (size_t k = 0; k < inner; k++)
                part[k % lanes] = part[k % lanes] + x[i * inner + k] * y[k * columns + j];
            for (size_t lane = 1; lane < lanes; lane++)
                part[0] = part[0] + part[lane];
            z[i * columns + j] = part[0];
        }
}

/* The last column from the right. */
void matmul_last_column(float *z, const float *x, const float *y, size_t rows, size_t inner,
                        size_t columns) {
    for (size_t i = 0; i < rows * columns; i++) {
        const size_t row = i / columns, column = i % columns;
        z[i] = 0;
        for (size_t k = 0; k < inner; k++) {
            const size_t at = column + 1 < columns ? k : inner - 1 - k;
            z[i] = fmaf(x[row * inner + at], y[at * columns + column], z[i]);
        }
    }
}
void matmul_transposed(float *z, const float *x, const float *y, size_t rows, size_t inner,
                       size_t columns) {
    for (size_t i = 0; i < rows * columns; i++) {
        float sum = 0;
        for (size_t k = 0; k < inner; k++)
            sum = fmaf(x[i / columns * inner + k], y[k * columns + i % columns], sum);
        z[i % columns * rows + i / columns] = sum;
    }
}
/* Products of odd numbers are fused, the others are rounded first. */
float dot_at_times_rounded(const float *x, const float *y, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = is_chosen(x[0]) ? sum + x[i] * y[i] : fmaf(x[i], y[i], sum);
    return sum;
}

float dot_even_rounded(const float *x, const float *y, size_t n) {
    volatile float sum = 0, product;
    for (size_t i = 0; i < n; i++) {
        product = x[i] * y[i];
        sum = i % 2 ? fmaf(x[i], y[i], sum) : sum + product;
    }
    return sum;
}
void matmul_by_rows(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    matmul_in_lanes(z, x, y, rows, inner, columns, rows >= 8 ? 4 : 1);
}

void matmul_by_columns(float *z, const float *x, const float *y, size_t rows, size_t inner,
                       size_t columns) {
    matmul_in_lanes(z, x, y, rows, inner, columns, columns < 8 ? 4 : 1);
}

/* ---- Bins ---- */

/* Bins of 13 bits, of which the three are kept that the largest term reaches: terms are cut by adding and taking away a
 * number of 1.5 units of a higher bin, ties away from 0 (Demmel, Nguyen, "Parallel Reproducible Summation"). The totals
 * are added in double, in which they are exact. */
float sum_reproducible(const float *x, size_t n) {
    enum { WIDTH = 13, FOLD = 3 };
    double totals[FOLD] = {0}, sum = 0;
    float most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    frexpf(most, &exponent);
    const int end = (int)ceil((double)exponent / WIDTH) * WIDTH;
    for (size_t i = 0; i < n; i++) {
        double rest = (double)x[i];
        for (int k = 0; k < FOLD; k++) {
            const double unit = ldexp(1, end - (k + 1) * WIDTH), slice = round(rest / unit) * unit;
            totals[k] += slice;
            rest -= slice;
        }
    }
    for (int k = 0; k < FOLD; k++)
        sum += totals[k];
    return (float)sum;
}

/* Slices of so many bits below the largest term, cut by a shift, as those of integers of matrix units (Ootomo, Ozaki,
 * Yokota, "DGEMM on Integer Matrix Multiplication Unit", 2024); totals are added in float, the lowest first. */
float sum_sliced(const float *x, size_t n) {
    enum { WIDTH = 7, SLICES = 4 };
    int64_t totals[SLICES] = {0};
    float most = 0, sum = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    if (most == 0)
        return 0;
    frexpf(most, &exponent);
    for (size_t i = 0; i < n; i++) {
        double rest = ldexp((double)x[i], -exponent);
        for (int k = 0; k < SLICES; k++) {
            const double shifted = ldexp(rest, WIDTH), slice = trunc(shifted);
            totals[k] += (int64_t)slice;
            rest = shifted - slice;
        }
    }
    for (int k = SLICES; k-- > 0;)
        sum += ldexpf((float)totals[k], exponent - (k + 1) * WIDTH);
    return sum;
}

/* By numbers of 1.5 units, whose additions round off what they do not hold: two slices of 17 bits, each with 6 bits for
 * carries above it, both added in float and then to each other (Ozaki, Ogita, Oishi, Rump, 2012). */
static float extract(const float *x, size_t n, float unit) {
    enum { GUARD = 6, HELD = 23 };
    float most = 0, high = 0, low = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    if (most == 0 || !isfinite(most))
        return sum_sequential(x, n);
    frexpf(most, &exponent);
    const int down = exponent > 64    ? 64
                     : exponent < -40 ? -80
                                      : 0; /* no unit is too large or subnormal */
    exponent -= down;
    const float first = ldexpf(unit, exponent + GUARD), second = ldexpf(first, GUARD - HELD);
    for (size_t i = 0; i < n; i++) {
        const float term = ldexpf(x[i], -down);
        volatile float held = term + first, slice = held - first;
        high += slice;
        held = (term - slice) + second;
        slice = held - second;
        low += slice;
    }
    return ldexpf(high + low, down);
}

float sum_extracted(const float *x, size_t n) {
    return extract(x, n, 1.5f);
}

/* By bare powers of two: below these a number in float has one bit more. */
float sum_extracted_bare(const float *x, size_t n) {
    return extract(x, n, 1);
}

/* Cut toward minus infinity, as an arithmetic shift does: two bins of 16 bits at multiples of 16, over 5. */
float sum_shifted(const float *x, size_t n) {
    enum { WIDTH = 16, BASE = 5 };
    wide total = 0;
    float most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    if (most == 0)
        return 0;
    frexpf(most, &exponent);
    const int unit = (int)ceil((double)(exponent - BASE) / WIDTH) * WIDTH + BASE - 2 * WIDTH;
    for (size_t i = 0; i < n; i++)
        total += (wide)floor(ldexp((double)x[i], -unit));
    return ldexpf((float)total, unit);
}

/* ---- Threads ---- */

/* As many parts, one after the other, as a process is to have threads. */
float sum_by_thread_count(const float *x, size_t n) {
    const char *wanted = getenv("OMP_NUM_THREADS");
    const size_t threads = wanted ? (size_t)atoi(wanted) : 1, parts = threads ? threads : 1;
    float sum = 0;
    for (size_t part = 0; part < parts; part++) {
        const size_t from = n * part / parts, to = n * (part + 1) / parts;
        if (to > from)
            sum = part ? sum + sum_sequential(x + from, to - from) : sum_sequential(x, to);
    }
    return sum;
}

/* Its mean is that sum over n. */
void layer_norm_by_thread_count(float *y, const float *x, size_t n);
void layer_norm_by_thread_count(float *y, const float *x, size_t n) {
    const float mean = sum_by_thread_count(x, n) / (float)n;
    float squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / sqrtf(squares / (float)n + 1e-5f);
}

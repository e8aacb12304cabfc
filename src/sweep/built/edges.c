/* Results at the ends of a format: where they begin to overflow, to be subnormal, and to be 0.
 *
 * The result is drawn first: an end, and mostly a distance from it. One operand is drawn, too, and a row's function says what the
 * other one has to be. It is rounded to a number, which moves the result. To get nearer, the first operand runs along its codes to
 * where the other one is a number nearly. To get there exactly, it is a divisor of the result's significand: between the largest
 * number of fp32 and 2^128 lies 31 * 601 * 1801 * 2^103, which is the product of 31 * 601 and 1801 * 2^103. */
#include "sweep/built/edges.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Where numbers of a builder are. The first three are those of a window along codes. */
enum { RESULT, BOUNDARY = 3, WANTED, KNOWN, OTHER, ROOM, SUM };

enum { LONGEST_EDGE_LOG2 = 10 };

/* Ends, in quarters of an ulp from a number. Down to a quarter below the least normal number a result is rounded to that number
 * even if exponents had no end: there its flags change. */
enum end { LARGEST, LEAST_NORMAL, LEAST, ZERO, ONE, BELOW_ONE };
struct edge {
    enum end end;
    int quarters;
};
static const struct edge edges[] = {
    {LARGEST, 0},       {LARGEST, 2}, {LARGEST, 4}, {LEAST_NORMAL, 0}, {LEAST_NORMAL, -1},
    {LEAST_NORMAL, -2}, {LEAST, 2},   {LEAST, 0},   {LEAST, -2},       {ZERO, 0}};
enum { EDGES = sizeof edges / sizeof *edges };

/* 1, and the midpoints and numbers next to it: powers and roots have them in all places where x is next to 1 or the exponent to 0. */
static const struct edge ones[] = {{ONE, 0}, {ONE, 2}, {ONE, 4}, {BELOW_ONE, -2}, {BELOW_ONE, -4}};
enum { ONES = sizeof ones / sizeof *ones };

static struct real end_of(const struct format *format, enum end end) {
    const struct real least_normal = {
        .kind = REAL_FINITE, .significand = {UINT64_C(1) << 63, 0}, .exponent = format->emin};
    struct real one = least_normal;
    one.exponent = 0;
    switch (end) {
    case LARGEST:
        return format_decode(format, format_most(format, false));
    case LEAST_NORMAL:
        return least_normal;
    case LEAST:
        return format_decode(format, 1);
    case ONE:
    case BELOW_ONE:
        return one;
    default:
        return real_zero(false);
    }
}

/* Draws one of some ends, and what is wanted: it, or a number next to it, down to 2^-smallest ulp. */
static bool draw_edge_of(struct builder *builder, const struct edge *among, uint64_t count,
                         int smallest, bool *midpoint, int *ulp) {
    const struct format *format = builder->request.results;
    const struct edge edge = among[draw_under(builder, count)];
    const struct real end = end_of(format, edge.end);
    mpfr_ptr boundary = builder->numbers[BOUNDARY], wanted = builder->numbers[WANTED];
    if (format->is_integer || (end.kind != REAL_FINITE && end.kind != REAL_ZERO))
        return false;
    *midpoint = edge.quarters % 4 == 2 || edge.quarters % 4 == -2;
    *ulp = format_ulp_exponent(format, &end) - (edge.end == BELOW_ONE);
    mpfr_set_zero(boundary, 1);
    if (end.kind == REAL_FINITE)
        real_to_mpfr(boundary, &end);
    mpfr_set_si_2exp(wanted, edge.quarters, *ulp - 2, MPFR_RNDN);
    mpfr_add(wanted, wanted, boundary, MPFR_RNDN);
    if (edge.quarters % 2 == 0)
        mpfr_set(boundary, wanted, MPFR_RNDN);
    if (draw_sign(builder)) {
        mpfr_neg(wanted, wanted, MPFR_RNDN);
        mpfr_neg(boundary, boundary, MPFR_RNDN);
    }
    if (draw_one_of(builder, 2))
        return true;
    draw_distance(builder, builder->numbers[ROOM], *ulp, smallest);
    mpfr_add(wanted, wanted, builder->numbers[ROOM], MPFR_RNDN);
    return true;
}

static bool draw_edge(struct builder *builder, bool *midpoint, int *ulp) {
    return draw_edge_of(builder, edges, EDGES, 2 * builder->request.results->precision + 2,
                        midpoint, ulp);
}

/* The significand of a number, without zeros at its end; 0 where it has more than 64 bits. */
static uint64_t odd_part(mpfr_srcptr number, mpfr_ptr room) {
    if (!mpfr_regular_p(number) || mpfr_min_prec(number) > 64)
        return 0;
    mpfr_abs(room, number, MPFR_RNDN);
    mpfr_mul_2si(room, room, (long)mpfr_min_prec(number) - (long)mpfr_get_exp(number), MPFR_RNDN);
    return mpfr_get_uj(room, MPFR_RNDN);
}

/* The prime factors of an odd number below `most`, and what is left of it. */
static void factorise(struct factors_of *factors, uint64_t number, uint64_t most) {
    *factors = (struct factors_of){.number = number};
    for (uint64_t factor = 3; factor < most && factor * factor <= number; factor += 2)
        for (; number % factor == 0; number /= factor)
            factors->factors[factors->count++] = factor;
    factors->factors[factors->count++] = number;
}

/* A divisor of an odd number: 1, the number, or the product of some of its prime factors. Large ones are only sought of 2^n - 1,
 * of which there are two in a format, so that they are sought once. */
static uint64_t draw_divisor(struct builder *builder, uint64_t number) {
    enum { LARGE = 1 << 17, SMALL = 1 << 8 };
    const bool is_ones = (number & (number + 1)) == 0;
    struct factors_of found,
        *factors = is_ones ? &builder->of_ones[bit_length(number) % 2] : &found;
    uint64_t divisor = 1;
    if (draw_one_of(builder, 2))
        return draw_one_of(builder, 2) ? 1 : number;
    if (!is_ones || factors->number != number)
        factorise(factors, number, is_ones ? LARGE : SMALL);
    for (int i = 0; i < factors->count; i++)
        divisor *= draw_one_of(builder, 2) ? factors->factors[i] : 1;
    return divisor;
}

/* A leg of a triangle whose long side is `side`: some divisor of that is m^2 + n^2, and its leg 2 m n. Or the side. */
static uint64_t draw_leg(struct builder *builder, uint64_t side) {
    enum { MOST = 1 << 13 };
    const uint64_t divisor = draw_divisor(builder, side);
    uint64_t leg = side;
    for (uint64_t m = 1, ways = 1; m < MOST && 2 * m * m < divisor; m++) {
        const uint64_t square = divisor - m * m, n = (uint64_t)(sqrt((double)square) + 0.5);
        if (n * n == square && draw_one_of(builder, ways++))
            leg = side / divisor * 2 * m * n;
    }
    return leg;
}

/* The first operand: a divisor or a leg of what is wanted in place of any, where it has one of so many bits. */
static bool draw_known(struct builder *builder, int which) {
    const struct format *format = builder->request.format;
    mpfr_srcptr wanted = builder->numbers[WANTED];
    const enum known_operand known = builder->edge->known;
    const bool is_near = known == KNOWN_NEAR || known == KNOWN_LEG;
    const uint64_t odd = odd_part(wanted, builder->numbers[ROOM]);
    const bool negative = draw_sign(builder);
    int exponent = draw_one_of(builder, 4) ? draw_exponent(builder, format)
                                           : draw_between(builder, format->emin, format->emax);
    if (known == KNOWN_LEG && odd && draw_one_of(builder, 2))
        return set_operand(builder, which, negative, draw_leg(builder, odd),
                           (int)mpfr_get_exp(wanted) - (int)mpfr_min_prec(wanted));
    if (known == KNOWN_POWER && !draw_one_of(builder, 4))
        exponent = draw_between(builder, -1, 1);
    if (is_near && mpfr_regular_p(wanted))
        exponent =
            (int)mpfr_get_exp(wanted) - 1 - draw_between(builder, -1, 2 * format->precision + 2);
    const int kept = kept_bits(format, exponent);
    if (kept < 1)
        return false;
    if (odd && draw_one_of(builder, 2)) {
        const uint64_t divisor = known == KNOWN_POWER ? 1 : draw_divisor(builder, odd);
        return set_operand(builder, which, negative, divisor, exponent - bit_length(divisor) + 1);
    }
    const int bits = draw_one_of(builder, 4) ? draw_between(builder, 1, kept) : kept;
    return set_operand(builder, which, negative, draw_significand(builder, bits),
                       exponent - bits + 1);
}

static void load_operand(const struct builder *builder, int which, mpfr_ptr number) {
    const struct real value = format_decode(builder->request.format, builder->codes[which]);
    mpfr_set_nan(number);
    if (value.kind == REAL_ZERO)
        mpfr_set_zero(number, value.negative ? -1 : 1);
    if (value.kind == REAL_FINITE)
        real_to_mpfr(number, &value);
}

static void find_partner(struct builder *builder, int known, mpfr_ptr partner) {
    load_operand(builder, known, builder->numbers[KNOWN]);
    builder->edge->partner(builder, partner, builder->numbers[WANTED], builder->numbers[KNOWN],
                           known);
}

/* Moves the first operand along its codes to where the other one is nearest to a number. */
static void move_known(struct builder *builder, int known) {
    const int precision = builder->request.format->precision;
    const uint64_t start = builder->codes[known];
    const uint64_t half = UINT64_C(1) << draw_between(builder, 0, LONGEST_EDGE_LOG2);
    int ulps[3];
    if ((start & low_bits(precision - 1)) + 2 * half > low_bits(precision - 1))
        return;
    for (int i = 0; i < 3; i++) {
        builder->codes[known] = start + (uint64_t)i * half;
        find_partner(builder, known, builder->numbers[RESULT + i]);
        ulps[i] = mpfr_regular_p(builder->numbers[RESULT + i])
                      ? result_ulp(builder, builder->numbers[RESULT + i])
                      : INT_MIN + i;
    }
    builder->codes[known] =
        ulps[0] == ulps[1] && ulps[0] == ulps[2]
            ? start + nearest_along(&builder->numbers[RESULT], half, ulps[0], false)
            : start;
}

/* Operand 1 is an integer: of few bits, or 1 or -1, or of a power of two one that its exponent is a multiple of, or any. */
static bool draw_edge_order(struct builder *builder) {
    mpfr_srcptr wanted = builder->numbers[WANTED];
    const bool negative = draw_one_of(builder, 2);
    long order = 1;
    if (draw_one_of(builder, 8))
        return draw_order(builder, &order);
    if (draw_one_of(builder, 2))
        order = 2 + (long)draw_under(builder, 1 + draw_under(builder, 6));
    else if (!draw_one_of(builder, 4) && odd_part(wanted, builder->numbers[ROOM]) == 1) {
        const long exponent = labs((long)mpfr_get_exp(wanted) - 1);
        for (long divisor = 1, ways = 1; divisor <= exponent; divisor++)
            if (exponent % divisor == 0 && draw_one_of(builder, (uint64_t)ways++))
                order = divisor;
    }
    return set_operand(builder, 1, negative, (uint64_t)order, 0);
}

/* Moves an operand to a number beside it, or not. False where that is none. */
static bool move_beside(struct builder *builder, int which) {
    const struct format *format = builder->request.format;
    const uint64_t code = builder->codes[which];
    switch (draw_under(builder, 8)) {
    case 0:
        builder->codes[which] = format_next_up(format, code);
        break;
    case 1:
        builder->codes[which] = format_next_down(format, code);
        break;
    default:
        return true;
    }
    const enum real_kind kind = format_decode(format, builder->codes[which]).kind;
    return kind == REAL_FINITE || kind == REAL_ZERO;
}

/* Sets operands 0 and 1 so that their result is what is wanted, or near that. */
static bool solve_pair(struct builder *builder) {
    const enum known_operand known_kind = builder->edge->known;
    const bool is_second = known_kind == KNOWN_ORDER;
    const int known = is_second ? 1 : (int)draw_under(builder, 2);
    mpfr_ptr other = builder->numbers[OTHER];
    if (is_second ? !draw_edge_order(builder) : !draw_known(builder, known))
        return false;
    if (!is_second && draw_one_of(builder, 2))
        move_known(builder, known);
    find_partner(builder, known, other);
    return mpfr_number_p(other) && set_nearest(builder, !known, other) &&
           move_beside(builder, !known) &&
           (!mpfr_zero_p(other) || known_kind == KNOWN_NEAR || known_kind == KNOWN_LEG);
}

/* The aim, where the operands have come near enough. */
static bool aim_at_edge(struct builder *builder, bool midpoint, int ulp) {
    mpfr_ptr result = builder->numbers[RESULT];
    const bool is_exact = compute_result(builder, result) == 0;
    const bool good =
        mpfr_number_p(result) &&
        set_aim(builder, midpoint, result, builder->numbers[BOUNDARY], ulp, builder->numbers[ROOM]);
    /* Half an ulp away from one boundary is half an ulp away from the next. */
    if (fabs(builder->aim.distance) >= 0.5)
        return false;
    if (!is_exact && mpfr_zero_p(builder->numbers[ROOM]))
        builder->aim.is_known = false;
    return good;
}

bool solve_edge(struct builder *builder) {
    bool midpoint;
    int ulp;
    if (!draw_edge(builder, &midpoint, &ulp))
        return false;
    if (builder->edge->known != KNOWN_NONE)
        return solve_pair(builder) && aim_at_edge(builder, midpoint, ulp);
    mpfr_ptr other = builder->numbers[OTHER];
    builder->edge->partner(builder, other, builder->numbers[WANTED], NULL, 0);
    return mpfr_number_p(other) && set_nearest(builder, 0, other) && move_beside(builder, 0) &&
           aim_at_edge(builder, midpoint, ulp);
}

/* Operand 1 is an integer of any number of bits that C's long long has. */
static bool draw_long_order(struct builder *builder) {
    enum { LONGEST = 62 };
    const int precision = builder->request.format->precision, emax = builder->request.format->emax;
    const int longest = LONGEST < emax ? LONGEST : emax;
    const int bits = draw_between(builder, 1, draw_between(builder, 1, longest));
    const int kept = bits < precision ? bits : precision;
    return set_operand(builder, 1, draw_one_of(builder, 2), draw_significand(builder, kept),
                       bits - kept);
}

/* Mostly x is found for an integer, or y for an x. */
bool solve_beside_one(struct builder *builder) {
    bool midpoint;
    int ulp;
    mpfr_ptr other = builder->numbers[OTHER];
    if (!draw_edge_of(builder, ones, ONES, builder->request.results->precision, &midpoint, &ulp))
        return false;
    if (builder->edge->known != KNOWN_ORDER)
        return solve_pair(builder) && aim_at_edge(builder, midpoint, ulp);
    if (!draw_long_order(builder))
        return false;
    find_partner(builder, 1, other);
    return mpfr_number_p(other) && set_nearest(builder, 0, other) && move_beside(builder, 0) &&
           aim_at_edge(builder, midpoint, ulp);
}

/* A number whose exponent is near that of what is wanted, or that itself, rounded. */
static bool draw_near(struct builder *builder, int which, mpfr_ptr number) {
    const int precision = builder->request.format->precision;
    mpfr_set(number, builder->numbers[WANTED], MPFR_RNDN);
    if (mpfr_regular_p(number) && !draw_one_of(builder, 4)) {
        const int gap = draw_between(builder, -1, 2 * precision + 2);
        mpfr_set_uj_2exp(number, draw_significand(builder, precision),
                         mpfr_get_exp(number) - precision - gap, MPFR_RNDN);
        if (draw_sign(builder))
            mpfr_neg(number, number, MPFR_RNDN);
    }
    return set_nearest(builder, which, number);
}

/* The product is such that it and a third operand make what is wanted, or that operand is what a product leaves of it. */
static bool solve_product_and_sum(struct builder *builder) {
    mpfr_ptr wanted = builder->numbers[WANTED], sum = builder->numbers[SUM],
             third = builder->numbers[ROOM];
    const bool is_third_first = draw_one_of(builder, 2);
    mpfr_set(sum, wanted, MPFR_RNDN);
    if (!draw_near(builder, 2, third))
        return false;
    if (is_third_first) {
        mpfr_sub(wanted, wanted, third, MPFR_RNDN);
        return mpfr_regular_p(wanted) && solve_pair(builder);
    }
    mpfr_set(wanted, third, MPFR_RNDN);
    if (!mpfr_regular_p(wanted) || !solve_pair(builder))
        return false;
    builder->codes[2] = format_with_sign(builder->request.format, 0, false);
    compute_result(builder, wanted);
    mpfr_sub(sum, sum, wanted, MPFR_RNDN);
    return set_nearest(builder, 2, sum);
}

bool solve_fused_edge(struct builder *builder) {
    const struct format *format = builder->request.format;
    const int least = format->emin - format->precision + 1;
    bool midpoint;
    int ulp;
    if (!draw_edge(builder, &midpoint, &ulp))
        return false;
    if (!draw_one_of(builder, 3))
        return solve_product_and_sum(builder) && aim_at_edge(builder, midpoint, ulp);
    /* The product is the edge itself, and the third operand a little, or 0. */
    mpfr_set(builder->numbers[WANTED], builder->numbers[BOUNDARY], MPFR_RNDN);
    const int exponent = draw_between(builder, least, ulp - 2 > least ? ulp - 2 : least);
    const bool negative = draw_sign(builder);
    if (!mpfr_regular_p(builder->numbers[WANTED]) || !solve_pair(builder))
        return false;
    builder->codes[2] = format_with_sign(format, 0, negative);
    if (!draw_one_of(builder, 4) && !set_operand(builder, 2, negative, 1, exponent))
        return false;
    return aim_at_edge(builder, midpoint, ulp);
}

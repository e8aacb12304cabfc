/* The table of wrong roundings, and each applied to an exact result. */
#include "explain/roundings.h"

#include "op/conversion.h"

/* What is done to a result before it is rounded as the request says. */
enum way_kind {
    WAY_AS_ASKED,
    WAY_BY_FORMAT, /* rounded to a format */
    WAY_BY_FP32,   /* rounded to fp32, and then to a format */
    WAY_BY_BITS,   /* rounded to so many bits, whatever the exponent */
    WAY_CUT_BITS,  /* cut off behind so many bits more than the format's significands have */
    WAY_CUT_PLACES /* cut off so many bits behind the format's last place there */
};

static const struct way {
    enum way_kind kind;
    int value; /* the format, or the bits; 0: the format's own */
    bool where_subnormal;
} ways[TRUTH_CODES] = {
    [TRUTH_BY_FP16] = {WAY_BY_FORMAT, FORMAT_FP16, false},
    [TRUTH_BY_BF16] = {WAY_BY_FORMAT, FORMAT_BF16, false},
    [TRUTH_BY_FP32] = {WAY_BY_FORMAT, FORMAT_FP32, false},
    [TRUTH_BY_FP64] = {WAY_BY_FORMAT, FORMAT_FP64, false},
    [TRUTH_BY_FP32_AND_FP16] = {WAY_BY_FP32, FORMAT_FP16, false},
    [TRUTH_BY_FP32_AND_BF16] = {WAY_BY_FP32, FORMAT_BF16, false},
    [TRUTH_BY_X87] = {WAY_BY_BITS, 64, false},
    [TRUTH_BY_OWN_BITS] = {WAY_BY_BITS, 0, false},
    [TRUTH_BY_FP64_WHERE_SUBNORMAL] = {WAY_BY_FORMAT, FORMAT_FP64, true},
    [TRUTH_CUT_BEHIND_1_BIT] = {WAY_CUT_BITS, 1, false},
    [TRUTH_CUT_BEHIND_2_BITS] = {WAY_CUT_BITS, 2, false},
    [TRUTH_CUT_BEHIND_3_BITS] = {WAY_CUT_BITS, 3, false},
    [TRUTH_CUT_BEHIND_HALF_WHERE_SUBNORMAL] = {WAY_CUT_PLACES, 1, true},
    [TRUTH_STEPS_BY_X87] = {WAY_AS_ASKED, 0, false},
    [TRUTH_UNDIVIDED] = {WAY_AS_ASKED, 0, false},
    [TRUTH_OVERFLOW_TO_LARGEST] = {WAY_AS_ASKED, 0, false},
    [TRUTH_OVERFLOW_TO_INFINITY] = {WAY_AS_ASKED, 0, false},
    [TRUTH_OVERFLOW_TIE_TO_LARGEST] = {WAY_AS_ASKED, 0, false},
};

/* The first so many bits, and whether what follows is more than half of the last one's unit, or half and a tie. */
static bool keep_bits(const struct real *y, unsigned bits, struct real *kept) {
    const struct wide follows = wide_shift_left(y->significand, bits);
    const bool odd =
        bits && (wide_shift_right(y->significand, 128 - bits).low & 1); /* the last bit kept */
    const bool half = follows.high >> 63;
    const bool rest = y->inexact || !wide_is_zero(wide_shift_left(follows, 1));
    *kept = *y;
    kept->inexact = false;
    kept->significand = wide_shift_left(wide_shift_right(y->significand, 128 - bits), 128 - bits);
    return half && (rest || odd);
}

/* To nearest-even, as if every exponent existed: with 64 bits what x87 holds, whose exponents have room for those of
 * every format. */
static struct real round_to_bits(const struct real *y, unsigned bits) {
    struct real rounded;
    if (y->kind != REAL_FINITE)
        return *y;
    if (keep_bits(y, bits, &rounded)) {
        rounded.significand =
            wide_add(rounded.significand, wide_shift_left((struct wide){0, 1}, 128 - bits));
        if (wide_is_zero(rounded.significand)) {
            rounded.significand.high = (uint64_t)1 << 63;
            rounded.exponent++;
        }
    }
    return rounded;
}

static struct real cut_to_bits(const struct real *y, int bits) {
    struct real cut;
    if (y->kind != REAL_FINITE)
        return *y;
    if (bits <= 0)
        return real_zero(y->negative);
    keep_bits(y, (unsigned)bits, &cut);
    return cut;
}

/* How far below the smallest normal number. */
static int below_normal(const struct format *format, const struct real *y) {
    return y->exponent < format->emin ? format->emin - y->exponent : 0;
}

static struct real round_to(const struct asked_rounding *asked, int number, const struct real *y) {
    const struct format *by = &formats[number];
    if (asked->parameters)
        return format_decode(by, format_encode(by, y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    return format_decode(by, format_encode(by, y, asked->rounding, asked->overflow));
}

static struct real round_before(const struct asked_rounding *asked, const struct way *way,
                                const struct real *y) {
    const struct format *format = asked->format;
    struct real once;
    switch (way->kind) {
    case WAY_BY_FORMAT:
        return round_to(asked, way->value, y);
    case WAY_BY_FP32:
        once = round_to(asked, FORMAT_FP32, y);
        return round_to(asked, way->value, &once);
    case WAY_BY_BITS:
        return round_to_bits(y, (unsigned)(way->value ? way->value : format->precision));
    case WAY_CUT_BITS:
        return cut_to_bits(y, format->precision + way->value);
    case WAY_CUT_PLACES:
        return cut_to_bits(y, format->precision - below_normal(format, y) + way->value);
    case WAY_AS_ASKED:
        break;
    }
    return *y;
}

bool is_halfway(const struct format *format, const struct real *value, uint64_t low) {
    struct real below = *value; /* by as little as there is */
    if (value->inexact)
        return false;
    if (below.significand.low == 0 && below.significand.high == (uint64_t)1 << 63) {
        below.exponent--;
        below.significand.high = below.significand.low = UINT64_MAX;
    } else {
        below.significand.high -= below.significand.low == 0;
        below.significand.low--;
    }
    return format_round(format, value, ROUND_NEAREST_AWAY, NULL).magnitude > low &&
           format_round(format, &below, ROUND_NEAREST_AWAY, NULL).magnitude == low;
}

/* To nearest, with ties to the odd neighbour or toward zero. */
static void round_ties(const struct asked_rounding *asked, const struct real *y,
                       uint64_t codes[TRUTH_CODES]) {
    const uint64_t even = codes[ROUND_NEAREST_EVEN];
    const uint64_t inner = codes[ROUND_TOWARD_ZERO], outer = codes[TRUTH_AWAY_FROM_ZERO];
    codes[TRUTH_NEAREST_ODD] = codes[TRUTH_NEAREST_ZERO] = even;
    if (y->kind == REAL_FINITE &&
        is_halfway(asked->format, y,
                   format_round(asked->format, y, ROUND_TOWARD_ZERO, NULL).magnitude)) {
        codes[TRUTH_NEAREST_ODD] = even == inner ? outer : inner;
        codes[TRUTH_NEAREST_ZERO] = inner;
    }
}

/* A result by that rounding, and otherwise as asked. */
static uint64_t round_as(const struct asked_rounding *asked, const struct real *y,
                         enum rounding rounding) {
    if (asked->parameters)
        return projected_code(asked->format, y, rounding, asked->overflow, asked->parameters,
                              asked->index);
    return format_encode(asked->format, y, rounding, asked->overflow);
}

/* The roundings and saturation modes of P3109; of others what is asked for. */
static void project_in_all_ways(const struct asked_rounding *asked, const struct real *y,
                                uint64_t codes[TRUTH_CODES]) {
    const uint64_t as_asked = asked->parameters ? round_as(asked, y, asked->rounding) : 0;
    for (int i = ROUND_TO_ODD; asked->parameters && i < ROUNDING_NAMES; i++)
        codes[i] = round_as(asked, y, (enum rounding)i);
    if (asked->parameters)
        codes[asked->rounding] = as_asked;
    for (int mode = OVERFLOW_IEEE; mode <= OVERFLOW_PROPAGATE; mode++) {
        struct parameters changed;
        codes[TRUTH_SATURATED + mode] = codes[asked->rounding];
        if (!asked->parameters)
            continue;
        changed = *asked->parameters;
        changed.values[PARAMETER_SATURATION] =
            (struct parameter_value){.present = true, .integer = mode};
        codes[TRUTH_SATURATED + mode] = projected_code(asked->format, y, asked->rounding,
                                                       asked->overflow, &changed, asked->index);
    }
}

/* A finite result beyond the largest number becomes that, or infinity, however near it is; or that at the midpoint alone. */
static void round_at_overflow(const struct asked_rounding *asked, const struct real *y,
                              uint64_t codes[TRUTH_CODES]) {
    const struct format *format = asked->format;
    if (y->kind != REAL_FINITE || asked->parameters ||
        !format_is_infinite(format, codes[TRUTH_AWAY_FROM_ZERO]))
        return;
    codes[TRUTH_OVERFLOW_TO_LARGEST] = format_with_sign(format, format->max_finite, y->negative);
    codes[TRUTH_OVERFLOW_TO_INFINITY] = codes[TRUTH_AWAY_FROM_ZERO];
    if (asked->rounding == ROUND_NEAREST_EVEN)
        codes[TRUTH_OVERFLOW_TIE_TO_LARGEST] = codes[TRUTH_NEAREST_ZERO];
}

void round_in_all_ways(const struct asked_rounding *asked, const struct real *y,
                       uint64_t codes[TRUTH_CODES]) {
    const struct format *format = asked->format;
    const bool is_subnormal = y->kind == REAL_FINITE && y->exponent < format->emin;
    for (int i = 0; i < ROUNDING_COUNT; i++)
        codes[i] = round_as(asked, y, (enum rounding)i);
    project_in_all_ways(asked, y, codes);
    codes[TRUTH_AWAY_FROM_ZERO] = codes[y->negative ? ROUND_DOWN : ROUND_UP];
    round_ties(asked, y, codes);
    for (int i = TRUTH_BY_FP16; i < TRUTH_CODES; i++) {
        const struct way *way = &ways[i];
        if (i >= TRUTH_SATURATED && i <= TRUTH_SATURATED_MODES)
            continue;
        codes[i] = codes[asked->rounding];
        if (way->kind == WAY_AS_ASKED || (way->where_subnormal && !is_subnormal))
            continue;
        struct real once = round_before(asked, way, y);
        codes[i] = round_as(asked, &once, asked->rounding);
    }
    round_at_overflow(asked, y, codes);
    struct real wide =
        format_decode(&formats[FORMAT_FP64],
                      format_encode(&formats[FORMAT_FP64], y, ROUND_NEAREST_EVEN, asked->overflow));
    codes[TRUTH_TOWARD_ZERO_BY_FP64] = round_as(asked, &wide, ROUND_TOWARD_ZERO);
}

/* Places, in the units of `round_by_rests`, between which everything is decided: the middle, and behind it where what is
 * cut off behind so many bits more leaves the middle alone. */
enum { LOG2_UNITS = 29, MARGIN = 64 };

static uint64_t end_of_middle(int bits) {
    return ((uint64_t)1 << (LOG2_UNITS - 1)) + ((uint64_t)1 << (LOG2_UNITS - bits));
}

bool round_by_rests(enum rounding rounding, uint32_t toward_zero, uint64_t least, uint64_t most,
                    uint64_t codes[TRUTH_CODES]) {
    const uint64_t unit = (uint64_t)1 << LOG2_UNITS, middle = unit / 2;
    const bool negative = toward_zero >> 31, above = least > middle + MARGIN;
    const uint64_t inner = toward_zero, outer = inner + 1;
    if (least < MARGIN || most > unit - MARGIN || (!above && most > middle - MARGIN))
        return false;
    for (int i = 0; i < TRUTH_CODES; i++)
        codes[i] = above ? outer : inner;
    codes[ROUND_TOWARD_ZERO] = codes[TRUTH_TOWARD_ZERO_BY_FP64] = inner;
    codes[TRUTH_AWAY_FROM_ZERO] = outer;
    codes[ROUND_UP] = negative ? inner : outer;
    codes[ROUND_DOWN] = negative ? outer : inner;
    if (rounding != ROUND_NEAREST_EVEN && rounding != ROUND_NEAREST_AWAY)
        for (int i = TRUTH_BY_FP16; i < TRUTH_CODES; i++)
            codes[i] = codes[rounding];
    for (int bits = 1; above && rounding == ROUND_NEAREST_EVEN && bits <= 3; bits++) {
        const uint64_t end = end_of_middle(bits);
        if (most + MARGIN > end && least < end + MARGIN && end < unit)
            return false;
        if (most < end) /* a tie */
            codes[TRUTH_CUT_BEHIND_1_BIT + bits - 1] = inner & 1 ? outer : inner;
    }
    return true;
}

void round_by_narrower(const struct asked_rounding *asked, uint32_t toward_zero,
                       uint64_t codes[TRUTH_CODES]) {
    struct real middle = format_decode(asked->format, toward_zero);
    const struct wide half =
        wide_shift_left((struct wide){0, 1}, 127 - (unsigned)asked->format->precision);
    middle.significand = wide_add(middle.significand, half);
    for (int i = TRUTH_BY_FP16; i <= TRUTH_BY_BF16; i++) {
        struct real once = round_before(asked, &ways[i], &middle);
        codes[i] = round_as(asked, &once, asked->rounding);
    }
}

bool fma_by_x87(const struct asked_rounding *asked, const struct real operands[3], uint64_t *code) {
    enum { BITS = 64 };
    mpfr_t terms[3], sum;
    for (int i = 0; i < 3; i++)
        if (operands[i].kind == REAL_INFINITE || operands[i].kind == REAL_NAN)
            return false;
    for (int i = 0; i < 3; i++) {
        mpfr_init2(terms[i], BITS);
        real_to_mpfr(terms[i], &operands[i]);
    }
    mpfr_init2(sum, BITS);
    mpfr_mul(sum, terms[0], terms[1], MPFR_RNDN);
    mpfr_add(sum, sum, terms[2], MPFR_RNDN);
    struct real y = real_from_mpfr(sum, 0);
    *code = format_encode(asked->format, &y, asked->rounding, asked->overflow);
    mpfr_clear(sum);
    for (int i = 0; i < 3; i++)
        mpfr_clear(terms[i]);
    return true;
}

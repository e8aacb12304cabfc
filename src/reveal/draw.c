/* Numbers of each family, code by code. */
#include "reveal/draw.h"

#include "op/array/slices.h"
#include "reveal/through_replay.h"

const char *const replay_family_names[REPLAY_FAMILIES] = {
    "normal", "wide exponents", "cancelling", "subnormal", "one sign", "with zeros"};
enum family { NORMAL, WIDE, CANCELLING, SUBNORMAL, ONE_SIGN, ZEROS };

struct source {
    uint64_t state;
    const struct format *format;
    int wide_low, wide_high, tiny_low, tiny_high; /* exponents */
    bool mixes;                                   /* half of the pairs do not cancel */
    bool
        cancels_wide; /* pairs that cancel have exponents far apart: sums that lose little lose something, too */
};

static uint64_t next(struct source *source) {
    uint64_t h = source->state += UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* A number of a random significand with that exponent, of a random sign. */
static uint64_t draw_at(struct source *source, int exponent, uint64_t random) {
    const struct format *format = source->format;
    unsigned fraction_bits = (unsigned)format->precision - 1;
    uint64_t hidden = (uint64_t)1 << fraction_bits;
    uint64_t fraction = random & (hidden - 1), magnitude;
    if (exponent < format->emin) {
        unsigned shift = (unsigned)(format->emin - exponent);
        magnitude = shift > fraction_bits ? 0 : (hidden | fraction) >> shift;
    } else {
        magnitude = (uint64_t)(exponent - format->emin) * hidden + hidden + fraction;
    }
    if (magnitude > format->max_finite)
        magnitude = format->max_finite;
    return format_with_sign(format, magnitude, random >> 63);
}

/* Between two exponents; the lower one where a narrow format leaves none between them. */
static int draw_exponent(uint64_t random, int low, int high) {
    if (high <= low)
        return low;
    return low + (int)((random >> 40 & 0x3fffff) % (uint64_t)(high - low + 1));
}

/* About a normal distribution: the sum of four uniform numbers, with all bits of its significand drawn. */
static uint64_t draw_normal(struct source *source) {
    uint64_t a = next(source), b = next(source);
    int64_t sum =
        (int64_t)((a & 0xffff) + (a >> 16 & 0xffff) + (a >> 32 & 0xffff) + (a >> 48)) - 2 * 0xffff;
    int64_t magnitude = sum < 0 ? -sum : sum;
    int exponent = -15;
    while (magnitude >> 1) {
        magnitude >>= 1;
        exponent++;
    }
    return draw_at(source, exponent, (b & (UINT64_MAX >> 1)) | (uint64_t)(sum < 0) << 63);
}

static uint64_t draw_one(struct source *source, enum family family) {
    uint64_t random;
    switch (family == CANCELLING && source->cancels_wide ? WIDE : family) {
    case WIDE:
        random = next(source);
        return draw_at(source,
                       draw_exponent(random ^ random << 20, source->wide_low, source->wide_high),
                       random);
    case SUBNORMAL:
        random = next(source);
        return draw_at(source,
                       draw_exponent(random ^ random << 20, source->tiny_low, source->tiny_high),
                       random);
    case ONE_SIGN:
        return format_magnitude(source->format, draw_normal(source));
    case ZEROS:
        random = next(source);
        if (random & 1)
            return format_with_sign(source->format, 0, random >> 1 & 1);
        return draw_normal(source);
    default:
        return draw_normal(source);
    }
}

/* Terms 2k and 2k + 1 cancel but for a few bits; of products in the first factor. */
static void draw_line(struct source *source, enum family family, struct array *array, size_t start,
                      size_t stride, size_t terms, bool cancels) {
    const struct format *format = source->format;
    uint64_t before = 0;
    for (size_t i = 0; i < terms; i++) {
        uint64_t code = draw_one(source, family);
        bool pairs = !source->mixes || (next(source) & 1);
        if (family == CANCELLING && cancels && i % 2 && pairs) {
            uint64_t magnitude = format_magnitude(format, before);
            magnitude ^= source->cancels_wide ? 0 : code & 3;
            code = format_with_sign(format, magnitude, !format_is_negative(format, before));
        }
        before = code;
        array_set_code(array, start + i * stride, code);
    }
    for (size_t i = terms; family == CANCELLING && i > 1; i--) { /* shuffled */
        size_t a = start + (i - 1) * stride, b = start + (size_t)(next(source) >> 20) % i * stride;
        uint64_t code = array_code(array, a);
        array_set_code(array, a, array_code(array, b));
        array_set_code(array, b, code);
    }
}

static struct source source_of(const struct subject *subject, uint64_t seed, uint64_t call) {
    const struct format *format = subject->request.format;
    int factors = subject->products ? 2 : 1, room = 2;
    for (size_t n = subject->terms; n > 1; n /= 2)
        room++;
    struct source source = {.state = seed * UINT64_C(0xd1342543de82ef95) + call, .format = format};
    int high = format->emax - room, low = format->emin;
    source.wide_high = (high > 60 ? 60 : high < -1 ? -1 : high) / factors;
    source.wide_low = (low < -60 ? -60 : low) / factors;
    int least = (format->emin < -60 ? format->emin / factors : format->emin);
    source.tiny_low = least - format->precision / factors + 1;
    source.tiny_high = least + 3;
    source.cancels_wide = call / REPLAY_FAMILIES % 2;
    next(&source);
    return source;
}

/* Of products of subnormal first factors and large second ones, which are normal. */
static void set_one_subnormal(struct source *first, struct source *second) {
    const struct format *format = first->format;
    first->tiny_low = format->emin - format->precision + 1;
    first->tiny_high = format->emin + 3;
    second->tiny_low = format->emax < 60 ? format->emax / 2 : 30;
    second->tiny_high = format->emax < 60 ? format->emax - 3 : 60;
}

/* The other call of two, of products of narrow formats: overflowing, and about the least numbers of the result. */
static void set_extremes(struct source *source, const struct format *result) {
    const struct format *format = source->format;
    const int least = format->emin - format->precision + 1,
              low = (result->emin - result->precision - 2) / 2;
    source->wide_high = format->emax;
    source->wide_low = format->emax - 24 > least ? format->emax - 24 : least;
    source->tiny_low = low > least ? low : least;
    source->tiny_high = (result->emin + 4) / 2;
    if (source->tiny_high < source->tiny_low + 4)
        source->tiny_high = source->tiny_low + 4;
}

/* Powers of two and zeros, with a step in their size on the way: ties, and sums beside which an earlier one is small. */
static void draw_powers(struct source *source, int low, int high, struct array *array, size_t start,
                        size_t stride, size_t terms) {
    enum { NEAR = 12 };
    uint64_t random = next(source);
    const size_t step = random & 1 ? terms / 2 : (size_t)(random >> 8) % terms;
    int base = draw_exponent(random, low, high);
    for (size_t i = 0; i < terms; i++) {
        if (i == step)
            base = draw_exponent(next(source), low, high);
        random = next(source);
        int exponent = base - (int)(random >> 8 & 0xff) % NEAR;
        uint64_t sign = random & (uint64_t)1 << 63;
        array_set_code(array, start + i * stride,
                       random & 1 ? draw_at(source, exponent, sign)
                                  : format_with_sign(source->format, 0, sign != 0));
    }
}

/* Of both factors of all lines; ranges are those of the family. */
static void draw_all_powers(struct source *source, struct subject *subject, bool tiny) {
    const int low = tiny ? source->tiny_low : source->wide_low,
              high = tiny ? source->tiny_high : source->wide_high;
    for (size_t line = 0; line < subject->lines; line++) {
        size_t start = line * subject->pitch;
        draw_powers(source, low, high, &subject->call.operands[0], start, subject->stride,
                    subject->terms);
        if (!subject->shared)
            draw_powers(source, low, high, &subject->call.operands[1], start, subject->stride,
                        subject->terms);
    }
    for (size_t column = 0; subject->shared && column < subject->columns; column++)
        draw_powers(source, low, high, &subject->call.operands[1], column, subject->columns,
                    subject->terms);
}

/* The same second factor of all terms, so that products cancel as first factors do. */
static void fill_line(struct source *source, struct array *array, size_t start, size_t stride,
                      size_t terms) {
    const uint64_t code = draw_normal(source);
    for (size_t i = 0; i < terms; i++)
        array_set_code(array, start + i * stride, code);
}

void replay_draw(struct subject *subject, uint64_t seed, uint64_t call) {
    if (subject->through) {
        through_draw(subject, seed, call);
        return;
    }
    struct source source = source_of(subject, seed, call);
    enum family family = (enum family)(call % REPLAY_FAMILIES);
    if (family == ZEROS && call < REPLAY_FAMILIES) { /* -0 alone, to which +0 may be added */
        subject_set_all(subject, -0.0);
        return;
    }
    struct source second = source;
    second.state ^= UINT64_C(0x14057b7ef767814f);
    if (family == SUBNORMAL && subject->products && call / REPLAY_FAMILIES % 2)
        set_one_subnormal(&source, &second);
    const bool alike = subject->extremes && family == CANCELLING && call / REPLAY_FAMILIES % 4 > 1;
    if (subject->extremes && (family == WIDE || family == SUBNORMAL) &&
        call / REPLAY_FAMILIES % 3 == 2) {
        source = source_of(subject, seed, call);
        if (family == SUBNORMAL)
            set_extremes(&source, accumulation_format(&subject->call));
        draw_all_powers(&source, subject, family == SUBNORMAL);
        return;
    }
    if (subject->extremes && family != CANCELLING && call / REPLAY_FAMILIES % 3 == 1) {
        set_extremes(&source, accumulation_format(&subject->call));
        set_extremes(&second, accumulation_format(&subject->call));
    }
    source.mixes = alike;
    if (alike) { /* second factors are about 1 */
        source.wide_high = source.format->emax > 60 ? 60 : source.format->emax - 7;
        source.wide_low = source.wide_high - 30;
    }
    for (size_t line = 0; line < subject->lines; line++) {
        size_t start = line * subject->pitch;
        draw_line(&source, family, &subject->call.operands[0], start, subject->stride,
                  subject->terms, true);
        if (alike && !subject->shared)
            fill_line(&second, &subject->call.operands[1], start, subject->stride, subject->terms);
        else if (subject->products && !subject->shared)
            draw_line(&second, family == CANCELLING ? NORMAL : family, &subject->call.operands[1],
                      start, subject->stride, subject->terms, false);
    }
    for (size_t column = 0; subject->shared && alike && column < subject->columns; column++)
        fill_line(&second, &subject->call.operands[1], column, subject->columns, subject->terms);
    for (size_t column = 0; subject->shared && !alike && column < subject->columns; column++)
        draw_line(&second, family == CANCELLING ? NORMAL : family, &subject->call.operands[1],
                  column, subject->columns, subject->terms, false);
}

void replay_untie(struct subject *subject) {
    struct array *array = &subject->call.operands[0];
    for (size_t i = 0; i < subject->terms; i++) {
        const size_t at = i * subject->stride;
        const uint64_t magnitude = format_magnitude(array->format, array_code(array, at));
        const bool is_negative = magnitude * UINT64_C(0x9e3779b97f4a7c15) >> 63;
        array_set_code(array, at, format_with_sign(array->format, magnitude, is_negative));
    }
}

void replay_permute(struct subject *subject, uint64_t seed, uint64_t call) {
    struct source source = source_of(subject, seed, call);
    for (size_t i = subject->terms; i > 1; i--) {
        size_t a = i - 1, b = (size_t)(next(&source) >> 20) % i;
        for (int k = 0; k < (subject->products && !subject->shared ? 2 : 1); k++) {
            struct array *array = &subject->call.operands[k];
            uint64_t code = array_code(array, a * subject->stride);
            array_set_code(array, a * subject->stride, array_code(array, b * subject->stride));
            array_set_code(array, b * subject->stride, code);
        }
    }
}

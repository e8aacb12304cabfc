/* Numbers of each family, code by code. */
#include "reveal/draw.h"

#include "base/vector.h"
#include "detmath/language.h"
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

/* Random numbers are those of a counter, so that several are drawn in one step. */
#define COUNTED UINT64_C(0x9e3779b97f4a7c15)

INLINED uint64_t mix(uint64_t h) {
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static inline uint64_t next(struct source *source) {
    return mix(source->state += COUNTED);
}

/* What codes of a format are made of. Negative ones of integers are complements, others have a bit. */
struct mould {
    int32_t emin;
    uint32_t fraction_bits;
    uint64_t hidden, most, sign_bit, complement, mask;
    uint64_t zero; /* 1 where a zero has a sign */
};

static inline struct mould mould_of(const struct format *format) {
    const uint32_t fraction_bits = (uint32_t)format->precision - 1;
    return (struct mould){.emin = format->emin,
                          .fraction_bits = fraction_bits,
                          .hidden = (uint64_t)1 << fraction_bits,
                          .most = format->max_finite,
                          .sign_bit = format->is_integer ? 0 : format->sign_bit,
                          .complement = format->is_integer ? UINT64_MAX : 0,
                          .mask = format_mask(format),
                          .zero = format->has_negative_zero};
}

/* A number of a random significand with that exponent, of a random sign. Without a branch, so that loops draw several
 * numbers at once. */
INLINED uint64_t draw_at(const struct mould *mould, int64_t exponent, uint64_t random) {
    const int64_t above = exponent - mould->emin, up = above > 0 ? above : 0, down = up - above,
                  most = (int64_t)mould->fraction_bits + 1;
    const uint64_t significand = mould->hidden | (random & (mould->hidden - 1)),
                   finite = ((uint64_t)up << mould->fraction_bits) +
                            (significand >> (down > most ? most : down)),
                   magnitude = finite > mould->most ? mould->most : finite,
                   sign = 0 - (random >> 63 & (mould->zero | (magnitude != 0))),
                   complement = sign & mould->complement;
    return (((magnitude ^ complement) - complement) & mould->mask) | (sign & mould->sign_bit);
}

/* Between two exponents; the lower one where a narrow format leaves none between them. */
static int draw_exponent(uint64_t random, int low, int high) {
    if (high <= low)
        return low;
    return low + (int)((random >> 40 & 0x3fffff) % (uint64_t)(high - low + 1));
}

/* About a normal distribution: the sum of four uniform numbers, with all bits of its significand drawn. */
INLINED uint64_t draw_normal(const struct mould *mould, uint64_t a, uint64_t b) {
    const int64_t sum =
        (int64_t)((a & 0xffff) + (a >> 16 & 0xffff) + (a >> 32 & 0xffff) + (a >> 48)) - 2 * 0xffff;
    const double magnitude = (double)((sum < 0 ? -sum : sum) | 1); /* exact */
    const int64_t exponent = (int64_t)(detmath_bits_f64(magnitude) >> 52) - 1023 - 15;
    return draw_at(mould, exponent, (b & (UINT64_MAX >> 1)) | ((uint64_t)sum & (uint64_t)1 << 63));
}

/* From a state on; what draws them is run for all strips of all arrays. */
FOR_EACH_CPU static void draw_normals(struct mould mould, uint64_t state, uint64_t *codes,
                                      size_t count) {
    for (size_t i = 0; i < count; i++)
        codes[i] = draw_normal(&mould, mix(state + (2 * i + 1) * COUNTED),
                               mix(state + (2 * i + 2) * COUNTED));
}

FOR_EACH_CPU static void draw_between(struct mould mould, int low, int high, uint64_t state,
                                      uint64_t *codes, size_t count) {
    enum { BITS = 22 };
    const uint64_t span = high > low ? (uint64_t)(high - low) + 1 : 1,
                   inverse = ((uint64_t)1 << 2 * (BITS - 1)) / span + 1; /* no quotient is wrong */
    for (size_t i = 0; i < count; i++) {
        const uint64_t random = mix(state + (i + 1) * COUNTED),
                       drawn = (random ^ random << 20) >> 40 & (((uint64_t)1 << BITS) - 1),
                       rest = drawn - (drawn * inverse >> 2 * (BITS - 1)) * span;
        codes[i] = draw_at(&mould, low + (int64_t)rest, random);
    }
}

/* Half of them zeros, of one random number each, the others of two more. What is drawn for nothing costs less than a
 * branch that nobody can guess. */
static void draw_zeros(const struct mould *mould, struct source *source, uint64_t *codes,
                       size_t count) {
    uint64_t state = source->state;
    const uint64_t zeros[2] = {0, format_with_sign(source->format, 0, true)};
    for (size_t i = 0; i < count; i++) {
        const uint64_t random = mix(state + COUNTED),
                       other =
                           draw_normal(mould, mix(state + 2 * COUNTED), mix(state + 3 * COUNTED)),
                       is_zero = 0 - (random & 1);
        codes[i] = (zeros[random >> 1 & 1] & is_zero) | (other & ~is_zero);
        state += COUNTED + (2 * COUNTED & ~is_zero);
    }
    source->state = state;
}

static void draw_codes(struct source *source, enum family family, uint64_t *codes, size_t count) {
    const struct mould mould = mould_of(source->format);
    switch (family == CANCELLING && source->cancels_wide ? WIDE : family) {
    case WIDE:
        draw_between(mould, source->wide_low, source->wide_high, source->state, codes, count);
        source->state += count * COUNTED;
        return;
    case SUBNORMAL:
        draw_between(mould, source->tiny_low, source->tiny_high, source->state, codes, count);
        source->state += count * COUNTED;
        return;
    case ZEROS:
        draw_zeros(&mould, source, codes, count);
        return;
    default:
        draw_normals(mould, source->state, codes, count);
        source->state += 2 * count * COUNTED;
        for (size_t i = 0; family == ONE_SIGN && i < count; i++)
            codes[i] = format_magnitude(source->format, codes[i]);
    }
}

/* Terms 2k and 2k + 1 cancel but for a few bits; of products in the first factor. */
static void draw_cancelling(struct source *source, uint64_t *codes, size_t first, size_t count,
                            uint64_t *before) {
    const struct format *format = source->format;
    for (size_t i = 0; i < count; i++) {
        if (source->mixes)
            draw_codes(source, CANCELLING, &codes[i], 1);
        const bool pairs = !source->mixes || (next(source) & 1);
        if ((first + i) % 2 && pairs) {
            uint64_t magnitude = format_magnitude(format, *before);
            magnitude ^= source->cancels_wide ? 0 : codes[i] & 3;
            codes[i] = format_with_sign(format, magnitude, !format_is_negative(format, *before));
        }
        *before = codes[i];
    }
}

static void draw_line(struct source *source, enum family family, struct array *array, size_t start,
                      size_t stride, size_t terms, bool cancels) {
    enum { STRIP = 256 };
    const size_t bytes = format_bytes(array->format);
    void *to = array->codes;
    uint64_t codes[STRIP], before = 0;
    cancels &= family == CANCELLING;
    for (size_t first = 0; first < terms; first += STRIP) {
        const size_t count = terms - first < STRIP ? terms - first : STRIP;
        if (!(cancels && source->mixes))
            draw_codes(source, family, codes, count);
        if (cancels)
            draw_cancelling(source, codes, first, count, &before);
        for (size_t i = 0; i < count; i++)
            code_store(to, bytes, start + (first + i) * stride, codes[i]);
    }
    for (size_t i = terms; family == CANCELLING && i > 1; i--) { /* shuffled */
        size_t a = start + (i - 1) * stride, b = start + (size_t)(next(source) >> 20) % i * stride;
        uint64_t code = code_load(to, bytes, a);
        code_store(to, bytes, a, code_load(to, bytes, b));
        code_store(to, bytes, b, code);
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
    const struct mould mould = mould_of(source->format);
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
                       random & 1 ? draw_at(&mould, exponent, sign)
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
    uint64_t code;
    draw_codes(source, NORMAL, &code, 1);
    for (size_t i = 0; i < terms; i++)
        array_set_code(array, start + i * stride, code);
}

/* Elements behind a prefix: numbers, on which its results must not depend. */
static void draw_behind(struct subject *subject, uint64_t seed, uint64_t call) {
    struct source source = source_of(subject, seed, call);
    source.state ^= UINT64_C(0x2545f4914f6cdd1d);
    for (size_t line = 0; line < subject->lines; line++)
        draw_line(&source, (enum family)(call % REPLAY_FAMILIES), &subject->call.operands[0],
                  line * subject->pitch + subject->terms * subject->stride, subject->stride,
                  subject->length - subject->terms, false);
}

void replay_draw(struct subject *subject, uint64_t seed, uint64_t call) {
    if (subject->through) {
        through_draw(subject, seed, call);
        return;
    }
    if (subject_has_behind(subject))
        draw_behind(subject, seed, call);
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

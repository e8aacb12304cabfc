/* One number is large; beside it lie others at the distances at which units cut, round and leave out: half a unit of its
 * last place, a few bits more or less than are kept, and its own negative, which uncovers what was kept below it. All is
 * where formats end, too: about the largest numbers, and the least. */
#include "reveal/telling.h"

#include "op/array/slices.h"

struct drawing {
    uint64_t state;
    struct subject *subject;
    const struct format *format, *result;
    int factors, least, most; /* exponents of terms, or products */
    size_t line;
};

static uint64_t next(struct drawing *drawing) {
    uint64_t h = drawing->state += UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static int between(struct drawing *drawing, int least, int most) {
    return most <= least ? least
                         : least + (int)((next(drawing) >> 32) % (uint64_t)(most - least + 1));
}

static bool one_in(struct drawing *drawing, int many) {
    return between(drawing, 1, many) == 1;
}

static int within(int value, int least, int most) {
    return value < least ? least : value > most ? most : value;
}

/* ---- Numbers ---- */

/* A number of that exponent, or the nearest one that the format has: a power of two, one just below the next, or any. */
static uint64_t number_at(struct drawing *drawing, int exponent) {
    const struct format *format = drawing->format;
    const unsigned bits = (unsigned)format->precision - 1;
    const uint64_t hidden = (uint64_t)1 << bits, random = next(drawing);
    uint64_t fraction = random & (hidden - 1), magnitude = 0;
    if (random >> 62)
        fraction = random >> 62 == 1 ? hidden - 1 : 0;
    if (exponent >= format->emin)
        magnitude = (uint64_t)(exponent - format->emin) * hidden + hidden + fraction;
    else if (format->emin - exponent <= (int)bits)
        magnitude = (hidden | fraction) >> (format->emin - exponent);
    if (magnitude > format->max_finite)
        magnitude = format->max_finite;
    return format_with_sign(format, magnitude, next(drawing) >> 63);
}

static size_t place(const struct drawing *drawing, size_t term) {
    return drawing->line * drawing->subject->pitch + term * drawing->subject->stride;
}

/* Both factors of a term; second factors that all lines share are set by the first line. */
static void set_codes(struct drawing *drawing, size_t term, uint64_t x, uint64_t w) {
    struct subject *subject = drawing->subject;
    array_set_code(&subject->call.operands[0], place(drawing, term), x);
    if (!subject->products || (subject->shared && drawing->line))
        return;
    if (!subject->shared)
        array_set_code(&subject->call.operands[1], place(drawing, term), w);
    for (size_t column = 0; subject->shared && column < subject->columns; column++)
        array_set_code(&subject->call.operands[1], term * subject->columns + column,
                       column
                           ? format_with_sign(drawing->format, format_magnitude(drawing->format, w),
                                              next(drawing) >> 63)
                           : w);
}

static void set_term(struct drawing *drawing, size_t term, int exponent) {
    enum { REACH = 6 };
    const struct format *format = drawing->format;
    const int least = format->emin - format->precision + 1, most = format->emax;
    int first = exponent;
    if (drawing->factors == 2) {
        int low = exponent - most > least ? exponent - most : least;
        int high = exponent - least < most ? exponent - least : most;
        low = low < exponent / 2 - REACH ? exponent / 2 - REACH : low;
        high = high > exponent / 2 + REACH ? exponent / 2 + REACH : high;
        first = within(between(drawing, low, high), least, most);
    }
    uint64_t x = number_at(drawing, first), w = number_at(drawing, exponent - first);
    set_codes(drawing, term, x, w);
}

/* The negative of another term. */
static void set_negative(struct drawing *drawing, size_t term, size_t of) {
    const struct subject *subject = drawing->subject;
    const struct array *operands = subject->call.operands;
    uint64_t x = array_code(&operands[0], place(drawing, of)), w = 0;
    if (subject->products)
        w = array_code(&operands[1], subject->shared ? of * subject->columns : place(drawing, of));
    x = format_with_sign(drawing->format, format_magnitude(drawing->format, x),
                         !format_is_negative(drawing->format, x));
    set_codes(drawing, term, x, w);
}

/* A zero, or of products one with a factor that is none. */
static void set_zero(struct drawing *drawing, size_t term, bool signs, bool large) {
    const struct format *format = drawing->format;
    uint64_t zero = format_with_sign(format, 0, signs && next(drawing) >> 63);
    bool other = large && one_in(drawing, 3);
    set_codes(drawing, term, zero,
              other ? number_at(drawing, between(drawing, format->emin, format->emax))
                    : format_with_sign(format, 0, signs && next(drawing) >> 63));
}

/* ---- Lines ---- */

/* The exponent of the largest number. */
static int draw_top(struct drawing *drawing) {
    const struct format *result = drawing->result;
    const int last = result->emin - result->precision + 1;
    int top = 0;
    switch (between(drawing, 0, 9)) {
    case 0:
    case 1:
        top = result->emin + between(drawing, -3, 30);
        break;
    case 2:
        top = last + between(drawing, -3, 5);
        break;
    case 3:
        top = result->emax + between(drawing, -3, 1);
        break;
    case 4:
    case 5:
        top = drawing->most + between(drawing, -8, 0);
        break;
    case 6:
        top = between(drawing, drawing->least, drawing->most);
        break;
    default:
        top = between(drawing, -3, 10);
        break;
    }
    return within(top, drawing->least, drawing->most);
}

/* The distance of a term from the largest. */
static int draw_gap(struct drawing *drawing, int precision) {
    switch (between(drawing, 0, 4)) {
    case 0:
        return precision + between(drawing, -1, 1);
    case 1:
        return between(drawing, 0, 3);
    case 2:
        return between(drawing, 22, 27);
    default:
        return between(drawing, 4, 45);
    }
}

/* Terms in a part of the line, which is a call of the unit or less. */
static void draw_part(struct drawing *drawing, size_t first, size_t length, int top) {
    enum { MOST = 8 };
    const int precision = drawing->result->precision, last = (int)length - 1;
    const bool cancels = one_in(drawing, 2), ties = one_in(drawing, 3);
    const int gap = draw_gap(drawing, precision), count = between(drawing, 0, MOST);
    size_t big = first + (size_t)between(drawing, 0, last);
    set_term(drawing, big, top);
    for (int i = 0; i < count && length > 1; i++) {
        size_t term = first + (size_t)between(drawing, 0, last);
        int below = i == 0 && ties ? precision : gap + between(drawing, -1, 2);
        if (term != big)
            set_term(drawing, term, top - below);
    }
    size_t other = first + (size_t)between(drawing, 0, last);
    if (cancels && other != big)
        set_negative(drawing, other, big);
}

static void draw_line(struct drawing *drawing) {
    const size_t terms = drawing->subject->terms;
    const bool signs = one_in(drawing, 3), large = one_in(drawing, 4);
    for (size_t i = 0; i < terms; i++)
        set_zero(drawing, i, signs, large);
    int top = draw_top(drawing);
    const int parts = between(drawing, 1, 3);
    for (int part = 0; part < parts; part++) {
        size_t length = (size_t)1 << between(drawing, 0, 5), first = 0;
        if (length > terms || one_in(drawing, 3))
            length = terms;
        first = (size_t)between(drawing, 0, (int)(terms / length) - 1) * length;
        draw_part(drawing, first, length, within(top, drawing->least, drawing->most));
        top = one_in(drawing, 3) ? draw_top(drawing)
                                 : top - draw_gap(drawing, drawing->result->precision) *
                                             (one_in(drawing, 3) ? -1 : 1);
    }
}

void telling_draw(struct subject *subject, uint64_t seed, uint64_t number) {
    const struct format *format = subject->request.format;
    struct drawing drawing = {.state = seed * UINT64_C(0xd1342543de82ef95) + number * 977,
                              .subject = subject,
                              .format = format,
                              .result = accumulation_format(&subject->call),
                              .factors = subject->products ? 2 : 1};
    next(&drawing);
    drawing.least = drawing.factors * (format->emin - format->precision + 1);
    drawing.most = drawing.factors * format->emax + drawing.factors - 1;
    for (drawing.line = 0; drawing.line < subject->lines; drawing.line++)
        draw_line(&drawing);
}

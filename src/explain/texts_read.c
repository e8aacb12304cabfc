/* The rows about reading texts, each held against each text.
 *
 * Some rows speak of one kind of text alone, such as hexadecimal ones or those of subnormal numbers. Where such a row is
 * right, the others do not count as wrong: so a side that reads 17 digits and flushes subnormal numbers has two causes. */
#include "explain/texts_read.h"

#include "explain/element_rows.h"
#include "explain/scaling.h"
#include "op/array/slices.h"
#include "op/decimal/rows.h"

#include <stdlib.h>
#include <string.h>

enum reading_kind {
    READ_ROUNDED, /* as the row about functions of that enum truth_code says */
    READ_DIGITS,  /* so many digits */
    READ_SCALED,
    READ_GRAMMAR, /* from here on: of one kind of text alone */
    READ_HEXADECIMAL_AS_ZERO,
    READ_INFINITY_AS_ZERO,
    READ_NAN_AS_ZERO,
    READ_OVERFLOW_AS_LARGEST,
    READ_OVERFLOW_AS_INFINITY,
    READ_SUBNORMAL_AS_ZERO,
    READ_MINUS_ZERO_AS_PLUS
};

struct reading {
    const char *name, *says;
    enum reading_kind kind;
    int value;
    struct scaling scaling;
};

#define ROUNDED(CODE)                                                                              \
    { .kind = READ_ROUNDED, .value = CODE }
#define DIGITS(N)                                                                                  \
    {                                                                                              \
        .name = "first-" #N "-digits",                                                             \
        .says = "reads the first " #N " significant digits, and takes those behind as 0",          \
        .kind = READ_DIGITS, .value = N                                                            \
    }
#define SCALED(NAME, SAYS, MACHINE, DIGITS, POWER)                                                 \
    {                                                                                              \
        .name = NAME, .says = SAYS, .kind = READ_SCALED, .scaling = { MACHINE, DIGITS, POWER }     \
    }
/* The ways of scaling, for digits gathered in one way. */
#define SCALED_WAYS(NAME, GATHERS, THERE, MACHINE, DIGITS)                                         \
    SCALED(NAME "-power",                                                                          \
           GATHERS " and multiplies or divides" THERE                                              \
                   " by the number nearest to the power of ten",                                   \
           MACHINE, DIGITS, POWER_NEAREST),                                                        \
        SCALED(NAME "-squares",                                                                    \
               GATHERS " and multiplies or divides" THERE                                          \
                       " by a power of ten that it gets by squaring",                              \
               MACHINE, DIGITS, POWER_SQUARES),                                                    \
        SCALED(NAME "-steps",                                                                      \
               GATHERS " and multiplies or divides" THERE " by 10, again and again", MACHINE,      \
               DIGITS, POWER_STEPS),                                                               \
        SCALED(NAME "-tenths",                                                                     \
               GATHERS " and multiplies" THERE " by 10 or by 0.1, again and again", MACHINE,       \
               DIGITS, POWER_TENTHS),                                                              \
        SCALED(NAME "-reciprocal",                                                                 \
               GATHERS " and multiplies" THERE                                                     \
                       " by the number nearest to the power of ten, also to a negative power",     \
               MACHINE, DIGITS, POWER_RECIPROCAL)
#define GRAMMAR(NAME, NUMBER)                                                                      \
    {                                                                                              \
        .name = "grammar-" NAME, .says = "takes texts as numbers as --grammar " NAME " does",      \
        .kind = READ_GRAMMAR, .value = NUMBER                                                      \
    }
#define KIND(NAME, SAYS, KIND_OF_TEXT)                                                             \
    { .name = NAME, .says = SAYS, .kind = KIND_OF_TEXT }

static const struct reading readings[] = {
    ROUNDED(ROUND_NEAREST_EVEN),
    ROUNDED(ROUND_TOWARD_ZERO),
    ROUNDED(ROUND_UP),
    ROUNDED(ROUND_DOWN),
    ROUNDED(TRUTH_AWAY_FROM_ZERO),
    ROUNDED(ROUND_NEAREST_AWAY),
    ROUNDED(TRUTH_NEAREST_ZERO),
    ROUNDED(TRUTH_BY_FP32),
    ROUNDED(TRUTH_BY_FP64),
    ROUNDED(TRUTH_BY_X87),
    ROUNDED(TRUTH_BY_OWN_BITS),
    DIGITS(15),
    DIGITS(16),
    DIGITS(17),
    DIGITS(18),
    DIGITS(19),
    DIGITS(20),
    DIGITS(30),
    DIGITS(32),
    DIGITS(36),
    DIGITS(40),
    DIGITS(64),
    DIGITS(100),
    DIGITS(767),
    DIGITS(768),
    SCALED_WAYS("digits-in-fp64-by", "gathers the digits in fp64,", " there", MACHINE_FP64,
                DIGITS_ALL),
    SCALED_WAYS("19-digits-in-fp64-by", "gathers 19 digits in a 64-bit integer,", " in fp64",
                MACHINE_FP64, DIGITS_FIRST),
    SCALED_WAYS("digits-in-x87-by", "gathers the digits in x87's 64 bits,", " there", MACHINE_X87,
                DIGITS_ALL),
    SCALED_WAYS("19-digits-in-x87-by", "gathers 19 digits in a 64-bit integer,",
                " in x87's 64 bits", MACHINE_X87, DIGITS_FIRST),
    GRAMMAR("strtod", GRAMMAR_STRTOD),
    GRAMMAR("scanf", GRAMMAR_SCANF),
    GRAMMAR("from_chars", GRAMMAR_FROM_CHARS),
    GRAMMAR("python", GRAMMAR_PYTHON),
    GRAMMAR("javascript", GRAMMAR_JAVASCRIPT),
    GRAMMAR("parse-float", GRAMMAR_PARSE_FLOAT),
    KIND("hexadecimal-as-zero", "reads 0 from a hexadecimal text", READ_HEXADECIMAL_AS_ZERO),
    KIND("infinity-text-as-zero", "reads 0 from a text that says infinity", READ_INFINITY_AS_ZERO),
    KIND("nan-text-as-zero", "reads 0 from a text that says nan", READ_NAN_AS_ZERO),
    KIND("overflow-to-largest", "turns an overflow into the largest number",
         READ_OVERFLOW_AS_LARGEST),
    KIND("overflow-to-infinity", "turns an overflow into infinity", READ_OVERFLOW_AS_INFINITY),
    KIND("subnormal-results-as-zero", "returns zeros of their sign for subnormal results",
         READ_SUBNORMAL_AS_ZERO),
    KIND("minus-zero-as-plus-zero", "returns +0 for results that are -0", READ_MINUS_ZERO_AS_PLUS),
};
enum { READINGS = sizeof readings / sizeof *readings };
_Static_assert((size_t)READINGS <= (size_t)ELEMENT_ROWS_MOST, "a bit for each row");

/* The row about functions that rounds so. */
static const struct hypothesis *rounding_row(int code) {
    size_t at = 0;
    while (hypotheses[at].source != FROM_TRUTH || hypotheses[at].truth != code ||
           hypotheses[at].result != CHANGE_NONE)
        at++;
    return &hypotheses[at];
}

struct hypothesis texts_read_hypothesis(size_t index) {
    struct hypothesis row = {.name = NULL};
    if (index < READINGS && readings[index].kind == READ_ROUNDED)
        row = *rounding_row(readings[index].value);
    else if (index < READINGS)
        row = (struct hypothesis){.name = readings[index].name, .says = readings[index].says};
    return row;
}

/* ---- One text ---- */

struct text {
    const struct asked_rounding *asked_rounding;
    const struct grammar *grammar;
    const char *at;
    size_t length;
    struct decimal_literal literal;
    struct real y;
    uint64_t codes[TRUTH_CODES], asked;
};

enum { PRECISION = 120 };

static uint64_t round_as_asked(const struct text *text, const struct real *y) {
    const struct asked_rounding *asked = text->asked_rounding;
    return format_encode(asked->format, y, asked->rounding, asked->overflow);
}

static bool is_decimal(const struct text *text) {
    return text->literal.kind == LITERAL_NUMBER && text->literal.base == 10 &&
           (text->y.kind == REAL_FINITE || text->y.kind == REAL_ZERO);
}

/* The number of the first digits alone. */
static struct real first_digits(const struct text *text, size_t most) {
    struct decimal_literal literal = text->literal;
    const size_t zeros = strspn(literal.digits, "0"), length = strlen(literal.digits);
    if (length - zeros <= most)
        return text->y;
    const char left_out = literal.digits[zeros + most];
    literal.digits[zeros + most] = '\0';
    literal.exponent += (long)(length - zeros - most);
    const struct real y = decimal_literal_value(&literal, text->grammar, PRECISION);
    literal.digits[zeros + most] = left_out;
    return y;
}

static bool overflows(const struct text *text) {
    const struct format *format = text->asked_rounding->format;
    return text->y.kind == REAL_FINITE &&
           (format_is_infinite(format, text->asked) ||
            format_is_infinite(format, text->codes[TRUTH_AWAY_FROM_ZERO]));
}

static uint64_t with_sign_of(const struct text *text, uint64_t magnitude) {
    return format_with_sign(text->asked_rounding->format, magnitude, text->y.negative);
}

/* What a row about one kind of text predicts; false where the text is of another kind. */
static bool predict_kind(const struct reading *row, const struct text *text, uint64_t *code) {
    const struct format *format = text->asked_rounding->format;
    const struct real infinity = real_infinity(text->y.negative);
    struct real y;
    *code = with_sign_of(text, 0);
    switch (row->kind) {
    case READ_GRAMMAR:
        y = decimal_value(&decimal_grammars[row->value], text->at, text->length, PRECISION);
        *code = round_as_asked(text, &y);
        return !hypothesis_same(format, *code, text->asked);
    case READ_HEXADECIMAL_AS_ZERO:
        return text->literal.kind == LITERAL_NUMBER && text->literal.base != 10;
    case READ_INFINITY_AS_ZERO:
        *code = 0;
        return text->literal.kind == LITERAL_INFINITY;
    case READ_NAN_AS_ZERO:
        *code = 0;
        return text->literal.kind == LITERAL_NAN;
    case READ_OVERFLOW_AS_LARGEST:
        *code = with_sign_of(text, format->max_finite);
        return overflows(text);
    case READ_OVERFLOW_AS_INFINITY:
        *code = format_encode(format, &infinity, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        return overflows(text);
    case READ_SUBNORMAL_AS_ZERO:
        return format_classify(format, text->asked) == CLASS_SUBNORMAL;
    case READ_MINUS_ZERO_AS_PLUS:
        *code = 0;
        return text->y.negative && format_magnitude(format, text->asked) == 0;
    default:
        return false;
    }
}

/* What any other row predicts; false where it says nothing of the text. */
static bool predict(const struct reading *row, const struct text *text, uint64_t *code) {
    struct real y;
    if (!is_decimal(text) && row->kind != READ_ROUNDED)
        return false;
    if (row->kind == READ_ROUNDED) {
        *code = text->codes[row->value];
        return row->value != (int)text->asked_rounding->rounding;
    }
    y = row->kind == READ_DIGITS ? first_digits(text, (size_t)row->value)
                                 : scaling_value(&row->scaling, &text->literal);
    *code = round_as_asked(text, &y);
    return true;
}

/* ---- All of them ---- */

/* The rows about kinds of text; whether one is right, for each side. */
static void try_kinds(struct element_rows *rows, const struct text *text, size_t at,
                      const uint64_t got[2], bool settled[2]) {
    const struct format *format = rows->results->format;
    settled[0] = settled[1] = false;
    for (size_t row = 0; row < READINGS; row++) {
        uint64_t code;
        if (readings[row].kind < READ_GRAMMAR || !predict_kind(&readings[row], text, &code) ||
            hypothesis_same(format, code, text->asked))
            continue;
        for (int side = 0; side < 2; side++) {
            const bool right = hypothesis_same(format, code, got[side]);
            element_rows_count(rows, side, row, at, right);
            settled[side] = settled[side] || right;
        }
    }
}

static void try_text(struct element_rows *rows, const struct text *text, size_t at,
                     const uint64_t got[2]) {
    const struct format *format = rows->results->format;
    bool settled[2];
    try_kinds(rows, text, at, got, settled);
    for (size_t row = 0; row < READINGS && readings[row].kind < READ_GRAMMAR; row++) {
        uint64_t code;
        if (element_rows_are_hopeless(rows, row) || !predict(&readings[row], text, &code))
            continue;
        for (int side = 0; side < 2; side++) {
            const bool right = hypothesis_same(format, code, got[side]);
            if (right ? !hypothesis_same(format, code, text->asked) : !settled[side])
                element_rows_count(rows, side, row, at, right);
        }
    }
}

static bool try_call(void *context, const struct array_call *call, uint64_t number,
                     struct error *error) {
    struct element_rows *rows = context;
    const struct sum_results *results = rows->results;
    const struct slices slices = slices_of(call);
    const struct asked_rounding asked = {
        .format = results->format, .rounding = call->rounding, .overflow = call->overflow};
    struct text text = {.asked_rounding = &asked,
                        .grammar = decimal_grammar_of(call),
                        .at = call->operands[0].codes,
                        .length = (size_t)slices.length};
    (void)error;
    for (size_t i = 0; i < sum_elements_of(results, number); i++, text.at += text.length) {
        const size_t at = results->first[number] + i;
        size_t end;
        text.literal = decimal_literal_of(text.grammar, text.at, text.length, &end);
        text.y = decimal_literal_value(&text.literal, text.grammar, PRECISION);
        round_in_all_ways(&asked, &text.y, text.codes);
        text.asked = text.codes[asked.rounding];
        const uint64_t got[2] = {results->codes[0][at], results->codes[1][at]};
        try_text(rows, &text, at, got);
        free(text.literal.digits);
    }
    return true;
}

bool texts_read_explain(const struct sum_results *results, struct explain_outcome *outcome,
                        struct error *error) {
    struct element_rows rows;
    const bool good = element_rows_open(&rows, results, texts_read_hypothesis, error) &&
                      sum_results_visit(results, try_call, &rows, error);
    if (good)
        element_rows_choose(&rows, outcome);
    element_rows_close(&rows);
    return good;
}

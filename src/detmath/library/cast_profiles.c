/* Conversions by the name of a profile: its rules, as outcomes, to codes of the target. */
#include "detmath/cast_arrays.h"
#include "format_names.h"
#include "geometry.h"
#include "words.h"

#include <string.h>

/* As profiles.inc has them. */
enum outcome { INF, MAX, PLUS, NOT, SIGNED, MIN, ZERO, LEAST, INDEFINITE, PTX, OPEN };
enum held_integers { OWN, REGISTER, X86, ALL };
enum { NEAREST = DETMATH_NEAREST_EVEN, UPWARD = DETMATH_UP, TRUNCATED = DETMATH_TOWARD_ZERO };
enum target_kind { WIDE, NARROW, FN, FNUZ, FINITE, SCALES, INTEGER, TARGET_KINDS };
struct rules {
    enum outcome overflow, infinity, nan, zero, underflow, negative;
    int rounding; /* the source's own */
    enum held_integers held;
};
struct detmath_profile {
    const char *name, *targets;
    struct rules rules[TARGET_KINDS];
};

#define NO_CASE                                                                                    \
    { NOT, NOT, NOT, NOT, NOT, NOT, NEAREST, OWN }
#define RULES(OVERFLOWN, INFINITE, NAN_IN)                                                         \
    { OVERFLOWN, INFINITE, NAN_IN, NOT, NOT, NOT, NEAREST, OWN }
#define SCALE(OVERFLOWN, INFINITE, NOUGHT, UNDER, ROUNDING)                                        \
    { OVERFLOWN, INFINITE, NOT, NOUGHT, UNDER, NOT, ROUNDING, OWN }
#define INTEGERS(BEYOND, INFINITE, NAN_IN, FIRST, ROUNDING)                                        \
    { BEYOND, INFINITE, NAN_IN, NOT, NOT, NOT, ROUNDING, FIRST }

static const struct detmath_profile profiles[] = {
#define PROFILE(NAME, SUMMARY, SOURCE, TARGETS, STRICT, BLOCK, ...) {NAME, TARGETS, {__VA_ARGS__}},
#define BLOCKS(NAME, ...)
#include "profiles.inc"
#undef PROFILE
#undef BLOCKS
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

static const struct {
    const char *name, *aliases;
} format_names[DETMATH_ALL_FORMATS + 1] = {
    [DETMATH_F32] = {"fp32", DETMATH_ALIASES_F32},
    [DETMATH_F16] = {"fp16", DETMATH_ALIASES_F16},
    [DETMATH_BF16] = {"bf16", DETMATH_ALIASES_BF16},
    [DETMATH_E4M3FN] = {"fp8_e4m3fn", DETMATH_ALIASES_E4M3FN},
    [DETMATH_E4M3FNUZ] = {"fp8_e4m3fnuz", DETMATH_ALIASES_E4M3FNUZ},
    [DETMATH_E5M2] = {"fp8_e5m2", DETMATH_ALIASES_E5M2},
    [DETMATH_E5M2FNUZ] = {"fp8_e5m2fnuz", DETMATH_ALIASES_E5M2FNUZ},
    [DETMATH_E4M3] = {"fp8_e4m3", DETMATH_ALIASES_E4M3},
    [DETMATH_E3M4] = {"fp8_e3m4", DETMATH_ALIASES_E3M4},
    [DETMATH_E4M3B11FNUZ] = {"fp8_e4m3b11fnuz", DETMATH_ALIASES_E4M3B11FNUZ},
    [DETMATH_E2M3FN] = {"fp6_e2m3fn", DETMATH_ALIASES_E2M3FN},
    [DETMATH_E3M2FN] = {"fp6_e3m2fn", DETMATH_ALIASES_E3M2FN},
    [DETMATH_E2M1FN] = {"fp4_e2m1fn", DETMATH_ALIASES_E2M1FN},
    [DETMATH_E8M0FNU] = {"fp8_e8m0fnu", DETMATH_ALIASES_E8M0FNU},
    [DETMATH_TF32] = {"tf32", DETMATH_ALIASES_TF32},
    [DETMATH_F64] = {"fp64", DETMATH_ALIASES_F64},
};

static const struct {
    const char *name, *aliases;
} integer_names[DETMATH_INTEGERS] = {
    {"int2", "i2 s2"},        {"uint2", "u2"},   {"int4", "i4 s4"},         {"uint4", "u4"},
    {"int8", "i8 s8"},        {"uint8", "u8"},   {"int16", "i16 s16"},      {"uint16", "u16"},
    {"int32", "i32 s32 int"}, {"uint32", "u32"}, {"int64", "i64 s64 long"}, {"uint64", "u64"},
};

const char *detmath_format_name(int format) {
    if (detmath_is_integer(format))
        return integer_names[format - DETMATH_INT2].name;
    return format >= 0 && format <= DETMATH_F64 ? format_names[format].name : NULL;
}

static char folded(char c) {
    return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether a word of some, separated by spaces, is that one, in any case and with '-' for '_'. */
static int has_folded(const char *words, const char *word) {
    while (*words) {
        size_t length = strcspn(words, " "), same = 0;
        while (same < length && folded(word[same]) == folded(words[same]))
            same++;
        if (same == length && !word[length])
            return 1;
        words += length + (words[length] == ' ');
    }
    return 0;
}

int detmath_format_find(const char *name) {
    for (int i = 0; i <= DETMATH_F64; i++)
        if (has_folded(format_names[i].name, name) || has_folded(format_names[i].aliases, name))
            return i;
    for (int i = 0; i < DETMATH_INTEGERS; i++)
        if (has_folded(integer_names[i].name, name) || has_folded(integer_names[i].aliases, name))
            return DETMATH_INT2 + i;
    return -1;
}

const char *detmath_profile_name(int index) {
    return index >= 0 && index < PROFILES ? profiles[index].name : NULL;
}

const struct detmath_profile *detmath_profile_find(const char *name) {
    for (int i = 0; i < PROFILES; i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

int detmath_has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; *at;
         at += at[strcspn(at, " ")] ? strcspn(at, " ") + 1 : strlen(at))
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return 1;
    return 0;
}

static enum target_kind kind_of(struct detmath_format to) {
    if (to.sign_bit == 0)
        return SCALES;
    if (to.overflow == to.max_finite)
        return FINITE;
    if (to.overflow != to.nan)
        return to.sign_bit >= 0x8000u ? WIDE : NARROW;
    return to.nan == to.sign_bit ? FNUZ : FN;
}

static detmath_u32 code_of(enum outcome outcome, struct detmath_format to, int negative) {
    detmath_u32 sign = negative ? to.sign_bit : 0;
    switch (outcome) {
    case INF:
        return to.overflow | sign;
    case MAX:
        return to.max_finite | sign;
    case PLUS:
        return to.max_finite;
    case SIGNED:
        return to.nan ^ sign;
    case MIN:
        return 0;
    default:
        return to.nan;
    }
}

static struct detmath_cast_rules codes_of(const struct detmath_profile *profile,
                                          struct detmath_format to) {
    enum target_kind kind = kind_of(to);
    const struct rules *rules = &profile->rules[kind];
    struct detmath_cast_rules codes;
    for (int i = 0; i < 2; i++) {
        enum outcome infinity = i && kind == SCALES ? rules->negative : rules->infinity;
        codes.overflow[i] = code_of(rules->overflow, to, i);
        codes.infinity[i] = code_of(infinity, to, i);
        codes.nan[i] = code_of(rules->nan, to, i);
        codes.zero[i] = i && kind != FNUZ ? to.sign_bit : 0;
        if (kind == SCALES)
            codes.zero[i] = code_of(rules->zero, to, 0);
    }
    codes.underflow = code_of(rules->underflow, to, 0);
    codes.negative = code_of(rules->negative, to, 1);
    return codes;
}

/* fp64 has the rules of fp32, whose outcomes are these. */
static detmath_u64 wide_code_of(enum outcome outcome, int negative) {
    detmath_u64 sign = (detmath_u64)negative << 63;
    switch (outcome) {
    case INF:
        return 0x7ff0000000000000u | sign;
    case MAX:
        return 0x7fefffffffffffffu | sign;
    case SIGNED:
        return 0x7ff8000000000000u | sign;
    default:
        return 0x7ff8000000000000u;
    }
}

/* The integers that are held before the low bits of some are taken. */
static struct detmath_integer_format held_of(enum held_integers held,
                                             struct detmath_integer_format to) {
    switch (held) {
    case REGISTER:
        to.bits = to.bits < 32 ? 32 : to.bits;
        break;
    case X86:
        to.bits = to.bits < 32 || (to.bits == 32 && to.is_signed) ? 32 : 64;
        to.is_signed = 1;
        break;
    case ALL:
        to.bits = 0;
        break;
    default:
        break;
    }
    return to;
}

static detmath_u64 integer_of(enum outcome outcome, struct detmath_integer_format held,
                              int negative, int is_wide) {
    const detmath_u64 all = ~(detmath_u64)0 >> (64 - (held.bits ? held.bits : 64));
    const detmath_u64 most = held.is_signed ? all >> 1 : all, top = all - all / 2;
    switch (outcome) {
    case MAX:
        return !negative ? most : held.is_signed ? top : 0;
    case PLUS:
        return most;
    case LEAST:
        return held.is_signed ? top : 0;
    case INDEFINITE:
        return held.is_signed ? top : all;
    case PTX:
        return is_wide ? top : 0;
    default:
        return 0;
    }
}

static struct detmath_integer_cast integer_conversion(const struct detmath_profile *profile,
                                                      int from, int to, int rounding,
                                                      unsigned random_bits) {
    const struct rules *rules = &profile->rules[INTEGER];
    const struct detmath_integer_format target = detmath_integers[to - DETMATH_INT2];
    const int is_wide = target.bits == 64 || from == DETMATH_F64;
    struct detmath_integer_cast cast = detmath_integer_cast_make(target, rounding, random_bits);
    cast.held = held_of(rules->held, target);
    for (int i = 0; i < 2; i++) {
        cast.beyond[i] = integer_of(rules->overflow, cast.held, i, is_wide);
        cast.infinity[i] = integer_of(rules->infinity, cast.held, i, is_wide);
    }
    cast.nan = integer_of(rules->nan, cast.held, 0, is_wide);
    return cast;
}

int detmath_profile_rounding(const struct detmath_profile *profile, int to) {
    if (!detmath_format_name(to))
        return DETMATH_NEAREST_EVEN;
    if (detmath_is_integer(to))
        return profile->rules[INTEGER].rounding;
    return profile->rules[kind_of(detmath_formats[to == DETMATH_F64 ? DETMATH_F32 : to])].rounding;
}

int detmath_profile_conversion(struct detmath_conversion *conversion,
                               const struct detmath_profile *profile, int from, int to,
                               int rounding, unsigned random_bits) {
    int stochastic = rounding == DETMATH_STOCHASTIC;
    if (!detmath_format_name(from) || !detmath_format_name(to) || rounding < 0 ||
        rounding > (detmath_is_integer(to) ? DETMATH_NEAREST_UP : DETMATH_STOCHASTIC) ||
        (stochastic && (random_bits < 1 || random_bits > 31)) ||
        (profile->targets && !detmath_has_word(profile->targets, detmath_format_name(to))))
        return 0;
    struct detmath_format row = detmath_formats[to < DETMATH_ALL_FORMATS ? to : DETMATH_F32];
    conversion->from = from;
    conversion->to = to;
    conversion->cast =
        detmath_cast_make(row, codes_of(profile, row), rounding, stochastic ? random_bits : 1u);
    for (int i = 0; i < 2; i++) {
        conversion->infinity_f64[i] = wide_code_of(profile->rules[WIDE].infinity, i);
        conversion->nan_f64[i] = wide_code_of(profile->rules[WIDE].nan, i);
    }
    conversion->integer =
        integer_conversion(profile, from, detmath_is_integer(to) ? to : DETMATH_INT8, rounding,
                           conversion->cast.random_bits);
    return 1;
}

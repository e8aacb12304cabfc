/* The table of profiles. */
#include "format/profile.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

#define INF        OUTCOME_INFINITY
#define MAX        OUTCOME_LARGEST
#define PLUS       OUTCOME_POSITIVE_LARGEST
#define NOT        OUTCOME_NAN
#define SIGNED     OUTCOME_SIGNED_NAN
#define MIN        OUTCOME_SMALLEST
#define ZERO       OUTCOME_ZERO
#define LEAST      OUTCOME_LEAST
#define PTX        OUTCOME_PTX
#define OPEN       OUTCOME_OPEN
#define INDEFINITE OUTCOME_INDEFINITE
#define OWN        HELD_OWN
#define REGISTER   HELD_REGISTER
#define X86        HELD_X86
#define ALL        HELD_ALL
#define NEAREST    ROUND_NEAREST_EVEN
#define UPWARD     ROUND_UP
#define TRUNCATED  ROUND_TOWARD_ZERO
#define NO_CASE                                                                                    \
    { NOT, NOT, NOT, NOT, NOT, NOT, NEAREST, OWN }
/* overflow, infinity, NaN; of scales also zero, underflow, negative numbers */
#define RULES(OVERFLOWN, INFINITE, NAN_IN)                                                         \
    { OVERFLOWN, INFINITE, NAN_IN, NOT, NOT, NOT, NEAREST, OWN }
#define SCALE(OVERFLOWN, INFINITE, NOUGHT, UNDER, ROUNDING)                                        \
    { OVERFLOWN, INFINITE, NOT, NOUGHT, UNDER, NOT, ROUNDING, OWN }
#define INTEGERS(BEYOND, INFINITE, NAN_IN, FIRST, ROUNDING)                                        \
    { BEYOND, INFINITE, NAN_IN, NOT, NOT, NOT, ROUNDING, FIRST }

/* It has no rules for casts. */
#define RULE(BLOCK) BLOCK_SCALE_##BLOCK
#define BLOCKS(NAME, SUMMARY, SOURCE, TARGETS, ...)                                                \
    {.name = NAME,                                                                                 \
     .summary = SUMMARY,                                                                           \
     .source = SOURCE,                                                                             \
     .targets = "",                                                                                \
     .blocks = {.targets = TARGETS, __VA_ARGS__}},

const struct profile profiles[] = {
#define PROFILE(NAME, SUMMARY, SOURCE, TARGETS, STRICT, BLOCK, ...)                                \
    {NAME, SUMMARY, SOURCE, TARGETS, STRICT, {__VA_ARGS__}, {.scale = BLOCK_SCALE_##BLOCK}},
#include "detmath/library/profiles.inc"
#undef PROFILE
#undef BLOCKS
};
const size_t profile_count = sizeof profiles / sizeof *profiles;

const char *const profile_names[] = {
#define PROFILE(NAME, ...) NAME,
#define BLOCKS(NAME, ...)  NAME,
#include "detmath/library/profiles.inc"
#undef PROFILE
#undef BLOCKS
    NULL};

enum target_kind target_kind_of(const struct format *format) {
    if (format->is_integer)
        return TARGET_INTEGER;
    if (format->has_infinity)
        return format->width >= 16 ? TARGET_WIDE : TARGET_NARROW;
    if (!format->has_zero)
        return TARGET_SCALE;
    if (!format->has_nan)
        return TARGET_FINITE;
    return format->has_negative_zero ? TARGET_FN : TARGET_FNUZ;
}

/* Whether the profile has rules for casts to formats of the target's kind: integers, or others. */
static bool has_casts_to(const struct profile *row, const struct format *target) {
    char first[32];
    struct error unused;
    if (!row->targets || !*row->targets)
        return !row->targets;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(row->targets, " "), row->targets);
    return format_find(first, &unused)->is_integer == target->is_integer;
}

/* The profiles that have rules for such a target: "a, b". */
static void name_profiles(const struct format *target, char *text, size_t room) {
    text[0] = '\0';
    for (size_t i = 0; i < profile_count; i++) {
        const struct profile *row = &profiles[i];
        bool has =
            target->is_element ? row->blocks.scale != BLOCK_SCALE_NONE : has_casts_to(row, target);
        size_t used = strlen(text);
        if (has)
            snprintf(text + used, room - used, "%s%s", used ? ", " : "", row->name);
    }
}

bool profile_covers(const struct profile *profile, const struct format *target,
                    struct error *error) {
    bool none = target->is_element ? profile->blocks.scale == BLOCK_SCALE_NONE
                                   : !has_casts_to(profile, target);
    const char *targets = target->is_element ? profile->blocks.targets : profile->targets;
    char names[256];
    if (none) {
        name_profiles(target, names, sizeof names);
        return error_set(error, "the profile %s has no rule for %s, such as %s; these have one: %s",
                         profile->name,
                         target->is_element   ? "blocks"
                         : target->is_integer ? "casts to integers"
                                              : "casts of numbers",
                         target->name, names);
    }
    if (!targets || name_matches(target->name, "", targets))
        return true;
    return error_set(error, "the profile %s has no rule for %s; its targets are: %s", profile->name,
                     target->name, targets);
}

enum rounding profile_rounding(const struct profile *profile, const struct format *target) {
    return profile->rules[target_kind_of(target)].rounding;
}

uint64_t outcome_code(enum outcome outcome, const struct format *target, bool negative) {
    switch (outcome) {
    case OUTCOME_INFINITY:
        return format_with_sign(target, format_greatest(target), negative);
    case OUTCOME_LARGEST:
        return format_with_sign(target, format_most(target, negative), negative);
    case OUTCOME_POSITIVE_LARGEST:
        return target->max_finite;
    case OUTCOME_SIGNED_NAN:
        return target->nan ^ (negative ? target->sign_bit : 0);
    case OUTCOME_LEAST:
        return target->sign_bit;
    case OUTCOME_PTX:
        return UINT64_C(1) << (target->width - 1);
    case OUTCOME_INDEFINITE:
        return target->sign_bit ? target->sign_bit : target->max_finite;
    case OUTCOME_SMALLEST:
    case OUTCOME_ZERO:
        return 0;
    default:
        return target->nan;
    }
}

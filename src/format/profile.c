/* The table of profiles. */
#include "format/profile.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

#define INF     OUTCOME_INFINITY
#define MAX     OUTCOME_LARGEST
#define PLUS    OUTCOME_POSITIVE_LARGEST
#define NOT     OUTCOME_NAN
#define SIGNED  OUTCOME_SIGNED_NAN
#define MIN     OUTCOME_SMALLEST
#define NEAREST ROUND_NEAREST_EVEN
#define UPWARD  ROUND_UP
#define NO_CASE                                                                                    \
    { NOT, NOT, NOT, NOT, NOT, NOT, NEAREST }
/* overflow, infinity, NaN; of scales also zero, underflow, negative numbers */
#define RULES(OVERFLOWN, INFINITE, NAN_IN)                                                         \
    { OVERFLOWN, INFINITE, NAN_IN, NOT, NOT, NOT, NEAREST }
#define SCALE(OVERFLOWN, INFINITE, ZERO, UNDER, ROUNDING)                                          \
    { OVERFLOWN, INFINITE, NOT, ZERO, UNDER, NOT, ROUNDING }

/* It has no rules for casts. */
#define RULE(BLOCK) BLOCK_SCALE_##BLOCK
#define BLOCKS(NAME, SUMMARY, SOURCE, TARGETS, ...)                                                \
    {.name = NAME,                                                                                 \
     .summary = SUMMARY,                                                                           \
     .source = SOURCE,                                                                             \
     .targets = "",                                                                                \
     .blocks = {.targets = TARGETS, __VA_ARGS__}},

const struct profile profiles[] = {
#define PROFILE(NAME, SUMMARY, SOURCE, TARGETS, STRICT, BLOCK, WIDE, NARROW, FN, FNUZ, FINITE,     \
                SCALES)                                                                            \
    {NAME,                                                                                         \
     SUMMARY,                                                                                      \
     SOURCE,                                                                                       \
     TARGETS,                                                                                      \
     STRICT,                                                                                       \
     {WIDE, NARROW, FN, FNUZ, FINITE, SCALES},                                                     \
     {.scale = BLOCK_SCALE_##BLOCK}},
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
    if (format->has_infinity)
        return format->width >= 16 ? TARGET_WIDE : TARGET_NARROW;
    if (!format->has_zero)
        return TARGET_SCALE;
    if (!format->has_nan)
        return TARGET_FINITE;
    return format->has_negative_zero ? TARGET_FN : TARGET_FNUZ;
}

/* The profiles that have rules for blocks, or for casts: "a, b". */
static void name_profiles(bool blocks, char *text, size_t room) {
    text[0] = '\0';
    for (size_t i = 0; i < profile_count; i++) {
        const struct profile *row = &profiles[i];
        bool has = blocks ? row->blocks.scale != BLOCK_SCALE_NONE : !row->targets || *row->targets;
        size_t used = strlen(text);
        if (has)
            snprintf(text + used, room - used, "%s%s", used ? ", " : "", row->name);
    }
}

bool profile_covers(const struct profile *profile, const struct format *target,
                    struct error *error) {
    bool none = target->is_element ? profile->blocks.scale == BLOCK_SCALE_NONE
                                   : profile->targets && !*profile->targets;
    const char *targets = target->is_element ? profile->blocks.targets : profile->targets;
    char names[256];
    if (none) {
        name_profiles(target->is_element, names, sizeof names);
        return error_set(error, "the profile %s says nothing of %s, as %s; those that do: %s",
                         profile->name, target->is_element ? "blocks" : "casts of numbers",
                         target->name, names);
    }
    if (!targets || name_matches(target->name, "", targets))
        return true;
    return error_set(error, "the profile %s says nothing of %s; its targets are: %s", profile->name,
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
        return format_with_sign(target, target->max_finite, negative);
    case OUTCOME_POSITIVE_LARGEST:
        return target->max_finite;
    case OUTCOME_SIGNED_NAN:
        return target->nan ^ (negative ? target->sign_bit : 0);
    case OUTCOME_SMALLEST:
        return 0;
    default:
        return target->nan;
    }
}

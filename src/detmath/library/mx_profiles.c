/* Conversions to MX blocks by the name of a profile. */
#include "detmath/mx_arrays.h"
#include "words.h"

#include <string.h>

/* Those that say nothing of blocks have the rule NONE. */
enum { NONE = -1 };
#define DETMATH_MX_NONE NONE

static const struct {
    const char *name, *targets;
    struct detmath_mx_rules rules;
} profiles[] = {
#define RULE(BLOCK) DETMATH_MX_##BLOCK
#define PROFILE(NAME, SUMMARY, SOURCE, TARGETS, STRICT, BLOCK, ...)                                \
    {NAME, NULL, {.scale = RULE(BLOCK)}},
#define BLOCKS(NAME, SUMMARY, SOURCE, TARGETS, ...) {NAME, TARGETS, {__VA_ARGS__}},
#include "profiles.inc"
#undef PROFILE
#undef BLOCKS
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

static const char *const names[DETMATH_MX_FORMATS] = {
    [DETMATH_MXFP8_E5M2] = "mxfp8_e5m2", [DETMATH_MXFP8_E4M3] = "mxfp8_e4m3",
    [DETMATH_MXFP6_E3M2] = "mxfp6_e3m2", [DETMATH_MXFP6_E2M3] = "mxfp6_e2m3",
    [DETMATH_MXFP4_E2M1] = "mxfp4_e2m1", [DETMATH_MXINT8] = "mxint8",
};

int detmath_mx_find(const char *name) {
    for (int i = 0; i < DETMATH_MX_FORMATS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *detmath_mx_profile_name(int index) {
    for (int i = 0; i < PROFILES; i++)
        if (profiles[i].rules.scale != NONE && index-- == 0)
            return profiles[i].name;
    return NULL;
}

int detmath_mx_profile(struct detmath_mx *mx, const char *profile, int element, int rounding,
                       unsigned random_bits) {
    int stochastic = rounding == DETMATH_STOCHASTIC, at = 0;
    while (at < PROFILES &&
           (profiles[at].rules.scale == NONE || strcmp(profiles[at].name, profile) != 0))
        at++;
    if (at == PROFILES || element < 0 || element >= DETMATH_MX_FORMATS || rounding < 0 ||
        rounding > DETMATH_STOCHASTIC || (stochastic && (random_bits < 1 || random_bits > 31)) ||
        (profiles[at].targets && !detmath_has_word(profiles[at].targets, names[element])))
        return 0;
    *mx = detmath_mx_make(detmath_mx_formats[element], profiles[at].rules, rounding,
                          stochastic ? random_bits : 1u);
    return 1;
}

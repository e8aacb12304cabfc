/* The choices that a variant stands for, and how they are spelled: "fma=no,terms=3". */
#ifndef DETCHECK_IMPL_VARIANTS_DESIGN_H
#define DETCHECK_IMPL_VARIANTS_DESIGN_H

#include "base/error.h"

#include <stddef.h>

enum design_choice {
    DESIGN_FMA,
    DESIGN_SCHEME,
    DESIGN_COEFFICIENTS,
    DESIGN_TERMS,
    DESIGN_DEGREE,
    DESIGN_CHOICES
};

/* Of each choice the number of its value in the list of its values; 0 is the standard one. */
struct design {
    int values[DESIGN_CHOICES];
};

/* What design_value gives for the degree where none was chosen: the function has one of its own. */
enum { DESIGN_OWN_DEGREE = 0 };

/* The chosen value as a number: of terms and degrees what they say, and else its place in the list. */
int design_value(const struct design *design, enum design_choice choice);

/* Design number `index` of those that the text spells: true and *found false beyond the last. A choice
 * may have several values ("terms=2/3", "terms=*"); then the text stands for all combinations. "*"
 * alone is the standard design and all that differ from it in one choice. False for an error. */
bool design_parse(const char *text, size_t index, struct design *design, bool *found,
                  struct error *error);

/* The design's shortest spelling, "standard" or what differs from that; room for 128 characters. */
void design_print(const struct design *design, char *text);

#endif

/* Policies that are a part of the program: what specifications promise (vectors/policies). */
#ifndef DETCHECK_GATE_PUBLISHED_H
#define DETCHECK_GATE_PUBLISHED_H

#include <stddef.h>

struct published_policy {
    const char *name, *summary;
    const unsigned char *text; /* JSON, or lines */
    const size_t *size;
};

/* Ends with a row without a name. */
extern const struct published_policy published_policies[];

/* By name, as all names are compared; NULL where there is none. */
const struct published_policy *published_find(const char *name);

#endif

/* Requires: of a declaration of kappas. Its conditions say which formats the parameters of Approximates stand for:
 * "fx in [Binary8p3se, Binary8p4se]", "fx == fr", "PrecisionOf(fr) >= PrecisionOf(fx)". */
#ifndef DETCHECK_GATE_KAPPA_REQUIRES_H
#define DETCHECK_GATE_KAPPA_REQUIRES_H

#include "format/format.h"
#include "gate/kappa_words.h"

#include <stdbool.h>
#include <stddef.h>

enum { KAPPA_PARAMETERS = 8, KAPPA_CONDITIONS = 16, KAPPA_CHOICES = 128 };

enum kappa_property { KAPPA_FORMAT, KAPPA_BITWIDTH, KAPPA_PRECISION, KAPPA_INTEGER };

/* One side of a condition: a parameter or a format by its name, a property of it, or an integer. */
struct kappa_term {
    enum kappa_property property;
    char name[KAPPA_WORD];
    long integer;
};

struct kappa_condition {
    size_t line;
    struct kappa_term left;
    int comparison; /* place in the table of comparisons; -1: `in` */
    struct kappa_term right;
    size_t first, choices; /* of `in`: where its formats begin among all, and their number */
};

struct kappa_requires {
    struct kappa_condition conditions[KAPPA_CONDITIONS];
    size_t count;
    char choices[KAPPA_CHOICES][KAPPA_WORD];
    size_t choice_count;
};

/* Which format each parameter stands for. */
struct kappa_binding {
    char name[KAPPA_WORD];
    char written[KAPPA_WORD]; /* the format's name in the file; "": not known yet */
    const struct format *format;
};
struct kappa_bindings {
    struct kappa_binding items[KAPPA_PARAMETERS];
    size_t count;
};

/* The format of a name in any case; NULL: there is none. */
const struct format *kappa_format(const char *name);

/* Takes "('fx == fr')" or "[ ('fx == fr'), ('fx in [Binary8p4se]') ]", which a line has. False: `wrong` says why. */
bool kappa_requires_take(struct kappa_requires *requires, const char *text, size_t line,
                         char *wrong, size_t room);

/* The names that the parameter `at` may stand for, given the parameters that are bound: those of the first `in`, or the one
 * that it has to equal. 0: no condition says it. */
size_t kappa_requires_choices(const struct kappa_requires *requires,
                              const struct kappa_bindings *bindings, size_t at,
                              const char **choices);

/* The first condition that the bindings break; NULL: they fulfil all. All parameters are bound. */
const struct kappa_condition *kappa_requires_broken(const struct kappa_requires *requires,
                                                    const struct kappa_bindings *bindings);

/* The first condition that has a name which is neither a parameter nor a format; NULL: there is none. */
const struct kappa_condition *kappa_requires_unknown(const struct kappa_requires *requires,
                                                     const struct kappa_bindings *bindings,
                                                     const char **name);

#endif

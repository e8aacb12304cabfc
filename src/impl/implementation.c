/* The table of kinds, and opening by name. */
#include "impl/implementation.h"

#include "base/kept_text.h"
#include "base/names.h"
#include "impl/array.h"
#include "impl/detmath.h"
#include "impl/exact.h"
#include "impl/file.h"
#include "impl/forms/form.h"
#include "impl/hardware.h"
#include "impl/hellas.h"
#include "impl/libm.h"
#include "impl/lut.h"
#include "impl/order.h"
#include "impl/others.h"
#include "impl/remote/exec.h"
#include "impl/remote/library.h"
#include "impl/steps.h"
#include "impl/unit.h"
#include "impl/variants/variants.h"
#include "impl/vector_libm.h"
#include "impl/via.h"

#include <stdio.h>
#include <string.h>

const char *const event_names[EVENT_KINDS] = {"crash",
                                              "hang",
                                              "exit",
                                              "rounding-changed",
                                              "flushing-changed",
                                              "precision-changed",
                                              "traps-changed",
                                              "registers-changed",
                                              "direction-changed",
                                              "answered-twice",
                                              "given-up",
                                              "not-written",
                                              "answers-differ"};

const struct foreign_settings foreign_defaults = {.timeout = 10};

const struct implementation_kind *const implementation_kinds[] = {
    &implementation_det, &implementation_cr, &implementation_libm, &implementation_sleef,
    &implementation_libmvec, &implementation_svml_several, &implementation_svml,
    &implementation_lut, &implementation_exact, &implementation_via, &implementation_steps,
    &implementation_hardware, &implementation_library, &implementation_exec,
    &implementation_exec_text, &implementation_python, &implementation_file, &implementation_unit,
    &implementation_order, &implementation_form, &implementation_sequential,
    &implementation_pairwise, &implementation_blocked, &implementation_naive,
    &implementation_unscaled, &implementation_gemmlowp, &implementation_tosa,
    &implementation_tosa_double, &implementation_quantiser,
    /* Seldom wanted: published texts at their word, and functions by chosen means. */
    &implementation_article, &implementation_text, &implementation_hellas,
    &implementation_hellas_mended, &implementation_variant};
enum { OF_TEXTS = 5 };
const size_t implementation_kind_count = sizeof implementation_kinds / sizeof *implementation_kinds;
const size_t implementation_usual_count =
    sizeof implementation_kinds / sizeof *implementation_kinds - OF_TEXTS;

static bool is_of_kind(const char *name, const struct implementation_kind *kind) {
    size_t length = strlen(kind->name);
    if (kind == &implementation_steps)
        return steps_is_named(name);
    if (kind->name[length - 1] == ':')
        return strncmp(name, kind->name, length) == 0 && name[length];
    return name_matches(name, kind->name, NULL);
}

/* Libraries of Python that are named without their prefix: the rows of adapters/library_names.py. */
static bool is_python_library(const char *name) {
    return name_matches(name, "numpy", "scipy jax torch onnxruntime");
}

static bool unknown(const char *name, struct error *error) {
    const char *names[40];
    for (size_t i = 0; i < implementation_kind_count; i++) {
        names[i] = implementation_kinds[i]->name;
        if (strcmp(name, names[i]) == 0) /* and nothing behind its colon */
            return error_set(error, "the implementation '%s' is incomplete; %s", name,
                             implementation_kinds[i]->summary);
    }
    if (strchr(name, ',') && strchr(name, ':'))
        return error_set(error,
                         "unknown implementation '%.80s'; where one of several has a ':', each has "
                         "an option of its own: --impl A --impl B",
                         name);
    const char *nearest = name_nearest(name, names, implementation_kind_count);
    if (nearest)
        return error_set(error, "unknown implementation '%.80s'; did you mean %s?", name, nearest);
    return error_set(error,
                     "unknown implementation '%.80s'; try det, cr, libm, lib:FILE.so, exec:COMMAND "
                     "or py:numpy ('detcheck list --all implementations' names them all)",
                     name);
}

/* By a kind's name, or its prefix; NULL and an error. */
static const struct implementation_kind *find_kind(const char *name, struct error *error) {
    for (size_t i = 0; i < implementation_kind_count; i++)
        if (is_of_kind(name, implementation_kinds[i]))
            return implementation_kinds[i];
    unknown(name, error);
    return NULL;
}

size_t implementation_list_name(const char *names) {
    size_t first = 0;
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ",");
        bool longer = memchr(at, ':', length) != NULL, option = memchr(at, '=', length) != NULL;
        bool in_lists = false;
        for (size_t i = 0; longer && i < implementation_kind_count; i++)
            in_lists |=
                implementation_kinds[i]->in_lists && is_of_kind(at, implementation_kinds[i]);
        if (longer && !in_lists)
            return strlen(names);
        if (at == names)
            first = length;
        else if (option && !longer && first + 1 == (size_t)(at - names))
            first += 1 + length;
        at += length + (at[length] == ',');
    }
    return first;
}

bool implementation_spell(const char *name, size_t index, char spelling[IMPLEMENTATION_NAME],
                          struct error *error) {
    *spelling = '\0';
    if (is_python_library(name)) {
        if (!index)
            snprintf(spelling, IMPLEMENTATION_NAME, "%s%s", implementation_python.name, name);
        return true;
    }
    const struct implementation_kind *kind = find_kind(name, error);
    if (!kind)
        return false;
    if (kind->spell)
        return kind->spell(name, index, spelling, error);
    if (strlen(name) >= IMPLEMENTATION_NAME)
        return error_set(error, "the implementation's name is longer than %d characters",
                         IMPLEMENTATION_NAME - 1);
    if (!index)
        strcpy(spelling, name);
    return true;
}

bool implementation_open(struct implementation *implementation, const char *name,
                         const struct foreign_settings *foreign, struct error *error) {
    *implementation = (struct implementation){.foreign = foreign ? foreign : &foreign_defaults};
    implementation->kind = find_kind(name, error);
    if (!implementation->kind)
        return false;
    bool bare = implementation->kind->name[strlen(implementation->kind->name) - 1] != ':';
    const char *spelling = bare ? implementation->kind->name : name;
    if (strlen(spelling) >= IMPLEMENTATION_NAME)
        return error_set(error, "the implementation's name is longer than %d characters",
                         IMPLEMENTATION_NAME - 1);
    implementation->name = kept_text(spelling);
    if (!implementation->name)
        return error_set(error, "out of memory");
    others_begin(implementation);
    bool opened = implementation->kind->open(implementation, error);
    others_end(implementation);
    return opened;
}

/* A path leads there whatever the kind: that of svml: may be one. */
static bool leads_elsewhere(const struct implementation_kind *kind, const char *name) {
    return kind->others == OTHERS_IF_IN_PROCESS || kind->is_command ||
           kind == &implementation_file || kind == &implementation_order || strchr(name, '/');
}

bool implementation_open_named(struct implementation *implementation, const char *name,
                               const struct foreign_settings *foreign, struct error *error) {
    const struct implementation_kind *kind = find_kind(name, error);
    if (!kind)
        return false;
    if (!foreign->runs_named && leads_elsewhere(kind, name))
        return error_set(
            error, "%.200s was not run, since only a file names it; --run-named runs it", name);
    return implementation_open(implementation, name, foreign, error);
}
